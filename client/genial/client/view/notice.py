"""A notice that has no place of its own, or too small a one: a panel above the keys."""

from __future__ import annotations

from typing import Final

from genial.client.model import Model, Screen
from genial.client.view.canvas import Canvas, wrap
from genial.client.view.geometry import SmallGrid, board_grid
from genial.client.view.sides import choice_line

_MARGIN: Final = 2


def draw_long_notice(canvas: Canvas, model: Model) -> bool:
    """Draws the notice over what lies there, if its own place cannot show all of it.

    Returns whether it did.
    """
    if not model.notice or model.entry is not None:
        return False
    columns, rows = _place(model, canvas)
    # What lies over the screen covers that place.
    if model.overlay is not None:
        rows = 0
    if len(wrap(model.notice, columns)) <= rows:
        return False
    lines = wrap(model.notice, canvas.width - 2 * _MARGIN)[: canvas.height - 4]
    top = canvas.height - 1 - len(lines)
    canvas.fill(0, top - 1, canvas.width, len(lines) + 1, "panel")
    for number, line in enumerate(lines):
        canvas.put(_MARGIN, top + number, line, "strong", bold=True)
    return True


def _place(model: Model, canvas: Canvas) -> tuple[int, int]:
    """Columns and rows of the place where notices stand on this screen."""
    match model.screen:
        case Screen.GAME | Screen.END if model.view is not None and _on_board(model):
            view = model.view
            grid = board_grid(view.rules.zone.radius, canvas.width, canvas.height)
            if isinstance(grid, SmallGrid):
                return 78, 1 if choice_line(model, view) else 2
            return 60, 1
        case Screen.BROWSE:
            return canvas.width - 4, 1
        case Screen.REPLAY:
            return 73, 1
        case _:
            return 76, 1


def _on_board(model: Model) -> bool:
    return model.screen is Screen.GAME or model.show_board
