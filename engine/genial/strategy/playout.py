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

import random
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import compress
from typing import Final, NamedTuple

from genial.engine.board import BESIDE_START, STRIDE, WALL, Board, Zone
from genial.engine.game import Game, Phase, reason_to_end
from genial.engine.rules import STOP, Mode, Preset, Ranking, Rules, Track, advance, ranking
from genial.engine.shuffle import Bag, ShuffledBag
from genial.engine.tiles import SYMBOLS, TILE_KINDS, Tile

KIND_OF: Final[dict[Tile, int]] = {
    tile: kind for kind, one in enumerate(TILE_KINDS) for tile in (one, one.flipped)
}
"""The kind of a tile, whichever way round it lies."""

FIRST: Final = tuple(int(tile.first) for tile in TILE_KINDS)
SECOND: Final = tuple(int(tile.second) for tile in TILE_KINDS)
SHOWS: Final = tuple(1 << tile.first | 1 << tile.second for tile in TILE_KINDS)
"""The symbols on a kind of tile, as bits 1..6."""

AXES: Final = (1, STRIDE, STRIDE - 1)
"""One step along each of the three axes; the opposite directions are their negatives."""

TOP: Final = 30
"""The highest level kept in `levels`; a half that finds more would need lines never seen."""

BITS: Final = tuple(1 << index for index in range(STRIDE * STRIDE))

_OFFSET: Final = STRIDE
"""Indices of cells in play less this fit into a byte."""

_IS_ZERO: Final = bytes([1]) + bytes(255)

_START_MASK: Final = {
    int(symbol): sum(1 << index for index, beside in BESIDE_START.items() if beside == symbol)
    for symbol in SYMBOLS
}
"""The cells around each printed start symbol."""

Shuffle = Callable[[list[int]], None]
"""Puts the kinds in a bag into a new order, in place; the next draw is the last."""


def spread(cells: int) -> int:
    """The cells beside any cell of a bit set (walls and taken cells included)."""
    return (
        cells << 1
        | cells >> 1
        | cells << STRIDE
        | cells >> STRIDE
        | cells << (STRIDE - 1)
        | cells >> (STRIDE - 1)
    )


def cells_in(cells: int) -> list[int]:
    """The mailbox indices in a bit set, ascending."""
    found = []
    while cells:
        low = cells & -cells
        found.append(low.bit_length() - 1)
        cells ^= low
    return found


def kinds_of(tiles: Iterable[Tile]) -> list[int]:
    """Tiles as kinds, in the order given."""
    return [KIND_OF[tile] for tile in tiles]


