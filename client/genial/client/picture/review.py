"""A review as a picture: the chances of winning over the game, and where they were given away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from genial.client.palette import Theme
from genial.client.picture.shapes import Paint, paint
from genial.client.picture.svg import Node, Point, document, render
from genial.client.review_show import placement_text, value_text, why_sentence
from genial.client.text import _
from genial.strategy.review import Moment, Review

_WIDTH: Final = 860.0
_HEIGHT: Final = 420.0
_LEFT: Final = 54.0
_RIGHT: Final = 130.0
_TOP: Final = 56.0
_BOTTOM: Final = 44.0

_DASHES: Final = (None, "9 5", "2 5", "12 4 2 4")
"""A line's dashes say whose it is where its colour does not."""

_NAMED: Final = 6
"""How many of the largest losses are written beside the curve."""


def review_svg(review: Review, theme: Theme = Theme.DARK) -> str:
    """The curve of the chances as an SVG document; every loss is a mark with a tooltip."""
    colours = paint(theme)
    title = _("How the chances moved")
    picture = document(_WIDTH, _HEIGHT, title, "; ".join(seat.name for seat in review.seats))
    picture.rect(0, 0, _WIDTH, _HEIGHT, fill=colours.ground)
    picture.text(_LEFT, 30, title, 18, fill=colours.strong)
    plot = _Plot(review)
    _draw_scale(picture, plot, review, colours)
    for number, seats in enumerate(review.rules.teams):
        # Lines take the symbols' colours in an order that keeps neighbours apart.
        line = colours.fill[(3, 4, 2, 6)[number]]
        curve = plot.curve(seats[0])
        picture.polyline(curve, stroke=line, stroke_width=2.4, stroke_dasharray=_DASHES[number])
        name = " + ".join(review.seats[seat].name for seat in seats)
        end = curve[-1]
        picture.text(end[0] + 8, end[1] + 4 + 13 * plot.nudge(number), name, 12, fill=line)
        for moment in review.moments:
            if moment.placed.seat in seats and moment.advice.gave_away:
                _draw_loss(picture, plot, moment, review, line)
    return render(picture)


class _Plot:
    """Where moves and chances lie on the picture."""

    def __init__(self, review: Review) -> None:
        self._review = review
        self._solo = review.is_solo
        self.moves = max(1, len(review.moments))
        self._place = {moment.n: place for place, moment in enumerate(review.moments, 1)}
        values = [value for moment in review.moments for value in moment.chances]
        self.top = max(1.0, *values, *review.result) if self._solo and values else 1.0

    def at(self, place: float, value: float) -> Point:
        """A point of the curve; `place` counts placements from 0."""
        width, height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
        part = min(max(value / self.top, 0.0), 1.0)
        return _LEFT + width * place / self.moves, _TOP + height * (1 - part)

    def of(self, moment: Moment, seat: int) -> Point:
        """Where a seat stands after a placement."""
        return self.at(self._place[moment.n], moment.chances[seat])

    def curve(self, seat: int) -> list[Point]:
        """A seat's line from the start, where all are equal, to the result."""
        review = self._review
        start = 0.0 if self._solo else 1 / len(review.rules.teams)
        points = [self.at(0, start)]
        points += [self.of(moment, seat) for moment in review.moments]
        if review.result:
            points.append(self.at(self.moves, review.result[seat]))
        return points

    def nudge(self, number: int) -> int:
        """By how many lines a name moves down, so that names at one height stay apart."""
        teams = self._review.rules.teams
        ends = [round(self.curve(seats[0])[-1][1]) for seats in teams]
        return sum(end == ends[number] for end in ends[:number])


def _draw_scale(picture: Node, plot: _Plot, review: Review, colours: Paint) -> None:
    steps: Sequence[float] = (0, 0.25, 0.5, 0.75, 1.0)
    for step in steps:
        value = step * plot.top
        left, right = plot.at(0, value), plot.at(plot.moves, value)
        picture.line(left, right, stroke=colours.panel_grid, stroke_width=1)
        label = value_text(value, review.is_solo)
        picture.text(left[0] - 8, left[1] + 4, label, 11, fill=colours.muted, text_anchor="end")
    for place in range(0, plot.moves + 1, 10):
        x, y = plot.at(place, 0)
        picture.text(x, y + 18, str(place), 11, fill=colours.muted, text_anchor="middle")
    x, y = plot.at(plot.moves / 2, 0)
    picture.text(x, y + 36, _("placements"), 11, fill=colours.muted, text_anchor="middle")


def _draw_loss(picture: Node, plot: _Plot, moment: Moment, review: Review, line: str) -> None:
    x, y = plot.of(moment, moment.placed.seat)
    lost = moment.advice.gave_away
    size = 3 + 14 * min(1.0, lost / plot.top)
    mark = picture.group()
    largest = sorted((one.advice.gave_away for one in review.moments), reverse=True)[:_NAMED]
    played = moment.advice.played
    if played is not None:
        words = (
            f"{moment.n}: {placement_text(played)} -{value_text(lost, review.is_solo)},"
            f" {why_sentence(moment.advice.why)}"
        )
        mark.add("title").set_text(words)
        if lost in largest:
            mark.text(x, y - size - 4, str(moment.n), 10, fill=line, text_anchor="middle")
    mark.circle(x, y, size, fill="none", stroke=line, stroke_width=1.6)
