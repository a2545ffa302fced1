"""Levels that evaluate and look ahead."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from genial.engine.game import Command, ExchangeRack, RefillRack
from genial.engine.rules import Mode, Rules
from genial.engine.view import PlayerView
from genial.strategy import endgame
from genial.strategy.baselines import placing
from genial.strategy.bitsets import FIRST
from genial.strategy.budget import Budget
from genial.strategy.evaluation import Evaluation, Model, model_key, shipped_model
from genial.strategy.memory import Deal, Deals, Memory, known_state
from genial.strategy.racing import race
from genial.strategy.search import Candidate, Depth, closings, placements, rollout
from genial.strategy.temper import Temperament, slip

_ALONE_TURNS: Final = 8
"""Turns of a solitaire rollout: nobody else makes what is far away uncertain."""


@cache
def evaluation_for(rules: Rules) -> Evaluation:
    """The shipped evaluation of a kind of game, with its tables of weights."""
    return Evaluation(rules, shipped_model(model_key(rules)))


@dataclass(frozen=True, slots=True)
class Skill:
    """What makes a level.

    Attributes:
        depth: How wide and far it looks.
        tries_placements: Whether placements are tried in rollouts; else the evaluation
            of what stands after them decides. Exchanges are always tried.
        searches_end: Whether the last placements are searched move against move.
        slips: How much chance mixes into its judgement, in logits (`temper.slip`).
    """

    depth: Depth = field(default_factory=Depth)
    tries_placements: bool = True
    searches_end: bool = True
    slips: float = 0.0


class Thinker:
    """A level made of the evaluation, rollouts, and perhaps slips and a temperament."""

    def __init__(
        self,
        name: str,
        description: str,
        budget: Budget,
        skill: Skill,
        temperament: Temperament | None = None,
        models: dict[str, Model] | None = None,
    ) -> None:
        """A level called `name`; `models` (by `model_key`) in place of the shipped ones."""
        self.name = name
        self.description = description
        self.budget = budget
        self.skill = skill
        self.temperament = temperament
        self._models = models

    def with_temperament(self, temperament: Temperament) -> Thinker:
        """The same level in another style."""
        return Thinker(
            f"{self.name}/{temperament.name}",
            f"{self.description}; {temperament.description}",
            self.budget,
            self.skill,
            temperament,
            self._models,
        )

    def evaluation(self, rules: Rules) -> Evaluation:
        """What values positions of a kind of game."""
        usual = replace(rules, preset=Rules().preset, leaving=Rules().leaving, partners_talk=None)
        if self._models is None:
            return evaluation_for(usual)
        return Evaluation(usual, self._models[model_key(rules)])

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
        depth = self.skill.depth
        if evaluation.solo:
            depth = replace(depth, turns=_ALONE_TURNS)
        if state.must_place:
            candidates = placements(state, evaluation, depth)
            if view.rules.mode is not Mode.SOLO:
                self._shift(candidates, me, rng)
            if not self.skill.tries_placements:
                return candidates
        elif view.may_exchange:
            candidates = closings(state)
        else:
            return [Candidate(None, False, state, 0.0)]
        if len(candidates) == 1:
            return candidates
        deals = Deals(view, memory, rng)
        if self.skill.searches_end and endgame.is_near(state):
            count = endgame.CANDIDATES

            def attempt(candidate: Candidate, deal: Deal) -> float:
                return endgame.settle(candidate, deal, me, evaluation, rng)
        else:
            count = depth.candidates

            def attempt(candidate: Candidate, deal: Deal) -> float:
                return rollout(candidate, deal, me, depth, evaluation, rng)

        scale = state.cap if evaluation.solo else 1.0
        return race(candidates, deals, budget, count, attempt, started, scale=scale)

    def _shift(self, candidates: list[Candidate], me: int, rng: random.Random) -> None:
        if self.temperament is None and not self.skill.slips:
            return
        for candidate in candidates:
            if self.temperament is not None:
                candidate.shift += self.temperament.shift(candidate.after, me)
            if self.skill.slips:
                candidate.shift += slip(rng, self.skill.slips)
        candidates.sort(key=lambda one: -one.score)
