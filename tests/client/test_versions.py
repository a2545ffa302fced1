"""An older client at a newer host, and the reverse: it works, or says exactly what to upgrade."""

from __future__ import annotations

import asyncio

import pytest

from genial.client.errors import IncompatibleHostError, RefusedError
from genial.client.link import connect
from genial.client.session import GameChanged, RefusedUpdate, join
from genial.client.updates import Update
from genial.client.versions import (
    explained,
    passed_over,
    protocol_fault,
    protocol_hint,
    who_is_older,
)
from genial.v1.game_pb2 import GameView, Rules
from genial.v1.lobby_service_pb2 import CreateTableRequest
from genial.v1.table_pb2 import FirstSeat, Host, Table, TableOptions
from genial.wire.errors import GenialError, Reason
from genial.wire.version import VERSION
from genial.wire.views import view_from_message
from tests.client.fakehost import PLAIN, FakeHost
from tests.client.fakehost_services import TABLE_ID

OLDER = "genial-lan 0.0.1"
NEWER = "genial-lan 99.0.0"
UNKNOWN_FIELD = b"\xf2\x3f\x06future"
"""Field 1022, six bytes long, which no message of ours has."""


def test_protocols() -> None:
    assert protocol_fault("v1", NEWER, "kitchen") is None
    newer = protocol_fault("v2", NEWER, "kitchen")
    assert newer is not None
    assert newer.sentence.endswith("upgrade this client.")
    assert NEWER in newer.sentence
    assert f"genial-lan {VERSION}" in newer.sentence
    older = protocol_fault("v0", OLDER, "kitchen")
    assert older is not None
    assert older.sentence.endswith("the host has to be upgraded.")
    strange = protocol_fault("\x1b[2J", "\x1b[2J", "kitchen")
    assert strange is not None
    assert "upgrade both" in strange.sentence
    assert "\x1b" not in strange.sentence


def test_protocols_in_a_few_words() -> None:
    assert protocol_hint("v1") == ""
    assert protocol_hint("v2") == "speaks v2: upgrade this client"
    assert protocol_hint("v0") == "speaks v0: the host is too old"
    strange = protocol_hint("\x1b[2J" * 40)
    assert strange.endswith("upgrade both")
    assert "\x1b" not in strange
    assert len(strange) < 43  # as a row of the list has it


def test_who_is_older() -> None:
    assert who_is_older("genial-lan 1.9.0", "genial-lan 1.10.0").endswith("upgrade the host.")
    assert who_is_older("genial-lan 2.0.0", "genial-lan 1.10.0").endswith("upgrade this client.")
    for same in ("genial-lan 1.10.0", "another program 3", "", "genial-lan x"):
        assert who_is_older(same, "genial-lan 1.10.0") == ""


def test_only_what_versions_may_be_the_cause_of_is_explained() -> None:
    host = Host(software=OLDER)
    refused = GenialError(Reason.TABLE_FULL)
    assert explained(refused, host) is refused
    missing = IncompatibleHostError(Reason.NOT_OFFERED, call="this call")
    told = explained(missing, host)
    assert isinstance(told, IncompatibleHostError)
    assert "upgrade the host" in told.sentence
    assert explained(told, host) is told
    assert explained(missing, Host(software=f"genial-lan {VERSION}")) is missing


def test_options_that_an_older_host_passes_over() -> None:
    asked = TableOptions(
        rules=Rules(players=3, partners_talk=True), first=FirstSeat(named=0), games=3
    )
    given = TableOptions(rules=Rules(players=3), first=FirstSeat(named=0), games=3)
    assert passed_over(asked, given) == ["rules.partners_talk"]
    assert passed_over(asked, TableOptions()) == [
        "rules.players",
        "rules.partners_talk",
        "games",
    ]
    assert passed_over(given, asked) == []


async def test_a_call_that_an_older_host_has_not_says_so(host: FakeHost) -> None:
    host.software = OLDER
    async with await connect(host.address, access=PLAIN) as link:
        with pytest.raises(IncompatibleHostError) as error:
            await link.list_bot_levels()
    assert f"The host runs {OLDER}, older than this client" in error.value.sentence
    assert error.value.sentence.endswith("upgrade the host.")


async def test_an_older_host_plays_a_whole_game_all_the_same(host: FakeHost) -> None:
    host.software = OLDER
    link = await connect(host.address, access=PLAIN)
    session = await join(link, TABLE_ID, name="Ana")
    await session.set_ready()
    async with asyncio.timeout(20):
        async for update in session.updates():
            if not isinstance(update, GameChanged):
                continue
            if update.view.is_over:
                break
            if update.view.must_place:
                best = update.view.scored_placements()[0]
                await session.place_tile(best.tile, best.cells)
            elif update.view.is_my_turn:
                await session.refill()
    await session.close()
    await link.close()


def test_fields_of_a_newer_end_change_nothing_at_an_older_one(host: FakeHost) -> None:
    request = CreateTableRequest(request_id="x", name="Table")
    read = CreateTableRequest.FromString(request.SerializeToString() + UNKNOWN_FIELD)
    assert (read.request_id, read.name) == ("x", "Table")
    table = Table(table_id="t", name="Table")
    assert Table.FromString(table.SerializeToString() + UNKNOWN_FIELD).name == "Table"


async def test_a_game_of_a_newer_host_says_that_this_client_is_too_old(
    host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.software = NEWER
    plain = FakeHost.view

    def of_the_future(self: FakeHost, token: str | None) -> GameView:
        message = plain(self, token)
        message.rules.mode = 77  # type: ignore[assignment]
        return message

    monkeypatch.setattr(FakeHost, "view", of_the_future)
    link = await connect(host.address, access=PLAIN)
    session = await join(link, TABLE_ID, name="Ana")
    await session.set_ready()
    heard: list[Update] = []
    async with asyncio.timeout(20):
        async for update in session.updates():
            heard.append(update)
            if isinstance(update, RefusedUpdate):
                assert update.error.sentence.endswith("upgrade this client.")
                assert NEWER in update.error.sentence
                break
    assert not any(isinstance(update, GameChanged) for update in heard)
    with pytest.raises(RefusedError):
        await session.refill()
    await session.close()
    await link.close()


async def test_unknown_modes_are_malformed_and_not_a_crash(host: FakeHost) -> None:
    message = GameView(rules=Rules(mode=77, players=2))  # type: ignore[arg-type]
    with pytest.raises(GenialError) as error:
        view_from_message(message)
    assert error.value.reason == Reason.MALFORMED
