"""A host as it was found on the network: one row, however many interfaces it was seen on."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from genial.client.addresses import address_of, target
from genial.client.race import in_order
from genial.client.text import printable
from genial.wire.announcement import Announcement

MOST_ADDRESSES: Final = 16
"""Of one announcement; more are nobody's, and trying them all would take forever."""


@dataclass(frozen=True, slots=True)
class FoundHost:
    """One host of the network, however many interfaces it was seen on.

    Attributes:
        host_id: Its own, for good.
        name: For people, not unique.
        addresses: As announced, the likeliest to answer first; link-local ones with their zone.
        port: Where it listens.
        fingerprint: Of its certificate, None with plaintext.
        tables: Tables not finished, as announced.
        open_seats: Seats to take, as announced.
        version: Protocol version.
        reachable: Whether it answered the last time it was asked, None: not asked yet.
        answered_at: Target of `addresses.target` that answered last, None if none did.
        silent_since: `time.monotonic()` in seconds of when it stopped answering (or was
            found, if it never did); None while it answers.
        others: Further targets, of other announcements of the same host.
    """

    host_id: str
    name: str
    addresses: tuple[str, ...]
    port: int
    fingerprint: str | None
    tables: int
    open_seats: int
    version: str
    reachable: bool | None = None
    answered_at: str | None = None
    silent_since: float | None = None
    others: tuple[str, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        """Where to connect to, the most promising first."""
        announced = [target(address, self.port) for address in self.addresses]
        return tuple(in_order([*announced, *self.others], [self.answered_at or ""]))

    @property
    def address(self) -> str:
        """Where to connect to, as it can be typed; the id where nothing is known."""
        return address_of(self.targets[0]) if self.targets else self.host_id


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one announcement says."""

    announcement: Announcement
    addresses: tuple[str, ...]
    port: int

    @property
    def key(self) -> tuple[str, str | None]:
        """What makes two announcements one host's: an impostor has not the certificate."""
        return self.announcement.host_id, self.announcement.fingerprint


def merged(sightings: Iterable[Sighting], before: FoundHost | None = None) -> FoundHost:
    """One row of everything that a host announces; the newest says name, numbers and port.

    Args:
        sightings: Oldest first, at least one.
        before: The row as it was, for what was learnt by asking.
    """
    *older, newest = sightings
    said = newest.announcement
    known = before or FoundHost("", "", (), 0, None, 0, 0, "")
    return replace(
        known,
        host_id=said.host_id,
        name=printable(said.name),
        addresses=newest.addresses,
        port=newest.port,
        fingerprint=said.fingerprint,
        tables=said.tables,
        open_seats=said.open_seats,
        version=said.version,
        others=tuple(
            target(address, sighting.port) for sighting in older for address in sighting.addresses
        ),
    )


def likeliest_first(
    addresses: Iterable[str], lies_near: Callable[[str], bool] = lambda _: False
) -> tuple[str, ...]:
    """Each once: those in a network of ours first, IPv4 before IPv6 before link-local.

    Args:
        addresses: As announced; what is no address is left out.
        lies_near: Whether this machine is in the address's network.
    """

    def rank(address: str) -> tuple[bool, bool, bool]:
        number = ipaddress.ip_address(address)
        return number.is_link_local, not lies_near(address), number.version == 6

    return tuple(sorted(dict.fromkeys(addresses), key=rank)[:MOST_ADDRESSES])
