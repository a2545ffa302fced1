"""The game and history services of a host, put together."""

from __future__ import annotations

from typing import Final

import grpc

from genial.services.game.authority import Authority, GameSettings
from genial.services.game.game_service import GameHandler
from genial.services.game.room import Times
from genial.services.game.room_service import RoomHandler
from genial.services.game.store import SqliteGameLog
from genial.services.history import HistoryHandler
from genial.services.store import Database
from genial.v1 import (
    game_pb2,
    game_service_pb2,
    history_service_pb2,
    room_service_pb2,
)
from genial.wire.serving import OPEN, Gate, rpc_handlers


class GameServices:
    """GameService, RoomService and HistoryService over one database.

        database = await Database.open(path, [game.COMPONENT, ...])
        services = GameServices(database, GameSettings(), secret)
        await services.start()
        server.add_generic_rpc_handlers(services.rpc_handlers())
        ...
        await services.close(returning=True)   # before server.stop and database.close

    Attributes:
        rooms: RoomService for services in this process: the same messages, without a
            secret, without gRPC (see `Rooms`); usable from `start` on.
    """

    def __init__(
        self,
        database: Database,
        settings: GameSettings,
        secret: str,
        times: Times | None = None,
    ) -> None:
        """Puts the services together; nothing runs before `start`.

        Args:
            database: Opened with `game.COMPONENT`.
            settings: What whoever runs the host has set.
            secret: What other services must show to call RoomService; empty: none may.
            times: The host's clocks; the machine's by default.
        """
        store = SqliteGameLog(database)
        self.rooms: Final = Authority(store, settings, times or Times())
        self.game_handler: Final = GameHandler(self.rooms, store)
        self.room_handler: Final = RoomHandler(self.rooms, secret)
        self.history_handler: Final = HistoryHandler(store, self.rooms)

    async def start(self) -> None:
        """Brings back every running game; see `Authority.start`."""
        await self.rooms.start()

    async def close(self, *, returning: bool, message: str = "") -> None:
        """Ends every stream with a typed good-bye; what was accepted is done before it.

        Args:
            returning: Whether the host means to come back with everything as it is.
            message: For people.
        """
        await self.rooms.close(game_pb2.HostClosing(returning=returning, message=message))

    def rpc_handlers(self, gate: Gate = OPEN) -> list[grpc.GenericRpcHandler]:
        """What a gRPC server needs to serve all three; `gate` is asked about every call."""
        served = (
            (game_service_pb2, "GameService", self.game_handler),
            (room_service_pb2, "RoomService", self.room_handler),
            (history_service_pb2, "HistoryService", self.history_handler),
        )
        return [
            rpc_handlers(module.DESCRIPTOR.services_by_name[name], handler, gate)
            for module, name, handler in served
        ]
