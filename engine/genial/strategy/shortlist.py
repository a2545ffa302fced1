"""A quick choice of the placements that are worth a closer look.

The evaluation is linear in the lines of the board, so what a placement does to it is, to first
order, the sum of what its two halves do: the points that a half scores, the lines on its cell that
nobody can use any more, and the new ones that it opens beside it. Each half is judged once by
colour and cell, thousands of placements by one addition each.
"""

from __future__ import annotations

from math import exp
from operator import add, mul
from typing import Final

from genial.engine.rules import advance
from genial.strategy.bitsets import AXES, BITS, FIRST, SECOND, cells_in, spread
from genial.strategy.evaluation import (
    MEAN_MINE,
    MEAN_THEIRS,
    NOBODY,
    SYMBOLS,
    Evaluation,
    Side,
    features,
    open_lines,
    own_score,
    own_terms,
    shown_by,
    supply_for,
)
from genial.strategy.playout import Playout
from genial.strategy.policy import Choice

_BONUS: Final = 0.35
"""What a bonus placement is worth beside the points, in logits (solitaire has none)."""


Worths = dict[int, dict[int, float]]
"""By symbol and free cell, what a half tile there is worth to the mover, in logits."""


def shortlist(state: Playout, evaluation: Evaluation, size: int) -> list[Choice]:
    """The most promising placements of the mover, at most `size`, best first.

    Ties are in fixed order, so the result depends on the state alone.
    """
    rack = state.racks[state.turn]
    kinds = sorted(set(rack))
    symbols = sorted({FIRST[kind] for kind in kinds} | {SECOND[kind] for kind in kinds})
    side = Side(shown_by(rack), supply_for(state, rack))
    worth = half_worths(state, evaluation, side, symbols)
    found: list[tuple[float, Choice]] = []
    pairs = state.pairs()
    for kind in kinds:
        a, b = FIRST[kind], SECOND[kind]
        for x, y in ((a, b), (b, a)) if a != b else ((a, b),):
            at_x, at_y = worth[x], worth[y]
            found += [(at_x[u] + at_y[v], (kind, x, y, u, v)) for u, v in pairs]
    found.sort(reverse=True)
    return [choice for _, choice in found[:size]]


def best_by_kind(state: Playout, evaluation: Evaluation) -> list[tuple[float, Choice]]:
    """The most promising placement of every kind of tile by the mover, whose rack is not known.

    Returns:
        By kind how good it is (logits, comparable between kinds) and the placement.
    """
    side = Side([2] * 7, supply_for(state, ()))
    worth = half_worths(state, evaluation, side, list(SYMBOLS))
    pairs = state.pairs()
    on_u = [[worth[k][u] for u, _ in pairs] for k in SYMBOLS]
    on_v = [[worth[k][v] for _, v in pairs] for k in SYMBOLS]
    found = []
    for kind, (a, b) in enumerate(zip(FIRST, SECOND, strict=True)):
        sums = list(map(add, on_u[a - 1], on_v[b - 1]))
        best = max(sums)
        x, y = a, b
        if a != b:
            turned = list(map(add, on_u[b - 1], on_v[a - 1]))
            other = max(turned)
            if other > best:
                best, sums, x, y = other, turned, b, a
        u, v = pairs[sums.index(best)]
        found.append((best, (kind, x, y, u, v)))
    return found


def half_worths(state: Playout, evaluation: Evaluation, side: Side, symbols: list[int]) -> Worths:
    """What half tiles are worth to the mover, for some symbols on all free cells."""
    team = state.team_of[state.turn]
    mine = state.tracks[team]
    cap = state.cap
    lines = open_lines(state)
    weights = evaluation.weights(True, max(0, state.free.bit_count() - 2))
    gone = {state.team_of[seat] for seat in state.resigned}
    others = [
        theirs for other, theirs in enumerate(state.tracks) if other != team and other not in gone
    ] or [NOBODY]

    # How much each comparison matters: a game that is won or lost against one team already
    # says nothing about where to place.
    pull: list[float] = []
    for theirs in others:
        logit = sum(map(mul, weights, features(mine, theirs, cap, lines, side)))
        pull.append(1.0 if evaluation.solo else 1 / (1 + exp(max(-30.0, min(30.0, logit)))))
    most = max(pull)
    pull = [max(part / most, 0.02) for part in pull]
    pulls = sum(pull)

    # What one unit of S on a usable cell is worth to me, by colour.
    spacing = lines.usable + 4
    unit = [0.0] * 7
    my_order = sorted(SYMBOLS, key=mine.__getitem__)
    for part, theirs in zip(pull, others, strict=True):
        for rank, k in enumerate(my_order):
            unit[k] += part * weights[MEAN_MINE + rank] * (cap - mine[k]) / cap / spacing
        for rank, k in enumerate(sorted(SYMBOLS, key=theirs.__getitem__)):
            unit[k] += part * weights[MEAN_THEIRS + rank] * (cap - theirs[k]) / cap / spacing

    free = cells_in(state.free)
    rows = state.lines
    plain = _plainly_opened(state.free)
    lost = {u: sum(unit[k] * rows[k][u] for k in SYMBOLS) for u in free}
    worth: dict[int, dict[int, float]] = {}
    terms = own_terms(weights, cap, lines, side)
    before = own_score(terms, mine, cap, lines.best)
    for k in symbols:
        earned: dict[int, float] = {}
        row = rows[k]
        opened = _opened(state, k, plain)
        trial = mine[:]
        for points in {row[u] for u in free}:
            after = advance(mine[k], points, cap)
            gain = 0.0
            if after != mine[k]:
                trial[k] = after
                gain = pulls * (own_score(terms, trial, cap, lines.best) - before)
                if state.has_bonus and after in (18, cap):
                    gain += _BONUS
            earned[points] = gain
        worth[k] = {u: earned[row[u]] + unit[k] * opened[u] - lost[u] for u in free}
    return worth


def _opened(state: Playout, symbol: int, plain: dict[int, int]) -> dict[int, int]:
    """By free cell, by how much S of a symbol grows around if it is laid there.

    Args:
        state: The board.
        symbol: What is laid.
        plain: The same for a symbol that has no line to the cell: see `_plainly_opened`.
    """
    cells = state.cells
    usable = state.free & spread(state.free)
    found = plain.copy()
    for cell in cells_in(state.free & state.levels[symbol][1]):
        grown = 0
        for step in AXES:
            end, length = cell + step, 1
            while cells[end] == symbol:
                end += step
                length += 1
            other, far = cell - step, 1
            while cells[other] == symbol:
                other -= step
                far += 1
            if usable & BITS[end]:
                grown += far
            if usable & BITS[other]:
                grown += length
        found[cell] = grown
    return found


def _plainly_opened(free: int) -> dict[int, int]:
    """By free cell, how many usable cells there are beside it: each would see one more."""
    usable = free & spread(free)
    return {cell: (usable & spread(BITS[cell])).bit_count() for cell in cells_in(free)}
