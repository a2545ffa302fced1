"""`genial join` without an address: a look around, and what is asked about changed hosts."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from genial.cli import access as access_module
from genial.cli.access import AccessOptions
from genial.cli.seating import Place, find_place
from genial.client import around
from genial.client.errors import CertificateChangedError
from genial.client.found import FoundHost
from genial.client.session import connect
from genial.client.store import user_known_hosts
from genial.client.trust import Access
from genial.engine.rules import Rules
from genial.services.host import HostReady
from genial.v1.table_pb2 import TableOptions
from genial.wire.values import rules_to_message
from tests.services.host.hosts import hosting, local


class World:
    """What is found around, and a person at the terminal."""

    def __init__(self) -> None:
        self.found: list[FoundHost] = []
        self.asked = 0
        self.answer = ""

    async def look_around(self) -> tuple[tuple[FoundHost, ...], str]:
        return tuple(self.found), ""

    def typed_answer(self, question: str, *, err: bool) -> str:
        assert "type the first group" in question
        self.asked += 1
        return self.answer

    async def place(self, stack: AsyncExitStack) -> Place:
        access = AccessOptions(plaintext=False, fingerprint=None, password_file=None)
        return await find_place(stack, None, None, None, access, may_ask=False)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()
    for name in ("HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setattr(around, "look_around", world.look_around)
    monkeypatch.setattr(access_module, "typed_answer", world.typed_answer)
    monkeypatch.setattr(access_module, "_somebody_there", lambda: True)
    return world


async def found(ready: HostReady) -> FoundHost:
    """The host as it is found, with a table to sit down at."""
    async with await connect(ready.address, access=Access(fingerprint=ready.fingerprint)) as link:
        await link.create_table(TableOptions(rules=rules_to_message(Rules(players=2))))
    where, _colon, port = ready.address.rpartition(":")
    return FoundHost(
        *(ready.host_id, "Host", (where,), int(port), ready.fingerprint, 1, 2, "v1"), reachable=True
    )


async def test_a_changed_host_is_asked_about_only_where_there_is_no_other(
    world: World, tmp_path: Path
) -> None:
    async with (
        AsyncExitStack() as stack,
        hosting(local(tmp_path / "one", plaintext=False)) as (_one, changed),
        hosting(local(tmp_path / "two", plaintext=False)) as (_two, other),
    ):
        user_known_hosts().remember(changed.host_id, "0" * 64, "Kitchen")
        world.found = [await found(changed), await found(other)]
        place = await world.place(stack)
        assert place.link.host.host_id == other.host_id
        assert world.asked == 0
        del world.found[1]
        assert changed.fingerprint is not None
        world.answer = changed.fingerprint[:8]
        place = await world.place(stack)
        assert place.link.host.host_id == changed.host_id
        assert world.asked == 1
        await stack.aclose()


async def test_without_anybody_to_ask_it_is_refused(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_module, "_somebody_there", lambda: False)
    async with (
        AsyncExitStack() as stack,
        hosting(local(tmp_path / "one", plaintext=False)) as (_one, changed),
    ):
        user_known_hosts().remember(changed.host_id, "0" * 64, "Kitchen")
        world.found = [await found(changed)]
        with pytest.raises(CertificateChangedError, match="--fingerprint"):
            await world.place(stack)
    assert world.asked == 0
