"""Real hosts over loopback, and raw stubs to call them with."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc

from genial.engine.shuffle import nonce_hash
from genial.services.host import Host, HostReady
from genial.services.settings import HostSettings
from genial.v1 import (
    bot_service_pb2_grpc,
    game_service_pb2,
    game_service_pb2_grpc,
    history_service_pb2_grpc,
    lobby_service_pb2,
    lobby_service_pb2_grpc,
    table_pb2,
)
from genial.wire.metadata import SEAT_TOKEN, new_seat_token
from tests.services.waiting import until


def rid() -> str:
    """A fresh request id."""
    return str(uuid.uuid4())


def local(data: Path, **settings: Any) -> HostSettings:
    """A host on a free port of loopback that nobody hears of."""
    defaults: dict[str, Any] = {
        "name": "Test host",
        "port": 0,
        "bind": "127.0.0.1",
        "announce": False,
        "plaintext": True,
    }
    return HostSettings(data, **(defaults | settings))


@dataclass
class Line:
    """A channel to a host, with all its stubs."""

    channel: grpc.aio.Channel

    def __post_init__(self) -> None:
        self.lobby = lobby_service_pb2_grpc.LobbyServiceStub(self.channel)
        self.games = game_service_pb2_grpc.GameServiceStub(self.channel)
        self.bots = bot_service_pb2_grpc.BotServiceStub(self.channel)
        self.history = history_service_pb2_grpc.HistoryServiceStub(self.channel)


@asynccontextmanager
async def hosting(settings: HostSettings) -> AsyncIterator[tuple[Host, HostReady]]:
    """A running host."""
    host = Host(settings)
    try:
        yield host, await host.start()
    finally:
        await host.close()


@asynccontextmanager
async def line_to(address: str) -> AsyncIterator[Line]:
    """A plaintext line to an address."""
    options = [("grpc.enable_http_proxy", 0)]
    async with grpc.aio.insecure_channel(address, options=options) as channel:
        yield Line(channel)


@dataclass
class Guest:
    """Somebody at a table, by raw stubs alone; deals are answered by themselves."""

    line: Line
    name: str
    table_id: str
    token: str = field(default_factory=new_seat_token)
    seat: int = -1
    table: table_pb2.Table = field(default_factory=table_pb2.Table)
    closing: str | None = None
    answered: set[tuple[int, int, str]] = field(default_factory=set)
    task: asyncio.Task[None] | None = None

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return ((SEAT_TOKEN, self.token),)

    async def sit(self) -> None:
        request = lobby_service_pb2.JoinTableRequest(
            request_id=rid(), table_id=self.table_id, name=self.name
        )
        response = await self.line.lobby.JoinTable(request, metadata=self.metadata)
        self.seat = response.seat
        self.watch()
        await until(lambda: self.table.seats and self.table.seats[self.seat].connected)

    def watch(self) -> None:
        self.task = asyncio.create_task(self._watch())
        # A host that is killed breaks it off; tests that care look themselves.
        self.task.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def _watch(self) -> None:
        request = lobby_service_pb2.WatchTableRequest(table_id=self.table_id)
        async for message in self.line.lobby.WatchTable(request, metadata=self.metadata):
            if message.HasField("closing"):
                self.closing = message.closing.message
                return
            self.table = message.table
            await self._answer_deal()

    async def _answer_deal(self) -> None:
        table = self.table
        if table.state != table_pb2.TABLE_STATE_DEALING or self.seat < 0:
            return
        place = (table.game_number, table.shuffle.deal)
        nonce = self.token.encode()[:31] + bytes([table.shuffle.deal])
        fields = {"game_number": place[0], "deal": place[1]}
        if (*place, "hash") not in self.answered:
            self.answered.add((*place, "hash"))
            await self.do("CommitNonce", nonce_hash=nonce_hash(nonce), **fields)
        if all(table.shuffle.nonce_hashes) and (*place, "nonce") not in self.answered:
            self.answered.add((*place, "nonce"))
            await self.do("RevealNonce", nonce=nonce, **fields)

    async def do(self, rpc: str, **request: Any) -> Any:
        """Any command of the lobby's."""
        message = getattr(lobby_service_pb2, f"{rpc}Request")(
            request_id=rid(), table_id=self.table_id, **request
        )
        return await getattr(self.line.lobby, rpc)(message, metadata=self.metadata)

    async def view(self) -> Any:
        """The running game as this guest may see it."""
        request = game_service_pb2.GetGameRequest(game_id=self.table.game_id)
        return (await self.line.games.GetGame(request, metadata=self.metadata)).view

    async def resign(self) -> None:
        view = await self.view()
        await self.line.games.Resign(
            game_service_pb2.ResignRequest(
                request_id=rid(), game_id=view.game_id, expected_revision=view.revision
            ),
            metadata=self.metadata,
        )
