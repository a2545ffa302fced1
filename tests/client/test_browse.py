"""Browsing in one process: rows by host id, the dead told apart, hostile announcements."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

import pytest
from zeroconf import DNSOutgoing, IPVersion  # type: ignore[attr-defined]
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from genial.client.browse import GONE_SECONDS, Browser, FoundHost, find_host
from genial.client.errors import AmbiguousNameError
from genial.wire.announcement import SERVICE_TYPE
from tests.client.fakehost import FakeHost

DEADLINE = 20.0


@asynccontextmanager
async def announced(
    port: int, *, instance: str, host_id: str, name: str, **more: str
) -> AsyncIterator[AsyncZeroconf]:
    """An announcement on the loopback alone, whatever stands behind it."""
    zeroconf = AsyncZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only)
    properties = {"v": "v1", "id": host_id, "name": name, "tables": "2", "open": "3"} | more
    info = AsyncServiceInfo(
        SERVICE_TYPE,
        f"{instance}.{SERVICE_TYPE}",
        addresses=[b"\x7f\x00\x00\x01"],
        port=port,
        properties={key: value for key, value in properties.items() if value != "-"},
        server=f"{instance.replace(' ', '-')}.local.",
    )
    await (await zeroconf.async_register_service(info))
    try:
        yield zeroconf
    finally:
        await zeroconf.async_close()


@asynccontextmanager
async def browser_on_loopback(gone_after: float = GONE_SECONDS) -> AsyncIterator[Browser]:
    zeroconf = AsyncZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only)
    try:
        async with Browser(zeroconf, probe_every=0.1, gone_after=gone_after) as browser:
            yield browser
    finally:
        await zeroconf.async_close()


def new_id() -> str:
    """Other hosts may be about on this machine's loopback, other tests' among them."""
    return uuid.uuid4().hex


async def until(
    browser: Browser, met: Callable[[dict[str, FoundHost]], bool]
) -> dict[str, FoundHost]:
    """The list, by host id, once it is as wanted."""
    async with asyncio.timeout(DEADLINE), aclosing(browser.changes()) as changes:
        async for hosts in changes:
            found = {host.host_id: host for host in hosts}
            if met(found):
                return found
    raise AssertionError("changes never end by themselves")


async def until_reachable(browser: Browser, host_id: str, reachable: bool) -> FoundHost:
    found = await until(
        browser, lambda rows: host_id in rows and rows[host_id].reachable is reachable
    )
    return found[host_id]


async def test_found_probed_and_told_apart_when_it_dies(host: FakeHost) -> None:
    me = new_id()
    async with (
        announced(host.port, instance=f"Kitchen {me[:8]}", host_id=me, name="Kitchen"),
        browser_on_loopback() as browser,
    ):
        found = await until_reachable(browser, me, True)
        assert (found.name, found.host_id, found.port) == ("Kitchen", me, host.port)
        assert (found.tables, found.open_seats, found.version) == (2, 3, "v1")
        assert found.fingerprint is None
        assert found.address == host.address
        # Killed outright: it says no good-bye, and is announced still.
        await host.stop()
        found = await until_reachable(browser, me, False)
        assert found.silent_since is not None
        await host.start()
        found = await until_reachable(browser, me, True)
        assert found.silent_since is None


async def tell_once(host: FakeHost, host_id: str, name: str) -> None:
    """An announcement that nobody stands by: addresses live for a second, the rest for an hour."""
    info = AsyncServiceInfo(
        SERVICE_TYPE,
        f"{name} {host_id[:8]}.{SERVICE_TYPE}",
        addresses=[b"\x7f\x00\x00\x01"],
        port=host.port,
        properties={"v": "v1", "id": host_id, "name": name, "tables": "0", "open": "0"},
        server=f"{host_id}.local.",
        host_ttl=1,
    )
    packet = DNSOutgoing(0x8400)  # An answer, with authority.
    for record in (info.dns_pointer(), info.dns_service(), info.dns_text(), *info.dns_addresses()):
        packet.add_answer_at_time(record, 0)
    async with AsyncZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only) as zeroconf:
        await zeroconf.zeroconf.async_wait_for_start()
        zeroconf.zeroconf.async_send(packet)


async def test_who_is_silent_and_not_announced_any_more_has_gone_until_it_answers(
    host: FakeHost,
) -> None:
    dead, closed = new_id(), new_id()
    await host.stop()
    async with (
        browser_on_loopback(gone_after=0.2) as browser,
        # One that a firewall shuts in: it does not answer either, but it is there.
        announced(host.port, instance=f"Shut {closed[:8]}", host_id=closed, name="Shut"),
    ):
        await tell_once(host, dead, "Dead")
        await until_reachable(browser, dead, False)
        rows = await until(browser, lambda rows: dead not in rows)
        assert rows[closed].reachable is False
        await host.start()
        await until_reachable(browser, dead, True)


async def test_good_bye_takes_the_row_away(host: FakeHost) -> None:
    me = new_id()
    async with browser_on_loopback() as browser:
        async with announced(host.port, instance=f"Kitchen {me[:8]}", host_id=me, name="Kitchen"):
            await until_reachable(browser, me, True)
        await until(browser, lambda rows: me not in rows)


async def test_one_host_seen_twice_is_one_row_and_survives_one_good_bye(host: FakeHost) -> None:
    me, late = new_id(), new_id()
    async with (
        browser_on_loopback() as browser,
        announced(host.port, instance=f"Kitchen {me[:8]}", host_id=me, name="Kitchen"),
    ):
        await until_reachable(browser, me, True)
        async with announced(host.port, instance=f"Other {me[:8]}", host_id=me, name="Pantry"):
            # The newer announcement says the name; the row stays one.
            await until(browser, lambda rows: me in rows and rows[me].name == "Pantry")
        await until(browser, lambda rows: me in rows and rows[me].name == "Kitchen")
        async with announced(host.port, instance=f"Late {late[:8]}", host_id=late, name="Late"):
            await until_reachable(browser, late, True)
        assert me in [found.host_id for found in browser.hosts]


async def test_hostile_announcements_are_not_listed_and_names_are_harmless(host: FakeHost) -> None:
    no_count, ugly = new_id(), new_id()
    name = "\x1b[31mred\u202e" + "x" * 200
    async with (
        announced(host.port, instance=f"none {new_id()[:8]}", host_id="-", name="no id"),
        announced(
            host.port, instance=f"bad {no_count[:8]}", host_id=no_count, name="x", tables="many"
        ),
        announced(1, instance=f"ugly {ugly[:8]}", host_id=ugly, name=name),
        browser_on_loopback() as browser,
    ):
        found = await until_reachable(browser, ugly, False)
        assert found.name.startswith("[31mred")
        assert found.name.isprintable()
        assert len(found.name) <= 80
        assert no_count not in [each.host_id for each in browser.hosts]
        assert "no id" not in [each.name for each in browser.hosts]


async def test_id_goes_before_name_and_an_ambiguous_name_lists_the_ids(host: FakeHost) -> None:
    one, two, three = new_id(), new_id(), new_id()
    name = f"Twin {one[:6]}"
    async with (
        announced(host.port, instance=f"one {one[:8]}", host_id=one, name=name),
        announced(host.port, instance=f"two {two[:8]}", host_id=two, name=name.lower()),
        announced(host.port, instance=f"three {three[:8]}", host_id=three, name=one),
    ):
        found = await find_host(one)
        assert found is not None
        assert found.name == name
        with pytest.raises(AmbiguousNameError) as error:
            await find_host(name)
        assert sorted(error.value.host_ids) == sorted([one, two])
        assert await find_host(new_id(), 0.2) is None
