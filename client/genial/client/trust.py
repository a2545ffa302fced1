"""Whether the host is who it was: its certificate, and what is remembered of it.

A host signs its certificate itself, so the fingerprint is all there is to compare: with
what the person typed, with what is remembered under the host's id, with what it announces.
A password and a seat's token go only to a host that has passed `judge`.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import ipaddress
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import grpc

from genial.client.errors import (
    CertificateChangedError,
    HostUnreachableError,
    IncompatibleHostError,
    PasswordHeldBackError,
    PasswordNeededError,
    PlaintextHostError,
    UntrustedHostError,
    WrongFingerprintError,
)
from genial.client.hello import NoTlsError, RefusedHelloError, Shown, shown_by
from genial.client.known_hosts import KnownHost, KnownHosts
from genial.client.text import _
from genial.client.whereabouts import Whereabouts
from genial.wire.metadata import CERTIFICATE_NAME

_HTTP2: Final = "h2"


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate as a host showed it; nothing about it has been judged yet.

    Attributes:
        pem: For gRPC to take as its only root.
        fingerprint: SHA-256 of its DER bytes, lower-case hex.
    """

    pem: bytes
    fingerprint: str


async def fetch_certificate(host: str, port: int, timeout: float) -> Certificate:
    """The certificate that whoever listens there shows.

    Args:
        host: Name or number, an IPv6 one with its zone.
        port: 1 to 65535.
        timeout: Seconds until silence is an error.

    Raises:
        PlaintextHostError: Something answers without encryption.
        IncompatibleHostError: Something answers that speaks no HTTP/2.
        HostUnreachableError: Nobody answers, or not in time.
    """
    # Nothing is verified here on purpose: the certificate is what this asks for, and
    # nothing is sent. The channel that is opened afterwards accepts no other one.
    address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    try:
        async with asyncio.timeout(timeout):
            shown = await _shown_by(host, port, timeout)
    except NoTlsError as error:
        raise PlaintextHostError(
            _(
                "The host at {address} does not encrypt. If it was started with --plaintext and"
                " you trust everybody on this network, add --plaintext here too."
            ).format(address=address),
            detail=str(error),
        ) from error
    except (ConnectionResetError, EOFError, RefusedHelloError) as error:
        raise no_host(address) from error
    except TimeoutError as error:
        raise _unreachable(address, "timeout") from error
    except OSError as error:
        # asyncio puts words of its own in the place of the system's.
        detail = os.strerror(error.errno) if error.errno else str(error)
        raise _unreachable(address, detail) from error
    if shown.protocol != _HTTP2:
        raise no_host(address)
    return Certificate(_pem(shown.certificate), hashlib.sha256(shown.certificate).hexdigest())


async def _shown_by(host: str, port: int, timeout: float) -> Shown:
    try:
        # The name is the certificate's, as on every channel: an address with a zone
        # (fe80::1%eth0) is no name that TLS could take.
        return await shown_by(host, port, name=CERTIFICATE_NAME, protocol=_HTTP2)
    except RefusedHelloError as error:
        if error.about_protocol:
            raise
    except (ConnectionResetError, EOFError):
        pass  # Some hang up instead of refusing.
    return await asyncio.to_thread(_handshake_with, host, port, timeout)


def _handshake_with(host: str, port: int, timeout: float) -> Shown:
    """The same by a whole handshake: of servers that speak nothing before TLS 1.3.

    Raises:
        RefusedHelloError: The server does not take this either.
        OSError: There is no connection.
    """
    # Loaded for such servers alone, see `hello`; blocking, since asyncio may lack TLS (`lean`).
    import socket
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols([_HTTP2])
    try:
        with (
            socket.create_connection((host, port), timeout) as plain,
            context.wrap_socket(plain, server_hostname=CERTIFICATE_NAME) as tls,
        ):
            return Shown(tls.getpeercert(binary_form=True) or b"", tls.selected_alpn_protocol())
    except ssl.SSLError as error:
        raise RefusedHelloError(0) from error


