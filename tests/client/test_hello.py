"""Certificates read without OpenSSL, and clients that start without it."""

from __future__ import annotations

import asyncio
import hashlib
import random
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from genial.client.errors import GenialError, IncompatibleHostError
from genial.client.hello import NoTlsError, RefusedHelloError, shown_by
from genial.client.trust import fetch_certificate
from genial.services.certificate import make_certificate
from tests.client.test_trust import grpc_host


@asynccontextmanager
async def listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    context: ssl.SSLContext | None = None,
) -> AsyncIterator[int]:
    """A server on a free port, of which nothing is left afterwards."""
    served: list[asyncio.Task[None]] = []

    async def guarded(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, ssl.SSLError):
            await serve(reader, writer)
        writer.close()
        with suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(asyncio.ensure_future(guarded(reader, writer)))

    async with await asyncio.start_server(begin, "127.0.0.1", 0, ssl=context) as server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.gather(*served)


@asynccontextmanager
async def tls_host(
    folder: Path, version: ssl.TLSVersion, protocols: list[str]
) -> AsyncIterator[tuple[int, str]]:
    """A server of OpenSSL's, of one version; its port and its certificate's fingerprint."""
    made = make_certificate()
    (folder / "chain").write_bytes(made.chain)
    (folder / "key").write_bytes(made.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "chain", folder / "key")
    context.minimum_version = context.maximum_version = version
    if protocols:
        context.set_alpn_protocols(protocols)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with listening(serve, context) as port:
        yield port, made.fingerprint


@asynccontextmanager
async def answering(content: bytes) -> AsyncIterator[int]:
    """Answers the beginning of a handshake with some bytes and hangs up."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(content)
        writer.write_eof()
        await reader.read()

    async with listening(serve) as port:
        yield port


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_servers_of_both_versions(version: ssl.TLSVersion, tmp_path: Path) -> None:
    async with tls_host(tmp_path, version, ["h2"]) as (port, fingerprint):
        assert (await fetch_certificate("127.0.0.1", port, 5)).fingerprint == fingerprint


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_server_of_something_else_is_no_host(
    version: ssl.TLSVersion, tmp_path: Path
) -> None:
    for protocols in ([], ["http/1.1"]):
        async with tls_host(tmp_path, version, protocols) as (port, _fingerprint):
            with pytest.raises(IncompatibleHostError, match="no Genial host"):
                await fetch_certificate("127.0.0.1", port, 5)


async def test_what_a_host_of_ours_shows() -> None:
    made = make_certificate()
    async with grpc_host(made) as port:
        shown = await shown_by("127.0.0.1", port, name="genial", protocol="h2")
    assert hashlib.sha256(shown.certificate).hexdigest() == made.fingerprint
    assert shown.protocol == "h2"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", NoTlsError),
        (b"\x00\x00\x12\x04\x00\x00\x00\x00\x00" + bytes(18), NoTlsError),
        (b"SS", NoTlsError),
        (b"\x16\x03", EOFError),
        (b"\x16\x03\x03\xff\xff" + bytes(100), NoTlsError),
        (b"\x16\x04\x03\x00\x04" + bytes(4), NoTlsError),
        (b"\x16\x03\x03\x00\x04\x0b\x00\x00\x00", NoTlsError),
        (b"\x16\x03\x03\x00\x04\x0e\x00\x00\x00", NoTlsError),
        (b"\x16\x03\x03\x00\x06\x02\x00\x00\x02\x03\x03", NoTlsError),
        (b"\x16\x03\x03\x00\x07\x0b\x00\x00\x03\xff\xff\xff", NoTlsError),
        (b"\x15\x03\x03\x00\x02\x02\x78", RefusedHelloError),
        (b"\x15\x03\x03\x00\x03\x02\x78\x00", NoTlsError),
        (b"\x15\x03\x03\x00\x02\x02", EOFError),
    ],
)
async def test_answers_that_make_no_sense(answer: bytes, error: type[Exception]) -> None:
    async with answering(answer) as port:
        with pytest.raises(error):
            await shown_by("127.0.0.1", port, name="genial", protocol="h2")


async def test_a_handshake_without_end_is_given_up() -> None:
    """Records of a message that says it is 16 MiB long."""
    record = b"\x16\x03\x03\x40\x00" + (b"\x02\xff\xff\xff" + bytes(16380))
    async with answering(record * 20) as port:
        with pytest.raises(NoTlsError):
            await shown_by("127.0.0.1", port, name="genial", protocol="h2")


async def test_damaged_answers_end_in_a_sentence(tmp_path: Path) -> None:
    """Every answer, however it was damaged on the way, is a certificate or a refusal."""
    rng = random.Random(5)
    body = b"\x02\x00\x00\x2c\x03\x03" + bytes(32) + b"\x00\xc0\x2b\x00\x00\x04\x00\x10\x00\x00"
    body += b"\x0b\x00\x00\x10\x00\x00\x0d\x00\x00\x0a" + bytes(10)
    whole = b"\x16\x03\x03" + len(body).to_bytes(2, "big") + body
    for _case in range(60):
        damaged = bytearray(whole)
        for _byte in range(rng.randrange(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        async with answering(bytes(damaged[: rng.randrange(len(damaged) + 1)])) as port:
            with suppress(GenialError):
                assert (await fetch_certificate("127.0.0.1", port, 5)).fingerprint


def test_a_client_starts_without_openssl_and_may_load_it_later() -> None:
    program = (
        "import genial.client.lean, sys, asyncio, hashlib, hmac\n"
        "assert '_ssl' not in sys.modules\n"
        "assert '_hashlib' not in sys.modules or not genial.client.lean.has_own_hashes()\n"
        "assert hashlib.sha256(b'').hexdigest().startswith('e3b0c442')\n"
        "assert hmac.digest(b'k', b'', 'sha256') == hmac.new(b'k', b'', 'sha256').digest()\n"
        "import ssl\n"
        "asyncio.run(asyncio.sleep(0))\n"
        "print(ssl.OPENSSL_VERSION)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
