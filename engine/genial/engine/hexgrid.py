"""Hexagons in axial coordinates; knows no game.

Pointy-top hexagons: q grows to the right, r downwards, the third coordinate is
s = -q - r, and the ring of a cell is its distance from the centre (0, 0).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Axial(NamedTuple):
    """A cell's place in axial coordinates.

    >>> Axial(2, -1) + Axial(0, 1)
    Axial(q=2, r=0)
    """

    q: int
    r: int

    @property
    def s(self) -> int:
        """The third, redundant coordinate: -q - r."""
        return -self.q - self.r

    def __add__(self, other: tuple[int, int]) -> Axial:  # type: ignore[override]
        """The cell reached by a step of `other`; tuples are added, not joined."""
        return Axial(self.q + other[0], self.r + other[1])


CENTRE = Axial(0, 0)

DIRECTIONS: tuple[Axial, ...] = (
    Axial(1, 0),
    Axial(0, 1),
    Axial(-1, 1),
    Axial(-1, 0),
    Axial(0, -1),
    Axial(1, -1),
)
"""The six steps to a neighbour, clockwise from the right."""


def ring(cell: Axial) -> int:
    """Distance of `cell` from the centre, in steps.

    >>> ring(Axial(5, -5))
    5
    """
    return max(abs(cell.q), abs(cell.r), abs(cell.s))


def neighbours(cell: Axial) -> tuple[Axial, ...]:
    """The six cells that share an edge with `cell`, clockwise from the right."""
    return tuple(cell + step for step in DIRECTIONS)


def are_adjacent(one: Axial, other: Axial) -> bool:
    """Whether two cells share an edge; no cell is adjacent to itself."""
    return (other.q - one.q, other.r - one.r) in DIRECTIONS


def ray(cell: Axial, direction: Axial) -> Iterator[Axial]:
    """The cells beyond `cell` in one direction, nearest first, without end."""
    while True:
        cell = cell + direction
        yield cell


def hexagon(radius: int) -> tuple[Axial, ...]:
    """Every cell of rings 0..radius, row by row: r ascending, then q ascending.

    >>> len(hexagon(5)), len(hexagon(6)), len(hexagon(7))
    (91, 127, 169)
    """
    return tuple(
        Axial(q, r)
        for r in range(-radius, radius + 1)
        for q in range(max(-radius, -radius - r), min(radius, radius - r) + 1)
    )
