"""A table without a host: the engine behind the session's interface, bots answer at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from genial.client.errors import RefusedError
from genial.client.session import Session
from genial.client.updates import ChatArrived, GameChanged, NumberedEvent, TableChanged, Update
from genial.engine.game import (
    Command,
    DealRacks,
    ExchangeRack,
    Game,
    PlaceTile,
    RefillRack,
    Resign,
    Seat,
    decide,
    evolve,
)
from genial.engine.hexgrid import Axial
from genial.engine.moves import Phase
from genial.engine.refusal import Refused
from genial.engine.rules import Rules, SeatKind
from genial.engine.shuffle import open_bag
from genial.engine.tiles import Tile
from genial.engine.view import project, view_for
from genial.v1 import game_pb2
from genial.v1.table_pb2 import (
    TABLE_STATE_ACTIVE,
    TABLE_STATE_OPEN,
    TABLE_STATE_SHELVED,
    ChatMessage,
    Table,
)

NAMES = ("Ana", "Max", "Lena", "Tom")


@dataclass
class FakeTable:
    """One table at which seat 0 is a person and all others greedy bots."""

    players: int = 2
    seed: int = 1
    seat: int | None = 0
    ready: bool = False
    shelved: bool = False
    game: Game | None = None
    number: int = 0
    said: list[ChatMessage] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    queue: asyncio.Queue[Update] = field(default_factory=asyncio.Queue)

    def __post_init__(self) -> None:
        self.table_id = "table"
        self.link: Any = SimpleNamespace(address="127.0.0.1:7718")
        self.last: GameChanged | None = None
        self.table = self.shown()

    def as_session(self) -> Session:
        """For what wants a session: the same interface."""
        return cast(Session, self)

    def shown(self) -> Table:
        """The table as the host would show it."""
        table = Table(table_id="table", name="Kitchen table")
        table.state = TABLE_STATE_ACTIVE if self.game is not None else TABLE_STATE_OPEN
        if self.shelved:
            table.state = TABLE_STATE_SHELVED
        table.options.rules.players = self.players
        for seat in range(self.players):
            table.seats.add(
                seat=seat,
                name=NAMES[seat],
                kind=game_pb2.SEAT_KIND_BOT if seat else game_pb2.SEAT_KIND_HUMAN,
                level="medium" if seat else "",
                ready=bool(seat) or self.ready,
                connected=True,
                creator=seat == 0,
            )
        if self.seat is not None:
            table.viewer_seat = self.seat
        return table

    def tell_table(self) -> None:
        """Tell the newest table."""
        before, self.table = self.table, self.shown()
        self.queue.put_nowait(TableChanged(self.table, before))

    async def updates(self) -> AsyncIterator[Update]:
        """Everything that happens."""
        while True:
            yield await self.queue.get()

    def begin(self) -> None:
        """Deal the next game."""
        self.number += 1
        rules = Rules(players=self.players)
        seats = [
            Seat(NAMES[seat], SeatKind.BOT if seat else SeatKind.HUMAN)
            for seat in range(self.players)
        ]
        bag = open_bag(bytes([self.seed, self.number] * 16))
        self.game = Game.new(rules, seats, 0, bag)
        self.tell_table()
        self.run(DealRacks())

    def run(self, command: Command) -> GameChanged:
        """Carry out a command, then let the bots play on; tell each step."""
        assert self.game is not None
        try:
            events = decide(self.game, command)
        except Refused as refused:
            raise RefusedError(refused.refusal.value, sentence=str(refused)) from refused
        numbered: list[NumberedEvent] = []
        for event in events:
            self.game = evolve(self.game, event)
            seen = project(event, self.seat)
            numbered.append(NumberedEvent(self.game.revision, seen, None))
        view = view_for(self.game, self.seat)
        message = game_pb2.GameView(game_id=f"game{self.number}", hints_allowed=True)
        message.match_game = self.number
        changed = GameChanged(
            f"game{self.number}", view.revision, view, tuple(numbered), False, message
        )
        self.last = changed
        self.queue.put_nowait(changed)
        self.play_bots()
        return changed

    def play_bots(self) -> None:
        """Let a bot move if it is its turn."""
        game = self.game
        if game is None or game.is_over or game.turn == 0:
            return
        self.run(greedy(game))

    async def place_tile(self, tile: Tile, cells: tuple[Axial, Axial]) -> GameChanged:
        self.calls.append(f"place {tile}")
        return self.run(PlaceTile(0, tile, cells))

    async def exchange(self) -> GameChanged:
        self.calls.append("exchange")
        return self.run(ExchangeRack(0))

    async def refill(self) -> GameChanged:
        self.calls.append("refill")
        return self.run(RefillRack(0))

    async def resign(self) -> GameChanged:
        self.calls.append("resign")
        return self.run(Resign(0))

    async def set_ready(self, ready: bool = True) -> None:
        self.calls.append(f"ready {ready}")
        self.ready = ready
        self.tell_table()
        if ready:
            self.begin()

    async def start_game(self, bot_level: str = "") -> None:
        self.calls.append("start")
        self.begin()

    async def rematch(self) -> None:
        self.calls.append("rematch")
        self.begin()

    async def propose_end(self, agree: bool = True) -> None:
        self.calls.append("end")

    async def say(self, text: str) -> None:
        self.calls.append(f"say {text}")
        message = ChatMessage(number=len(self.said) + 1, seat=0, name=NAMES[0], text=text)
        self.said.append(message)
        self.queue.put_nowait(ChatArrived((message,), False))

    async def seat_bot(self, level: str = "", seat: int | None = None) -> int:
        self.calls.append(f"bot {level}")
        return 1

    async def remove_bot(self, seat: int) -> None:
        self.calls.append(f"remove {seat}")

    async def kick(self, seat: int) -> None:
        self.calls.append(f"kick {seat}")

    async def shelve(self) -> None:
        self.calls.append("shelve")
        self.shelved = True
        self.tell_table()

    async def resume(self) -> None:
        self.calls.append("resume")
        self.shelved = False
        self.tell_table()

    async def pause_clocks(self, pause: bool = True) -> None:
        self.calls.append(f"pause {pause}")

    async def leave(self) -> None:
        self.calls.append("leave")

    async def close(self) -> None:
        self.calls.append("close")


def greedy(game: Game) -> Command:
    """The command of a simple bot: most points, then refill."""
    seat = game.turn
    if game.phase is Phase.CLOSE:
        return RefillRack(seat)
    best = view_for(game, seat).scored_placements()[0]
    return PlaceTile(seat, best.tile, best.cells)
