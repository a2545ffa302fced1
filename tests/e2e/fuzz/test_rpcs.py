"""Whatever is sent to whichever rpc: a refusal with a reason, and every room goes on.

A sample here; more with ``GENIAL_SOAK=100000`` (inputs), other ones with ``GENIAL_SEED``.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from grpc_health.v1 import health_pb2

from genial.services.limits import Limits
from genial.v1 import (
    bot_service_pb2,
    game_service_pb2,
    history_service_pb2,
    lobby_service_pb2,
    room_service_pb2,
    table_pb2,
)
from genial.wire.metadata import new_seat_token
from tests.e2e.fuzz.inputs import Input, Inventor
from tests.services.host.hosts import Guest, Line, hosting, line_to, local
from tests.services.lobby.lobbies import create_request
from tests.services.waiting import until

INPUTS: Final = max(3000, int(os.environ.get("GENIAL_SOAK") or 0))
SEED: Final = int(os.environ.get("GENIAL_SEED") or 1)
AT_ONCE: Final = 20
BETWEEN_GAMES: Final = 1000

RPCS: Final = [
    rpc
    for file in (
        lobby_service_pb2, game_service_pb2, bot_service_pb2, history_service_pb2,
        room_service_pb2, health_pb2,
    )
    for service in file.DESCRIPTOR.services_by_name.values()
    for rpc in service.methods
]  # fmt: skip

NEVER: Final = (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL)


async def send(channel: Any, given: Input, streaming: bool) -> grpc.StatusCode:
    """The code that a call is answered with; a stream is left after its first message."""
    call: Any
    try:
        if streaming:
            call = channel.unary_stream(given.rpc)(given.data, metadata=given.metadata, timeout=20)
            try:
                await call.read()
            finally:
                call.cancel()
        else:
            call = channel.unary_unary(given.rpc)(given.data, metadata=given.metadata, timeout=20)
            await call
    except grpc.aio.AioRpcError as error:
        return error.code()
    except asyncio.CancelledError:
        if not call.cancelled():
            raise
    return grpc.StatusCode.OK


async def in_a_game(line: Line, inventor: Inventor) -> list[Guest]:
    """Two people in a game of their own, whose ids and tokens the inventor may use."""
    made = await line.lobby.CreateTable(create_request(2))
    guests = [Guest(line, name, made.table.table_id) for name in ("Ana", "Eva")]
    for guest in guests:
        await guest.sit()
    for guest in guests:
        await guest.do("SetReady", ready=True)
    await until(lambda: guests[0].table.state == table_pb2.TABLE_STATE_ACTIVE)
    inventor.known = [made.table.table_id, guests[0].table.game_id, "medium", "Ana"]
    inventor.tokens = [*(guest.token for guest in guests), new_seat_token()]
    return guests


async def played_on(line: Line) -> None:
    """Nothing is dead: two others sit down, are dealt to, and end their game."""
    guests = await in_a_game(line, Inventor(0, RPCS))
    await guests[1].resign()
    await until(lambda: guests[0].table.state == table_pb2.TABLE_STATE_OPEN)
    await leave(guests)


async def leave(guests: list[Guest]) -> None:
    for guest in guests:
        if guest.task is not None:
            guest.task.cancel()
            with contextlib.suppress(asyncio.CancelledError, grpc.aio.AioRpcError):
                await guest.task


@pytest.fixture
async def line(tmp_path: Path) -> AsyncIterator[Line]:
    # Few bots: what is tried here are refusals, not thinking.
    settings = local(tmp_path, limits=Limits(bots=1, tables=100_000))
    async with hosting(settings) as (_, ready), line_to(ready.address) as line:
        yield line


async def test_no_input_is_answered_by_a_fault(
    line: Line, caplog: pytest.LogCaptureFixture
) -> None:
    inventor = Inventor(SEED, RPCS)
    codes: Counter[str] = Counter()
    for _ in range(0, INPUTS, BETWEEN_GAMES):
        guests = await in_a_game(line, inventor)
        for _ in range(0, BETWEEN_GAMES, AT_ONCE):
            given = [inventor.next() for _ in range(AT_ONCE)]
            answers = await asyncio.gather(
                *(send(line.channel, each, rpc.server_streaming) for rpc, each in given)
            )
            for (_rpc, each), code in zip(given, answers, strict=True):
                codes[code.name] += 1
                assert code not in NEVER, f"{code} for {each}\n{caplog.text[-3000:]}"
        await leave(guests)
        await played_on(line)
    assert not [record for record in caplog.records if "failed, reference" in record.message]
    # Most are refused in one of several ways, some are even answered.
    assert codes["OK"] > 0
    assert codes["INVALID_ARGUMENT"] > codes.total() / 10
    assert len(codes) > 4, codes