class ScoredPlacements:
    """All placements of a rack, each with its points, as flat columns.

    Attributes:
        pairs: The pairs of cells (u, v) that the mover may use, once each.
        totals: By kind of tile on the rack, `(straight, turned)`: two byte strings as long as
            `pairs`. `straight[i]` is what the tile earns with its first symbol on u and its
            second on v of `pairs[i]`, `turned[i]` the other way round. Points are what the lines
            give, or what the mover's counters can still use (see `Playout.scored`). A double has
            one way round: its `turned` is empty.
        first: By symbol on the rack, what a half earns on u of each pair.
        second: The same for v.
    """

    __slots__ = ("first", "pairs", "second", "totals")

    def __init__(
        self,
        pairs: list[tuple[int, int]],
        totals: dict[int, tuple[bytes, bytes]],
        first: dict[int, bytes],
        second: dict[int, bytes],
    ) -> None:
        self.pairs = pairs
        self.totals = totals
        self.first = first
        self.second = second

    def __len__(self) -> int:
        """How many placements there are."""
        return sum(len(straight) + len(turned) for straight, turned in self.totals.values())


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
        self.levels = _levels_of(self.lines, self.free)
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
        for symbol, mask in _START_MASK.items():
            if not self.claimed >> symbol & 1:
                near |= mask
        near &= free
        return near if near & spread(free) else free

    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of cells that the mover may use, in the order of the zone."""
        return self._open_pairs()[0]

    def _open_pairs(self) -> tuple[list[tuple[int, int]], bytes, bytes]:
        """The pairs that the mover may use, their first and their second cells less `_OFFSET`."""
        pairs, us, vs = _ends_of(self.zone)
        taken = bytes(self.cells[_OFFSET : _OFFSET + 256])
        both = int.from_bytes(us.translate(taken), "little")
        both |= int.from_bytes(vs.translate(taken), "little")
        open_ones = both.to_bytes(len(pairs), "little").translate(_IS_ZERO)
        if not self.started >> self.turn & 1:
            near = self.starting_cells()
            if near != self.free:
                nearby = bytearray(256)
                for cell in cells_in(near):
                    nearby[cell - _OFFSET] = 1
                either = int.from_bytes(us.translate(nearby), "little")
                either |= int.from_bytes(vs.translate(nearby), "little")
                either &= int.from_bytes(open_ones, "little")
                open_ones = either.to_bytes(len(pairs), "little")
        return (
            list(compress(pairs, open_ones)),
            bytes(compress(us, open_ones)),
            bytes(compress(vs, open_ones)),
        )

    def room(self, seat: int) -> list[int]:
        """By symbol, the points that one half tile can still earn the seat (place 0 unused)."""
        cap = self.cap
        return [
            (STOP - counter) if counter < STOP else cap - counter
            for counter in self.tracks[self.team_of[seat]]
        ]

    def scored(self, *, counted: bool = False) -> ScoredPlacements:
        """All placements that the mover's rack allows, as flat columns.

        Args:
            counted: Points as the mover's counters can use them (stops taken into account, one
                half at a time; a double on one counter that crosses a stop may count less or
                more than the sum says) instead of what the lines give.
        """
        pairs, us, vs = self._open_pairs()
        kinds = set(self.racks[self.turn])
        symbols = {FIRST[kind] for kind in kinds} | {SECOND[kind] for kind in kinds}
        # `translate` looks every byte up in a table of 256: here, points by cell.
        tables = {k: self.lines[k][_OFFSET : _OFFSET + 256] for k in symbols}
        first = {k: us.translate(table) for k, table in tables.items()}
        second = {k: vs.translate(table) for k, table in tables.items()}
        totals: dict[int, tuple[bytes, bytes]] = {}
        count = len(pairs)
        if counted:
            room = self.room(self.turn)
            for k in symbols:
                stops = bytes(min(points, room[k]) for points in range(256))
                first[k] = first[k].translate(stops)
                second[k] = second[k].translate(stops)
        # A column is one long integer in base 256, so adding two columns is one addition: no
        # place overflows, since a half finds at most 30 like symbols.
        low = {k: int.from_bytes(column, "little") for k, column in first.items()}
        high = {k: int.from_bytes(column, "little") for k, column in second.items()}
        for kind in kinds:
            a, b = FIRST[kind], SECOND[kind]
            straight = (low[a] + high[b]).to_bytes(count, "little")
            turned = b"" if a == b else (low[b] + high[a]).to_bytes(count, "little")
            totals[kind] = (straight, turned)
        return ScoredPlacements(pairs, totals, first, second)

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


@cache
def _ends_of(zone: Zone) -> tuple[tuple[tuple[int, int], ...], bytes, bytes]:
    """A zone's pairs, their first cells and their second cells less `_OFFSET`."""
    us = bytes(u - _OFFSET for u, _ in zone.pairs)
    return zone.pairs, us, bytes(v - _OFFSET for _, v in zone.pairs)


def _kinds_in(bag: Bag) -> list[int]:
    if isinstance(bag, ShuffledBag):
        return kinds_of(bag.tiles)
    return [kind for kind, count in enumerate(bag.counts) for _ in range(count)]


def _levels_of(lines: Sequence[Sequence[int]], free: int) -> list[list[int]]:
    """The bit sets of `Playout.levels`, from scratch; level 0 holds every free cell."""
    levels = []
    for row in lines:
        sets = [0] * (TOP + 2)
        sets[0] = free
        for cell, points in enumerate(row):
            for level in range(1, min(points, TOP) + 1):
                sets[level] |= BITS[cell]
        levels.append(sets)
    return levels


def play_randomly(state: Playout, rng: random.Random) -> None:
    """Play a game to its end: placements at random, an allowed exchange half the time.

    Every legal pair is equally likely, and so is every tile on the rack, either way round.
    """
    zone_pairs = state.zone.pairs
    count = len(zone_pairs)
    cells = state.cells
    pick = rng.random
    while not state.over:
        if state.must_place:
            rack = state.racks[state.turn]
            kind = rack[int(pick() * len(rack))]
            pair = None
            if state.started >> state.turn & 1:
                # Drawing until a free pair comes up beats listing them while many are free.
                for _ in range(12):
                    drawn = zone_pairs[int(pick() * count)]
                    if not (cells[drawn[0]] or cells[drawn[1]]):
                        pair = drawn
                        break
            if pair is None:
                pairs = state.pairs()
                pair = pairs[int(pick() * len(pairs))]
            a, b = FIRST[kind], SECOND[kind]
            if pick() < 0.5:
                a, b = b, a
            state.place(kind, a, b, *pair)
        elif pick() < 0.5 and state.may_exchange():
            state.exchange(rng.shuffle)
        else:
            state.refill()
