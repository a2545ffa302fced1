"""Packed states: the same game as following every event, or none at all."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from genial.engine.game import evolve
from genial.services.game.recovery import recover
from genial.services.game.setup import Setup
from genial.services.game.snapshot import UnfitSnapshotError, pack, unpack
from genial.services.game.store import _load
from genial.v1 import game_pb2
from tests.services.game.hosting import NOBODY, STARTED_MS, hosted, play_on, room_request, view_of

MODES = [
    (2, game_pb2.MODE_FREE),
    (3, game_pb2.MODE_FREE),
    (4, game_pb2.MODE_PARTNERS),
    (1, game_pb2.MODE_SOLO),
]


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
    game = setup.new_game()
    for number, each in enumerate(told):
        assert unpack(pack(game, number), setup) == (game, number)
        game = evolve(game, each.event())
    assert game.is_over


def test_what_is_no_state_is_refused() -> None:
    setup = Setup.of(room_request(), STARTED_MS)
    sound = pack(setup.new_game(), 0)
    for data in (b"", b"[]", b"{}", b"null", b"[2]", sound[:-1], sound.replace(b"[1,", b"[9,", 1)):
        with pytest.raises(UnfitSnapshotError):
            unpack(data, setup)


async def played(path: Path, moves: int) -> None:
    """A file with a game that was begun and put away in order."""
    async with hosted(path) as services:
        await services.rooms.create_room(room_request())
        await play_on(services, random.Random(5), moves)


async def test_an_orderly_end_keeps_the_state(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    await played(path, 11)
    with closing(sqlite3.connect(path)) as connection:
        stored = _load(connection, 1)
    assert stored.snapshot is not None
    assert stored.snapshot.revision == len(stored.entries)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE game_snapshots SET body = CAST(replace(body, ',', ';') AS BLOB)",
        "UPDATE game_snapshots SET n = n - 1",
        "UPDATE game_snapshots SET chain = chain + 1",
        "UPDATE game_snapshots SET checksum = checksum + 1",
        "DELETE FROM game_snapshots",
    ],
)
async def test_one_that_does_not_fit_changes_nothing(tmp_path: Path, change: str) -> None:
    path = tmp_path / "host.db"
    await played(path, 11)
    with closing(sqlite3.connect(path)) as connection:
        before = recover(_load(connection, 1), 0).game
        connection.execute(change)
        connection.commit()
        stored = _load(connection, 1)
        assert stored.snapshot is None
        assert recover(stored, 0).game == before
    async with hosted(path) as services:
        assert (await play_on(services, random.Random(6))).state == game_pb2.GAME_STATE_FINISHED


async def test_one_of_other_events_is_not_used(tmp_path: Path) -> None:
    """As after a restored backup: the state is sound and the log is sound, but not together."""
    path = tmp_path / "host.db"
    await played(path, 11)
    with closing(sqlite3.connect(path)) as connection:
        later = connection.execute("SELECT * FROM game_snapshots").fetchone()
        connection.execute("DELETE FROM game_events WHERE n > 8")
        connection.commit()
        stored = _load(connection, 1)
    assert later is not None
    assert stored.snapshot is None
    assert recover(stored, 0).game.revision == 8


async def test_a_game_goes_on_from_its_state(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    await played(path, 11)
    async with hosted(path) as services:
        public = await play_on(services, random.Random(6))
        assert public.state == game_pb2.GAME_STATE_FINISHED
        assert (await view_of(services, NOBODY)).revision == public.revision
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM game_snapshots").fetchone() == (0,)
