"""An engine's game and a naive referee's, played together and compared after every step.

Each draws from a bag of its own, made of the same seed and nonces, so that the verifiable
shuffle is compared along the way.
"""

from __future__ import annotations

import dataclasses
import hashlib
import random
from collections import Counter
from collections.abc import Mapping, Sequence

from genial.engine.board import Board
from genial.engine.game import (
    Command,
    DealRacks,
    Dealt,
    EndEarly,
    Event,
    Exchanged,
    ExchangeRack,
    Game,
    Phase,
    Placed,
    PlaceTile,
    Refilled,
    RefillRack,
    Resign,
    Seat,
    Skipped,
    SkipTurn,
    TakeOverSeat,
    decide,
    evolve,
)
from genial.engine.hexgrid import Axial
from genial.engine.moves import Cells
from genial.engine.record import Record, RecordHeader, TimedEvent
from genial.engine.refusal import Refusal, Refused
from genial.engine.rules import FirstBy, Leaving, Mode, Preset, Rules, SeatKind, Track
from genial.engine.shuffle import ShuffledBag, commitment, deal_key, nonce_hash, open_bag
from genial.engine.tiles import LETTERS, Symbol, Tile
from tests.engine.styles import incident, next_command
from tests.referee import naive, shuffle

TABLES = [(Mode.FREE, 2), (Mode.FREE, 3), (Mode.FREE, 4), (Mode.PARTNERS, 4), (Mode.SOLO, 1)]
EVERY_RULES = [Rules(preset, mode, players) for preset in Preset for mode, players in TABLES]


BYTES = {letter: byte for byte, letter in enumerate(("", *LETTERS))}
"""What a packed board says for a letter, or for a free cell."""


def name_of(rules: Rules) -> str:
    """What a test with these rules is called."""
    return f"{rules.mode}-{rules.players}-{rules.preset}"


def letters_of(tiles: Sequence[Tile]) -> list[str]:
    """Tiles as the referee writes them."""
    return [str(tile) for tile in tiles]


def track_of(points: Mapping[str, int]) -> Track:
    """The referee's points by letter as the engine's six counters."""
    return tuple(points.get(letter, 0) for letter in LETTERS)


def secrets(rules: Rules, seed: int) -> tuple[bytes, tuple[bytes, ...]]:
    """The seed and the nonces of a test's game."""
    texts = ["seed", *(f"nonce of {seat}" for seat in range(rules.players))]
    first, *nonces = (hashlib.sha256(f"{text} {seed}".encode()).digest() for text in texts)
    return first, tuple(nonces)


def new_game(
    rules: Rules, seed: int = 0, first_seat: int = 0, kinds: Sequence[SeatKind] | None = None
) -> Game:
    """An engine's game before its deal; people everywhere unless told otherwise."""
    seats = [
        Seat(f"Seat {seat}", kind, "medium" if kind is SeatKind.BOT else None)
        for seat, kind in enumerate(kinds or [SeatKind.HUMAN] * rules.players)
    ]
    return Game.new(rules, seats, first_seat, open_bag(deal_key(*secrets(rules, seed))))


def played(
    rules: Rules, seed: int = 0, style: str = "random", steps: int = 1000
) -> tuple[Game, list[Event]]:
    """An engine's game without a referee, after the deal and so many steps, and its events."""
    rng = random.Random(seed)
    game = new_game(rules, seed, seed % rules.players)
    events: list[Event] = []
    command: Command = DealRacks()
    for _ in range(steps + 1):
        for event in decide(game, command):
            game = evolve(game, event)
            events.append(event)
        if game.is_over:
            break
        command = next_command(game, rng, style)
    return game, events


