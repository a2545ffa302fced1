"""Size L: turn and preview in the board's left triangles, tracks as bars at the right."""

from __future__ import annotations

from genial.client.model import Ghost, Model
from genial.client.palette import Look
from genial.client.text import _
from genial.client.view import sides
from genial.client.view.canvas import Canvas, cut
from genial.client.view.geometry import RACK_ROWS, TRACK_COLUMNS, LargeGrid
from genial.client.view.log import draw_stream
from genial.client.view.rack import draw_large_rack
from genial.client.view.small import rack_as_shown
from genial.client.view.spans import Span, put_spans
from genial.client.view.tracks import draw_large_tracks
from genial.client.view.typing import draw_entry
from genial.engine.view import PlayerView

RACK_COLUMNS = 75
LOG_COLUMNS = 44
NARROW_LOG_COLUMNS = 32


def draw_large_parts(
    canvas: Canvas,
    grid: LargeGrid,
    model: Model,
    view: PlayerView,
    ghost: Ghost | None,
    look: Look,
) -> None:
    """All but title, board and keys."""
    text, mine = sides.turn_text(model, view)
    if mine and not look.ascii:
        canvas.put(1, 2, f" {cut(text, 18)} ", "on-strong", "strong", True)
    else:
        canvas.put(1, 2, cut(("* " if mine else "") + text, 20), "strong", bold=True)
    facts = sides.facts(model, view, long=True)
    for number, (label, value) in enumerate(facts):
        canvas.put(1, 7 - len(facts) + number, label, "muted")
        canvas.put(8, 7 - len(facts) + number, value, "text", bold=True)
    rack_y = canvas.height - 8
    for number, line in enumerate(sides.preview(ghost, look)):
        put_spans(canvas, 1, rack_y - 9 + (0, 1, 3, 5)[number], line, 19)
    tracks_x = canvas.width - TRACK_COLUMNS
    rows = sides.track_rows(model, view)
    after = draw_large_tracks(
        canvas, tracks_x, 1, rows, view.rules.cap, model.settings.weakest_first, look
    )
    shown, chosen = rack_as_shown(model)
    draw_large_rack(
        canvas, 0, rack_y, RACK_COLUMNS, shown, chosen, _rack_title(model, view, ghost, look), look
    )
    _log(canvas, grid, after + 1, model, look)


def _rack_title(model: Model, view: PlayerView, ghost: Ghost | None, look: Look) -> list[Span]:
    """Above the rack: what to do at the end of a turn, why a spot is illegal, or the keys."""
    if model.notice or (ghost is not None and ghost.refusal is not None):
        return sides.status_line(model, view, ghost, look)
    choice = sides.choice_line(model, view)
    if choice:
        return choice
    if model.seat is None:
        return sides.last_move(model, look)
    return [Span(_("1-6 or click to choose, r or wheel to turn"))]


def log_box(width: int, height: int, grid: LargeGrid, top: int) -> tuple[int, int, int, int]:
    """Column, row, width and height of log and chat: below the tracks, clear of the board."""
    x = max(RACK_COLUMNS + 1, width - LOG_COLUMNS)
    bottom = height - 2
    if width - x < NARROW_LOG_COLUMNS:
        # Too narrow beside the rack: then above it, where the board has room at the right.
        x = width - NARROW_LOG_COLUMNS
        bottom = height - RACK_ROWS - 1
    y = top
    while y < bottom and any(grid.right_edge(row) >= x for row in range(y, bottom + 1)):
        y += 1
    return x, y, width - x, bottom - y + 1


def _log(canvas: Canvas, grid: LargeGrid, top: int, model: Model, look: Look) -> None:
    x, y, width, height = log_box(canvas.width, canvas.height, grid, top)
    canvas.fill(x, y, width, height, "panel")
    end = canvas.put(x + 1, y, _("LOG AND CHAT"), "muted", bold=True)
    keys = _("c write, l whole log")
    if end + 2 + len(keys) < x + width:
        canvas.put_right(x + width - 1, y, keys, "muted")
    inner = width - 2
    draw_stream(canvas, x + 1, y + 1, inner, height - 2, model, look)
    last = y + height - 1
    if model.entry is not None:
        draw_entry(canvas, x + 1, last, inner, model.entry, look)
    else:
        end = canvas.put(x + 1, last, ">", "strong", bold=True)
        canvas.put(end + 1, last, cut(_("c to write to the table"), inner - 2), "muted")
