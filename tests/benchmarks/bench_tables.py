"""A full house: 250 tables of four, played over the wire by one process of clients."""

from __future__ import annotations

import asyncio
import random
import tempfile
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

TABLES = 250
SEATS = 4
CALLERS = 64
SECONDS = 6.0

OPTIONS = [("grpc.enable_http_proxy", 0)]


def tables_ratio() -> float:
    """Moves a second at all tables together, over empty calls a second of the same process."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_tables_ratio(Path(folder)))


async def _tables_ratio(folder: Path) -> float:
    async with (
        in_a_process(folder) as (_, port),
        grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=OPTIONS) as channel,
    ):
        before = await _empty_calls(channel)
        moves = await _moves(channel)
        after = await _empty_calls(channel)
    return moves / ((before + after) / 2)


async def _empty_calls(channel: grpc.aio.Channel) -> float:
    """A second, from as many callers at once as get the most out of it."""
    empty: Any = channel.unary_unary(EMPTY)
    done = 0
    ends = perf_counter() + SECONDS / 2

    async def call() -> None:
        nonlocal done
        while perf_counter() < ends:
            await empty(b"")
            done += 1

    started = perf_counter()
    await asyncio.gather(*(call() for _ in range(CALLERS)))
    return done / (perf_counter() - started)


class Seats:
    """The four seats of one table, each with a stream of its own, as bots have it."""

    def __init__(self, channel: grpc.aio.Channel, game_id: str) -> None:
        self.moves = 0
        self._games = game_service_pb2_grpc.GameServiceStub(channel)
        self._game_id = game_id
        self._source = random.Random(game_id)

    async def play(self, rooms: RemoteRooms) -> None:
        """Game after game, until cancelled."""
        number = 0
        while True:
            number += 1
            game_id = f"{self._game_id}-{number}"
            await rooms.create_room(room_request(game_id, SEATS, seed=game_id))
            async with asyncio.TaskGroup() as group:
                for seat in range(SEATS):
                    group.create_task(self._play_seat(game_id, seat))

    async def _play_seat(self, game_id: str, seat: int) -> None:
        metadata: Any = ((SEAT_TOKEN, token_of(seat)),)
        methods: dict[type, Any] = {
            game_service_pb2.PlaceTileRequest: self._games.PlaceTile,
            game_service_pb2.RefillRackRequest: self._games.RefillRack,
            game_service_pb2.ExchangeRackRequest: self._games.ExchangeRack,
        }
        request = game_service_pb2.WatchGameRequest(game_id=game_id)
        stream = self._games.WatchGame(request, metadata=metadata)
        try:
            async for update in stream:
                view = update.view
                if view.state == game_pb2.GAME_STATE_RUNNING and view.turn_seat == seat:
                    command = next_request(view, self._source)
                    await methods[type(command)](command, metadata=metadata)
                    self.moves += 1
        finally:
            stream.cancel()


async def _moves(channel: grpc.aio.Channel) -> float:
    """A second, at all tables together, once all of them play."""
    tables = [Seats(channel, f"table-{number}") for number in range(TABLES)]
    rooms = RemoteRooms(channel, SECRET)
    playing = [asyncio.create_task(table.play(rooms)) for table in tables]
    try:
        while not all(table.moves for table in tables):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        known, started = sum(table.moves for table in tables), perf_counter()
        await asyncio.sleep(SECONDS)
        return (sum(table.moves for table in tables) - known) / (perf_counter() - started)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)


BENCHES = [
    Bench(
        "tables",
        "moves a second at 250 tables of four over the wire, over empty calls a second",
        0.12,
        True,
        tables_ratio,
    ),
]
