"""Size L: turn and preview in the board's left triangles, tracks as bars at the right."""

from __future__ import annotations

from genial.client.model import Ghost, Model, Screen
from genial.client.palette import Look
from genial.client.replaying import whose_rack
from genial.client.text import _
from genial.client.view import sides
from genial.client.view.canvas import Canvas, cut, width_of, wrap
from genial.client.view.geometry import RACK_ROWS, TRACK_COLUMNS, LargeGrid
from genial.client.view.lesson import draw_lesson
from genial.client.view.log import draw_stream
from genial.client.view.rack import draw_large_rack
from genial.client.view.small import rack_as_shown
from genial.client.view.spans import Span, put_spans, spans_width
from genial.client.view.tracks import draw_large_tracks
from genial.client.view.typing import draw_entry
from genial.engine.view import PlayerView

RACK_COLUMNS = 75
LOG_COLUMNS = 44
NARROW_LOG_COLUMNS = 32
MOST_ROWS = 4
"""So many tracks fill the column, and leave no room for who plays with whom and who has won."""


def draw_large_parts(
    canvas: Canvas,
    grid: LargeGrid,
    model: Model,
    view: PlayerView,
    ghost: Ghost | None,
    look: Look,
) -> None:
    """All but title, board and keys."""
    _turn_and_facts(canvas, grid, model, view, look)
    _preview(canvas, grid, ghost, look)
    rack_y = canvas.height - 8
    tracks_x = canvas.width - TRACK_COLUMNS
    rows = sides.track_rows(model, view)
    after = draw_large_tracks(
        canvas, tracks_x, 1, rows, view.rules.cap, model.settings.weakest_first, look
    )
    shown, chosen = rack_as_shown(model)
    draw_large_rack(
        canvas,
        0,
        rack_y,
        RACK_COLUMNS,
        shown,
        chosen,
        _rack_title(model, view, ghost, look),
        look,
        heading=_heading(model, bool(shown)),
    )
    if model.seat is None and not shown:
        canvas.put(1, rack_y + 3, _("You see what everybody may see."), "text")
    if len(rows) < MOST_ROWS:
        for line in sides.team_lines(model, view):
            for part in wrap(line, TRACK_COLUMNS - 2):
                canvas.put(tracks_x + 1, after, part, "muted")
                after += 1
    _log(canvas, grid, after + 1, model, look)
    if canvas.width - RACK_COLUMNS < NARROW_LOG_COLUMNS:
        # Beside the rack there is no room for the log, but for what the marks mean.
        for number, (mark, meaning, on_white) in enumerate(sides.marks_legend(look)):
            fg, bg = ("on-strong", "strong") if on_white else ("text", None)
            canvas.put(RACK_COLUMNS + 3, rack_y + 2 + number, mark, fg, bg, True)
            canvas.put(RACK_COLUMNS + 7, rack_y + 2 + number, cut(meaning, 13), "muted")


def _turn_and_facts(
    canvas: Canvas, grid: LargeGrid, model: Model, view: PlayerView, look: Look
) -> None:
    room = min(20, grid.left_edge(2, canvas.width) - 2)
    text, mine = sides.turn_text(model, view, room - 2)
    if mine and not look.ascii:
        canvas.put(1, 2, f" {text} ", "on-strong", "strong", True)
    else:
        canvas.put(1, 2, ("* " if mine else "") + text, "strong", bold=True)
    long, short = sides.facts(model, view, long=True), sides.facts(model, view, long=False)
    for number, (label, value) in enumerate(long):
        y = 7 - len(long) + number
        column = 1 + max(7, 1 + width_of(label))
        if column + width_of(value) >= grid.left_edge(y, canvas.width):
            value = short[number][1]
        canvas.put(1, y, label, "muted")
        canvas.put(column, y, value, "text", bold=True)


def _preview(canvas: Canvas, grid: LargeGrid, ghost: Ghost | None, look: Look) -> None:
    """In the lower left triangle: with air between the lines where they fit so, else close."""
    lines = sides.preview(ghost, look)
    bottom = canvas.height - RACK_ROWS
    spaced = [bottom - 8 + offset for offset in (0, 1, 3, 5)]
    rows = next(
        (
            rows
            for rows in (spaced, [bottom - 5 + n for n in range(4)])
            if all(
                1 + spans_width(line) < grid.left_edge(row, canvas.width)
                for row, line in zip(rows, lines, strict=False)
            )
        ),
        [bottom - 3 + n for n in range(4)],
    )
    for row, line in zip(rows, lines, strict=False):
        put_spans(canvas, 1, row, line, grid.left_edge(row, canvas.width))


def _heading(model: Model, has_rack: bool) -> str:
    """Whose rack lies there."""
    if model.screen is Screen.REPLAY and model.reel is not None:
        return whose_rack(model.reel).upper()
    return _("YOUR RACK") if model.seat is not None or has_rack else _("WATCHING")


def _rack_title(model: Model, view: PlayerView, ghost: Ghost | None, look: Look) -> list[Span]:
    """Above the rack: what to do at the end of a turn, why a spot is illegal, or the keys."""
    if model.notice or (ghost is not None and ghost.refusal is not None):
        return sides.status_line(model, view, ghost, look)
    choice = sides.choice_line(model, view)
    if choice:
        return choice
    if model.seat is None:
        return sides.last_move(model, look)
    if ghost is not None and view.viewer not in view.started:
        return [Span(_("Your first tile must touch a start symbol that is not taken."))]
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
    if model.screen is Screen.REPLAY:
        # Nobody is there to be written to.
        draw_stream(canvas, x + 1, y + 1, width - 2, height - 1, model, look)
        return
    keys = _("c write, l whole log")
    if end + 2 + len(keys) < x + width:
        canvas.put_right(x + width - 1, y, keys, "muted")
    inner = width - 2
    if model.lesson is not None and model.entry is None:
        draw_lesson(canvas, x, y, width, height, model)
        return
    draw_stream(canvas, x + 1, y + 1, inner, height - 2, model, look)
    last = y + height - 1
    if model.entry is not None:
        draw_entry(canvas, x + 1, last, inner, model.entry, look)
    else:
        end = canvas.put(x + 1, last, ">", "strong", bold=True)
        canvas.put(end + 1, last, cut(_("c to write to the table"), inner - 2), "muted")
