"""GameService: what players and spectators ask of running games.

Handler methods take a message and a `Call` and know nothing of gRPC (see
`genial.wire.serving`).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Final

from genial.engine.moves import Command, ExchangeRack, PlaceTile, RefillRack, Resign
from genial.services.game.authority import Authority
from genial.services.game.room import Room
from genial.services.game.store import ListedGame, SqliteGameLog
from genial.v1 import game_pb2, game_service_pb2, room_service_pb2
from genial.wire.errors import GenialError, Reason, bad_token, malformed
from genial.wire.metadata import SEAT_TOKEN, WATCHER, MalformedTokenError, seat_token_hash
from genial.wire.requests import (
    page_place,
    page_size,
    page_token,
    placement,
    request_id,
)
from genial.wire.serving import Call
from genial.wire.values import timestamp_to_message
from genial.wire.views import state_of_reason

_MOST_DIGITS: Final = 18


SeatRequest = (
    game_service_pb2.PlaceTileRequest
    | game_service_pb2.ExchangeRackRequest
    | game_service_pb2.RefillRackRequest
    | game_service_pb2.ResignRequest
)
"""What a seat asks for: all four carry the same fields, a placement two more."""


class GameHandler:
    """GameService without gRPC."""

    def __init__(self, authority: Authority, store: SqliteGameLog) -> None:
        self._authority = authority
        self._log = store

    async def get_game(
        self, request: game_service_pb2.GetGameRequest, call: Call
    ) -> game_service_pb2.GetGameResponse:
        """The game as the caller's token may see it; without one, as a spectator."""
        room = await self._authority.room(request.game_id)
        viewer = room.seat_of(_viewer(room, call))
        return game_service_pb2.GetGameResponse(view=room.current().view(viewer))

    async def list_games(
        self, request: game_service_pb2.ListGamesRequest, call: Call
    ) -> game_service_pb2.ListGamesResponse:
        """Games, running and over, the latest first."""
        count = page_size(request.page_size)
        listed = await self._log.list_games(before_key(request.page_token), count + 1)
        response = game_service_pb2.ListGamesResponse(
            games=[_summary(game) for game in listed[:count]]
        )
        if len(listed) > count:
            response.next_page_token = page_token(str(listed[count - 1].key))
        return response

    async def watch_game(
        self, request: game_service_pb2.WatchGameRequest, call: Call
    ) -> AsyncGenerator[bytes, None]:
        """Serialised `WatchGameResponse`s; ends after the game's or the host's end."""
        room = await self._authority.room(request.game_id)
        token_hash = _viewer(room, call)
        limit = self._authority.settings.most_watchers
        if room.watchers >= limit:
            raise GenialError(Reason.TOO_MANY_WATCHERS, limit=limit)
        origin = call.metadata.get(WATCHER, "")
        with room.watching(token_hash, request.after_revision, origin) as watcher:
            async with aclosing(watcher.updates()) as updates:
                async for update in updates:
                    yield update

    async def place_tile(self, request: game_service_pb2.PlaceTileRequest, call: Call) -> bytes:
        """A serialised `PlaceTileResponse`: what was answered first, for a repeat."""
        tile, cells = placement(request)
        return await self._command(request, call, lambda seat: PlaceTile(seat, tile, cells))

    async def exchange_rack(
        self, request: game_service_pb2.ExchangeRackRequest, call: Call
    ) -> bytes:
        """A serialised `ExchangeRackResponse`."""
        return await self._command(request, call, ExchangeRack)

    async def refill_rack(self, request: game_service_pb2.RefillRackRequest, call: Call) -> bytes:
        """A serialised `RefillRackResponse`."""
        return await self._command(request, call, RefillRack)

    async def resign(self, request: game_service_pb2.ResignRequest, call: Call) -> bytes:
        """A serialised `ResignResponse`."""
        return await self._command(request, call, Resign)

    async def _command(
        self, request: SeatRequest, call: Call, command: Callable[[int], Command]
    ) -> bytes:
        name = request_id(request.request_id)
        token_hash = _token_hash(call)
        if token_hash is None:
            raise GenialError(Reason.SEAT_TOKEN_NEEDED)
        room = await self._authority.room(request.game_id)
        seat = room.seat_of(token_hash)
        if seat is None:
            raise GenialError(Reason.BAD_SEAT_TOKEN)
        if request.HasField("seat") and request.seat != seat:
            raise GenialError(Reason.NOT_YOUR_SEAT, seat=request.seat, own=seat)
        return await room.command(
            command(seat),
            name,
            seat=seat,
            expected_revision=request.expected_revision,
            token_hash=token_hash,
        )


def before_key(token: str) -> int | None:
    """The key that a page of games begins below; None for the first page."""
    place = page_place(token)
    if not place:
        return None
    if not (place.isascii() and place.isdigit() and len(place) <= _MOST_DIGITS):
        raise malformed("page_token", "must be the next_page_token of the page before")
    return int(place)


def listed_setup(game: ListedGame) -> room_service_pb2.CreateRoomRequest:
    """What a listed game was set up with, without its secrets."""
    request = room_service_pb2.CreateRoomRequest.FromString(game.setup)
    request.ClearField("shuffle")
    return request


def _summary(game: ListedGame) -> game_service_pb2.GameSummary:
    setup = listed_setup(game)
    summary = game_service_pb2.GameSummary(
        game_id=game.game_id,
        table_id=setup.table_id,
        started_at=timestamp_to_message(game.started_at_ms),
        state=game_pb2.GAME_STATE_RUNNING,
        rules=setup.rules,
        names=[seat.name for seat in setup.seats],
    )
    if game.ended is not None and game.ended_at_ms is not None:
        ended = game_pb2.Ended.FromString(game.ended)
        summary.state = state_of_reason(ended.reason)
        summary.ended_at.CopyFrom(timestamp_to_message(game.ended_at_ms))
        summary.ranking.extend(ended.ranking)
    return summary


def _token_hash(call: Call) -> bytes | None:
    token = call.metadata.get(SEAT_TOKEN)
    if token is None:
        return None
    try:
        return seat_token_hash(token)
    except MalformedTokenError as fault:
        raise bad_token(SEAT_TOKEN, fault) from None


def _viewer(room: Room, call: Call) -> bytes | None:
    """Whose token looks on, None for a spectator.

    Raises:
        GenialError: BAD_SEAT_TOKEN, for a token that holds no seat; SPECTATORS_FORBIDDEN.
    """
    token_hash = _token_hash(call)
    if token_hash is not None and room.seat_of(token_hash) is None:
        raise GenialError(Reason.BAD_SEAT_TOKEN)
    if token_hash is None and room.spectators_forbidden:
        raise GenialError(Reason.SPECTATORS_FORBIDDEN)
    return token_hash
