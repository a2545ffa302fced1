"""Styles of play at equal strength, and the slips of the weaker levels.

Both shift how good a candidate looks, in logits: a temperament always the same way, a slip by
chance. Shifts of the size used here move the choice between placements that are close, seldom more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from random import Random
from typing import Final

from genial.strategy.evaluation import SYMBOLS, open_lines
from genial.strategy.playout import Playout

Shift = Callable[[Playout, int], float]
"""For a state after a seat's own placement: how much better it looks to the seat, in logits."""


@dataclass(frozen=True, slots=True)
class Temperament:
    """A style.

    Attributes:
        name: What people type after the level: `LEVEL/name`.
        description: Half a line of English.
        shift: What it likes.
    """

    name: str
    description: str
    shift: Shift


def _promise(state: Playout, team: int) -> float:
    """What the open lines promise a team: mean points of a half, weighted by what it lacks."""
    lines = open_lines(state)
    cap = state.cap
    track = state.tracks[team]
    spacing = lines.usable + 4
    return sum(lines.total[k] / spacing * (cap - track[k]) / cap for k in SYMBOLS)


def _building(state: Playout, me: int) -> float:
    return 0.2 * _promise(state, state.team_of[me])


def _blocking(state: Playout, me: int) -> float:
    team = state.team_of[me]
    others = [other for other in range(len(state.tracks)) if other != team]
    if not others:
        return 0.0
    return -0.5 * sum(_promise(state, other) for other in others) / len(others)


def _gambling(state: Playout, me: int) -> float:
    """Long lines and counters close to a bonus, rather than a little of everything."""
    lines = open_lines(state)
    track = state.tracks[state.team_of[me]]
    cap = state.cap
    longest = max(min(lines.best[k], cap - track[k]) for k in SYMBOLS)
    nearest = max((track[k] % 18 for k in SYMBOLS if track[k] < cap), default=0)
    return 0.06 * longest + 0.02 * nearest


TEMPERAMENTS: Final = (
    Temperament("builder", "opens lines for itself", _building),
    Temperament("blocker", "shuts the others' lines", _blocking),
    Temperament("gambler", "goes for long lines and bonuses", _gambling),
)


def slip(rng: Random, size: float) -> float:
    """A shift by chance. Taking the best after it is choosing by weights exp(value / size)."""
    return -size * log(-log(rng.random() or 1e-12))
