"""Every level plays whole games by the rules, and knows only what its seat may know."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from genial.engine.game import (
    Cells,
    ExchangeRack,
    Game,
    Phase,
    Placed,
    PlaceTile,
    RefillRack,
)
from genial.engine.rules import Mode, Rules, score
from genial.engine.tiles import Tile
from genial.engine.view import view_for
from genial.strategy.baselines import GREEDY, MAXMIN, RANDOM
from genial.strategy.budget import Budget, InvalidBudgetError
from genial.strategy.levels import SHOWN, Level, UnknownLevelError, level_named
from tests.strategy.games import EVERY_MODE, RULES_NAMES, Table, bag_of

SIMPLE = [RANDOM, GREEDY, MAXMIN]
LOOKING_AHEAD = [level_named("reference"), level_named("reference-200")]


@pytest.mark.parametrize("rules", EVERY_MODE, ids=RULES_NAMES)
@pytest.mark.parametrize("level", SIMPLE, ids=lambda level: level.name)
def test_a_whole_game_by_the_rules(level: Level, rules: Rules) -> None:
    chosen = level_named(level.name)
    table = Table(rules, seed=len(chosen.name) + rules.players)
    game = table.play([chosen] * rules.players, random.Random(1))
    assert game.is_over


def test_unknown_levels_are_refused_with_the_names_there_are() -> None:
    with pytest.raises(UnknownLevelError, match="medium"):
        level_named("grandmaster")


@pytest.mark.parametrize("limits", [{"seconds": 0.0}, {"seconds": -1.0}, {"rollouts": 0}])
def test_a_budget_of_nothing_is_refused(limits: dict[str, float]) -> None:
    with pytest.raises(InvalidBudgetError):
        Budget(**limits)  # type: ignore[arg-type]


def left(game: Game, tile: Tile, cells: Cells) -> tuple[list[int], int]:
    """What a placement leaves: the sorted counters, then their total."""
    first, second = game.board.points(tile, cells)
    halves = ((tile.first, first), (tile.second, second))
    track, _ = score(game.track(game.turn), halves, game.rules.cap)
    return sorted(track), sum(track)


@pytest.mark.parametrize("rules", EVERY_MODE, ids=RULES_NAMES)
def test_maxmin_leaves_the_best_sorted_track(rules: Rules) -> None:
    rng = random.Random(4)
    table = Table(rules, seed=11)
    while not table.game.is_over:
        game, seat = table.game, table.game.turn
        view = view_for(game, seat)
        command = table.step(MAXMIN, rng)
        if not isinstance(command, PlaceTile):
            assert isinstance(command, ExchangeRack) == game.may_exchange(seat)
            assert isinstance(command, (ExchangeRack, RefillRack))
            continue

        best = max(left(game, tile, cells) for tile, cells in game.legal_placements(seat))
        assert left(game, command.tile, command.cells) == best
        assert view.refusal_for(command.tile, command.cells) is None


def test_ties_are_broken_by_chance_alone() -> None:
    table = Table(EVERY_MODE[0], seed=2)
    view = view_for(table.game, table.game.turn)
    memory = table.memories[table.game.turn]
    choices = {
        MAXMIN.choose(view, memory, random.Random(seed), MAXMIN.budget) for seed in range(40)
    }
    again = {MAXMIN.choose(view, memory, random.Random(seed), MAXMIN.budget) for seed in range(40)}
    assert len(choices) > 5
    assert choices == again


@pytest.mark.parametrize("level", SIMPLE, ids=lambda level: level.name)
def test_all_exchange_whenever_it_is_allowed(level: Level) -> None:
    chosen = level_named(level.name)
    allowed = exchanged = 0
    for seed in range(12):
        rng = random.Random(seed)
        table = Table(EVERY_MODE[0], seed)
        while not table.game.is_over:
            game = table.game
            if game.phase is Phase.CLOSE:
                allowed += game.may_exchange(game.turn)
            exchanged += isinstance(table.step(chosen, rng), ExchangeRack)
    assert exchanged == allowed > 0


@pytest.mark.parametrize("level", LOOKING_AHEAD, ids=lambda level: level.name)
def test_looking_ahead_by_the_rules(level: Level) -> None:
    for players in (2, 3, 4):
        table = Table(Rules(players=players), seed=players)
        rng = random.Random(1)
        table.play([MAXMIN] * players, rng, lambda game: game.revision > 45)
        for _ in range(6):
            if not table.game.is_over:
                table.step(level, rng)


def test_the_reference_is_for_free_for_all_only() -> None:
    table = Table(Rules(mode=Mode.PARTNERS, players=4), 1)
    view = view_for(table.game, table.game.turn)
    with pytest.raises(ValueError, match="free-for-all"):
        LOOKING_AHEAD[0].choose(view, table.memories[0], random.Random(1), Budget())


@pytest.mark.parametrize("level", [*SHOWN, *SIMPLE], ids=lambda level: level.name)
@pytest.mark.parametrize("rules", EVERY_MODE, ids=RULES_NAMES)
def test_nothing_hidden_is_read(level: Level, rules: Rules) -> None:
    """Two states that differ in hidden tiles only get the same answer under the same seed."""
    assert_blind(level, rules, 9)


def test_the_reference_reads_nothing_hidden() -> None:
    for players in (2, 3, 4):
        assert_blind(level_named("reference-200"), Rules(players=players), 3)


def assert_blind(chosen: Level, rules: Rules, turns: int) -> None:
    budget = Budget(rollouts=32)
    table = Table(rules, seed=rules.players + 3)
    rng = random.Random(rules.players)
    for turn in range(turns):
        game = table.game
        if game.is_over:
            return
        seat = game.turn
        hidden = [tile for other, rack in enumerate(game.racks) if other != seat for tile in rack]
        bag = bag_of(game)
        pool = [*hidden, *bag.tiles]
        rng.shuffle(pool)
        racks = []
        for other, rack in enumerate(game.racks):
            racks.append(rack if other == seat else tuple(pool[: len(rack)]))
            if other != seat:
                del pool[: len(rack)]
        twin = replace(game, racks=tuple(racks), bag=replace(bag, tiles=tuple(pool)))
        memory = table.memories[seat]
        answers = [
            chosen.choose(view_for(state, seat), memory, random.Random(turn), budget)
            for state in (game, twin)
        ]
        assert answers[0] == answers[1]
        table.give(answers[0])


def test_partners_count_on_their_joint_track() -> None:
    rules = Rules(mode=Mode.PARTNERS, players=4)
    table = Table(rules, seed=1)
    game = table.play([MAXMIN] * 4, random.Random(0))
    placed = [event for event in table.events if isinstance(event, Placed)]
    assert max(max(event.track) for event in placed) > 18
    assert game.ended is not None
