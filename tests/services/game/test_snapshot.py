"""Packed states: the same game as following every event, or none at all."""

from __future__ import annotations

import json
import logging
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from genial.engine.game import evolve
from genial.engine.moves import Phase
from genial.services.game.log import Snapshot, StoredGame
from genial.services.game.recovery import recover
from genial.services.game.rows import load, store_snapshot
from genial.services.game.setup import Setup
from genial.services.game.snapshot import UnfitSnapshotError, pack, unpack
from genial.v1 import game_pb2
from tests.services.game.hosting import (
    NOBODY,
    STARTED_MS,
    call_of,
    hosted,
    next_request,
    play_on,
    room_request,
    send,
    view_of,
)

MODES = [
    (2, game_pb2.MODE_FREE),
    (3, game_pb2.MODE_FREE),
    (4, game_pb2.MODE_PARTNERS),
    (1, game_pb2.MODE_SOLO),
]


async def played(path: Path, moves: int = 11) -> None:
    """A file with a game in its middle."""
    async with hosted(path) as services:
        await services.rooms.create_room(room_request())
        await play_on(services, random.Random(5), moves)


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as connection:
        yield connection
        connection.commit()


def alone(stored: StoredGame) -> StoredGame:
    """The log without a packed state."""
    return replace(stored, snapshot=None)


# --- what is packed ---


@pytest.mark.parametrize(("players", "mode"), MODES)
async def test_every_state_of_a_game_comes_back_as_it_was(
    tmp_path: Path, players: int, mode: game_pb2.Mode.ValueType
) -> None:
    request = room_request("game-1", players, mode=mode, first_by=game_pb2.FIRST_BY_CHANCE)
    async with hosted(tmp_path / "host.db") as services:
        await services.rooms.create_room(request)
        await play_on(services, random.Random(players))
        told = (await services.rooms.room("game-1")).publication.told
    setup = Setup.of(request, STARTED_MS)
    game, placements = setup.new_game(), 0
    for each in told:
        event = each.event()
        placements += hasattr(event, "cells")
        game = evolve(game, event)
        if game.phase is not Phase.DEAL and not game.is_over:
            snapshot = Snapshot(game.revision, pack(game, placements))
            assert unpack(snapshot, setup) == (game, placements)
    assert game.is_over


async def test_it_is_written_with_the_event_that_it_stands_after(tmp_path: Path) -> None:
    """So that no crash can come between the two: at every moment it fits the log beside it."""
    path = tmp_path / "host.db"
    seen = set()
    async with hosted(path) as services:
        await services.rooms.create_room(room_request())
        for _ in range(30):
            view = await view_of(services, NOBODY)
            if view.state != game_pb2.GAME_STATE_RUNNING:
                break
            call = call_of(view.turn_seat)
            await send(
                services, next_request(await view_of(services, call), random.Random(1)), call
            )
            with opened(path) as connection:
                stored = load(connection, 1)
            if stored.snapshot is not None:
                seen.add(stored.snapshot.revision)
                assert len(stored.entries) - stored.snapshot.revision < 10
            else:
                assert len(stored.entries) < 8
            assert recover(stored, 0).game == recover(alone(stored), 0).game
    assert len(seen) > 3


async def test_a_state_that_cannot_be_packed_costs_no_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(game: object, placements: int) -> bytes:
        raise KeyError("a bug of ours")

    monkeypatch.setattr("genial.services.game.snapshot.pack", broken)
    path = tmp_path / "host.db"
    await played(path)
    assert "cannot be packed" in caplog.text
    with opened(path) as connection:
        stored = load(connection, 1)
    assert stored.snapshot is None
    assert len(stored.entries) > 11


