"""The end of a game: why, who ranks where and what decided it, and the race."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from genial.client.deal_sentences import verdict_sentences
from genial.client.model import Model
from genial.client.palette import Look, fill_role, ink_role
from genial.client.sentences import following_sentence, won_text
from genial.client.text import _
from genial.client.view.canvas import Canvas, cut, width_of, wrap
from genial.client.view.game import draw_table_title
from genial.client.view.lesson import draw_lesson
from genial.client.view.log import draw_stream, end_sentence
from genial.client.view.sides import chat_line, moves_made, unread_text
from genial.client.view.spans import put_spans
from genial.client.view.typing import draw_entry
from genial.engine.moves import Ended
from genial.engine.rules import weakest_first
from genial.engine.view import PlayerView

ENTRY_COLUMNS = 8

STREAM_ROWS: Final = 6
"""Rows below the last line that make room for log and chat."""

_LEGIBLE: Final = 8
"""Columns that have to be left for the name of a file behind its folder."""


def draw_end(canvas: Canvas, model: Model, look: Look) -> None:
    """All but the last row."""
    view = model.view
    if view is None or view.ended is None:
        return
    draw_table_title(canvas, model, look)
    ox, ended = (canvas.width - 80) // 2, view.ended
    title = winner_text(model, view, ended)
    if look.ascii:
        end = canvas.put(ox + 1, 2, f"* {title}", "text", bold=True)
    else:
        end = canvas.put(ox + 1, 2, f" {title} ", "on-strong", "strong", True)
    canvas.put(end + 2, 2, end_sentence(ended.reason, moves_made(model, view)), "text")
    canvas.put(ox + 1, 3, cut(decision_text(view, ended), 78), "text")
    _ranking(canvas, ox, model, view, ended, look)
    _race(canvas, ox, model, view, ended, look)
    _below(canvas, ox, model, view, look)


def winner_text(model: Model, view: PlayerView, ended: Ended) -> str:
    """Who has won, in capitals."""
    winners = [view.seats[seat].name.upper() for seat in ended.ranking[0]]
    if len(view.seats) == 1:
        return _("YOUR RESULT: {points}").format(points=min(ended.tracks[0]))
    if len(winners) == 1:
        return _("{name} WINS").format(name=winners[0])
    return _("{names} WIN").format(names=" + ".join(winners))


def deciding_column(ended: Ended) -> int | None:
    """The first column (0..5) in which the first two ranks' sorted tracks differ."""
    if len(ended.ranking) < 2:
        return None
    first = sorted(ended.tracks[ended.ranking[0][0]])
    second = sorted(ended.tracks[ended.ranking[1][0]])
    for column, (one, other) in enumerate(zip(first, second, strict=True)):
        if one != other:
            return column
    return None


def decision_text(view: PlayerView, ended: Ended) -> str:
    """A sentence that says by what the game was won."""
    column = deciding_column(ended)
    if column is None or len(view.seats) == 1:
        return _("All six counters are equal.") if len(ended.ranking) == 1 < len(view.seats) else ""
    winner, second = ended.ranking[0][0], ended.ranking[1][0]
    template = (
        _("{winner}'s weakest colour stands at {points}, {second}'s at {other}. That decided it.")
        if column == 0
        else _(
            "Equal up to there; then {winner} has {points} where {second} has {other}. "
            "That decided it."
        )
    )
    return template.format(
        winner=view.seats[winner].name,
        second=view.seats[second].name,
        points=sorted(ended.tracks[winner])[column],
        other=sorted(ended.tracks[second])[column],
    )


def _ranking(
    canvas: Canvas, ox: int, model: Model, view: PlayerView, ended: Ended, look: Look
) -> None:
    canvas.fill(0, 5, canvas.width, 6, "panel")
    canvas.put(ox + 1, 5, _("RANKING"), "muted", bold=True)
    header = _("weakest {arrow} strongest, compared from the left").format(
        arrow=">" if look.ascii else "▸"
    )
    canvas.put(ox + 16, 5, cut(header, 50), "muted")
    column = deciding_column(ended)
    y = 6
    rank = 1
    for group_number, group in enumerate(ended.ranking):
        for seat in group:
            _ranked(
                canvas,
                ox,
                y,
                model,
                view,
                ended,
                seat,
                rank,
                column if group_number < 2 else None,
                look,
            )
            y += 1
        rank += len(group)
    if column is not None:
        canvas.put(ox + 15 + ENTRY_COLUMNS * column, y, _("decided"), "strong", bold=True)
    table = model.table
    # Who plays alone wins against nobody.
    standings = list(table.standings) if table is not None and len(view.seats) > 1 else []
    if standings:
        canvas.put(ox + 68, 5, cut(_("GAMES WON"), 11), "muted", bold=True)
        for number, row in enumerate(standings[:4]):
            canvas.put(ox + 68, 6 + number, cut(row.name, 6), "text")
            canvas.put_right(ox + 76, 6 + number, won_text(row.won_twelfths), "text")


