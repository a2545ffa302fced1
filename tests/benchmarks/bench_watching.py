"""What watchers cost: the time until 64 of them know, and the memory of one who waits."""

from __future__ import annotations

import asyncio
import random
import re
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import grpc

from genial.services.game import GameSettings, RemoteRooms
from genial.v1 import game_pb2, game_service_pb2, game_service_pb2_grpc
from genial.wire.metadata import SEAT_TOKEN
from tests.benchmarks.run import Bench
from tests.services.game.host_process import STREAM, in_a_process
from tests.services.game.hosting import SECRET, next_request, room_request, token_of

WATCHERS = 64
MOVES = 60
IDLE = 2000
GAMES = IDLE // (GameSettings().most_watchers // 2)

OPTIONS = [("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1)]

RAW = """
import asyncio, sys

async def main():
    writers = []

    async def serve(reader, writer):
        kind = await reader.readexactly(1)
        if kind == b"w":
            writers.append(writer)
            return
        while size := await reader.read(4):
            data = await reader.readexactly(int.from_bytes(size, "big"))
            for each in writers:
                each.write(size + data)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

asyncio.run(main())
"""
"""Passes whatever one connection sends on to all the others."""


class Raw:
    """The least that telling 64 others can cost: TCP, a length, the bytes."""

    def __init__(self, control: asyncio.StreamWriter, readers: list[asyncio.StreamReader]) -> None:
        self._control = control
        self._readers = readers

    async def tell(self, data: bytes) -> float:
        """Seconds from sending to the last one's having it."""
        started = perf_counter()
        self._control.write(len(data).to_bytes(4, "big") + data)
        await asyncio.gather(*(self._read(reader) for reader in self._readers))
        return perf_counter() - started

    async def _read(self, reader: asyncio.StreamReader) -> None:
        size = await reader.readexactly(4)
        await reader.readexactly(int.from_bytes(size, "big"))


@asynccontextmanager
async def raw_fan_out() -> AsyncIterator[Raw]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", RAW, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    port = int(await process.stdout.readline())
    writers: list[asyncio.StreamWriter] = []
    readers: list[asyncio.StreamReader] = []
    try:
        for _ in range(WATCHERS):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"w")
            readers.append(reader)
            writers.append(writer)
        _, control = await asyncio.open_connection("127.0.0.1", port)
        writers.append(control)
        control.write(b"c")
        yield Raw(control, readers)
    finally:
        for writer in writers:
            writer.close()
        process.stdin.close()
        await process.wait()


def fan_out_ratio() -> float:
    """Until 64 watchers have a move, beyond what it takes with none, over raw TCP; p50."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_fan_out_ratio(Path(folder)))


async def _fan_out_ratio(folder: Path) -> float:
    async with AsyncExitStack() as stack:
        _, port = await stack.enter_async_context(in_a_process(folder))
        raw = await stack.enter_async_context(raw_fan_out())

        async def line() -> grpc.aio.Channel:
            channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=OPTIONS)
            return await stack.enter_async_context(channel)

        mover = await line()
        rooms = RemoteRooms(mover, SECRET)
        for game_id in ("watched", "alone"):
            await rooms.create_room(room_request(game_id, 2, seed="the same"))
        request = game_service_pb2.WatchGameRequest(game_id="watched")
        path = "/genial.v1.GameService/WatchGame"
        # Bytes, as the raw ones: what watchers make of them is their own affair.
        data: Any = request.SerializeToString()
        streams: list[Any] = [(await line()).unary_stream(path)(data) for _ in range(WATCHERS)]
        await asyncio.gather(*(stream.read() for stream in streams))
        games = game_service_pb2_grpc.GameServiceStub(mover)
        with_watchers: list[float] = []
        without: list[float] = []
        bare: list[float] = []
        for seed in range(MOVES):
            await _move(games, "alone", seed, [], without)
            updates = await _move(games, "watched", seed, streams, with_watchers)
            bare.append(await raw.tell(updates[0]))
        for stream in streams:
            stream.cancel()
    median = statistics.median
    return (median(with_watchers) - median(without)) / median(bare)


async def _move(
    games: game_service_pb2_grpc.GameServiceStub,
    game_id: str,
    seed: int,
    streams: list[Any],
    spent: list[float],
) -> list[bytes]:
    """One command of whose turn it is; what the watchers got."""
    asked = game_service_pb2.GetGameRequest(game_id=game_id)
    public = (await games.GetGame(asked)).view
    metadata = ((SEAT_TOKEN, token_of(public.turn_seat)),)
    view = (await games.GetGame(asked, metadata=metadata)).view
    request = next_request(view, random.Random(seed))
    method: Any = {
        game_service_pb2.PlaceTileRequest: games.PlaceTile,
        game_service_pb2.RefillRackRequest: games.RefillRack,
        game_service_pb2.ExchangeRackRequest: games.ExchangeRack,
    }[type(request)]
    started = perf_counter()
    answer = asyncio.ensure_future(method(request, metadata=metadata))
    updates = await asyncio.gather(*(stream.read() for stream in streams))
    await answer
    spent.append(perf_counter() - started)
    assert view.state == game_pb2.GAME_STATE_RUNNING
    return updates


def memory_ratio() -> float:
    """Bytes of the host for one idle watcher, over one bare stream."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_memory_ratio(Path(folder)))


async def _memory_ratio(folder: Path) -> float:
    bare = await _memory_of_each(folder, games=False)
    watch = await _memory_of_each(folder, games=True)
    return watch / bare


async def _memory_of_each(folder: Path, *, games: bool) -> float:
    """Resident bytes that each of many idle streams adds to a host, after a few for warming up."""
    async with (
        in_a_process(folder) as (process, port),
        grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=OPTIONS) as channel,
    ):
        rooms = RemoteRooms(channel, SECRET)
        first = b"x" * 1200
        for number in range(GAMES + 1):
            await rooms.create_room(room_request(f"game-{number}", 2, seed=f"{number}"))

        async def open_streams(count: int) -> list[Any]:
            streams: list[Any] = []
            for number in range(count):
                data: Any = first
                path = STREAM
                if games:
                    request = game_service_pb2.WatchGameRequest(game_id=f"game-{number % GAMES}")
                    path, data = "/genial.v1.GameService/WatchGame", request.SerializeToString()
                streams.append(channel.unary_stream(path)(data))
                await streams[-1].read()
            return streams

        warm = await open_streams(200)
        before = _resident(process.pid)
        opened = await open_streams(IDLE)
        after = _resident(process.pid)
        for stream in (*warm, *opened):
            stream.cancel()
    return (after - before) / IDLE


def _resident(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found.group(1)) * 1024


BENCHES = [
    Bench(
        "fan-out",
        "until 64 watchers have a move, over a raw TCP fan-out of the same bytes (p50)",
        4.0,
        False,
        fan_out_ratio,
    ),
    Bench(
        "watcher-memory",
        "memory of an idle watcher, over a bare grpc.aio stream",
        1.5,
        False,
        memory_ratio,
    ),
]
