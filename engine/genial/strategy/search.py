"""Looking ahead: candidates, rollouts, and the choice between them within a budget.

A decision goes like this. The shortlist picks the most promising placements, the evaluation values
each exactly (bonus placements that it owes played out), and the best of them are tried in rollouts:
the unseen tiles dealt at random, the same deal for all candidates, a few turns played by the cheap
policy, then the evaluation. Sequential halving spends the budget where it matters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log

from genial.strategy.budget import Budget
from genial.strategy.evaluation import Evaluation
from genial.strategy.memory import Deal, Deals
from genial.strategy.playout import Playout
from genial.strategy.policy import Choice, close_turn, greedy_turn, owed_bonuses
from genial.strategy.shortlist import shortlist


@dataclass(frozen=True, slots=True)
class Depth:
    """How a search spends its effort.

    Attributes:
        shortlisted: Placements valued exactly.
        candidates: Of those, how many are tried in rollouts.
        turns: Turns of a rollout after the mover's own.
    """

    shortlisted: int = 64
    candidates: int = 16
    turns: int = 4


@dataclass(slots=True)
class Candidate:
    """Something that the mover may do, and what is known of it.

    Attributes:
        choice: The placement; None: end the turn.
        exchange: Whether ending the turn means an exchange.
        after: The state once it is done, others' racks and bag not filled in.
        prior: What the evaluation says of that.
        total, count: Sum and number of its rollouts.
        shift: By how much it looks better than it is, in logits (see `temper`).
    """

    choice: Choice | None
    exchange: bool
    after: Playout
    prior: float
    total: float = 0.0
    count: int = 0
    shift: float = 0.0

    @property
    def value(self) -> float:
        """The mean of its rollouts, else the prior."""
        return self.total / self.count if self.count else self.prior

    @property
    def score(self) -> float:
        """What candidates are compared by."""
        return self.value if not self.shift else _logit(self.value) + self.shift


def _logit(chance: float) -> float:
    chance = min(max(chance, 1e-6), 1 - 1e-6)
    return log(chance / (1 - chance))


Value = Callable[[Playout, int], float]
"""What a state is worth to a seat."""


def placements(
    state: Playout, evaluation: Evaluation, depth: Depth, value: Value
) -> list[Candidate]:
    """The mover's best placements by evaluation, best first."""
    me = state.turn
    found = []
    for choice in shortlist(state, evaluation, depth.shortlisted):
        state.place(*choice)
        after = state.copy()
        state.undo()
        if after.bonus_owed:
            played = after.copy()
            owed_bonuses(played)
            prior = value(played, me)
        else:
            prior = value(after, me)
        found.append(Candidate(choice, False, after, prior))
    found.sort(key=lambda one: -one.prior)
    return found


def closings(state: Playout) -> list[Candidate]:
    """Exchange and refill, for a mover that may do either."""
    return [Candidate(None, exchange, state.copy(), 0.0) for exchange in (True, False)]


def rollout(
    candidate: Candidate, deal: Deal, me: int, turns: int, value: Value, deals: Deals
) -> float:
    """What comes of a candidate under one deal."""
    state = candidate.after.copy()
    deal.put_into(state)
    if candidate.choice is None:
        if candidate.exchange:
            state.exchange(deals.rng.shuffle)
        else:
            state.refill()
    else:
        owed_bonuses(state)
        if not state.over:
            close_turn(state, deals.rng)
    for turn in range(turns):
        if state.over:
            break
        if turn:
            close_turn(state, deals.rng)
        greedy_turn(state)
    return value(state, me)


def halve(
    candidates: list[Candidate],
    deals: Deals,
    me: int,
    budget: Budget,
    depth: Depth,
    value: Value,
    started: float,
) -> list[Candidate]:
    """Try candidates in rollouts, dropping the worse half again and again; best first.

    Args:
        candidates: At least one, best first.
        started: The clock's reading when the decision began; the time since then counts.
    """
    clock = budget.clock
    left = candidates[: depth.candidates]
    dropped: list[Candidate] = []
    rounds = max(1, (len(left) - 1).bit_length())
    total = budget.rollouts
    ends = None if budget.seconds is None else started + budget.seconds
    for number in range(rounds):
        if len(left) == 1:
            break
        quota = None if total is None else max(1, total // rounds // len(left))
        now = clock()
        until = None if ends is None else now + (ends - now) / (rounds - number)
        dealt = 0
        while quota is None or dealt < quota:
            if until is not None and clock() >= until:
                break
            deal = deals.next()
            for candidate in left:
                candidate.total += rollout(candidate, deal, me, depth.turns, value, deals)
                candidate.count += 1
            dealt += 1
        left.sort(key=lambda one: -one.score)
        keep = max(1, (len(left) + 1) // 2)
        dropped = left[keep:] + dropped
        left = left[:keep]
    return left + dropped + candidates[depth.candidates :]
