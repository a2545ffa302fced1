"""The last few placements, searched move against move.

When little room is left, the cheap policy of the rollouts misleads: it takes points and lets the
other side take the last good cells. So for each guess at the hidden tiles the rest of the game is
searched: whoever places takes what is best for their side, as far as a few promising placements
each go. For two sides only, seats or pairs.
"""

from __future__ import annotations

import random
from typing import Final

from genial.engine.board import STRIDE
from genial.strategy.bitsets import FIRST, SECOND, cells_in, spread
from genial.strategy.evaluation import SYMBOLS, Evaluation
from genial.strategy.memory import Deal
from genial.strategy.playout import Playout
from genial.strategy.policy import Choice, close_turn, gains, stirring
from genial.strategy.search import Candidate

ROOM: Final = 20
"""Free pairs of cells from which on the rest is searched."""

CANDIDATES: Final = 10
_WIDTHS: Final = (8, 6, 5, 4, 3)
"""Placements looked at by depth; beyond that the evaluation judges."""

_DENIAL: Final = 0.6
"""What keeping a point from the other side counts beside an own one, for the order of looking."""


def is_near(state: Playout) -> bool:
    """Whether so little room is left that the rest can be searched."""
    if len(state.tracks) != 2:
        return False
    free = state.free
    pairs = 0
    for step in (1, STRIDE, STRIDE - 1):
        pairs += (free & (free >> step)).bit_count()
    return pairs <= ROOM


def settle(
    candidate: Candidate, deal: Deal, me: int, evaluation: Evaluation, rng: random.Random
) -> float:
    """What comes of a candidate under one deal if both sides do their best from then on."""
    state = candidate.after.copy()
    if state.over:
        return evaluation.value(state, me)
    deal.put_into(state)
    if candidate.choice is None:
        if candidate.exchange:
            state.exchange(stirring(rng))
        else:
            state.refill()
    else:
        close_turn(state, rng)
    return _best(state, me, state.team_of[me], 0, 0.0, 1.0, evaluation, rng)


def _best(
    state: Playout,
    me: int,
    team: int,
    depth: int,
    low: float,
    high: float,
    evaluation: Evaluation,
    rng: random.Random,
) -> float:
    """The value for `team`, between `low` and `high`, the mover to place; seat `me` judges."""
    if depth == len(_WIDTHS):
        return evaluation.value(state, me)
    mine = state.team_of[state.turn] == team
    best = low if mine else high
    for choice in promising(state, _WIDTHS[depth]):
        state.place(*choice)
        steps = 1
        if state.over:
            found = _result(state, team)
        else:
            if not state.must_place:
                close_turn(state, rng)
                steps = 2
            bounds = (best, high) if mine else (low, best)
            found = _best(state, me, team, depth + 1, *bounds, evaluation, rng)
        for _ in range(steps):
            state.undo()
        if mine:
            best = max(best, found)
            if best >= high:
                break
        else:
            best = min(best, found)
            if best <= low:
                break
    return best


def _result(state: Playout, team: int) -> float:
    mine, theirs = sorted(state.tracks[team][1:]), sorted(state.tracks[1 - team][1:])
    return 0.5 if mine == theirs else float(mine > theirs)


def promising(state: Playout, width: int) -> list[Choice]:
    """The mover's placements that gain or deny most, best first, at most `width`."""
    team = state.team_of[state.turn]
    cap = state.cap
    lines = state.lines
    gain = [gains(counter, cap) for counter in state.tracks[team]]
    loss = [gains(counter, cap) for counter in state.tracks[1 - team]]
    cells = cells_in(state.free & spread(state.free))
    denied = {
        cell: _DENIAL * max(loss[k][min(lines[k][cell], 18)] for k in SYMBOLS) for cell in cells
    }
    pairs = state.pairs()
    found: list[tuple[float, Choice]] = []
    for kind in sorted(set(state.racks[state.turn])):
        a, b = FIRST[kind], SECOND[kind]
        for x, y in ((a, b), (b, a)) if a != b else ((a, b),):
            line_x, line_y, gain_x, gain_y = lines[x], lines[y], gain[x], gain[y]
            found += [
                (
                    gain_x[line_x[u]] + gain_y[line_y[v]] + denied[u] + denied[v],
                    (kind, x, y, u, v),
                )
                for u, v in pairs
            ]
    found.sort(reverse=True)
    return [choice for _, choice in found[:width]]
