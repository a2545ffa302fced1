"""Whole games, move by move beside the naive referee; what every mode must keep."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genial.engine.board import BESIDE_START
from genial.engine.game import (
    Ended,
    Exchanged,
    ExchangeRack,
    Game,
    Phase,
    Placed,
    PlaceTile,
    RefillRack,
    SkipTurn,
    decide,
    evolve,
    replay,
)
from genial.engine.refusal import Refusal, Refused
from genial.engine.rules import EndReason, Leaving, Rules
from genial.engine.shuffle import CountedBag, ShuffledBag
from genial.engine.tiles import TILE_KINDS
from tests.engine.side_by_side import (
    EVERY_RULES,
    SideBySide,
    leaving_by,
    name_of,
    play_on,
    with_incidents,
)
from tests.engine.styles import STYLES, next_command

every_rules = pytest.mark.parametrize("rules", EVERY_RULES, ids=name_of)
MOST_TILES = {1: 42, 2: 42, 3: 60, 4: 81}
"""Tiles that fit on the free cells of each zone (rules, section 4)."""


@every_rules
@pytest.mark.parametrize("style", STYLES)
def test_whole_games_agree_with_the_referee(rules: Rules, style: str) -> None:
    for seed in range(2):
        side = SideBySide(rules, seed, seed % rules.players)
        play_on(side, random.Random(seed), style)
        assert side.game.is_over
        placements = sum(isinstance(event, Placed) for event in side.events)
        assert placements <= MOST_TILES[rules.players]
        assert replay(side.start, side.events) == side.game


@every_rules
@pytest.mark.parametrize("leaving", list(Leaving))
def test_games_with_incidents_agree_with_the_referee(rules: Rules, leaving: Leaving) -> None:
    outcomes: set[Refusal | None] = set()
    for seed in range(4):
        side, met = with_incidents(leaving_by(rules, leaving), seed)
        assert replay(side.start, side.events) == side.game
        outcomes.update(met)
    assert None in outcomes
    assert len(outcomes) > 1


WITH_OTHERS = [leaving_by(rules, Leaving.SKIP) for rules in EVERY_RULES if rules.players > 1]


@pytest.mark.parametrize("rules", WITH_OTHERS, ids=name_of)
def test_whoever_plays_alone_gets_to_the_cap_and_wins_at_once(rules: Rules) -> None:
    for seed in (0, 1):
        rng = random.Random(seed)
        side = SideBySide(rules, seed)
        while not side.game.is_over:
            if side.turn != 0 and side.game.phase is Phase.PLACE:
                side.do(SkipTurn(side.turn))
            else:
                side.do(next_command(side.game, rng, "level"))
        assert side.game.ended is not None
        assert side.game.ended.reason is EndReason.ALL_AT_CAP
        assert side.game.ended.tracks[0] == (rules.cap,) * 6
        assert side.game.ended.ranking[0] == rules.teams[0]


@pytest.mark.parametrize("rules", WITH_OTHERS[:1], ids=name_of)
def test_who_was_skipped_until_no_symbol_is_left_starts_anywhere(rules: Rules) -> None:
    anywhere = 0
    for seed in range(8):
        rng = random.Random(seed)
        side = SideBySide(rules, seed)
        while not side.game.is_over:
            game = side.game
            if game.turn != 0 and game.phase is Phase.PLACE and can_start(game):
                side.do(SkipTurn(game.turn))
                continue
            if game.phase is Phase.PLACE and game.turn not in game.started:
                side.compare_placements()
                anywhere += game.turn != 0
            side.do(next_command(game, rng, "random"))
    assert anywhere > 0


def can_start(game: Game) -> bool:
    """Whether a free pair lies beside a start symbol that nobody has claimed."""
    return any(
        BESIDE_START.get(index, 0) not in (0, *game.claimed)
        for pair in game.board.free_pairs()
        for index in pair
    )


@every_rules
def test_only_the_seat_on_turn_has_commands(rules: Rules) -> None:
    rng = random.Random(1)
    side = SideBySide(rules, 1)
    while not side.game.is_over:
        game = side.game
        for seat in set(range(rules.players)) - {game.turn}:
            tile = game.racks[seat][0]
            cells = next_command(game, rng, "random")
            assert game.legal_placements(seat) == []
            for command in (
                PlaceTile(seat, tile, cells.cells if isinstance(cells, PlaceTile) else ANY),
                RefillRack(seat),
                ExchangeRack(seat),
            ):
                with pytest.raises(Refused) as refused:
                    decide(game, command)
                assert refused.value.refusal is Refusal.NOT_YOUR_TURN
        assert game.phase is Phase.CLOSE or game.legal_placements(game.turn)
        side.do(next_command(game, rng, "random"))
    for seat in range(rules.players):
        assert side.game.legal_placements(seat) == []
        assert side.refused(RefillRack(seat)) is Refusal.GAME_OVER


ANY = SideBySide(EVERY_RULES[0]).game.legal_placements(0)[0][1]


@every_rules
def test_events_alone_rebuild_a_game_even_with_a_bag_of_unknown_order(rules: Rules) -> None:
    side = SideBySide(rules, 7)
    play_on(side, random.Random(7), "greedy")
    blind = Game.new(rules, side.start.seats, side.start.first_seat, CountedBag())
    for event in side.events:
        blind = evolve(blind, event)
    game = side.game
    assert isinstance(blind.bag, CountedBag)
    assert isinstance(game.bag, ShuffledBag)
    assert blind.bag.counts == tuple(map(game.bag.tiles.count, TILE_KINDS))
    for field in ("board", "racks", "tracks", "turn", "phase", "claimed", "revision", "ended"):
        assert getattr(blind, field) == getattr(game, field)


@settings(max_examples=settings().max_examples // 10)
@given(
    rules=st.sampled_from(EVERY_RULES),
    seed=st.integers(0, 2**32),
    style=st.sampled_from(STYLES),
)
def test_any_game_of_any_seed_agrees_with_the_referee(rules: Rules, seed: int, style: str) -> None:
    rng = random.Random(seed)
    side = SideBySide(rules, seed, rng.randrange(rules.players))
    for _ in range(20):
        if side.game.is_over:
            break
        side.compare_placements()
        play_on(side, rng, style, steps=rng.randrange(1, 12))
    play_on(side, rng, style)
    assert side.game.is_over


def test_whole_games_meet_bonuses_exchanges_and_full_counters() -> None:
    """What the games above are worth: the rare things happen in them."""
    seen: Counter[str] = Counter()
    for seed in range(6):
        side = SideBySide(EVERY_RULES[2 + seed % 2], seed)
        play_on(side, random.Random(seed), "level")
        for event in side.events:
            if isinstance(event, Placed):
                seen[f"owes {event.bonus_owed}"] += 1
                seen["full"] += 18 in event.track
            seen["exchanged"] += isinstance(event, Exchanged)
            seen["ended"] += isinstance(event, Ended)
    assert {"owes 1", "full", "exchanged"} <= {name for name, times in seen.items() if times}
    assert seen["ended"] == 6
