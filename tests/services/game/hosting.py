"""A host of games without a network, players who know how to play, and deals to play with."""

from __future__ import annotations

import base64
import hashlib
import random
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from genial.engine.board import axial_of
from genial.engine.moves import Phase
from genial.engine.refusal import Refused
from genial.engine.shuffle import SCHEME, commitment, nonce_hash
from genial.services.game import COMPONENT, GameServices, GameSettings, Times
from genial.services.store import Database
from genial.v1 import game_pb2, game_service_pb2, room_service_pb2
from genial.wire.errors import GenialError
from genial.wire.metadata import SEAT_TOKEN, seat_token_hash
from genial.wire.serving import Call, error_of
from genial.wire.values import cell_to_message
from genial.wire.views import view_from_message

SECRET = "between services"
STARTED_MS = 1_795_000_000_000
NOBODY = Call()


class Clockwork:
    """A host's clocks that stand still until a test moves them."""

    def __init__(self) -> None:
        self.steady_ms = 5_000
        self.utc_ms = STARTED_MS

    def pass_ms(self, length: int) -> None:
        self.steady_ms += length
        self.utc_ms += length

    def times(self) -> Times:
        return Times(utc=lambda: self.utc_ms, steady=lambda: self.steady_ms)


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def token_of(seat: int) -> str:
    return base64.urlsafe_b64encode(digest(f"token {seat}")).decode().rstrip("=")


def call_of(seat: int) -> Call:
    return Call({SEAT_TOKEN: token_of(seat)})


def fresh_id() -> str:
    return str(uuid.uuid4())


def bot_of(seat: int, token: str) -> room_service_pb2.RoomSeat:
    """A bot that is to hold a seat by a token."""
    return room_service_pb2.RoomSeat(
        seat=seat,
        name="Bot",
        kind=game_pb2.SEAT_KIND_BOT,
        level="medium",
        token_hash=seat_token_hash(token),
    )


def room_request(
    game_id: str = "game-1",
    players: int = 2,
    *,
    mode: game_pb2.Mode.ValueType = game_pb2.MODE_FREE,
    leaving: game_pb2.Leaving.ValueType = game_pb2.LEAVING_BOT,
    first_by: game_pb2.FirstBy.ValueType = game_pb2.FIRST_BY_NAMED,
    seed: str = "seed",
    clock: game_pb2.Clock | None = None,
) -> room_service_pb2.CreateRoomRequest:
    """A room of people, whole and well formed."""
    secret = digest(seed)
    nonces = [digest(f"nonce {seat}") for seat in range(players)]
    request = room_service_pb2.CreateRoomRequest(
        game_id=game_id,
        table_id="table-1",
        rules=game_pb2.Rules(
            preset=game_pb2.PRESET_GENIAL, mode=mode, players=players, leaving=leaving
        ),
        first_by=first_by,
        shuffle=game_pb2.Shuffle(
            scheme=SCHEME,
            deal=1,
            seed=secret,
            commitment=commitment(secret),
            nonces=nonces,
            nonce_hashes=[nonce_hash(nonce) for nonce in nonces],
        ),
        match_id="match-1",
        match_game=1,
        match_games=3,
        clock=clock,
    )
    for seat in range(players):
        request.seats.add(
            seat=seat,
            name=f"Player {seat}",
            kind=game_pb2.SEAT_KIND_HUMAN,
            token_hash=seat_token_hash(token_of(seat)),
        )
    return request


@asynccontextmanager
async def hosted(
    path: Path, times: Times | None = None, settings: GameSettings | None = None
) -> AsyncIterator[GameServices]:
    """The services over a file, from start to an orderly end."""
    database = await Database.open(path, [COMPONENT])
    try:
        services = GameServices(database, settings or GameSettings(), SECRET, times)
        await services.start()
        try:
            yield services
        finally:
            await services.close(returning=True, message="test is over")
    finally:
        await database.close()


async def view_of(services: GameServices, call: Call, game_id: str = "game-1") -> game_pb2.GameView:
    request = game_service_pb2.GetGameRequest(game_id=game_id)
    return (await services.game_handler.get_game(request, call)).view


SeatRequest = (
    game_service_pb2.PlaceTileRequest
    | game_service_pb2.RefillRackRequest
    | game_service_pb2.ExchangeRackRequest
)


def next_request(message: game_pb2.GameView, rng: random.Random) -> SeatRequest:
    """Something that the viewer, whose turn it is, may do now."""
    view = view_from_message(message)
    name, game_id, revision = fresh_id(), message.game_id, view.revision
    if view.phase is Phase.CLOSE:
        if view.may_exchange and rng.random() < 0.5:
            return game_service_pb2.ExchangeRackRequest(
                request_id=name, game_id=game_id, expected_revision=revision
            )
        return game_service_pb2.RefillRackRequest(
            request_id=name, game_id=game_id, expected_revision=revision
        )
    tile = rng.choice(view.rack)
    pair = rng.choice(view.legal_pairs())
    return game_service_pb2.PlaceTileRequest(
        request_id=name,
        game_id=game_id,
        expected_revision=revision,
        tile=str(rng.choice((tile, tile.flipped))),
        cells=[cell_to_message(axial_of(index)) for index in pair],
    )


async def send(
    services: GameServices, request: SeatRequest, call: Call
) -> game_service_pb2.PlaceTileResponse:
    """A command, and its answer (all four have the same fields)."""
    handler = services.game_handler
    match request:
        case game_service_pb2.PlaceTileRequest():
            answer = await handler.place_tile(request, call)
        case game_service_pb2.ExchangeRackRequest():
            answer = await handler.exchange_rack(request, call)
        case _:
            answer = await handler.refill_rack(request, call)
    return game_service_pb2.PlaceTileResponse.FromString(answer)


async def play_on(
    services: GameServices, rng: random.Random, moves: int = 10_000, game_id: str = "game-1"
) -> game_pb2.GameView:
    """Plays so many commands, or to the end; what spectators see then."""
    public = await view_of(services, NOBODY, game_id)
    while public.state == game_pb2.GAME_STATE_RUNNING and moves:
        call = call_of(public.turn_seat)
        await send(services, next_request(await view_of(services, call, game_id), rng), call)
        public = await view_of(services, NOBODY, game_id)
        moves -= 1
    return public


async def refusal_of(services: GameServices, request: SeatRequest, call: Call) -> GenialError:
    """Why a command is refused, and that nobody sees anything change."""
    before = [await view_of(services, viewer) for viewer in (NOBODY, call_of(0), call_of(1))]
    with pytest.raises((GenialError, Refused)) as refused:
        await send(services, request, call)
    after = [await view_of(services, viewer) for viewer in (NOBODY, call_of(0), call_of(1))]
    assert after == before
    assert isinstance(refused.value, Exception)
    return error_of(refused.value, "test")


async def placement(services: GameServices, seat: int = 0) -> game_service_pb2.PlaceTileRequest:
    """A placement that this seat may make."""
    request = next_request(await view_of(services, call_of(seat)), random.Random(1))
    assert isinstance(request, game_service_pb2.PlaceTileRequest)
    return request


def setting(name: str, value: object) -> Callable[[Any], object]:
    """A change of a request: one field set."""
    return lambda request: setattr(request, name, value)
