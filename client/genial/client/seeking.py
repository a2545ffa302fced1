"""Looks for a host that has gone silent, wherever it answers now.

It is known by its id and, with encryption, by its certificate: whoever answers with another one
is not it. Asked are the addresses that it had, those that it announces now, and those where it
was met before.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from genial.client.addresses import Endpoint, address_of, parse_address
from genial.client.errors import AddressError, GenialError, StorageError
from genial.client.known_hosts import KnownHosts
from genial.client.reach import Reached, reach
from genial.client.trust import Access
from genial.client.whereabouts import Whereabouts

_FIRST_PAUSE_SECONDS: Final = 1.0
"""Most lines that are lost are back within a moment, at the same place."""
_LONGEST_PAUSE_SECONDS: Final = 8.0
_REACH_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Seeker:
    """Everything that is known of a host, for finding it again.

    Attributes:
        host_id: Its own, for good.
        access: How it is reached; the fingerprint is the one it showed.
        known: Hosts that are remembered.
        places: Where it was met before.
        targets: Its addresses when it was reached.
    """

    host_id: str
    access: Access
    known: KnownHosts
    places: Whereabouts
    targets: tuple[str, ...]

    @classmethod
    def of(
        cls,
        reached: Reached,
        access: Access,
        known: KnownHosts,
        places: Whereabouts,
        targets: Sequence[str],
    ) -> Self | None:
        """For a host that was reached; None for one on this machine, which does not move."""
        endpoint = parse_address(address_of(reached.target))
        if (
            not isinstance(endpoint, Endpoint)
            or ipaddress.ip_address(endpoint.host.partition("%")[0]).is_loopback
        ):
            return None
        pinned = replace(access, fingerprint=reached.fingerprint)
        return cls(reached.host.host_id, pinned, known, places, tuple(targets))

    async def attempts(self) -> AsyncGenerator[Reached]:
        """Each time that the host is reached; whoever takes it closes its channel."""
        pause = _FIRST_PAUSE_SECONDS
        while True:
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
            reached = await self._attempt()
            if reached is not None:
                with contextlib.suppress(StorageError):
                    # It only saves time.
                    self.places.note(reached.target, self.host_id)
                yield reached

    async def _attempt(self) -> Reached | None:
        try:
            # zeroconf is large, and most people never look for a host by its name.
            from genial.client.browse import find_host

            found = await find_host(self.host_id, fingerprint=self.access.fingerprint)
        except AddressError:
            found = None  # Others carry its id for a name; its old addresses may still do.
        targets = [
            *(found.targets if found is not None else ()),
            *self.places.of(self.host_id),
            *self.targets,
        ]
        try:
            return await reach(
                targets,
                self.host_id,
                access=self.access,
                known=self.known,
                timeout=_REACH_SECONDS,
                host_id=self.host_id,
            )
        except GenialError:
            return None  # Not yet; it is looked for again.
