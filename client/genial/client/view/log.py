"""What has happened: one line a play, in a stream with the chat."""

from __future__ import annotations

from genial.client.model import Logged, Model, Play, Remark
from genial.client.palette import Look
from genial.client.text import _, ngettext
from genial.client.view.canvas import Canvas, cut, fit, wrap
from genial.client.view.spans import Span, compose, points_spans, put_spans, spans_width, tile_chip
from genial.client.view.words import chat_name
from genial.engine.board import cell_name
from genial.engine.moves import Ended, Placed, Resigned, TakenOver
from genial.engine.rules import EndReason, SeatKind
from genial.engine.view import SeenDealt, SeenExchanged, SeenRefilled, SeenSkipped

NAME_COLUMNS = 6


def cells_text(placed: Placed) -> str:
    """Both cells' names, the first symbol's first."""
    return f"{cell_name(placed.cells[0])} {cell_name(placed.cells[1])}"


def call_text(calls: int) -> str:
    """What the program calls out for stops reached."""
    return " ".join([_("Genial!")] * calls)


def end_sentence(reason: EndReason, tiles: int) -> str:
    """Why a game is over; `tiles` are those on the board."""
    match reason:
        case EndReason.BOARD_FULL:
            return ngettext(
                "The board is full after {count} tile.",
                "The board is full after {count} tiles.",
                tiles,
            ).format(count=tiles)
        case EndReason.ALL_AT_CAP:
            return _("All six counters are full.")
        case EndReason.RESIGNED:
            return _("Nobody else is left in the game.")
        case EndReason.AGREED:
            return _("Everybody agreed to end the game.")
        case EndReason.ABANDONED:
            return _("Everybody has left the game.")


def play_sentence(play: Play, look: Look) -> list[Span]:
    """A play as a sentence with its name in bold, for the line above the keys."""
    name = Span(play.name, "text", bold=True)
    match play.event:
        case Placed() as placed:
            spans = compose(
                _("{name} placed {tile} at {cells} for {points}"),
                {
                    "name": name,
                    "tile": str(placed.tile),
                    "cells": cells_text(placed),
                    "points": points_spans(placed.points, look),
                },
            )
            if play.calls:
                spans.append(Span("  " + call_text(play.calls), "strong", bold=True))
            return spans
        case SeenRefilled() as refilled:
            count = drawn_count(refilled)
            template = ngettext("{name} drew {count} tile", "{name} drew {count} tiles", count)
            return compose(template, {"name": name, "count": str(count)})
        case SeenExchanged() as exchanged:
            tiles = _shown_tiles(exchanged, look)
            return compose(
                _("{name} showed {tiles} and drew a new rack"), {"name": name, "tiles": tiles}
            )
        case Resigned():
            return compose(_("{name} has resigned"), {"name": name})
        case TakenOver(name=new, kind=kind):
            template = (
                _("A bot plays on for {name}")
                if kind is SeatKind.BOT
                else _("{name} is back and plays on")
            )
            person = name if kind is SeatKind.BOT else Span(new, "text", bold=True)
            return compose(template, {"name": person})
        case SeenSkipped():
            return compose(_("{name} is away; the turn was skipped"), {"name": name})
        case SeenDealt():
            return compose(_("{name} got a rack"), {"name": name})
        case Ended(reason=EndReason.BOARD_FULL):
            return [Span(_("The board is full."), "text")]
        case Ended(reason=reason):
            return [Span(end_sentence(reason, 0), "text")]


def _shown_tiles(exchanged: SeenExchanged, look: Look) -> list[Span]:
    """The tiles that were given back, side by side."""
    shown: list[Span] = []
    for tile in exchanged.returned:
        if shown:
            shown.append(Span(" "))
        shown.extend(tile_chip(tile, look))
    return shown


def drawn_count(event: SeenRefilled | SeenDealt | SeenExchanged | SeenSkipped) -> int:
    """How many tiles were drawn, whether or not we may see them."""
    return len(event.draw) if isinstance(event.draw, tuple) else event.draw.count


def is_told(entry: Logged) -> bool:
    """Whether an entry is worth a line: everybody refills, and nobody needs to hear it."""
    return not (isinstance(entry, Play) and isinstance(entry.event, SeenRefilled | SeenDealt))


def log_line(entry: Logged, look: Look) -> list[Span]:
    """An entry in columns: name, tile and cells or what was said, points."""
    if isinstance(entry, Remark):
        return [Span(entry.text, "muted")]
    if not isinstance(entry, Play):
        name = fit(cut(chat_name(entry), NAME_COLUMNS - 1), NAME_COLUMNS)
        return [Span(name, "text", bold=True), Span(entry.text, "text")]
    name = fit(cut(entry.name, NAME_COLUMNS - 1), NAME_COLUMNS)
    if isinstance(entry.event, SeenExchanged):
        tiles = _shown_tiles(entry.event, look)
        return compose(
            _("{name} exchanged {tiles}"),
            {"name": Span(entry.name, "text", bold=True), "tiles": tiles},
        )
    if not isinstance(entry.event, Placed):
        return play_sentence(entry, look)
    placed = entry.event
    spans = [Span(name, "text", bold=True), *tile_chip(placed.tile, look)]
    spans.append(Span(f" {cells_text(placed)}".ljust(10), "muted"))
    spans.extend(points_spans(placed.points, look, wide=False))
    if entry.calls:
        spans.append(Span("  " + call_text(entry.calls), "strong", bold=True))
    return spans


def log_lines(model: Model, width: int, look: Look) -> list[list[Span]]:
    """The whole stream as lines of at most `width` columns; chat is wrapped."""
    lines: list[list[Span]] = []
    for entry in model.log:
        if not is_told(entry):
            continue
        if isinstance(entry, Play):
            line = log_line(entry, look)
            if entry.calls and spans_width(line) > width:
                # The call itself has been on the screen; here its mark will do.
                line[-1] = Span("  " + "!" * entry.calls, "strong", bold=True)
            lines.append(line)
            continue
        if isinstance(entry, Remark):
            lines.extend([Span(part)] for part in wrap(entry.text, max(8, width)))
            continue
        name = fit(cut(chat_name(entry), NAME_COLUMNS - 1), NAME_COLUMNS)
        for number, part in enumerate(wrap(entry.text, max(8, width - NAME_COLUMNS))):
            lead = name if number == 0 else " " * NAME_COLUMNS
            lines.append([Span(lead, "text", bold=True), Span(part, "text")])
    return lines


def draw_stream(
    canvas: Canvas, x: int, y: int, width: int, height: int, model: Model, look: Look
) -> None:
    """The newest lines of the stream in a box, the newest at the bottom."""
    lines = log_lines(model, width, look)[-height:] if height > 0 else []
    for number, line in enumerate(lines):
        put_spans(canvas, x, y + number, line, x + width)
