"""Everybody who hosts within reach, asked once: found by mDNS, or named as a neighbour.

`finder` keeps such a list current for the screen; this is for commands that look once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

import grpc

from genial.client.addresses import Endpoint, address_of, parse_address, socket_addresses
from genial.client.browse import Browser
from genial.client.channel import from_rpc, open_channel
from genial.client.errors import GenialError, PlaintextHostError
from genial.client.found import FoundHost
from genial.client.reach import open_pinned
from genial.client.text import printable
from genial.client.trust import fetch_certificate
from genial.v1.lobby_service_pb2 import GetHostRequest
from genial.v1.lobby_service_pb2_grpc import LobbyServiceStub
from genial.v1.table_pb2 import Host

LOOK_SECONDS: Final = 2.0
"""Hosts answer within a tenth of a second; a lost packet is asked for again after one."""
_ASK_SECONDS: Final = 3.0
_MOST_NEIGHBOURS: Final = 64


async def look_around(seconds: float = LOOK_SECONDS) -> tuple[tuple[FoundHost, ...], str]:
    """Looks for that long, then asks each host found whether it lives, and for its neighbours.

    Returns:
        The hosts, by name; and why none can be found by mDNS, if so.
    """
    async with Browser() as browser:
        await browser.look(seconds)
        await browser.all_asked()
        found, problem = browser.hosts, browser.problem
    everybody = [*found, *await neighbours_of(found)]
    return tuple(sorted(everybody, key=lambda host: (host.name.casefold(), host.host_id))), problem


async def neighbours_of(hosts: Iterable[FoundHost]) -> list[FoundHost]:
    """The hosts that these name as their neighbours, and theirs, as far as they answer."""
    ids = {host.host_id for host in hosts}
    asked: set[str] = set()
    met: list[FoundHost] = []
    invited = await _invited_by([host for host in hosts if host.reachable])
    while fresh := [address for address in invited if address not in asked]:
        fresh = fresh[: _MOST_NEIGHBOURS - len(asked)]
        if not fresh:
            break
        asked.update(fresh)
        invited = []
        for answer in await asyncio.gather(*map(_meet, fresh)):
            if answer is None:
                continue
            host, row = answer
            invited += [neighbour.address for neighbour in host.neighbours]
            if row.host_id not in ids:
                ids.add(row.host_id)
                met.append(row)
    return met


async def _invited_by(hosts: Iterable[FoundHost]) -> list[str]:
    async def ask(host: FoundHost) -> list[str]:
        try:
            channel = await open_pinned(host.targets[0], host.fingerprint, timeout=_ASK_SECONDS)
            answer = await _ask(channel)
        except GenialError:
            return []  # It lived a moment ago; that it has neighbours is nobody's worry now.
        return [neighbour.address for neighbour in answer.neighbours]

    return [address for some in await asyncio.gather(*map(ask, hosts)) for address in some]


async def _meet(address: str) -> tuple[Host, FoundHost] | None:
    """Who answers at a neighbour's address; nothing is remembered, and nothing secret sent."""
    try:
        endpoint = parse_address(address)
        if not isinstance(endpoint, Endpoint):
            return None
        target = (await socket_addresses(endpoint))[0]
        place = parse_address(address_of(target))
        assert isinstance(place, Endpoint)
        fingerprint = None
        try:
            certificate = await fetch_certificate(place.host, place.port, _ASK_SECONDS)
        except PlaintextHostError:
            host = await _ask(open_channel(target))
        else:
            fingerprint = certificate.fingerprint
            host = await _ask(open_channel(target, certificate))
    except GenialError:
        return None  # A neighbour who has gone home is simply not listed.
    return host, FoundHost(
        host.host_id,
        printable(host.name),
        (place.host,),
        place.port,
        fingerprint,
        host.tables,
        host.open_seats,
        host.protocol,
        reachable=True,
        answered_at=target,
    )


async def _ask(channel: grpc.aio.Channel) -> Host:
    try:
        answer = await LobbyServiceStub(channel).GetHost(GetHostRequest(), timeout=_ASK_SECONDS)
    except grpc.aio.AioRpcError as error:
        raise from_rpc(error) from error
    finally:
        await channel.close()
    return answer.host