class SideBySide:
    """One game twice: `game` is the engine's, `referee` the naive one; dealt unless told not to."""

    def __init__(
        self,
        rules: Rules,
        seed: int = 0,
        first_seat: int = 0,
        kinds: Sequence[SeatKind] | None = None,
        *,
        deal: bool = True,
    ) -> None:
        self.rules = rules
        self.seed, self.nonces = secrets(rules, seed)
        kinds = kinds or [SeatKind.HUMAN] * rules.players
        self.start = self.game = new_game(rules, seed, first_seat, kinds)
        self.referee = naive.NaiveGame(
            rules.preset.value,
            rules.mode.value,
            rules.players,
            first_seat,
            leaving=rules.leaving.value,
            kinds=[kind.value for kind in kinds],
        )
        self.bag = shuffle.Bag(self.seed, self.nonces, chance=False)
        self.events: list[Event] = []
        self.whole = True
        if deal:
            self.do(DealRacks())

    @property
    def turn(self) -> int:
        """Whose turn it is."""
        return self.game.turn

    # Steps

    def do(self, command: Command) -> tuple[Event, ...]:
        """A step that both accept; the engine's events."""
        refusal, events = self._ask(command)
        assert refusal is None, f"{command} was refused: {refusal}"
        return events

    def refused(self, command: Command) -> Refusal:
        """The engine's reason for refusing what the referee finds illegal too."""
        refusal, _ = self._ask(command)
        assert refusal is not None, f"{command} was accepted"
        return refusal

    def attempt(self, command: Command) -> Refusal | None:
        """Asks both, which have to agree, and follows if they accept."""
        return self._ask(command)[0]

    def place(self, tile: str, *cells: tuple[int, int]) -> Placed:
        """The seat on turn places a tile, letters in the order of the cells."""
        one, other = cells
        placed = self.do(
            PlaceTile(self.turn, Tile.parse_oriented(tile), (Axial(*one), Axial(*other)))
        )[0]
        assert isinstance(placed, Placed)
        return placed

    def refill(self) -> None:
        """The seat on turn refills."""
        self.do(RefillRack(self.turn))

    def _ask(self, command: Command) -> tuple[Refusal | None, tuple[Event, ...]]:
        try:
            events = decide(self.game, command)
        except Refused as refused:
            self._referee_refuses(command)
            self.compare()
            return refused.refusal, ()
        self._tell_referee(command, events)
        for event in events:
            self.game = evolve(self.game, event)
        self.events += events
        self.compare()
        return None, events

    def _referee_refuses(self, command: Command) -> None:
        try:
            self._tell_referee(command, ())
        except naive.Illegal:
            return
        raise AssertionError(f"the engine refuses {command}, the referee does not")

    def _tell_referee(self, command: Command, events: Sequence[Event]) -> None:
        """The same step by the referee; what it gives is compared with the engine's events."""
        referee = self.referee
        seat = getattr(command, "seat", 0)
        if not 0 <= seat < self.rules.players:
            raise naive.Illegal(f"there is no seat {seat}")
        match command:
            case DealRacks():
                if referee.dealt:
                    raise naive.Illegal("dealt already")
                for step, event in enumerate(events):
                    seat = (referee.first_seat + step) % self.rules.players
                    drawn = self.bag.draw(self.rules.rack_size)
                    referee.deal(seat, drawn)
                    assert event == Dealt(seat, tuple(map(Tile.parse, drawn)))
            case PlaceTile():
                self._tell_placement(command, events)
            case RefillRack():
                # In solitaire the next tile comes with the placement, so nobody asks for it.
                if self.rules.mode is Mode.SOLO:
                    raise naive.Illegal("drawn by itself")
                drawn = self._next(referee.missing(seat))
                referee.refill(seat, drawn)
                self.bag.draw(len(drawn))
                assert events == (Refilled(seat, tuple(map(Tile.parse, drawn))),)
            case ExchangeRack():
                drawn = self._next(naive.RACK)
                back = referee.exchange(seat, drawn)
                self.bag.draw(len(drawn))
                self.bag.put_back(back)
                returned, new = tuple(map(Tile.parse, back)), tuple(map(Tile.parse, drawn))
                assert events == (Exchanged(seat, returned, new),)
            case SkipTurn():
                drawn = self._next(referee.missing(seat))
                referee.skip(seat, drawn)
                self.bag.draw(len(drawn))
                assert events == (Skipped(seat, tuple(map(Tile.parse, drawn))),)
            case Resign():
                referee.resign(seat)
            case TakeOverSeat():
                referee.takeover(seat, command.kind.value)
            case EndEarly():
                referee.end_early(command.reason.value)

    def _tell_placement(self, command: PlaceTile, events: Sequence[Event]) -> None:
        seat, referee = command.seat, self.referee
        points = referee.place(seat, str(command.tile), command.cells)
        assert events
        placed = events[0]
        assert placed == Placed(
            seat,
            command.tile,
            command.cells,
            track_of(points),
            track_of(referee.track_of(seat)),
            referee.bonus_owed,
        )
        if self.rules.mode is Mode.SOLO and not referee.finished:
            drawn = self.bag.draw(1)
            referee.refill(seat, drawn)
            assert events[1:] == (Refilled(seat, tuple(map(Tile.parse, drawn))),)

    def _next(self, count: int) -> list[str]:
        return self.bag.tiles[::-1][:count]

    # Comparing

    def compare(self) -> None:
        """Everything that both know is the same, and all 120 tiles are somewhere."""
        game, referee = self.game, self.referee
        board = referee.board
        cells = game.board.zone.cells
        assert game.board.packed() == bytes(BYTES[board.get(cell, "")] for cell in cells)
        assert board.keys() <= referee.cells
        assert [letters_of(rack) for rack in game.racks] == referee.racks
        assert list(game.tracks) == [track_of(track) for track in referee.tracks]
        assert isinstance(game.bag, ShuffledBag)
        assert letters_of(game.bag.tiles) == self.bag.tiles
        assert Counter(self.bag.tiles) == referee.bag
        assert game.phase is self._phase()
        assert game.bonus_owed == referee.bonus_owed
        assert {symbol.letter for symbol in game.claimed} == {
            naive.START_SYMBOLS[cell] for cell in referee.claimed
        }
        assert game.started == referee.first_done
        assert [game.rules.team_of(seat) for seat in game.resigned] == referee.resigned
        assert [seat.kind.value for seat in game.seats] == referee.kinds
        assert game.had_human == referee.had_human
        assert game.revision == len(self.events)
        if not referee.finished:
            assert game.turn == referee.turn
            assert game.ended is None
        else:
            assert game.ended is not None
            assert game.ended.reason == referee.reason
            assert [list(group) for group in game.ended.ranking] == referee.ranking
            assert list(game.ended.tracks) == [track_of(track) for track in referee.scores]
        if self.whole:
            placed = sum(isinstance(event, Placed) for event in self.events)
            held = len(game.bag) + sum(map(len, game.racks))
            assert held + placed == 120
            assert len(board) == 6 + 2 * placed

    def _phase(self) -> Phase:
        if self.referee.finished:
            return Phase.OVER
        if not self.referee.running:
            return Phase.DEAL
        if not self.referee.placed:
            return Phase.PLACE
        return Phase.BONUS if self.referee.bonus_owed else Phase.CLOSE

    def compare_placements(self) -> None:
        """Both list the same placements for the seat on turn, and none for the others."""
        game, referee = self.game, self.referee
        listed = game.legal_placements(game.turn)
        ours = {_unoriented(tile, cells) for tile, cells in listed}
        assert len(ours) == len(listed)
        due = referee.legal_placements(game.turn) if referee.may_place() else []
        assert ours == {
            _unoriented(Tile.parse_oriented(letters), (Axial(*one), Axial(*other)))
            for letters, (one, other) in due
        }
        assert game.may_exchange(game.turn) == referee.may_exchange()
        for seat in range(self.rules.players):
            if seat != game.turn:
                assert game.legal_placements(seat) == []
                assert not game.may_exchange(seat)

    # Positions made by hand

    def arrange(
        self,
        *,
        board: Mapping[tuple[int, int], str] | None = None,
        racks: Mapping[int, Sequence[str]] | None = None,
        tracks: Mapping[int, Sequence[int]] | None = None,
        started: Sequence[int] | None = None,
        claimed: str | None = None,
        bag: Sequence[str] | None = None,
    ) -> None:
        """Changes the position of both; the tiles then no longer come from one box.

        Args:
            board: Symbols to lie on cells, "" to free one.
            racks: New racks by seat.
            tracks: New counters by team.
            started: Who has made a first placement.
            claimed: Letters of the start symbols taken.
            bag: The bag, next draw last.
        """
        game, referee = self.game, self.referee
        self.whole = False
        if board is not None:
            contents = dict(zip(game.board.zone.cells, game.board.packed(), strict=True))
            for cell, letter in board.items():
                contents[Axial(*cell)] = Symbol.from_letter(letter) if letter else 0
                referee.board.pop(cell, None)
                if letter:
                    referee.board[cell] = letter
            packed = bytes(contents[cell] for cell in game.board.zone.cells)
            game = dataclasses.replace(game, board=Board.unpack(game.board.zone, packed))
        for seat, rack in (racks or {}).items():
            new = list(game.racks)
            new[seat] = tuple(map(Tile.parse, rack))
            game = dataclasses.replace(game, racks=tuple(new))
            referee.racks[seat] = list(rack)
        for team, track in (tracks or {}).items():
            counters = list(game.tracks)
            counters[team] = tuple(track)
            game = dataclasses.replace(game, tracks=tuple(counters))
            referee.tracks[team] = dict(zip(LETTERS, track, strict=True))
        if started is not None:
            game = dataclasses.replace(game, started=frozenset(started))
            referee.first_done = set(started)
        if claimed is not None:
            game = dataclasses.replace(game, claimed=frozenset(map(Symbol.from_letter, claimed)))
            referee.claimed = {
                cell for cell, letter in naive.START_SYMBOLS.items() if letter in claimed
            }
        if bag is not None:
            assert isinstance(game.bag, ShuffledBag)
            tiles = tuple(map(Tile.parse, bag))
            game = dataclasses.replace(game, bag=dataclasses.replace(game.bag, tiles=tiles))
            self.bag.tiles = list(bag)
            referee.bag = Counter(bag)
        self.game = game
        self.compare()

    def cover(self, letter: str, others: Mapping[tuple[int, int], str]) -> None:
        """One symbol on every cell, start symbols too, but for what `others` says ("": free)."""
        cells = self.game.board.zone.cells
        self.arrange(board={cell: others.get(cell, letter) for cell in cells})

    # Records

    def record(self, *, revealed: bool = True, timed: bool = False) -> Record:
        """The game so far as a record."""
        header = RecordHeader(
            game_id="side by side",
            started_at="2026-11-29T20:00:00.000Z",
            rules=self.rules,
            seats=self.start.seats,
            first_seat=self.start.first_seat,
            first_by=FirstBy.NAMED,
            commitment=commitment(self.seed),
            nonce_hashes=tuple(map(nonce_hash, self.nonces)),
            nonces=self.nonces,
            software="tests",
            clock="10m+10s" if timed else None,
        )
        return Record(
            header,
            tuple(
                TimedEvent(
                    n, event, f"2026-11-29T20:{n // 60:02}:{n % 60:02}.000Z" if timed else None
                )
                for n, event in enumerate(self.events, 1)
            ),
            self.seed if revealed and self.game.is_over else None,
        )


def _unoriented(tile: Tile, cells: Cells) -> frozenset[tuple[Axial, Symbol]]:
    """What lies where after a placement, however it was written."""
    return frozenset(zip(cells, tile, strict=True))


def play_on(side: SideBySide, rng: random.Random, style: str = "random", steps: int = 1000) -> None:
    """Plays so many steps, or to the end."""
    for _ in range(steps):
        if side.game.is_over:
            return
        side.do(next_command(side.game, rng, style))


def with_incidents(rules: Rules, seed: int) -> tuple[SideBySide, list[Refusal | None]]:
    """A whole game in which people and bots come and go, and what became of the incidents."""
    rng = random.Random(seed)
    kinds = [rng.choice(list(SeatKind)) for _ in range(rules.players)]
    side = SideBySide(rules, seed, rng.randrange(rules.players), kinds)
    outcomes = []
    while not side.game.is_over:
        if rng.random() < 0.1:
            outcomes.append(side.attempt(incident(side.game, rng)))
        else:
            side.do(next_command(side.game, rng, "level"))
    return side, outcomes


def leaving_by(rules: Rules, leaving: Leaving) -> Rules:
    """The same rules with another way of dealing with absence."""
    return Rules(rules.preset, rules.mode, rules.players, leaving)
