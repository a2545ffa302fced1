"""All players' tracks, weakest first: read down a column to compare as ranking does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from genial.client.palette import Look, fill_role, ink_role
from genial.client.text import _
from genial.client.view.canvas import Canvas, cut
from genial.engine.rules import STOP, Track, lowest_symbols, weakest_first
from genial.engine.tiles import SYMBOLS, Symbol

NAME_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class TrackRow:
    """One track with whose it is.

    Attributes:
        name: The player, or both partners.
        track: Six counters.
        own: Whether it is the viewer's.
        to_move: Whether the turn is with one of its seats.
        gone: Whether it has resigned.
        note: A word behind the name where there is room: bot, away, resigned, a clock.
    """

    name: str
    track: Track
    own: bool = False
    to_move: bool = False
    gone: bool = False
    note: str = ""


def entries(track: Track, by_weakness: bool) -> tuple[tuple[Symbol, int], ...]:
    """Symbols with points in the order to be shown: weakest first or R G B O Y P."""
    return weakest_first(track) if by_weakness else tuple(zip(SYMBOLS, track, strict=True))


def draw_small_tracks(
    canvas: Canvas,
    x: int,
    y: int,
    rows: Sequence[TrackRow],
    cap: int,
    by_weakness: bool,
    look: Look,
) -> None:
    """The header and a row a track, from (x, y), 50 columns; a full entry is filled."""
    header = (
        _("weakest {arrow} strongest, {cap} is full") if by_weakness else _("{cap} is full")
    ).format(arrow=">" if look.ascii else "▸", cap=cap)
    title = _("TRACKS")
    if look.ascii:
        end = canvas.put(x + 1, y, "-- ", "muted")
        end = canvas.put(end, y, title, "muted")
        end = canvas.put(end + 2, y, header, "muted")
        canvas.put(end, y, " --", "muted")
    else:
        end = canvas.put(x + 1, y, title, "muted", bold=True)
        canvas.put(end + 2, y, cut(header, 48 - len(title)), "muted")
    for number, row in enumerate(rows):
        _draw_small_row(canvas, x, y + 1 + number, row, cap, by_weakness, look)


def _draw_small_row(
    canvas: Canvas, x: int, y: int, row: TrackRow, cap: int, by_weakness: bool, look: Look
) -> None:
    if row.own:
        canvas.fill(0, y, x + 50, 1, "sel")
    if row.to_move:
        canvas.put(x + 1, y, ">" if look.ascii else "▸", "strong", bold=not look.ascii)
    name_role = "faint" if row.gone and not row.own else "text"
    canvas.put(x + 3, y, cut(row.name, NAME_COLUMNS), name_role, bold=row.own)
    lowest = lowest_symbols(row.track)
    for column, (symbol, points) in enumerate(entries(row.track, by_weakness)):
        left = x + 9 + 7 * column
        full = points >= cap
        weak = row.own and symbol in lowest and not full
        if look.ascii:
            mark = "*" if full else "!" if weak else ""
            canvas.put(left, y, f"{symbol.letter} {points:2}{mark}", "text", bold=full or weak)
            continue
        canvas.put(left, y, f" {symbol.letter} ", ink_role(symbol), fill_role(symbol), True)
        if full:
            canvas.put(left + 3, y, f"{points:3}", ink_role(symbol), fill_role(symbol), True)
        elif weak:
            canvas.put(left + 3, y, f"{points:3}", "on-strong", "strong", True)
        else:
            canvas.put(left + 3, y, f"{points:3}", "text")


BAR_COLUMNS = 18
"""One column is one point (two on a double track)."""


def draw_large_tracks(
    canvas: Canvas,
    x: int,
    y: int,
    rows: Sequence[TrackRow],
    cap: int,
    by_weakness: bool,
    look: Look,
) -> int:
    """Tracks as bars, 28 columns by 7 rows each, from (x, y); returns the row after them."""
    for row in rows:
        canvas.fill(x, y, 28, 1, "sel" if row.own else "panel")
        if row.to_move:
            canvas.put(x + 1, y, ">" if look.ascii else "▸", "strong", bold=True)
        room = 20 if not row.note else 12
        end = canvas.put(x + 3, y, cut(row.name, room), "faint" if row.gone else "text", bold=True)
        if row.note:
            canvas.put(end + 1, y, cut(row.note, x + 24 - end - 1), "text" if row.own else "muted")
        canvas.put_right(x + 27, y, str(cap), "text" if row.own else "muted")
        for number, (symbol, points) in enumerate(entries(row.track, by_weakness)):
            _draw_bar(canvas, x, y + 1 + number, row, symbol, points, cap, look)
        y += 7
    return y


def _draw_bar(
    canvas: Canvas,
    x: int,
    y: int,
    row: TrackRow,
    symbol: Symbol,
    points: int,
    cap: int,
    look: Look,
) -> None:
    canvas.fill(x, y, 28, 1, "panel")
    fill, ink = fill_role(symbol), ink_role(symbol)
    full = points >= cap
    weak = row.own and symbol in lowest_symbols(row.track) and not full
    canvas.put(x + 1, y, f" {symbol.letter} ", ink, fill, True)
    if weak:
        mark = "!" if look.ascii else " "
        canvas.put(x + 4, y, f"{points:3}{mark}", "on-strong", "strong", True)
    else:
        canvas.put(x + 4, y, f"{points:3}", "text")
    bar = x + 9
    columns = -(-points * BAR_COLUMNS // cap)
    if look.fills:
        canvas.fill(bar, y, BAR_COLUMNS, 1, "trough")
        canvas.fill(bar, y, columns, 1, fill)
    else:
        canvas.put(bar, y, "#" * columns, "text")
    # Dashes behind every third of the track; on a double one, where it stops for the first time.
    for tick in (6, 12, 18) if cap == STOP else (9, 18):
        if tick > columns:
            canvas.put(
                bar + tick - 1,
                y,
                ":" if look.ascii else "╎",
                "text" if tick == BAR_COLUMNS else "dot",
            )
    if full:
        label = _("full: {cap}").format(cap=cap)
        if look.fills:
            canvas.put(bar, y, cut(label, BAR_COLUMNS), ink, bold=True)
        else:
            canvas.put(bar, y, cut(label, BAR_COLUMNS) + " ", "text", bold=True)
