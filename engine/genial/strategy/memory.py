"""What a seat has seen of a game, and guesses at what it has not.

A level decides on a `PlayerView` and a `Memory`, nothing else: both hold only what a player in
that seat may know. What is hidden (the others' racks, the bag and its order) is guessed by
dealing the tiles that were not seen at random, as far as the exchanges that everybody saw allow.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import NamedTuple

from genial.engine.board import START_INDICES, index_of
from genial.engine.moves import Phase, Placed
from genial.engine.tiles import FULL_SET, TILE_KINDS
from genial.engine.view import (
    Draw,
    HiddenDraw,
    PlayerView,
    SeenDealt,
    SeenEvent,
    SeenExchanged,
    SeenRefilled,
    SeenSkipped,
)
from genial.strategy.bitsets import AXES, BITS, KIND_OF, cells_in, kinds_of
from genial.strategy.playout import Playout

_START_MASK = sum(BITS[index] for index, _ in START_INDICES)
_KIND_COUNT = len(TILE_KINDS)
_FULL = tuple(FULL_SET.count(tile) for tile in TILE_KINDS)


@dataclass(slots=True)
class Memory:
    """What one seat remembers of one game; feed it every event in order.

    Attributes:
        on_board: By kind, how many tiles were seen placed.
        explained: The cells (bits) of those tiles and of the printed start symbols.
        slots: By seat, for each tile on its rack the moment (number of events) at which it was
            drawn, ascending. What a seat places is taken to be its oldest tile: that never rules
            out what is true, it only forgets a little.
        in_bag: For each returned tile that may still be there its kind and the moment at which
            everybody saw it go into the bag: it is on no rack except by a later draw.
        moment: How many events were seen.
        own_seat: The seat whose draws were seen.
    """

    on_board: list[int] = field(default_factory=lambda: [0] * _KIND_COUNT)
    explained: int = _START_MASK
    slots: dict[int, list[int]] = field(default_factory=dict)
    in_bag: list[tuple[int, int]] = field(default_factory=list)
    moment: int = 0
    own_seat: int | None = None

    def observe(self, event: SeenEvent) -> None:
        """Take in the next event of the game, as its seat may see it."""
        self.moment += 1
        match event:
            case SeenDealt(seat, draw) | SeenRefilled(seat, draw) | SeenSkipped(seat, draw):
                self._drew(seat, draw)
            case SeenExchanged(seat, returned, draw):
                for kind in kinds_of(returned):
                    self._left_rack(seat, kind)
                self._drew(seat, draw)
                self.in_bag += [(kind, self.moment) for kind in kinds_of(returned)]
            case Placed(seat, tile, cells):
                kind = KIND_OF[tile]
                self.on_board[kind] += 1
                self.explained |= BITS[index_of(cells[0])] | BITS[index_of(cells[1])]
                self._left_rack(seat, kind)
            case _:
                pass

    def _drew(self, seat: int, draw: Draw) -> None:
        count = draw.count if isinstance(draw, HiddenDraw) else len(draw)
        self.slots.setdefault(seat, []).extend([self.moment] * count)
        if not isinstance(draw, HiddenDraw):
            # Our own: which copy of a kind it was nobody can tell, so one returned is forgotten.
            self.own_seat = seat
            for tile in draw:
                self._forget_returned(KIND_OF[tile])

    def _left_rack(self, seat: int, kind: int) -> None:
        """A tile is on a rack no more: it may be one that had been returned and drawn again."""
        slots = self.slots.get(seat)
        if slots:
            if seat != self.own_seat and slots[-1] > self._returned_at(kind):
                self._forget_returned(kind)
            del slots[0]

    def _returned_at(self, kind: int) -> int:
        """The earliest moment at which a tile of this kind is known to have been in the bag."""
        return min((at for other, at in self.in_bag if other == kind), default=self.moment)

    def _forget_returned(self, kind: int) -> None:
        for entry in self.in_bag:
            if entry[0] == kind:
                self.in_bag.remove(entry)
                return

    def unseen(self, view: PlayerView, rng: random.Random) -> list[int]:
        """The kinds of all tiles that are neither on the board nor on the viewer's rack, sorted.

        Where the memory has gaps (its owner came late), the tiles that must lie on the
        unexplained cells are guessed by joining neighbours at random.
        """
        left = [total - seen for total, seen in zip(_FULL, self.on_board, strict=True)]
        for kind in kinds_of(view.rack):
            left[kind] -= 1
        taken = sum(BITS[index] for index in view.board.zone.indices) & ~view.board.free
        gaps = taken & ~self.explained
        if gaps:
            for kind in _guessed_tiles(view, gaps, rng):
                left[kind] -= 1
            # A wrong guess may use a kind up that is not; the count of tiles must come out.
            surplus = -sum(count for count in left if count < 0)
            left = [max(count, 0) for count in left]
            for _ in range(surplus):
                left[max(range(_KIND_COUNT), key=left.__getitem__)] -= 1
        return [kind for kind, count in enumerate(left) for _ in range(count)]


def _guessed_tiles(view: PlayerView, gaps: int, rng: random.Random) -> list[int]:
    """Kinds of tiles that could lie on these cells: each cell joined to a neighbour."""
    contents = view.board.contents
    open_cells = set(cells_in(gaps))

    def partners(cell: int) -> list[int]:
        return [cell + step for axis in AXES for step in (axis, -axis) if cell + step in open_cells]

    kinds = []
    while open_cells:
        # The cell with the fewest neighbours first, so that few are left over.
        cell = min(sorted(open_cells), key=lambda index: len(partners(index)))
        choice = partners(cell)
        open_cells.discard(cell)
        if not choice:
            continue
        other = min(choice, key=lambda index: (len(partners(index)), rng.random()))
        open_cells.discard(other)
        kinds.append(_KIND_BY_SYMBOLS[contents[cell]][contents[other]])
    return kinds


_KIND_BY_SYMBOLS = [[0] * 7 for _ in range(7)]
for _tile, _kind in KIND_OF.items():
    _KIND_BY_SYMBOLS[_tile.first][_tile.second] = _kind


def known_state(view: PlayerView) -> Playout:
    """The state as the viewer sees it: the others' racks and the bag are empty.

    Raises:
        ValueError: The view is a spectator's, or the tiles are not dealt yet.
    """
    if view.viewer is None or view.phase is Phase.DEAL:
        raise ValueError("only a seat of a dealt game has something to decide")
    state = Playout(view.rules, view.board, view.turn)
    for seat, shown in enumerate(view.seats):
        state.tracks[state.team_of[seat]] = [0, *shown.track]
    state.racks[view.viewer] = kinds_of(view.rack)
    state.placed = view.phase in (Phase.BONUS, Phase.CLOSE)
    state.bonus_owed = view.bonus_owed
    state.over = view.is_over
    state.claimed = sum(1 << symbol for symbol in view.claimed)
    state.started = sum(1 << seat for seat in view.started)
    state.resigned = [seat for seat, shown in enumerate(view.seats) if shown.resigned]
    state.last_mover = -1 if view.last_mover is None else view.last_mover
    return state


class Deal(NamedTuple):
    """A guess at what is hidden: the others' racks by seat, and the bag, next draw last."""

    racks: dict[int, list[int]]
    bag: list[int]

    def put_into(self, state: Playout) -> None:
        """Fill the others' racks and the bag of a state; the guess can be used again."""
        for seat, rack in self.racks.items():
            state.racks[seat] = rack[:]
        state.bag = self.bag[:]


