"""The whole screen: which view draws what, and what lies over it."""

from __future__ import annotations

from genial.client.keys import key_hints
from genial.client.model import Model, Screen
from genial.client.palette import Look
from genial.client.text import _
from genial.client.view.bars import draw_keys
from genial.client.view.browse import draw_browse
from genial.client.view.canvas import Canvas, cut, width_of
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
    """One line in the middle: what to do, and how to get out."""
    if canvas.height == 0:
        return
    for text in (
        _("Make the window larger: at least {width} by {height}, now {w} by {h}. q leaves.").format(
            width=MIN_WIDTH, height=MIN_HEIGHT, w=canvas.width, h=canvas.height
        ),
        _("Make the window larger (q leaves)"),
        _("too small"),
    ):
        if width_of(text) <= canvas.width:
            break
    x = max(0, (canvas.width - width_of(text)) // 2)
    canvas.put(x, canvas.height // 2, cut(text, canvas.width), "text", bold=True)
