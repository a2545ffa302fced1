"""Pages of text over a screen, to be scrolled: help, the whole log, the rules, a review."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from genial.client.commands import HELP
from genial.client.keys import bindings_for
from genial.client.model import Model, Overlay, Screen
from genial.client.palette import Look
from genial.client.text import _
from genial.client.view.canvas import Canvas, width_of, wrap
from genial.client.view.log import log_lines
from genial.client.view.rules import rules_lines
from genial.client.view.spans import Span, put_spans

_FRAME_ROWS: Final = 4
"""Title bar, heading, the row below it, and the keys."""

Page = tuple[str, list[list[Span]]]


def page_of(model: Model, width: int, look: Look) -> Page | None:
    """Heading and lines of the page that is open in a window of that width; None: none is."""
    columns = width - 8
    match model.overlay:
        case Overlay.HELP:
            return _("KEYS THAT WORK NOW"), help_lines(model, columns)
        case Overlay.LOG:
            return _("LOG AND CHAT"), log_lines(model, columns, look)
        case Overlay.REVIEW:
            return _("REVIEW"), _wrapped(model.review, columns)
        case Overlay.RULES:
            return _("THE RULES"), rules_lines(columns)
        case _:
            return None


def last_scroll(model: Model) -> int:
    """The first line that is shown when a page is scrolled to its end."""
    # How a line looks does not change how many there are.
    page = page_of(model, model.width, Look())
    return 0 if page is None else max(0, len(page[1]) - (model.height - _FRAME_ROWS))


def draw_page(canvas: Canvas, model: Model, look: Look) -> None:
    """The page that lies over the screen, if one does, from its scrolled line on."""
    shown = page_of(model, canvas.width, look)
    if shown is None:
        return
    title, lines = shown
    canvas.fill(0, 1, canvas.width, canvas.height - 2, "panel")
    canvas.put(4, 1, title, "muted", bold=True)
    room = canvas.height - _FRAME_ROWS
    start = max(0, min(model.scroll, len(lines) - room))
    for number, line in enumerate(lines[start : start + room]):
        put_spans(canvas, 4, 3 + number, line, canvas.width - 4)
    if len(lines) > room:
        where = f"{start + 1}-{min(len(lines), start + room)} / {len(lines)}"
        canvas.put_right(canvas.width - 4, 1, where, "muted")


def help_lines(model: Model, width: int) -> list[list[Span]]:
    """The keys of the screen below, with what they do; then what can only be typed.

    Explanations that need more than `width` columns go on below themselves.
    """
    lines: list[list[Span]] = []
    for binding in bindings_for(replace(model, overlay=None)):
        if binding.shown and binding.help:
            lines += _explained(_(binding.shown), _(binding.help), 10, width)
    typed = [(f":{words}", said) for words, said, screens in HELP if model.screen in screens]
    if typed and (model.seat is not None or model.screen is Screen.REPLAY):
        lines += [[], [Span(_("COMMANDS, TYPED AFTER :"), "muted", bold=True)]]
        for words, said in typed:
            lines += _explained(words, _(said), 12, width)
    return lines


def _explained(shown: str, said: str, indent: int, width: int) -> list[list[Span]]:
    """A key or command in its column, and what it does beside it."""
    column = max(indent, width_of(shown) + 1)
    first, *more = wrap(said, width - column)
    head = Span(shown + " " * (column - width_of(shown)), "strong", bold=True)
    return [[head, Span(first, "text")], *([Span(" " * column + line, "text")] for line in more)]


def _wrapped(lines: Sequence[str], width: int) -> list[list[Span]]:
    """Lines of text, broken where they are too long; what is indented stays so."""
    shown: list[list[Span]] = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        for number, part in enumerate(wrap(line, width - indent - 2)):
            lead = " " * (indent if number == 0 else indent + 2)
            shown.append([Span(lead + part, "muted" if indent else "text", bold=not indent)])
    return shown
