"""The rules on one page, for somebody who has never seen the game."""

from __future__ import annotations

from genial.client.text import N_, _
from genial.client.view.canvas import wrap
from genial.client.view.spans import Span

_PARTS = (
    (
        N_("What it is about"),
        N_(
            "You score in six colours. At the end only your weakest colour counts: the higher "
            "one wins. If they are equal, the second weakest is compared, and so on."
        ),
    ),
    (
        N_("A turn"),
        N_(
            "Place one of your six tiles on two free cells. Each half looks along five lines (not "
            "towards its other half) and scores a point for each like symbol in an unbroken row, "
            "until a free cell, another symbol or the edge."
        ),
    ),
    (
        N_("The first tile"),
        N_(
            "Your first tile must touch a printed start symbol where nobody else has started. "
            "Its colour does not matter."
        ),
    ),
    (
        N_("Genial!"),
        N_(
            "A counter stops at 18. Whoever gets one there places another tile at once, before "
            "drawing; several counters mean several tiles."
        ),
    ),
    (
        N_("Ending the turn"),
        N_(
            "Draw back up to six tiles. If no tile of yours shows your weakest colour (all of "
            "them, if several are equally weak), you may instead show your rack to everybody and "
            "draw six new tiles."
        ),
    ),
    (
        N_("The end"),
        N_(
            "The game ends when no tile fits any more, or at once when somebody's six counters "
            "all stand at 18: that player wins."
        ),
    ),
    (
        N_("Partners"),
        N_(
            "Two against two, sitting crosswise, with one joint track up to 36 a pair. A "
            "counter stops at 18 first, and again at 36."
        ),
    ),
    (
        N_("Solitaire"),
        N_("One tile at a time, no rack. The result is your weakest colour."),
    ),
)


def rules_parts() -> list[tuple[str, str]]:
    """Title and text of each part, in the player's language."""
    return [(_(title), _(text)) for title, text in _PARTS]


def rules_lines(width: int) -> list[list[Span]]:
    """Titles and paragraphs, wrapped to `width` columns."""
    lines: list[list[Span]] = []
    for title, text in rules_parts():
        if lines:
            lines.append([])
        lines.append([Span(title, "strong", bold=True)])
        lines.extend([Span(line, "text")] for line in wrap(text, width))
    return lines
