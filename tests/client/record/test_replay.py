from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from genial.client.record_files import open_bytes, open_record
from genial.client.replay import MAX_NAME_COLUMNS, NoSuchEventError, Replay
from genial.engine.game import Game, evolve
from genial.engine.moves import Dealt, Placed
from genial.engine.record import Record, judge
from genial.engine.rules import EMPTY_TRACK, stops_reached
from genial.engine.shuffle import deal_key, open_bag
from genial.engine.view import view_for
from tests.client.record.vectors import (
    FREE_2,
    FREE_4,
    GOOD,
    PARTNERS,
    SOLO,
    renamed,
    with_events_put_in,
)


def read(path: Path) -> Replay:
    return Replay.of(open_record(path).record)


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_every_position_is_what_the_shuffled_bag_and_the_rules_make_of_the_events(
    path: Path,
) -> None:
    record = judge(path.read_bytes()).record
    assert isinstance(record, Record)
    assert record.seed is not None
    header = record.header
    bag = open_bag(deal_key(record.seed, header.nonces))
    if header.first_by == "chance":
        _seat, bag = bag.first_seat(header.rules.players)
    game = Game.new(header.rules, header.seats, header.first_seat, bag)
    replay = Replay.of(record)
    assert len(replay.positions) == len(record.events) + 1
    for at, timed in enumerate(record.events, 1):
        game = evolve(game, timed.event)
        shown = replay.positions[at].game
        assert (shown.board, shown.racks, shown.tracks) == (game.board, game.racks, game.tracks)
        assert (shown.turn, shown.phase, len(shown.bag)) == (game.turn, game.phase, len(game.bag))
        assert replay.view(at) == view_for(shown, None)
    assert replay.positions[replay.end].game.ended == record.events[-1].event


def test_a_view_of_a_seat_shows_its_own_rack_only() -> None:
    replay = read(FREE_4)
    at = replay.place_of(20)
    for seat in range(4):
        view = replay.view(at, seat)
        assert view.rack == replay.positions[at].racks[seat]
        assert len(view.rack) == 6
    assert replay.view(at).rack == ()


def test_steps_forwards_and_backwards_stay_within_the_record() -> None:
    replay = read(FREE_2)
    at, seen = replay.start, [replay.start]
    while at != replay.end:
        at = replay.forward(at)
        seen.append(at)
    assert seen == list(range(len(replay.positions)))
    assert replay.forward(replay.end) == replay.end
    while at != replay.start:
        at = replay.back(at)
        seen.pop()
    assert seen == [replay.start]
    assert replay.back(replay.start) == replay.start


def test_moves_are_found_both_ways() -> None:
    replay = read(FREE_2)
    forwards, at = [], replay.start
    while (at := replay.next_move(at)) != replay.end:
        forwards.append(at)
    backwards, at = [], replay.end
    while (at := replay.previous_move(at)) != replay.start:
        backwards.append(at)
    assert forwards == backwards[::-1]
    assert [replay.positions[at].move for at in forwards] == list(range(1, len(forwards) + 1))
    assert len(forwards) == len(replay.placements(replay.end))


def test_the_deal_is_over_where_it_says_so() -> None:
    replay = read(FREE_4)
    assert replay.dealt == 4
    assert all(len(rack) == 6 for rack in replay.positions[replay.dealt].racks)
    led = replay.positions[replay.dealt].led
    assert led is not None
    assert isinstance(led.event, Dealt)


def test_jumping_to_an_event_gives_the_position_after_it() -> None:
    replay = read(FREE_2)
    assert replay.place_of(0) == replay.start
    for n in range(1, replay.last_n + 1):
        assert replay.positions[replay.place_of(n)].n == n
    for n in (-1, replay.last_n + 1, 10**9):
        with pytest.raises(NoSuchEventError, match=f"events 1 to {replay.last_n}"):
            replay.place_of(n)


def test_after_a_note_the_game_stands_as_before_it() -> None:
    notes = [{"n": 0, "type": "x-pause", "by": "nobody"}] * 2
    replay = Replay.of(open_bytes("noted", with_events_put_in(FREE_2, 5, notes)).record)
    plain = read(FREE_2)
    assert len(replay.positions) == len(plain.positions)
    assert replay.last_n == plain.last_n + 2
    for n in (4, 5, 6):
        assert replay.positions[replay.place_of(n)].n == 4
    assert replay.positions[replay.place_of(7)].game == plain.positions[5].game


