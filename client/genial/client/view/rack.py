"""The rack: the chosen tile bracketed and shown the way it lies."""

from __future__ import annotations

from collections.abc import Sequence

from genial.client.palette import Look, fill_role, ink_role
from genial.client.text import _
from genial.client.view.board import SHAPES, hexagon
from genial.client.view.canvas import Canvas, cut, width_of
from genial.client.view.spans import Spans, put_spans, spans_width
from genial.engine.tiles import Tile


def draw_small_rack(
    canvas: Canvas,
    x: int,
    y: int,
    tiles: Sequence[Tile | None],
    chosen: int | None,
    look: Look,
    *,
    keys: bool = True,
) -> None:
    """Header and three plus three tiles in 28 columns by 5 rows from (x, y).

    `tiles` are as they are to be shown (the chosen one turned), `chosen` counts from 0; `keys`
    says whether a tile can be chosen now.
    """
    title = _("RACK")
    if look.ascii:
        end = canvas.put(x, y, f"-- {title}", "muted")
        canvas.put(end + 2, y, _("1-6, r turns") + " --" if keys else "--", "muted")
    else:
        end = canvas.put(x, y, title, "muted", bold=True)
        if keys:
            canvas.put(end + 2, y, cut(_("1-6 choose, r turn"), 24), "muted")
    for slot, tile in enumerate(tiles):
        left, row = x + (0, 10, 19)[slot % 3], y + 1 + 2 * (slot // 3)
        picked = slot == chosen
        number = str(slot + 1)
        if tile is None:
            canvas.put(left, row, number, "faint")
            continue
        if look.ascii:
            # The number keeps its column whether or not the tile is bracketed.
            letters = f"{tile.first.letter} {tile.second.letter}"
            shown = f"{number} [{letters}]" if picked else f"{number}  {letters}"
            canvas.put(x + 10 * (slot % 3), row, shown, "text", bold=picked)
            continue
        if picked:
            canvas.put(left, row, number + "[", "on-strong", "strong", True)
            canvas.put(left + 8, row, "]", "on-strong", "strong", True)
        else:
            canvas.put(left, row, number, "muted", bold=True)
        for half, symbol in enumerate(tile):
            canvas.put(
                left + 2 + 3 * half,
                row,
                f" {symbol.letter} ",
                ink_role(symbol),
                fill_role(symbol),
                True,
            )


def slot_at_small(x: int, y: int, column: int, row: int) -> int | None:
    """Which slot (0..5) of a small rack at (x, y) lies at a column and row of the screen."""
    if row not in (y + 1, y + 3) or not x <= column < x + 28:
        return None
    place = 0 if column < x + 10 else 1 if column < x + 19 else 2
    return place + (3 if row == y + 3 else 0)


TILE_COLUMNS = 12


def draw_large_rack(
    canvas: Canvas,
    x: int,
    y: int,
    width: int,
    tiles: Sequence[Tile | None],
    chosen: int | None,
    title: Spans,
    look: Look,
    *,
    heading: str,
) -> None:
    """Hexagon pairs, 12 columns a tile, 7 rows from (x, y), on a panel of `width` columns.

    `heading` says whose they are, and `title` behind it what can be done.
    """
    canvas.fill(x, y, width, 7, "panel")
    end = x + 1
    if 1 + width_of(heading) + 3 + spans_width(title) < width:
        # What can be done goes before whose they are.
        end = canvas.put(x + 1, y, heading, "muted", bold=True) + 3
    put_spans(canvas, end, y, title, width - 1)
    for slot, tile in enumerate(tiles):
        left = x + 1 + TILE_COLUMNS * slot
        if tile is None:
            canvas.put(left + 5, y + 5, str(slot + 1), "faint")
            continue
        picked = slot == chosen
        if picked:
            canvas.fill(left, y + 1, TILE_COLUMNS, 6, "sel")
        for half, symbol in enumerate(tile):
            column = left + 1 + 5 * half
            hexagon(canvas, column, y + 2, fill_role(symbol), look)
            canvas.put(column + 2, y + 3, symbol.letter, ink_role(symbol), bold=True)
            if look.shapes and not look.ascii:
                canvas.put(column + 2, y + 4, SHAPES[symbol], ink_role(symbol))
        if picked:
            canvas.put(left, y + 3, "[", "strong", bold=True)
            canvas.put(left + 11, y + 3, "]", "strong", bold=True)
            canvas.put(left + 4, y + 5, f" {slot + 1} ", "on-strong", "strong", True)
        else:
            canvas.put(left + 5, y + 5, str(slot + 1), "muted", bold=True)


def slot_at_large(x: int, y: int, column: int, row: int) -> int | None:
    """Which slot (0..5) of a large rack at (x, y) lies at a column and row of the screen."""
    slot = (column - x - 1) // TILE_COLUMNS
    return slot if y < row < y + 7 and 0 <= slot < 6 else None
