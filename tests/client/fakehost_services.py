"""The services of a `FakeHost`, as far as the client's tests need them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.timestamp_pb2 import Timestamp

from genial.engine.moves import ExchangeRack, PlaceTile, RefillRack, Resign
from genial.engine.refusal import Refused
from genial.v1 import (
    game_service_pb2,
    game_service_pb2_grpc,
    history_service_pb2,
    history_service_pb2_grpc,
    lobby_service_pb2,
    lobby_service_pb2_grpc,
)
from genial.v1.table_pb2 import (
    ChatMessage,
    Host,
    Neighbour,
    Table,
)
from genial.wire.errors import GenialError, Reason, status_details
from genial.wire.metadata import SEAT_TOKEN
from genial.wire.values import cells_from_message, tile_from_message

if TYPE_CHECKING:
    from tests.client.fakehost import FakeHost

TABLE_ID = "table-1"
DETAILS = "grpc-status-details-bin"


def token_of(context: Any) -> str | None:
    for key, value in context.invocation_metadata() or ():
        if key == SEAT_TOKEN:
            return str(value)
    return None


async def refuse(context: Any, error: GenialError) -> None:
    await context.abort(error.code, error.sentence, ((DETAILS, status_details(error)),))


class Lobby(lobby_service_pb2_grpc.LobbyServiceServicer):
    def __init__(self, host: FakeHost) -> None:
        self.host = host

    async def GetHost(self, request: Any, context: Any) -> Any:
        return lobby_service_pb2.GetHostResponse(
            host=Host(
                host_id=self.host.host_id,
                name="Fake",
                software=self.host.software,
                protocol=self.host.protocol,
                started_at=Timestamp(seconds=1),
                neighbours=[Neighbour(address=each) for each in self.host.neighbours],
            )
        )

    async def GetTable(self, request: Any, context: Any) -> Any:
        if request.table_id != TABLE_ID:
            await refuse(context, GenialError(Reason.UNKNOWN_TABLE, table=request.table_id))
        return lobby_service_pb2.GetTableResponse(table=self.host.table(token_of(context)))

    async def ListTables(self, request: Any, context: Any) -> Any:
        # Two pages, whatever was asked for.
        if not request.page_token:
            return lobby_service_pb2.ListTablesResponse(
                tables=[self.host.table(None)], next_page_token="more"
            )
        return lobby_service_pb2.ListTablesResponse(tables=[Table(table_id="table-2")])

    async def JoinTable(self, request: Any, context: Any) -> Any:
        host, token = self.host, token_of(context)
        if request.table_id != TABLE_ID:
            await refuse(context, GenialError(Reason.UNKNOWN_TABLE, table=request.table_id))
        if host.token and token != host.token:
            await refuse(context, GenialError(Reason.TABLE_FULL))
        if not host.token:
            host.token, host.name = token or "", request.name
            host.change()
        return lobby_service_pb2.JoinTableResponse(seat=0, table=host.table(token))

    async def _once(self, request: Any, context: Any, apply: Callable[[], Any], empty: Any) -> Any:
        host = self.host
        if token_of(context) != host.token:
            await refuse(context, GenialError(Reason.BAD_SEAT_TOKEN))
        host.calls.append(type(request).__name__)
        if request.request_id not in host.answers:
            apply()
            host.answers[request.request_id] = empty
        if host.faults.lose_answers:
            host.faults.lose_answers -= 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the answer is lost")
        return host.answers[request.request_id]

    async def SetReady(self, request: Any, context: Any) -> Any:
        def apply() -> None:
            self.host.ready = request.ready
            self.host.begin_deal()

        return await self._once(request, context, apply, lobby_service_pb2.SetReadyResponse())

    async def CommitNonce(self, request: Any, context: Any) -> Any:
        return await self._once(
            request,
            context,
            lambda: self.host.commit(request.nonce_hash),
            lobby_service_pb2.CommitNonceResponse(),
        )

    async def RevealNonce(self, request: Any, context: Any) -> Any:
        return await self._once(
            request,
            context,
            lambda: self.host.reveal(request.nonce),
            lobby_service_pb2.RevealNonceResponse(),
        )

    async def SendChat(self, request: Any, context: Any) -> Any:
        host = self.host

        def apply() -> None:
            number = len(host.chat) + 1
            host.chat.append(ChatMessage(number=number, name=host.name, text=request.text, seat=0))
            host.change()

        return await self._once(request, context, apply, lobby_service_pb2.SendChatResponse())

    async def LeaveTable(self, request: Any, context: Any) -> Any:
        def apply() -> None:
            self.host.token = self.host.name = ""
            self.host.change()

        return await self._once(request, context, apply, lobby_service_pb2.LeaveTableResponse())

    async def WatchTables(self, request: Any, context: Any) -> AsyncIterator[Any]:
        while True:
            version = self.host.version
            yield lobby_service_pb2.WatchTablesResponse(tables=[self.host.table(None)])
            await self.host.changed(version)

    async def WatchTable(self, request: Any, context: Any) -> AsyncIterator[Any]:
        host, token = self.host, token_of(context)
        chat = request.after_chat
        host.streams += 1
        if token and token != host.token:
            await refuse(context, GenialError(Reason.BAD_SEAT_TOKEN))
        if token:
            host.connected = True
        while True:
            if host.closing is not None:
                yield lobby_service_pb2.WatchTableResponse(closing=host.closing)
                return
            if host.superseded:
                yield lobby_service_pb2.WatchTableResponse(superseded=True)
                return
            version = host.version
            fresh = [message for message in host.chat if message.number > chat]
            chat += len(fresh)
            yield lobby_service_pb2.WatchTableResponse(table=host.table(token), chat=fresh)
            await host.changed(version)


class Games(game_service_pb2_grpc.GameServiceServicer):
    def __init__(self, host: FakeHost) -> None:
        self.host = host

    async def WatchGame(self, request: Any, context: Any) -> AsyncIterator[Any]:
        host, token = self.host, token_of(context)
        revision = request.after_revision
        sent = False
        while True:
            if host.faults.drop_streams and sent:
                host.faults.drop_streams -= 1
                await context.abort(grpc.StatusCode.UNAVAILABLE, "the line is cut")
            assert host.game is not None
            version = host.version
            events = host.events_after(0 if host.lies.retell_events else revision, token)
            revision = host.game.revision
            gap, host.faults.gap = host.faults.gap, False
            yield game_service_pb2.WatchGameResponse(
                revision=revision,
                view=host.view(token),
                events=events[-1:] if gap else events,
                gap=gap,
            )
            sent = True
            if host.game.is_over:
                return
            await host.changed(version)

    async def _command(self, request: Any, context: Any, command: Any, response: Any) -> Any:
        host = self.host
        if token_of(context) != host.token:
            await refuse(context, GenialError(Reason.BAD_SEAT_TOKEN))
        assert host.game is not None
        host.command_ids.append(request.request_id)
        if request.request_id not in host.answers:
            if request.expected_revision != host.game.revision:
                await refuse(
                    context, GenialError(Reason.STALE_REVISION, revision=host.game.revision)
                )
            try:
                host.take(command)
            except Refused as refused:
                await refuse(context, GenialError.from_refused(refused))
            host.answers[request.request_id] = response(
                revision=host.game.revision,
                view=host.view(host.token),
                events=host.events_after(request.expected_revision, host.token),
            )
            host.bot_plays()
        if host.faults.lose_answers:
            host.faults.lose_answers -= 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "the answer is lost")
        return host.answers[request.request_id]

    async def PlaceTile(self, request: Any, context: Any) -> Any:
        command = PlaceTile(0, tile_from_message(request.tile), cells_from_message(request.cells))
        return await self._command(request, context, command, game_service_pb2.PlaceTileResponse)

    async def RefillRack(self, request: Any, context: Any) -> Any:
        return await self._command(
            request, context, RefillRack(0), game_service_pb2.RefillRackResponse
        )

    async def ExchangeRack(self, request: Any, context: Any) -> Any:
        return await self._command(
            request, context, ExchangeRack(0), game_service_pb2.ExchangeRackResponse
        )

    async def Resign(self, request: Any, context: Any) -> Any:
        return await self._command(request, context, Resign(0), game_service_pb2.ResignResponse)


class History(history_service_pb2_grpc.HistoryServiceServicer):
    def __init__(self, host: FakeHost) -> None:
        self.host = host

    async def GetRecord(self, request: Any, context: Any) -> Any:
        return history_service_pb2.GetRecordResponse(
            game_id=request.game_id, record=self.host.record()
        )
