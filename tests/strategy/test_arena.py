"""The arena: who sits where, equal deals for each rotation, records that are verified."""

from __future__ import annotations

from itertools import islice

import pytest

from genial.engine.record import Verdict, judge
from genial.engine.rules import Mode, Rules
from genial.strategy.arena import (
    ArenaError,
    games_per_deal,
    line_ups,
    pairings,
    play_pairing,
)
from genial.strategy.levels import UnknownLevelError

TWO, THREE, FOUR = Rules(players=2), Rules(players=3), Rules(players=4)
PAIRS, ALONE = Rules(mode=Mode.PARTNERS, players=4), Rules(mode=Mode.SOLO, players=1)


def test_who_plays_whom() -> None:
    assert line_ups(["maxmin", "greedy"], TWO) == [("maxmin", "greedy")]
    assert line_ups(["maxmin", "greedy"], FOUR) == [("maxmin", "greedy", "greedy", "greedy")]
    assert line_ups(["maxmin", "greedy", "random"], TWO) == [
        ("maxmin", "greedy"),
        ("maxmin", "random"),
        ("greedy", "random"),
    ]
    assert line_ups(["greedy", "random"], ALONE) == [("greedy",), ("random",)]
    with pytest.raises(ArenaError):
        line_ups([], TWO)
    with pytest.raises(UnknownLevelError):
        line_ups(["grandmaster"], TWO)


def test_every_level_sits_everywhere_once_a_deal() -> None:
    assert games_per_deal(["maxmin", "greedy", "random"], THREE) == 3
    games = list(islice(pairings(["maxmin", "greedy", "random"], THREE, seed=1), 6))
    assert [game.deal for game in games] == [0, 0, 0, 1, 1, 1]
    for seat in range(3):
        assert len({game.levels[seat] for game in games[:3]}) == 3
    partners = list(islice(pairings(["maxmin", "greedy"], PAIRS, seed=1), 2))
    assert partners[0].levels == ("maxmin", "greedy", "maxmin", "greedy")
    assert partners[1].levels == ("greedy", "maxmin", "greedy", "maxmin")


@pytest.mark.parametrize("rules", [TWO, THREE, FOUR, PAIRS, ALONE], ids=str)
def test_records_are_verified_and_deals_equal(rules: Rules) -> None:
    firsts = []
    for pairing in islice(pairings(["maxmin", "greedy"], rules, seed=5), 2):
        played = play_pairing(pairing, keep_record=True)
        assert played.record is not None
        judgement = judge(played.record.encode())
        assert judgement.verdict is Verdict.VERIFIED, judgement.sentence
        if pairing.deal == 0:
            firsts.append(played.record.splitlines()[1 : 1 + rules.players])
        teams = {rules.team_of(seat): played.shares[seat] for seat in range(rules.players)}
        assert sum(teams.values()) == pytest.approx(1.0)
        assert all(count > 0 for count in played.decisions)
    assert all(first == firsts[0] for first in firsts)


def test_games_repeat_under_their_seed() -> None:
    first, second = (
        play_pairing(next(pairings(["maxmin", "random"], TWO, seed=9)), keep_record=True)
        for _ in range(2)
    )
    assert first.record == second.record
    other = play_pairing(next(pairings(["maxmin", "random"], TWO, seed=10)), keep_record=True)
    assert other.record != first.record