def _pem(der: bytes) -> bytes:
    lines = base64.encodebytes(der).replace(b"\n", b"")
    rows = [lines[at : at + 64] for at in range(0, len(lines), 64)]
    return b"\n".join([b"-----BEGIN CERTIFICATE-----", *rows, b"-----END CERTIFICATE-----", b""])


def _unreachable(address: str, detail: str) -> HostUnreachableError:
    return HostUnreachableError(
        "UNREACHABLE",
        code=grpc.StatusCode.UNAVAILABLE,
        sentence=_(
            "Nobody answers at {address}; check the address, that the host runs, and that no"
            " firewall is in between."
        ).format(address=address),
        detail=detail,
    )


def no_host(address: str) -> IncompatibleHostError:
    """Something answers there that is none of ours."""
    return IncompatibleHostError(
        "NOT_A_HOST",
        code=grpc.StatusCode.UNIMPLEMENTED,
        sentence=_(
            "Something answers at {address}, but it is no Genial host; check the port."
        ).format(address=address),
    )


class Trust(StrEnum):
    """Why a host is trusted."""

    TYPED = "typed"
    REMEMBERED = "remembered"
    CONFIRMED = "confirmed"
    NEW = "new"
    """Nobody has vouched for it yet; it gets no password."""


@dataclass(frozen=True, slots=True)
class FirstContact:
    """A host that is not known yet, or not by that certificate, for the person to look at.

    Attributes:
        host_id: Its id.
        name: What it calls itself.
        address: Where it answers.
        fingerprint: Of its certificate, 64 lower-case hex digits.
        password_waits: Whether a password will be sent if it is confirmed.
    """

    host_id: str
    name: str
    address: str
    fingerprint: str
    password_waits: bool


class Greeting(StrEnum):
    """What the person says to a host that is new."""

    CONFIRM = "confirm"
    """The fingerprint was compared: it is the right host."""
    REMEMBER = "remember"
    """It was shown; let it be the one from now on."""
    REFUSE = "refuse"


Greeter = Callable[[FirstContact], Awaitable[Greeting]]

Accepter = Callable[[FirstContact, KnownHost], Awaitable[bool]]
"""Asks whether what a known host shows now, another certificate than before, is its own; may
raise `not_trusted` for a clear no. Only what a person has typed on purpose is a yes."""


async def remember_silently(_contact: FirstContact) -> Greeting:
    """Remembers a new host without a word, for programs without anybody to ask."""
    return Greeting.REMEMBER


@dataclass(frozen=True, slots=True)
class Access:
    """How a person wants to reach hosts.

    Attributes:
        plaintext: Without encryption.
        fingerprint: The only one to accept, 64 lower-case hex digits; None: as remembered,
            else as announced.
        password: Of the host; None where it asks for none. Not in the repr.
        greeter: Shows a host that is new.
        accepter: Asks about a host that shows another certificate than before; None: there is
            nobody to ask, and it is refused.
        known: Hosts that are remembered; None: those of the store that is used.
        places: Where hosts have answered before; None: those of the store that is used.
    """

    plaintext: bool = False
    fingerprint: str | None = None
    password: str | None = field(default=None, repr=False)
    greeter: Greeter = remember_silently
    accepter: Accepter | None = None
    known: KnownHosts | None = None
    places: Whereabouts | None = None


