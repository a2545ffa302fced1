"""The search's playout state against the naive referee."""

from __future__ import annotations

import random

from genial.engine.board import Board, axial_of
from genial.engine.rules import Rules
from genial.engine.tiles import FULL_SET, TILE_KINDS
from genial.strategy.bitsets import FIRST, SECOND, kinds_of
from genial.strategy.evaluation import Evaluation
from genial.strategy.memory import Deal
from genial.strategy.playout import Playout
from genial.strategy.policy import close_turn, owed_bonuses, play_randomly
from genial.strategy.scored import scored_placements
from genial.strategy.search import Depth, placements, rollout
from genial.strategy.selfplay import best_by_value
from tests.benchmarks.run import Bench, rate
from tests.referee import naive, policies

Position = tuple[Playout, dict[naive.Cell, str], set[naive.Cell], list[str]]


def dealt(rules: Rules, rng: random.Random) -> Playout:
    """A game about to begin, its bag shuffled by `rng`."""
    state = Playout(rules, Board.start(rules.zone), 0)
    bag = kinds_of(FULL_SET)
    rng.shuffle(bag)
    state.racks = [[bag.pop() for _ in range(rules.rack_size)] for _ in range(rules.players)]
    state.bag = bag
    return state


def positions(count: int) -> list[Position]:
    """Positions after 2, 4, 6, … placements of random games of two, both sides' way."""
    rng = random.Random(20)
    found: list[Position] = []
    while len(found) < count:
        state = dealt(Rules(players=2), rng)
        for placed in range(2, 30, 2):
            for _ in range(2):
                kind = state.racks[state.turn][0]
                state.place(kind, FIRST[kind], SECOND[kind], *rng.choice(state.pairs()))
                state.refill()
            board = {
                (cell.q, cell.r): "RGBOYP"[state.cells[index] - 1]
                for cell, index in zip(state.zone.cells, state.zone.indices, strict=True)
                if state.cells[index]
            }
            rack = [str(TILE_KINDS[kind]) for kind in state.racks[state.turn]]
            cells = {tuple(axial_of(index)) for index in state.zone.indices}
            found.append((state.copy(), board, cells, rack))  # type: ignore[arg-type]
            if placed == 28:
                break
    return found[:count]


def placements_ratio() -> float:
    """Scored placements a second: the playout state's over the naive referee's."""
    chosen = positions(28)

    def flat() -> int:
        return sum(len(scored_placements(state)) for state, _, _, _ in chosen)

    def plain() -> int:
        return sum(
            len(naive.scored_placements(board, cells, rack)) for _, board, cells, rack in chosen
        )

    assert flat() == plain()
    return rate(flat, 0.5) / rate(plain, 1.0)


def games_ratio() -> float:
    """Random games of two a second: the playout state's over the naive referee's."""
    rng = random.Random(21)
    rules = Rules(players=2)

    def flat() -> int:
        play_randomly(dealt(rules, rng), rng)
        return 1

    def plain() -> int:
        policies.play_game(2, rng)
        return 1

    return rate(flat, 0.5) / rate(plain, 1.5)


def rollouts_ratio() -> float:
    """Rollouts of the expert's search a second over random games of the naive referee."""
    rng = random.Random(22)
    rules = Rules(players=2)
    evaluation = Evaluation(rules)
    state = dealt(rules, rng)
    for _ in range(12):
        state.place(*best_by_value(state, evaluation, 8))
        owed_bonuses(state)
        close_turn(state, rng)
    found = placements(state, evaluation, Depth())[:16]
    me = state.turn
    racks = {seat: rack for seat, rack in enumerate(state.racks) if seat != me}

    def ahead() -> int:
        deal = Deal(racks, rng.sample(state.bag, len(state.bag)))
        for candidate in found:
            rollout(candidate, deal, me, Depth(), evaluation, rng)
        return len(found)

    def plain() -> int:
        policies.play_game(2, rng)
        return 1

    return rate(ahead, 0.5) / rate(plain, 1.5)


BENCHES = [
    Bench(
        "rollouts",
        "truncated rollouts of the search over the naive referee's random games",
        25,
        True,
        rollouts_ratio,
    ),
    Bench(
        "placements",
        "all scored placements of a rack, playout state over naive referee",
        60,
        True,
        placements_ratio,
    ),
    Bench(
        "random-games",
        "random whole games, playout state over naive referee",
        25,
        True,
        games_ratio,
    ),
]
