"""The announcement by mDNS: on loopback here, between laptops in tests/lan."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from zeroconf import DNSQuestionType, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from genial.services import announce
from genial.services.announce import Announcer, address_text
from genial.wire.announcement import SERVICE_TYPE, Announcement
from genial.wire.networks import best_first, usable_addresses
from tests.services.waiting import until

LOOPBACK = frozenset({"127.0.0.1"})


class Ears:
    """Hears what is announced on loopback."""

    def __init__(self, zeroconf: AsyncZeroconf) -> None:
        self.names: set[str] = set()
        self.zeroconf = zeroconf
        self.browser = AsyncServiceBrowser(
            zeroconf.zeroconf,
            SERVICE_TYPE,
            handlers=[self._hear],
            question_type=DNSQuestionType.QM,
        )

    def _hear(
        self,
        zeroconf: Zeroconf,
        service_type: str,
        name: str,
        state_change: ServiceStateChange,
    ) -> None:
        if state_change is ServiceStateChange.Removed:
            self.names.discard(name)
        else:
            self.names.add(name)

    def name_of(self, host_id: str) -> str | None:
        """The instance that a host goes by, if it is announced."""
        short = host_id[:8]
        return next((name for name in self.names if f" {short}." in name), None)

    async def look_up(self, host_id: str) -> tuple[Announcement, AsyncServiceInfo]:
        name = self.name_of(host_id)
        assert name is not None
        info = AsyncServiceInfo(SERVICE_TYPE, name)
        assert await info.async_request(self.zeroconf.zeroconf, 3000)
        return Announcement.from_properties(info.properties), info


@asynccontextmanager
async def ears() -> AsyncIterator[Ears]:
    async with AsyncZeroconf(interfaces=["127.0.0.1"]) as zeroconf:
        heard = Ears(zeroconf)
        yield heard
        await heard.browser.async_cancel()


def host(name: str = "Ana's laptop", **changes: int) -> Announcement:
    return Announcement(uuid.uuid4().hex, name, **changes)  # type: ignore[arg-type]


async def test_a_host_is_found_changes_and_says_good_bye() -> None:
    said = [host(tables=1, open_seats=2)]
    host_id = said[0].host_id
    announcer = Announcer(lambda: said[-1], 7718, adapters=lambda: LOOPBACK)
    async with ears() as heard:
        announcer.start()
        await until(lambda: heard.name_of(host_id))
        announcement, info = await heard.look_up(host_id)
        assert announcement == said[0]
        assert info.port == 7718
        assert info.parsed_addresses() == ["127.0.0.1"]
        said.append(Announcement(host_id, said[0].name, tables=2, open_seats=5))
        announcer.update()
        await until(lambda: announcer.announced == said[-1])
        await until_heard(heard, said[-1])
        await announcer.close()
        await until(lambda: heard.name_of(host_id) is None)


async def until_heard(heard: Ears, expected: Announcement) -> None:
    deadline = asyncio.get_running_loop().time() + 10
    while (await heard.look_up(expected.host_id))[0] != expected:
        assert asyncio.get_running_loop().time() < deadline
        await asyncio.sleep(0.05)


async def test_two_hosts_of_one_name_are_two_and_one_leaves_alone() -> None:
    one, other = host("Party"), host("Party")
    first = Announcer(lambda: one, 7718, adapters=lambda: LOOPBACK)
    second = Announcer(lambda: other, 7719, adapters=lambda: LOOPBACK)
    async with ears() as heard:
        first.start()
        second.start()
        await until(lambda: heard.name_of(one.host_id) and heard.name_of(other.host_id))
        await first.close()
        await until(lambda: heard.name_of(one.host_id) is None)
        announcement, info = await heard.look_up(other.host_id)
        assert (announcement.name, info.port) == ("Party", 7719)
        await second.close()


@pytest.mark.parametrize(
    "name", ["x" * 200, "Ä" * 100, "a.b.c", "tab\tname", "", "日本語" * 30, "🎲" * 40]
)
async def test_any_name_can_be_announced(name: str) -> None:
    said = host(name)
    announcer = Announcer(lambda: said, 7718, adapters=lambda: LOOPBACK)
    async with ears() as heard:
        announcer.start()
        await until(lambda: heard.name_of(said.host_id))
        announcement, _ = await heard.look_up(said.host_id)
        assert name.startswith(announcement.name) or announcement.name == said.host_id
        await announcer.close()


async def test_a_network_that_cannot_be_announced_on_is_said_once_and_hosting_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[object] = []

    class Broken:
        def __init__(self, **options: object) -> None:
            tries.append(options)
            raise OSError("Address already in use")

    monkeypatch.setattr(announce, "AsyncZeroconf", Broken)
    monkeypatch.setattr(announce, "_RETRY", 0.0)
    said = host()
    announcer = Announcer(lambda: said, 7718, adapters=lambda: frozenset({"10.0.0.7"}), poll=0.01)
    with caplog.at_level(logging.WARNING):
        announcer.start()
        await until(lambda: len(tries) > 3)
        await announcer.close()
    (line,) = [record.getMessage() for record in caplog.records]
    assert "Address already in use" in line
    assert "genial join 10.0.0.7:7718" in line


async def test_networks_that_come_and_go_are_followed_once_they_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    updates: list[frozenset[str]] = []
    networks = [frozenset({"10.0.0.7"})]
    looks = 0

    def look() -> frozenset[str]:
        nonlocal looks
        looks += 1
        return networks[min(looks, len(networks)) - 1]

    class Recording(Announcer):
        async def _announce_on(self, addresses: frozenset[str]) -> None:
            self._addresses = addresses
            updates.append(addresses)

    home, cafe = frozenset({"10.0.0.7"}), frozenset({"192.168.0.9", "fe80::1%2"})
    networks[:] = [home, home, cafe, home, home, cafe, cafe, cafe]
    monkeypatch.setattr(announce, "_RETRY", 1000.0)
    said = host()
    announcer = Recording(lambda: said, 7718, adapters=look, poll=0.001)
    announcer.start()
    await until(lambda: looks > 10)
    await announcer.close()
    assert updates == [home, cafe], "one glimpse of another network changes nothing"


def test_addresses_that_people_can_type_come_first() -> None:
    addresses = ["fe80::1%2", "172.17.0.1", "2001:db8::7", "169.254.3.4", "192.168.0.9"]
    assert best_first(addresses) == [
        "192.168.0.9",
        "172.17.0.1",
        "169.254.3.4",
        "2001:db8::7",
        "fe80::1%2",
    ]
    assert address_text("10.0.0.7", 7718) == "10.0.0.7:7718"
    assert address_text("fe80::1", 7718) == "[fe80::1]:7718"


def test_this_machines_own_addresses_are_no_loopback() -> None:
    assert not any(text.startswith(("127.", "::1")) for text in usable_addresses())


async def test_without_a_network_clients_on_this_machine_still_find_the_host() -> None:
    said = host()
    announcer = Announcer(lambda: said, 7718, adapters=frozenset)
    async with ears() as heard:
        announcer.start()
        await until(lambda: heard.name_of(said.host_id))
        await announcer.close()
