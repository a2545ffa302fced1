"""Hosts: those that are found, one on this computer, and one that is to be reached."""

from __future__ import annotations

import asyncio
import errno
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

import grpc

from genial.client.addresses import (
    Endpoint,
    address_of,
    parse_address,
    socket_addresses,
)
from genial.client.around import look_around
from genial.client.browse import find_host
from genial.client.channel import from_rpc
from genial.client.doctor.clock import compared_clocks
from genial.client.doctor.findings import Finding, Verdict
from genial.client.errors import AddressError, GenialError, TrustError, UnsearchableError
from genial.client.known_hosts import KnownHost, KnownHosts
from genial.client.reach import Reached, reach
from genial.client.text import _, ngettext, printable
from genial.client.trust import Access
from genial.client.unreached import Outcome, outcome_of
from genial.client.versions import protocol_hint, who_is_older
from genial.v1.lobby_service_pb2 import GetHostRequest
from genial.v1.lobby_service_pb2_grpc import LobbyServiceStub
from genial.wire.announcement import DEFAULT_PORT
from genial.wire.networks import list_adapters, on_link

HOSTS: Final = "hosts"
HOST: Final = "host"
OWN_PORT: Final = f"port {DEFAULT_PORT}"

_SECONDS: Final = 4.0
_CALLS: Final = 5


async def examine_hosts(seconds: float) -> list[Finding]:
    """Who is found by mDNS in that many seconds, and whether they answer."""
    found, problem = await look_around(seconds)
    if problem:
        return [Finding(HOSTS, Verdict.BAD, problem)]
    if not found:
        return [
            Finding(
                HOSTS,
                Verdict.NOTE,
                _("No host was found in {seconds} seconds.").format(seconds=f"{seconds:g}"),
                _(
                    "Start one with `genial play` or `genial host`; if one runs elsewhere, run"
                    " `genial doctor` there, too, and try `genial doctor ADDRESS` here."
                ),
            )
        ]
    findings = []
    live = [host for host in found if host.reachable]
    if live:
        shown = "; ".join(f"{host.name} ({host.address})" for host in live)
        findings.append(
            Finding(
                HOSTS,
                Verdict.GOOD,
                ngettext(
                    "{count} host answers: {hosts}", "{count} hosts answer: {hosts}", len(live)
                ).format(count=len(live), hosts=shown),
            )
        )
    findings.extend(
        Finding(HOSTS, Verdict.NOTE, f"{host.name} {hint}")
        for host in live
        if (hint := protocol_hint(host.version))
    )
    for host in found:
        if not host.reachable:
            tried = ", ".join(address_of(target) for target in host.targets)
            findings.append(
                Finding(
                    HOSTS,
                    Verdict.BAD,
                    _("{host} is announced but answers at none of its addresses ({tried}).").format(
                        host=host.name, tried=tried
                    ),
                    _(
                        "It was switched off, or a firewall on its laptop closes the port: run"
                        " `genial doctor` there. If it has gone, its row disappears by itself."
                    ),
                )
            )
    return findings


