"""The arena's statistics against outcomes that are known."""

from __future__ import annotations

import random

import pytest

from genial.strategy.statistics import always_valid, elo_ratings, wilson


def test_wilson_is_the_textbook_interval() -> None:
    # Wilson's interval for 8 of 10, as in the literature: 0.490 to 0.943.
    assert wilson(0.8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0.0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(1.0, 10)[1] == 1.0
    assert wilson(0.5, 0) == (0.0, 1.0)


def test_wilson_covers_the_truth_nineteen_times_in_twenty() -> None:
    rng = random.Random(1)
    for chance in (0.1, 0.5, 0.9):
        covered = 0
        for _ in range(2000):
            share = sum(rng.random() < chance for _ in range(100)) / 100
            low, high = wilson(share, 100)
            covered += low <= chance <= high
        assert 0.93 < covered / 2000 < 0.975


def test_looking_after_every_game_errs_in_one_of_twenty_at_most() -> None:
    rng = random.Random(2)
    wrong = 0
    for _ in range(400):
        won = 0
        for games in range(1, 600):
            won += rng.random() < 0.5
            low, high = always_valid(won / games, games)
            if not low <= 0.5 <= high:
                wrong += 1
                break
    assert wrong / 400 <= 0.05


def test_a_clear_difference_is_seen_soon() -> None:
    rng = random.Random(3)
    won = games = 0
    while always_valid(won / max(1, games), games)[0] <= 0.5:
        games += 1
        won += rng.random() < 0.8
    assert games < 150


def test_elo_of_known_strengths() -> None:
    # 10 to 1 is 400 points by definition; 1000 games leave half a point to each out of sight.
    ratings = elo_ratings({("strong", "weak"): 10_000.0, ("weak", "strong"): 1_000.0})
    assert ratings["strong"].elo - ratings["weak"].elo == pytest.approx(400, abs=1)
    assert ratings["strong"].elo + ratings["weak"].elo == pytest.approx(0, abs=1e-6)
    # The error of a difference of two, each rating half of it: p (1 - p) n information.
    assert 3 < ratings["strong"].error < 7


def test_elo_is_transitive_and_finite() -> None:
    chances = {("a", "b"): 0.75, ("b", "c"): 0.75, ("a", "c"): 0.9}
    wins = {}
    for (one, other), chance in chances.items():
        wins[one, other], wins[other, one] = 1000 * chance, 1000 * (1 - chance)
    ratings = elo_ratings(wins)
    assert ratings["a"].elo - ratings["b"].elo == pytest.approx(190.8, abs=2)
    assert ratings["a"].elo - ratings["c"].elo == pytest.approx(381.7, abs=3)
    beaten = elo_ratings({("always", "never"): 50.0})
    assert beaten["always"].elo < 1500
    assert elo_ratings({}) == {}
