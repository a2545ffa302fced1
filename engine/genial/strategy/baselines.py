"""Levels that only look at what a placement earns; for beginners, and for measuring.

All of them exchange whenever it is allowed: their rack then scores nothing for their weakest
symbol, or nothing at all.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from genial.engine.board import axial_of
from genial.engine.game import Command, ExchangeRack, PlaceTile, RefillRack
from genial.engine.rules import score
from genial.engine.tiles import TILE_KINDS, Tile
from genial.engine.view import PlayerView
from genial.strategy.bitsets import FIRST, SECOND
from genial.strategy.budget import Budget
from genial.strategy.memory import Memory, known_state
from genial.strategy.playout import Playout
from genial.strategy.scored import scored_placements

Worth = Callable[[tuple[int, ...], tuple[int, ...]], tuple[int, ...]]
"""How good it is to come from one track to another; the highest is chosen."""


def sorted_tracks(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, ...]:
    """The weakest counter first, and so on; then the total."""
    return (*sorted(after), sum(after))


def most_points(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[int, ...]:
    """The points that count."""
    return (sum(after) - sum(before),)


def placing(seat: int, kind: int, turned: bool, pair: tuple[int, int]) -> PlaceTile:
    """The command that places a tile of `kind` on a pair of mailbox indices."""
    tile: Tile = TILE_KINDS[kind]
    cells = (axial_of(pair[0]), axial_of(pair[1]))
    return PlaceTile(seat, tile.flipped if turned else tile, cells)


def best_placements(state: Playout, worth: Worth) -> list[tuple[int, bool, tuple[int, int]]]:
    """The placements of the mover that are worth most, as (kind, turned, pair), in fixed order.

    What a placement is worth depends on the points of its two halves only, so each combination
    is judged once.
    """
    scored = scored_placements(state)
    track = state.track(state.turn)
    best: tuple[int, ...] | None = None
    chosen: list[tuple[int, bool, set[tuple[int, int]]]] = []
    for kind in sorted(scored.totals):
        a, b = FIRST[kind], SECOND[kind]
        for turned in (False, True) if a != b else (False,):
            x, y = (b, a) if turned else (a, b)
            judged: dict[tuple[int, ...], set[tuple[int, int]]] = {}
            for halves in set(zip(scored.first[x], scored.second[y], strict=True)):
                after, _ = score(track, ((x, halves[0]), (y, halves[1])), state.cap)
                judged.setdefault(worth(track, after), set()).add(halves)
            top = max(judged)
            if best is None or top >= best:
                if top != best:
                    best, chosen = top, []
                chosen.append((kind, turned, judged[top]))
    found = []
    for kind, turned, wanted in chosen:
        a, b = (SECOND[kind], FIRST[kind]) if turned else (FIRST[kind], SECOND[kind])
        halves_of = zip(scored.first[a], scored.second[b], strict=True)
        for pair, halves in zip(scored.pairs, halves_of, strict=True):
            if halves in wanted:
                found.append((kind, turned, pair))
    return found


def closing(view: PlayerView, seat: int) -> Command:
    """End the turn: exchange if that is allowed, else refill."""
    return ExchangeRack(seat) if view.may_exchange else RefillRack(seat)


class OnePly:
    """Chooses by what the placement earns, and by chance between equals."""

    def __init__(self, name: str, description: str, worth: Worth) -> None:
        """A level called `name` that prefers the highest `worth`."""
        self.name = name
        self.description = description
        self.budget = Budget()
        self._worth = worth

    def choose(
        self, view: PlayerView, memory: Memory, rng: random.Random, budget: Budget
    ) -> Command:
        """See `levels.Level`."""
        state = known_state(view)
        if not state.must_place:
            return closing(view, state.turn)
        kind, turned, pair = rng.choice(best_placements(state, self._worth))
        return placing(state.turn, kind, turned, pair)


class AnyPlacement:
    """Every tile, either way round, on every pair of cells alike."""

    name = "random"
    description = "any placement, by chance"
    budget = Budget()

    def choose(
        self, view: PlayerView, memory: Memory, rng: random.Random, budget: Budget
    ) -> Command:
        """See `levels.Level`."""
        state = known_state(view)
        if not state.must_place:
            return closing(view, state.turn)
        kind = rng.choice(state.racks[state.turn])
        return placing(state.turn, kind, rng.random() < 0.5, rng.choice(state.pairs()))


RANDOM = AnyPlacement()
GREEDY = OnePly("greedy", "the placement that earns most points", most_points)
MAXMIN = OnePly("maxmin", "the placement that leaves the best weakest counters", sorted_tracks)
