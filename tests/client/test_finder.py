"""The list of hosts and tables: several hosts, neighbours, moves, impostors, other versions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from genial.client import finder as finder_module
from genial.client.browse import GONE_SECONDS
from genial.client.finder import Finder
from genial.client.found import FoundHost
from genial.client.link import HostLink, connect
from genial.client.messages import HostsSeen, SeatsHeld
from genial.client.model import TableRow
from genial.client.session import join
from genial.client.store import DiskStore, MemoryStore, Store
from tests.client.fakehost import PLAIN, FakeHost
from tests.client.fakehost_services import TABLE_ID

DEADLINE = 20.0


class Air:
    """What mDNS has found, as the test says."""

    problem = ""

    def __init__(self) -> None:
        self._hosts: tuple[FoundHost, ...] = ()
        self._changed = asyncio.Event()

    def __call__(self) -> Air:
        return self

    async def __aenter__(self) -> Air:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        return

    async def changes(self) -> AsyncIterator[tuple[FoundHost, ...]]:
        while True:
            self._changed.clear()
            yield self._hosts
            await self._changed.wait()

    def show(self, *hosts: FoundHost) -> None:
        self._hosts = hosts
        self._changed.set()


class Screen:
    """What the list shows."""

    def __init__(self) -> None:
        self.seen = HostsSeen((), 0)
        self._changed = asyncio.Event()

    def tell(self, message: HostsSeen | SeatsHeld) -> None:
        if isinstance(message, HostsSeen):
            self.seen = message
            self._changed.set()

    async def until(self, met: Callable[[tuple[TableRow, ...]], bool]) -> tuple[TableRow, ...]:
        async with asyncio.timeout(DEADLINE):
            while not met(self.seen.rows):
                self._changed.clear()
                await self._changed.wait()
        return self.seen.rows


@asynccontextmanager
async def hosting(count: int) -> AsyncIterator[list[FakeHost]]:
    hosts = [FakeHost() for _ in range(count)]
    for number, host in enumerate(hosts):
        host.host_id = f"host-{number}"
        await host.start()
    try:
        yield hosts
    finally:
        for host in hosts:
            await host.stop()


def found(host: FakeHost, **changes: Any) -> FoundHost:
    row = FoundHost(
        host.host_id, f"Name of {host.host_id}", ("127.0.0.1",), host.port, None, 1, 1, "v1",
        reachable=True,
    )  # fmt: skip
    return replace(row, **changes)


@pytest.fixture
def air(monkeypatch: pytest.MonkeyPatch) -> Air:
    air = Air()
    monkeypatch.setattr(finder_module, "Browser", air)
    monkeypatch.setattr(finder_module, "_AGAIN_SECONDS", 0.05)
    return air


@asynccontextmanager
async def finding(store: Store | None = None) -> AsyncIterator[tuple[Finder, Screen]]:
    kept = store or MemoryStore()
    screen = Screen()

    async def make_link(
        address: str, *, store: Store | None = None, announced: str | None = None
    ) -> HostLink:
        return await connect(address, store=kept, access=PLAIN, timeout=1.0)

    finder = Finder(make_link, kept, screen.tell)
    task = asyncio.create_task(finder.run())
    try:
        yield finder, screen
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def has_tables_of(*hosts: FakeHost) -> Callable[[tuple[TableRow, ...]], bool]:
    wanted = sorted(host.host_id for host in hosts)
    return lambda rows: (
        sorted(row.host_id for row in rows if row.table is not None and row.reachable) == wanted
    )


async def test_tables_of_all_hosts_are_one_list_and_who_leaves_is_gone(air: Air) -> None:
    async with hosting(3) as hosts, finding() as (_finder, screen):
        air.show(*(found(host) for host in hosts))
        rows = await screen.until(has_tables_of(*hosts))
        assert {row.table.table_id for row in rows if row.table} == {TABLE_ID}
        assert screen.seen.hosts == 3
        await hosts[0].stop()
        # Killed outright it is still announced: told apart, at the end of the list.
        air.show(found(hosts[0], reachable=False, silent_since=1.0), *map(found, hosts[1:]))
        rows = await screen.until(lambda rows: any(not row.reachable for row in rows))
        assert [row.host_id for row in rows if not row.reachable] == ["host-0"]
        assert rows[-1].host_id == "host-0"
        # With a good-bye it is gone.
        air.show(*map(found, hosts[1:]))
        await screen.until(lambda rows: "host-0" not in [row.host_id for row in rows])


async def test_a_host_that_moves_is_followed_to_its_new_place(air: Air) -> None:
    async with hosting(2) as (before, after), finding() as (_finder, screen):
        after.host_id = before.host_id
        air.show(found(before))
        await screen.until(has_tables_of(before))
        await before.stop()
        await screen.until(lambda rows: not any(row.reachable for row in rows))
        air.show(found(before, port=after.port))
        rows = await screen.until(has_tables_of(before))
        assert rows[0].address == after.address


async def test_nothing_is_left_to_be_done_once_the_list_is_closed(
    air: Air, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    timers: list[asyncio.TimerHandle] = []
    call_later = loop.call_later

    def noting(delay: float, *call: Any, **context: Any) -> asyncio.TimerHandle:
        timer = call_later(delay, *call, **context)
        if delay > GONE_SECONDS:
            timers.append(timer)
        return timer

    async with hosting(1) as (host,), finding() as (_finder, screen):
        air.show(found(host))
        await screen.until(has_tables_of(host))
        monkeypatch.setattr(loop, "call_later", noting)
        await host.stop()
        await screen.until(lambda rows: not any(row.reachable for row in rows))
    assert timers
    assert all(timer.cancelled() for timer in timers)


async def test_neighbours_are_listed_and_neighbours_of_neighbours_and_nobody_twice(
    air: Air,
) -> None:
    async with hosting(3) as hosts, finding() as (_finder, screen):
        near, far, farther = hosts
        near.neighbours = [far.address, "127.0.0.1:1"]
        far.neighbours = [near.address, farther.address]
        farther.neighbours = [far.address]
        air.show(found(near))
        rows = await screen.until(has_tables_of(*hosts))
        assert len(rows) == 3
        # One that comes later is found as well, and one that goes says so.
        await farther.stop()
        await screen.until(has_tables_of(near, far))
        await farther.start()
        await screen.until(has_tables_of(*hosts))


async def test_a_neighbour_that_stays_away_leaves_the_list_until_it_is_back(
    air: Air, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finder_module, "GONE_SECONDS", 0.5)
    async with hosting(2) as (near, far), finding() as (_finder, screen):
        near.neighbours = [far.address]
        air.show(found(near))
        await screen.until(has_tables_of(near, far))
        await far.stop()
        rows = await screen.until(lambda rows: all(row.host_id == near.host_id for row in rows))
        assert rows
        await far.start()
        await screen.until(has_tables_of(near, far))


async def test_a_typed_host_brings_its_neighbours(air: Air) -> None:
    async with hosting(2) as (one, other), finding() as (finder, screen):
        one.neighbours = [other.address]
        await finder.add(one.address)
        await screen.until(has_tables_of(one, other))
        await finder.add(other.address)
        assert len(screen.seen.rows) == 2


async def test_a_host_that_names_a_thousand_neighbours_makes_us_ask_a_few(air: Air) -> None:
    async with hosting(1) as (host,), finding() as (finder, screen):
        host.neighbours = [f"127.0.0.1:{port}" for port in range(1, 1001)]
        air.show(found(host))
        await screen.until(has_tables_of(host))
        assert len(finder._neighbours) == finder_module.MOST_NEIGHBOURS


async def test_a_host_of_another_version_says_who_is_to_upgrade(air: Air) -> None:
    async with hosting(2) as (new, old), finding() as (_finder, screen):
        air.show(found(new, version="v2"), found(old, version="v0"))
        rows = await screen.until(lambda rows: len(rows) == 2 and all(row.note for row in rows))
        notes = {row.host_id: row.note for row in rows}
        assert "upgrade this client" in notes["host-0"]
        assert "the host is too old" in notes["host-1"]


async def test_an_impostor_with_another_certificate_does_not_take_the_row(air: Air) -> None:
    store = MemoryStore()
    async with hosting(2) as (real, fake), finding(store) as (_finder, screen):
        store.known_hosts.remember(real.host_id, "a" * 64, "Real")
        fake.host_id = real.host_id
        air.show(
            found(fake, fingerprint="b" * 64, name="Fake"),
            found(real, fingerprint="a" * 64, name="Real"),
        )
        rows = await screen.until(has_tables_of(real))
        assert [(row.host_name, row.address) for row in rows] == [("Real", real.address)]


async def test_a_host_that_refuses_us_is_a_row_with_the_reason(air: Air) -> None:
    async with hosting(1) as (host,), finding() as (_finder, screen):
        host.protocol = "v7"
        air.show(found(host))
        rows = await screen.until(lambda rows: any(row.note for row in rows))
        assert "upgrade this client" in rows[0].note
        # Upgraded meanwhile: it is asked again by itself.
        host.protocol = "v1"
        await screen.until(has_tables_of(host))


async def test_a_host_that_was_typed_is_listed_again_when_the_list_is(air: Air) -> None:
    screen = Screen()
    store = MemoryStore()

    async def make_link(
        address: str, *, store: Store | None = None, announced: str | None = None
    ) -> HostLink:
        return await connect(address, store=store, access=PLAIN, timeout=1.0)

    finder = Finder(make_link, store, screen.tell)
    async with hosting(1) as (host,):
        for once in (True, False):
            task = asyncio.create_task(finder.run())
            if once:
                await finder.add(host.address)
            await screen.until(has_tables_of(host))
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            screen.tell(HostsSeen((), 0))


async def test_a_host_where_a_seat_waits_is_looked_for_where_it_was(
    air: Air, tmp_path: Path
) -> None:
    """Though mDNS finds nothing here and nobody types its address."""
    store = DiskStore(tmp_path / "state", tmp_path / "data")
    async with hosting(1) as (host,):
        link = await connect(host.address, store=store, access=PLAIN)
        store.known_hosts.remember(host.host_id, "ab" * 32, "Host")
        session = await join(link, TABLE_ID, name="Ana")
        await session.close()
        await link.close()
        assert store.hosts_with_seats() == [host.host_id]
        async with finding(store) as (_finder, screen):
            await screen.until(has_tables_of(host))
