"""RoomService: the authority for other services, over the wire, behind a bearer's secret."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeVar

import grpc

from genial.services.game.authority import Rooms
from genial.v1 import room_service_pb2, room_service_pb2_grpc
from genial.wire.errors import GenialError, Reason, from_rpc_error
from genial.wire.metadata import AUTHORIZATION, bearer, bearer_secret, same_secret
from genial.wire.serving import Call

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")


class RoomHandler:
    """RoomService without gRPC; every call needs the secret."""

    def __init__(self, rooms: Rooms, secret: str) -> None:
        """Serves `rooms` to whoever knows `secret`; with an empty one, to nobody."""
        self._rooms = rooms
        self._secret = secret.encode()

    async def create_room(
        self, request: room_service_pb2.CreateRoomRequest, call: Call
    ) -> room_service_pb2.CreateRoomResponse:
        """See `Rooms`."""
        self._check(call)
        return await self._rooms.create_room(request)

    async def command_room(
        self, request: room_service_pb2.CommandRoomRequest, call: Call
    ) -> room_service_pb2.CommandRoomResponse:
        """See `Rooms`."""
        self._check(call)
        return await self._rooms.command_room(request)

    async def get_room(
        self, request: room_service_pb2.GetRoomRequest, call: Call
    ) -> room_service_pb2.GetRoomResponse:
        """See `Rooms`."""
        self._check(call)
        return await self._rooms.get_room(request)

    async def get_room_record(
        self, request: room_service_pb2.GetRoomRecordRequest, call: Call
    ) -> room_service_pb2.GetRoomRecordResponse:
        """See `Rooms`."""
        self._check(call)
        return await self._rooms.get_room_record(request)

    async def watch_rooms(
        self, request: room_service_pb2.WatchRoomsRequest, call: Call
    ) -> AsyncGenerator[room_service_pb2.WatchRoomsResponse, None]:
        """See `Rooms`."""
        self._check(call)
        async with aclosing(self._rooms.watch_rooms(request)) as responses:
            async for response in responses:
                yield response

    def _check(self, call: Call) -> None:
        given = bearer_secret(call.metadata.get(AUTHORIZATION, ""))
        if given is None or not self._secret or not same_secret(given.encode(), self._secret):
            raise GenialError(Reason.BAD_SERVICE_SECRET)


class RemoteRooms:
    """Rooms behind an address: what `Authority` is in process, over a channel."""

    def __init__(self, channel: grpc.aio.Channel, secret: str) -> None:
        self._stub = room_service_pb2_grpc.RoomServiceStub(channel)
        self._metadata = grpc.aio.Metadata(bearer(secret))

    async def create_room(
        self, request: room_service_pb2.CreateRoomRequest
    ) -> room_service_pb2.CreateRoomResponse:
        """See `Rooms`."""
        return await self._ask(self._stub.CreateRoom, request)

    async def command_room(
        self, request: room_service_pb2.CommandRoomRequest
    ) -> room_service_pb2.CommandRoomResponse:
        """See `Rooms`."""
        return await self._ask(self._stub.CommandRoom, request)

    async def get_room(
        self, request: room_service_pb2.GetRoomRequest
    ) -> room_service_pb2.GetRoomResponse:
        """See `Rooms`."""
        return await self._ask(self._stub.GetRoom, request)

    async def get_room_record(
        self, request: room_service_pb2.GetRoomRecordRequest
    ) -> room_service_pb2.GetRoomRecordResponse:
        """See `Rooms`."""
        return await self._ask(self._stub.GetRoomRecord, request)

    async def watch_rooms(
        self, request: room_service_pb2.WatchRoomsRequest
    ) -> AsyncGenerator[room_service_pb2.WatchRoomsResponse, None]:
        """See `Rooms`; ends with UNREACHABLE when the line does."""
        call = self._stub.WatchRooms(request, metadata=self._metadata)
        try:
            async for response in call:
                yield response
        except grpc.aio.AioRpcError as error:
            raise from_rpc_error(error) from error
        finally:
            call.cancel()

    async def _ask(
        self, method: grpc.aio.UnaryUnaryMultiCallable[_Request, _Response], request: _Request
    ) -> _Response:
        try:
            return await method(request, metadata=self._metadata)
        except grpc.aio.AioRpcError as error:
            raise from_rpc_error(error) from error
