"""Thinking clocks: Fischer, on the host, standing still while it is down."""

from __future__ import annotations

import asyncio
import random
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genial.services.game import GameServices
from genial.services.game.clock import Clocks
from genial.v1 import game_pb2, game_service_pb2, room_service_pb2
from genial.wire.errors import GenialError, Reason
from genial.wire.values import Clock, clock_to_message
from tests.services.game.hosting import (
    NOBODY,
    Clockwork,
    call_of,
    fresh_id,
    hosted,
    next_request,
    play_on,
    room_request,
    send,
    view_of,
)

RULE = Clock(base_ms=60_000, increment_ms=10_000)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 50_000), st.booleans()), max_size=30),
)
def test_time_is_taken_from_whose_turn_it_is_and_from_nobody_else(
    turns: list[tuple[int, int, bool]],
) -> None:
    now = 0
    clocks = Clocks.new(RULE, 3, 0, now)
    left = [RULE.base_ms] * 3
    for turn, length, paused in turns:
        now += length
        if not clocks.paused:
            left[clocks.turn or 0] = max(0, left[clocks.turn or 0] - length)
        if turn != clocks.turn:
            left[clocks.turn or 0] += RULE.increment_ms
        clocks = clocks.turn_to(turn, now)
        assert clocks.left == tuple(left)
        clocks = clocks.pause(paused, now)
        assert clocks.left == tuple(left)
        assert (clocks.due() is None) == (paused or not left[turn])


def seconds_left(view: game_pb2.GameView) -> list[float]:
    return [seat.clock_left.ToMilliseconds() / 1000 for seat in view.seats]


async def clocked(services: GameServices) -> None:
    await services.rooms.create_room(room_request(clock=clock_to_message(RULE)))


async def test_a_turn_costs_its_time_and_earns_the_increment(tmp_path: Path) -> None:
    host = Clockwork()
    async with hosted(tmp_path / "host.db", host.times()) as services:
        await clocked(services)
        host.pass_ms(7_000)
        assert seconds_left(await view_of(services, NOBODY)) == [53, 60]
        await play_on(services, random.Random(1), moves=1)
        host.pass_ms(3_000)
        view = await play_on(services, random.Random(1), moves=1)
        assert seconds_left(view) == [60, 60]
        host.pass_ms(1_000)
        assert seconds_left(await view_of(services, NOBODY)) == [60, 59]
        record = await services.rooms.get_room_record(
            room_service_pb2.GetRoomRecordRequest(game_id="game-1")
        )
        assert b'"clock":"1m+10s"' in record.record.replace(b'": "', b'":"')


async def test_no_time_passes_while_the_host_is_down(tmp_path: Path) -> None:
    host = Clockwork()
    path = tmp_path / "host.db"
    async with hosted(path, host.times()) as services:
        await clocked(services)
        host.pass_ms(20_000)
    host.pass_ms(3_600_000)
    host.steady_ms = 17  # another run of the machine
    async with hosted(path, host.times()) as services:
        assert seconds_left(await view_of(services, NOBODY)) == [40, 60]
        host.pass_ms(5_000)
        assert seconds_left(await view_of(services, NOBODY)) == [35, 60]


async def test_a_repeat_after_a_restart_shows_the_clocks_of_then(tmp_path: Path) -> None:
    host = Clockwork()
    path = tmp_path / "host.db"
    async with hosted(path, host.times()) as services:
        await clocked(services)
        host.pass_ms(7_000)
        request = next_request(await view_of(services, call_of(0)), random.Random(1))
        first = await send(services, request, call_of(0))
        assert seconds_left(first.view) == [53, 60]
        host.pass_ms(5_000)
        await play_on(services, random.Random(1), moves=3)
    async with hosted(path, host.times()) as services:
        assert await send(services, request, call_of(0)) == first


