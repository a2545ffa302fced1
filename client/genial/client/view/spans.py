"""Sentences with styled parts: a translated template, filled with spans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import Formatter
from typing import NamedTuple

from genial.client.palette import Look, fill_role, ink_role
from genial.client.view.canvas import Canvas, clean, cut, width_of
from genial.engine.rules import Track
from genial.engine.tiles import SYMBOLS, Symbol, Tile


class Span(NamedTuple):
    """A piece of text in one style; None keeps the background."""

    text: str
    fg: str = "muted"
    bg: str | None = None
    bold: bool = False


Spans = Sequence[Span]


def compose(template: str, parts: dict[str, Span | Spans | str], fg: str = "muted") -> list[Span]:
    """`template` with its `{placeholders}` replaced by spans; words between are in `fg`.

    A placeholder that `parts` lacks stays as it is, so that a broken translation shows
    instead of failing.
    """
    spans: list[Span] = []
    for literal, name, _format, _conversion in Formatter().parse(template):
        if literal:
            spans.append(Span(literal, fg))
        if name is None:
            continue
        part = parts.get(name, f"{{{name}}}")
        if isinstance(part, str):
            spans.append(Span(part, fg))
        elif isinstance(part, Span):
            spans.append(part)
        else:
            spans.extend(part)
    return spans


def put_spans(canvas: Canvas, x: int, y: int, spans: Iterable[Span], right: int) -> int:
    """Write spans from (x, y), cut off at column `right`; returns the column after them."""
    for span in spans:
        if x >= right:
            break
        x = canvas.put(x, y, cut(span.text, right - x), span.fg, span.bg, span.bold)
    return x


def spans_width(spans: Iterable[Span]) -> int:
    """Columns that the spans take."""
    return sum(width_of(clean(span.text)) for span in spans)


def chip(symbol: Symbol, look: Look, wide: bool = True) -> Span:
    """A symbol's letter on its colour, three columns or one."""
    text = f" {symbol.letter} " if wide and not look.ascii else symbol.letter
    return Span(text, ink_role(symbol), fill_role(symbol), True)


def tile_chip(tile: Tile, look: Look) -> list[Span]:
    """A tile as two letters, each on its colour."""
    return [chip(symbol, look, wide=False) for symbol in tile]


def points_spans(points: Track, look: Look, wide: bool = True) -> list[Span]:
    """`+1 G +6 P`: what counted, symbol by symbol; `+0` when nothing did."""
    spans: list[Span] = []
    for symbol in SYMBOLS:
        if points[symbol - 1]:
            if spans:
                spans.append(Span(" "))
            spans.append(Span(f"+{points[symbol - 1]}", "text", bold=True))
            spans.append(Span(" "))
            spans.append(chip(symbol, look, wide))
    return spans or [Span("+0", "text", bold=True)]
