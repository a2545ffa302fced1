"""Size S: everything beside and below the board in 80 columns by 24 rows and more."""

from __future__ import annotations

from genial.client.model import Ghost, Model
from genial.client.palette import Look
from genial.client.text import _
from genial.client.view import sides
from genial.client.view.canvas import Canvas, cut, width_of, wrap
from genial.client.view.geometry import SmallGrid, board_grid
from genial.client.view.lesson import draw_lesson
from genial.client.view.log import draw_stream
from genial.client.view.rack import draw_small_rack
from genial.client.view.spans import put_spans, spans_width
from genial.client.view.tracks import draw_small_tracks
from genial.client.view.typing import draw_entry
from genial.engine.tiles import Tile
from genial.engine.view import PlayerView

RACK_X = 52
RACK_Y = 16
MARKS_X = 66
SINCE_ROWS = 4
GAMES_EXPLAINED = 3
"""After so many games the marks need no explaining, and the others' clocks take their place."""


def draw_small_parts(
    canvas: Canvas, ox: int, model: Model, view: PlayerView, ghost: Ghost | None, look: Look
) -> None:
    """All but title, board and keys; `ox` is the first of the 80 columns in use."""
    _turn_and_facts(canvas, ox, model, view, look)
    _preview(canvas, ox, ghost, look)
    _since(canvas, ox, model, view, look)
    _marks(canvas, ox, model, view, look)
    canvas.fill(0, RACK_Y, canvas.width, 5, "panel")
    rows = sides.track_rows(model, view)
    draw_small_tracks(canvas, ox, RACK_Y, rows, view.rules.cap, model.settings.weakest_first, look)
    spare = sides.team_lines(model, view)[: 4 - len(rows)]
    for number, line in enumerate(spare):
        canvas.put(ox + 3, 21 - len(spare) + number, cut(line, 47), "muted")
    shown, chosen = rack_as_shown(model)
    if model.seat is None and not shown:
        canvas.put(ox + RACK_X, RACK_Y, _("WATCHING"), "muted", bold=True)
        for number, line in enumerate(wrap(_("You see what everybody may see."), 26)):
            canvas.put(ox + RACK_X, RACK_Y + 1 + number, line, "text")
    else:
        draw_small_rack(canvas, ox + RACK_X, RACK_Y, shown, chosen, look, keys=model.may_choose)
    _bottom(canvas, ox, model, view, ghost, look)


def rack_as_shown(model: Model) -> tuple[list[Tile | None], int | None]:
    """Tiles by slot, the chosen one the way it lies in reading order; and the chosen slot."""
    hand = model.hand
    shown = list(hand.slots)
    if hand.chosen is not None and hand.tile is not None and hand.direction >= 3:
        shown[hand.chosen] = hand.tile.flipped
    return shown, hand.chosen if model.may_choose else None


def _turn_and_facts(canvas: Canvas, ox: int, model: Model, view: PlayerView, look: Look) -> None:
    # Row A of the largest board begins at column 22 with its name.
    text, mine = sides.turn_text(model, view, 18)
    if look.ascii:
        canvas.put(ox + 1, 1, ("* " if mine else "") + text, "text", bold=mine)
    elif mine:
        canvas.put(ox + 1, 1, f" {text} ", "on-strong", "strong", True)
    else:
        canvas.put(ox + 1, 1, text, "strong", bold=True)
    facts = sides.facts(model, view, long=False)
    column = ox + 2 + max(width_of(label) for label, _value in facts)
    for number, (label, value) in enumerate(facts):
        canvas.put(ox + 1, 2 + number, label, "muted")
        canvas.put(max(column, ox + 7), 2 + number, value, "text", bold=not look.ascii)


def _preview(canvas: Canvas, ox: int, ghost: Ghost | None, look: Look) -> None:
    for number, line in enumerate(sides.preview(ghost, look)):
        put_spans(canvas, ox + 1, 11 + number, line, ox + 18)


def _since(canvas: Canvas, ox: int, model: Model, view: PlayerView, look: Look) -> None:
    rows = sides.since_rows(model, look)[-SINCE_ROWS:]
    if not rows:
        return
    right = ox + 79
    title = _("since your turn") if view.viewer is not None else _("lately")
    canvas.put_right(right, 1, title, "muted")
    grid = board_grid(view.rules.zone.radius, canvas.width, canvas.height)
    for number, (name, tile, points) in enumerate(rows):
        y = 2 + number
        canvas.put_right(right, y, points, "text", bold=not look.ascii)
        put_spans(canvas, right - 6, y, tile, right)
        room = right - 7 - (grid.right_edge(y) + 1 if isinstance(grid, SmallGrid) else 0)
        canvas.put_right(right - 7, y, cut(name, max(1, min(9, room))), "text")


def _marks(canvas: Canvas, ox: int, model: Model, view: PlayerView, look: Look) -> None:
    clocks = sides.other_clocks(model, view)
    if clocks and model.settings.games >= GAMES_EXPLAINED:
        canvas.put_right(ox + 79, 16 - len(clocks) - 1, _("clocks"), "muted")
        for number, (name, clock) in enumerate(clocks):
            y = 16 - len(clocks) + number
            canvas.put_right(ox + 72, y, cut(name, 6), "text")
            canvas.put_right(ox + 79, y, clock, "text", bold=not look.ascii)
        return
    legend = sides.marks_legend(look)
    for number, (mark, meaning, on_white) in enumerate(legend):
        y = 16 - len(legend) + number
        x = ox + MARKS_X
        if look.ascii:
            canvas.put(x + 1, y, mark, "text")
            canvas.put(x + 5, y, meaning, "text")
            continue
        fg, bg = ("on-strong", "strong") if on_white else ("text", None)
        canvas.put(x, y, mark, fg, bg, True)
        canvas.put(x + 4, y, cut(meaning, 10), "muted")


def _bottom(
    canvas: Canvas, ox: int, model: Model, view: PlayerView, ghost: Ghost | None, look: Look
) -> None:
    """Last move, chat, choices; what is left of a taller window shows the stream."""
    last = canvas.height - 2
    if model.lesson is not None and not model.notice and model.entry is None:
        draw_lesson(canvas, 0, last - 1, canvas.width, 2, model)
        return
    extra = last - 22
    if extra > 0:
        draw_stream(canvas, ox + 1, 21, 78, extra, model, look)
    y = last - 1
    move = _("move {number}").format(number=sides.moves_made(model, view))
    right = ox + 79
    limit = right
    status = sides.status_line(model, view, ghost, look)
    # Why a spot is illegal must be read to its end; the count of moves gives way.
    if not model.notice and ox + 1 + spans_width(status) <= right - width_of(move) - 2:
        limit = canvas.put_right(right, y, move, "muted") - 2
    choice = sides.choice_line(model, view)
    if len(status) == 1 and spans_width(status) > 78 and model.entry is None and not choice:
        # A sentence that is longer than the row takes the chat's as well.
        for number, text in enumerate(wrap(status[0].text, 78)[:2]):
            put_spans(canvas, ox + 1, y + number, [status[0]._replace(text=text)], right)
        return
    put_spans(canvas, ox + 1, y, status, limit)
    if model.entry is not None:
        draw_entry(canvas, ox + 1, last, 78, model.entry, look)
        return
    if choice:
        put_spans(canvas, ox + 1, last, choice, right)
        return
    limit = canvas.put_right(right, last, sides.unread_text(model), "muted") - 2
    line = sides.chat_line(model, remarks=status != sides.last_move(model, look))
    put_spans(canvas, ox + 1, last, line, limit)
