"""How one service reaches another: by the contract's messages, in process or over a channel.

A port has the methods of a handler (genial.wire.serving), so a handler that runs in the
same process is a port as it is. `RemoteRooms`, `RemoteBots` and `RemoteLobby` are the same over
gRPC. Calls between services carry the bearer secret.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

import grpc

from genial.v1 import (
    bot_service_pb2,
    bot_service_pb2_grpc,
    lobby_service_pb2,
    lobby_service_pb2_grpc,
    room_service_pb2,
)
from genial.wire.errors import GenialError, Reason, from_rpc_error
from genial.wire.metadata import (
    AUTHORIZATION,
    ONLY_REPEAT,
    SEAT_TOKEN,
    bearer,
    bearer_secret,
    same_secret,
)
from genial.wire.serving import Call

_TIMEOUT = 10.0
"""Seconds that a call between services may take."""


class RoomPort(Protocol):
    """What the lobby asks of the rooms (see `genial.services.game.Rooms`)."""

    async def create_room(
        self, request: room_service_pb2.CreateRoomRequest
    ) -> room_service_pb2.CreateRoomResponse:
        """Deals and opens a room."""
        ...

    async def command_room(
        self, request: room_service_pb2.CommandRoomRequest
    ) -> room_service_pb2.CommandRoomResponse:
        """What the table decides about a game."""
        ...

    async def get_room(
        self, request: room_service_pb2.GetRoomRequest
    ) -> room_service_pb2.GetRoomResponse:
        """One game's room, running or over."""
        ...

    def watch_rooms(
        self, request: room_service_pb2.WatchRoomsRequest
    ) -> AsyncIterator[room_service_pb2.WatchRoomsResponse]:
        """Every running room, then each change of one."""
        ...


class BotPort(Protocol):
    """What the lobby asks of the bots service."""

    async def list_bot_levels(
        self, request: bot_service_pb2.ListBotLevelsRequest, call: Call
    ) -> bot_service_pb2.ListBotLevelsResponse:
        """The levels that there are."""
        ...

    async def seat_bot(
        self, request: bot_service_pb2.SeatBotRequest, call: Call
    ) -> bot_service_pb2.SeatBotResponse:
        """Starts playing a seat."""
        ...

    async def remove_bot(
        self, request: bot_service_pb2.RemoveBotRequest, call: Call
    ) -> bot_service_pb2.RemoveBotResponse:
        """Stops playing a seat."""
        ...


class LobbyPort(Protocol):
    """What the bots service asks of the lobby."""

    async def get_table(
        self, request: lobby_service_pb2.GetTableRequest, call: Call
    ) -> lobby_service_pb2.GetTableResponse:
        """One table."""
        ...

    async def join_table(
        self, request: lobby_service_pb2.JoinTableRequest, call: Call
    ) -> lobby_service_pb2.JoinTableResponse:
        """Takes a seat for a bot."""
        ...

    async def joined_before(
        self, request: lobby_service_pb2.JoinTableRequest, call: Call
    ) -> lobby_service_pb2.JoinTableResponse | None:
        """What the same request was answered; None where it is new."""
        ...

    async def kick_seat(
        self, request: lobby_service_pb2.KickSeatRequest, call: Call
    ) -> lobby_service_pb2.KickSeatResponse:
        """Empties a seat."""
        ...


def service_call(secret: str, token: str | None = None) -> Call:
    """The call of a service, with the bearer secret and perhaps a seat's token."""
    key, value = bearer(secret)
    metadata = {key: value}
    if token is not None:
        metadata[SEAT_TOKEN] = token
    return Call(metadata)


def is_service(call: Call, secret: str) -> bool:
    """Whether a call comes from one of the host's own services.

    Raises:
        GenialError: BAD_SERVICE_SECRET, when it says so with the wrong secret.
    """
    value = call.metadata.get(AUTHORIZATION)
    if value is None:
        return False
    given = bearer_secret(value)
    if given is None or not same_secret(given.encode(), secret.encode()):
        raise GenialError(Reason.BAD_SERVICE_SECRET)
    return True