class Deals:
    """Guesses at the hidden tiles of one position, one after the other.

    Every deal that agrees with what the seat has seen is equally likely.
    """

    def __init__(self, view: PlayerView, memory: Memory, rng: random.Random) -> None:
        """Prepares to guess for the viewer of `view`; draws from `rng` only."""
        self.rng = rng
        self._seats = [
            (seat, shown.rack_size) for seat, shown in enumerate(view.seats) if seat != view.viewer
        ]
        self._bag_count = view.bag_count
        unseen = memory.unseen(view, rng)
        wanted = view.bag_count + sum(count for _, count in self._seats)
        if len(unseen) > wanted:  # only after gaps in the memory
            unseen = sorted(rng.sample(unseen, wanted))
        self._free_tiles = unseen
        self._returned: list[tuple[int, int]] = []
        self._slots: list[tuple[int, int]] = []
        rest = unseen[:]
        for kind, at in sorted(memory.in_bag, key=lambda entry: entry[1]):
            if kind in rest:
                rest.remove(kind)
                self._returned.append((at, kind))
        if self._returned:
            self._free_tiles = rest
            for seat, count in self._seats:
                drawn = memory.slots.get(seat, [])
                drawn = drawn[-count:] if count else []
                # Slots that the memory does not know may hold anything.
                drawn = [memory.moment] * (count - len(drawn)) + drawn
                self._slots += [(moment, seat) for moment in drawn]
            self._slots.sort()

    def next(self) -> Deal:
        """A new guess."""
        rng = self.rng
        pick = rng.random
        # Half the time of `shuffle`, and as fair: two numbers of 2**53 are next to never alike.
        tiles = sorted(self._free_tiles, key=lambda _: pick())
        racks: dict[int, list[int]] = {}
        if not self._returned:
            for seat, count in self._seats:
                cut = len(tiles) - count
                racks[seat] = tiles[cut:]
                del tiles[cut:]
            return Deal(racks, tiles)
        # Slots from the oldest on: what was returned before a slot was drawn joins in. The sets
        # that a slot may hold only grow, so all deals come out equally likely.
        for seat, _ in self._seats:
            racks[seat] = []
        waiting = self._returned
        at = 0
        for moment, seat in self._slots:
            while at < len(waiting) and waiting[at][0] < moment:
                tiles.insert(rng.randrange(len(tiles) + 1), waiting[at][1])
                at += 1
            if tiles:
                racks[seat].append(tiles.pop())
        for _, kind in waiting[at:]:
            tiles.insert(rng.randrange(len(tiles) + 1), kind)
        return Deal(racks, tiles)
