"""Hosts of the network with their tables, kept current for the list on the screen.

Hosts come from three sides: found by mDNS, typed, or named by another host as its neighbours
behind a router. Each is one row source however it came, by its id.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from typing import Final

from genial.client.browse import GONE_SECONDS, Browser, FoundHost
from genial.client.doctor.examine import examine_network
from genial.client.doctor.findings import Finding, Verdict
from genial.client.errors import CertificateChangedError, GenialError, PasswordNeededError
from genial.client.link import HostLink, LinkMaker
from genial.client.messages import HostsSeen, SeatsHeld
from genial.client.model import HeldSeat, TableRow
from genial.client.store import Store
from genial.client.updates import ConnectionChanged, Link
from genial.client.versions import protocol_hint
from genial.v1.game_pb2 import SEAT_KIND_BOT
from genial.v1.table_pb2 import (
    TABLE_STATE_ABANDONED,
    TABLE_STATE_ACTIVE,
    TABLE_STATE_FINISHED,
    TABLE_STATE_SHELVED,
    Table,
)

log = logging.getLogger(__name__)

_OVER: Final = (TABLE_STATE_FINISHED, TABLE_STATE_ABANDONED)

MOST_NEIGHBOURS: Final = 64
"""Addresses that hosts may have us ask, all hosts together."""
_MOST_WITH_SEATS: Final = 8
"""Hosts that are asked by themselves because a seat of ours may wait there."""
_EMPTY_SECONDS: Final = 3.0
"""Of an empty list, until it is asked what is wrong: most hosts are found in the first."""
_EXAMINE_EVERY_SECONDS: Final = 10.0
_AGAIN_SECONDS: Final = 5.0
"""Until a neighbour that does not answer, or a host that refused us, is asked again."""


class _Watched:
    """A host whose tables are followed; `announced`: by mDNS, which tells when it leaves."""

    def __init__(self, address: str, announced: bool) -> None:
        self.address = address
        self.announced = announced
        self.link: HostLink | None = None
        self.tables: list[Table] = []
        self.silent_since: float | None = None
        self.task: asyncio.Task[None] | None = None


class _Refused:
    """A host that cannot be listed with its tables, why, and when it is asked again."""

    def __init__(self, sentence: str, error: GenialError | None = None) -> None:
        self.sentence = sentence
        self.locked = isinstance(error, PasswordNeededError)
        self.changed = isinstance(error, CertificateChangedError)
        self.until = time.monotonic() + _AGAIN_SECONDS


class Finder:
    """Browses while `run` runs, and tells what there is.

    Args:
        make_link: How to connect to a host.
        store: Where seats of ours and certificates of hosts are remembered.
        tell: Called with each new state of the list.
        examine: Looks at this computer's network.
    """

    def __init__(
        self,
        make_link: LinkMaker,
        store: Store,
        tell: Callable[[HostsSeen | SeatsHeld], None],
        examine: Callable[[], Awaitable[list[Finding]]] = examine_network,
    ) -> None:
        self._examine = examine
        self._make_link = make_link
        self._store = store
        self._tell = tell
        self._found: tuple[FoundHost, ...] = ()
        self._watched: dict[str, _Watched] = {}
        self._refused: dict[str, _Refused] = {}
        self._neighbours: dict[str, asyncio.Task[None]] = {}
        self._asked: dict[str, None] = {}
        self._problem = ""
        self._findings: tuple[Finding, ...] = ()
        self._timers: set[asyncio.TimerHandle] = set()

    async def run(self) -> None:
        """Until cancelled; links that were made are closed then."""
        examining = asyncio.create_task(self._examine_while_empty())
        examining.add_done_callback(_tell_fault)
        seats = asyncio.create_task(self._look_for_seats())
        seats.add_done_callback(_tell_fault)
        for address in self._asked:
            self._call_on(address)
        try:
            async with Browser() as browser, aclosing(browser.changes()) as changes:
                async for hosts in changes:
                    self._problem = browser.problem
                    self._found = self._genuine(hosts)
                    self._follow_found()
                    self._publish()
        finally:
            tasks = [watched.task for watched in self._watched.values() if watched.task]
            tasks += [*self._neighbours.values(), examining, seats]
            self._found = ()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for timer in self._timers:
                timer.cancel()
            self._timers.clear()
            self._watched.clear()
            self._neighbours.clear()
            self._refused.clear()

    async def add(self, address: str) -> str:
        """List the tables of a host whose address was typed; returns the host's id.

        Raises:
            GenialError: Nobody answers there.
        """
        link = await self._make_link(address, store=self._store)
        self.remember(address)
        await self._take(link)
        return link.host.host_id

    def remember(self, address: str) -> None:
        """List the host of this address again whenever the list is shown again."""
        self._asked[address] = None

    async def _take(self, link: HostLink) -> None:
        """Lists the host of a link, unless it is listed already."""
        if link.host.host_id in self._watched:
            await link.close()
        else:
            self._follow(link.host.host_id, link.address, link)

    async def _look_for_seats(self) -> None:
        """Lists hosts at which a seat of ours may wait, where they were before."""
        host_ids = self._store.hosts_with_seats()[:_MOST_WITH_SEATS]
        await asyncio.gather(*map(self._look_for, host_ids))

    async def _look_for(self, host_id: str) -> None:
        try:
            link = await self._make_link(host_id, store=self._store)
        except GenialError:
            return  # It is at home, or its row says what is wrong once it is found.
        await self._take(link)

    async def _examine_while_empty(self) -> None:
        """A list that stays empty explains itself by what this computer's network is like."""
        await asyncio.sleep(_EMPTY_SECONDS)
        while True:
            findings: tuple[Finding, ...] = ()
            if not self._found and not self._watched:
                findings = tuple(
                    finding
                    for finding in await self._examine()
                    if finding.verdict is not Verdict.GOOD and finding.title
                )
            if findings != self._findings:
                self._findings = findings
                self._publish()
            await asyncio.sleep(_EXAMINE_EVERY_SECONDS)

    # --- whom to follow ---------------------------------------------------------------

    def _genuine(self, hosts: Iterable[FoundHost]) -> tuple[FoundHost, ...]:
        """One row for each id: where two claim it, the one whose certificate we know."""
        by_id: dict[str, FoundHost] = {}
        for host in hosts:
            other = by_id.setdefault(host.host_id, host)
            if other is not host:
                known = self._store.known_hosts.find(host.host_id)
                if known is not None and known.fingerprint == host.fingerprint:
                    by_id[host.host_id] = host
        return tuple(by_id.values())

    def _follow_found(self) -> None:
        for host in self._found:
            if hint := protocol_hint(host.version):
                self._refused[host.host_id] = _Refused(hint)
                continue
            if not host.reachable:
                continue
            watched = self._watched.get(host.host_id)
            refused = self._refused.get(host.host_id)
            if watched is None:
                if refused is None or refused.until <= time.monotonic():
                    self._follow(host.host_id, host.address, announced=host.fingerprint)
            elif watched.silent_since is not None and watched.address != host.address:
                # It has moved: found at one place, silent at another.
                self._unfollow(host.host_id)
                self._follow(host.host_id, host.address, announced=host.fingerprint)
        here = {host.host_id for host in self._found}
        for host_id, watched in list(self._watched.items()):
            if watched.announced and watched.silent_since is not None and host_id not in here:
                self._unfollow(host_id)

    def _follow(
        self,
        host_id: str,
        address: str,
        link: HostLink | None = None,
        announced: str | None = None,
    ) -> None:
        watched = _Watched(address, any(host.host_id == host_id for host in self._found))
        watched.link = link
        watched.task = asyncio.get_running_loop().create_task(
            self._watch(host_id, watched, announced)
        )
        self._watched[host_id] = watched

    def _unfollow(self, host_id: str) -> None:
        watched = self._watched.pop(host_id)
        if watched.task is not None:
            watched.task.cancel()

    async def _watch(self, host_id: str, watched: _Watched, announced: str | None) -> None:
        try:
            if watched.link is None:
                watched.link = await self._make_link(
                    watched.address, store=self._store, announced=announced
                )
            # Whoever is on screen is found by the browser when it moves.
            watched.link.stay()
            self._refused.pop(host_id, None)
            self._meet(watched.link)
            async with aclosing(watched.link.watch_tables()) as changes:
                async for change in changes:
                    if isinstance(change, ConnectionChanged):
                        lost = change.link is not Link.CONNECTED
                        watched.silent_since = change.since if lost else None
                        if lost:
                            self._follow_found()
                            self._later(GONE_SECONDS + 0.1, self._publish)
                    else:
                        watched.tables = change
                    self._publish()
        except GenialError as error:
            # It is asked again after a while; until then its row says why it has no tables.
            self._refused[host_id] = _Refused(error.sentence, error)
            self._later(_AGAIN_SECONDS, self._follow_found)
        finally:
            if self._watched.get(host_id) is watched:
                del self._watched[host_id]
                self._publish()
            if watched.link is not None:
                await watched.link.close()

    def _later(self, seconds: float, call: Callable[[], None]) -> None:
        def due() -> None:
            self._timers.discard(timer)
            call()

        timer = asyncio.get_running_loop().call_later(seconds, due)
        self._timers.add(timer)

    # --- neighbours -------------------------------------------------------------------

    def _meet(self, link: HostLink) -> None:
        for neighbour in link.host.neighbours:
            self._call_on(neighbour.address)

    def _call_on(self, address: str) -> None:
        if address not in self._neighbours and len(self._neighbours) < MOST_NEIGHBOURS:
            self._neighbours[address] = asyncio.get_running_loop().create_task(self._visit(address))

    async def _visit(self, address: str) -> None:
        """Asks a neighbour again and again, until it is listed by whatever way."""
        while True:
            try:
                link = await self._make_link(address, store=self._store)
            except GenialError:
                # Its own host may have gone home; who does not answer is simply not listed.
                await asyncio.sleep(_AGAIN_SECONDS)
                continue
            await self._take(link)
            await self._until_gone(link.host.host_id)

    async def _until_gone(self, host_id: str) -> None:
        while host_id in self._watched:
            task = self._watched[host_id].task
            if task is not None:
                await asyncio.wait([task])
            await asyncio.sleep(_AGAIN_SECONDS)

    # --- what is told -------------------------------------------------------------------

    def _publish(self) -> None:
        self._tell(HostsSeen(*self._rows(), self._problem, self._findings))
        self._tell(SeatsHeld(tuple(self._held())))

    def _rows(self) -> tuple[tuple[TableRow, ...], int]:
        live: list[TableRow] = []
        silent: list[TableRow] = []
        hosts = 0
        listed: set[str] = set()
        for host in self._found:
            listed.add(host.host_id)
            watched = self._watched.get(host.host_id)
            if host.reachable is None:
                continue
            since = host.silent_since
            if since is None and watched is not None:
                since = watched.silent_since
            refused = self._refused.get(host.host_id)
            if since is None and watched is None and refused is not None:
                silent.append(
                    TableRow(
                        host.host_id,
                        host.name,
                        host.address,
                        None,
                        reachable=False,
                        note=refused.sentence,
                        locked=refused.locked,
                        changed=refused.changed,
                    )
                )
            elif since is None:
                hosts += 1
                live.extend(self._tables(host.host_id, host.name, host.address, watched))
            else:
                tables = watched.tables if watched is not None else []
                table = tables[0] if tables else None
                silent.append(TableRow(host.host_id, host.name, host.address, table, False, since))
        for host_id, watched in self._watched.items():
            if host_id in listed or watched.link is None:
                continue
            name = watched.link.host.name
            if watched.silent_since is None:
                hosts += 1
                live.extend(self._tables(host_id, name, watched.address, watched))
            elif time.monotonic() - watched.silent_since < GONE_SECONDS:
                silent.append(
                    TableRow(host_id, name, watched.address, None, False, watched.silent_since)
                )
        return (*live, *silent), hosts

    def _tables(
        self, host_id: str, name: str, address: str, watched: _Watched | None
    ) -> list[TableRow]:
        tables = [
            table
            for table in (watched.tables if watched is not None else [])
            if table.state not in _OVER
        ]
        if not tables:
            return [TableRow(host_id, name, address, None)]
        return [TableRow(host_id, name, address, table) for table in tables]

    def _held(self) -> list[HeldSeat]:
        held: list[HeldSeat] = []
        for host_id, watched in self._watched.items():
            if watched.link is None or watched.silent_since is not None:
                continue
            running = {
                table.table_id: table
                for table in watched.tables
                if table.state in (TABLE_STATE_ACTIVE, TABLE_STATE_SHELVED)
            }
            for seat in watched.link.seats_held():
                table = running.get(seat.table_id)
                if table is None or seat.in_use:
                    continue
                place = next((place for place in table.seats if place.name == seat.name), None)
                held.append(
                    HeldSeat(
                        host_id=host_id,
                        address=watched.address,
                        table_id=table.table_id,
                        table_name=table.name,
                        seat=place.seat if place is not None else None,
                        by_bot=place is None or place.kind == SEAT_KIND_BOT,
                        name=seat.name,
                        shelved=table.state == TABLE_STATE_SHELVED,
                    )
                )
        # A game that runs waits for us; a table that is put away does not.
        return sorted(held, key=lambda seat: seat.shelved)


def _tell_fault(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (fault := task.exception()) is not None:
        # The list goes on without it; whoever reads the log learns why.
        log.error("beside the list of hosts, something failed", exc_info=fault)