async def test_a_clock_at_zero_is_reported(tmp_path: Path) -> None:
    async with hosted(tmp_path / "host.db") as services:
        brief = clock_to_message(Clock(base_ms=1_000))
        await services.rooms.create_room(room_request(clock=brief, leaving=game_pb2.LEAVING_SKIP))
        watching = services.rooms.watch_rooms(room_service_pb2.WatchRoomsRequest())
        async with aclosing(watching), asyncio.timeout(20):
            report = (await anext(watching)).rooms[0]
            assert not report.flagged_seats
            while not report.flagged_seats:
                report = (await anext(watching)).rooms[0]
        assert report.flagged_seats == [0]
        assert (await view_of(services, NOBODY)).turn_seat == 0
        await services.rooms.command_room(
            room_service_pb2.CommandRoomRequest(
                request_id=fresh_id(), game_id="game-1", skip=room_service_pb2.SkipTurn(seat=0)
            )
        )
        room = await services.rooms.get_room(room_service_pb2.GetRoomRequest(game_id="game-1"))
        assert not room.room.flagged_seats
        assert room.room.turn_seat == 1


async def test_a_clock_that_runs_out_while_a_move_is_synced_hides_no_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = Clockwork()
    async with hosted(tmp_path / "host.db", host.times()) as services:
        await clocked(services)
        # The end of a turn: with another seat's clock running, nothing more is shown by itself.
        rng = random.Random(1)
        request = next_request(await view_of(services, call_of(0)), rng)
        while isinstance(request, game_service_pb2.PlaceTileRequest):
            request = next_request((await send(services, request, call_of(0))).view, rng)
        host.pass_ms(RULE.base_ms - 1)
        room = await services.rooms.room("game-1")
        watching = services.game_handler.watch_game(
            game_service_pb2.WatchGameRequest(game_id="game-1"), NOBODY
        )
        async with aclosing(watching), asyncio.timeout(10):
            seen = game_service_pb2.WatchGameResponse.FromString(await anext(watching))
            append = room._log.append

            async def slowly(*arguments: Any) -> None:
                host.pass_ms(2)
                room._fall()
                flagged = game_service_pb2.WatchGameResponse.FromString(await anext(watching))
                assert flagged.revision == seen.revision
                await append(*arguments)

            monkeypatch.setattr(room._log, "append", slowly)
            answer = await send(services, request, call_of(0))
            moved = game_service_pb2.WatchGameResponse.FromString(await anext(watching))
        assert moved.revision == answer.view.revision > seen.revision


async def pause(services: GameServices, paused: bool) -> None:
    await services.rooms.command_room(
        room_service_pb2.CommandRoomRequest(
            request_id=fresh_id(),
            game_id="game-1",
            pause=room_service_pb2.PauseRoomClocks(paused=paused),
        )
    )


async def test_paused_clocks_stand_still_over_a_restart_too(tmp_path: Path) -> None:
    host = Clockwork()
    path = tmp_path / "host.db"
    async with hosted(path, host.times()) as services:
        await clocked(services)
        host.pass_ms(10_000)
        await pause(services, True)
        host.pass_ms(100_000)
        view = await view_of(services, NOBODY)
        assert view.clocks_paused
        assert seconds_left(view) == [50, 60]
    async with hosted(path, host.times()) as services:
        host.pass_ms(100_000)
        assert seconds_left(await view_of(services, NOBODY)) == [50, 60]
        await pause(services, False)
        host.pass_ms(1_000)
        view = await view_of(services, NOBODY)
        assert not view.clocks_paused
        assert seconds_left(view) == [49, 60]


async def test_a_game_without_a_clock_has_none_to_pause(tmp_path: Path) -> None:
    async with hosted(tmp_path / "host.db") as services:
        await services.rooms.create_room(room_request())
        with pytest.raises(GenialError) as refused:
            await pause(services, True)
        assert refused.value.reason == Reason.NO_CLOCK
        assert not (await view_of(services, NOBODY)).HasField("clock")
