"""Levels that look ahead: their budgets, their temperaments, their evaluation."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from genial.engine.game import ExchangeRack, Game, Phase, PlaceTile
from genial.engine.rules import Mode, Rules
from genial.engine.view import view_for
from genial.strategy.baselines import MAXMIN, RANDOM
from genial.strategy.budget import Budget
from genial.strategy.evaluation import (
    FEATURES,
    GROUPS,
    INPUTS,
    KNOTS,
    Evaluation,
    Side,
    features,
    model_key,
    open_lines,
    own_score,
    own_terms,
    shipped_model,
    shown_by,
    supply_for,
)
from genial.strategy.levels import EASY, EXPERT, HARD, MEDIUM, SHOWN, level_named
from genial.strategy.memory import known_state
from genial.strategy.playout import Playout
from genial.strategy.shortlist import shortlist
from genial.strategy.temper import TEMPERAMENTS
from genial.strategy.thinking import Thinker
from tests.strategy.games import EVERY_MODE, RULES_NAMES, Table


class Clock:
    """A clock that moves on by a step each time it is read."""

    def __init__(self, step: float) -> None:
        self.step = step
        self.now = 100.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def middle_of_a_game(rules: Rules, seed: int, after: int = 12) -> Table:
    table = Table(rules, seed)
    rng = random.Random(seed)
    table.play([MAXMIN] * rules.players, rng, ready_after(after + rules.players))
    return table


def ready_after(revision: int) -> Callable[[Game], bool]:
    return lambda game: game.phase is Phase.PLACE and game.revision > revision


@pytest.mark.parametrize("rules", EVERY_MODE, ids=RULES_NAMES)
@pytest.mark.parametrize("level", [EASY, MEDIUM, HARD, EXPERT], ids=lambda level: level.name)
def test_every_level_plays_every_mode_by_the_rules(level: Thinker, rules: Rules) -> None:
    table = middle_of_a_game(rules, 3)
    rng = random.Random(1)
    for _ in range(5):
        if table.game.is_over:
            return
        seat = table.game.turn
        view = view_for(table.game, seat)
        budget = Budget(rollouts=64)
        table.give(level.choose(view, table.memories[seat], rng, budget))


def test_a_whole_game_of_experts_with_a_small_budget() -> None:
    table = Table(Rules(players=2), 8)
    rng = random.Random(8)
    while not table.game.is_over:
        seat = table.game.turn
        view = view_for(table.game, seat)
        table.give(EXPERT.choose(view, table.memories[seat], rng, Budget(rollouts=32)))
    assert table.game.ended is not None


@pytest.mark.parametrize("seconds", [0.1, 1.0, 5.0])
def test_thinking_time_is_used_and_kept(seconds: float) -> None:
    """On a clock that moves 1 ms at each look, whoever stops in time stops within 10 %."""
    table = middle_of_a_game(Rules(players=2), 3)
    view = view_for(table.game, table.game.turn)
    clock = Clock(0.01 * seconds)
    started = clock.now
    EXPERT.choose(
        view,
        table.memories[table.game.turn],
        random.Random(1),
        Budget(seconds=seconds, clock=clock),
    )
    assert 0.9 * seconds <= clock.now - started <= 1.1 * seconds


def test_the_number_of_rollouts_is_kept() -> None:
    spent = []
    for seed in range(3, 8):
        table = middle_of_a_game(Rules(players=2), seed)
        seat = table.game.turn
        view, memory = view_for(table.game, seat), table.memories[seat]
        found = EXPERT.weigh(view, memory, random.Random(1), Budget(rollouts=400))
        spent.append(sum(len(candidate.tries) for candidate in found))
        # Halving: the one chosen was tried most.
        assert len(found[0].tries) == max(len(candidate.tries) for candidate in found)
    # A choice that is soon plain stops early; not all of them are.
    assert 350 <= max(spent) <= 400


def test_the_same_seed_decides_alike_and_expert_levels_differ_by_it_seldom() -> None:
    table = middle_of_a_game(Rules(players=3), 5)
    seat = table.game.turn
    view, memory = view_for(table.game, seat), table.memories[seat]
    budget = Budget(rollouts=100)
    for level in (EASY, MEDIUM, HARD, EXPERT):
        one, other = (level.choose(view, memory, random.Random(3), budget) for _ in range(2))
        assert one == other


def test_weaker_levels_slip_more() -> None:
    table = middle_of_a_game(Rules(players=2), 3)
    seat = table.game.turn
    view, memory = view_for(table.game, seat), table.memories[seat]

    def variety(level: Thinker) -> int:
        return len(
            {level.choose(view, memory, random.Random(seed), level.budget) for seed in range(30)}
        )

    assert variety(HARD) == 1
    assert 1 < variety(MEDIUM) <= variety(EASY)


def test_temperaments_have_names_and_change_what_is_played() -> None:
    names = {level.name for level in SHOWN}
    for name in ("easy", "medium", "hard", "expert"):
        for style in ("builder", "blocker", "gambler"):
            assert f"{name}/{style}" in names
            assert level_named(f"{name}/{style}").name == f"{name}/{style}"
    played: Counter[str] = Counter()
    for seed in range(12):
        table = middle_of_a_game(Rules(players=2), seed)
        seat = table.game.turn
        view, memory = view_for(table.game, seat), table.memories[seat]
        plain = HARD.choose(view, memory, random.Random(1), HARD.budget)
        for temperament in TEMPERAMENTS:
            level = HARD.with_temperament(temperament)
            if level.choose(view, memory, random.Random(1), level.budget) != plain:
                played[temperament.name] += 1
    assert set(played) == {"builder", "blocker", "gambler"}
    assert max(played.values()) < 12


def test_exchanges_are_weighed_not_ruled() -> None:
    """Levels exchange where that is better; there are racks that they keep."""
    kept = exchanged = 0
    for seed in range(40):
        table = Table(Rules(players=2), seed)
        rng = random.Random(seed)
        while not table.game.is_over:
            game = table.game
            if game.phase is Phase.CLOSE and game.may_exchange(game.turn):
                view = view_for(game, game.turn)
                command = HARD.choose(view, table.memories[game.turn], rng, Budget(rollouts=60))
                exchanged += isinstance(command, ExchangeRack)
                kept += not isinstance(command, ExchangeRack)
                table.give(command)
            else:
                table.step(MAXMIN, rng)
        if kept and exchanged:
            return
    pytest.fail(f"{exchanged} exchanges, {kept} racks kept")


@pytest.mark.parametrize("rules", EVERY_MODE[:5], ids=RULES_NAMES[:5])
def test_models_fit_their_features_and_chances_are_chances(rules: Rules) -> None:
    model = shipped_model(model_key(rules))
    for curve in (model.mine_last, model.theirs_last):
        assert [len(row) for row in curve] == [FEATURES] * len(KNOTS)
    if model.network is not None:
        assert {len(row) for row in model.network.hidden} == {INPUTS}
        assert len(model.network.past) == INPUTS
    assert 6 * len(GROUPS) + 1 == FEATURES
    evaluation = Evaluation(rules)
    for after in (5, 40):
        state = Playout.of(middle_of_a_game(rules, 2, after).game)
        for seat in range(rules.players):
            value = evaluation.value(state, seat)
            assert (0 <= value <= 18) if rules.mode is Mode.SOLO else (0 <= value <= 1)


@pytest.mark.parametrize("rules", EVERY_MODE[:5], ids=RULES_NAMES[:5])
def test_a_glance_is_the_linear_model_alone(rules: Rules) -> None:
    shipped = shipped_model(model_key(rules))
    linear = Evaluation(rules, replace(shipped, network=None))
    state = Playout.of(middle_of_a_game(rules, 2).game)
    assert Evaluation(rules).glance(state, 0) == linear.value(state, 0)
    if shipped.network is not None:
        assert Evaluation(rules).glance(state, 0) != Evaluation(rules).value(state, 0)


def test_the_shortlist_holds_the_best_placements() -> None:
    """Against valuing every placement exactly, over positions of random games."""
    hits = wanted = 0
    for seed in range(6):
        table = Table(Rules(players=2 + seed % 3), seed)
        rng = random.Random(seed)
        players = table.game.rules.players
        table.play([RANDOM] * players, rng, ready_after(20 + 8 * seed))
        if table.game.is_over:
            continue
        seat = table.game.turn
        state = known_state(view_for(table.game, seat))
        evaluation = Evaluation(state.rules)
        values = {}
        everything = shortlist(state, evaluation, 100_000)
        assert len(everything) == len(table.game.legal_placements(seat))
        for choice in everything:
            state.place(*choice)
            values[choice] = evaluation.glance(state, seat)
            state.undo()
        best = sorted(values, key=lambda choice: -values[choice])[:8]
        wanted += len(best)
        hits += len(set(best) & set(everything[:64]))
    assert hits >= 0.9 * wanted


@pytest.mark.parametrize("rules", EVERY_MODE[:5], ids=RULES_NAMES[:5])
def test_own_scores_differ_as_the_whole_linear_model_does(rules: Rules) -> None:
    """`own_score` is a quick way to what `features` and weights say of one's own counters."""
    state = Playout.of(middle_of_a_game(rules, 4).game)
    rng = random.Random(2)
    lines = open_lines(state)
    evaluation = Evaluation(rules)
    weights = evaluation.weights(True, state.free.bit_count())
    side = Side(shown_by(state.racks[0]), supply_for(state, state.racks[0]))
    terms = own_terms(weights, state.cap, lines, side)
    theirs = state.tracks[-1]

    def whole(mine: list[int]) -> float:
        found = features(mine, theirs, state.cap, lines, side)
        return sum(weight * feature for weight, feature in zip(weights, found, strict=True))

    mine, other = ([0, *(rng.randint(0, state.cap) for _ in range(6))] for _ in range(2))
    quick = own_score(terms, mine, state.cap, lines.best)
    quick -= own_score(terms, other, state.cap, lines.best)
    assert quick == pytest.approx(whole(mine) - whole(other))


def test_placements_come_from_the_rack() -> None:
    table = middle_of_a_game(Rules(players=2), 3)
    seat = table.game.turn
    command = HARD.choose(
        view_for(table.game, seat), table.memories[seat], random.Random(1), HARD.budget
    )
    assert isinstance(command, PlaceTile)
    assert command.tile.canonical in table.game.racks[seat]
