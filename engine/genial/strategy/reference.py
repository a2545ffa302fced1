"""The frozen reference: evaluation V, and T-n, which looks four turns ahead and then applies V.

It exists to measure others against and is never improved. Free-for-all only. What it does is
told in docs/strength.md; the features of V, for me against one opponent, are by rank of the
owner's *own* counters, weakest first, ties in the order R G B O Y P:

- lead: (my i-th lowest counter - their i-th lowest) / 6
- best line, mine: for my i-th lowest colour k, min(best S[k] over usable cells, 18 - counter) / 4,
  times 0.4 if no tile of my rack shows k; theirs: the same for their colours, without the factor
- rack count: min(tiles of my rack that show my i-th lowest colour, 3) / 2
- mean line, mine and theirs: (sum of S[k] over usable cells) / (their number + 4)
  * (18 - counter) / 18
- bias: 1

S[k] is `Playout.lines[k]`; a usable cell is free and has a free neighbour.
"""

from __future__ import annotations

import random
from functools import cache
from math import exp
from typing import Final

from genial.engine.game import Command
from genial.engine.rules import STOP, Mode
from genial.engine.view import PlayerView
from genial.strategy.baselines import closing, placing
from genial.strategy.bitsets import FIRST, SECOND, spread
from genial.strategy.budget import Budget
from genial.strategy.memory import Deals, Memory, known_state
from genial.strategy.models import reference as weights
from genial.strategy.outcome import share_of
from genial.strategy.playout import Playout
from genial.strategy.policy import Choice, close_turn, greedy_turn, owed_bonuses

_SYMBOLS: Final = (1, 2, 3, 4, 5, 6)
_CANDIDATES: Final = 16
_TURNS: Final = 4


@cache
def _weights(mine_last: bool, free: int, at_start: int) -> tuple[float, ...]:
    """The weights at a stage of the game."""
    w0, w1, w2 = weights.I_MOVED_LAST if mine_last else weights.OPPONENT_MOVED_LAST
    stage = free / at_start
    return tuple(a + b * stage + c * stage * stage for a, b, c in zip(w0, w1, w2, strict=True))


def board_lines(state: Playout) -> tuple[int, list[int], list[int]]:
    """The lines that are open: number of usable cells, best S and sum of S by symbol."""
    free = state.free
    usable = free & spread(free)
    best = [0] * 7
    total = [0] * 7
    for k in _SYMBOLS:
        rows = state.levels[k]
        level = 1
        found = 0
        while cells := rows[level] & usable:
            found += cells.bit_count()
            level += 1
        best[k] = level - 1
        total[k] = found
    return usable.bit_count(), best, total


def features(state: Playout, me: int, them: int) -> list[float]:
    """The 37 features of V for seat `me` against seat `them`."""
    usable, best, total = board_lines(state)
    return _features(state, me, them, usable, best, total)


def _features(
    state: Playout, me: int, them: int, usable: int, best: list[int], total: list[int]
) -> list[float]:
    mine, theirs = state.tracks[me], state.tracks[them]
    my_order = sorted(_SYMBOLS, key=mine.__getitem__)
    their_order = sorted(_SYMBOLS, key=theirs.__getitem__)
    shown = [0] * 7
    for kind in state.racks[me]:
        shown[FIRST[kind]] += 1
        if FIRST[kind] != SECOND[kind]:
            shown[SECOND[kind]] += 1
    spacing = usable + 4
    found = [(mine[k] - theirs[o]) / 6 for k, o in zip(my_order, their_order, strict=True)]
    for k in my_order:
        line = min(best[k], STOP - mine[k]) / 4
        found.append(line if shown[k] else 0.4 * line)
    found += [min(best[k], STOP - theirs[k]) / 4 for k in their_order]
    found += [min(shown[k], 3) / 2 for k in my_order]
    found += [total[k] / spacing * (STOP - mine[k]) / STOP for k in my_order]
    found += [total[k] / spacing * (STOP - theirs[k]) / STOP for k in their_order]
    found.append(1.0)
    return found


