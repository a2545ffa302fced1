"""Who may play what; stops and bonuses of a track; who ranks where."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genial.engine.rules import (
    InvalidRulesError,
    Mode,
    Preset,
    Rules,
    Track,
    advance,
    lowest_symbols,
    ranking,
    score,
    weakest_first,
)
from genial.engine.tiles import LETTERS, SYMBOLS
from tests.engine.side_by_side import TABLES, track_of
from tests.referee import naive


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("players", range(-1, 7))
def test_modes_and_players(mode: Mode, players: int) -> None:
    if (mode, players) not in TABLES:
        with pytest.raises(InvalidRulesError, match=f"not {players}"):
            Rules(mode=mode, players=players)
        return
    rules = Rules(mode=mode, players=players)
    assert rules.cap == (18 if mode is Mode.FREE else 36)
    assert rules.rack_size == (1 if mode is Mode.SOLO else 6)
    assert rules.zone.radius == {1: 5, 2: 5, 3: 6, 4: 7}[players]
    assert rules.has_bonus == rules.has_exchange == (mode is not Mode.SOLO)
    assert sorted(seat for team in rules.teams for seat in team) == list(range(players))
    for team, seats in enumerate(rules.teams):
        assert {rules.team_of(seat) for seat in seats} == {team}
    if mode is Mode.PARTNERS:
        assert rules.teams == ((0, 2), (1, 3))


def test_rules_are_equal_if_what_was_agreed_is() -> None:
    assert Rules(Preset.OFFICIAL, Mode.FREE, 3) == Rules(Preset.OFFICIAL, Mode.FREE, 3)
    assert Rules(Preset.OFFICIAL, Mode.FREE, 3) != Rules(Preset.GENIAL, Mode.FREE, 3)


def point_by_point(track: Track, halves: list[tuple[int, int]], cap: int) -> list[int]:
    """A track walked one point after the other, halting wherever a half meets a stop."""
    counters = list(track)
    for symbol, points in halves:
        for _ in range(points):
            if counters[symbol - 1] == cap:
                break
            counters[symbol - 1] += 1
            if counters[symbol - 1] in (18, cap):
                break
    return counters


tracks = st.tuples(*[st.integers(0, 36)] * 6)
halves_of = st.tuples(st.integers(1, 6), st.integers(0, 25))


@given(tracks, halves_of, halves_of, st.sampled_from([18, 36]), st.booleans())
def test_scoring_goes_half_by_half_in_the_better_order(
    track: Track, one: tuple[int, int], other: tuple[int, int], cap: int, double: bool
) -> None:
    track = tuple(min(counter, cap) for counter in track)
    if double:
        other = (one[0], other[1])
    after, reached = score(track, (one, other), cap)
    orders = [point_by_point(track, list(order), cap) for order in ((one, other), (other, one))]
    assert list(after) == max(orders, key=sum)
    stops = {18, cap}
    assert reached == sum(
        before < stop <= now for before, now in zip(track, after, strict=True) for stop in stops
    )
    assert score(track, (other, one), cap) == (after, reached)


@pytest.mark.parametrize(
    ("before", "points", "cap", "after"),
    [
        (0, 5, 18, 5),
        (17, 5, 18, 18),
        (18, 5, 18, 18),
        (17, 5, 36, 18),
        (18, 5, 36, 23),
        (35, 5, 36, 36),
        (36, 5, 36, 36),
        (0, 40, 36, 18),
    ],
)
def test_a_counter_halts(before: int, points: int, cap: int, after: int) -> None:
    assert advance(before, points, cap) == after


@given(tracks)
def test_lowest_and_weakest(track: Track) -> None:
    lowest = lowest_symbols(track)
    assert {symbol.letter for symbol in lowest} == {
        letter for letter, counter in zip(LETTERS, track, strict=True) if counter == min(track)
    }
    weakest = weakest_first(track)
    assert [points for _, points in weakest] == sorted(track)
    assert [symbol for symbol, _ in weakest] == sorted(
        SYMBOLS, key=lambda symbol: (track[symbol - 1], symbol)
    )


small_tracks = st.tuples(*[st.integers(0, 2)] * 6)


@given(st.sampled_from(TABLES), st.data())
def test_ranking_is_the_referees(table: tuple[Mode, int], data: st.DataObject) -> None:
    mode, players = table
    rules = Rules(mode=mode, players=players)
    tracks = data.draw(st.tuples(*[small_tracks] * len(rules.teams)))
    resigned: list[int] = []
    for seat in data.draw(st.permutations(range(players)))[: data.draw(st.integers(0, players))]:
        if rules.team_of(seat) not in map(rules.team_of, resigned):
            resigned.append(seat)
    referee = naive.NaiveGame("genial", mode.value, players)
    referee.tracks = [dict(zip(LETTERS, track, strict=True)) for track in tracks]
    assert [track_of(track) for track in referee.tracks] == list(tracks)
    referee.resigned = [rules.team_of(seat) for seat in resigned]
    ours = ranking(rules, tracks, resigned)
    assert [list(group) for group in ours] == referee.ranking
    assert sorted(itertools.chain(*ours)) == list(range(players))


def test_ranking_compares_sorted_tracks_from_the_weakest_up() -> None:
    rules = Rules(players=4)
    tracks = [
        (18, 9, 12, 13, 18, 18),
        (9, 12, 14, 18, 18, 18),
        (18, 18, 18, 18, 18, 8),
        (14, 18, 18, 9, 12, 18),
    ]
    assert ranking(rules, tracks) == ((1, 3), (0,), (2,))
    assert ranking(rules, tracks, [1]) == ((3,), (0,), (2,), (1,))
    assert ranking(rules, tracks, [1, 3]) == ((0,), (2,), (3,), (1,))
    assert ranking(rules, tracks, [3, 0, 1]) == ((2,), (1,), (0,), (3,))
    assert ranking(rules, [tracks[0]] * 4) == ((0, 1, 2, 3),)


def test_pairs_rank_together() -> None:
    rules = Rules(mode=Mode.PARTNERS, players=4)
    low, high = (30, 20, 20, 20, 20, 20), (21, 20, 20, 20, 20, 21)
    assert ranking(rules, [low, high]) == ((1, 3), (0, 2))
    assert ranking(rules, [low, (20, 20, 20, 20, 30, 20)]) == ((0, 1, 2, 3),)
    assert ranking(rules, [low, high], [3]) == ((0, 2), (1, 3))


def test_solitaire_has_one_rank() -> None:
    assert ranking(Rules(mode=Mode.SOLO, players=1), [(1,) * 6], [0]) == ((0,),)
