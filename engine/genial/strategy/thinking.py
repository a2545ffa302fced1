"""Levels that evaluate and look ahead."""

from __future__ import annotations

import random
from functools import cache

from genial.engine.game import Command, ExchangeRack, RefillRack
from genial.engine.rules import Rules
from genial.engine.view import PlayerView
from genial.strategy.baselines import placing
from genial.strategy.budget import Budget
from genial.strategy.evaluation import Evaluation, Model, model_key, shipped_model
from genial.strategy.memory import Deals, Memory, known_state
from genial.strategy.playout import FIRST
from genial.strategy.search import Candidate, Depth, closings, halve, placements


@cache
def _evaluation(rules: Rules) -> Evaluation:
    return Evaluation(rules, shipped_model(model_key(rules)))


class Thinker:
    """A level that looks ahead for as long as its budget lets it."""

    def __init__(
        self,
        name: str,
        description: str,
        budget: Budget,
        depth: Depth,
        models: dict[str, Model] | None = None,
    ) -> None:
        """A level called `name`; `models` in place of the shipped ones."""
        self.name = name
        self.description = description
        self.budget = budget
        self._depth = depth
        self._models = models

    def evaluation(self, rules: Rules) -> Evaluation:
        """What values positions of a kind of game."""
        if self._models is None:
            return _evaluation(rules)
        return Evaluation(rules, self._models[model_key(rules)])

    def choose(
        self, view: PlayerView, memory: Memory, rng: random.Random, budget: Budget
    ) -> Command:
        """See `levels.Level`."""
        best = self.weigh(view, memory, rng, budget)[0]
        seat = view.turn
        if best.choice is None:
            return ExchangeRack(seat) if best.exchange else RefillRack(seat)
        kind, a, _, u, v = best.choice
        return placing(seat, kind, a != FIRST[kind], (u, v))

    def weigh(
        self, view: PlayerView, memory: Memory, rng: random.Random, budget: Budget
    ) -> list[Candidate]:
        """Everything that was considered, best first."""
        started = budget.clock()
        state = known_state(view)
        evaluation = self.evaluation(view.rules)
        me = state.turn
        if state.must_place:
            candidates = placements(state, evaluation, self._depth, evaluation.value)
        elif view.may_exchange:
            candidates = closings(state)
        else:
            return [Candidate(None, False, state, 0.0)]
        if len(candidates) == 1 or (budget.seconds is None and budget.rollouts is None):
            return candidates
        deals = Deals(view, memory, rng)
        return halve(candidates, deals, me, budget, self._depth, evaluation.value, started)
