"""A server's certificate, read from the clear beginning of TLS 1.2: no OpenSSL is loaded for it.

Nothing is verified or kept secret here, because there is nothing yet to verify or to keep:
the certificate is what this asks for, and whoever is fed a wrong one finds that the channel
pinned to it cannot be opened. Python's `ssl` would do as well, and does where a server speaks
TLS 1.3 alone; but it brings OpenSSL along, six megabytes beside the TLS that gRPC has already.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass
from typing import Final

_HANDSHAKE: Final = 22
_ALERT: Final = 21
_SERVER_HELLO: Final = 2
_CERTIFICATE: Final = 11
_ALPN: Final = 16
_TLS_1_2: Final = b"\x03\x03"
_NO_APPLICATION_PROTOCOL: Final = 120

_LONGEST_RECORD: Final = 1 << 14
_LONGEST_FLIGHT: Final = 1 << 17
"""Bytes of handshake up to the certificate; a host's are under 2,000."""

# Every suite that carries a certificate and that gRPC's TLS 1.2 knows: ECDHE with ECDSA or
# RSA, AES-GCM or ChaCha20.
_SUITES: Final = (0xC02B, 0xC02C, 0xCCA9, 0xC02F, 0xC030, 0xCCA8)
_GROUPS: Final = (0x001D, 0x0017, 0x0018, 0x0019)
_SIGNATURES: Final = (0x0403, 0x0503, 0x0603, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601)


class NoTlsError(Exception):
    """What answers is no TLS."""


class RefusedHelloError(Exception):
    """The server ends the handshake with an alert; `alert` is its number."""

    def __init__(self, alert: int) -> None:
        super().__init__(f"TLS alert {alert}")
        self.alert = alert

    @property
    def about_protocol(self) -> bool:
        """Whether the server speaks TLS, but not the protocol that was asked for over it."""
        return self.alert == _NO_APPLICATION_PROTOCOL


@dataclass(frozen=True, slots=True)
class Shown:
    """What a server shows before anything is encrypted.

    Attributes:
        certificate: Its own certificate, DER.
        protocol: What it will speak over the connection (ALPN); None: it does not say.
    """

    certificate: bytes
    protocol: str | None


async def shown_by(host: str, port: int, *, name: str, protocol: str) -> Shown:
    """Begins a handshake, reads up to the certificate and hangs up.

    Args:
        host: Name or number, an IPv6 one with its zone.
        port: 1 to 65535.
        name: The server name to ask for (SNI).
        protocol: The application protocol to ask for (ALPN).

    Raises:
        NoTlsError: Something answers that is no TLS, or no TLS that makes sense.
        RefusedHelloError: The server does not go on from here.
        EOFError: The connection ends without a word.
        OSError: There is no connection.
    """
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(_client_hello(name, protocol))
        await writer.drain()
        return await _read(reader)
    finally:
        writer.transport.abort()


async def _read(reader: asyncio.StreamReader) -> Shown:
    flight = bytearray()
    chosen: str | None = None
    while True:
        flight += await _record(reader)
        if len(flight) > _LONGEST_FLIGHT:
            raise NoTlsError
        while len(flight) >= 4 and len(flight) >= 4 + (
            length := int.from_bytes(flight[1:4], "big")
        ):
            kind, body = flight[0], bytes(flight[4 : 4 + length])
            del flight[: 4 + length]
            if kind == _SERVER_HELLO:
                chosen = _protocol_of(body)
            elif kind == _CERTIFICATE:
                listed = _Parts(_Parts(body).counted(3))
                return Shown(listed.counted(3), chosen)
            else:
                # In this version nothing else comes before the certificate.
                raise NoTlsError


async def _record(reader: asyncio.StreamReader) -> bytes:
    """The payload of the next record of the handshake."""
    try:
        head = await reader.readexactly(5)
    except asyncio.IncompleteReadError as error:
        if error.partial and error.partial[0] not in (_HANDSHAKE, _ALERT):
            raise NoTlsError from error
        raise EOFError("the connection ended in the handshake") from error
    length = int.from_bytes(head[3:5], "big")
    if head[0] not in (_HANDSHAKE, _ALERT) or head[1] != _TLS_1_2[0] or length > _LONGEST_RECORD:
        raise NoTlsError
    payload = await reader.readexactly(length)
    if head[0] == _ALERT:
        if len(payload) != 2:
            raise NoTlsError
        raise RefusedHelloError(payload[1])
    return payload


class _Parts:
    """Bytes taken one after the other.

    Raises:
        NoTlsError: By every method, where they end too early.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._content) - self._at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise NoTlsError
        self._at += count
        return self._content[self._at - count : self._at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def counted(self, size: int) -> bytes:
        """As many bytes as the number of `size` bytes before them says."""
        return self.take(self.number(size))


def _protocol_of(hello: bytes) -> str | None:
    """The application protocol that a ServerHello agrees to."""
    parts = _Parts(hello)
    parts.take(2 + 32)
    parts.counted(1)
    parts.take(2 + 1)
    if not parts.left:
        return None
    extensions = _Parts(parts.counted(2))
    while extensions.left:
        kind, content = extensions.number(2), extensions.counted(2)
        if kind == _ALPN:
            return _Parts(_Parts(content).counted(2)).counted(1).decode("ascii", "replace")
    return None


def _client_hello(name: str, protocol: str) -> bytes:
    extensions = b"".join(
        (
            _extension(0, _with_length(b"\0" + _with_length(name.encode("ascii"), 2), 2)),
            _extension(10, _with_length(_numbers(_GROUPS), 2)),
            _extension(11, _with_length(b"\0", 1)),
            _extension(13, _with_length(_numbers(_SIGNATURES), 2)),
            _extension(_ALPN, _with_length(_with_length(protocol.encode("ascii"), 1), 2)),
            # Some servers refuse whoever lacks these two: safe secrets, safe renegotiation.
            _extension(23, b""),
            _extension(0xFF01, b"\0"),
        )
    )
    body = b"".join(
        (
            _TLS_1_2,
            secrets.token_bytes(32),
            _with_length(b"", 1),
            _with_length(_numbers(_SUITES), 2),
            _with_length(b"\0", 1),
            _with_length(extensions, 2),
        )
    )
    return b"\x16\x03\x01" + _with_length(b"\x01" + _with_length(body, 3), 2)


def _extension(kind: int, content: bytes) -> bytes:
    return kind.to_bytes(2, "big") + _with_length(content, 2)


def _with_length(content: bytes, size: int) -> bytes:
    return len(content).to_bytes(size, "big") + content


def _numbers(values: tuple[int, ...]) -> bytes:
    return b"".join(value.to_bytes(2, "big") for value in values)
