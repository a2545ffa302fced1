"""Reviews and hints: what was given away is measured against what the player could know."""

from __future__ import annotations

import random

import pytest

from genial.engine.game import Phase, Placed, Resign
from genial.engine.hexgrid import are_adjacent
from genial.engine.rules import Mode, Rules
from genial.engine.view import view_for
from genial.strategy.advice import CLOSE, Reason, advise
from genial.strategy.baselines import MAXMIN, RANDOM
from genial.strategy.levels import EXPERT, HARD
from genial.strategy.review import Moment, Review, review
from tests.strategy.games import Table


def reviewed(table: Table, rollouts: int = 4) -> tuple[list[Moment], Review]:
    game = table.game
    steps = list(
        review(game.rules, game.seats, game.first_seat, tuple(table.events), rollouts=rollouts)
    )
    whole = steps[-1]
    assert isinstance(whole, Review)
    moments = [step for step in steps[:-1] if isinstance(step, Moment)]
    assert whole.moments == moments
    return moments, whole


@pytest.mark.parametrize(
    "rules",
    [
        Rules(players=2),
        Rules(players=4),
        Rules(mode=Mode.PARTNERS, players=4),
        Rules(mode=Mode.SOLO, players=1),
    ],
    ids=lambda rules: f"{rules.mode}-{rules.players}",
)
def test_every_placement_is_looked_at(rules: Rules) -> None:
    table = Table(rules, 4)
    table.play([MAXMIN] * rules.players, random.Random(4))
    moments, whole = reviewed(table, rollouts=1)
    placed = [event for event in table.events if isinstance(event, Placed)]
    assert [moment.placed for moment in moments] == placed
    for moment in moments:
        assert len(moment.chances) == rules.players
        if rules.mode is not Mode.SOLO:
            teams = {rules.team_of(seat): moment.chances[seat] for seat in range(rules.players)}
            assert sum(teams.values()) == pytest.approx(1.0)
        played = moment.advice.played
        assert played is not None
        assert played.points == moment.placed.points
        assert are_adjacent(*played.cells)
        assert moment.advice.gave_away == 0 or moment.advice.gave_away > CLOSE
    summaries = whole.summaries()
    assert sum(summary.placements for summary in summaries) == len(placed)
    ended = table.game.ended
    assert ended is not None
    if rules.mode is Mode.SOLO:
        assert whole.result == (min(table.game.track(0)),)
    else:
        assert whole.result[ended.ranking[0][0]] > 0


def test_better_players_give_away_less() -> None:
    table = Table(Rules(players=2), 6)
    table.play((HARD, RANDOM), random.Random(6))
    _, whole = reviewed(table, rollouts=8)
    hard, any_placement = whole.summaries()
    assert hard.gave_away < any_placement.gave_away / 2
    assert hard.best > any_placement.best
    assert any_placement.worst is not None
    assert any_placement.worst.advice.why.reason is not Reason.SAME


def test_a_review_repeats_and_takes_unfinished_games() -> None:
    table = Table(Rules(players=3), 6)
    rng = random.Random(1)
    for _ in range(8):
        table.step(MAXMIN, rng)
    table.give(Resign(0))
    first, whole = reviewed(table)
    second, _ = reviewed(table)
    assert first == second
    assert whole.result == ()


def test_hints_are_for_whoever_has_to_place() -> None:
    table = Table(Rules(players=2), 6)
    rng = random.Random(1)
    table.play([MAXMIN] * 2, rng, lambda game: game.revision > 20 and game.phase is Phase.PLACE)
    seat = table.game.turn
    view = view_for(table.game, seat)
    advice = advise(view, table.memories[seat], EXPERT, rollouts=4, rng=rng)
    assert len(advice.best) == 3
    assert advice.played is None
    assert advice.gave_away == 0.0
    chances = [weighed.chance for weighed in advice.best]
    assert chances == sorted(chances, reverse=True)
    for weighed in advice.best:
        assert view.refusal_for(weighed.tile, weighed.cells) is None
    table.step(MAXMIN, rng)
    with pytest.raises(ValueError, match="has to place"):
        advise(view_for(table.game, seat), table.memories[seat], EXPERT, rollouts=4, rng=rng)
