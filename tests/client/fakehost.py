"""A small host for tests of the session: honest unless told to lie, reliable unless told to fail.

One table of two seats. The client sits down on seat 0; seat 1 is the host's own and plays
the first placement that it may. The deal is made by the rules, step by step, so that each
step can be tampered with.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.protobuf.timestamp_pb2 import Timestamp
from grpc_health.v1 import health, health_pb2_grpc

from genial.client.session import Access
from genial.engine.game import Game, decide, evolve
from genial.engine.moves import DealRacks, ExchangeRack, Phase, PlaceTile, RefillRack, Resign, Seat
from genial.engine.record import Record, RecordHeader, TimedEvent, render
from genial.engine.refusal import Refused
from genial.engine.rules import FirstBy, Rules, SeatKind
from genial.engine.shuffle import SCHEME, commitment, deal_key, nonce_hash, open_bag
from genial.engine.view import project, view_for
from genial.v1 import (
    game_service_pb2,
    game_service_pb2_grpc,
    history_service_pb2,
    history_service_pb2_grpc,
    lobby_service_pb2,
    lobby_service_pb2_grpc,
)
from genial.v1.game_pb2 import (
    GameEvent,
    GameView,
    HostClosing,
    Shuffle,
)
from genial.v1.game_pb2 import SeatKind as WireKind
from genial.v1.table_pb2 import (
    ChatMessage,
    Host,
    Neighbour,
    Standing,
    Table,
    TableOptions,
    TableSeat,
    TableState,
    VoidDeal,
)
from genial.wire.errors import GenialError, Reason, status_details
from genial.wire.events import event_to_message
from genial.wire.metadata import SEAT_TOKEN
from genial.wire.values import cells_from_message, rules_to_message, tile_from_message
from genial.wire.version import SOFTWARE
from genial.wire.views import view_to_message

TABLE_ID = "table-1"
DETAILS = "grpc-status-details-bin"
STARTED_AT = "2026-11-29T20:00:00.000Z"


@dataclass
class Lies:
    """What a dishonest host does; all False: an honest one."""

    old_seed: bool = False
    change_commitment: bool = False
    hide_our_hash: bool = False
    change_bot_nonce: bool = False
    change_seats: bool = False
    swap_draw: bool = False
    rewrite_record: Callable[[str], str] | None = None
    retell_events: bool = False
    seat_nobody_has: bool = False


@dataclass
class Faults:
    """What goes wrong on the way; numbers count down."""

    lose_answers: int = 0
    drop_streams: int = 0
    gap: bool = False


PLAIN = Access(plaintext=True)
"""How a client reaches a `FakeHost`."""


@dataclass
class FakeHost:
    """See the module. `start` it; `port` is fixed from then on, over `stop` and `start`."""

    lies: Lies = field(default_factory=Lies)
    faults: Faults = field(default_factory=Faults)
    protocol: str = "v1"
    software: str = SOFTWARE
    port: int = 0

    def __post_init__(self) -> None:
        self.host_id = "fake-host"
        self.neighbours: list[str] = []
        self.rules = Rules(players=2)
        self.token = ""
        self.name = ""
        self.connected = False
        self.ready = False
        self.state = TableState.TABLE_STATE_OPEN
        self.version = 1
        self.chat: list[ChatMessage] = []
        self.game_number = 1
        self.deal = 0
        self.seed = b""
        self.hashes = [b"", b""]
        self.nonces = [b"", b""]
        self.bot_nonce = b""
        self.void_deals: list[VoidDeal] = []
        self.game: Game | None = None
        self.game_id = ""
        self.events: list[Any] = []
        self.answers: dict[str, Any] = {}
        self.calls: list[str] = []
        self.command_ids: list[str] = []
        self.closing: HostClosing | None = None
        self.superseded = False
        self.streams = 0
        self._changed = asyncio.Event()
        self._server: grpc.aio.Server | None = None

    # --- life ---------------------------------------------------------------------------

    async def start(self) -> None:
        options = [
            ("grpc.so_reuseport", 0),
            ("grpc.http2.min_ping_interval_without_data_ms", 1000),
            ("grpc.keepalive_permit_without_calls", 1),
        ]
        self._server = grpc.aio.server(options=options)
        # mypy-protobuf makes every rpc abstract; the session must do with what is here.
        lobby, games, history = _Lobby(self), _Games(self), _History(self)  # type: ignore[abstract]
        lobby_service_pb2_grpc.add_LobbyServiceServicer_to_server(lobby, self._server)
        game_service_pb2_grpc.add_GameServiceServicer_to_server(games, self._server)
        history_service_pb2_grpc.add_HistoryServiceServicer_to_server(history, self._server)
        well = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(well, self._server)
        self.port = self._server.add_insecure_port(f"127.0.0.1:{self.port}")
        await self._server.start()

    async def stop(self) -> None:
        """As if the line were cut: streams break off."""
        if self._server is not None:
            await self._server.stop(0)
            self._server = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def change(self) -> None:
        self.version += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def changed(self, since: int) -> None:
        """Until something has changed since that version."""
        while self.version == since:
            await self._changed.wait()

    # --- the deal -----------------------------------------------------------------------

    def begin_deal(self) -> None:
        if not (self.lies.old_seed and self.seed):
            self.seed = secrets.token_bytes(32)
        self.deal += 1
        self.bot_nonce = secrets.token_bytes(32)
        self.hashes = [b"", nonce_hash(self.bot_nonce)]
        self.nonces = [b"", b""]
        self.state = TableState.TABLE_STATE_DEALING
        self.change()

    def void_deal(self) -> None:
        """Somebody did not answer: the seed is told, and the next deal begins."""
        shuffle = self.shuffle()
        shuffle.seed = self.seed
        self.void_deals.append(VoidDeal(shuffle=shuffle, missing_seats=[0]))
        self.begin_deal()

    def commit(self, digest: bytes) -> None:
        self.hashes[0] = secrets.token_bytes(32) if self.lies.hide_our_hash else digest
        if self.lies.change_seats:
            self.name = "Somebody else"
        self.change()

    def reveal(self, nonce: bytes) -> None:
        self.nonces = [nonce, self.bot_nonce]
        if self.lies.change_bot_nonce:
            self.nonces[1] = secrets.token_bytes(32)
        self.begin_game()

    def begin_game(self) -> None:
        bag = open_bag(deal_key(self.seed, self.nonces))
        seats = [Seat(self.name, SeatKind.HUMAN), Seat("Bot", SeatKind.BOT, "medium")]
        self.game = Game.new(self.rules, seats, 0, bag)
        self.game_id = f"game-{self.game_number}"
        self.events = []
        self.state = TableState.TABLE_STATE_ACTIVE
        self.take(DealRacks())
        self.change()

    def shuffle(self) -> Shuffle:
        shown = commitment(self.seed)
        if self.lies.change_commitment and all(self.hashes):
            shown = commitment(b"another" * 5)
        return Shuffle(
            scheme=SCHEME,
            deal=self.deal,
            commitment=shown,
            nonce_hashes=self.hashes,
            nonces=self.nonces if all(self.hashes) and any(self.nonces) else [],
        )

    # --- the game -----------------------------------------------------------------------

    def take(self, command: Any) -> None:
        assert self.game is not None
        for event in decide(self.game, command):
            self.game = evolve(self.game, event)
            self.events.append(event)
        if self.game.is_over:
            self.state = TableState.TABLE_STATE_OPEN
        self.change()

    def bot_plays(self) -> None:
        while self.game is not None and not self.game.is_over and self.game.turn == 1:
            if self.game.phase is Phase.CLOSE:
                self.take(RefillRack(1))
            else:
                tile, cells = self.game.legal_placements(1)[0]
                self.take(PlaceTile(1, tile, cells))

    def record(self) -> bytes:
        assert self.game is not None
        header = RecordHeader(
            game_id=self.game_id,
            started_at=STARTED_AT,
            rules=self.rules,
            seats=(Seat(self.name, SeatKind.HUMAN), Seat("Bot", SeatKind.BOT, "medium")),
            first_seat=0,
            first_by=FirstBy.NAMED,
            commitment=commitment(self.seed),
            nonce_hashes=tuple(self.hashes),
            nonces=tuple(self.nonces),
            deal=self.deal,
        )
        events = tuple(TimedEvent(n, event) for n, event in enumerate(self.events, 1))
        text = render(Record(header, events, self.seed))
        if self.lies.rewrite_record is not None:
            text = self.lies.rewrite_record(text)
        return text.encode()

    # --- messages -----------------------------------------------------------------------

    def table(self, token: str | None) -> Table:
        mine = bool(token) and token == self.token
        human = TableSeat(
            seat=0,
            kind=WireKind.SEAT_KIND_HUMAN if self.token else WireKind.SEAT_KIND_OPEN,
            name=self.name,
            connected=self.connected,
            ready=self.ready,
        )
        bot = TableSeat(
            seat=1,
            kind=WireKind.SEAT_KIND_BOT,
            name="Bot",
            level="medium",
            connected=True,
            ready=True,
        )
        table = Table(
            table_id=TABLE_ID,
            name="Kitchen",
            state=self.state,
            options=TableOptions(rules=rules_to_message(self.rules)),
            seats=[human, bot],
            game_id=self.game_id,
            game_number=self.game_number,
            version=self.version,
            next_first_seat=0,
            void_deals=self.void_deals,
            standings=self.standings(),
        )
        if self.state in (TableState.TABLE_STATE_DEALING, TableState.TABLE_STATE_ACTIVE):
            table.shuffle.CopyFrom(self.shuffle())
        if mine:
            table.viewer_seat = len(table.seats) if self.lies.seat_nobody_has else 0
        return table

    def standings(self) -> list[Standing]:
        if self.game is None or self.game.ended is None:
            return []
        winner = self.game.ended.ranking[0][0]
        return [
            Standing(seat=winner, name=(self.name, "Bot")[winner], won_twelfths=12, games=1),
            Standing(seat=1 - winner, name=(self.name, "Bot")[1 - winner], games=1),
        ]

    def view(self, token: str | None) -> GameView:
        assert self.game is not None
        viewer = 0 if token and token == self.token else None
        message = view_to_message(view_for(self.game, viewer))
        message.hints_allowed = True
        message.game_id = self.game_id
        message.table_id = TABLE_ID
        message.match_game = self.game_number
        message.shuffle.CopyFrom(self.shuffle())
        return message

    def events_after(self, revision: int, token: str | None) -> list[GameEvent]:
        viewer = 0 if token and token == self.token else None
        events = [
            event_to_message(project(event, viewer), n, 0)
            for n, event in enumerate(self.events, 1)
            if n > revision
        ]
        if self.lies.swap_draw:
            for event in events:
                if event.n == 1 and event.dealt.draw.tiles:
                    event.dealt.draw.tiles[0] = "PP" if event.dealt.draw.tiles[0] != "PP" else "RR"
        return events


def _token(context: Any) -> str | None:
    for key, value in context.invocation_metadata() or ():
        if key == SEAT_TOKEN:
            return str(value)
    return None


async def _refuse(context: Any, error: GenialError) -> None:
    await context.abort(error.code, error.sentence, ((DETAILS, status_details(error)),))


class _Lobby(lobby_service_pb2_grpc.LobbyServiceServicer):
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
            await _refuse(context, GenialError(Reason.UNKNOWN_TABLE, table=request.table_id))
        return lobby_service_pb2.GetTableResponse(table=self.host.table(_token(context)))

    async def ListTables(self, request: Any, context: Any) -> Any:
        # Two pages, whatever was asked for.
        if not request.page_token:
            return lobby_service_pb2.ListTablesResponse(
                tables=[self.host.table(None)], next_page_token="more"
            )
        return lobby_service_pb2.ListTablesResponse(tables=[Table(table_id="table-2")])

    async def JoinTable(self, request: Any, context: Any) -> Any:
        host, token = self.host, _token(context)
        if request.table_id != TABLE_ID:
            await _refuse(context, GenialError(Reason.UNKNOWN_TABLE, table=request.table_id))
        if host.token and token != host.token:
            await _refuse(context, GenialError(Reason.TABLE_FULL))
        if not host.token:
            host.token, host.name = token or "", request.name
            host.change()
        return lobby_service_pb2.JoinTableResponse(seat=0, table=host.table(token))

    async def _once(self, request: Any, context: Any, apply: Callable[[], Any], empty: Any) -> Any:
        host = self.host
        if _token(context) != host.token:
            await _refuse(context, GenialError(Reason.BAD_SEAT_TOKEN))
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
        host, token = self.host, _token(context)
        chat = request.after_chat
        host.streams += 1
        if token and token != host.token:
            await _refuse(context, GenialError(Reason.BAD_SEAT_TOKEN))
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


class _Games(game_service_pb2_grpc.GameServiceServicer):
    def __init__(self, host: FakeHost) -> None:
        self.host = host

    async def WatchGame(self, request: Any, context: Any) -> AsyncIterator[Any]:
        host, token = self.host, _token(context)
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
        if _token(context) != host.token:
            await _refuse(context, GenialError(Reason.BAD_SEAT_TOKEN))
        assert host.game is not None
        host.command_ids.append(request.request_id)
        if request.request_id not in host.answers:
            if request.expected_revision != host.game.revision:
                await _refuse(
                    context, GenialError(Reason.STALE_REVISION, revision=host.game.revision)
                )
            try:
                host.take(command)
            except Refused as refused:
                await _refuse(context, GenialError.from_refused(refused))
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


class _History(history_service_pb2_grpc.HistoryServiceServicer):
    def __init__(self, host: FakeHost) -> None:
        self.host = host

    async def GetRecord(self, request: Any, context: Any) -> Any:
        return history_service_pb2.GetRecordResponse(
            game_id=request.game_id, record=self.host.record()
        )


__all__ = ["PLAIN", "TABLE_ID", "FakeHost", "Faults", "Lies"]