async def test_a_game_that_is_over_keeps_none(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    await played(path)
    async with hosted(path) as services:
        public = await play_on(services, random.Random(6))
        assert public.state == game_pb2.GAME_STATE_FINISHED
        assert (await view_of(services, NOBODY)).revision == public.revision
    with opened(path) as connection:
        assert connection.execute("SELECT count(*) FROM game_snapshots").fetchone() == (0,)


# --- what is left out ---


async def after_change(path: Path, change: str) -> StoredGame:
    """A game whose file was changed: the log alone says how it stands, and it goes on."""
    await played(path)
    with opened(path) as connection:
        assert load(connection, 1).snapshot is not None
        connection.execute(change)
        stored = load(connection, 1)
    assert stored.snapshot is None
    publication = recover(stored, 0)
    assert publication.revision == len(stored.entries)
    async with hosted(path) as services:
        room = await services.rooms.room("game-1")
        assert room.publication.game == publication.game
        assert (await play_on(services, random.Random(6))).state == game_pb2.GAME_STATE_FINISHED
    return stored


async def test_a_damaged_one_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    change = "UPDATE game_snapshots SET body = CAST(replace(body, ',', ';') AS BLOB)"
    await after_change(tmp_path / "host.db", change)
    assert "it is not what was written" in caplog.text


async def test_one_with_a_damaged_checksum_is_left_out(tmp_path: Path) -> None:
    change = "UPDATE game_snapshots SET checksum = checksum + 1"
    await after_change(tmp_path / "host.db", change)


async def test_one_that_says_another_revision_is_left_out(tmp_path: Path) -> None:
    await after_change(tmp_path / "host.db", "UPDATE game_snapshots SET n = n - 1")


async def test_without_one_every_event_is_followed(tmp_path: Path) -> None:
    await after_change(tmp_path / "host.db", "DELETE FROM game_snapshots")


async def test_one_from_the_future_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has lost its end, as after a restored backup: the state knows more than it."""
    change = "DELETE FROM game_events WHERE n > 6"
    stored = await after_change(tmp_path / "host.db", change)
    assert len(stored.entries) == 6
    assert "the log ends at 6" in caplog.text


async def test_one_of_other_events_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A log that was restored and played on from there: as long, but another game."""
    path, other = tmp_path / "host.db", tmp_path / "other.db"
    await played(path)
    async with hosted(other) as services:
        await services.rooms.create_room(room_request())
        await play_on(services, random.Random(77), 11)
    with opened(path) as connection, opened(other) as foreign:
        (row,) = foreign.execute("SELECT * FROM game_snapshots").fetchall()
        connection.execute("INSERT OR REPLACE INTO game_snapshots VALUES (?, ?, ?, ?, ?)", row)
        stored = load(connection, 1)
    assert stored.snapshot is None
    assert "it belongs to other events" in caplog.text


async def test_one_of_another_game_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "host.db"
    async with hosted(path) as services:
        for game_id in ("game-1", "game-2"):
            await services.rooms.create_room(room_request(game_id))
            await play_on(services, random.Random(5), 11, game_id)
    with opened(path) as connection:
        connection.execute("DELETE FROM game_snapshots WHERE game = 2")
        connection.execute("UPDATE game_snapshots SET game = 2")
        assert load(connection, 2).snapshot is None
    assert "it belongs to other events" in caplog.text


async def test_a_stale_one_is_only_where_following_begins(tmp_path: Path) -> None:
    """It stands after events that there are; all that have come since are followed."""
    path = tmp_path / "host.db"
    await played(path, 6)
    with opened(path) as connection:
        (early,) = connection.execute("SELECT * FROM game_snapshots").fetchall()
    async with hosted(path) as services:
        await play_on(services, random.Random(6), 12)
    with opened(path) as connection:
        connection.execute("INSERT OR REPLACE INTO game_snapshots VALUES (?, ?, ?, ?, ?)", early)
        stored = load(connection, 1)
    assert stored.snapshot is not None
    assert len(stored.entries) - stored.snapshot.revision > 8
    assert recover(stored, 0).game == recover(alone(stored), 0).game
    assert recover(stored, 0).revision == len(stored.entries)


CHANGES: dict[str, Any] = {
    "another version": (0, 99),
    "another revision inside": (1, 7),
    "more placements": (2, 50),
    "a first seat that there is not": (3, 9),
    "too short a board": (4, "00"),
    "a rack too few": (6, ["0001"]),
    "an empty bag": (8, ""),
    "a turn of nobody": (10, -1),
    "no phase": (11, "nap"),
    "before the deal": (11, "deal"),
    "no symbols": (13, [99]),
    "started seats that there are not": (14, [5]),
    "no text at all": (1, None),
}


@pytest.mark.parametrize("name", CHANGES)
async def test_a_nonsensical_one_is_left_out_although_all_its_sums_are_right(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """As a fault of the packing itself would have it."""
    path = tmp_path / "host.db"
    await played(path)
    place, value = CHANGES[name]
    with opened(path) as connection:
        before = recover(alone(load(connection, 1)), 0).game
        n, body = connection.execute("SELECT n, body FROM game_snapshots").fetchone()
        content = json.loads(body)
        content[place] = value
        store_snapshot(connection, 1, Snapshot(n, json.dumps(content).encode()))
        stored = load(connection, 1)
    assert stored.snapshot is not None
    with caplog.at_level(logging.WARNING):
        assert recover(stored, 0).game == before
    assert "its packed state is left out" in caplog.text


async def test_one_that_the_next_event_does_not_follow_from_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Well formed and bound to the right events, and yet wrong: the log is no less whole."""
    path = tmp_path / "host.db"
    await played(path, 8)
    with opened(path) as connection:
        stored = load(connection, 1)
        assert stored.snapshot is not None
        assert stored.snapshot.revision < len(stored.entries)
        content = json.loads(stored.snapshot.body)
        content[6].reverse()
        content[10] = 1 - content[10]
        wrong = Snapshot(stored.snapshot.revision, json.dumps(content).encode())
        store_snapshot(connection, 1, wrong)
        stored = load(connection, 1)
    assert stored.snapshot is not None
    assert recover(stored, 0).game == recover(alone(stored), 0).game
    assert "its packed state is left out" in caplog.text


def test_what_is_no_state_is_refused() -> None:
    setup = Setup.of(room_request(), STARTED_MS)
    for data in (b"", b"[]", b"{}", b"null", b"[2]", b"\xff", b"[1" + b"," * 20 + b"]"):
        with pytest.raises(UnfitSnapshotError):
            unpack(Snapshot(8, data), setup)


async def test_damage_of_the_log_is_named_whatever_was_packed(tmp_path: Path) -> None:
    """A state after the damaged event would go on well, from a game that nobody can check."""
    path = tmp_path / "host.db"
    await played(path)
    with opened(path) as connection:
        connection.execute("UPDATE game_events SET body = x'00' WHERE n = 4")
    async with hosted(path) as services:
        with pytest.raises(Exception, match="event 4 is not what was written"):
            await services.rooms.room("game-1")
