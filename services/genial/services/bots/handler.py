"""BotService: seats bots and takes them away again (a handler of genial.wire.serving)."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from genial.engine.refusal import Refusal
from genial.services.bots.supervisor import SeatJob, Supervisor
from genial.services.peers import LobbyPort, is_service, service_call
from genial.v1 import bot_service_pb2 as pb
from genial.v1 import game_pb2, lobby_service_pb2, table_pb2
from genial.wire import requests
from genial.wire.errors import GenialError, Reason, malformed, unknown_level
from genial.wire.serving import Call

DEFAULT_LEVEL: Final = "medium"

_TOKEN_SCHEME: Final = b"genial-bot-token/1"


def bot_token(secret: bytes, table_id: str, seat: int) -> str:
    """The token of the host's bot at a seat: always the same, so that bots survive restarts.

    Args:
        secret: The bots service's own, 32 bytes, kept in the data directory.
        table_id: The table.
        seat: The seat.
    """
    message = b"|".join((_TOKEN_SCHEME, table_id.encode(), str(seat).encode()))
    digest = hmac.digest(secret, message, hashlib.sha256)
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


@dataclass(frozen=True, slots=True)
class Door:
    """How bots get in where everybody does.

    Attributes:
        address: ``HOST:PORT``.
        fingerprint: Of the certificate shown there; empty: no encryption.
        password: Of the host; empty: none.
    """

    address: str
    fingerprint: str = ""
    password: str = field(default="", repr=False)


class BotHandler:
    """The bots' rpcs. Whether a seat may have a bot is the lobby's decision."""

    def __init__(
        self,
        supervisor: Supervisor,
        lobby: LobbyPort,
        *,
        service_secret: str,
        token_secret: bytes,
        door: Callable[[], Door],
    ) -> None:
        """`door` says where and how bot processes find the lobby and the games."""
        self._supervisor = supervisor
        self._lobby = lobby
        self._service_secret = service_secret
        self._token_secret = token_secret
        self._door = door

    async def list_bot_levels(
        self, request: pb.ListBotLevelsRequest, call: Call
    ) -> pb.ListBotLevelsResponse:
        """The levels, weakest first, in pages."""
        size = requests.page_size(request.page_size)
        levels = await self._supervisor.levels()
        place = requests.page_place(request.page_token)
        names = [level for level, _ in levels]
        if place and place not in names:
            raise malformed("page_token", "must be the next_page_token of the page before")
        start = names.index(place) + 1 if place else 0
        page = levels[start : start + size]
        response = pb.ListBotLevelsResponse(
            levels=[
                pb.BotLevel(level=level, description=description) for level, description in page
            ]
        )
        if start + size < len(levels):
            response.next_page_token = requests.page_token(page[-1][0])
        return response

    async def seat_bot(self, request: pb.SeatBotRequest, call: Call) -> pb.SeatBotResponse:
        """Seats a bot: for somebody at the table, or for the lobby where one is to play.

        For people the lobby alone is asked to put a bot on the seat; it then calls here by
        itself, now and whenever that bot is not there.
        """
        request_id = requests.request_id(request.request_id)
        table_id = requests.identifier(request.table_id, "table_id")
        level = request.level or DEFAULT_LEVEL
        if is_service(call, self._service_secret):
            await self._check_level(level)
            return await self._play(request_id, table_id, request.seat, level)
        join = lobby_service_pb2.JoinTableRequest(
            request_id=request_id,
            table_id=table_id,
            seat=request.seat if request.HasField("seat") else None,
            bot_level=level,
        )
        own = service_call(self._service_secret)
        joined = await self._lobby.joined_before(join, own)
        if joined is None:
            # None of this matters to a repeat: its bot may be the one that took the last room.
            await self._check_level(level)
            self._supervisor.check_room()
            table = await self._lobby.get_table(
                lobby_service_pb2.GetTableRequest(table_id=table_id), call
            )
            _check_may_seat(table.table, call)
            joined = await self._lobby.join_table(join, own)
        return pb.SeatBotResponse(seat=joined.seat)

    async def _play(
        self, request_id: str, table_id: str, seat: int, level: str
    ) -> pb.SeatBotResponse:
        token = bot_token(self._token_secret, table_id, seat)
        joined = await self._lobby.join_table(
            lobby_service_pb2.JoinTableRequest(
                request_id=request_id, table_id=table_id, seat=seat, bot_level=level
            ),
            service_call(self._service_secret, token),
        )
        name = joined.table.seats[seat].name
        door = self._door()
        self._supervisor.play(
            SeatJob(
                door.address,
                table_id,
                seat,
                token,
                name,
                level,
                fingerprint=door.fingerprint,
                password=door.password,
            )
        )
        return pb.SeatBotResponse(seat=seat)

    async def _check_level(self, level: str) -> None:
        names = [name for name, _ in await self._supervisor.levels()]
        if level not in names:
            raise unknown_level(level, names, "level")

    async def remove_bot(self, request: pb.RemoveBotRequest, call: Call) -> pb.RemoveBotResponse:
        """Takes a bot from its seat; for the lobby: stops playing a seat that it has settled."""
        request_id = requests.request_id(request.request_id)
        table_id = requests.identifier(request.table_id, "table_id")
        if is_service(call, self._service_secret):
            self._supervisor.release(table_id, request.seat)
            return pb.RemoveBotResponse()
        found = await self._lobby.get_table(
            lobby_service_pb2.GetTableRequest(table_id=table_id), call
        )
        seats = found.table.seats
        if request.seat >= len(seats):
            raise GenialError(Refusal.NO_SUCH_SEAT, seat=request.seat, field="seat")
        if seats[request.seat].kind == game_pb2.SEAT_KIND_HUMAN:
            raise GenialError(Reason.SEAT_NOT_A_BOT, seat=request.seat)
        # An open seat too: if this is a repeat, the lobby remembers its answer.
        await self._lobby.kick_seat(
            lobby_service_pb2.KickSeatRequest(
                request_id=request_id, table_id=table_id, seat=request.seat
            ),
            call,
        )
        return pb.RemoveBotResponse()


def _check_may_seat(table: table_pb2.Table, call: Call) -> None:
    """Bots are seated by anybody at the table; by everybody while no person sits there."""
    if table.state in (table_pb2.TABLE_STATE_FINISHED, table_pb2.TABLE_STATE_ABANDONED):
        raise GenialError(Reason.TABLE_CLOSED)
    people = [seat for seat in table.seats if seat.kind == game_pb2.SEAT_KIND_HUMAN]
    if not table.HasField("viewer_seat"):
        if people:
            raise GenialError(Reason.SEAT_TOKEN_NEEDED)
        return
    if table.seats_locked and not table.seats[table.viewer_seat].creator:
        raise GenialError(Reason.SEATS_LOCKED)
