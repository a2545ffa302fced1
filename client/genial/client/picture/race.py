"""The race of the tracks: a panel for each track, all to one scale.

A panel shows the six counters as steps in their symbols' colours, and the weakest one, which
is what ranks, as the area under them. A counter that reaches a stop ("Ingenious!") gets its
symbol there; each line ends at its symbol, so colour alone carries nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from genial.client.picture.shapes import Paint, draw_symbol
from genial.client.picture.svg import Node, Point
from genial.engine.rules import STOP, Track, weakest_first
from genial.engine.tiles import SYMBOLS

_HEAD: Final = 30.0
"""Height of the line with the name and the sorted counters."""
_CHIP: Final = 9.5
"""Radius of the symbols in a panel."""
_LEFT: Final = 26.0
_RIGHT: Final = 26.0
_FOOT: Final = 16.0


@dataclass(frozen=True, slots=True)
class RacePanel:
    """One track's part of the race.

    Attributes:
        rank: Such as `1`; empty while nobody ranks.
        name: Who scores on it.
        steps: The move's number and the track after it, from (0, all zero) on.
        cap: The end of the track in points.
        moves: The last move of the whole game, the right end of every panel.
    """

    rank: str
    name: str
    steps: Sequence[tuple[int, Track]]
    cap: int
    moves: int


def draw_panel(
    parent: Node, panel: RacePanel, x: float, y: float, width: float, height: float, paint: Paint
) -> None:
    """A panel with its top left corner at (x, y)."""
    parent.rect(x, y, width, height, rx=6, fill=paint.panel)
    _draw_head(parent, panel, x, y, width, paint)
    plot = _Plot(
        panel, x + _LEFT, y + _HEAD + 6, width - _LEFT - _RIGHT, height - _HEAD - _FOOT - 6
    )
    _draw_scale(parent, plot, paint)
    _draw_weakest(parent, plot, paint)
    _draw_counters(parent, plot, paint)


def _draw_head(
    parent: Node, panel: RacePanel, x: float, y: float, width: float, paint: Paint
) -> None:
    middle = y + 0.5 * _HEAD + 3
    left = x + 12
    if panel.rank:
        parent.text(left, middle + 5, panel.rank, 14, fill=paint.panel_muted, font_weight="700")
        left += 18
    parent.text(left, middle + 5, panel.name, 14, fill=paint.panel_text, font_weight="700")
    step = 41.0
    right = x + width - _RIGHT - 4 - 6 * step
    for place, (symbol, count) in enumerate(weakest_first(panel.steps[-1][1])):
        chip = right + place * step + _CHIP + 2
        draw_symbol(parent, symbol, chip, middle, _CHIP * 1.15, paint)
        parent.text(
            chip + 11,
            middle + 4.5,
            str(count),
            13,
            fill=paint.panel_strong if place == 0 else paint.panel_text,
            font_weight="700" if place == 0 else None,
        )


class _Plot:
    """Where moves and points lie in a panel."""

    def __init__(self, panel: RacePanel, x: float, y: float, width: float, height: float) -> None:
        self.panel = panel
        self.x, self.y, self.width, self.height = x, y, width, height

    def across(self, move: float) -> float:
        return self.x + self.width * move / max(1, self.panel.moves)

    def up(self, points: float) -> float:
        return self.y + self.height * (1 - points / self.panel.cap)

    def stairs(self, values: Sequence[tuple[int, int]], shift: float = 0.0) -> list[Point]:
        """Steps that rise at the moves, up to the last move of the game."""
        corners: list[Point] = []
        for move, value in values:
            if corners:
                corners.append((self.across(move), corners[-1][1]))
            corners.append((self.across(move), self.up(value) + shift))
        corners.append((self.across(self.panel.moves), corners[-1][1]))
        return corners


def _draw_scale(parent: Node, plot: _Plot, paint: Paint) -> None:
    cap = plot.panel.cap
    for value in range(0, cap + 1, 6):
        # On a double track 18 is a stop too: drawn as strong as the end.
        stop = value in (STOP, cap)
        height = plot.up(value)
        parent.line(
            (plot.x, height),
            (plot.x + plot.width, height),
            stroke=paint.panel_muted if stop else paint.panel_grid,
            stroke_width=1,
            stroke_dasharray="2 4" if stop else None,
        )
        if value % STOP == 0 or cap == STOP:
            parent.text(
                plot.x - 6, height + 3.5, str(value), 10, fill=paint.panel_muted, text_anchor="end"
            )


def _draw_weakest(parent: Node, plot: _Plot, paint: Paint) -> None:
    weakest = [(move, min(track)) for move, track in plot.panel.steps]
    corners = plot.stairs(weakest)
    base = plot.up(0)
    parent.polygon(
        [(plot.x, base), *corners, (corners[-1][0], base)],
        fill=paint.panel_text,
        fill_opacity="0.16",
    )


def _draw_counters(parent: Node, plot: _Plot, paint: Paint) -> None:
    steps = plot.panel.steps
    for symbol in SYMBOLS:
        # A hair apart, so that counters that stand alike all show.
        shift = (int(symbol) - 3.5) * 0.9
        corners = plot.stairs([(move, track[symbol - 1]) for move, track in steps], shift)
        if paint.rim is not None:
            parent.polyline(corners, stroke=paint.rim, stroke_width=2.8, stroke_opacity="0.5")
        parent.polyline(corners, stroke=paint.fill[symbol], stroke_width=1.8)
    _draw_stops(parent, plot, paint)
    ends = weakest_first(steps[-1][1])
    heights = _spread([plot.up(value) for _symbol, value in ends], 1.36 * _CHIP, plot)
    for (symbol, _value), height in zip(ends, heights, strict=True):
        draw_symbol(parent, symbol, plot.x + plot.width + _CHIP + 5, height, _CHIP * 0.92, paint)


def _draw_stops(parent: Node, plot: _Plot, paint: Paint) -> None:
    """The symbol of every counter that reached a stop, where it did."""
    taken: list[Point] = []
    for (_before, old), (move, new) in zip(plot.panel.steps, plot.panel.steps[1:], strict=False):
        for symbol in SYMBOLS:
            for stop in {STOP, plot.panel.cap}:
                if not old[symbol - 1] < stop <= new[symbol - 1]:
                    continue
                x, y = plot.across(move), plot.up(stop)
                while any(abs(x - a) < 2 * _CHIP - 4 and abs(y - b) < 1 for a, b in taken):
                    x -= 2 * _CHIP - 4
                taken.append((x, y))
                parent.circle(x, y, _CHIP * 0.85, fill=paint.panel)
                draw_symbol(parent, symbol, x, y, _CHIP, paint)


def _spread(heights: Sequence[float], gap: float, plot: _Plot) -> list[float]:
    """Heights, lowest on the page first, moved apart so that each keeps `gap` to the next."""
    placed: list[float] = []
    for height in heights:
        placed.append(min(height, placed[-1] - gap) if placed else height)
    # Pushed out at the top: the whole pile comes down again, as far as it must.
    ceiling = plot.y - _CHIP
    for place in range(len(placed) - 1, -1, -1):
        if placed[place] >= ceiling:
            break
        placed[place] = ceiling
        ceiling += gap
    return placed
