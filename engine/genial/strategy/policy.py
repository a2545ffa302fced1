"""The cheap policy that plays the turns of a rollout.

It takes the placement that gains its mover most in the sum over colours of U(c) = -(18 - c)^3, plus
300 for a counter that reaches 18, and looks at nobody else. It never lists placements: the cells
where a colour scores at least n are a bit set, and two such sets hold a pair of neighbours or not.
"""

from __future__ import annotations

import random
from functools import cache
from typing import Final

from genial.engine.rules import STOP, advance
from genial.strategy.bitsets import FIRST, SECOND, TOP, spread
from genial.strategy.playout import Playout, Shuffle

_BONUS: Final = 300
_MOST_RETURNED: Final = 6

Choice = tuple[int, int, int, int, int]
"""A placement: kind, symbol on the first cell, symbol on the second, first cell, second cell."""


def _worth(counter: int, cap: int) -> float:
    """U: how good a counter is; on a double track the same curve, stretched."""
    return -(((cap - counter) * STOP / cap) ** 3)


@cache
def gains(counter: int, cap: int) -> tuple[float, ...]:
    """By points of a half, 0..TOP: what they are worth to a counter."""
    row = []
    for points in range(TOP + 1):
        after = advance(counter, points, cap)
        reached = after > counter and after in (STOP, cap)
        row.append(_worth(after, cap) - _worth(counter, cap) + (_BONUS if reached else 0))
    return tuple(row)


def best_choice(state: Playout, gain: list[tuple[float, ...]]) -> Choice:
    """The placement of the mover with the highest sum of gains of its two halves.

    Args:
        state: A state in which the mover must place; it has a tile and a free pair.
        gain: By symbol, what so many points of a half are worth; must not fall with points.
    """
    free = state.free
    rack = set(state.racks[state.turn])
    if not state.started >> state.turn & 1 and state.starting_cells() != free:
        return _best_start(state, gain)
    levels = state.levels
    shown = {FIRST[kind] for kind in rack} | {SECOND[kind] for kind in rack}
    tops = [0] * 7
    for k in shown:
        rows = levels[k]
        level = 1
        while rows[level] & free:
            level += 1
        tops[k] = level - 1
    order = sorted(
        (
            (gain[FIRST[kind]][tops[FIRST[kind]]] + gain[SECOND[kind]][tops[SECOND[kind]]], kind)
            for kind in rack
        ),
        reverse=True,
    )
    beside: dict[tuple[int, int], int] = {}
    best = -1.0
    found = (0, 0, 0, 0, 0)
    for bound, kind in order:
        if bound <= best:
            break
        a, b = FIRST[kind], SECOND[kind]
        gain_a, gain_b = gain[a], gain[b]
        rows_a, rows_b = levels[a], levels[b]
        top_b = tops[b]
        most_b = gain_b[top_b]
        for points_a in range(tops[a], -1, -1):
            worth_a = gain_a[points_a]
            if worth_a + most_b <= best:
                break
            near = beside.get((a, points_a))
            if near is None:
                near = spread(rows_a[points_a] & free) & free
                beside[a, points_a] = near
            for points_b in range(top_b, -1, -1):
                worth = worth_a + gain_b[points_b]
                if worth <= best:
                    break
                cells = near & rows_b[points_b]
                if cells:
                    best = worth
                    cell_b = cells & -cells
                    cells = spread(cell_b) & rows_a[points_a] & free
                    cell_a = cells & -cells
                    found = (kind, a, b, cell_a.bit_length() - 1, cell_b.bit_length() - 1)
                    break
    return found


def _best_start(state: Playout, gain: list[tuple[float, ...]]) -> Choice:
    """The same for a first placement, which has few pairs to choose from."""
    lines = state.lines
    choices = [
        (gain[a][lines[a][u]] + gain[b][lines[b][v]], (kind, a, b, u, v))
        for kind in sorted(set(state.racks[state.turn]))
        for a, b in ((FIRST[kind], SECOND[kind]), (SECOND[kind], FIRST[kind]))
        for u, v in state.pairs()
    ]
    return max(choices)[1]


def owed_bonuses(state: Playout) -> None:
    """Play the placements that the mover owes."""
    while state.must_place:
        cap = state.cap
        gain = [gains(counter, cap) for counter in state.tracks[state.team_of[state.turn]]]
        state.place(*best_choice(state, gain))


def greedy_turn(state: Playout) -> None:
    """Play the mover's placement and what it owes then; the turn is not ended."""
    owed_bonuses(state)


def stirring(rng: random.Random) -> Shuffle:
    """A quick shuffle for an exchange from a bag that is in random order already.

    The returned tiles, which lie on top, are mixed in as the last steps of Fisher and Yates's
    shuffle would do it; its first steps would not make the rest any more random.
    """
    pick = rng.random

    def stir(bag: list[int]) -> None:
        count = len(bag)
        for at in range(max(0, count - _MOST_RETURNED), count):
            other = int(pick() * (at + 1))
            bag[at], bag[other] = bag[other], bag[at]

    return stir


def close_turn(state: Playout, rng: random.Random) -> None:
    """End the mover's turn: exchange whenever that is allowed."""
    if state.may_exchange():
        state.exchange(stirring(rng))
    else:
        state.refill()


def play_randomly(state: Playout, rng: random.Random) -> None:
    """Play a game to its end: placements at random, an allowed exchange half the time.

    Every legal pair is equally likely, and so is every tile on the rack, either way round.
    """
    zone_pairs = state.zone.pairs
    count = len(zone_pairs)
    cells = state.cells
    pick = rng.random
    while not state.over:
        if state.must_place:
            rack = state.racks[state.turn]
            kind = rack[int(pick() * len(rack))]
            pair = None
            if state.started >> state.turn & 1:
                # Drawing until a free pair comes up beats listing them while many are free.
                for _ in range(12):
                    drawn = zone_pairs[int(pick() * count)]
                    if not (cells[drawn[0]] or cells[drawn[1]]):
                        pair = drawn
                        break
            if pair is None:
                pairs = state.pairs()
                pair = pairs[int(pick() * len(pairs))]
            a, b = FIRST[kind], SECOND[kind]
            if pick() < 0.5:
                a, b = b, a
            state.place(kind, a, b, *pair)
        elif pick() < 0.5 and state.may_exchange():
            state.exchange(stirring(rng))
        else:
            state.refill()
