"""What the lobby asks of a room: seats that change hands, putting away, rooms that cannot be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genial.engine.refusal import Refusal
from genial.services.game import GameServices
from genial.v1 import game_pb2, game_service_pb2, room_service_pb2
from genial.wire.errors import GenialError, Reason
from genial.wire.metadata import SEAT_TOKEN, new_seat_token, seat_token_hash
from genial.wire.serving import Call
from tests.services.game.hosting import (
    NOBODY,
    bot_of,
    call_of,
    fresh_id,
    hosted,
    placement,
    refusal_of,
    room_request,
    send,
    setting,
    token_of,
    view_of,
)


class TestTheTable:
    async def command(
        self, services: GameServices, **command: object
    ) -> room_service_pb2.CommandRoomResponse:
        request = room_service_pb2.CommandRoomRequest(
            request_id=fresh_id(),
            game_id="game-1",
            **command,  # type: ignore[arg-type]
        )
        first = await services.rooms.command_room(request)
        assert await services.rooms.command_room(request) == first
        return first

    async def test_a_seat_changes_hands_and_back(self, tmp_path: Path) -> None:
        path = tmp_path / "host.db"
        bot_token = new_seat_token()
        bot = bot_of(0, bot_token)
        async with hosted(path) as services:
            await services.rooms.create_room(room_request())
            await self.command(services, take_over=room_service_pb2.TakeOverSeat(seat=bot))
            with pytest.raises(GenialError):
                await view_of(services, call_of(0))
        async with hosted(path) as services:
            view = await view_of(services, Call({SEAT_TOKEN: bot_token}))
            assert view.viewer_seat == 0
            assert view.seats[0].kind == game_pb2.SEAT_KIND_BOT
            assert view.seats[0].level == "medium"
            person = room_request().seats[0]
            back = room_service_pb2.TakeOverSeat(seat=person)
            assert (await self.command(services, take_over=back)).revision == 4
            assert (await view_of(services, call_of(0))).viewer_seat == 0
            with pytest.raises(GenialError):
                await view_of(services, Call({SEAT_TOKEN: bot_token}))

    async def test_a_game_put_away_waits_over_a_restart_too(self, tmp_path: Path) -> None:
        path = tmp_path / "host.db"
        async with hosted(path) as services:
            await services.rooms.create_room(room_request())
            accepted = await placement(services)
            answer = await send(services, accepted, call_of(0))
            frozen = room_service_pb2.FreezeRoom(frozen=True)
            assert (await self.command(services, freeze=frozen)).revision == 3
        async with hosted(path) as services:
            refill = game_service_pb2.RefillRackRequest(
                request_id=fresh_id(), game_id="game-1", expected_revision=3
            )
            assert (await refusal_of(services, refill, call_of(0))).reason == Reason.GAME_FROZEN
            resign = game_service_pb2.ResignRequest(
                request_id=fresh_id(), game_id="game-1", expected_revision=3
            )
            with pytest.raises(GenialError) as refused:
                await services.game_handler.resign(resign, call_of(1))
            assert refused.value.reason == Reason.GAME_FROZEN
            # What was accepted before is answered again, and everybody may look.
            assert await send(services, accepted, call_of(0)) == answer
            assert (await view_of(services, call_of(1))).viewer_seat == 1
            thawed = room_service_pb2.FreezeRoom(frozen=False)
            assert (await self.command(services, freeze=thawed)).revision == 3
        async with hosted(path) as services:
            refill.request_id = fresh_id()
            await send(services, refill, call_of(0))

    async def test_one_token_cannot_hold_two_seats(self, services: GameServices) -> None:
        other = room_request().seats[0]
        other.seat = 1
        with pytest.raises(GenialError) as refused:
            await self.command(services, take_over=room_service_pb2.TakeOverSeat(seat=other))
        assert refused.value.metadata["field"] == "take_over.seat.token_hash"

    async def test_skipping_needs_the_rules_to_say_so(self, services: GameServices) -> None:
        with pytest.raises(GenialError) as refused:
            await self.command(services, skip=room_service_pb2.SkipTurn(seat=0))
        assert refused.value.reason == Refusal.SKIP_NOT_IN_RULES
        await services.rooms.create_room(room_request("game-2", leaving=game_pb2.LEAVING_SKIP))
        await services.rooms.command_room(
            room_service_pb2.CommandRoomRequest(
                request_id=fresh_id(),
                game_id="game-2",
                skip=room_service_pb2.SkipTurn(seat=0),
            )
        )
        assert (await view_of(services, NOBODY, "game-2")).turn_seat == 1

    async def test_ending_early(self, services: GameServices) -> None:
        early = room_service_pb2.EndEarly(reason=game_pb2.END_REASON_ABANDONED)
        await self.command(services, end_early=early)
        room = (
            await services.rooms.get_room(room_service_pb2.GetRoomRequest(game_id="game-1"))
        ).room
        assert room.state == game_pb2.GAME_STATE_ABANDONED
        assert room.end_reason == game_pb2.END_REASON_ABANDONED
        assert room.HasField("ended_at")

    async def test_a_command_must_be_given(self, services: GameServices) -> None:
        with pytest.raises(GenialError) as refused:
            await self.command(services)
        assert refused.value.metadata["field"] == "command"

    async def test_creating_again_changes_nothing(self, services: GameServices) -> None:
        again = await services.rooms.create_room(room_request())
        assert again.revision == 2
        with pytest.raises(GenialError) as refused:
            await services.rooms.create_room(room_request(seed="another"))
        assert refused.value.reason == Reason.GAME_DIFFERENT

    async def test_creating_at_the_same_time_makes_one_room(self, services: GameServices) -> None:
        request = room_request("game-9")
        created, _ = await asyncio.gather(
            asyncio.gather(*(services.rooms.create_room(request) for _ in range(5))),
            asyncio.gather(
                *(view_of(services, NOBODY, "game-9") for _ in range(5)), return_exceptions=True
            ),
        )
        assert {answer.revision for answer in created} == {2}
        room = await services.rooms.room("game-9")
        assert room is await services.rooms.room("game-9")

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            pytest.param(lambda room: room.ClearField("rules"), "rules.mode", id="no rules"),
            pytest.param(
                lambda room: setattr(room.rules, "players", 5), "rules.players", id="five players"
            ),
            pytest.param(setting("first_seat", 2), "first_seat", id="no such first seat"),
            pytest.param(setting("first_by", 0), "first_by", id="first by nothing"),
            pytest.param(lambda room: room.seats.pop(), "seats", id="a seat too few"),
            pytest.param(
                lambda room: setattr(room.seats[1], "seat", 0), "seats[1].seat", id="order"
            ),
            pytest.param(
                lambda room: setattr(room.seats[1], "name", ""), "seats[1].name", id="no name"
            ),
            pytest.param(
                lambda room: setattr(room.seats[1], "kind", 1), "seats[1].kind", id="open seat"
            ),
            pytest.param(
                lambda room: setattr(room.seats[1], "token_hash", b"short"),
                "seats[1].token_hash",
                id="short hash",
            ),
            pytest.param(
                lambda room: setattr(room.seats[1], "token_hash", room.seats[0].token_hash),
                "seats",
                id="one token twice",
            ),
            pytest.param(
                lambda room: setattr(room.shuffle, "scheme", "x"), "shuffle.scheme", id="scheme"
            ),
            pytest.param(lambda room: setattr(room.shuffle, "deal", 0), "shuffle.deal", id="deal"),
            pytest.param(
                lambda room: setattr(room.shuffle, "seed", b"1" * 32),
                "shuffle.commitment",
                id="another seed",
            ),
            pytest.param(
                lambda room: setattr(room.shuffle, "seed", b"1"), "shuffle.seed", id="short seed"
            ),
            pytest.param(
                lambda room: room.shuffle.nonces.pop(), "shuffle.nonces", id="a nonce too few"
            ),
            pytest.param(
                lambda room: room.shuffle.nonces.__setitem__(1, b"2" * 32),
                "shuffle.nonces[1]",
                id="another nonce",
            ),
            pytest.param(
                lambda room: room.clock.base.FromMilliseconds(1500), "clock.base", id="half seconds"
            ),
            pytest.param(
                lambda room: room.clock.increment.FromSeconds(1), "clock.base", id="no base time"
            ),
        ],
    )
    async def test_a_room_that_cannot_be(
        self, services: GameServices, change: Callable[[Any], object], field: str
    ) -> None:
        request = room_request("game-5")
        change(request)
        with pytest.raises(GenialError) as refused:
            await services.rooms.create_room(request)
        assert (refused.value.reason, refused.value.metadata["field"]) == (
            Reason.MALFORMED,
            field,
        )


async def test_spectators_can_be_kept_out(services: GameServices) -> None:
    request = room_request("game-3")
    request.spectators_forbidden = True
    await services.rooms.create_room(request)
    with pytest.raises(GenialError) as refused:
        await view_of(services, NOBODY, "game-3")
    assert refused.value.reason == Reason.SPECTATORS_FORBIDDEN
    assert (await view_of(services, call_of(1), "game-3")).viewer_seat == 1


def test_tokens_are_told_apart() -> None:
    assert token_of(0) != token_of(1)
    assert seat_token_hash(token_of(0)) == seat_token_hash(token_of(0) + "=")
