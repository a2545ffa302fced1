"""The whole screen: which view draws what, and what lies over it."""

from __future__ import annotations

from genial.client.keys import key_hints
from genial.client.model import Model, Screen
from genial.client.palette import Look
from genial.client.text import _
from genial.client.view.bars import draw_keys
from genial.client.view.browse import draw_browse
from genial.client.view.canvas import Canvas, cut, width_of, wrap
from genial.client.view.end import draw_end
from genial.client.view.game import draw_game
from genial.client.view.geometry import MIN_HEIGHT, MIN_WIDTH
from genial.client.view.overlays import draw_overlay
from genial.client.view.replay import draw_replay
from genial.client.view.room import draw_room


def draw(model: Model, width: int, height: int, look: Look) -> Canvas:
    """The screen of a model in a window of `width` by `height` characters."""
    canvas = Canvas(max(0, width), max(0, height))
    if width < MIN_WIDTH or height < MIN_HEIGHT:
        _too_small(canvas)
        return canvas
    match model.screen:
        case Screen.BROWSE:
            draw_browse(canvas, model, look)
        case Screen.ROOM:
            draw_room(canvas, model, look)
        case Screen.GAME:
            draw_game(canvas, model, look)
        case Screen.END if model.show_board:
            draw_game(canvas, model, look)
        case Screen.REPLAY:
            draw_replay(canvas, model, look)
        case Screen.END:
            draw_end(canvas, model, look)
    draw_overlay(canvas, model, look)
    draw_keys(canvas, key_hints(model, width))
    return canvas


def _too_small(canvas: Canvas) -> None:
    """In the middle: what to do, and how to get out; in as many words as there is room for."""
    whole = _(
        "Make the window larger: at least {width} by {height}, now {w} by {h}. q leaves."
    ).format(width=MIN_WIDTH, height=MIN_HEIGHT, w=canvas.width, h=canvas.height)
    lines = [_("too small")]
    for text, rows in ((whole, 3), (_("Make the window larger (q leaves)"), 2)):
        wrapped = wrap(text, max(1, canvas.width - 2))
        if len(wrapped) <= min(rows, canvas.height):
            lines = wrapped
            break
    top = max(0, (canvas.height - len(lines)) // 2)
    for number, line in enumerate(lines[: canvas.height]):
        x = max(0, (canvas.width - width_of(line)) // 2)
        canvas.put(x, top + number, cut(line, canvas.width), "text", bold=True)
