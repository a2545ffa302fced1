"""The six symbols: shape, colour and letter (docs/rules.md, section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from genial.client.palette import ROLES, Theme, fill_role, ink_role
from genial.client.picture.svg import Node, moved, regular
from genial.engine.tiles import SYMBOLS, Symbol

# Outer and inner radius of each star, as shares of a cell's radius.
_STARS: Final = {
    Symbol.R: (12, 0.74, 0.56),
    Symbol.B: (6, 0.80, 0.45),
    Symbol.Y: (24, 0.72, 0.59),
}
_DISC: Final = 0.64
_HEXAGON: Final = 0.72
_RING: Final = (0.70, 0.44)
_LIGHT_CELLS: Final = ("#cfc7b5", "#ddd7c9", "#e9e4d9")
"""Further apart than on a screen, where the zones' dots help."""
_LETTER: Final = 0.62
"""Size of the letter, as a share of a cell's radius."""


@dataclass(frozen=True, slots=True)
class Paint:
    """The colours of a picture, `#rrggbb` each.

    Attributes:
        fill: Of each symbol, by its number; 0 is unused.
        ink: Of the letter on it.
        rim: A thin line around every shape, None where the colours stand out by themselves.
        cells: Of a free cell of rings 0..5, 6 and 7.
        lit: Of a free cell that is lit up.
        tile: The body of a tile, and the ground of a printed symbol.
        tile_edge: A thin line around it.
        last: The edges of the tile placed last, from the outside in.
        panel: The ground of a chart; the colours that begin with it stand on it.
    """

    fill: tuple[str, ...]
    ink: tuple[str, ...]
    rim: str | None
    ground: str
    cells: tuple[str, str, str]
    lit: str
    tile: str
    tile_edge: str
    last: tuple[str, str]
    text: str
    muted: str
    name: str
    strong: str
    panel: str
    panel_text: str
    panel_muted: str
    panel_strong: str
    panel_grid: str


def paint(theme: Theme) -> Paint:
    """The colours of a theme: dark, light (dark tiles on a light board), or colour-blind safe."""
    greys = ROLES[theme]
    light = theme is Theme.LIGHT
    # Yellow and the hollow ring need a dark ground: tiles and charts keep it in every theme.
    dark = ROLES[Theme.DARK] if light else greys
    tile = "#20262f" if light else "#12161e"
    return Paint(
        fill=("", *(dark[fill_role(symbol)].exact for symbol in SYMBOLS)),
        ink=("", *(dark[ink_role(symbol)].exact for symbol in SYMBOLS)),
        rim="#e8ecf2" if theme is Theme.COLOUR_BLIND else None,
        ground=greys["bg"].exact,
        cells=_LIGHT_CELLS
        if light
        else (greys["cell5"].exact, greys["cell6"].exact, greys["cell7"].exact),
        lit="#ffffff" if light else greys["sel"].exact,
        tile=tile,
        tile_edge=greys["bg"].exact if light else "#566379",
        last=(greys["strong"].exact, "#ffffff" if light else greys["strong"].exact),
        text=greys["text"].exact,
        muted=greys["muted"].exact,
        name=greys["name"].exact,
        strong=greys["strong"].exact,
        panel=tile if light else dark["panel"].exact,
        panel_text=dark["text"].exact,
        panel_muted=dark["muted"].exact,
        panel_strong=dark["strong"].exact,
        panel_grid=dark["sel"].exact,
    )


def draw_symbol(
    parent: Node, symbol: Symbol, x: float, y: float, radius: float, paint: Paint
) -> None:
    """A symbol in the middle of a cell at (x, y), `radius` from the centre to a corner."""
    fill, rim = paint.fill[symbol], paint.rim
    look = {"fill": fill, "stroke": rim, "stroke_width": None if rim is None else radius * 0.05}
    if symbol in _STARS:
        tips, outer, inner = _STARS[symbol]
        far = regular(tips, outer * radius)
        near = regular(tips, inner * radius, -90 + 180 / tips)
        corners = [corner for pair in zip(far, near, strict=True) for corner in pair]
        parent.polygon(moved(corners, x, y), **look)
    elif symbol is Symbol.O:
        parent.polygon(moved(regular(6, _HEXAGON * radius, 0), x, y), **look)
    elif symbol is Symbol.G:
        parent.circle(x, y, _DISC * radius, **look)
    else:
        outer, inner = (share * radius for share in _RING)
        # Its own ground, so that no line shines through behind the letter.
        parent.circle(x, y, outer, fill=paint.tile)
        parent.circle(
            x, y, (outer + inner) / 2, fill="none", stroke=fill, stroke_width=outer - inner
        )
    # The ring is hollow: its letter stands in its own colour on the ground.
    ink = fill if symbol is Symbol.P else paint.ink[symbol]
    size = _LETTER * radius * (0.9 if symbol is Symbol.P else 1)
    parent.text(
        x, y + 0.36 * size, symbol.letter, size, fill=ink, font_weight="700", text_anchor="middle"
    )
