"""The search of the last placements finds what trying everything finds."""

from __future__ import annotations

import random

import pytest

from genial.engine.game import Phase
from genial.engine.rules import Mode, Rules
from genial.engine.view import view_for
from genial.strategy import endgame
from genial.strategy.baselines import MAXMIN
from genial.strategy.bitsets import FIRST, SECOND
from genial.strategy.budget import Budget
from genial.strategy.evaluation import Evaluation
from genial.strategy.levels import EXPERT
from genial.strategy.memory import Deals, known_state
from genial.strategy.outcome import share_of
from genial.strategy.playout import Playout
from genial.strategy.policy import close_turn
from genial.strategy.search import Depth, placements
from tests.strategy.games import Table


def everything(state: Playout, me: int, rng: random.Random) -> float:
    """Minimax without any cut, on copies."""
    if state.over:
        return share_of(state, me)
    mine = state.team_of[state.turn] == state.team_of[me]
    found = []
    for kind in set(state.racks[state.turn]):
        for a, b in {(FIRST[kind], SECOND[kind]), (SECOND[kind], FIRST[kind])}:
            for u, v in state.pairs():
                trial = state.copy()
                trial.place(kind, a, b, u, v)
                if not trial.over and not trial.must_place:
                    close_turn(trial, rng)
                found.append(everything(trial, me, rng))
    return max(found) if mine else min(found)


def near_the_end(rules: Rules, seed: int, pairs: int) -> Table | None:
    table = Table(rules, seed)
    table.play(
        [MAXMIN] * rules.players,
        random.Random(seed),
        lambda game: game.phase is Phase.PLACE and len(game.board.free_pairs()) <= pairs,
    )
    return None if table.game.is_over else table


def some_end(rules: Rules, pairs: int) -> Table:
    found = (near_the_end(rules, seed, pairs) for seed in range(30))
    return next(table for table in found if table is not None)


@pytest.mark.parametrize("rules", [Rules(players=2), Rules(mode=Mode.PARTNERS, players=4)], ids=str)
def test_as_good_as_trying_everything(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endgame, "_WIDTHS", (10_000,) * 12)
    evaluation = Evaluation(rules)
    compared = 0
    for seed in range(30):
        table = near_the_end(rules, seed, 4)
        if table is None or compared >= 24:
            continue
        seat = table.game.turn
        view = view_for(table.game, seat)
        state = known_state(view)
        rng = random.Random(seed)
        deal = Deals(view, table.memories[seat], rng).next()
        for candidate in placements(state, evaluation, Depth())[:4]:
            found = endgame.settle(candidate, deal, seat, evaluation, rng)
            after = candidate.after.copy()
            deal.put_into(after)
            if not after.over:
                close_turn(after, rng)
            assert found == everything(after, seat, rng)
            compared += 1
    assert compared >= 20


def test_only_two_sides_are_searched_and_only_near_the_end() -> None:
    for rules in (Rules(players=2), Rules(players=3), Rules(mode=Mode.SOLO, players=1)):
        assert not endgame.is_near(Playout.of(Table(rules, 1).game))
    table = some_end(Rules(players=2), 6)
    assert endgame.is_near(Playout.of(table.game))
    three = some_end(Rules(players=3), 6)
    assert not endgame.is_near(Playout.of(three.game))


def test_promising_placements_are_legal_and_no_more_than_asked_for() -> None:
    table = some_end(Rules(players=2), 12)
    state = Playout.of(table.game)
    found = endgame.promising(state, 5)
    assert 1 <= len(found) <= 5
    for kind, a, b, u, v in found:
        assert kind in state.racks[state.turn]
        assert {a, b} == {FIRST[kind], SECOND[kind]}
        assert (u, v) in state.pairs()


def test_the_expert_plays_the_end_by_the_rules() -> None:
    for rules in (Rules(players=2), Rules(mode=Mode.PARTNERS, players=4)):
        table = some_end(rules, 12)
        rng = random.Random(1)
        while not table.game.is_over:
            seat = table.game.turn
            view = view_for(table.game, seat)
            table.give(EXPERT.choose(view, table.memories[seat], rng, Budget(rollouts=40)))
