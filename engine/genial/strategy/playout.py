"""The search's state of a game: mutable, flat, with undo.

The authority is `genial.engine.game`; this says the same, move by move, a hundred times as fast
(a property test holds the two equal). Cells are mailbox indices (`engine.board`), symbols 1..6,
and a tile is its *kind*, an index into `TILE_KINDS`. What makes it fast is that three tables are
kept up to date by every placement, so that nobody ever counts a line:

- `lines[k][cell]`: what half a tile of symbol k would score on a free cell. Before a placement
  the partner's cell is free, so five directions and six come to the same.
- `levels[k][n]`: the same as bit sets, bit `cell` set where `lines[k][cell] >= n`; level 0 stays
  what was free when the state was made, and the level above TOP stays empty. Whole-board
  questions ("where does R score at least 3 beside a cell where B scores 2") are then a few
  operations on integers.
- `free`: the free cells as a bit set.

Values of a cell that is taken stand as they were before, which is what undo needs; whoever reads
`levels` masks with `free`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from genial.engine.board import BESIDE_START, STRIDE, WALL, Board, Zone
from genial.engine.game import Game, Phase, reason_to_end
from genial.engine.rules import STOP, Mode, Preset, Ranking, Rules, Track, advance, ranking
from genial.engine.shuffle import Bag, ShuffledBag
from genial.strategy.bitsets import (
    AXES,
    BITS,
    SHOWS,
    START_MASK,
    TOP,
    kinds_of,
    levels_of,
    open_pairs,
    spread,
)

Shuffle = Callable[[list[int]], None]
"""Puts the kinds in a bag into a new order, in place; the next draw is the last."""


class _Placed(NamedTuple):
    """What `undo` needs to take a placement back."""

    kind: int
    place_on_rack: int
    u: int
    v: int
    a: int
    b: int
    counter_a: int
    counter_b: int
    claimed: int
    started: int
    placed: bool
    bonus_owed: int
    last_mover: int


class _Closed(NamedTuple):
    """What `undo` needs to take the end of a turn back."""

    turn: int
    drawn: int
    returned: tuple[int, ...] | None
    bag: tuple[int, ...] | None
    placed: bool
    bonus_owed: int


class Playout:
    """A game in which everything is known: dealt for real in the arena, or a guess at it in a
    search (others' racks and the bag filled with tiles that were not seen).

    Attributes (read them, and change them by the methods only):
        rules, zone: What is played.
        cells: By mailbox index 0 free, 1..6 a symbol, 7 wall.
        free, lines, levels: See the module.
        tracks: For each team a list of seven: counters by symbol, place 0 unused.
        racks: For each seat the kinds of its tiles, in drawing order.
        bag: Kinds, the next draw last.
        turn: Whose turn. placed: Has that seat placed in this turn. bonus_owed: How many
            placements it owes. over: The game has ended.
        claimed: Start symbols taken, as bits 1..6. started: Seats that placed, as bits.
        resigned: Seats in the order in which they resigned.
        last_mover: The seat that placed last, or -1.
    """

    __slots__ = (
        "_log",
        "bag",
        "bonus_owed",
        "cap",
        "cells",
        "claimed",
        "free",
        "has_bonus",
        "last_mover",
        "levels",
        "lines",
        "over",
        "placed",
        "players",
        "rack_size",
        "racks",
        "resigned",
        "rules",
        "started",
        "team_of",
        "tracks",
        "turn",
        "zone",
    )

    def __init__(self, rules: Rules, board: Board, first_seat: int) -> None:
        """A game about to be played from `board`, with empty racks, an empty bag and no points.

        Fill `racks` and `bag` (and whatever else differs from a fresh game) before playing.
        """
        self.rules = rules
        self.zone: Zone = rules.zone
        self.players = rules.players
        self.cap = rules.cap
        self.rack_size = rules.rack_size
        self.has_bonus = rules.has_bonus
        self.team_of = tuple(rules.team_of(seat) for seat in range(rules.players))
        self.cells = list(board.contents)
        self.free = board.free
        self.lines = [bytearray(row) for row in board.line_values()]
        self.levels = levels_of(self.lines, self.free)
        self.tracks = [[0] * WALL for _ in rules.teams]
        self.racks: list[list[int]] = [[] for _ in range(rules.players)]
        self.bag: list[int] = []
        self.turn = first_seat
        self.placed = False
        self.bonus_owed = 0
        self.over = False
        self.claimed = 0
        self.started = 0
        self.resigned: list[int] = []
        self.last_mover = -1
        self._log: list[_Placed | _Closed] = []

    @classmethod
    def of(cls, game: Game) -> Playout:
        """The state of a game whose deal is done, everything hidden included.

        A bag of which only the contents are known comes in canonical order.
        """
        state = cls(game.rules, game.board, game.turn)
        state.tracks = [[0, *track] for track in game.tracks]
        state.racks = [kinds_of(rack) for rack in game.racks]
        state.bag = _kinds_in(game.bag)
        state.placed = game.phase in (Phase.BONUS, Phase.CLOSE)
        state.bonus_owed = game.bonus_owed
        # Between a last placement and the event that says so the game is over already.
        state.over = game.phase is Phase.OVER or reason_to_end(game) is not None
        state.claimed = sum(1 << symbol for symbol in game.claimed)
        state.started = sum(1 << seat for seat in game.started)
        state.resigned = list(game.resigned)
        state.last_mover = -1 if game.last_mover is None else game.last_mover
        return state

    def copy(self) -> Playout:
        """An independent state, with an empty undo log. A few microseconds."""
        twin: Playout = Playout.__new__(Playout)
        twin.rules = self.rules
        twin.zone = self.zone
        twin.players = self.players
        twin.cap = self.cap
        twin.rack_size = self.rack_size
        twin.has_bonus = self.has_bonus
        twin.team_of = self.team_of
        twin.cells = self.cells[:]
        twin.free = self.free
        twin.lines = [row[:] for row in self.lines]
        twin.levels = [row[:] for row in self.levels]
        twin.tracks = [track[:] for track in self.tracks]
        twin.racks = [rack[:] for rack in self.racks]
        twin.bag = self.bag[:]
        twin.turn = self.turn
        twin.placed = self.placed
        twin.bonus_owed = self.bonus_owed
        twin.over = self.over
        twin.claimed = self.claimed
        twin.started = self.started
        twin.resigned = self.resigned[:]
        twin.last_mover = self.last_mover
        twin._log = []
        return twin

    # What stands

    @property
    def phase(self) -> Phase:
        """What the seat whose turn it is has to do."""
        if self.over:
            return Phase.OVER
        if not self.placed:
            return Phase.PLACE
        return Phase.BONUS if self.bonus_owed else Phase.CLOSE

    @property
    def must_place(self) -> bool:
        """Whether the mover has to place now: its tile, or one owed."""
        return not self.over and (not self.placed or self.bonus_owed > 0)

    def track(self, seat: int) -> Track:
        """A seat's six counters, as the engine has them."""
        return tuple(self.tracks[self.team_of[seat]][1:])

    def ranking(self) -> Ranking:
        """Who would rank where if the game ended now."""
        return ranking(self.rules, [tuple(track[1:]) for track in self.tracks], self.resigned)

    def starting_cells(self) -> int:
        """The free cells one of which the mover's first placement has to use, as a bit set.

        All free cells when it may use any: it has started, or no unclaimed start symbol has a
        free pair beside it any more.
        """
        free = self.free
        if self.started >> self.turn & 1:
            return free
        near = 0
        for symbol, mask in START_MASK.items():
            if not self.claimed >> symbol & 1:
                near |= mask
        near &= free
        return near if near & spread(free) else free

    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of cells that the mover may use, in the order of the zone."""
        return self.open_pairs()[0]

    def open_pairs(self) -> tuple[list[tuple[int, int]], bytes, bytes]:
        """The pairs that the mover may use, their first and their second cells less `OFFSET`."""
        near = self.starting_cells()
        return open_pairs(self.zone, self.cells, None if near == self.free else near)

    def may_exchange(self) -> bool:
        """Whether the mover may exchange its rack now (rules, section 3)."""
        rack = self.racks[self.turn]
        if self.over or not self.placed or self.bonus_owed or not rack:
            return False
        if self.rules.mode is Mode.SOLO:
            return False
        shown = 0
        for kind in rack:
            shown |= SHOWS[kind]
        counters = self.tracks[self.team_of[self.turn]][1:]
        lowest = min(counters)
        for symbol, counter in enumerate(counters, 1):
            if counter == lowest and shown >> symbol & 1:
                break
        else:
            return True
        if self.rules.preset is Preset.OFFICIAL:
            return False
        usable = self.free & spread(self.free)
        return not any(shown >> k & 1 and self.levels[k][1] & usable for k in range(1, WALL))

    # Playing

    def place(self, kind: int, a: int, b: int, u: int, v: int) -> int:
        """Place a tile of `kind`, its symbol `a` on cell u and its symbol `b` on v; score it.

        Judges nothing: the caller takes the cells from `pairs` and the tile from the rack.

        Returns:
            The points that counted.
        """
        turn = self.turn
        track = self.tracks[self.team_of[turn]]
        rack = self.racks[turn]
        at = rack.index(kind)
        self._log.append(
            _Placed(
                kind,
                at,
                u,
                v,
                a,
                b,
                track[a],
                track[b],
                self.claimed,
                self.started,
                self.placed,
                self.bonus_owed,
                self.last_mover,
            )
        )
        del rack[at]
        points_a, points_b = self.lines[a][u], self.lines[b][v]
        earned, reached = self._score(track, a, points_a, b, points_b)
        if not self.started >> turn & 1:
            symbol = BESIDE_START.get(u)
            if symbol is None or self.claimed >> symbol & 1:
                symbol = BESIDE_START.get(v)
            if symbol is not None:
                self.claimed |= 1 << symbol
            self.started |= 1 << turn
        self._lay(a, u)
        self._lay(b, v)
        self.last_mover = turn
        owed = self.bonus_owed - 1 if self.placed else 0
        self.placed = True
        self.bonus_owed = owed + reached if rack else 0
        free = self.free
        if not free & (free >> 1 | free >> STRIDE | free >> (STRIDE - 1)) or (
            reached and min(track[1:]) == self.cap
        ):
            self.over = True
            self.bonus_owed = 0
        elif not self.has_bonus:
            self.bonus_owed = 0
        return earned

    def refill(self) -> None:
        """Draw back up to a full rack (fewer if the bag is short) and end the turn."""
        turn = self.turn
        rack, bag = self.racks[turn], self.bag
        count = min(self.rack_size - len(rack), len(bag))
        for _ in range(count):
            rack.append(bag.pop())
        self._log.append(_Closed(turn, count, None, None, self.placed, self.bonus_owed))
        self._next_turn()

    def exchange(self, shuffle: Shuffle) -> None:
        """Draw a new rack, put the old one into the bag, shuffle that; ends the turn."""
        turn = self.turn
        bag = self.bag
        returned = self.racks[turn]
        before = tuple(bag)
        count = min(self.rack_size, len(bag))
        self.racks[turn] = [bag.pop() for _ in range(count)]
        bag += sorted(returned)
        shuffle(bag)
        self._log.append(
            _Closed(turn, count, tuple(returned), before, self.placed, self.bonus_owed)
        )
        self._next_turn()

    def undo(self) -> None:
        """Take back the latest placement, refill or exchange.

        Raises:
            IndexError: There is nothing to take back.
        """
        entry = self._log.pop()
        if isinstance(entry, _Closed):
            rack = self.racks[entry.turn]
            if entry.returned is None or entry.bag is None:
                for _ in range(entry.drawn):
                    self.bag.append(rack.pop())
            else:
                self.racks[entry.turn] = list(entry.returned)
                self.bag = list(entry.bag)
            self.turn = entry.turn
            self.placed = entry.placed
            self.bonus_owed = entry.bonus_owed
            return
        self._lift(entry.b, entry.v)
        self._lift(entry.a, entry.u)
        track = self.tracks[self.team_of[self.turn]]
        track[entry.b] = entry.counter_b
        track[entry.a] = entry.counter_a
        self.racks[self.turn].insert(entry.place_on_rack, entry.kind)
        self.claimed = entry.claimed
        self.started = entry.started
        self.placed = entry.placed
        self.bonus_owed = entry.bonus_owed
        self.last_mover = entry.last_mover
        self.over = False

    def _next_turn(self) -> None:
        self.placed = False
        self.bonus_owed = 0
        turn = self.turn
        players = self.players
        gone = {self.team_of[seat] for seat in self.resigned} if self.resigned else ()
        while True:
            turn = (turn + 1) % players
            if self.team_of[turn] not in gone:
                break
        self.turn = turn

    def _score(
        self, track: list[int], a: int, points_a: int, b: int, points_b: int
    ) -> tuple[int, int]:
        """Advance the counters; returns the points that counted and the stops reached."""
        cap = self.cap
        before = track[a]
        if a == b:
            after = max(
                advance(advance(before, points_a, cap), points_b, cap),
                advance(advance(before, points_b, cap), points_a, cap),
            )
            track[a] = after
            reached = 0
            if after != before:
                reached = (before < STOP <= after) + (before < cap == after and cap != STOP)
            return after - before, reached
        earned = reached = 0
        if points_a:
            stop = STOP if before < STOP else cap
            after = before + points_a
            if after >= stop:
                after = stop
                reached = before < stop
            track[a] = after
            earned = after - before
        if points_b:
            before = track[b]
            stop = STOP if before < STOP else cap
            after = before + points_b
            if after >= stop:
                after = stop
                reached += before < stop
            track[b] = after
            earned += after - before
        return earned, reached

    def _lay(self, symbol: int, cell: int) -> None:
        """Put a symbol on a free cell and bring the tables up to date."""
        cells = self.cells
        row = self.lines[symbol]
        levels = self.levels[symbol]
        cells[cell] = symbol
        self.free ^= BITS[cell]
        for step in AXES:
            # The line through the cell, and the free cells (if any) that look along it from
            # its two ends: each now sees this symbol and what lies beyond it.
            end, length = cell + step, 1
            while cells[end] == symbol:
                end += step
                length += 1
            other, far = cell - step, 1
            while cells[other] == symbol:
                other -= step
                far += 1
            if not cells[end]:
                points = row[end]
                row[end] = points + far
                bit = BITS[end]
                for level in range(points + 1, min(points + far, TOP) + 1):
                    levels[level] |= bit
            if not cells[other]:
                points = row[other]
                row[other] = points + length
                bit = BITS[other]
                for level in range(points + 1, min(points + length, TOP) + 1):
                    levels[level] |= bit

    def _lift(self, symbol: int, cell: int) -> None:
        """Undo `_lay`, called in the reverse order."""
        cells = self.cells
        row = self.lines[symbol]
        levels = self.levels[symbol]
        for step in AXES:
            end, length = cell + step, 1
            while cells[end] == symbol:
                end += step
                length += 1
            other, far = cell - step, 1
            while cells[other] == symbol:
                other -= step
                far += 1
            if not cells[end]:
                points = row[end]
                row[end] = points - far
                bit = BITS[end]
                for level in range(points - far + 1, min(points, TOP) + 1):
                    levels[level] ^= bit
            if not cells[other]:
                points = row[other]
                row[other] = points - length
                bit = BITS[other]
                for level in range(points - length + 1, min(points, TOP) + 1):
                    levels[level] ^= bit
        cells[cell] = 0
        self.free ^= BITS[cell]


def _kinds_in(bag: Bag) -> list[int]:
    if isinstance(bag, ShuffledBag):
        return kinds_of(bag.tiles)
    return [kind for kind, count in enumerate(bag.counts) for _ in range(count)]
