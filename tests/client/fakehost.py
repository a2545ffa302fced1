"""A small host for tests of the session: honest unless told to lie, reliable unless told to fail.

One table of two seats. The client sits down on seat 0; seat 1 is the host's own and plays
the first placement that it may. The deal is made by the rules, step by step, so that each
step can be tampered with.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2_grpc

from genial.client.session import Access
from genial.engine.game import Game, decide, evolve
from genial.engine.moves import DealRacks, Phase, PlaceTile, RefillRack, Seat
from genial.engine.record import Record, RecordHeader, TimedEvent, render
from genial.engine.rules import FirstBy, Rules, SeatKind
from genial.engine.shuffle import SCHEME, commitment, deal_key, nonce_hash, open_bag
from genial.engine.view import project, view_for
from genial.v1 import (
    game_service_pb2_grpc,
    history_service_pb2_grpc,
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
    Standing,
    Table,
    TableOptions,
    TableSeat,
    TableState,
    VoidDeal,
)
from genial.wire.events import event_to_message
from genial.wire.values import rules_to_message
from genial.wire.version import SOFTWARE
from genial.wire.views import view_to_message
from tests.client.fakehost_services import TABLE_ID, Games, History, Lobby

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
        lobby, games, history = Lobby(self), Games(self), History(self)  # type: ignore[abstract]
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


__all__ = ["PLAIN", "FakeHost", "Faults", "Lies"]
