"""The board: zones, start symbols, what fits where, what a placement scores.

This is the one place that counts lines. Inside, a cell is an integer in a mailbox
of 17 columns whose rim is wall, so that a step in a direction is an addition and a
line ends by itself at the edge:

    index = (r + 8) * 17 + (q + 8)

What lies on a cell is 0 (free), 1..6 (a symbol) or 7 (wall: outside the zone).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from genial.engine.hexgrid import DIRECTIONS, Axial, hexagon
from genial.engine.tiles import Symbol, Tile

STRIDE: Final = 17
_HALF: Final = 8
SIZE: Final = STRIDE * STRIDE
FREE: Final = 0
WALL: Final = 7
STEPS: Final[tuple[int, ...]] = tuple(step.r * STRIDE + step.q for step in DIRECTIONS)
"""The six directions as differences of index, clockwise from the right."""

START_SYMBOLS: Final[dict[Axial, Symbol]] = {
    Axial(0, -5): Symbol.R,
    Axial(5, -5): Symbol.G,
    Axial(5, 0): Symbol.B,
    Axial(0, 5): Symbol.O,
    Axial(-5, 5): Symbol.Y,
    Axial(-5, 0): Symbol.P,
}
"""Printed at the corners of ring 5, whatever the number of players (rules, section 2)."""

_ROW_LETTERS: Final = "ABCDEFGHIJKLMNO"


class MalformedCellError(ValueError):
    """A text that names no cell of the board: `text`."""

    def __init__(self, text: str) -> None:
        """Says of this text what a cell looks like."""
        super().__init__(f"{text[:20]!r} is no cell: a row A to O and a number, like H8")
        self.text = text


class MalformedBoardError(ValueError):
    """Bytes that are no packed board of the zone."""


def index_of(cell: tuple[int, int]) -> int:
    """The mailbox index of an axial cell within rings 0..7."""
    return (cell[1] + _HALF) * STRIDE + cell[0] + _HALF


def axial_of(index: int) -> Axial:
    """The axial cell of a mailbox index."""
    row, column = divmod(index, STRIDE)
    return Axial(column - _HALF, row - _HALF)


def cell_name(cell: tuple[int, int]) -> str:
    """A cell's name for people: row letter A..O, then q + 8 (rules, section 2).

    >>> cell_name((0, 0)), cell_name((5, -5))
    ('H8', 'C13')
    """
    return f"{_ROW_LETTERS[cell[1] + 7]}{cell[0] + 8}"


def parse_cell(text: str) -> Axial:
    """The cell of a name, capital or small.

    >>> parse_cell("h8")
    Axial(q=0, r=0)

    Raises:
        MalformedCellError: `text` names no cell of the largest zone.
    """
    match = re.fullmatch(r"([A-Oa-o])([0-9]{1,2})", text, re.ASCII)
    if match is not None:
        cell = Axial(int(match[2]) - 8, _ROW_LETTERS.index(match[1].upper()) - 7)
        if max(abs(cell.q), abs(cell.s)) <= 7:
            return cell
    raise MalformedCellError(text)


@dataclass(frozen=True, slots=True)
class Zone:
    """The part of the board that is in play, with its tables, made once.

    Attributes:
        radius: The outermost ring, 5, 6 or 7.
        cells: Axial cells, r ascending, then q ascending (the order of a packed board).
        indices: Their mailbox indices, in the same order.
        pairs: Every two adjacent cells once, as indices.
        empty: The mailbox with the printed start symbols and nothing else.
    """

    radius: int
    cells: tuple[Axial, ...]
    indices: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    empty: bytes

    def __contains__(self, cell: object) -> bool:
        """Whether an axial cell belongs to the zone."""
        if not isinstance(cell, tuple) or len(cell) != 2:
            return False
        q, r = cell
        return bool(max(abs(q), abs(r), abs(q + r)) <= self.radius)


@cache
def _rows_of(radius: int) -> tuple[tuple[slice, slice], ...]:
    """Where each row of a zone lies in a mailbox, and where in a packed board."""
    rows = []
    done = 0
    for r in range(-radius, radius + 1):
        length = 2 * radius + 1 - abs(r)
        start = index_of((max(-radius, -radius - r), r))
        rows.append((slice(start, start + length), slice(done, done + length)))
        done += length
    return tuple(rows)


@cache
def zone_of_radius(radius: int) -> Zone:
    """The zone of rings 0..radius; `radius` is 5, 6 or 7."""
    cells = hexagon(radius)
    indices = tuple(index_of(cell) for cell in cells)
    inside = set(indices)
    pairs = tuple(
        (index, index + step) for index in indices for step in STEPS[:3] if index + step in inside
    )
    contents = bytearray([WALL]) * SIZE
    for index in indices:
        contents[index] = FREE
    for cell, symbol in START_SYMBOLS.items():
        contents[index_of(cell)] = symbol
    return Zone(radius, cells, indices, pairs, bytes(contents))


START_INDICES: Final[tuple[tuple[int, Symbol], ...]] = tuple(
    (index_of(cell), symbol) for cell, symbol in START_SYMBOLS.items()
)
BESIDE_START: Final[dict[int, Symbol]] = {
    index + step: symbol for index, symbol in START_INDICES for step in STEPS
}
"""Which printed start symbol a cell (index) touches; no cell touches two."""


_DIGIT_IF_FREE: Final = bytes(b"1"[0] if content == FREE else b"0"[0] for content in range(256))


def _free_mask(contents: bytes | bytearray) -> int:
    # As the digits of a number, the last cell first: a loop over the cells takes ten times as long.
    return int(contents.translate(_DIGIT_IF_FREE)[::-1], 2)


def mask_has_pair(free: int) -> bool:
    """Whether a set of free cells (bit i set: index i) holds two adjacent ones."""
    return free & (free >> 1 | free >> STRIDE | free >> (STRIDE - 1)) != 0


@dataclass(frozen=True, slots=True)
class Board:
    """What lies where. `free` has bit i set for each free mailbox index i."""

    zone: Zone
    contents: bytes
    free: int

    @classmethod
    def start(cls, zone: Zone) -> Board:
        """The board before the first tile: printed start symbols only."""
        return cls(zone, zone.empty, _free_mask(zone.empty))

    @classmethod
    def unpack(cls, zone: Zone, packed: bytes) -> Board:
        """The board of a zone's cells in order, one byte each.

        Raises:
            MalformedBoardError: Wrong length, or a byte above 6.
        """
        if len(packed) != len(zone.indices):
            raise MalformedBoardError(
                f"a packed board of this zone has {len(zone.indices)} bytes, not {len(packed)}"
            )
        if packed and max(packed) > Symbol.P:
            raise MalformedBoardError("a packed board holds 0 for free and 1 to 6 for symbols")
        contents = bytearray(zone.empty)
        for there, here in _rows_of(zone.radius):
            contents[there] = packed[here]
        return cls(zone, bytes(contents), _free_mask(contents))

    def packed(self) -> bytes:
        """The zone's cells in order, one byte each: 0 free, 1..6 a symbol."""
        contents = self.contents
        return b"".join([contents[row] for row, _ in _rows_of(self.zone.radius)])

    def __getitem__(self, cell: tuple[int, int]) -> Symbol | None:
        """The symbol on a cell of the zone, or None where it is free or outside."""
        if cell not in self.zone:
            return None
        content = self.contents[index_of(cell)]
        return Symbol(content) if content else None

    def is_free(self, cell: tuple[int, int]) -> bool:
        """Whether a cell is in the zone and free."""
        return cell in self.zone and not self.contents[index_of(cell)]

    def has_room(self) -> bool:
        """Whether any tile can be placed: two adjacent free cells (rules, section 4)."""
        return mask_has_pair(self.free)

    def free_pairs(self) -> list[tuple[int, int]]:
        """Every two adjacent free cells once, as indices."""
        contents = self.contents
        return [pair for pair in self.zone.pairs if not contents[pair[0]] | contents[pair[1]]]

    def place(self, tile: Tile, cells: tuple[Axial, Axial]) -> Board:
        """The board with `tile` on two cells, its first symbol on the first. Judges nothing."""
        one, other = index_of(cells[0]), index_of(cells[1])
        contents = bytearray(self.contents)
        contents[one] = tile[0]
        contents[other] = tile[1]
        return Board(self.zone, bytes(contents), self.free & ~(1 << one | 1 << other))

    def half_points(self, symbol: int, index: int, partner: int) -> int:
        """Points of half a tile: like symbols in line along the five directions that
        do not lead to the other half, which lies at index `partner` (rules, section 3).
        """
        contents = self.contents
        points = 0
        for step in STEPS:
            there = index + step
            if there == partner:
                continue
            while contents[there] == symbol:
                points += 1
                there += step
        return points

    def points(self, tile: Tile, cells: tuple[Axial, Axial]) -> tuple[int, int]:
        """Points of the first and of the second half, before any stop at 18."""
        one, other = index_of(cells[0]), index_of(cells[1])
        return (
            self.half_points(tile[0], one, other),
            self.half_points(tile[1], other, one),
        )

    def scoring_cells(self, tile: Tile, cells: tuple[Axial, Axial]) -> tuple[Axial, ...]:
        """The cells in whose line the placement scores, each once, in board order."""
        one, other = index_of(cells[0]), index_of(cells[1])
        found: set[int] = set()
        for symbol, index, partner in ((tile[0], one, other), (tile[1], other, one)):
            for step in STEPS:
                there = index + step
                if there == partner:
                    continue
                while self.contents[there] == symbol:
                    found.add(there)
                    there += step
        return tuple(axial_of(index) for index in sorted(found))

    def line_values(self) -> list[list[int]]:
        """S[symbol][index]: what half a tile of that symbol would score on a free cell.

        Before a placement the partner's cell is free, so the five directions and all
        six score alike, and a placement is worth S[a][u] + S[b][v]. Row 0 is unused.
        """
        values = [[0] * SIZE for _ in range(WALL)]
        contents = self.contents
        for index in self.zone.indices:
            if contents[index]:
                continue
            for step in STEPS:
                there = index + step
                symbol = contents[there]
                if FREE < symbol < WALL:
                    row = values[symbol]
                    while contents[there] == symbol:
                        row[index] += 1
                        there += step
        return values

    def sees_any(self, symbols: set[int] | frozenset[int]) -> bool:
        """Whether a half tile of one of `symbols` would find a like symbol in line
        anywhere that a tile can be placed (the `genial` clause of rules, section 3).
        """
        contents, free = self.contents, self.free
        near = free & (
            free >> 1
            | free << 1
            | free >> STRIDE
            | free << STRIDE
            | free >> (STRIDE - 1)
            | free << (STRIDE - 1)
        )
        while near:
            low = near & -near
            near ^= low
            index = low.bit_length() - 1
            for step in STEPS:
                if contents[index + step] in symbols:
                    return True
        return False
