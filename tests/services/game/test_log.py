"""The event log: append at a revision, read, follow, and what damage does."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from pathlib import Path

import pytest

from genial.services.game import COMPONENT
from genial.services.game.log import (
    TABLE,
    Asked,
    Batch,
    ClockState,
    Entry,
    Holder,
    LogConflictError,
    StoredSetup,
)
from genial.services.game.store import SqliteGameLog
from genial.services.store import Database
from genial.wire.errors import GenialError, Reason
from tests.services.game.hosting import NOBODY, hosted, play_on, room_request, view_of

SETUP = StoredSetup("game-1", "table-1", 1_000, b"set-up")


def entries(*numbers: int) -> list[Entry]:
    return [Entry(number, 1_000 + number, f"event {number}".encode()) for number in numbers]


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[SqliteGameLog]:
    database = await Database.open(tmp_path / "host.db", [COMPONENT])
    store = SqliteGameLog(database)
    await store.create(SETUP, Batch(entries(1, 2)))
    yield store
    await database.close()


async def test_appending_needs_the_revision(log: SqliteGameLog) -> None:
    await log.append("game-1", 2, Batch(entries(3)))
    for wrong in (0, 2, 4):
        with pytest.raises(LogConflictError):
            await log.append("game-1", wrong, Batch(entries(wrong + 1)))
    with pytest.raises(LogConflictError):
        await log.append("game-2", 0, Batch(entries(1)))
    assert await log.read("game-1") == entries(1, 2, 3)
    assert await log.read("game-1", 1) == entries(2, 3)
    assert await log.read("game-1", 3) == []
    assert await log.read("game-2") == []


async def test_of_many_who_append_at_once_one_does(log: SqliteGameLog) -> None:
    results = await asyncio.gather(
        *(log.append("game-1", 2, Batch(entries(3))) for _ in range(10)), return_exceptions=True
    )
    assert results.count(None) == 1
    assert sum(isinstance(result, LogConflictError) for result in results) == 9
    assert len(await log.read("game-1")) == 3


async def test_a_game_is_begun_once(log: SqliteGameLog) -> None:
    with pytest.raises(LogConflictError):
        await log.create(SETUP, Batch(entries(1)))
    assert await log.running() == ["game-1"]


async def test_a_batch_is_whole_or_not_at_all(log: SqliteGameLog) -> None:
    again = [*entries(3), *entries(2)]
    with pytest.raises(GenialError):
        await log.append("game-1", 2, Batch(again, holder=Holder(0, b"hash")))
    stored = await log.load("game-1")
    assert stored is not None
    assert list(stored.entries) == entries(1, 2)
    assert stored.holders == []


async def test_all_of_a_game_comes_back(log: SqliteGameLog) -> None:
    moved = ClockState((59_000, 61_000), False)
    placed = Asked(1, "request", 2, 4)
    await log.append("game-1", 2, Batch(entries(3, 4), placed, Holder(1, b"hash"), moved))
    stored = await log.load("game-1")
    assert stored is not None
    assert stored.setup == SETUP
    assert list(stored.entries) == entries(1, 2, 3, 4)
    assert stored.clocks == [None, None, None, moved]
    assert stored.holders == [Holder(1, b"hash")]
    assert stored.asked == [placed]
    assert stored.clock == moved
    assert await log.load("game-2") is None


async def test_clocks_go_on_between_events(log: SqliteGameLog) -> None:
    async def latest() -> ClockState | None:
        stored = await log.load("game-1")
        assert stored is not None
        return stored.clock

    await log.store_clocks([("game-1", 2, ClockState((1, 2), False))])
    assert await latest() == ClockState((1, 2), False)
    paused = Asked(TABLE, "pause", 2, 2)
    await log.append("game-1", 2, Batch(asked=paused, clock=ClockState((1, 1), True)))
    assert await latest() == ClockState((1, 1), True)
    await log.append("game-1", 2, Batch(entries(3), clock=ClockState((0, 1), True)))
    # One that was on its way when the event came.
    await log.store_clocks([("game-1", 2, ClockState((9, 9), False))])
    assert await latest() == ClockState((0, 1), True)
    stored = await log.load("game-1")
    assert stored is not None
    assert stored.asked == [paused]


async def test_following_gives_what_is_there_and_what_comes(log: SqliteGameLog) -> None:
    async with asyncio.timeout(20), aclosing(log.follow("game-1", 1)) as following:
        assert await anext(following) == entries(2)[0]
        coming = asyncio.ensure_future(anext(following))
        await log.append("game-1", 2, Batch(entries(3, 4)))
        assert await coming == entries(3)[0]
        assert await anext(following) == entries(4)[0]
        await log.append("game-1", 4, Batch(entries(5)))
        assert await anext(following) == entries(5)[0]


DAMAGES = {
    "cut": "UPDATE game_events SET body = substr(body, 1, 5) WHERE n = 9",
    "flipped": "UPDATE game_events SET body = CAST(x'ff' || substr(body, 2) AS BLOB) WHERE n = 9",
    "changed": "UPDATE game_events SET body ="
    " (SELECT body FROM game_events WHERE n = 7) WHERE n = 9",
    "without its end": "UPDATE game_events SET body = substr(body, 1, 5), checksum = 1 WHERE n = 9",
    "missing": "DELETE FROM game_events WHERE n = 9",
    "later": "UPDATE game_events SET at = at + 1 WHERE n = 9",
    "set-up": "UPDATE game_setups SET setup = substr(setup, 1, 50)",
    "nothing": "DELETE FROM game_events",
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_damage_is_named_and_the_rest_goes_on(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "host.db"
    async with hosted(path) as services:
        await services.rooms.create_room(room_request())
        await play_on(services, random.Random(1), moves=20)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(DAMAGES[damage])
    async with hosted(path) as services:
        await services.rooms.create_room(room_request("whole"))
        with pytest.raises(GenialError) as refused:
            await view_of(services, NOBODY)
        await play_on(services, random.Random(2), game_id="whole")
    assert refused.value.reason == Reason.GAME_DAMAGED
    expected = {"set-up": "the set-up", "nothing": "the deal is missing"}
    assert refused.value.metadata["fault"].startswith(expected.get(damage, "event 9"))
    assert "game-1" in caplog.text
    async with hosted(path) as services:
        assert (await view_of(services, NOBODY, "whole")).revision > 20
