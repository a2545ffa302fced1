"""From addresses to a channel: the first that answers, encrypted, and trusted before it is used.

    reached = await reach(targets, "10.0.0.7:7718", access=Access(), known=store.known_hosts)

The addresses run a race (see `race`): each certificate is fetched, then pinned as the only root
of the channel, and over that the host is asked who it is. Whoever it is then passes
`trust.meet`, before anything secret is sent. When nobody answers, the error lists what was tried
and what came of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import grpc

from genial.client.addresses import Endpoint, address_of, parse_address
from genial.client.channel import Secret, from_rpc, open_channel
from genial.client.errors import (
    EncryptedHostError,
    GenialError,
    PasswordNeededError,
    PlaintextHostError,
)
from genial.client.known_hosts import KnownHosts
from genial.client.race import in_order, race
from genial.client.text import _, printable
from genial.client.trust import (
    Access,
    Certificate,
    FirstContact,
    Trust,
    fetch_certificate,
    judge,
    may_send_password,
    meet,
    no_host,
    password_held_back,
    password_needed,
)
from genial.client.unreached import Outcome, nobody, other_host, outcome_of
from genial.client.versions import protocol_fault
from genial.v1.lobby_service_pb2 import GetHostRequest, GetHostResponse
from genial.v1.lobby_service_pb2_grpc import LobbyServiceStub
from genial.v1.table_pb2 import Host


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
    worked: Sequence[str] = (),
    host_id: str | None = None,
) -> Reached:
    """Connects to a host and judges it.

    Args:
        targets: Its addresses, as `addresses.target` gives them, best first.
        address: As the person typed it, for sentences.
        access: How it is to be reached.
        known: Hosts that are remembered.
        timeout: Seconds for each address.
        announced: The fingerprint that its announcement gives, if it was found by one.
        worked: Those of its addresses that answered before, newest first.
        host_id: Which host it has to be; None: whoever answers there.

    Raises:
        HostUnreachableError: Nobody answers.
        IncompatibleHostError: Somebody answers who speaks something else.
        TrustError: It is not to be trusted, in one of the ways of `errors`.
        StorageError: The known hosts cannot be read or written.
    """
    answer = await _first_answer(in_order(targets, worked), address, access, timeout, host_id)
    try:
        fault = protocol_fault(answer.host.protocol, answer.host.software, address)
        if fault is not None:
            raise fault
        trust = await _judge(answer, access, known, announced)
        _hand_over_password(answer, access, trust)
    except BaseException:
        await answer.channel.close()
        raise
    fingerprint = answer.certificate.fingerprint if answer.certificate else None
    return Reached(answer.channel, answer.target, answer.host, fingerprint, trust)


async def open_pinned(
    target: str,
    fingerprint: str | None,
    *,
    timeout: float,
    options: Sequence[tuple[str, int | str]] = (),
) -> grpc.aio.Channel:
    """A channel to an address where one certificate is expected, to ask something harmless.

    Args:
        target: The address.
        fingerprint: The only one that will do; None: without encryption.
        timeout: Seconds for the certificate to be shown.
        options: As `open_channel` takes them.

    Raises:
        WrongFingerprintError: Another one is shown.
        GenialError: None is shown.
    """
    if fingerprint is None:
        return open_channel(target, options=options)
    certificate = await _fetch(target, timeout)
    where = address_of(target)
    judge(certificate.fingerprint, where=where, typed=fingerprint, remembered=None, announced=None)
    return open_channel(target, certificate, options=options)


async def _fetch(target: str, timeout: float) -> Certificate:
    endpoint = _endpoint(target)
    return await fetch_certificate(endpoint.host, endpoint.port, timeout)


def _endpoint(target: str) -> Endpoint:
    endpoint = parse_address(address_of(target))
    if not isinstance(endpoint, Endpoint):
        raise TypeError(f"{target} is no numerical address")
    return endpoint


async def _first_answer(
    targets: Sequence[str], address: str, access: Access, timeout: float, host_id: str | None
) -> _Answer:
    async def ask(target: str) -> _Answer:
        certificate = None
        if not access.plaintext:
            try:
                certificate = await _fetch(target, timeout)
            except PlaintextHostError:
                if await _is_host(target, timeout):
                    raise
                raise no_host(address_of(target)) from None
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
            answer = await _who_is_it(channel, timeout)
            if host_id is not None and answer.host.host_id != host_id:
                raise other_host(address_of(target))
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

    async def too_late(answer: _Answer) -> None:
        await answer.channel.close()

    try:
        return await race([attempt(target) for target in targets], late=too_late)
    except BaseExceptionGroup as group:
        failures = [error for error in group.exceptions if isinstance(error, GenialError)]
        if len(failures) < len(group.exceptions):
            raise
    raise nobody(failures, [address_of(target) for target in targets], address)


async def _who_is_it(channel: grpc.aio.Channel, timeout: float) -> GetHostResponse:
    """What the host says of itself; asked on through silence: a bad cable loses first words.

    Whoever refuses is taken at its word at once.
    """
    loop = asyncio.get_running_loop()
    ends = loop.time() + timeout
    stub = LobbyServiceStub(channel)
    try:
        answer: GetHostResponse = await stub.GetHost(GetHostRequest(), timeout=timeout)
    except grpc.aio.AioRpcError as error:
        left = ends - loop.time()
        if left <= 0 or outcome_of(from_rpc(error)) is not Outcome.SILENT:
            raise
        # gRPC gave up its first attempt to connect; this way it makes as many as there is time for.
        answer = await stub.GetHost(GetHostRequest(), timeout=left, wait_for_ready=True)
    return answer


async def _is_host(target: str, timeout: float) -> bool:
    """Whether a host answers there that does not encrypt: it is asked who it is, and no more."""
    channel = open_channel(target)
    try:
        await LobbyServiceStub(channel).GetHost(GetHostRequest(), timeout=timeout)
    except grpc.aio.AioRpcError:
        return False
    finally:
        await channel.close()
    return True


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
    fingerprint = answer.certificate.fingerprint if answer.certificate else None
    if access.password is None or answer.password is None:
        needed = password_needed(where).sentence
        # Whoever asks a person for it says for whom, and gives it to this certificate alone.
        name = printable(answer.host.name)
        raise PasswordNeededError(needed, name=name, shown=fingerprint or "")
    if not may_send_password(trust, _endpoint(answer.target).host):
        raise password_held_back(where, fingerprint)
    answer.password.password = access.password
