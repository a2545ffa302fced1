"""The board in both sizes, with the marks that every size and theme shares.

`[R]` your tile, `‹R›` the last tile, `∙R∙` a printed start symbol (ASCII `[R]` `<R>`
`:R:`); the cells that score for the tile in hand are underlined (ASCII `+R+`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from genial.client.palette import Look, fill_role, ink_role
from genial.client.view.canvas import Canvas, Patch
from genial.client.view.geometry import Grid, LargeGrid, SmallGrid
from genial.engine.board import START_SYMBOLS, Board, cell_name, zone_of_radius
from genial.engine.hexgrid import Axial, ring
from genial.engine.tiles import Symbol

SHAPES: Final = {
    Symbol.R: "✹",
    Symbol.G: "⬤",
    Symbol.B: "✶",
    Symbol.O: "⬢",
    Symbol.Y: "✺",
    Symbol.P: "⊚",
}
"""A second mark of each symbol where there is room; not every font has them."""

_ASCII_EMPTY: Final = {6: ",", 7: "-"}


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """What is to be seen on the board.

    Attributes:
        board: What lies where.
        ghost: The tile in hand: its two cells with their symbols; empty without one.
        legal: Whether the ghost may be placed where it is.
        last: Cells of the last placed tile.
        scoring: Cells in whose line the ghost scores.
        reach: Cells that a first placement can use; None when any free cell will do.
        flash: Cells that stand out for a moment.
        heat: Best points of the chosen tile by cell; None without the heat map.
    """

    board: Board
    ghost: tuple[tuple[Axial, Symbol], ...] = ()
    legal: bool = True
    last: frozenset[Axial] = frozenset()
    scoring: frozenset[Axial] = frozenset()
    reach: frozenset[tuple[int, int]] | None = None
    flash: frozenset[Axial] = frozenset()
    heat: Mapping[Axial, int] | None = field(default=None)


def draw_board(canvas: Canvas, grid: Grid, picture: BoardPicture, look: Look) -> None:
    """Draw every cell of the zone at its place in `grid`.

    What a key changes is the tile in hand and what it scores; the rest is drawn once and
    pasted from then on.
    """
    contents = picture.board.contents
    heat = None if picture.heat is None else tuple(sorted(picture.heat.items()))
    canvas.paste(
        _ground_pieces(
            canvas.width,
            canvas.height,
            grid,
            look,
            contents,
            picture.last,
            picture.reach,
            picture.flash,
            heat,
        )
    )
    pen = _pen(canvas, grid, picture, look)
    ghost = dict(picture.ghost)
    for cell in picture.scoring:
        symbol = picture.board[cell]
        if symbol is not None and cell not in ghost:
            pen.tile(cell, symbol)
    for cell, symbol in picture.ghost:
        if cell in picture.board.zone:
            pen.ghost(cell, symbol)


def _pen(canvas: Canvas, grid: Grid, picture: BoardPicture, look: Look) -> _SmallPen | _LargePen:
    if isinstance(grid, SmallGrid):
        return _SmallPen(canvas, grid, picture, look)
    return _LargePen(canvas, grid, picture, look)


@lru_cache(maxsize=8)
def _ground_pieces(
    width: int,
    height: int,
    grid: Grid,
    look: Look,
    contents: bytes,
    last: frozenset[Axial],
    reach: frozenset[tuple[int, int]] | None,
    flash: frozenset[Axial],
    heat: tuple[tuple[Axial, int], ...] | None,
) -> tuple[Patch, ...]:
    """The board without a tile in hand, as pieces of a canvas of that size."""
    canvas = Canvas(width, height)
    board = Board(zone_of_radius(grid.radius), contents, 0)
    picture = BoardPicture(
        board,
        last=last,
        reach=reach,
        flash=flash,
        heat=None if heat is None else dict(heat),
    )
    pen = _pen(canvas, grid, picture, look)
    for cell in board.zone.cells:
        symbol = board[cell]
        if symbol is not None:
            pen.tile(cell, symbol)
        else:
            pen.empty(cell)
    pen.names()
    return canvas.patches()


class _Pen:
    """What both sizes share: which marks a cell gets."""

    def __init__(self, canvas: Canvas, grid: Grid, picture: BoardPicture, look: Look) -> None:
        self.canvas = canvas
        self.picture = picture
        self.look = look
        self.radius = grid.radius

    def marks(self, cell: Axial) -> tuple[str, str]:
        """The characters left and right of a tile's letter."""
        look = self.look
        if look.ascii and cell in self.picture.scoring:
            return "+", "+"
        if cell in self.picture.last:
            return ("<", ">") if look.ascii else ("‹", "›")
        if cell in START_SYMBOLS:
            return (":", ":") if look.ascii else ("∙", "∙")
        return " ", " "

    def ghost_marks(self) -> tuple[str, str]:
        """The characters left and right of a ghost's letter."""
        return ("[", "]") if self.picture.legal else ("(", ")")

    def ground(self, cell: Axial) -> str:
        """The background role of an empty cell."""
        reach = self.picture.reach
        if reach is not None and cell in reach:
            return "sel"
        return f"cell{max(5, ring(cell))}"

    def hint(self, cell: Axial) -> str | None:
        """What an empty cell says besides being empty, at most two characters."""
        heat = self.picture.heat
        if heat is not None:
            points = heat.get(cell)
            return str(points) if points else None
        if self.picture.reach is not None and cell in self.picture.reach:
            return "o"
        return None

    def underlines(self, cell: Axial) -> bool:
        return cell in self.picture.scoring and not self.look.ascii

    def ghost_letter(self, symbol: Symbol) -> tuple[str, str]:
        """Foreground and background of a ghost's letter: colourless where it cannot lie."""
        if self.picture.legal:
            return ink_role(symbol), fill_role(symbol)
        return "on-strong", "strong"


