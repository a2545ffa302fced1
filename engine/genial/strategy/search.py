"""Looking ahead: candidates and rollouts.

A decision goes like this. The shortlist picks the most promising placements, the evaluation values
each exactly (bonus placements that it owes played out), and the best of them are tried in rollouts:
the unseen tiles dealt at random, the same deal for all candidates, a few turns played by the cheap
policy, then the evaluation. How the budget is spent on them is for `racing`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from math import log
from typing import Final

from genial.strategy.evaluation import Evaluation
from genial.strategy.memory import Deal
from genial.strategy.playout import Playout
from genial.strategy.policy import Choice, close_turn, greedy_turn, owed_bonuses, stirring
from genial.strategy.shortlist import best_by_kind, shortlist


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
        tries: What came of it, deal by deal.
        shift: By how much it looks better than it is, in logits (see `temper`).
        replies: What the next player can do best then, once somebody has asked.
    """

    choice: Choice | None
    exchange: bool
    after: Playout
    prior: float
    tries: list[float] = field(default_factory=list)
    shift: float = 0.0
    replies: Replies | None = None

    @property
    def value(self) -> float:
        """The mean of its tries, else the prior."""
        return sum(self.tries) / len(self.tries) if self.tries else self.prior

    @property
    def score(self) -> float:
        """What candidates are compared by."""
        return self.value if not self.shift else _logit(self.value) + self.shift


def _logit(chance: float) -> float:
    chance = min(max(chance, 1e-6), 1 - 1e-6)
    return log(chance / (1 - chance))


_BONUS_CHOICES: Final = 12


def placements(state: Playout, evaluation: Evaluation, depth: Depth) -> list[Candidate]:
    """The mover's best placements by evaluation, best first; owed bonuses are played out."""
    found = [
        candidate_for(state, choice, evaluation)
        for choice in shortlist(state, evaluation, depth.shortlisted)
    ]
    found.sort(key=lambda one: -one.prior)
    return found


def candidate_for(state: Playout, choice: Choice, evaluation: Evaluation) -> Candidate:
    """One placement of the mover as a candidate."""
    me = state.turn
    state.place(*choice)
    after = state.copy()
    state.undo()
    while after.must_place:
        after.place(*_best_bonus(after, evaluation))
    return Candidate(choice, False, after, evaluation.glance(after, me))


def _best_bonus(state: Playout, evaluation: Evaluation) -> Choice:
    """A bonus placement, chosen with an eye on what comes after it but no further ones."""
    best: tuple[float, Choice] | None = None
    for choice in shortlist(state, evaluation, _BONUS_CHOICES):
        state.place(*choice)
        found = (evaluation.glance(state, state.turn), choice)
        state.undo()
        if best is None or found > best:
            best = found
    if best is None:
        raise ValueError("there is nothing to place")
    return best[1]


def closings(state: Playout) -> list[Candidate]:
    """Exchange and refill, for a mover that may do either."""
    return [Candidate(None, exchange, state.copy(), 0.0) for exchange in (True, False)]


class Replies:
    """What the next player may do best after a placement, by kind of tile.

    The others' racks differ from deal to deal, but what each kind of tile is best for does not:
    so it is found once, and a rollout only looks which of the kinds the next player holds.
    """

    __slots__ = ("_best", "seat")

    def __init__(self, after: Playout, evaluation: Evaluation) -> None:
        """Of the player after the one that has just placed."""
        state = after.copy()
        state.bag = []
        state.refill()
        self.seat = state.turn
        self._best = best_by_kind(state, evaluation)

    def of(self, rack: list[int]) -> Choice:
        """The best reply with these tiles."""
        best = self._best
        return max([best[kind] for kind in rack])[1]


def rollout(
    candidate: Candidate,
    deal: Deal,
    me: int,
    depth: Depth,
    evaluation: Evaluation,
    rng: random.Random,
) -> float:
    """What comes of a candidate under one deal, as `evaluation` sees it."""
    return evaluation.value(play_on(candidate, deal, depth, evaluation, rng), me)


def play_on(
    candidate: Candidate, deal: Deal, depth: Depth, evaluation: Evaluation, rng: random.Random
) -> Playout:
    """The state after a candidate and `depth.turns` more turns under one deal."""
    state = candidate.after.copy()
    if state.over:
        return state
    deal.put_into(state)
    if candidate.choice is None:
        if candidate.exchange:
            state.exchange(stirring(rng))
        else:
            state.refill()
    else:
        close_turn(state, rng)
    if candidate.replies is None:
        candidate.replies = Replies(candidate.after, evaluation)
    turns = depth.turns
    if turns and state.turn == candidate.replies.seat:
        rack = state.racks[state.turn]
        if rack:
            state.place(*candidate.replies.of(rack))
            owed_bonuses(state)
            turns -= 1
    for _ in range(turns):
        if state.over:
            break
        if not state.must_place:
            close_turn(state, rng)
        greedy_turn(state)
    return state
