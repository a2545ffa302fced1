"""Where things lie on the screen: grid arithmetic of the board in both sizes.

Size S has one text row a cell, size L draws hexagons of 5 by 3 characters that share
every second row. All columns and rows are counted from 0; `ox`, `oy` is the top left
corner of the board's box.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from genial.engine.hexgrid import Axial, ring

MIN_WIDTH = 80
MIN_HEIGHT = 24
TRACK_COLUMNS = 28
"""Width of the tracks in size L, at the right edge."""
RACK_ROWS = 9
"""Rows below the board in size L: a margin, the rack and the keys."""


class Size(StrEnum):
    """How large the board is drawn."""

    S = "S"
    L = "L"


@dataclass(frozen=True, slots=True)
class SmallGrid:
    """The board with one text row a cell: 3 columns of fill and 1 of gap each.

    Attributes:
        radius: Rings of the zone, 5, 6 or 7.
        ox: First column of the box.
        oy: First row of the box.
    """

    radius: int
    ox: int
    oy: int

    @property
    def width(self) -> int:
        """Columns of the box."""
        return 8 * self.radius + 3

    @property
    def height(self) -> int:
        """Rows of the box."""
        return 2 * self.radius + 1

    def origin(self, cell: tuple[int, int]) -> tuple[int, int]:
        """Column and row of a cell's first character."""
        q, r = cell
        return self.ox + 4 * (q + self.radius) + 2 * r, self.oy + r + self.radius

    def cell_at(self, x: int, y: int) -> Axial | None:
        """The cell drawn at (x, y); the gap belongs to the cell on its left."""
        r = y - self.oy - self.radius
        q = (x - self.ox - 2 * r) // 4 - self.radius
        cell = Axial(q, r)
        return cell if ring(cell) <= self.radius else None

    def right_edge(self, y: int) -> int:
        """The first column right of everything that the board draws on row `y`, names included."""
        r = y - self.oy - self.radius
        if abs(r) > self.radius:
            return 0
        return self.origin(Axial(min(self.radius, self.radius - r), r))[0] + 7


@dataclass(frozen=True, slots=True)
class LargeGrid:
    """The board as hexagons, 5 columns by 3 rows each; see `SmallGrid` for the attributes."""

    radius: int
    ox: int
    oy: int

    @property
    def width(self) -> int:
        """Columns of the box."""
        return 12 * self.radius + 5

    @property
    def height(self) -> int:
        """Rows of the box."""
        return 4 * self.radius + 3

    def origin(self, cell: tuple[int, int]) -> tuple[int, int]:
        """Column and row of a cell's top left character."""
        q, r = cell
        return self.ox + 6 * (q + self.radius) + 3 * r, self.oy + 2 * (r + self.radius)

    def cell_at(self, x: int, y: int) -> Axial | None:
        """The cell drawn at (x, y); the gap in a middle row belongs to the cell on its left."""
        t = y - self.oy
        if t % 2:
            r = (t - 1) // 2 - self.radius
        else:
            # Row 0 of this row's cells shares the text row with row 2 of the cells above.
            r = t // 2 - self.radius
            if (x - self.ox - 3 * r) % 6 not in (1, 2, 3):
                r -= 1
        q = (x - self.ox - 3 * r) // 6 - self.radius
        cell = Axial(q, r)
        return cell if ring(cell) <= self.radius else None

    def right_edge(self, y: int) -> int:
        """The first column right of everything that the board draws on row `y`."""
        return max(
            (
                self.origin(Axial(min(self.radius, self.radius - r), r))[0] + 5
                for r in self._rows_at(y)
            ),
            default=0,
        )

    def left_edge(self, y: int, width: int) -> int:
        """The first column of what the board draws on row `y`; `width` where it draws nothing."""
        # The first and the last text row of a hexagon are narrower than its middle.
        narrower = 0 if (y - self.oy) % 2 else 1
        return min(
            (
                self.origin(Axial(max(-self.radius, -self.radius - r), r))[0] + narrower
                for r in self._rows_at(y)
            ),
            default=width,
        )

    def _rows_at(self, y: int) -> list[int]:
        """The rows of cells (r) that share text row `y`."""
        t = y - self.oy
        rows = [(t - 1) // 2] if t % 2 else [t // 2, t // 2 - 1]
        return [row - self.radius for row in rows if 0 <= row <= 2 * self.radius]


Grid = SmallGrid | LargeGrid


def size_for(radius: int, width: int, height: int) -> Size | None:
    """The size in which a zone is drawn in a window; None: the window is too small."""
    large = LargeGrid(radius, 0, 0)
    if width >= large.width + TRACK_COLUMNS + 3 and height >= large.height + RACK_ROWS:
        return Size.L
    if width >= MIN_WIDTH and height >= MIN_HEIGHT:
        return Size.S
    return None


def block_left(width: int) -> int:
    """First column of the 80 columns that size S uses, centred in a wider window."""
    return (width - MIN_WIDTH) // 2


def board_grid(radius: int, width: int, height: int) -> Grid | None:
    """Where the board lies in a window; None when the window is too small."""
    match size_for(radius, width, height):
        case Size.S:
            # Row H of every zone lies in the same place: 15 rows below the title hold the largest.
            return SmallGrid(radius, block_left(width) + 39 - 4 * radius, 8 - radius)
        case Size.L:
            grid = LargeGrid(radius, 0, 0)
            across = width - TRACK_COLUMNS - 1
            down = height - RACK_ROWS
            return LargeGrid(
                radius, max(1, (across - grid.width) // 2), 1 + (down - grid.height) // 2
            )
        case None:
            return None