def judge(
    shown: str, *, where: str, typed: str | None, remembered: str | None, announced: str | None
) -> Trust:
    """Whether the certificate shown may be trusted.

    What the person types overrules what is remembered, that overrules what anybody on the
    network may announce.

    Args:
        shown: Fingerprint of the certificate that the host showed.
        where: The host, for sentences.
        typed: What the person said it must be.
        remembered: What it was before.
        announced: What the host says of itself by mDNS.

    Raises:
        WrongFingerprintError: It is not the one typed, or a new host's announced one.
        CertificateChangedError: It is not the one remembered, and none was typed.
    """
    if typed is not None:
        if typed == shown:
            return Trust.TYPED
        raise WrongFingerprintError(
            _(
                "The host at {where} is not the one you asked for: its certificate has the"
                " fingerprint {shown}, not {expected}. Nothing was sent to it. Check the"
                " fingerprint with the host's owner."
            ).format(where=where, shown=shown, expected=typed),
            shown=shown,
            expected=typed,
        )
    if remembered is not None:
        if remembered == shown:
            return Trust.REMEMBERED
        raise CertificateChangedError(
            _(
                "The host at {where} shows another certificate than before: {shown} in place of"
                " {expected}. Either its owner has set it up anew, or somebody else answers in its"
                " place, who would get your seat. Nothing was sent to it. Ask the owner for the"
                " fingerprint; if it is the new one, accept it with --fingerprint {shown}"
            ).format(where=where, shown=shown, expected=remembered),
            shown=shown,
            expected=remembered,
        )
    if announced is not None and announced != shown:
        raise WrongFingerprintError(
            _(
                "The host at {where} shows a certificate ({shown}) that does not fit its"
                " announcement ({expected}): one of the two is somebody else's. Nothing was sent"
                " to it. Ask the host's owner for the fingerprint and give it with --fingerprint."
            ).format(where=where, shown=shown, expected=announced),
            shown=shown,
            expected=announced,
        )
    return Trust.NEW


async def meet(
    contact: FirstContact, known: KnownHosts, access: Access, announced: str | None
) -> Trust:
    """Judges a host that has said who it is, and remembers it.

    Raises:
        WrongFingerprintError: See `judge`.
        CertificateChangedError: See `judge`; nobody has accepted it.
        UntrustedHostError: The person does not want it.
        StorageError: The list of known hosts cannot be read or written.
    """
    before = known.find(contact.host_id)
    try:
        trust = judge(
            contact.fingerprint,
            where=contact.address,
            typed=access.fingerprint,
            remembered=before.fingerprint if before else None,
            announced=announced,
        )
    except CertificateChangedError:
        if before is None or access.accepter is None:
            raise
        if not await access.accepter(contact, before):
            raise
        trust = Trust.CONFIRMED
    if trust is Trust.NEW:
        greeting = await access.greeter(contact)
        if greeting is Greeting.REFUSE:
            raise not_trusted(contact)
        if greeting is Greeting.CONFIRM:
            trust = Trust.CONFIRMED
    if before is None or before.fingerprint != contact.fingerprint:
        known.remember(contact.host_id, contact.fingerprint, contact.name)
    return trust


def not_trusted(contact: FirstContact) -> UntrustedHostError:
    """The person was shown that host, and does not want it."""
    return UntrustedHostError(
        _(
            "The host at {address} was not trusted, so nothing was sent to it. Ask its"
            " owner for the fingerprint and compare it with {fingerprint}"
        ).format(address=contact.address, fingerprint=contact.fingerprint)
    )


def may_send_password(trust: Trust | None, target_host: str) -> bool:
    """Whether the password may go to a host.

    Args:
        trust: Why it is trusted; None: there is no encryption.
        target_host: Its numerical address. In the open, a password may not leave this machine.
    """
    if trust is None:
        return ipaddress.ip_address(target_host.partition("%")[0]).is_loopback
    return trust is not Trust.NEW


def password_held_back(address: str, fingerprint: str | None) -> PasswordHeldBackError:
    """Why the password was not sent, and what to do.

    Args:
        address: Where the host answers.
        fingerprint: Of its certificate; None: it does not encrypt.
    """
    if fingerprint is None:
        return PasswordHeldBackError(
            _(
                "The password was not sent to {address}, because without encryption everybody on"
                " the network could read it. Leave out --plaintext."
            ).format(address=address)
        )
    return PasswordHeldBackError(
        _(
            "The password was not sent, because the host at {address} is new here. Its fingerprint"
            " is {fingerprint}. If its owner shows the same one, repeat the command: the host is"
            " remembered now."
        ).format(address=address, fingerprint=fingerprint),
        shown=fingerprint,
    )


def password_needed(address: str) -> PasswordNeededError:
    """Why nobody gets in without a password, and how to give one."""
    return PasswordNeededError(
        _(
            "The host at {address} asks for a password. Give it with --password-file FILE, or in"
            " the environment as GENIAL_PASSWORD."
        ).format(address=address)
    )
