"""Cells and tiles as small integers, and sets of cells as the bits of one integer.

Cells are mailbox indices (`engine.board`), symbols 1..6, and a tile is its *kind*, an index into
`TILE_KINDS`. "Where does R score at least 3 beside a cell where B scores 2" is then a few
operations on integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import compress
from typing import Final

from genial.engine.board import BESIDE_START, STRIDE, Zone
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

OFFSET: Final = STRIDE
"""Indices of cells in play less this fit into a byte."""

_IS_ZERO: Final = bytes([1]) + bytes(255)

START_MASK: Final = {
    int(symbol): sum(1 << index for index, beside in BESIDE_START.items() if beside == symbol)
    for symbol in SYMBOLS
}
"""The cells around each printed start symbol."""


def spread(cells: int) -> int:
    """The cells beside any cell of a bit set (walls and taken cells included)."""
    up, down = cells << 1, cells >> 1
    # One step along each of the other two axes is STRIDE - 1 beyond none or one along the first.
    return up | down | (up | cells) << (STRIDE - 1) | (down | cells) >> (STRIDE - 1)


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


def levels_of(lines: Sequence[Sequence[int]], free: int) -> list[list[int]]:
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


def open_pairs(
    zone: Zone, cells: Sequence[int], near: int | None
) -> tuple[list[tuple[int, int]], bytes, bytes]:
    """The pairs of free cells, their first and their second cells less `OFFSET`.

    Args:
        zone: In whose order they come.
        cells: By mailbox index 0 where a cell is free.
        near: If given, one of the two cells has to be in this bit set.
    """
    pairs, us, vs = _ends_of(zone)
    taken = bytes(cells[OFFSET : OFFSET + 256])
    both = int.from_bytes(us.translate(taken), "little")
    both |= int.from_bytes(vs.translate(taken), "little")
    open_ones = both.to_bytes(len(pairs), "little").translate(_IS_ZERO)
    if near is not None:
        nearby = bytearray(256)
        for cell in cells_in(near):
            nearby[cell - OFFSET] = 1
        either = int.from_bytes(us.translate(nearby), "little")
        either |= int.from_bytes(vs.translate(nearby), "little")
        either &= int.from_bytes(open_ones, "little")
        open_ones = either.to_bytes(len(pairs), "little")
    return (
        list(compress(pairs, open_ones)),
        bytes(compress(us, open_ones)),
        bytes(compress(vs, open_ones)),
    )


@cache
def _ends_of(zone: Zone) -> tuple[tuple[tuple[int, int], ...], bytes, bytes]:
    """A zone's pairs, their first cells and their second cells less `OFFSET`."""
    us = bytes(u - OFFSET for u, _ in zone.pairs)
    return zone.pairs, us, bytes(v - OFFSET for _, v in zone.pairs)
