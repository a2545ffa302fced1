"""Hosts of the network with their tables, kept current for the list on the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from genial.client.browse import Browser, FoundHost
from genial.client.errors import GenialError
from genial.client.link import HostLink, LinkMaker
from genial.client.messages import HostsSeen, SeatsHeld
from genial.client.model import HeldSeat, TableRow
from genial.client.store import Store
from genial.client.updates import ConnectionChanged, Link
from genial.v1.game_pb2 import SEAT_KIND_BOT
from genial.v1.table_pb2 import (
    TABLE_STATE_ABANDONED,
    TABLE_STATE_ACTIVE,
    TABLE_STATE_FINISHED,
    Table,
)

_OVER = (TABLE_STATE_FINISHED, TABLE_STATE_ABANDONED)


class _Watched:
    """A host whose tables are followed, found or typed."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.link: HostLink | None = None
        self.tables: list[Table] = []
        self.silent_since: float | None = None
        self.task: asyncio.Task[None] | None = None


class Finder:
    """Browses while `run` runs, and tells what there is.

    Args:
        make_link: How to connect to a host.
        store: Where seats of ours are remembered.
        tell: Called with each new state of the list.
    """

    def __init__(
        self,
        make_link: LinkMaker,
        store: Store,
        tell: Callable[[HostsSeen | SeatsHeld], None],
    ) -> None:
        self._make_link = make_link
        self._store = store
        self._tell = tell
        self._found: tuple[FoundHost, ...] = ()
        self._watched: dict[str, _Watched] = {}
        self._problem = ""

    async def run(self) -> None:
        """Until cancelled; links that were made are closed then."""
        try:
            async with Browser() as browser:
                self._problem = browser.problem
                async with aclosing(browser.changes()) as changes:
                    async for hosts in changes:
                        self._found = hosts
                        for host in hosts:
                            if host.reachable and host.host_id not in self._watched:
                                self._follow(host.host_id, host.address)
                        self._publish()
        finally:
            tasks = [watched.task for watched in self._watched.values() if watched.task]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._watched.clear()

    async def add(self, address: str) -> None:
        """List the tables of a host whose address was typed.

        Raises:
            GenialError: Nobody answers there.
        """
        link = await self._make_link(address, store=self._store)
        host_id = link.host.host_id
        if host_id in self._watched:
            await link.close()
            return
        self._follow(host_id, link.address, link)

    def _follow(self, host_id: str, address: str, link: HostLink | None = None) -> None:
        watched = _Watched(address)
        watched.link = link
        watched.task = asyncio.get_running_loop().create_task(self._watch(host_id, watched))
        self._watched[host_id] = watched

    async def _watch(self, host_id: str, watched: _Watched) -> None:
        try:
            if watched.link is None:
                found = next((host for host in self._found if host.host_id == host_id), None)
                watched.link = await self._make_link(
                    watched.address,
                    store=self._store,
                    announced=found.fingerprint if found else None,
                )
            async with aclosing(watched.link.watch_tables()) as changes:
                async for change in changes:
                    if isinstance(change, ConnectionChanged):
                        lost = change.link is not Link.CONNECTED
                        watched.silent_since = change.since if lost else None
                    else:
                        watched.tables = change
                    self._publish()
        except GenialError:
            # It is found again with the next sign of life; until then it is not listed.
            self._watched.pop(host_id, None)
            self._publish()
        finally:
            if watched.link is not None:
                await watched.link.close()

    def _publish(self) -> None:
        self._tell(HostsSeen(*self._rows(), self._problem))
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
            if since is None:
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
            else:
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
                if table.state == TABLE_STATE_ACTIVE
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
                    )
                )
        return held