class _SmallPen(_Pen):
    """One text row a cell."""

    def __init__(self, canvas: Canvas, grid: SmallGrid, picture: BoardPicture, look: Look) -> None:
        super().__init__(canvas, grid, picture, look)
        self.grid = grid

    def _ground(self, cell: Axial) -> tuple[int, int]:
        x, y = self.grid.origin(cell)
        # The gap has the colour of its own cell; the last of a row has none.
        last = cell.q == min(self.radius, self.radius - cell.r)
        self.canvas.fill(x, y, 3 if last else 4, 1, self.ground(cell))
        return x, y

    def empty(self, cell: Axial) -> None:
        x, y = self._ground(cell)
        hint = self.hint(cell)
        if hint is not None:
            self.canvas.put(x + 2 - len(hint), y, hint, "text", bold=self.picture.heat is not None)
        elif self.look.ascii:
            self.canvas.put(x + 1, y, _ASCII_EMPTY.get(ring(cell), "."), "dot")
        else:
            self.canvas.put(x + 1, y, "∙", "dot")

    def tile(self, cell: Axial, symbol: Symbol) -> None:
        x, y = self._ground(cell)
        left, right = self.marks(cell)
        text = f"{left}{symbol.letter}{right}"
        ink, fill = ink_role(symbol), fill_role(symbol)
        self.canvas.put(x, y, text, ink, fill, True, self.underlines(cell))
        if cell in self.picture.flash:
            self.canvas.put(x, y, left, "on-strong", "strong", True)
            self.canvas.put(x + 2, y, right, "on-strong", "strong", True)

    def ghost(self, cell: Axial, symbol: Symbol) -> None:
        x, y = self._ground(cell)
        left, right = self.ghost_marks()
        fg, bg = self.ghost_letter(symbol)
        self.canvas.put(x, y, left, "on-strong", "strong", True)
        self.canvas.put(x + 1, y, symbol.letter, fg, bg, True)
        self.canvas.put(x + 2, y, right, "on-strong", "strong", True)

    def names(self) -> None:
        """Full names of the edge cells beside every row: nobody has to count."""
        for r in range(-self.radius, self.radius + 1):
            first = Axial(max(-self.radius, -self.radius - r), r)
            last = Axial(min(self.radius, self.radius - r), r)
            x, y = self.grid.origin(first)
            self.canvas.put_right(x - 1, y, cell_name(first), "edge")
            self.canvas.put(self.grid.origin(last)[0] + 4, y, cell_name(last), "edge")


class _LargePen(_Pen):
    """Hexagons of five columns by three rows, which share every second row."""

    def __init__(self, canvas: Canvas, grid: LargeGrid, picture: BoardPicture, look: Look) -> None:
        super().__init__(canvas, grid, picture, look)
        self.grid = grid

    def _hexagon(self, cell: Axial, role: str) -> tuple[int, int]:
        x, y = self.grid.origin(cell)
        hexagon(self.canvas, x, y, role, self.look)
        return x, y

    def empty(self, cell: Axial) -> None:
        x, y = self._hexagon(cell, self.ground(cell))
        hint = self.hint(cell)
        if hint is not None and self.picture.heat is not None:
            self.canvas.put(x + 3 - len(hint), y + 1, hint, "text", bold=True)
        elif hint is not None and not self.look.fills:
            # The reach of a first placement shows by its background where there is one.
            self.canvas.put(x + 2, y + 1, hint, "text", bold=True)
        else:
            reached = self.picture.reach is not None and cell in self.picture.reach
            self.canvas.put(x + 1, y + 1, cell_name(cell), "text" if reached else "name")

    def tile(self, cell: Axial, symbol: Symbol) -> None:
        x, y = self._hexagon(cell, fill_role(symbol))
        left, right = self.marks(cell)
        ink = ink_role(symbol)
        self.canvas.put(x + 1, y + 1, left + symbol.letter + right, ink, bold=True)
        if cell in self.picture.flash:
            self.canvas.put(x, y + 1, " " + left, "on-strong", "strong", True)
            self.canvas.put(x + 3, y + 1, right + " ", "on-strong", "strong", True)
        if self.underlines(cell):
            self.canvas.underline(x + 1, y + 1, 3)
        if self.look.shapes and not self.look.ascii:
            self.canvas.put(x + 2, y + 2, SHAPES[symbol], ink)

    def ghost(self, cell: Axial, symbol: Symbol) -> None:
        x, y = self._hexagon(cell, "strong")
        left, right = self.ghost_marks()
        fg, bg = self.ghost_letter(symbol)
        self.canvas.put(x, y + 1, left, "on-strong", "strong", True)
        self.canvas.put(x + 1, y + 1, f" {symbol.letter} ", fg, bg, True)
        self.canvas.put(x + 4, y + 1, right, "on-strong", "strong", True)

    def names(self) -> None:
        """In this size the cells carry their names themselves."""


def hexagon(canvas: Canvas, x: int, y: int, role: str, look: Look) -> None:
    """One blank hexagon in the colour `role`, 5 columns by 3 rows from (x, y).

    Where backgrounds do not show, the outline of an empty cell would look like a tile:
    then only tiles get one.
    """
    if look.ascii:
        return
    outline = look.fills or not role.startswith(("cell", "sel"))
    for row, (left, right) in ((y, "▟▙"), (y + 2, "▜▛")):
        if outline:
            canvas.put(x + 1, row, left, role)
            canvas.put(x + 3, row, right, role)
        canvas.put(x + 2, row, " ", "text", role)
    canvas.put(x, y + 1, "     ", "text", role)
