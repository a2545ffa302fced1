"""The playout state says what the engine says, move by move, in every mode."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genial.engine.board import axial_of
from genial.engine.game import (
    ExchangeRack,
    Game,
    Phase,
    PlaceTile,
    RefillRack,
    Resign,
    decide,
    evolve,
)
from genial.engine.rules import Mode, Rules
from genial.engine.tiles import TILE_KINDS, Tile
from genial.strategy.bitsets import FIRST, KIND_OF, SECOND, TOP, cells_in, kinds_of, spread
from genial.strategy.playout import Playout
from genial.strategy.policy import play_randomly
from genial.strategy.scored import room, scored_placements
from tests.strategy.games import EVERY_MODE, RULES_NAMES, bag_of, dealt


def assert_equal(state: Playout, game: Game) -> None:
    assert bytes(state.cells) == game.board.contents
    assert state.free == game.board.free
    assert [tuple(track[1:]) for track in state.tracks] == list(game.tracks)
    assert state.racks == [kinds_of(rack) for rack in game.racks]
    assert state.bag == kinds_of(bag_of(game).tiles)
    assert state.phase == game.phase
    assert state.bonus_owed == game.bonus_owed
    assert state.claimed == sum(1 << symbol for symbol in game.claimed)
    assert state.started == sum(1 << seat for seat in game.started)
    assert state.last_mover == (-1 if game.last_mover is None else game.last_mover)
    lines = game.board.line_values()
    free = cells_in(state.free)
    for k in range(1, 7):
        row = lines[k]
        assert [state.lines[k][cell] for cell in free] == [row[cell] for cell in free]
        for n in range(1, TOP + 1):
            found = sum(1 << cell for cell in free if row[cell] >= n)
            assert state.levels[k][n] & state.free == found
            if not found:
                break
    if not game.is_over:
        assert state.turn == game.turn
        assert state.pairs() == game.legal_pairs(game.turn) or not state.must_place
        assert state.may_exchange() == game.may_exchange(game.turn)
    else:
        assert game.ended is not None
        assert state.ranking() == game.ended.ranking


def snapshot(state: Playout) -> object:
    """Everything that undo has to bring back; values of taken cells included."""
    return (
        state.cells[:],
        state.free,
        [row[:] for row in state.lines],
        [row[:] for row in state.levels],
        [track[:] for track in state.tracks],
        [rack[:] for rack in state.racks],
        state.bag[:],
        state.turn,
        state.placed,
        state.bonus_owed,
        state.over,
        state.claimed,
        state.started,
        state.last_mover,
    )


def best_or_any(game: Game, rng: random.Random, greedy: bool) -> tuple[Tile, tuple[int, int]]:
    """A legal placement as oriented tile and indices; greedy ones reach 18, bonuses, exchanges."""
    pairs = game.legal_pairs(game.turn)
    rack = [tile for tile in game.racks[game.turn] for tile in (tile, tile.flipped)]
    if not greedy:
        return rng.choice(rack), rng.choice(pairs)
    lines = game.board.line_values()
    return max(
        ((tile, pair) for tile in rack for pair in pairs),
        key=lambda choice: (
            lines[choice[0].first][choice[1][0]] + lines[choice[0].second][choice[1][1]],
            rng.random(),
        ),
    )


@pytest.mark.parametrize("rules", EVERY_MODE, ids=RULES_NAMES)
@pytest.mark.parametrize("greedy", [False, True], ids=["random", "greedy"])
def test_equal_to_the_engine_move_by_move_and_undone_to_the_start(
    rules: Rules, greedy: bool
) -> None:
    for seed in range(4):
        rng = random.Random(f"{seed} {rules} {greedy}")
        game = dealt(rules, seed)
        state = Playout.of(game)
        before = []
        while not game.is_over:
            assert_equal(state, game)
            before.append(snapshot(state))
            if game.phase in (Phase.PLACE, Phase.BONUS):
                tile, (u, v) = best_or_any(game, rng, greedy)
                command = PlaceTile(game.turn, tile, (axial_of(u), axial_of(v)))
                earned_before = sum(game.track(game.turn))
                seat = game.turn
                for event in decide(game, command):
                    game = evolve(game, event)
                earned = state.place(KIND_OF[tile], tile.first, tile.second, u, v)
                assert earned == sum(game.track(seat)) - earned_before
                if rules.mode is Mode.SOLO and not game.is_over:
                    before.append(snapshot(state))
                    state.refill()
            elif game.may_exchange(game.turn):
                for event in decide(game, ExchangeRack(game.turn)):
                    game = evolve(game, event)
                order = kinds_of(bag_of(game).tiles)

                def shuffle(bag: list[int], order: list[int] = order) -> None:
                    assert sorted(bag) == sorted(order)
                    bag[:] = order

                state.exchange(shuffle)
            else:
                for event in decide(game, RefillRack(game.turn)):
                    game = evolve(game, event)
                state.refill()
        assert_equal(state, game)
        assert_equal(Playout.of(game), game)
        for earlier in reversed(before):
            state.undo()
            assert snapshot(state) == earlier


def test_greedy_games_reach_what_is_rare() -> None:
    """The test above would show little if no bonus, no exchange and no full track came up."""
    seen: set[str] = set()
    for rules in EVERY_MODE:
        for seed in range(6):
            rng = random.Random(f"{seed} {rules} True")
            state = Playout.of(dealt(rules, seed))
            while not state.over:
                if state.must_place:
                    scored = scored_placements(state)
                    columns = [
                        (points, kind, turned, pair)
                        for kind, both in scored.totals.items()
                        for turned, column in enumerate(both)
                        for points, pair in zip(column, scored.pairs, strict=False)
                    ]
                    top = max(columns)[0]
                    _, kind, turned, (u, v) = rng.choice([c for c in columns if c[0] == top])
                    a, b = (SECOND[kind], FIRST[kind]) if turned else (FIRST[kind], SECOND[kind])
                    state.place(kind, a, b, u, v)
                    if state.bonus_owed:
                        seen.add(f"bonus {rules.mode}")
                elif state.may_exchange():
                    seen.add(f"exchange {rules.mode}")
                    state.exchange(rng.shuffle)
                else:
                    state.refill()
            if any(counter > 18 for track in state.tracks for counter in track):
                seen.add(f"beyond 18 {rules.mode}")
    assert {"bonus free", "exchange free", "bonus partners", "beyond 18 partners"} <= seen
    assert not {"bonus solo", "exchange solo", "beyond 18 free"} & seen


@given(seed=st.integers(0, 2**32), at=st.sampled_from(EVERY_MODE))
def test_a_resigned_seat_is_passed_over_as_in_the_engine(seed: int, at: Rules) -> None:
    rng = random.Random(seed)
    game = dealt(at, seed)
    for _ in range(rng.randrange(0, 20)):
        if game.is_over:
            return
        if game.phase is Phase.CLOSE:
            events = decide(game, RefillRack(game.turn))
        else:
            tile, (u, v) = best_or_any(game, rng, False)
            events = decide(game, PlaceTile(game.turn, tile, (axial_of(u), axial_of(v))))
        for event in events:
            game = evolve(game, event)
    for event in decide(game, Resign(rng.randrange(at.players))) if not game.is_over else ():
        game = evolve(game, event)
    state = Playout.of(game)
    assert_equal(state, game)
    for _ in range(8):
        if game.is_over:
            return
        if game.phase is Phase.CLOSE:
            events = decide(game, RefillRack(game.turn))
            state.refill()
        else:
            tile, (u, v) = best_or_any(game, rng, False)
            events = decide(game, PlaceTile(game.turn, tile, (axial_of(u), axial_of(v))))
            state.place(KIND_OF[tile], tile.first, tile.second, u, v)
            if at.mode is Mode.SOLO and not state.over:
                state.refill()
        for event in events:
            game = evolve(game, event)
        assert_equal(state, game)


@given(seed=st.integers(0, 2**32), at=st.sampled_from(EVERY_MODE), moves=st.integers(0, 45))
def test_scored_placements_are_those_of_the_engine(seed: int, at: Rules, moves: int) -> None:
    rng = random.Random(seed)
    state = Playout.of(dealt(at, seed))
    game = dealt(at, seed)
    for _ in range(moves):
        if game.phase is Phase.CLOSE:
            events = decide(game, RefillRack(game.turn))
        else:
            tile, (u, v) = best_or_any(game, rng, True)
            events = decide(game, PlaceTile(game.turn, tile, (axial_of(u), axial_of(v))))
        for event in events:
            game = evolve(game, event)
        if game.is_over:
            return
    if game.phase is Phase.CLOSE:
        return
    state = Playout.of(game)
    scored = scored_placements(state)
    counted = scored_placements(state, counted=True)
    found = {}
    for kind, both in scored.totals.items():
        tile = TILE_KINDS[kind]
        for oriented, column in zip((tile, tile.flipped), both, strict=True):
            for points, (u, v) in zip(column, scored.pairs, strict=False):
                found[oriented, (axial_of(u), axial_of(v))] = points
    legal = game.legal_placements(game.turn)
    assert set(found) == set(legal)
    assert len(scored) == len(legal)
    for tile, cells in legal:
        assert found[tile, cells] == sum(game.board.points(tile, cells))
    left = room(state, game.turn)
    for k, column in counted.first.items():
        assert list(column) == [min(state.lines[k][u], left[k]) for u, _ in scored.pairs]


def test_a_copy_goes_its_own_way() -> None:
    rng = random.Random(3)
    state = Playout.of(dealt(EVERY_MODE[1], 5))
    before = snapshot(state)
    twin = state.copy()
    assert snapshot(twin) == before
    play_randomly(twin, rng)
    assert twin.over
    assert snapshot(state) == before
    with pytest.raises(IndexError):
        state.undo()


@pytest.mark.parametrize("rules", EVERY_MODE, ids=RULES_NAMES)
def test_random_games_end_with_every_tile_accounted_for(rules: Rules) -> None:
    rng = random.Random(7)
    for seed in range(10):
        state = Playout.of(dealt(rules, seed))
        play_randomly(state, rng)
        assert state.over
        taken = len(state.zone.indices) - state.free.bit_count() - 6
        assert taken // 2 + sum(map(len, state.racks)) + len(state.bag) == 120
        full = not state.free & spread(state.free)
        assert full or any(min(track[1:]) == state.cap for track in state.tracks)
