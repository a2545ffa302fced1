"""A host killed outright, at moments that nobody chose, and started again."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import grpc
import pytest

from genial.engine.record import Verdict, judge
from genial.services.game import RemoteRooms
from genial.v1 import (
    game_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    history_service_pb2,
    history_service_pb2_grpc,
)
from genial.wire.metadata import SEAT_TOKEN
from tests.services.game.host_process import in_a_process
from tests.services.game.hosting import SECRET, SeatRequest, next_request, room_request, token_of

DEADLINE_S = 20
PLAYERS = 2


def as_seat(seat: int) -> grpc.aio.Metadata:
    return grpc.aio.Metadata((SEAT_TOKEN, token_of(seat)))


class Table:
    """Two players at a host that keeps dying."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.games = game_service_pb2_grpc.GameServiceStub(channel)
        self.history = history_service_pb2_grpc.HistoryServiceStub(channel)

    async def view(self, seat: int) -> game_pb2.GameView:
        request = game_service_pb2.GetGameRequest(game_id="game-1")
        answer = await self.games.GetGame(request, metadata=as_seat(seat), timeout=DEADLINE_S)
        return answer.view

    async def send(self, request: SeatRequest, seat: int) -> game_service_pb2.PlaceTileResponse:
        method: Any = {
            game_service_pb2.PlaceTileRequest: self.games.PlaceTile,
            game_service_pb2.RefillRackRequest: self.games.RefillRack,
            game_service_pb2.ExchangeRackRequest: self.games.ExchangeRack,
        }[type(request)]
        answer = await method(request, metadata=as_seat(seat), timeout=DEADLINE_S)
        return game_service_pb2.PlaceTileResponse.FromString(answer.SerializeToString())

    async def on_turn(self) -> tuple[int, game_pb2.GameView]:
        seat = (await self.view(0)).turn_seat
        return seat, await self.view(seat)


def channel_to(port: int) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.enable_http_proxy", 0)])


async def some_moves(
    table: Table, rng: random.Random, count: int
) -> tuple[SeatRequest, int, game_service_pb2.PlaceTileResponse] | None:
    """Plays so many commands; the last with its seat and its answer."""
    last = None
    for _ in range(count):
        seat, view = await table.on_turn()
        if view.state != game_pb2.GAME_STATE_RUNNING:
            break
        request = next_request(view, rng)
        last = request, seat, await table.send(request, seat)
    return last


@pytest.mark.parametrize("seed", range(2))
async def test_what_was_answered_stands_and_what_was_not_is_applied_once(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    async with in_a_process(tmp_path) as (process, port), channel_to(port) as channel:
        await RemoteRooms(channel, SECRET).create_room(room_request())
        last = await some_moves(Table(channel), rng, 5)
        process.kill()
    for _ in range(4):
        async with in_a_process(tmp_path) as (process, port), channel_to(port) as channel:
            table = Table(channel)
            assert last is not None
            request, seat, answer = last
            assert await table.send(request, seat) == answer
            assert await table.view(seat) == answer.view
            last = await some_moves(table, rng, rng.randrange(1, 12))
            # One more is under way when the host dies; it is answered or it is not.
            seat, view = await table.on_turn()
            request = next_request(view, rng)
            under_way = asyncio.create_task(table.send(request, seat))
            await asyncio.sleep(rng.random() * 0.003)
            process.kill()
            (outcome,) = await asyncio.gather(under_way, return_exceptions=True)
        async with in_a_process(tmp_path) as (process, port), channel_to(port) as channel:
            table = Table(channel)
            answer = await table.send(request, seat)
            assert answer.revision == view.revision + 1
            if isinstance(outcome, game_service_pb2.PlaceTileResponse):
                assert answer == outcome
            last = request, seat, answer
            process.kill()
    async with in_a_process(tmp_path) as (_, port), channel_to(port) as channel:
        table = Table(channel)
        await some_moves(table, rng, 1000)
        record = await table.history.GetRecord(
            history_service_pb2.GetRecordRequest(game_id="game-1")
        )
    assert judge(record.record).verdict is Verdict.VERIFIED
