"""A thousand running games after a restart: states again, over a bare reading of their rows."""

from __future__ import annotations

import asyncio
import gc
import random
import sqlite3
import statistics
import tempfile
from contextlib import aclosing, closing
from pathlib import Path
from time import process_time

from genial.services.game import COMPONENT, GameServices, GameSettings
from genial.services.game.log import Snapshot
from genial.services.game.rows import checksum, store_snapshot
from genial.services.store import Database
from genial.v1 import room_service_pb2
from tests.benchmarks.run import Bench
from tests.services.game.hosting import SECRET, hosted, play_on, room_request

GAMES = 1000
PATTERNS = 20
MOVES = 30
"""Of the first; each has one more than the one before, so that it is half a game on average, and
their packed states lie as many events back as they can."""

_TIMES = 5

_TABLES = ("game_setups", "game_events", "game_requests", "game_holders", "game_clocks")
"""The log. The packed states beside it are not what it is compared with."""


def recovery_ratio() -> float:
    """Until every running game has its state again, over a bare reading of the same rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "host.db"
        asyncio.run(_make(path))
        bare: list[float] = []
        recovered: list[float] = []
        # In turn, so that whatever disturbs disturbs both.
        for _ in range(_TIMES):
            bare.append(_read_bare(path))
            recovered.append(asyncio.run(_recover(path)))
    return statistics.median(recovered) / statistics.median(bare)


async def _make(path: Path) -> None:
    """A file with so many running games: a few that were played, and copies of them."""
    async with hosted(path) as services:
        source = random.Random(1)
        for number in range(PATTERNS):
            request = room_request(f"game-{number}", 2 + number % 3, seed=f"{number}")
            await services.rooms.create_room(request)
            await play_on(services, source, MOVES + number, f"game-{number}")
    with closing(sqlite3.connect(path)) as connection:
        for number in range(PATTERNS, GAMES):
            _copy(connection, 1 + number % PATTERNS, number)
        connection.commit()


def _copy(connection: sqlite3.Connection, pattern: int, number: int) -> None:
    at, body = connection.execute(
        "SELECT started_at, setup FROM game_setups WHERE game = ?", (pattern,)
    ).fetchone()
    request = room_service_pb2.CreateRoomRequest.FromString(body)
    request.game_id = f"game-{number}"
    body = request.SerializeToString()
    cursor = connection.execute(
        "INSERT INTO game_setups (game_id, table_id, started_at, setup, checksum)"
        " VALUES (?, ?, ?, ?, ?)",
        (request.game_id, request.table_id, at, body, checksum(0, at, body)),
    )
    for table in _TABLES[1:]:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")][1:]
        names = ", ".join(columns)
        connection.execute(
            f"INSERT INTO {table} (game, {names}) SELECT ?, {names} FROM {table} WHERE game = ?",
            (cursor.lastrowid, pattern),
        )
    n, packed = connection.execute(
        "SELECT n, body FROM game_snapshots WHERE game = ?", (pattern,)
    ).fetchone()
    assert cursor.lastrowid is not None
    store_snapshot(connection, cursor.lastrowid, Snapshot(n, packed))


def _read_bare(path: Path) -> float:
    """Seconds (of the processor) for all rows of these games, game by game."""
    with closing(sqlite3.connect(path)) as connection:
        started = process_time()
        games = connection.execute("SELECT game FROM game_setups WHERE ended_at IS NULL").fetchall()
        for game in games:
            for table in _TABLES:
                connection.execute(f"SELECT * FROM {table} WHERE game = ?", game).fetchall()
        spent = process_time() - started
    assert len(games) == GAMES
    return spent


async def _recover(path: Path) -> float:
    """Seconds (of the processor) from the start of the services until no game is missing."""
    database = await Database.open(path, [COMPONENT])
    services = GameServices(database, GameSettings(), SECRET)
    started = process_time()
    await services.start()
    await _all_back(services)
    spent = process_time() - started
    await services.close(returning=True)
    await database.close()
    # A host starts once; here the games of one start must not weigh on the next.
    gc.unfreeze()
    del services
    gc.collect()
    return spent


async def _all_back(services: GameServices) -> None:
    watching = services.rooms.watch_rooms(room_service_pb2.WatchRoomsRequest())
    async with aclosing(watching) as responses:
        async for response in responses:
            assert len(response.rooms) == GAMES
            return


BENCHES = [
    Bench(
        "recovery",
        "1,000 running games with their states again, over a bare reading of the same rows",
        5.0,
        False,
        recovery_ratio,
    ),
]
