"""A naive referee of the whole game, written from the rules alone, to check the engine against.

Slow and simple on purpose. The board is a dict from axial coordinates `(q, r)` to the letter that
lies there; a tile is two letters; a track is a dict from letter to points. Nothing is cached, and
nothing here is shared with the engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from tests.referee.shuffle import LETTERS, canonical_order, standard_tiles

Cell = tuple[int, int]
"""Axial coordinates (q, r)."""

Pair = tuple[Cell, Cell]
"""Two adjacent cells; the first takes the first letter of the tile."""

Placement = tuple[str, Pair]
"""The tile's letters in canonical order, and the cells that they take, in that order."""

Points = dict[str, int]
"""Points by letter."""

PRESETS = ("genial", "official")
MODES = ("free", "partners", "solo")
KINDS = ("human", "bot")
LEAVING = ("bot", "skip")
RACK = 6
DIRECTIONS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
START_SYMBOLS: dict[Cell, str] = {
    (0, -5): "R",
    (5, -5): "G",
    (5, 0): "B",
    (0, 5): "O",
    (-5, 5): "Y",
    (-5, 0): "P",
}


class Illegal(ValueError):
    """What was asked for is against the rules; the text says why."""


def canonical(letters: str) -> str:
    """The tile's two letters in the order R G B O Y P."""
    return "".join(sorted(letters, key=LETTERS.index))


def ring(cell: Cell) -> int:
    """How far a cell is from the centre, in steps."""
    q, r = cell
    return max(abs(q), abs(r), abs(-q - r))


def zone(players: int) -> set[Cell]:
    """The cells in play for so many players: 91, 91, 127 or 169 of them."""
    radius = {1: 5, 2: 5, 3: 6, 4: 7}[players]
    span = range(-radius, radius + 1)
    return {(q, r) for q in span for r in span if ring((q, r)) <= radius}


def neighbours(cell: Cell) -> list[Cell]:
    """The six cells around one, in the zone or not."""
    return [(cell[0] + dq, cell[1] + dr) for dq, dr in DIRECTIONS]


def free_pairs(board: Mapping[Cell, str], cells: Collection[Cell]) -> list[Pair]:
    """Every pair of adjacent free cells, once each (not both ways round)."""
    return [
        (first, second)
        for first in cells
        if first not in board
        for second in neighbours(first)
        if first < second and second in cells and second not in board
    ]


def half_points(board: Mapping[Cell, str], letter: str, cell: Cell, other: Cell) -> int:
    """What one half earns: like symbols in line in the five directions away from the other half."""
    found = 0
    for dq, dr in DIRECTIONS:
        q, r = cell[0] + dq, cell[1] + dr
        if (q, r) == other:
            continue
        while board.get((q, r)) == letter:
            found += 1
            q, r = q + dq, r + dr
    return found


def scored_placements(
    board: Mapping[Cell, str], cells: Collection[Cell], rack: Iterable[str]
) -> list[tuple[str, Pair, int, int]]:
    """All placements of a rack's tiles on the free pairs, each with what its two halves find.

    Each different tile comes once; a double comes one way round, a mixed pair both ways. The two
    numbers are the points of the first and of the second half, before any counter stops them.
    """
    found = []
    for letters in sorted(set(rack)):
        for first in cells:
            if first in board:
                continue
            for second in neighbours(first):
                if second not in cells or second in board:
                    continue
                if letters[0] == letters[1] and second < first:
                    continue
                a = half_points(board, letters[0], first, second)
                b = half_points(board, letters[1], second, first)
                found.append((letters, (first, second), a, b))
    return found


