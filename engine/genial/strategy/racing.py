"""Spending a budget on candidates: sequential halving, which stops where more can hardly matter.

All candidates are tried under the same deals of the hidden tiles, so that what tells them apart is
the mean of paired differences. A candidate is tried no further once choosing the leader instead is
known to lose next to nothing: it is behind by several standard errors, or all but level with the
leader. So a choice that is plain, or that no longer matters, takes a fraction of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from math import erf, exp, pi, sqrt
from operator import mul, sub
from typing import Final

from genial.strategy.budget import Budget
from genial.strategy.memory import Deal, Deals
from genial.strategy.search import Candidate

NEXT_TO_NOTHING: Final = 0.0001
"""The chance of winning that dropping a candidate may lose, as far as can be told."""

_FIRST_LOOK: Final = 16
"""Deals before anything is told."""

_DOUBT: Final = 0.02
"""Added to the sum of squared differences: a few deals that agree by chance prove nothing."""


Try = Callable[[Candidate, Deal], float]
"""What comes of a candidate under a deal."""


def race(
    candidates: list[Candidate],
    deals: Deals,
    budget: Budget,
    count: int,
    attempt: Try,
    started: float,
    *,
    scale: float = 1.0,
) -> list[Candidate]:
    """Try candidates deal by deal, dropping the worse half again and again; best first.

    Args:
        candidates: At least one, best first.
        deals: Guesses at what is hidden; each is the same for all candidates.
        count: How many candidates to begin with.
        attempt: One try.
        started: The clock's reading when the decision began; the time since then counts.
        scale: How far values reach: 1 for chances.
    """
    clock = budget.clock
    left = candidates[:count]
    dropped: list[Candidate] = []
    ends = None if budget.seconds is None else started + budget.seconds
    spent = 0
    look = _FIRST_LOOK
    while len(left) > 1:
        rounds = (len(left) - 1).bit_length()
        now = clock()
        until = None if ends is None else now + (ends - now) / rounds
        quota = None if budget.rollouts is None else (budget.rollouts - spent) // rounds
        used = 0
        while len(left) > 1 and (quota is None or not used or used + len(left) <= quota):
            deal = deals.next()
            values: list[float] = []
            for candidate in left:
                if until is not None and clock() >= until:
                    break
                values.append(attempt(candidate, deal))
            if len(values) < len(left):
                # A deal counts for all or for none: candidates are compared under the same.
                break
            for candidate, value in zip(left, values, strict=True):
                candidate.tries.append(value)
            used += len(left)
            tried = len(left[0].tries)
            if tried >= look:
                look = tried + max(8, tried // 4)
                left, given_up = _still_open(left, scale)
                dropped = given_up + dropped
        spent += used
        left.sort(key=lambda one: -one.score)
        keep = (len(left) + 1) // 2
        dropped = left[keep:] + dropped
        left = left[:keep]
    return left + dropped + candidates[count:]


def _still_open(left: list[Candidate], scale: float) -> tuple[list[Candidate], list[Candidate]]:
    """The candidates worth trying further, and the others, each best first."""
    order = sorted(left, key=lambda one: -one.score)
    leader = order[0]
    limit = NEXT_TO_NOTHING * scale
    kept: list[Candidate] = [leader]
    given_up: list[Candidate] = []
    for other in order[1:]:
        (kept if loss_without(other, leader, scale) > limit else given_up).append(other)
    return kept, given_up


def lead_over(other: Candidate, leader: Candidate, scale: float = 1.0) -> tuple[float, float]:
    """By how much a candidate leads another one tried under the same deals, and its error.

    Returns:
        The mean of the paired differences, and its standard error.
    """
    differences = list(map(sub, leader.tries, other.tries))
    count = len(differences)
    lead = sum(differences) / count
    squares = sum(map(mul, differences, differences)) + _DOUBT * scale * scale
    return lead, sqrt(max(squares / count - lead * lead, 0.0) / count)


def loss_without(other: Candidate, leader: Candidate, scale: float = 1.0) -> float:
    """What choosing the leader is expected to lose against knowing which of two is better.

    The true difference is taken to be normal around the lead, with its standard error.
    """
    lead, error = lead_over(other, leader, scale)
    error += 1e-9 * scale
    if leader.shift != other.shift:
        chance = leader.value
        lead += (leader.shift - other.shift) * chance * (1 - chance)
    z = lead / error
    density = exp(-z * z / 2) / sqrt(2 * pi)
    loss: float = error * (density - z * (1 - erf(z / sqrt(2))) / 2)
    return loss
