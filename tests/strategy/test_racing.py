"""Spending a budget on candidates, with made-up values in place of rollouts."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from genial.engine.rules import Rules
from genial.engine.view import view_for
from genial.strategy.budget import Budget
from genial.strategy.memory import Deals, known_state
from genial.strategy.racing import loss_without, race
from genial.strategy.search import Candidate
from tests.strategy.games import Table

Say = Callable[[int, random.Random], float]
"""What a try of a candidate (by number) gives."""


def raced(say: Say, count: int, budget: Budget, seed: int = 1) -> list[Candidate]:
    """Candidates called by their priors 0, -1, -2 …, best first after a race."""
    table = Table(Rules(players=2), 3)
    seat = table.game.turn
    view = view_for(table.game, seat)
    state = known_state(view)
    candidates = [Candidate(None, False, state, -float(number)) for number in range(count)]
    rng = random.Random(seed)
    deals = Deals(view, table.memories[seat], rng)

    def attempt(candidate: Candidate, _: object) -> float:
        return say(-int(candidate.prior), rng)

    return race(candidates, deals, budget, count, attempt, budget.clock())


def tries(found: list[Candidate]) -> int:
    return sum(len(candidate.tries) for candidate in found)


def test_a_plain_choice_ends_early() -> None:
    found = raced(lambda n, rng: 0.9 * (n == 5) + rng.gauss(0, 0.1), 16, Budget(rollouts=10_000))
    assert found[0].prior == -5
    assert tries(found) < 1000


def test_what_no_longer_matters_ends_early_and_falls_to_the_prior() -> None:
    found = raced(lambda n, rng: 1.0, 16, Budget(rollouts=20_000))
    assert found[0].prior == 0
    assert tries(found) < 8000


def test_what_is_close_takes_the_whole_budget_and_the_better_ones_most_of_it() -> None:
    found = raced(lambda n, rng: rng.gauss(0.5 - 0.001 * n, 0.4), 16, Budget(rollouts=4000))
    assert 3800 <= tries(found) <= 4000
    assert len(found[0].tries) == max(len(candidate.tries) for candidate in found) > 400


def test_deals_that_agree_by_chance_do_not_end_it() -> None:
    """Two candidates that differ in one deal of forty: the rare deal is waited for."""
    chosen = [
        raced(lambda n, rng: float(n == 1 and rng.random() < 0.025), 2, Budget(rollouts=2000), seed)
        for seed in range(20)
    ]
    assert sum(found[0].prior == -1 for found in chosen) >= 19


def test_stopping_early_loses_next_to_nothing() -> None:
    """What is chosen is worth hardly less than the best, far cheaper than without stopping."""
    lost, spent = 0.0, 0
    rounds = 60
    for seed in range(rounds):
        worth = [random.Random(f"{seed}/{n}").gauss(0.5, 0.08) for n in range(8)]
        found = raced(
            lambda n, rng, worth=worth: rng.gauss(worth[n], 0.25),  # type: ignore[misc]
            8,
            Budget(rollouts=16_000),
            seed,
        )
        lost += max(worth) - worth[-int(found[0].prior)]
        spent += tries(found)
    assert lost / rounds < 0.001
    assert spent / rounds < 0.7 * 16_000


@pytest.mark.parametrize("rollouts", [1, 16, 100, 999])
def test_a_race_can_be_run_again(rollouts: int) -> None:
    def run() -> list[tuple[float, list[float]]]:
        found = raced(lambda n, rng: rng.random(), 16, Budget(rollouts=rollouts), 4)
        return [(candidate.prior, candidate.tries) for candidate in found]

    assert run() == run()
    assert sorted(prior for prior, _ in run()) == [float(-n) for n in range(15, -1, -1)]


def test_expected_loss_falls_with_the_lead_and_with_the_number_of_tries() -> None:
    table = Table(Rules(players=2), 3)
    state = known_state(view_for(table.game, table.game.turn))

    def loss(lead: float, count: int) -> float:
        rng = random.Random(1)
        noise = [rng.gauss(0, 0.2) for _ in range(count)]
        middle = sum(noise) / count
        ahead = Candidate(None, False, state, 0.0, [lead + x - middle for x in noise])
        behind = Candidate(None, False, state, 0.0, [0.0] * count)
        return loss_without(behind, ahead)

    assert loss(0.0, 100) > loss(0.02, 100) > loss(0.05, 100) > 0
    assert loss(0.0, 100) > loss(0.0, 400)
    # Level: the error of the mean over sqrt(2 pi).
    assert loss(0.0, 400) == pytest.approx(0.01 * 0.3989, rel=0.1)