class NaiveGame:
    """One game, from the deal to the ranking, told move by move.

    `racks` gives each seat's tiles at once, in seat order; without it the seats are dealt to by
    `deal`, in turn order. Every attribute may be set by hand to build a position:

    - `board`: letters by cell, start symbols included; `cells`: the zone
    - `racks`: tiles by seat; `bag`: how many of each tile are left in the bag
    - `tracks`: points by letter, for each *side* (a seat, or a pair of partners: see `side_of`)
    - `first_done`: seats that have made their first placement; `claimed`: start symbols taken
    - `turn`: whose turn; `placed`: has that seat placed in this turn; `bonus_owed`
    - `resigned`: sides that have resigned, earliest first; `kinds`: who sits there by now
    - `had_human`: has a human sat anywhere in this game; `reason`: why it ended, or None

    Whatever the rules forbid raises `Illegal` and changes nothing.
    """

    def __init__(
        self,
        preset: str,
        mode: str,
        players: int,
        first_seat: int = 0,
        racks: Sequence[Sequence[str]] | None = None,
        *,
        leaving: str = "bot",
        kinds: Sequence[str] | None = None,
    ) -> None:
        if preset not in PRESETS or mode not in MODES or leaving not in LEAVING:
            raise Illegal(f"unknown rules: {preset!r}, {mode!r}, {leaving!r}")
        if players not in {"free": (2, 3, 4), "partners": (4,), "solo": (1,)}[mode]:
            raise Illegal(f"the mode {mode} is not for {players} players")
        if not 0 <= first_seat < players:
            raise Illegal(f"there is no seat {first_seat}")
        self.preset, self.mode, self.players, self.leaving = preset, mode, players, leaving
        self.first_seat = self.turn = first_seat
        self.kinds = list(kinds) if kinds is not None else ["human"] * players
        self.had_human = "human" in self.kinds
        self.cells = zone(players)
        self.board: dict[Cell, str] = dict(START_SYMBOLS)
        self.bag: Counter[str] = Counter(standard_tiles())
        self.racks: list[list[str]] = [[] for _ in range(players)]
        self.dealt: list[int] = []
        self.sides = 2 if mode == "partners" else players
        self.stops = (18,) if mode == "free" else (18, 36)
        self.tracks: list[Points] = [dict.fromkeys(LETTERS, 0) for _ in range(self.sides)]
        self.first_done: set[int] = set()
        self.claimed: set[Cell] = set()
        self.placed = False
        self.bonus_owed = 0
        self.resigned: list[int] = []
        self.reason: str | None = None
        if racks is not None:
            for step in range(players):
                seat = (first_seat + step) % players
                self.deal(seat, racks[seat])

    # What stands

    @property
    def finished(self) -> bool:
        """Is the game over?"""
        return self.reason is not None

    @property
    def running(self) -> bool:
        """Are all seats dealt to, and the game not over?"""
        return len(self.dealt) == self.players and not self.finished

    def side_of(self, seat: int) -> int:
        """Which track a seat plays on: with partners seats 0 and 2 share one, 1 and 3 the other."""
        return seat % 2 if self.mode == "partners" else seat

    def track_of(self, seat: int) -> Points:
        """The six counters that a seat plays on (the joint ones with partners)."""
        return self.tracks[self.side_of(seat)]

    def has_resigned(self, seat: int) -> bool:
        """Has this seat, or its partner, resigned?"""
        return self.side_of(seat) in self.resigned

    @property
    def scores(self) -> list[Points]:
        """One copy of a track for each seat."""
        return [dict(self.track_of(seat)) for seat in range(self.players)]

    @property
    def ranking(self) -> list[list[int]]:
        """Groups of seats, best first; the resigned ones last, later resignations above earlier."""
        seats_of: dict[int, list[int]] = {side: [] for side in range(self.sides)}
        for seat in range(self.players):
            seats_of[self.side_of(seat)].append(seat)
        active = [side for side in range(self.sides) if side not in self.resigned]
        groups = []
        for standing in sorted({self._standing(side) for side in active}, reverse=True):
            equal = [side for side in active if self._standing(side) == standing]
            groups.append(sorted(seat for side in equal for seat in seats_of[side]))
        return groups + [seats_of[side] for side in reversed(self.resigned)]

    def _standing(self, side: int) -> tuple[int, ...]:
        return tuple(sorted(self.tracks[side].values()))

    # The deal

    def deal(self, seat: int, drawn: Sequence[str]) -> None:
        """Give a seat its first tiles: six, or one in solitaire."""
        if len(self.dealt) == self.players:
            raise Illegal("everybody has been dealt to already")
        expected = (self.first_seat + len(self.dealt)) % self.players
        if seat != expected:
            raise Illegal(f"the deal goes to seat {expected} now, not to {seat}")
        self._draw(seat, drawn, 1 if self.mode == "solo" else RACK)
        self.dealt.append(seat)

    def _draw(self, seat: int, drawn: Sequence[str], wanted: int) -> None:
        """Take exactly these tiles from the bag: as many as wanted, or all if it holds fewer."""
        count = min(wanted, self.bag.total())
        if len(drawn) != count:
            raise Illegal(f"{count} tiles are drawn here, not {len(drawn)}")
        for tile, times in Counter(drawn).items():
            if self.bag[tile] < times:
                raise Illegal(f"the bag holds {self.bag[tile]} of {tile}, {times} were drawn")
        self.bag -= Counter(drawn)
        self.racks[seat] += drawn

    # Placing

    def allowed_pairs(self, seat: int) -> list[Pair]:
        """The free pairs that the seat may use, once each: its first placement is restricted."""
        pairs = free_pairs(self.board, self.cells)
        if seat in self.first_done:
            return pairs
        starting = [pair for pair in pairs if self._symbol_beside(pair) is not None]
        return starting or pairs

    def _symbol_beside(self, pair: Pair) -> Cell | None:
        """The unclaimed start symbol that one of the two cells touches, if any."""
        for symbol in START_SYMBOLS:
            if symbol not in self.claimed and any(symbol in neighbours(cell) for cell in pair):
                return symbol
        return None

    def legal_placements(self, seat: int) -> list[Placement]:
        """Every placement of a tile on the seat's rack, as if it were to place now.

        Each different tile comes once, in canonical letters: a mixed pair both ways round on each
        pair of cells, a double one way.
        """
        found = []
        for letters in sorted(set(self.racks[seat])):
            for first, second in self.allowed_pairs(seat):
                found.append((letters, (first, second)))
                if letters[0] != letters[1]:
                    found.append((letters, (second, first)))
        return found

    def points_of(self, letters: str, cells: Pair, seat: int | None = None) -> Points:
        """The points that would count for a seat (default: the one whose turn it is), by letter.

        Letters that earn nothing are left out.
        """
        track = self.track_of(self.turn if seat is None else seat)
        after = self._track_after(track, letters, cells)
        return {x: after[x] - track[x] for x in LETTERS if after[x] > track[x]}

    def _track_after(self, track: Points, letters: str, cells: Pair) -> Points:
        """The track after scoring half by half, in the better order of the two."""
        halves = [
            (letters[0], half_points(self.board, letters[0], cells[0], cells[1])),
            (letters[1], half_points(self.board, letters[1], cells[1], cells[0])),
        ]
        outcomes = []
        for order in (halves, halves[::-1]):
            after = dict(track)
            for letter, points in order:
                ahead = [stop for stop in self.stops if stop > after[letter]]
                if ahead:
                    after[letter] = min(after[letter] + points, ahead[0])
            outcomes.append(after)
        return max(outcomes, key=lambda after: sum(after.values()))

    def may_place(self) -> bool:
        """Does the seat whose turn it is still have to place (its tile, or a bonus)?"""
        return self.running and (not self.placed or self.bonus_owed > 0)

    def place(self, seat: int, letters: str, cells: Pair) -> Points:
        """Place a tile, letters either way round; returns the points that counted."""
        self._check_turn(seat)
        if not self.may_place():
            raise Illegal("the placement of this turn is made and no bonus is owed")
        tile = canonical(letters)
        if tile not in self.racks[seat]:
            raise Illegal(f"there is no {tile} on the rack of seat {seat}")
        first, second = cells
        if second not in neighbours(first):
            raise Illegal(f"{first} and {second} are not adjacent")
        for cell in cells:
            if cell not in self.cells:
                raise Illegal(f"{cell} is outside the zone")
            if cell in self.board:
                raise Illegal(f"{cell} is occupied")
        if (min(cells), max(cells)) not in self.allowed_pairs(seat):
            raise Illegal("a first placement starts at a start symbol that nobody started at")

        track = self.track_of(seat)
        after = self._track_after(track, letters, cells)
        points = {x: after[x] - track[x] for x in LETTERS if after[x] > track[x]}
        if seat not in self.first_done:
            symbol = self._symbol_beside(cells)
            if symbol is not None:
                self.claimed.add(symbol)
            self.first_done.add(seat)
        self.racks[seat].remove(tile)
        self.board[first], self.board[second] = letters[0], letters[1]
        if self.placed:
            self.bonus_owed -= 1
        self.placed = True
        if self.mode != "solo":
            self.bonus_owed += sum(
                track[x] < stop <= after[x] for x in LETTERS for stop in self.stops
            )
        if not self.racks[seat]:
            self.bonus_owed = 0
        track.update(after)
        if all(track[x] == self.stops[-1] for x in LETTERS):
            self._finish("all_at_cap")
        elif not free_pairs(self.board, self.cells):
            self._finish("board_full")
        return points

    def _check_turn(self, seat: int) -> None:
        if not self.running:
            raise Illegal("the game is over" if self.finished else "the deal is not done")
        if seat != self.turn:
            raise Illegal(f"it is the turn of seat {self.turn}, not of {seat}")

    def _finish(self, reason: str) -> None:
        self.reason = reason
        self.bonus_owed = 0

    # Ending the turn

    def _check_end_of_turn(self, seat: int) -> None:
        self._check_turn(seat)
        if not self.placed:
            raise Illegal("a tile has to be placed first")
        if self.bonus_owed:
            raise Illegal("a bonus placement is owed")

    def may_exchange(self) -> bool:
        """May the seat whose turn it is exchange its rack now?"""
        rack = self.racks[self.turn]
        if not self.running or self.mode == "solo" or not rack:
            return False
        if not self.placed or self.bonus_owed:
            return False
        track = self.track_of(self.turn)
        lowest = [x for x in LETTERS if track[x] == min(track.values())]
        if not any(x in tile for tile in rack for x in lowest):
            return True
        if self.preset == "official":
            return False
        placements = scored_placements(self.board, self.cells, rack)
        return all(a == 0 and b == 0 for _, _, a, b in placements)

    def exchange(self, seat: int, drawn: Sequence[str]) -> list[str]:
        """Draw six tiles, give the old rack back; returns that, in canonical order."""
        self._check_end_of_turn(seat)
        if not self.may_exchange():
            raise Illegal("the rack may not be exchanged")
        returned = canonical_order(self.racks[seat])
        self._draw(seat, drawn, RACK)
        self.racks[seat] = list(drawn)
        self.bag.update(returned)
        self._next_turn()
        return returned

    def missing(self, seat: int) -> int:
        """How many tiles a refill draws: up to a rack of six (one in solitaire), if there are."""
        full = 1 if self.mode == "solo" else RACK
        return min(full - len(self.racks[seat]), self.bag.total())

    def refill(self, seat: int, drawn: Sequence[str]) -> None:
        """Draw back up to six, which ends the turn."""
        self._check_end_of_turn(seat)
        self._draw(seat, drawn, self.missing(seat))
        self._next_turn()

    def skip(self, seat: int, drawn: Sequence[str]) -> None:
        """The host ends the seat's turn for it: owed bonuses lapse, the rack is refilled."""
        self._check_turn(seat)
        if self.leaving != "skip" or self.mode == "solo":
            raise Illegal("no seat is skipped at this table")
        self._draw(seat, drawn, self.missing(seat))
        self._next_turn()

    def _next_turn(self) -> None:
        self.placed = False
        self.bonus_owed = 0
        self.turn = (self.turn + 1) % self.players
        while self.has_resigned(self.turn):
            self.turn = (self.turn + 1) % self.players

    # Leaving, ending early

    def resign(self, seat: int) -> None:
        """The seat (partners: the pair) takes no more turns; on or off turn."""
        if not self.running:
            raise Illegal("nobody resigns before the deal is done, or after the game")
        if not 0 <= seat < self.players:
            raise Illegal(f"there is no seat {seat}")
        if self.has_resigned(seat):
            raise Illegal(f"seat {seat} has resigned already")
        self.resigned.append(self.side_of(seat))
        if self.sides - len(self.resigned) <= 1:
            self._finish("resigned")
        elif seat == self.turn:
            self._next_turn()

    def takeover(self, seat: int, kind: str) -> None:
        """Somebody else sits down on a seat, on or off turn."""
        if not self.running:
            raise Illegal("nobody changes seats before the deal is done, or after the game")
        if not 0 <= seat < self.players:
            raise Illegal(f"there is no seat {seat}")
        if kind not in KINDS:
            raise Illegal(f"unknown kind {kind!r}")
        if self.has_resigned(seat):
            raise Illegal(f"seat {seat} has resigned")
        if kind == "bot" and self.leaving != "bot":
            raise Illegal("no bot takes over at this table")
        self.kinds[seat] = kind
        self.had_human = self.had_human or kind == "human"

    def end_early(self, reason: str) -> None:
        """End the game as `agreed` or `abandoned`."""
        if not self.running:
            raise Illegal("the game is not running")
        if reason not in ("agreed", "abandoned"):
            raise Illegal(f"a game does not end early as {reason!r}")
        if not self.had_human:
            raise Illegal(f"without any human no game ends {reason}")
        self._finish(reason)
