"""What a number of games says about strength."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final

Z95: Final = 1.959964
"""Half the width of a 95 % interval, in standard errors."""


def wilson(share: float, games: int) -> tuple[float, float]:
    """The 95 % interval (Wilson's) of a win share over so many games, both ends 0..1.

    Shared wins make the true spread smaller, never larger, so the interval stays on the
    safe side.
    """
    if not games:
        return 0.0, 1.0
    z2 = Z95 * Z95
    middle = (share + z2 / (2 * games)) / (1 + z2 / games)
    half = Z95 / (1 + z2 / games) * sqrt(share * (1 - share) / games + z2 / (4 * games**2))
    # At the ends the formula gives the end itself but for rounding.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def always_valid(share: float, games: int, *, alpha: float = 0.05) -> tuple[float, float]:
    """An interval that holds at every number of games at once, for stopping when sure.

    Robbins' normal mixture for results between 0 and 1: whoever looks after every game and
    stops when it excludes something errs with a chance of at most `alpha`. It is wider than
    `wilson`: that is the price of looking.
    """
    if not games:
        return 0.0, 1.0
    tuned = 100.0  # games at which the interval is at its narrowest relative to others
    half = 0.5 * sqrt((games + tuned) * log((games + tuned) / (tuned * alpha**2))) / games
    return max(0.0, share - half), min(1.0, share + half)


@dataclass(frozen=True, slots=True)
class Rating:
    """An Elo rating with its standard error; the mean of all ratings is 0."""

    elo: float
    error: float


_PER_LOGIT: Final = 400 / log(10)


def elo_ratings(wins: Mapping[tuple[str, str], float]) -> dict[str, Rating]:
    """Ratings from wins by pairs (Bradley and Terry's model).

    Args:
        wins: By (winner, loser) how many points; half a point each for a shared rank. One point
            is shared out over every pair that met, half each way, so that a level that won or
            lost all its games keeps a finite rating.
    """
    names = sorted({name for pair in wins for name in pair})
    if not names:
        return {}
    met: dict[tuple[str, str], float] = {}
    for (one, other), points in wins.items():
        if one != other:
            met[one, other] = met.get((one, other), 0.0) + points
    points_of = {
        (one, other): met.get((one, other), 0.0) + 0.5
        for one in names
        for other in names
        if one != other and ((one, other) in met or (other, one) in met)
    }
    strength = dict.fromkeys(names, 1.0)
    for _ in range(2000):
        before = dict(strength)
        for name in names:
            won = sum(points for (one, _), points in points_of.items() if one == name)
            if not won:
                continue
            weight = sum(
                (points + points_of[other, name]) / (strength[name] + strength[other])
                for (one, other), points in points_of.items()
                if one == name
            )
            strength[name] = won / weight
        scale = len(names) / sum(strength.values())
        strength = {name: value * scale for name, value in strength.items()}
        if all(abs(strength[name] - before[name]) < 1e-9 for name in names):
            break
    logits = {name: log(value) for name, value in strength.items()}
    middle = sum(logits.values()) / len(logits)
    ratings = {}
    for name in names:
        information = 0.0
        for (one, other), points in points_of.items():
            if one == name:
                chance = strength[name] / (strength[name] + strength[other])
                information += (points + points_of[other, name]) * chance * (1 - chance)
        error = _PER_LOGIT / sqrt(information) if information else float("inf")
        ratings[name] = Rating(_PER_LOGIT * (logits[name] - middle), error)
    return ratings


def mean(values: Sequence[float]) -> float:
    """The mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
