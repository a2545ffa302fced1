"""A finished game looked at again: how the chances moved, and what each placement gave away.

Each placement is judged by what its player could know then. The curve of the chances, on the other
hand, is drawn by somebody who sees all racks (never the order of the bag).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from genial.engine.game import Event, Game, Placed, Seat, evolve
from genial.engine.rules import Mode, Rules
from genial.engine.shuffle import CountedBag
from genial.engine.view import project, view_for
from genial.strategy.advice import Advice, advise
from genial.strategy.evaluation import Evaluation
from genial.strategy.levels import EXPERT
from genial.strategy.memory import Memory
from genial.strategy.playout import Playout
from genial.strategy.policy import close_turn, greedy_turn, owed_bonuses
from genial.strategy.thinking import Thinker

ROLLOUTS: Final = 80
"""For each placement that is looked at closely."""

_CONTINUATIONS: Final = 24
_TURNS: Final = 4
"""How often and how far the game is played on for a point of the curve."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One placement of the game.

    Attributes:
        n: Number of its event in the record.
        placed: The event.
        advice: What there was to do, and what this one is worth.
        chances: By seat the chance of winning after it (solitaire: the expected lowest
            counter); partners share theirs.
    """

    n: int
    placed: Placed
    advice: Advice
    chances: tuple[float, ...]


@dataclass(slots=True)
class Summary:
    """A player's game in numbers.

    Attributes:
        placements: How many.
        best: How many of them were as good as any.
        gave_away: Sum of what they gave away, in chances of winning (solitaire: points).
        worst: The placement that gave away most, if any did.
    """

    seat: int
    placements: int = 0
    best: int = 0
    gave_away: float = 0.0
    worst: Moment | None = None


@dataclass(slots=True)
class Review:
    """What a review found.

    Attributes:
        rules, seats: Of the game.
        moments: Every placement, in order.
        result: By seat the part of the win, as it ended (solitaire: the lowest counter).
    """

    rules: Rules
    seats: tuple[Seat, ...]
    moments: list[Moment] = field(default_factory=list)
    result: tuple[float, ...] = ()

    @property
    def is_solo(self) -> bool:
        """Whether numbers are expected lowest counters instead of chances."""
        return self.rules.mode is Mode.SOLO

    def summaries(self) -> list[Summary]:
        """One for each seat."""
        found = [Summary(seat) for seat in range(self.rules.players)]
        for moment in self.moments:
            summary = found[moment.placed.seat]
            lost = moment.advice.gave_away
            summary.placements += 1
            summary.best += not lost
            summary.gave_away += lost
            if lost and (summary.worst is None or lost > summary.worst.advice.gave_away):
                summary.worst = moment
        return found


def review(
    rules: Rules,
    seats: tuple[Seat, ...],
    first_seat: int,
    events: tuple[Event, ...],
    *,
    seed: int = 1,
    rollouts: int = ROLLOUTS,
    level: Thinker = EXPERT,
) -> Iterator[Moment | Review]:
    """Look at a game again: every placement as it is judged, the whole review at the end.

    Args:
        rules, seats, first_seat, events: The game, as its record tells it.
        seed: Of the random numbers; the same review comes out under the same seed.
        rollouts: For each placement that is looked at closely; more is slower and finer.
        level: Whose evaluation is used.

    Raises:
        DrawMismatchError: The events draw tiles that the box does not hold.
    """
    game = Game.new(rules, seats, first_seat, CountedBag())
    memories = [Memory() for _ in seats]
    evaluation = level.evaluation(rules)
    found = Review(rules, seats)
    for n, event in enumerate(events, 1):
        advice: Advice | None = None
        if isinstance(event, Placed):
            advice = advise(
                view_for(game, event.seat),
                memories[event.seat],
                level,
                rollouts=rollouts,
                rng=random.Random(f"{seed}/{n}"),
                played=(event.tile, event.cells),
            )
        game = evolve(game, event)
        for seat, memory in enumerate(memories):
            memory.observe(project(event, seat))
        if isinstance(event, Placed) and advice is not None:
            chances = _chances(Playout.of(game), evaluation, random.Random(f"{seed}/{n}/curve"))
            moment = Moment(n, event, advice, chances)
            found.moments.append(moment)
            yield moment
    if game.ended is not None:
        state = Playout.of(game)
        found.result = tuple(evaluation.value(state, seat) for seat in range(rules.players))
    yield found


def _chances(state: Playout, evaluation: Evaluation, rng: random.Random) -> tuple[float, ...]:
    """By seat what a state is worth, averaged over continuations; teams add up to 1."""
    seats = range(state.players)
    values = [0.0] * state.players
    for _ in range(_CONTINUATIONS):
        trial = state.copy()
        rng.shuffle(trial.bag)
        owed_bonuses(trial)
        for _ in range(_TURNS):
            if trial.over:
                break
            close_turn(trial, rng)
            greedy_turn(trial)
        for seat in seats:
            values[seat] += evaluation.value(trial, seat) / _CONTINUATIONS
    rules = state.rules
    if rules.mode is Mode.SOLO:
        return tuple(values)
    by_team = [sum(values[seat] for seat in held) / len(held) for held in rules.teams]
    whole = sum(by_team) or 1.0
    return tuple(by_team[state.team_of[seat]] / whole for seat in seats)