def _entries(metadata: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(metadata.items())


async def _ask(method: Any, request: Any, call: Call) -> Any:
    try:
        return await method(request, metadata=_entries(call.metadata), timeout=_TIMEOUT)
    except grpc.aio.AioRpcError as fault:
        raise from_rpc_error(fault) from fault


class LateBots:
    """The bots service of this process, before it exists: lobby and bots need each other."""

    handler: BotPort

    async def list_bot_levels(
        self, request: bot_service_pb2.ListBotLevelsRequest, call: Call
    ) -> bot_service_pb2.ListBotLevelsResponse:
        """See BotPort."""
        return await self.handler.list_bot_levels(request, call)

    async def seat_bot(
        self, request: bot_service_pb2.SeatBotRequest, call: Call
    ) -> bot_service_pb2.SeatBotResponse:
        """See BotPort."""
        return await self.handler.seat_bot(request, call)

    async def remove_bot(
        self, request: bot_service_pb2.RemoveBotRequest, call: Call
    ) -> bot_service_pb2.RemoveBotResponse:
        """See BotPort."""
        return await self.handler.remove_bot(request, call)


class RemoteBots:
    """The bots service of another process (BotPort)."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = bot_service_pb2_grpc.BotServiceStub(channel)

    async def list_bot_levels(
        self, request: bot_service_pb2.ListBotLevelsRequest, call: Call
    ) -> bot_service_pb2.ListBotLevelsResponse:
        """See BotPort."""
        response: bot_service_pb2.ListBotLevelsResponse = await _ask(
            self._stub.ListBotLevels, request, call
        )
        return response

    async def seat_bot(
        self, request: bot_service_pb2.SeatBotRequest, call: Call
    ) -> bot_service_pb2.SeatBotResponse:
        """See BotPort."""
        response: bot_service_pb2.SeatBotResponse = await _ask(self._stub.SeatBot, request, call)
        return response

    async def remove_bot(
        self, request: bot_service_pb2.RemoveBotRequest, call: Call
    ) -> bot_service_pb2.RemoveBotResponse:
        """See BotPort."""
        response: bot_service_pb2.RemoveBotResponse = await _ask(
            self._stub.RemoveBot, request, call
        )
        return response


class RemoteLobby:
    """The lobby of another process (LobbyPort)."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = lobby_service_pb2_grpc.LobbyServiceStub(channel)

    async def get_table(
        self, request: lobby_service_pb2.GetTableRequest, call: Call
    ) -> lobby_service_pb2.GetTableResponse:
        """See LobbyPort."""
        response: lobby_service_pb2.GetTableResponse = await _ask(
            self._stub.GetTable, request, call
        )
        return response

    async def join_table(
        self, request: lobby_service_pb2.JoinTableRequest, call: Call
    ) -> lobby_service_pb2.JoinTableResponse:
        """See LobbyPort."""
        response: lobby_service_pb2.JoinTableResponse = await _ask(
            self._stub.JoinTable, request, call
        )
        return response

    async def joined_before(
        self, request: lobby_service_pb2.JoinTableRequest, call: Call
    ) -> lobby_service_pb2.JoinTableResponse | None:
        """See LobbyPort."""
        only_repeat = replace(call, metadata={**call.metadata, ONLY_REPEAT: "yes"})
        response = await self.join_table(request, only_repeat)
        return response if response.HasField("table") else None

    async def kick_seat(
        self, request: lobby_service_pb2.KickSeatRequest, call: Call
    ) -> lobby_service_pb2.KickSeatResponse:
        """See LobbyPort."""
        response: lobby_service_pb2.KickSeatResponse = await _ask(
            self._stub.KickSeat, request, call
        )
        return response
