"""A canvas as an SVG picture, for the documentation: what a terminal would show.

Quadrants and Braille are drawn as shapes, as most terminals draw them themselves.
"""

from __future__ import annotations

from html import escape
from typing import Final

from genial.client.palette import ROLES, Look
from genial.client.view.canvas import Canvas

_W: Final = 10
_H: Final = 20
_MARGIN: Final = 10
# Which quarters are filled: upper left, upper right, lower left, lower right.
_QUADRANTS: Final = {"▟": "0111", "▙": "1011", "▜": "1101", "▛": "1110"}
_SHAPES: Final = frozenset("✹⬤✶⬢✺⊚")
# Dots of a Braille character as bit, column, row.
_DOTS: Final = (
    (0x01, 0, 0),
    (0x02, 0, 1),
    (0x04, 0, 2),
    (0x08, 1, 0),
    (0x10, 1, 1),
    (0x20, 1, 2),
    (0x40, 0, 3),
    (0x80, 1, 3),
)


def svg(canvas: Canvas, look: Look, title: str) -> str:
    """An SVG document of the canvas in the theme's exact colours."""
    inks = {role: colour.exact for role, colour in ROLES[look.theme].items()}
    colours = inks
    if look.ascii:
        # The only theme in which a role is dark as a background and light as text.
        inks = dict.fromkeys(inks, ROLES[look.theme]["text"].exact)
    width = canvas.width * _W + 2 * _MARGIN
    height = canvas.height * _H + 2 * _MARGIN
    parts = [
        f'<svg shape-rendering="crispEdges" xmlns="http://www.w3.org/2000/svg" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}"><title>{escape(title)}</title>',
        '<style>text{font-family:"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:16.6px;'
        "white-space:pre}"
        '.s{font-family:"DejaVu Sans Mono","DejaVu Sans",sans-serif;font-size:15px;'
        "text-anchor:middle}</style>",
        f'<rect width="{width}" height="{height}" fill="{colours["bg"]}"/>',
    ]
    shapes: list[str] = []
    for y in range(canvas.height):
        parts.extend(_backgrounds(canvas, y, colours))
        parts.extend(_texts(canvas, y, inks, shapes))
    # Shapes are wider than a column; drawn last, nothing cuts them off.
    parts.extend(shapes)
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _backgrounds(canvas: Canvas, y: int, colours: dict[str, str]) -> list[str]:
    rects: list[str] = []
    top = _MARGIN + y * _H
    start = 0
    for x in range(1, canvas.width + 1):
        role = canvas.ink(start, y).bg
        if x < canvas.width and colours[canvas.ink(x, y).bg] == colours[role]:
            continue
        if colours[role] != colours["bg"]:
            rects.append(_rect(_MARGIN + start * _W, top, (x - start) * _W, _H, colours[role]))
        start = x
    return rects


def _rect(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}"/>'


def _texts(canvas: Canvas, y: int, colours: dict[str, str], shapes: list[str]) -> list[str]:
    parts: list[str] = []
    top = _MARGIN + y * _H
    run: list[tuple[int, str]] = []
    style: tuple[str, bool] | None = None

    def flush() -> None:
        if run and style is not None:
            places = " ".join(str(_MARGIN + x * _W) for x, _char in run)
            weight = ' font-weight="bold"' if style[1] else ""
            text = escape("".join(char for _x, char in run))
            parts.append(
                f'<text x="{places}" y="{top + 15.5:g}" fill="{style[0]}"{weight}>{text}</text>'
            )
        run.clear()

    for x in range(canvas.width):
        char, ink = canvas.char(x, y), canvas.ink(x, y)
        left, colour = _MARGIN + x * _W, colours[ink.fg]
        if ink.underline:
            parts.append(_rect(left, top + 17, _W, 2, colour))
        if char in ("", " "):
            flush()
        elif char in _QUADRANTS:
            flush()
            for number, filled in enumerate(_QUADRANTS[char]):
                if filled == "1":
                    parts.append(
                        _rect(left + 5 * (number % 2), top + 10 * (number // 2), 5, 10, colour)
                    )
        elif "\u2800" <= char <= "\u28ff":
            flush()
            parts.extend(
                f'<circle cx="{left + 2.5 + 5 * column:g}" cy="{top + 2.5 + 5 * row:g}" r="1.7" '
                f'fill="{colour}"/>'
                for bit, column, row in _DOTS
                if (ord(char) - 0x2800) & bit
            )
        elif char in _SHAPES:
            flush()
            shapes.append(
                f'<text class="s" x="{left + 5}" y="{top + 15}" fill="{colour}">{char}</text>'
            )
        else:
            if style != (colour, ink.bold):
                flush()
                style = (colour, ink.bold)
            run.append((x, char))
    flush()
    return parts
