"""From addresses to a channel: the first that answers, encrypted, and trusted before it is used.

    reached = await reach(targets, "10.0.0.7:7718", access=Access(), known=store.known_hosts)

Every address is tried at once, nearly: each certificate is fetched, then pinned as the only root
of the channel, and over that the host is asked who it is. Whoever it is then passes
`trust.meet`, before anything secret is sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

import grpc

from genial.client.addresses import Endpoint, address_of, parse_address
from genial.client.channel import Secret, first_success, from_rpc, open_channel
from genial.client.errors import (
    EncryptedHostError,
    GenialError,
    HostUnreachableError,
    IncompatibleHostError,
    TrustError,
)
from genial.client.text import _, printable
from genial.client.trust import (
    Access,
    Certificate,
    FirstContact,
    KnownHosts,
    Trust,
    fetch_certificate,
    judge,
    may_send_password,
    meet,
    password_held_back,
    password_needed,
)
from genial.v1.lobby_service_pb2 import GetHostRequest
from genial.v1.lobby_service_pb2_grpc import LobbyServiceStub
from genial.v1.table_pb2 import Host
from genial.wire.announcement import PROTOCOL

STAGGER_SECONDS: Final = 0.15
"""Between one address of a host and the next; dead ones must not hold up the live one."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A host that answered and is trusted.

    Attributes:
        channel: To it; whoever holds this closes it.
        target: The address that answered, as in `addresses.target`.
        host: What it says of itself.
        fingerprint: Of its certificate; None without encryption.
        trust: Why it is trusted; None without encryption.
    """

    channel: grpc.aio.Channel
    target: str
    host: Host
    fingerprint: str | None
    trust: Trust | None


@dataclass(frozen=True, slots=True)
class _Answer:
    channel: grpc.aio.Channel
    target: str
    host: Host
    certificate: Certificate | None
    password: Secret | None


async def reach(
    targets: Sequence[str],
    address: str,
    *,
    access: Access,
    known: KnownHosts,
    timeout: float,
    announced: str | None = None,
) -> Reached:
    """Connects to a host and judges it.

    Args:
        targets: Its addresses, as `addresses.target` gives them, best first.
        address: As the person typed it, for sentences.
        access: How it is to be reached.
        known: Hosts that are remembered.
        timeout: Seconds for each address.
        announced: The fingerprint that its announcement gives, if it was found by one.

    Raises:
        HostUnreachableError: Nobody answers.
        IncompatibleHostError: Somebody answers who speaks something else.
        TrustError: It is not to be trusted, in one of the ways of `errors`.
        StorageError: The known hosts cannot be read or written.
    """
    answer = await _first_answer(targets, address, access, timeout)
    try:
        _check_version(answer.host, address)
        trust = await _judge(answer, access, known, announced)
        _hand_over_password(answer, access, trust)
    except BaseException:
        await answer.channel.close()
        raise
    fingerprint = answer.certificate.fingerprint if answer.certificate else None
    return Reached(answer.channel, answer.target, answer.host, fingerprint, trust)


async def open_pinned(target: str, fingerprint: str | None, *, timeout: float) -> grpc.aio.Channel:
    """A channel to an address where one certificate is expected, to ask something harmless.

    Args:
        target: The address.
        fingerprint: The only one that will do; None: without encryption.
        timeout: Seconds for the certificate to be shown.

    Raises:
        WrongFingerprintError: Another one is shown.
        GenialError: None is shown.
    """
    if fingerprint is None:
        return open_channel(target)
    certificate = await _fetch(target, timeout)
    where = address_of(target)
    judge(certificate.fingerprint, where=where, typed=fingerprint, remembered=None, announced=None)
    return open_channel(target, certificate)


async def _fetch(target: str, timeout: float) -> Certificate:
    endpoint = _endpoint(target)
    return await fetch_certificate(endpoint.host, endpoint.port, timeout)


def _endpoint(target: str) -> Endpoint:
    endpoint = parse_address(address_of(target))
    if not isinstance(endpoint, Endpoint):
        raise TypeError(f"{target} is no numerical address")
    return endpoint


async def _first_answer(
    targets: Sequence[str], address: str, access: Access, timeout: float
) -> _Answer:
    async def ask(target: str) -> _Answer:
        certificate = None
        if not access.plaintext:
            certificate = await _fetch(target, timeout)
            if access.fingerprint is not None:
                # Told at once: who is not the one asked for is not even asked who it is.
                judge(
                    certificate.fingerprint,
                    where=address_of(target),
                    typed=access.fingerprint,
                    remembered=None,
                    announced=None,
                )
        password = None if access.password is None else Secret()
        channel = open_channel(target, certificate, password)
        try:
            answer = await LobbyServiceStub(channel).GetHost(GetHostRequest(), timeout=timeout)
        except grpc.aio.AioRpcError as error:
            await channel.close()
            if access.plaintext:
                await _complain_of_encryption(target, timeout)
            raise from_rpc(error) from error
        except BaseException:
            await channel.close()
            raise
        return _Answer(channel, target, answer.host, certificate, password)

    def attempt(target: str) -> Callable[[], Awaitable[_Answer]]:
        return lambda: ask(target)

    try:
        return await first_success([attempt(target) for target in targets], STAGGER_SECONDS)
    except BaseExceptionGroup as group:
        failures = [error for error in group.exceptions if isinstance(error, GenialError)]
        if len(failures) < len(group.exceptions):
            raise
    raise _most_telling(failures, [address_of(target) for target in targets], address)


async def _complain_of_encryption(target: str, timeout: float) -> None:
    """gRPC says only that the socket was closed; whether it is TLS can be found out.

    Raises:
        EncryptedHostError: It is.
    """
    try:
        certificate = await _fetch(target, timeout)
    except GenialError:
        return  # Then it is something else, and the first failure tells more.
    raise EncryptedHostError(
        _(
            "The host at {address} encrypts, so leave out --plaintext. Its certificate has the"
            " fingerprint {fingerprint}"
        ).format(address=address_of(target), fingerprint=certificate.fingerprint)
    )


def _check_version(host: Host, address: str) -> None:
    if host.protocol != PROTOCOL:
        raise IncompatibleHostError(
            "PROTOCOL",
            code=grpc.StatusCode.UNIMPLEMENTED,
            sentence=_(
                "The host at {address} speaks version {theirs} and this client {ours}; upgrade"
                " the older one of the two."
            ).format(address=address, theirs=host.protocol, ours=PROTOCOL),
        )


async def _judge(
    answer: _Answer, access: Access, known: KnownHosts, announced: str | None
) -> Trust | None:
    if answer.certificate is None:
        return None
    contact = FirstContact(
        answer.host.host_id,
        printable(answer.host.name),
        address_of(answer.target),
        answer.certificate.fingerprint,
        access.password is not None and answer.host.password_required,
    )
    return await meet(contact, known, access, announced)


def _hand_over_password(answer: _Answer, access: Access, trust: Trust | None) -> None:
    if not answer.host.password_required:
        return
    where = address_of(answer.target)
    if access.password is None or answer.password is None:
        raise password_needed(where)
    if not may_send_password(trust, _endpoint(answer.target).host):
        fingerprint = answer.certificate.fingerprint if answer.certificate else None
        raise password_held_back(where, fingerprint)
    answer.password.password = access.password


def _most_telling(
    failures: Sequence[GenialError], tried: Sequence[str], address: str
) -> GenialError:
    """One of several failures, as a sentence that says what to do."""
    for failure in failures:
        if isinstance(failure, TrustError):
            return failure
    for failure in failures:
        if not isinstance(failure, HostUnreachableError | IncompatibleHostError) and (
            failure.reason != "HOST_FAULT"
        ):
            return failure
    where = address if list(tried) == [address] else f"{address} ({', '.join(tried)})"
    details = " ".join(failure.metadata.get("detail", "") for failure in failures).lower()
    silent = all(isinstance(failure, HostUnreachableError) for failure in failures)
    if not silent or "socket closed" in details or "http" in details:
        return IncompatibleHostError(
            "NOT_A_HOST",
            code=grpc.StatusCode.UNIMPLEMENTED,
            sentence=_(
                "Something answers at {address}, but it is no Genial host; check the port."
            ).format(address=where),
        )
    if "refused" in details:
        sentence = _(
            "No host listens at {address}; check the port, and whether the host still runs."
        )
    elif "unreachable" in details or "no route" in details:
        sentence = _(
            "There is no way to {address} from here; check that both are in the same network."
        )
    else:
        sentence = _(
            "Nobody answers at {address}; check the address, that the host runs, and that no"
            " firewall is in between."
        )
    return HostUnreachableError(
        "UNREACHABLE",
        code=grpc.StatusCode.UNAVAILABLE,
        sentence=sentence.format(address=where),
    )
