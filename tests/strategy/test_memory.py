"""What a seat remembers is true, complete, and never more than it saw."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from genial.engine.game import ExchangeRack
from genial.engine.rules import Rules
from genial.engine.view import view_for
from genial.strategy.baselines import MAXMIN, RANDOM
from genial.strategy.bitsets import kinds_of
from genial.strategy.memory import Deals, Memory, known_state
from tests.strategy.games import EVERY_MODE, RULES_NAMES, Table, bag_of


def hidden_kinds(table: Table, seat: int) -> Counter[int]:
    game = table.game
    tiles = [tile for other, rack in enumerate(game.racks) if other != seat for tile in rack]
    return Counter(kinds_of([*tiles, *bag_of(game).tiles]))


@pytest.mark.parametrize("rules", EVERY_MODE, ids=RULES_NAMES)
def test_guesses_deal_exactly_the_hidden_tiles_and_never_rule_out_the_truth(rules: Rules) -> None:
    marked_ever = 0
    for seed in range(5):
        rng = random.Random(seed)
        table = Table(rules, seed)
        levels = [MAXMIN if seed % 2 else RANDOM] * rules.players
        while not table.game.is_over:
            game = table.game
            seat = game.turn
            view = view_for(game, seat)
            memory = table.memories[seat]
            truth = hidden_kinds(table, seat)
            state = known_state(view)
            Deals(view, memory, rng).next().put_into(state)
            guessed = [k for other, rack in enumerate(state.racks) if other != seat for k in rack]
            assert Counter([*guessed, *state.bag]) == truth
            assert [len(rack) for rack in state.racks] == [len(rack) for rack in game.racks]
            assert len(state.bag) == len(game.bag)
            marked = Counter(kind for kind, _ in memory.in_bag)
            marked_ever += len(memory.in_bag)
            for kind, count in marked.items():
                at = min(moment for other, moment in memory.in_bag if other == kind)
                for racks in ([kinds_of(rack) for rack in game.racks], state.racks):
                    must_be_old = sum(
                        max(0, rack.count(kind) - sum(m > at for m in memory.slots[other]))
                        for other, rack in enumerate(racks)
                        if other != seat
                    )
                    assert must_be_old <= truth[kind] - count
            table.step(levels[seat], rng)
    assert marked_ever > 0 or not rules.has_exchange


def test_what_was_returned_is_on_no_older_rack() -> None:
    """Straight after an exchange nobody can hold the returned tiles but by the copies unseen."""
    for seed in range(60):
        rng = random.Random(seed)
        table = Table(EVERY_MODE[0], seed)
        while not table.game.is_over:
            seat = table.game.turn
            rack = kinds_of(table.game.racks[seat])
            if not isinstance(table.step(MAXMIN, rng), ExchangeRack):
                continue
            other = 1 - seat
            view, memory = view_for(table.game, other), table.memories[other]
            unseen = Counter(memory.unseen(view, rng))
            for _ in range(50):
                state = known_state(view)
                Deals(view, memory, rng).next().put_into(state)
                for kind, count in Counter(state.racks[seat]).items():
                    assert count <= unseen[kind] - Counter(rack)[kind]
            return
    pytest.fail("no game had an exchange")


def test_every_consistent_deal_is_as_likely_as_another() -> None:
    table = Table(EVERY_MODE[0], 3)
    view = view_for(table.game, 0)
    memory = table.memories[0]
    rng = random.Random(5)
    deals = Deals(view, memory, rng)
    seen: Counter[int] = Counter()
    rounds = 4000
    for _ in range(rounds):
        state = known_state(view)
        deals.next().put_into(state)
        seen.update(state.racks[1])
    unseen = Counter(memory.unseen(view, rng))
    for kind, count in unseen.items():
        expected = rounds * 6 * count / unseen.total()
        assert abs(seen[kind] - expected) < 6 * expected**0.5


def test_who_came_late_guesses_tiles_that_fit_the_board() -> None:
    rng = random.Random(9)
    for seed in range(8):
        table = Table(EVERY_MODE[seed % 4], seed)
        turns = rng.randrange(1, 30)
        for _ in range(turns):
            if not table.game.is_over:
                table.step(MAXMIN, rng)
        if table.game.is_over:
            continue
        seat = table.game.turn
        view = view_for(table.game, seat)
        state = known_state(view)
        Deals(view, Memory(), rng).next().put_into(state)
        assert [len(rack) for rack in state.racks] == [len(rack) for rack in table.game.racks]
        assert len(state.bag) == len(table.game.bag)


def test_a_spectator_has_nothing_to_decide() -> None:
    table = Table(EVERY_MODE[0], 3)
    with pytest.raises(ValueError, match="only a seat"):
        known_state(view_for(table.game, None))
