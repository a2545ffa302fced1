"""The host's own speed: what a move costs beside the least that any move could cost."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import statistics
import tempfile
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any

import grpc

from genial.services.game import RemoteRooms
from genial.v1 import game_pb2, game_service_pb2, game_service_pb2_grpc
from genial.wire.metadata import SEAT_TOKEN
from tests.benchmarks.run import Bench
from tests.services.game.host_process import EMPTY, in_a_process
from tests.services.game.hosting import SECRET, next_request, room_request, token_of

MOVES = 400
WATCHERS = 4


def move_ratio() -> float:
    """A move's time until four watchers have it, over an empty call and a bare commit; p50."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_move_ratio(Path(folder)))


async def _move_ratio(folder: Path) -> float:
    options = [("grpc.enable_http_proxy", 0)]
    async with (
        in_a_process(folder) as (_, port),
        grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel,
    ):
        return await _side_by_side(channel, folder)


async def _side_by_side(channel: grpc.aio.Channel, folder: Path) -> float:
    """Empty calls, commits and moves in turn, so that whatever disturbs disturbs all three."""
    empty: Any = channel.unary_unary(EMPTY)
    games = Games(channel)
    moves: list[float] = []
    calls: list[float] = []
    commits: list[float] = []
    with closing(_bare(folder / "bare.db")) as bare:
        while len(moves) < MOVES:
            started = perf_counter()
            await empty(b"")
            called = perf_counter()
            _commit(bare, len(commits))
            committed = perf_counter()
            calls.append(called - started)
            commits.append(committed - called)
            moves.append(await games.move())
    await games.leave()
    floor = statistics.median(calls) + statistics.median(commits)
    return statistics.median(moves) / floor


def _bare(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE log (n INTEGER PRIMARY KEY, body BLOB)")
    return connection


def _commit(connection: sqlite3.Connection, n: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO log VALUES (?, ?)", (n, bytes(100)))
    connection.execute("COMMIT")


class Games:
    """Game after game of four, each with four watchers; every command is timed."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._rooms = RemoteRooms(channel, SECRET)
        self._stub = game_service_pb2_grpc.GameServiceStub(channel)
        self._rng = random.Random(5)
        self._number = 0
        self._streams: list[Any] = []
        self._views: list[game_pb2.GameView] = []

    async def move(self) -> float:
        """Seconds from asking to the last watcher's having it."""
        if not self._views or self._views[0].state != game_pb2.GAME_STATE_RUNNING:
            await self._begin()
        seat = self._views[0].turn_seat
        request = next_request(self._views[seat], self._rng)
        method: Any = {
            game_service_pb2.PlaceTileRequest: self._stub.PlaceTile,
            game_service_pb2.RefillRackRequest: self._stub.RefillRack,
            game_service_pb2.ExchangeRackRequest: self._stub.ExchangeRack,
        }[type(request)]
        # Whoever watches waits for the next message before there is one.
        waiting = asyncio.gather(*(stream.read() for stream in self._streams))
        await asyncio.sleep(0)
        started = perf_counter()
        await method(request, metadata=_as(seat))
        updates = await waiting
        spent = perf_counter() - started
        self._views = [update.view for update in updates]
        return spent

    async def leave(self) -> None:
        """Ends the streams."""
        for stream in self._streams:
            stream.cancel()

    async def _begin(self) -> None:
        await self.leave()
        self._number += 1
        game_id = f"game-{self._number}"
        await self._rooms.create_room(room_request(game_id, WATCHERS, seed=game_id))
        request = game_service_pb2.WatchGameRequest(game_id=game_id)
        self._streams = [
            self._stub.WatchGame(request, metadata=_as(seat)) for seat in range(WATCHERS)
        ]
        self._views = [(await stream.read()).view for stream in self._streams]


def _as(seat: int) -> grpc.aio.Metadata:
    return grpc.aio.Metadata((SEAT_TOKEN, token_of(seat)))


BENCHES = [
    Bench(
        "move",
        "a move, on disk and with four watchers, over an empty call and a bare commit (p50)",
        1.8,
        False,
        move_ratio,
    ),
]
