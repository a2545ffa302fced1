"""The frozen reference agrees with a second implementation, written from its description alone."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

from genial.engine.game import Phase
from genial.engine.rules import Rules
from genial.engine.view import view_for
from genial.strategy import reference
from genial.strategy.baselines import GREEDY, MAXMIN, RANDOM
from genial.strategy.bitsets import FIRST, SECOND
from genial.strategy.levels import Level, level_named
from genial.strategy.memory import known_state
from genial.strategy.models import reference as weights
from genial.strategy.playout import Playout
from genial.strategy.policy import best_choice, gains
from tests.referee import naive
from tests.strategy.games import Table

POSITIONS = Path(__file__).parent / "reference_positions.json"
LETTERS = "RGBOYP"


# A naive second implementation: dicts and letters, nothing shared with the engine.


def usable_cells(board: dict[naive.Cell, str], cells: set[naive.Cell]) -> list[naive.Cell]:
    free = [cell for cell in cells if cell not in board]
    return [c for c in free if any(n in cells and n not in board for n in naive.neighbours(c))]


def line(board: dict[naive.Cell, str], letter: str, cell: naive.Cell) -> int:
    nowhere = (99, 99)
    return naive.half_points(board, letter, cell, nowhere)


def naive_features(
    board: dict[naive.Cell, str],
    cells: set[naive.Cell],
    mine: dict[str, int],
    theirs: dict[str, int],
    rack: list[str],
) -> list[float]:
    usable = usable_cells(board, cells)
    lines = {k: [line(board, k, cell) for cell in usable] for k in LETTERS}
    best = {k: max(values, default=0) for k, values in lines.items()}
    mean = {k: sum(values) / (len(usable) + 4) for k, values in lines.items()}
    my_rank = sorted(LETTERS, key=lambda k: (mine[k], LETTERS.index(k)))
    their_rank = sorted(LETTERS, key=lambda k: (theirs[k], LETTERS.index(k)))
    shown = {k: sum(k in tile for tile in rack) for k in LETTERS}
    groups = [
        [(mine[a] - theirs[b]) / 6 for a, b in zip(my_rank, their_rank, strict=True)],
        [min(best[k], 18 - mine[k]) / 4 * (1.0 if shown[k] else 0.4) for k in my_rank],
        [min(best[k], 18 - theirs[k]) / 4 for k in their_rank],
        [min(shown[k], 3) / 2 for k in my_rank],
        [mean[k] * (18 - mine[k]) / 18 for k in my_rank],
        [mean[k] * (18 - theirs[k]) / 18 for k in their_rank],
        [1.0],
    ]
    return [feature for group in groups for feature in group]


def naive_value(found: list[list[float]], stage: float, mine_last: bool) -> float:
    w0, w1, w2 = weights.I_MOVED_LAST if mine_last else weights.OPPONENT_MOVED_LAST
    value = 1.0
    for features in found:
        z = 0.0
        for i, feature in enumerate(features):
            z += (w0[i] + w1[i] * stage + w2[i] * stage**2) * feature
        value *= 1 / (1 + math.exp(-z))
    return value


def in_letters(state: Playout) -> tuple[dict[naive.Cell, str], set[naive.Cell]]:
    cells = {(cell.q, cell.r) for cell in state.zone.cells}
    board = {
        (cell.q, cell.r): LETTERS[state.cells[index] - 1]
        for cell, index in zip(state.zone.cells, state.zone.indices, strict=True)
        if state.cells[index]
    }
    return board, cells


def track_of(state: Playout, seat: int) -> dict[str, int]:
    return dict(zip(LETTERS, state.track(seat), strict=True))


def rack_of(state: Playout, seat: int) -> list[str]:
    return [LETTERS[FIRST[k] - 1] + LETTERS[SECOND[k] - 1] for k in state.racks[seat]]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_features_and_value_on_positions_of_games(players: int) -> None:
    levels: list[Level] = [RANDOM, GREEDY, MAXMIN]
    for seed, level in enumerate(levels):
        rng = random.Random(seed)
        table = Table(Rules(players=players), seed)
        while not table.game.is_over:
            table.step(level, rng)
            if rng.random() < 0.7 or table.game.is_over:
                continue
            state = Playout.of(table.game)
            board, cells = in_letters(state)
            stage = len([c for c in cells if c not in board]) / (len(cells) - 6)
            for me in range(players):
                found = []
                for them in range(players):
                    if them == me:
                        continue
                    expected = naive_features(
                        board, cells, track_of(state, me), track_of(state, them), rack_of(state, me)
                    )
                    assert reference.features(state, me, them) == pytest.approx(expected)
                    found.append(expected)
                value = naive_value(found, stage, table.game.last_mover == me)
                assert reference.value(state, me) == pytest.approx(value)


def test_positions_that_are_stored() -> None:
    """Frozen means frozen: board, tracks, rack and value of these positions stand in a file."""
    stored = json.loads(POSITIONS.read_text())
    assert len(stored) >= 12
    for entry in stored:
        table = Table(Rules(players=entry["players"]), entry["seed"])
        rng = random.Random(entry["seed"])
        for _ in range(entry["steps"]):
            table.step(MAXMIN, rng)
        state = Playout.of(table.game)
        board, _ = in_letters(state)
        assert sorted([q, r, letter] for (q, r), letter in board.items()) == entry["board"]
        assert rack_of(state, entry["seat"]) == entry["rack"]
        assert reference.value(state, entry["seat"]) == pytest.approx(entry["value"], abs=1e-9)


def store_positions() -> None:
    """Write the file anew (by hand, never by a test)."""
    entries = []
    for number in range(15):
        players = 2 + number % 3
        table = Table(Rules(players=players), number)
        rng = random.Random(number)
        steps = 6 + 4 * number
        for _ in range(steps):
            table.step(MAXMIN, rng)
        state = Playout.of(table.game)
        board, _ = in_letters(state)
        seat = number % players
        entries.append(
            {
                "players": players,
                "seed": number,
                "steps": steps,
                "seat": seat,
                "board": sorted([q, r, letter] for (q, r), letter in board.items()),
                "rack": rack_of(state, seat),
                "value": reference.value(state, seat),
            }
        )
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    POSITIONS.write_text(f"[\n{lines}\n]\n")


def test_weights_are_those_of_the_experiment() -> None:
    for w0, w1, w2 in (weights.I_MOVED_LAST, weights.OPPONENT_MOVED_LAST):
        assert len(w0) == len(w1) == len(w2) == 37
    assert weights.I_MOVED_LAST[0][0] == 8.56065
    assert weights.OPPONENT_MOVED_LAST[2][36] == -0.333467


def test_a_finished_game_is_worth_its_result() -> None:
    for seed in range(4):
        table = Table(Rules(players=2), seed)
        game = table.play([MAXMIN] * 2, random.Random(seed))
        state = Playout.of(game)
        assert game.ended is not None
        shares = [reference.value(state, seat) for seat in range(2)]
        assert sum(shares) == 1.0
        if len(game.ended.ranking) == 2:
            assert shares[game.ended.ranking[0][0]] == 1.0


def test_the_policy_takes_the_greatest_gain() -> None:
    for seed in range(6):
        rng = random.Random(seed)
        table = Table(Rules(players=2 + seed % 3), seed)
        while not table.game.is_over:
            table.step(GREEDY if seed % 2 else RANDOM, rng)
            if table.game.phase is not Phase.PLACE:
                continue
            state = Playout.of(table.game)
            gain = [gains(counter, 18) for counter in [0, *state.track(state.turn)]]
            kind, a, b, u, v = best_choice(state, gain)
            assert kind in state.racks[state.turn]
            assert (u, v) in state.pairs() or (v, u) in state.pairs()
            assert (a, b) in ((FIRST[kind], SECOND[kind]), (SECOND[kind], FIRST[kind]))
            lines = state.lines
            best = max(
                gain[x][lines[x][p]] + gain[y][lines[y][q]]
                for k in state.racks[state.turn]
                for x, y in ((FIRST[k], SECOND[k]), (SECOND[k], FIRST[k]))
                for p, q in state.pairs()
            )
            assert gain[a][lines[a][u]] + gain[b][lines[b][v]] == best


def test_gains_follow_the_description() -> None:
    row = gains(15, 18)
    assert row[0] == 0
    assert row[1] == (15 - 18) ** 3 * -1 - 8
    assert row[3] == row[4] == 27 + 300


def test_reference_with_rollouts_plays_by_the_rules() -> None:
    table = Table(Rules(players=3), 2)
    rng = random.Random(1)
    level = level_named("reference-200")
    for _ in range(6):
        table.step(level, rng)
    assert table.game.revision > 6


def test_ranked_candidates_are_all_placements_best_first() -> None:
    table = Table(Rules(players=2), 5)
    rng = random.Random(1)
    table.play([MAXMIN] * 2, rng, lambda game: game.revision > 40 and game.phase is Phase.PLACE)
    game = table.game
    state = known_state(view_for(game, game.turn))
    ranked = reference.ranked_candidates(state)
    assert len(ranked) == len(game.legal_placements(game.turn))
    values = [value for value, _ in ranked]
    assert values == sorted(values, reverse=True)
