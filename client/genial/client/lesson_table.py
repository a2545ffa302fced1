"""The tutorial's table: the engine on this side, and an opponent who follows a script.

It has the interface of a session, so that the screen plays at it as at any table.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Final

from genial.client.errors import RefusedError
from genial.client.text import _
from genial.client.updates import GameChanged, NumberedEvent, TableChanged, Update
from genial.engine.board import parse_cell
from genial.engine.game import (
    Command,
    DealRacks,
    ExchangeRack,
    Game,
    PlaceTile,
    RefillRack,
    Seat,
    decide,
    evolve,
)
from genial.engine.moves import Event, Phase
from genial.engine.refusal import Refused
from genial.engine.rules import Rules, SeatKind, lowest_symbols
from genial.engine.shuffle import open_bag
from genial.engine.tiles import TILE_KINDS, Tile
from genial.engine.view import project, view_for
from genial.v1 import game_pb2
from genial.v1.table_pb2 import TABLE_STATE_ACTIVE, Table

_KEY: Final = bytes([9]) * 32
# A whole game of two from that shuffle: placements by turns, every turn refilled. The last
# two are one turn: the purple counter fills, and the bonus tile fills the board.
_SCRIPT: Final = [
    "RO C9 C10",
    "PP G4 H4",
    "RP E6 F5",
    "RO D8 D9",
    "BO C11 D10",
    "RG C12 D12",
    "YG D11 E11",
    "RY E9 E10",
    "RY F8 F9",
    "RB F13 G13",
    "RB G12 H12",
    "YY G8 G9",
    "RP F6 G5",
    "BB H11 I11",
    "YB G10 H10",
    "GO F10 F11",
    "GO D13 E12",
    "OB F12 G11",
    "YO E7 E8",
    "GP G6 H5",
    "YB H9 I9",
    "OY F7 G7",
    "GP H6 I5",
    "GP I6 J5",
    "GP J6 K5",
    "GG J7 K6",
    "GO K8 L8",
    "RO K9 L9",
    "PR I10 J10",
    "BP J8 J9",
    "YB H8 I8",
    "YO H7 I7",
    "GR J11 K10",
    "OO L7 M7",
    "BG K7 L6",
    "YP L4 L5",
    "YY K4 L3",
    "BG M5 M6",
    "PP I3 I4",
    "GY J3 K3",
]
LEARNER: Final = "Ana"
"""Who plays as long as no name is known; a word like "you" would not go with the sentences."""
_OPENED: Final = 0
_SCORING: Final = 16
_EXCHANGE: Final = 20
_CALL: Final = 38
# Which position a step of the lessons begins with; the others go on where the last one ended.
_POSITIONS: Final = {0: _OPENED, 5: _SCORING, 6: _EXCHANGE, 7: _CALL}


def scripted(placements: int, name: str = LEARNER) -> Game:
    """The scripted game after so many placements, each turn ended; `name` is the learner's."""
    seats = (Seat(name, SeatKind.HUMAN), Seat("Max", SeatKind.BOT))
    game = Game.new(Rules(players=2), seats, 0, open_bag(_KEY))
    game = _after(game, DealRacks())
    for line in _SCRIPT[:placements]:
        game = _after(game, _command(game, line))
        if game.phase is Phase.CLOSE:
            game = _after(game, RefillRack(game.turn))
    return game


def _command(game: Game, line: str) -> PlaceTile:
    tile, one, other = line.split()
    return PlaceTile(game.turn, Tile.parse_oriented(tile), (parse_cell(one), parse_cell(other)))


def _after(game: Game, command: Command) -> Game:
    for event in decide(game, command):
        game = evolve(game, event)
    return game


def position(step: int, name: str = LEARNER) -> Game | None:
    """The game with which a step of the lessons begins; None: it goes on."""
    placements = _POSITIONS.get(step)
    if placements is None:
        return None
    game = scripted(placements, name)
    if placements == _EXCHANGE:
        # The moment after placing, with a rack that shows no weakest colour.
        game = _after(game, _command(game, _SCRIPT[placements]))
        lowest = set(lowest_symbols(game.track(0)))
        rack = tuple(tile for tile in TILE_KINDS if not lowest & set(tile))[:5]
        game = replace(game, racks=(rack, *game.racks[1:]))
    return game


class LessonTable:
    """A table without a host; see `genial.client.session.Session` for the interface."""

    def __init__(self, name: str = "") -> None:
        """Sits down; the first position is dealt. Without a name the learner is called Ana."""
        self._name = name or LEARNER
        self.link: Any = SimpleNamespace(address="")
        self.table_id = "lessons"
        self.seat = 0
        self.game: GameChanged | None = None
        self.played_for = False
        self.table = Table(table_id="lessons", name=_("Lessons"), state=TABLE_STATE_ACTIVE)
        self.table.viewer_seat = 0
        self._number = 0
        self._queue: asyncio.Queue[Update] = asyncio.Queue()
        self._game = scripted(0, self._name)
        self._queue.put_nowait(TableChanged(self.table, None))
        self.begin(0)

    def begin(self, step: int) -> None:
        """Lay out the position of a step, if it has one of its own."""
        game = position(step, self._name)
        if game is not None:
            self._game = game
            self._number += 1
            self._tell(())

    async def updates(self) -> AsyncIterator[Update]:
        """Everything that changes, in order."""
        while True:
            yield await self._queue.get()

    def heard(self) -> list[Update]:
        """What has changed since this was asked last, for whoever does not wait for it."""
        changes: list[Update] = []
        while not self._queue.empty():
            changes.append(self._queue.get_nowait())
        return changes

    async def place_tile(self, tile: Tile, cells: tuple[Any, Any]) -> None:
        """Place a tile, by the rules."""
        self._do(PlaceTile(0, tile, cells))

    async def refill(self) -> None:
        """Refill, then the opponent moves."""
        self._do(RefillRack(0))
        self._answer()

    async def exchange(self) -> None:
        """Exchange, then the opponent moves."""
        self._do(ExchangeRack(0))
        self._answer()

    async def nothing(self) -> None:
        """What a lesson has no use for."""

    async def close(self) -> None:
        """Nothing is left behind."""

    async def leave(self) -> None:
        """Nothing is left behind."""

    def _answer(self) -> None:
        """The opponent's move: as scripted where that is possible, else the best by points."""
        game = self._game
        if game.is_over or game.turn == 0:
            return
        for line in _SCRIPT:
            command = _command(game, line)
            if command.tile.canonical in game.racks[1]:
                try:
                    decide(game, command)
                except Refused:
                    continue
                break
        else:
            best = view_for(game, 1).scored_placements()[0]
            command = PlaceTile(1, best.tile, best.cells)
        self._do(command)
        if self._game.phase is Phase.CLOSE:
            self._do(RefillRack(1))

    def _do(self, command: Command) -> None:
        try:
            events = decide(self._game, command)
        except Refused as refused:
            raise RefusedError(refused.refusal.value, sentence=str(refused)) from refused
        for event in events:
            self._game = evolve(self._game, event)
        self._tell(events)

    def _tell(self, events: tuple[Event, ...]) -> None:
        view = view_for(self._game, 0)
        first = view.revision - len(events) + 1
        numbered = tuple(
            NumberedEvent(number, project(event, 0), None)
            for number, event in enumerate(events, first)
        )
        game_id = f"lesson {self._number}"
        message = game_pb2.GameView(game_id=game_id, hints_allowed=True)
        self.game = GameChanged(game_id, view.revision, view, numbered, False, message)
        self._queue.put_nowait(self.game)