def _ranked(
    canvas: Canvas,
    ox: int,
    y: int,
    model: Model,
    view: PlayerView,
    ended: Ended,
    seat: int,
    rank: int,
    column: int | None,
    look: Look,
) -> None:
    own = seat == model.seat
    if own:
        canvas.fill(0, y, ox + 65, 1, "sel")
    canvas.put(ox + 2, y, str(rank), "strong" if rank == 1 else "muted", bold=True)
    name = view.seats[seat].name
    if own:
        name = _("{name} (you)").format(name=cut(name, 5))
    canvas.put(ox + 5, y, cut(name, 10), "text", bold=own)
    for number, (symbol, points) in enumerate(weakest_first(ended.tracks[seat])):
        x = ox + 16 + ENTRY_COLUMNS * number
        fill, ink = fill_role(symbol), ink_role(symbol)
        full = points >= view.rules.cap
        canvas.put(x, y, f" {symbol.letter} ", ink, fill, True)
        if number == column:
            canvas.put(x - 1, y, "[", "strong", bold=True)
            canvas.put(x + 3, y, f"{points:3}", "on-strong", "strong", True)
            canvas.put(x + 6, y, "]", "strong", bold=True)
        elif full:
            canvas.put(x + 3, y, f"{points:3}", ink, fill, True)
        else:
            canvas.put(x + 3, y, f"{points:3}", "text")


RACE_COLUMNS = 18
RACE_ROWS = 4


def _race(
    canvas: Canvas, ox: int, model: Model, view: PlayerView, ended: Ended, look: Look
) -> None:
    seats = [seat for group in ended.ranking for seat in group]
    races = [model.race.get(seat, ()) for seat in seats]
    if not any(races):
        return
    end = canvas.put(ox + 1, 12, _("THE RACE"), "muted", bold=True)
    said = _("each one's weakest colour, turn by turn, drawn to one scale")
    canvas.put(end + 2, 12, cut(said, ox + 79 - end - 2), "muted")
    start = min(
        (next((turn for turn, low in enumerate(race) if low), len(race)) for race in races if race),
        default=0,
    )
    top = max((max(race) for race in races if race), default=0)
    longest = max(len(race) for race in races)
    for number, (seat, race) in enumerate(zip(seats[:4], races, strict=False)):
        x = ox + 1 + 20 * number
        canvas.fill(x, 13, RACE_COLUMNS, 2 + RACE_ROWS, "panel")
        own = number == 0
        said = _("ends at {points}").format(points=min(ended.tracks[seat]))
        left = canvas.put_right(x + 17, 13, said, "muted")
        name = cut(view.seats[seat].name, min(6, left - x - 2))
        canvas.put(x + 1, 13, name, "text", bold=True)
        for row, line in enumerate(chart(race[start:], longest - start, top, look)):
            canvas.put(x + 1, 14 + row, line, "strong" if own else "muted")
        canvas.put(x + 1, 18, _("turn {number}").format(number=start + 1), "muted")
        canvas.put_right(x + 17, 18, str(len(race)), "muted")


