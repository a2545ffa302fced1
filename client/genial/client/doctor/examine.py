"""All the checks together.

findings = await examine("192.168.1.20")       # `genial doctor`, everything
findings = await examine_network()             # behind the list that stays empty

Each check is loaded when it is asked for: the list of tables knows of this all the time, and
mostly needs none of it.
"""

from __future__ import annotations

import asyncio

from genial.client.doctor.findings import Finding
from genial.client.known_hosts import KnownHosts
from genial.client.trust import Access
from genial.wire.networks import list_adapters


async def examine_network() -> list[Finding]:
    """Adapters, multicast, port 5353, firewalls: what finding anybody depends on."""
    from genial.client.doctor.firewalls import examine_firewalls
    from genial.client.doctor.multicast import examine_multicast
    from genial.client.doctor.networks import examine_adapters

    loop = asyncio.get_running_loop()
    try:
        adapters = await loop.run_in_executor(None, list_adapters)
    except OSError as fault:
        return examine_adapters([], fault)
    firewalls = loop.run_in_executor(None, examine_firewalls)
    return [
        *examine_adapters(adapters),
        *await examine_multicast(adapters),
        *await firewalls,
    ]


async def examine(
    address: str | None, *, access: Access, known: KnownHosts, look_seconds: float = 2.5
) -> list[Finding]:
    """Everything, as `genial doctor` tells it.

    Args:
        address: A host that is to be reached, if any.
        access: How it is to be reached. No password is sent.
        known: Hosts that are remembered; nothing is added.
        look_seconds: How long to look for hosts.
    """
    from genial.client.doctor.clock import examine_clock
    from genial.client.doctor.hosts import examine_host, examine_hosts, examine_own_port
    from genial.client.doctor.terminal import examine_terminal
    from genial.client.doctor.versions import examine_versions

    network = asyncio.create_task(examine_network())
    hosts = asyncio.create_task(examine_hosts(look_seconds))
    here = [
        *examine_versions(),
        *examine_terminal(),
        *examine_clock(),
    ]
    found = [*await network, *await examine_own_port(), *await hosts]
    if address is not None:
        found += await examine_host(address, access, known)
    return [*found, *here]
