"""A board as a picture: zones, printed start symbols, tiles, marks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from genial.client.picture.shapes import Paint, draw_symbol
from genial.client.picture.svg import Node, Point, moved, regular
from genial.engine.board import START_SYMBOLS, Board, cell_name
from genial.engine.hexgrid import Axial, ring
from genial.engine.moves import Cells
from genial.engine.tiles import Tile

_WIDE: Final = math.sqrt(3)
_EDGE_NAMES: Final = 1.5
"""Room left and right of a row for its name, in cell radii."""


@dataclass(frozen=True, slots=True)
class BoardScene:
    """What is to be seen on a board.

    Attributes:
        board: What lies where; symbols that belong to none of the tiles are drawn bare.
        tiles: Each tile's cells, so that halves that belong together are joined.
        last: The tile placed last: it gets a bright edge.
        lines: Lines of cells that score, from the half that scores to the last cell.
        shaded: Cells that are lit up, such as those where a first tile may lie.
        notes: Short words on free cells, instead of their names.
        names: Whether free cells show their names, and rows the names of their ends.
        cells: The cells to draw, None for the whole zone.
    """

    board: Board
    tiles: Sequence[Cells] = ()
    last: Cells | None = None
    lines: Sequence[tuple[Axial, Axial]] = ()
    shaded: frozenset[Axial] = frozenset()
    notes: Mapping[Axial, str] = field(default_factory=dict)
    names: bool = True
    cells: Iterable[Axial] | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """Where cells lie: `radius` from a cell's centre to its corners, (x, y) the centre of H8."""

    radius: float
    x: float
    y: float

    @classmethod
    def around(cls, rings: int, radius: float, left: float, top: float) -> Frame:
        """The frame of a whole zone whose box has its top left corner at (left, top)."""
        width, height = box(rings, radius)
        return cls(radius, left + width / 2, top + height / 2)

    def centre(self, cell: Axial) -> Point:
        """The middle of a cell."""
        return (
            self.x + _WIDE * self.radius * (cell.q + cell.r / 2),
            self.y + 1.5 * self.radius * cell.r,
        )


def box(rings: int, radius: float) -> tuple[float, float]:
    """Width and height of a zone's picture, the names of the row ends included."""
    return (
        _WIDE * radius * (2 * rings + 1) + 2 * _EDGE_NAMES * radius,
        radius * (3 * rings + 2),
    )


def draw_board(parent: Node, frame: Frame, scene: BoardScene, paint: Paint) -> None:
    """A board and what lies on it."""
    chosen = scene.board.zone.cells if scene.cells is None else tuple(scene.cells)
    _draw_ground(parent, frame, scene, chosen, paint)
    if scene.names and scene.cells is None:
        _draw_row_names(parent, frame, scene.board.zone.radius, paint)
    for cells in scene.tiles:
        draw_body(parent, frame, cells, paint)
    if scene.last is not None:
        # Above its neighbours, whose edges it covers.
        draw_body(parent, frame, scene.last, paint, bright=True)
    # Lines run below the symbols, which hang on them like beads and keep their letters.
    for start, end in scene.lines:
        parent.line(
            frame.centre(start),
            frame.centre(end),
            stroke=paint.panel_strong,
            stroke_width=0.2 * frame.radius,
        )
    symbols = parent.group()
    for cell in chosen:
        symbol = scene.board[cell]
        if symbol is not None:
            draw_symbol(symbols, symbol, *frame.centre(cell), frame.radius, paint)


def draw_body(
    parent: Node, frame: Frame, cells: Cells, paint: Paint, *, bright: bool = False
) -> None:
    """A tile without its symbols: two hexagons joined where they meet."""
    edges = ((1.04, paint.last[0]), (0.98, paint.last[1])) if bright else ((0.94, paint.tile_edge),)
    for share, colour in (*edges, (0.89, paint.tile)):
        radius = share * frame.radius
        one, other = (frame.centre(cell) for cell in cells)
        body = parent.group(fill=colour)
        body.polygon(moved(regular(6, radius), *one))
        body.polygon(moved(regular(6, radius), *other))
        # As wide as the edge at which the hexagons meet, and bridging the gap there.
        body.line(one, other, stroke=colour, stroke_width=radius)


def draw_tile(
    parent: Node, frame: Frame, tile: Tile, cells: Cells, paint: Paint, *, bright: bool = False
) -> None:
    """A tile on two cells that may lie off any board, such as on a rack."""
    draw_body(parent, frame, cells, paint, bright=bright)
    for symbol, cell in zip(tile, cells, strict=True):
        draw_symbol(parent, symbol, *frame.centre(cell), frame.radius, paint)


def _draw_ground(
    parent: Node, frame: Frame, scene: BoardScene, cells: Sequence[Axial], paint: Paint
) -> None:
    ground = parent.group()
    names = parent.group(fill=paint.name, text_anchor="middle")
    hexagon = regular(6, 0.96 * frame.radius)
    for cell in cells:
        x, y = frame.centre(cell)
        lit = cell in scene.shaded
        ground.polygon(
            moved(hexagon, x, y),
            fill=paint.lit if lit else paint.cells[max(0, ring(cell) - 5)],
            stroke=paint.strong if lit else None,
            stroke_width=0.07 * frame.radius if lit else None,
        )
        if cell in START_SYMBOLS:
            # Printed ones lie in a ring of their own, and keep it under no tile.
            ground.polygon(
                moved(regular(6, 0.86 * frame.radius), x, y),
                fill=paint.tile,
                stroke=paint.panel_muted,
                stroke_width=0.05 * frame.radius,
                stroke_dasharray=f"{0.16 * frame.radius:.2f}",
            )
        elif cell in scene.notes:
            size = 0.62 * frame.radius
            names.text(
                x,
                y + 0.36 * size,
                scene.notes[cell],
                size,
                fill=paint.strong,
                font_weight="700",
            )
        elif scene.names and scene.board.is_free(cell):
            size = 0.42 * frame.radius
            names.text(x, y + 0.36 * size, cell_name(cell), size)


def _draw_row_names(parent: Node, frame: Frame, rings: int, paint: Paint) -> None:
    names = parent.group(fill=paint.muted)
    size = 0.5 * frame.radius
    for r in range(-rings, rings + 1):
        for q, side, anchor in (
            (max(-rings, -rings - r), -1, "end"),
            (min(rings, rings - r), 1, "start"),
        ):
            x, y = frame.centre(Axial(q, r))
            names.text(
                x + side * 1.15 * frame.radius,
                y + 0.36 * size,
                cell_name(Axial(q, r)),
                size,
                text_anchor=anchor,
            )