def value(state: Playout, me: int) -> float:
    """V: the chance that seat `me` wins, as the product over its opponents."""
    if state.over:
        return share_of(state, me)
    usable, best, total = board_lines(state)
    at_start = len(state.zone.indices) - 6
    by_stage = _weights(state.last_mover == me, state.free.bit_count(), at_start)
    product = 1.0
    gone = {state.team_of[seat] for seat in state.resigned}
    for them in range(state.players):
        if them == me or them in gone:
            continue
        logit = sum(
            w * f
            for w, f in zip(by_stage, _features(state, me, them, usable, best, total), strict=True)
        )
        product /= 1.0 + exp(-max(-40.0, min(40.0, logit)))
    return product


def ranked_candidates(state: Playout) -> list[tuple[float, Choice]]:
    """Every placement of the mover with its V, best first, ties in fixed order."""
    me = state.turn
    found: list[tuple[float, Choice]] = []
    for kind in sorted(set(state.racks[me])):
        a, b = FIRST[kind], SECOND[kind]
        for x, y in ((a, b), (b, a)) if a != b else ((a, b),):
            for u, v in state.pairs():
                state.place(kind, x, y, u, v)
                found.append((value(state, me), (kind, x, y, u, v)))
                state.undo()
    found.sort(key=lambda entry: -entry[0])
    return found


def look_ahead(state: Playout, deals: Deals, candidates: list[Choice], rollouts: int) -> Choice:
    """The best of some candidates by sequential halving over rollouts of four turns."""
    me = state.turn
    after: dict[Choice, Playout] = {}
    for candidate in candidates:
        state.place(*candidate)
        after[candidate] = state.copy()
        state.undo()
    sums = dict.fromkeys(candidates, 0.0)
    counts = dict.fromkeys(candidates, 0)
    left = candidates
    for size in (16, 8, 4, 2):
        left = left[:size]
        for _ in range(max(1, round(rollouts / 4 / len(left)))):
            deal = deals.next()
            for candidate in left:
                trial = after[candidate].copy()
                deal.put_into(trial)
                sums[candidate] += _rollout(trial, me, deals.rng)
                counts[candidate] += 1
        left = sorted(left, key=lambda one: -sums[one] / counts[one])
    return left[0]


def _rollout(state: Playout, me: int, rng: random.Random) -> float:
    """V for `me` after its own turn is over and four more turns are played greedily."""
    owed_bonuses(state)
    for _ in range(_TURNS):
        if state.over:
            break
        close_turn(state, rng)
        greedy_turn(state)
    return value(state, me)


class Reference:
    """T-n (`rollouts` = n), or V alone (0)."""

    def __init__(self, rollouts: int) -> None:
        """The reference with so many rollouts a move."""
        self.rollouts = rollouts
        self.name = f"reference-{rollouts}" if rollouts else "reference"
        self.description = (
            f"the frozen reference T-{rollouts}" if rollouts else "the frozen reference V"
        )
        self.budget = Budget()

    def choose(
        self, view: PlayerView, memory: Memory, rng: random.Random, budget: Budget
    ) -> Command:
        """See `levels.Level`; the budget is not looked at.

        Raises:
            ValueError: Also for other modes than free-for-all.
        """
        if view.rules.mode is not Mode.FREE:
            raise ValueError("the reference plays free-for-all only")
        state = known_state(view)
        if not state.must_place:
            return closing(view, state.turn)
        best = [candidate for _, candidate in ranked_candidates(state)[:_CANDIDATES]]
        chosen = best[0]
        if self.rollouts and len(best) > 1:
            chosen = look_ahead(state, Deals(view, memory, rng), best, self.rollouts)
        kind, a, _, u, v = chosen
        return placing(state.turn, kind, a != FIRST[kind], (u, v))