async def examine_own_port() -> list[Finding]:
    """Whether a host could listen here, or listens already."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(("", DEFAULT_PORT))
            trial.listen(1)
    except OSError as fault:
        if fault.errno != errno.EADDRINUSE:
            return [Finding(OWN_PORT, Verdict.NOTE, fault.strerror or str(fault))]
    else:
        return [
            Finding(
                OWN_PORT,
                Verdict.GOOD,
                _("TCP port {port} is free; no host runs on it here.").format(port=DEFAULT_PORT),
            )
        ]
    here = [f"ipv4:127.0.0.1:{DEFAULT_PORT}"]
    for access in (Access(), Access(plaintext=True)):
        try:
            reached = await reach(
                here,
                f"127.0.0.1:{DEFAULT_PORT}",
                access=access,
                known=KnownHosts(),
                timeout=_SECONDS,
            )
        except GenialError:
            continue  # Encrypted or not, it may still be one of ours.
        await reached.channel.close()
        return [
            Finding(
                OWN_PORT,
                Verdict.GOOD,
                _("The host {host} of this computer listens on TCP port {port}.").format(
                    host=printable(reached.host.name), port=DEFAULT_PORT
                ),
            )
        ]
    return [
        Finding(
            OWN_PORT,
            Verdict.NOTE,
            _("Another program has TCP port {port}.").format(port=DEFAULT_PORT),
            _("`genial play` takes another port by itself; `genial host` with --port."),
        )
    ]


async def examine_host(address: str, access: Access, known: KnownHosts) -> list[Finding]:
    """Whether a host is reached, step by step: name, each address, certificate, version, clock.

    Args:
        address: As a person types it.
        access: How it is to be reached. No password is sent.
        known: Hosts that are remembered; nothing is added.
    """
    try:
        targets = await _targets(address)
    except AddressError as error:
        return [Finding(HOST, Verdict.BAD, error.sentence)]
    private = replace(access, password=None, known=_Frozen(known), accepter=None)
    outcomes = await asyncio.gather(*(_attempt(target, private) for target in targets))
    near = on_link(await asyncio.get_running_loop().run_in_executor(None, list_adapters))
    findings: list[Finding] = []
    reached = [each for each in outcomes if isinstance(each, Reached)]
    try:
        for target, outcome in zip(targets, outcomes, strict=True):
            findings.append(_attempted(target, outcome, near, some=bool(reached)))
        if reached:
            findings += await _met(reached[0])
    finally:
        for each in reached:
            await each.channel.close()
    return findings


class _Frozen(KnownHosts):
    """What is remembered, for comparing; nothing is added to it."""

    def __init__(self, known: KnownHosts) -> None:
        super().__init__()
        self._original = known

    def find(self, host_id: str) -> KnownHost | None:
        return self._original.find(host_id)


async def _targets(address: str) -> list[str]:
    where = parse_address(address)
    if isinstance(where, Endpoint):
        return await socket_addresses(where)
    try:
        found = await find_host(where.text)
    except UnsearchableError:
        if where.endpoint is None:
            raise
        found = None
    if found is not None:
        return list(found.targets)
    if where.endpoint is not None:
        return await socket_addresses(where.endpoint)
    raise AddressError(
        _("No host on this network announces the id or name {name}.").format(name=where.text)
    )


async def _attempt(target: str, access: Access) -> Reached | GenialError:
    assert access.known is not None
    try:
        return await reach(
            [target], address_of(target), access=access, known=access.known, timeout=_SECONDS
        )
    except GenialError as error:
        return error


def _attempted(
    target: str, outcome: Reached | GenialError, near: Callable[[str], bool], *, some: bool
) -> Finding:
    address = address_of(target)
    if isinstance(outcome, Reached):
        return Finding(
            HOST,
            Verdict.GOOD,
            _("{address}: {host} answers.").format(
                address=address, host=printable(outcome.host.name)
            ),
        )
    if isinstance(outcome, TrustError) or outcome.reason in ("PROTOCOL", "NOT_A_HOST"):
        return Finding(HOST, Verdict.BAD, outcome.sentence)
    why = outcome_of(outcome)
    what = f"{address}: {_(why)}."
    if some:
        # One address that works is enough; the others are a VPN's, or a container's.
        return Finding(HOST, Verdict.NOTE, what)
    place = parse_address(address)
    if why is Outcome.NO_WAY and isinstance(place, Endpoint) and near(place.host):
        return Finding(
            HOST,
            Verdict.BAD,
            what,
            _(
                "By its address it should be in this very network. Either it is off, or has another"
                " address by now (its title bar shows it), or the network keeps laptops apart, as"
                " guest Wi-Fi does."
            ),
        )
    advice = _(
        "Is the address right, and does the host still run? Are both in the same network? Does a"
        " firewall on the host's laptop close TCP port {port}? `genial doctor` there says more."
    ).format(port=address.rpartition(":")[2])
    return Finding(HOST, Verdict.BAD, what, advice)


async def _met(reached: Reached) -> list[Finding]:
    host = reached.host
    findings = [
        Finding(
            HOST,
            Verdict.GOOD,
            _("It is encrypted; the certificate has the fingerprint {fingerprint}").format(
                fingerprint=reached.fingerprint
            )
            if reached.fingerprint
            else _("It does not encrypt: everybody on the network can read along."),
        )
    ]
    advice = who_is_older(host.software)
    findings.append(
        Finding(
            HOST,
            Verdict.NOTE if advice else Verdict.GOOD,
            _("It runs {software} ({protocol}).").format(
                software=printable(host.software), protocol=printable(host.protocol)
            ),
            advice,
        )
    )
    if host.password_required:
        findings.append(
            Finding(
                HOST,
                Verdict.NOTE,
                _("It asks for a password."),
                _("Give it with --password-file FILE, or in the environment as GENIAL_PASSWORD."),
            )
        )
    stub = LobbyServiceStub(reached.channel)
    times = []
    try:
        for _number in range(_CALLS):
            before = time.perf_counter()
            await stub.GetHost(GetHostRequest(), timeout=_SECONDS)
            times.append(time.perf_counter() - before)
    except grpc.aio.AioRpcError as error:
        return [*findings, Finding(HOST, Verdict.BAD, from_rpc(error).sentence)]
    findings.append(
        Finding(
            HOST,
            Verdict.GOOD,
            _("An answer takes {milliseconds} ms.").format(
                milliseconds=f"{sorted(times)[_CALLS // 2] * 1000:.1f}"
            ),
        )
    )
    if host.HasField("now"):
        said = compared_clocks(host.now.ToDatetime(UTC), datetime.now(UTC))
        findings += [] if said is None else [said]
    return findings