def chart(race: Sequence[int], length: int, top: int, look: Look) -> list[str]:
    """Heights as four rows of 16 characters, `length` turns wide, `top` points high.

    Braille gives 32 by 16 dots; in ASCII there is one row of digits at the bottom.
    """
    if not race or not top:
        return []
    columns = 2 * (RACE_COLUMNS - 2)
    steps = [
        race[min(len(race) - 1, column * length // columns)]
        if column * length // columns < len(race)
        else 0
        for column in range(columns)
    ]
    if look.ascii:
        return ["", "", "", "".join(f"{min(9, value * 9 // top)}" for value in steps[::2])]
    dots_high = 4 * RACE_ROWS
    heights = [-(-value * dots_high // top) if value else 0 for value in steps]
    rows: list[str] = []
    for row in range(RACE_ROWS):
        below = 4 * (RACE_ROWS - 1 - row)
        line = ""
        for column in range(0, columns, 2):
            line += _braille(heights[column] - below, heights[column + 1] - below)
        rows.append(line)
    return rows


def _braille(left: int, right: int) -> str:
    """A character with so many dots (0..4) from the bottom in each column; blank without."""
    bits = 0
    for dots, (low_to_high) in (
        (left, (0x40, 0x04, 0x02, 0x01)),
        (right, (0x80, 0x20, 0x10, 0x08)),
    ):
        for bit in low_to_high[: max(0, min(4, dots))]:
            bits |= bit
    return chr(0x2800 + bits) if bits else " "


def _below(canvas: Canvas, ox: int, model: Model, view: PlayerView, look: Look) -> None:
    y = 20
    if model.lesson is not None:
        draw_lesson(canvas, 0, y, canvas.width, 3, model)
        return
    y = _verdict(canvas, ox, y, model)
    if model.notice:
        canvas.put(ox + 1, y, cut(model.notice, 78), "strong", bold=True)
    else:
        text = rematch_text(model)
        if text:
            canvas.put(ox + 1, y, _("Rematch"), "muted")
            canvas.put(ox + 15, y, cut(text, 64), "text")
    last = canvas.height - 2
    if last >= y + STREAM_ROWS:
        canvas.put(ox + 1, y + 2, _("LOG AND CHAT"), "muted", bold=True)
        draw_stream(canvas, ox + 1, y + 3, 78, last - y - 4, model, look)
    if model.entry is not None:
        draw_entry(canvas, ox + 1, last, 78, model.entry, look)
    elif last > y:
        limit = canvas.put_right(ox + 79, last, unread_text(model), "muted") - 2
        put_spans(canvas, ox + 1, last, chat_line(model, remarks=True), limit)


def _verdict(canvas: Canvas, ox: int, y: int, model: Model) -> int:
    """What came of checking the shuffle, and where the record is; returns the next row."""
    verdict = model.verdict
    if verdict is None:
        return y + 1
    if verdict.problems:
        lines = wrap(verdict_sentences(verdict)[0], 78)[:2]
        for number, line in enumerate(lines):
            canvas.put(ox + 1, y + number, line, "strong", bold=True)
        return y + len(lines)
    right = ox + 79
    if verdict.verified:
        right = canvas.put_right(ox + 79, y, _("shuffle verified by you"), "muted") - 2
    if verdict.record_path is not None:
        canvas.put(ox + 1, y, _("Record saved"), "muted")
        path = shorten_path(str(verdict.record_path), right - ox - 15)
        canvas.put(ox + 15, y, path, "text")
    return y + 1


def shorten_path(path: str, columns: int) -> str:
    """A path in at most so many columns: the home folder as `~`, then less of the file's name.

    Where the records are says more than the rest of a long name; a folder that does not fit
    leaves the end alone.
    """
    from pathlib import Path

    home = str(Path.home())
    if path.startswith(home + "/"):
        path = "~" + path[len(home) :]
    if width_of(path) <= columns:
        return path
    folder = path[: path.rfind("/") + 1]
    if width_of(folder) + _LEGIBLE <= columns:
        return cut(path, columns - 3) + "..."
    return "..." + path[3 - columns :]


def rematch_text(model: Model) -> str:
    """Who is ready for another game, who will begin, and who is waited for."""
    table = model.table
    if table is None or model.seat is None or model.lesson is not None:
        return ""
    if model.shelved:
        return _("The table is put away; Enter takes it out again.")
    ready = [seat.name for seat in table.seats if seat.ready]
    follows = following_sentence(table)
    waiting = [
        _("you") if seat.seat == model.seat else seat.name for seat in table.seats if not seat.ready
    ]
    parts: list[str] = []
    if follows:
        parts.append(follows)
    elif ready:
        parts.append(_("Ready: {names}.").format(names=", ".join(ready)))
    if table.HasField("next_first_seat") and table.next_first_seat < len(table.seats):
        parts.append(_("{name} will begin.").format(name=table.seats[table.next_first_seat].name))
    if waiting and not follows:
        parts.append(_("Waiting for {names}.").format(names=", ".join(waiting)))
    return " ".join(parts)
