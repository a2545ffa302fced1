"""Streams: who sees what, slow ones, newer ones, good-byes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from pathlib import Path

import pytest

from genial.engine.game import evolve
from genial.engine.view import view_for
from genial.services.game import GameServices, GameSettings
from genial.v1 import game_pb2, game_service_pb2, room_service_pb2
from genial.wire.errors import GenialError, Reason
from genial.wire.events import event_from_message, whole_event_from_message
from genial.wire.metadata import SEAT_TOKEN, new_seat_token
from genial.wire.serving import Call
from genial.wire.views import view_from_message
from tests.services.game.hosting import (
    NOBODY,
    bot_of,
    call_of,
    fresh_id,
    hosted,
    next_request,
    play_on,
    room_request,
    send,
    view_of,
)

DEADLINE_S = 20


class Stream:
    """A watcher that reads when the test says so."""

    def __init__(
        self, services: GameServices, call: Call, after: int = 0, game_id: str = "game-1"
    ) -> None:
        request = game_service_pb2.WatchGameRequest(game_id=game_id, after_revision=after)
        self.updates: AsyncGenerator[bytes, None] = services.game_handler.watch_game(request, call)

    async def next(self) -> game_service_pb2.WatchGameResponse:
        async with asyncio.timeout(DEADLINE_S):
            return game_service_pb2.WatchGameResponse.FromString(await anext(self.updates))

    async def ends(self) -> None:
        async with asyncio.timeout(DEADLINE_S):
            with pytest.raises(StopAsyncIteration):
                await anext(self.updates)

    async def __aenter__(self) -> Stream:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.updates.aclose()


async def step(services: GameServices, seed: int = 1) -> game_pb2.GameView:
    return await play_on(services, random.Random(seed), moves=1)


async def test_the_state_now_and_then_each_change(services: GameServices) -> None:
    async with (
        Stream(services, call_of(0)) as mine,
        Stream(services, call_of(1)) as theirs,
        Stream(services, NOBODY, after=2) as spectator,
    ):
        streams = (mine, theirs, spectator)
        first = [await stream.next() for stream in streams]
        assert [update.revision for update in first] == [2, 2, 2]
        assert [[event.n for event in update.events] for update in first] == [[1, 2], [1, 2], []]
        assert [len(event.dealt.draw.tiles) for event in first[0].events] == [6, 0]
        assert [len(event.dealt.draw.tiles) for event in first[1].events] == [0, 6]
        await step(services)
        for stream, call in zip(streams, (call_of(0), call_of(1), NOBODY), strict=True):
            update = await stream.next()
            assert (update.revision, update.gap) == (3, False)
            assert [event.n for event in update.events] == [3]
            assert update.view == await view_of(services, call)
        await step(services)
        assert len((await mine.next()).events[0].refilled.draw.tiles) == 1
        hidden = (await theirs.next()).events[0].refilled.draw
        assert (hidden.count, len(hidden.tiles)) == (1, 0)


async def test_a_stream_can_be_followed_by_the_engine(services: GameServices) -> None:
    """Events and views tell the same story to somebody who has only the contract."""
    room = await services.rooms.room("game-1")
    game = room.setup.new_game()
    seen = 0
    async with Stream(services, call_of(0)) as stream:
        playing = asyncio.create_task(play_on(services, random.Random(4)))
        over = False
        while not over:
            update = await stream.next()
            for event in update.events:
                seen += 1
                assert event.n == seen
                event_from_message(event)
            while game.revision < update.revision:
                whole = room.publication.told[game.revision].whole
                message = game_pb2.GameEvent.FromString(whole)
                game = evolve(game, whole_event_from_message(message))
            assert view_from_message(update.view) == view_for(game, 0)
            over = game.is_over
        await stream.ends()
        await playing


async def test_a_slow_one_gets_the_latest_and_all_events(services: GameServices) -> None:
    async with Stream(services, call_of(1)) as slow:
        await slow.next()
        end = await play_on(services, random.Random(5), moves=20)
        update = await slow.next()
    assert update.revision == end.revision
    assert [event.n for event in update.events] == list(range(3, end.revision + 1))


async def test_one_that_does_not_read_delays_nobody(services: GameServices) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(50):
            stalled = await stack.enter_async_context(Stream(services, NOBODY))
            await stalled.next()
        end = await play_on(services, random.Random(6))
        assert end.state == game_pb2.GAME_STATE_FINISHED
        last = await stalled.next()
        assert last.view == end
        await stalled.ends()


@pytest.mark.parametrize("after", [3, 1000, 2**64 - 1])
async def test_a_revision_from_the_future_is_a_gap(services: GameServices, after: int) -> None:
    async with Stream(services, NOBODY, after) as stream:
        update = await stream.next()
        assert update.gap
        assert not update.events
        assert update.view == await view_of(services, NOBODY)
        await step(services)
        assert [event.n for event in (await stream.next()).events] == [3]


async def test_too_many_missed_events_are_a_gap(
    services: GameServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genial.services.game.publication._MOST_EVENTS", 5)
    async with Stream(services, NOBODY) as stream:
        assert len((await stream.next()).events) == 2
        await play_on(services, random.Random(1), moves=6)
        update = await stream.next()
        assert update.gap
        assert not update.events
        await step(services)
        assert len((await stream.next()).events) == 1


async def test_a_game_that_is_over_is_shown_once(services: GameServices) -> None:
    end = await play_on(services, random.Random(8))
    async with Stream(services, call_of(0)) as stream:
        update = await stream.next()
        assert update.view.ranking == end.ranking
        assert len(update.events) == end.revision
        await stream.ends()


async def test_a_newer_stream_of_a_token_ends_the_older(services: GameServices) -> None:
    async with Stream(services, call_of(0)) as older, Stream(services, call_of(1)) as other:
        await older.next()
        await other.next()
        async with Stream(services, call_of(0)) as newer:
            await newer.next()
            update = await older.next()
            assert update.superseded
            assert not update.HasField("view")
            await older.ends()
            await step(services)
            assert (await newer.next()).view.viewer_seat == 0
            assert (await other.next()).view.viewer_seat == 1


async def test_who_has_lost_the_seat_sees_what_spectators_see(services: GameServices) -> None:
    token = new_seat_token()
    bot = bot_of(0, token)
    async with Stream(services, call_of(0)) as former:
        assert (await former.next()).view.rack
        await services.rooms.command_room(
            room_service_pb2.CommandRoomRequest(
                request_id=fresh_id(),
                game_id="game-1",
                take_over=room_service_pb2.TakeOverSeat(seat=bot),
            )
        )
        update = await former.next()
        assert update.events[0].taken_over.kind == game_pb2.SEAT_KIND_BOT
        assert not update.view.HasField("viewer_seat")
        assert not update.view.rack
        call = Call({SEAT_TOKEN: token})
        await send(services, next_request(await view_of(services, call), random.Random(1)), call)
        assert not (await former.next()).view.rack


async def test_watchers_are_counted_and_limited(tmp_path: Path) -> None:
    settings = GameSettings(most_watchers=2)
    async with hosted(tmp_path / "host.db", settings=settings) as services:
        await services.rooms.create_room(room_request())
        room = await services.rooms.room("game-1")
        async with Stream(services, NOBODY) as one, Stream(services, NOBODY) as two:
            await one.next()
            await two.next()
            assert room.watchers == 2
            async with Stream(services, NOBODY) as three:
                with pytest.raises(GenialError) as refused:
                    await three.next()
        assert refused.value.reason == Reason.TOO_MANY_WATCHERS
        assert room.watchers == 0


async def test_a_host_that_closes_says_so(tmp_path: Path) -> None:
    async with hosted(tmp_path / "host.db") as services:
        await services.rooms.create_room(room_request())
        async with Stream(services, call_of(0)) as stream:
            await stream.next()
            await services.close(returning=True, message="back soon")
            update = await stream.next()
            assert update.closing == game_pb2.HostClosing(returning=True, message="back soon")
            await stream.ends()
        with pytest.raises(GenialError) as refused:
            await step(services)
        assert refused.value.reason == Reason.HOST_CLOSING


async def test_the_lobby_hears_of_every_room(services: GameServices) -> None:
    await services.rooms.create_room(room_request("game-2", players=3))
    watching = services.rooms.watch_rooms(room_service_pb2.WatchRoomsRequest())
    async with aclosing(watching), asyncio.timeout(DEADLINE_S):
        first = await anext(watching)
        assert [room.game_id for room in first.rooms] == ["game-1", "game-2"]
        await step(services)
        (changed,) = (await anext(watching)).rooms
        assert (changed.game_id, changed.revision, changed.placements) == ("game-1", 3, 1)
        await play_on(services, random.Random(9))
        (ended,) = (await anext(watching)).rooms
        assert ended.state == game_pb2.GAME_STATE_FINISHED
        assert len(ended.tracks) == 2
        assert ended.ranking
        await services.rooms.create_room(room_request("game-3"))
        (created,) = (await anext(watching)).rooms
        assert (created.game_id, created.revision) == ("game-3", 2)
        await services.close(returning=False)
        with pytest.raises(StopAsyncIteration):
            await anext(watching)