def test_an_unfinished_record_can_be_stepped_through_to_where_it_breaks_off() -> None:
    lines = FREE_2.read_bytes().splitlines(keepends=True)
    for kept in (1, 2, 3, 10, len(lines) - 1):
        opened = open_bytes("half", b"".join(lines[:kept]))
        replay = Replay.of(opened.record)
        assert replay.end == kept - 1
        assert replay.positions[replay.end].game.ended is None
        assert opened.reason == "the game is unfinished"
        assert replay.dealt == min(2, kept - 1)


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_every_event_says_something_on_one_line(path: Path) -> None:
    replay = read(path)
    assert replay.sentences(replay.start) == []
    for at in range(1, replay.end + 1):
        said = replay.sentences(at)
        assert said
        assert all(sentence and sentence.isprintable() for sentence in said)


def test_draws_are_told_openly() -> None:
    replay = read(FREE_2)
    assert replay.sentences(1) == ["P0 is dealt OY, RO, RB, GO, OO, RG."]
    exchange = next(
        said for at in range(replay.end) for said in replay.sentences(at) if "exchanged" in said
    )
    assert " for " in exchange


def test_takeovers_skips_and_resignations_are_told() -> None:
    taken = {"n": 0, "type": "takeover", "seat": 1, "name": "Eve", "kind": "human"}
    replay = Replay.of(open_bytes("taken", with_events_put_in(FREE_2, 3, [taken])).record)
    assert replay.sentences(3) == ["Eve is back at seat 2."]
    assert replay.view(3).seats[1].name == "Eve"
    gone = with_events_put_in(FREE_2, 3, [{"n": 0, "type": "resign", "seat": 1}])
    cut = b"".join(gone.splitlines(keepends=True)[:4])
    assert Replay.of(open_bytes("gone", cut).record).sentences(3) == ["P1 has resigned."]


def test_names_can_neither_move_the_cursor_nor_fill_the_screen() -> None:
    hostile = ["\x1b[2J\u202eAna\nMax", "x" * 5000]
    replay = Replay.of(open_bytes("hostile", renamed(FREE_2, hostile)).record)
    one, other = (seat.name for seat in replay.view(0).seats)
    assert one.isprintable()
    assert "\x1b" not in one
    assert other == "x" * MAX_NAME_COLUMNS
    nameless = Replay.of(open_bytes("nameless", renamed(FREE_2, ["", " \u200b "])).record)
    assert [seat.name for seat in nameless.view(0).seats] == ["seat 1", "seat 2"]


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_the_race_grows_from_nothing_to_the_final_tracks(path: Path) -> None:
    replay = read(path)
    last = replay.positions[replay.end]
    race = replay.race()
    assert tuple(steps[-1][1] for steps in race) == last.game.tracks
    moves = []
    for steps in race:
        assert steps[0] == (0, EMPTY_TRACK)
        for (before, old), (after, new) in pairwise(steps):
            assert before < after
            assert all(a <= b for a, b in zip(old, new, strict=True))
            moves.append(after)
    assert sorted(moves) == list(range(1, last.move + 1))


def test_the_race_up_to_a_place_stops_there() -> None:
    replay = read(PARTNERS)
    at = replay.place_of(60)
    position = replay.positions[at]
    race = replay.race(at)
    assert tuple(steps[-1][1] for steps in race) == position.game.tracks
    assert max(move for steps in race for move, _track in steps) == position.move
    assert replay.race(replay.start) == (((0, EMPTY_TRACK),),) * 2


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_every_stop_of_a_game_is_called_once(path: Path) -> None:
    replay = read(path)
    called = sum(replay.calls(at) for at in range(replay.end + 1))
    last = replay.positions[replay.end].game
    reached = sum(stops_reached(EMPTY_TRACK, track, last.rules.cap) for track in last.tracks)
    assert called == (reached if last.rules.has_bonus else 0)


def test_the_last_placed_tile_is_known() -> None:
    replay = read(SOLO)
    assert replay.positions[replay.dealt].last_placed is None
    at = replay.next_move(replay.start)
    led = replay.positions[at].led
    assert led is not None
    assert replay.positions[at].last_placed == led.event
    assert isinstance(led.event, Placed)
