"""A record on the screen: the game, where in it we are, and what led there."""

from __future__ import annotations

from dataclasses import replace

from genial.client.model import Model, Reel
from genial.client.palette import Look
from genial.client.replaying import shown, whose_rack
from genial.client.text import _
from genial.client.view.bars import draw_title
from genial.client.view.canvas import Canvas, cut
from genial.client.view.game import draw_game
from genial.client.view.geometry import SmallGrid, block_left, board_grid
from genial.client.view.small import RACK_X, RACK_Y
from genial.client.view.typing import draw_entry


def draw_replay(canvas: Canvas, model: Model, look: Look) -> None:
    """All but the last row."""
    reel = model.reel
    if reel is None:
        return
    still = shown(model, reel)
    view = still.view
    assert view is not None
    draw_game(canvas, replace(still, entry=None, notice=""), look)
    names = ", ".join(seat.name for seat in view.seats)
    right = _("event {number} of {last}").format(
        number=reel.replay.positions[reel.at].n, last=reel.replay.last_n
    )
    draw_title(canvas, _("replay: {names}").format(names=names), reel.verdict, right, look)
    grid = board_grid(view.rules.zone.radius, canvas.width, canvas.height)
    if isinstance(grid, SmallGrid):
        ox = block_left(canvas.width)
        canvas.fill(ox + RACK_X, RACK_Y, 28, 1, "panel")
        canvas.put(ox + RACK_X, RACK_Y, cut(whose_rack(reel).upper(), 27), "muted", bold=True)
        x, width, y = ox + 1, 78, canvas.height - 2
    else:
        x, width, y = 1, 73, canvas.height - 2
    if model.entry is not None:
        draw_entry(canvas, x, y, width, model.entry, look)
        return
    _progress(canvas, x, y, width, reel, look)
    if model.notice:
        canvas.put(x, y - 1, cut(model.notice, width), "strong", bold=True)


def _progress(canvas: Canvas, x: int, y: int, width: int, reel: Reel, look: Look) -> None:
    """How far into the game this is, as a bar over the whole width."""
    last = max(1, reel.replay.end)
    done = round(width * reel.at / last)
    if look.fills:
        canvas.fill(x, y, width, 1, "trough")
        canvas.fill(x, y, done, 1, "text")
    else:
        canvas.fill(x, y, width, 1, "bg")
        canvas.put(x, y, "=" * done + "-" * (width - done), "text")
