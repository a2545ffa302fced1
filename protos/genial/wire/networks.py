"""This machine's networks, and when they change.

Both ends of mDNS need this: a host announces itself on every network, a client looks on every
one, and mDNS itself notices neither a new Wi-Fi, nor a cable, nor that the laptop has slept.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv6Address,
    IPv6Interface,
    ip_address,
    ip_interface,
)
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import ifaddr

log = logging.getLogger(__name__)

POLL_SECONDS: Final = 2.0
"""Between two looks at the adapters."""
_SECOND_LOOK: Final = 0.25
"""Part of that after which a change is looked at again; it counts once it is seen twice."""
_SLEPT_SECONDS: Final = 4.0
"""A look that comes this much later than it should: the machine has slept meanwhile."""

Address = IPv4Address | IPv6Address
Interface = IPv4Interface | IPv6Interface


@dataclass(frozen=True, slots=True)
class Adapter:
    """One network adapter with its addresses.

    Attributes:
        name: As the system calls it, for people.
        interfaces: Its addresses, each with the network that it is in.
    """

    name: str
    interfaces: tuple[Interface, ...]

    @property
    def usable(self) -> tuple[str, ...]:
        """Addresses that others might reach, as text; IPv6 link-local ones with their scope."""
        return tuple(_text(each) for each in self.interfaces if is_usable(each.ip))


class Adapters(Protocol):
    """Says which addresses this machine has; tests bring their own."""

    def __call__(self) -> frozenset[str]:
        """Addresses as text, IPv6 link-local ones with their scope. Blocks for a moment."""
        ...


def list_adapters() -> list[Adapter]:
    """Every adapter with its addresses, loopback and all. Blocks for a moment.

    Raises:
        OSError: The system does not tell.
    """
    # It loads ctypes, which a client that was told an address has no use for.
    import ifaddr

    return [
        Adapter(
            adapter.nice_name,
            tuple(read for entry in adapter.ips if (read := _interface(entry)) is not None),
        )
        for adapter in ifaddr.get_adapters()
    ]


def _interface(entry: ifaddr.IP) -> Interface | None:
    if isinstance(entry.ip, str):
        text = entry.ip
    else:
        host, _flow, scope = entry.ip
        text = f"{host}%{scope}" if scope else host
    try:
        return ip_interface(f"{text}/{entry.network_prefix}")
    except ValueError:
        log.debug("an adapter has an address that is none: %r", text)
        return None


def _text(interface: Interface) -> str:
    # Asked for its address alone, an IPv6 interface leaves its scope out.
    scope = interface.scope_id if isinstance(interface, IPv6Interface) else None
    return f"{interface.ip}%{scope}" if scope else str(interface.ip)


def is_usable(address: Address) -> bool:
    """Whether others might reach this machine by that address."""
    return not (address.is_loopback or address.is_unspecified or address.is_multicast)


def usable_addresses() -> frozenset[str]:
    """This machine's addresses that others might reach, loopback left out."""
    return frozenset(text for adapter in list_adapters() for text in adapter.usable)


def on_link(adapters: Iterable[Adapter]) -> Callable[[str], bool]:
    """Says of an address whether it lies in a network that this machine is in itself.

    Those answer without any router; what a VPN or a container announces mostly does not.
    """
    networks = [
        each.network
        for adapter in adapters
        for each in adapter.interfaces
        if is_usable(each.ip) and not each.ip.is_link_local
    ]

    def lies_near(text: str) -> bool:
        address = ip_address(text)
        # A scope says itself which adapter it belongs to.
        return any(
            network.version == address.version and address in network for network in networks
        )

    return lies_near


def best_first(addresses: Iterable[str]) -> list[str]:
    """Addresses, those first that a person on the network most likely reaches and can type."""

    def order(text: str) -> tuple[bool, bool, bool, str]:
        address = ip_address(text)
        # Docker's and other bridges live here by default, and nobody outside reaches them.
        bridged = isinstance(address, IPv4Address) and text.startswith("172.17.")
        return (address.version == 6, address.is_link_local, bridged, text)

    return sorted(addresses, key=order)


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the networks, once it is settled.

    Attributes:
        addresses: What the machine has now.
        changed: Whether that is other than at the look before; at the first look, too.
        woke: Whether the machine seems to have slept since: what was known of the networks,
            and what the networks know of this machine, may be stale.
    """

    addresses: frozenset[str]
    changed: bool
    woke: bool = False


async def watch_networks(
    adapters: Adapters = usable_addresses, *, poll: float = POLL_SECONDS
) -> AsyncGenerator[Look]:
    """Looks again and again, off the event loop; never ends by itself.

    A network that comes and goes within one look changes nothing.

    Args:
        adapters: See `Adapters`.
        poll: Seconds between two looks.
    """
    loop = asyncio.get_running_loop()
    known: frozenset[str] | None = None
    glimpsed: frozenset[str] | None = None
    slept = False
    while True:
        try:
            seen = await loop.run_in_executor(None, adapters)
        except OSError as fault:
            log.warning("the network adapters cannot be listed: %s", fault)
            seen = known or frozenset()
        settled = known is None or seen in (known, glimpsed)
        glimpsed = seen
        if settled:
            yield Look(seen, seen != known, slept)
            known, slept = seen, False
        pause = poll if settled else poll * _SECOND_LOOK
        before = _clocks()
        await asyncio.sleep(pause)
        passed = max(now - then for now, then in zip(_clocks(), before, strict=True))
        slept = slept or passed > pause + _SLEPT_SECONDS


def _clocks() -> tuple[float, float]:
    """Both, because which of them stands still in a sleeping laptop depends on the system."""
    return time.monotonic(), time.time()
