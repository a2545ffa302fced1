"""Resigning, absence, and games that end early (rules, section 7)."""

from __future__ import annotations

import itertools

import pytest

from genial.engine.game import (
    EndEarly,
    Ended,
    Phase,
    Resign,
    Seat,
    SkipTurn,
    TakenOver,
    TakeOverSeat,
)
from genial.engine.refusal import Refusal
from genial.engine.rules import EndReason, Leaving, Mode, Rules, SeatKind
from tests.engine.side_by_side import SideBySide

HUMAN, BOT = SeatKind.HUMAN, SeatKind.BOT


def ended(side: SideBySide) -> Ended:
    assert side.game.ended is not None
    return side.game.ended


def table(players: int = 4, leaving: Leaving = Leaving.SKIP, first_seat: int = 0) -> SideBySide:
    side = SideBySide(Rules(players=players, leaving=leaving), 0, first_seat)
    side.arrange(
        racks={seat: ["RB", "RB", "RB", "GG", "OY", "YP"] for seat in range(players)},
        started=range(players),
    )
    return side


def owing(players: int = 4, leaving: Leaving = Leaving.SKIP) -> SideBySide:
    """The first seat has made one bonus placement and owes another."""
    side = table(players, leaving)
    side.arrange(tracks={0: (17, 9, 17, 9, 9, 9)}, board={(1, 0): "R", (1, -2): "B"})
    side.place("RB", (0, 0), (0, -1))
    side.place("RB", (-3, 0), (-3, 1))
    assert side.game.bonus_owed == 1
    return side


def test_who_resigns_on_turn_draws_nothing_and_owes_nothing() -> None:
    side = owing()
    side.do(Resign(0))
    assert side.turn == 1
    assert side.game.phase is Phase.PLACE
    assert side.game.bonus_owed == 0
    assert len(side.game.racks[0]) == 4


def test_who_resigns_off_turn_changes_nobodys_turn() -> None:
    side = owing()
    side.do(Resign(1))
    assert side.turn == 0
    assert side.game.bonus_owed == 1
    side.place("GG", (3, 1), (3, 2))
    side.refill()
    assert side.turn == 2


def test_resigned_seats_are_passed_over() -> None:
    side = table(first_seat=2)
    side.do(Resign(3))
    side.do(Resign(0))
    for step, seat in enumerate([2, 1, 2, 1]):
        assert side.turn == seat
        side.place("RB", (step, 0), (step, -1))
        side.refill()


@pytest.mark.parametrize("order", list(itertools.permutations(range(4), 3)))
def test_the_later_resignation_ranks_above_the_earlier(order: tuple[int, ...]) -> None:
    side = table()
    tracks = {seat: (seat * 3,) * 6 for seat in range(4)}
    side.arrange(tracks=tracks)
    for seat in order:
        assert not side.game.is_over
        side.do(Resign(seat))
    (winner,) = set(range(4)) - set(order)
    assert ended(side).reason is EndReason.RESIGNED
    assert ended(side).ranking == tuple((seat,) for seat in (winner, *reversed(order)))
    assert ended(side).tracks == tuple(tracks.values())


def test_with_one_seat_left_the_game_ends_whoever_owes_what() -> None:
    side = owing(players=2)
    side.do(Resign(1))
    assert ended(side).reason is EndReason.RESIGNED
    assert ended(side).ranking == ((0,), (1,))
    assert side.game.bonus_owed == 0


def test_a_resigned_seat_ranks_below_even_with_more_points() -> None:
    side = table(3)
    side.arrange(tracks={0: (18, 18, 18, 18, 18, 17), 1: (0,) * 6, 2: (1,) * 6})
    side.do(Resign(0))
    side.do(EndEarly(EndReason.AGREED))
    assert ended(side).ranking == ((2,), (1,), (0,))


@pytest.mark.parametrize("seat", range(4))
def test_a_partners_resignation_is_the_pairs(seat: int) -> None:
    side = SideBySide(Rules(mode=Mode.PARTNERS, players=4))
    side.do(Resign(seat))
    assert ended(side).reason is EndReason.RESIGNED
    assert ended(side).ranking == (((1, 3), (0, 2)) if seat % 2 == 0 else ((0, 2), (1, 3)))


def test_a_full_board_ranks_resigned_seats_below() -> None:
    side = table(3)
    side.arrange(tracks={0: (9,) * 6, 1: (17,) * 6, 2: (9,) * 6})
    side.do(Resign(1))
    side.cover("P", {(0, 0): "", (0, -1): ""})
    side.place("RB", (0, 0), (0, -1))
    assert ended(side).reason is EndReason.BOARD_FULL
    assert ended(side).ranking == ((0, 2), (1,))


@pytest.mark.parametrize("placements", [0, 1])
def test_a_skipped_turn_ends_with_a_full_rack_and_nothing_owed(placements: int) -> None:
    side = owing() if placements else table()
    before = len(side.game.racks[0])
    side.do(SkipTurn(0))
    assert (before, len(side.game.racks[0])) == ((4, 6) if placements else (6, 6))
    assert side.game.bonus_owed == 0
    assert side.turn == 1
    assert side.game.phase is Phase.PLACE


def test_a_turn_that_only_wants_its_refill_can_be_skipped_too() -> None:
    side = table()
    side.place("RB", (0, 0), (0, -1))
    assert side.refused(SkipTurn(1)) is Refusal.NOT_YOUR_TURN
    side.do(SkipTurn(0))
    assert len(side.game.racks[0]) == 6
    assert side.turn == 1


def test_a_bot_takes_over_and_the_player_comes_back() -> None:
    side = owing(leaving=Leaving.BOT)
    for seat, name, kind, level in [
        (0, "medium 1", BOT, "medium"),
        (3, "medium 2", BOT, "medium"),
        (0, "Ana", HUMAN, None),
    ]:
        events = side.do(TakeOverSeat(seat, name, kind, level))
        assert events == (TakenOver(seat, name, kind, level),)
        assert side.game.seats[seat] == Seat(name, kind, level)
        # Whoever sits there now finds the turn as it was.
        assert side.turn == 0
        assert side.game.bonus_owed == 1
        assert side.game.phase is Phase.BONUS
    side.place("GG", (3, 1), (3, 2))


def test_a_person_may_come_back_under_either_way_of_leaving() -> None:
    side = table(leaving=Leaving.SKIP)
    assert side.refused(TakeOverSeat(1, "Eve", BOT)) is Refusal.TAKEOVER_NOT_IN_RULES
    side.do(TakeOverSeat(1, "Ana", HUMAN))


@pytest.mark.parametrize("reason", [EndReason.AGREED, EndReason.ABANDONED])
def test_an_early_end_ranks_by_the_tracks_as_they_are(reason: EndReason) -> None:
    side = owing()
    side.do(EndEarly(reason))
    assert ended(side).reason is reason
    assert ended(side).ranking == ((0,), (1, 2, 3))
    assert side.game.phase is Phase.OVER
    assert side.game.bonus_owed == 0


def test_only_where_a_person_ever_sat_can_anybody_agree() -> None:
    side = SideBySide(Rules(), kinds=[BOT, BOT])
    assert side.refused(EndEarly(EndReason.ABANDONED)) is Refusal.NOBODY_TO_AGREE
    side.do(TakeOverSeat(1, "Ana", HUMAN))
    side.do(TakeOverSeat(1, "medium", BOT))
    side.do(EndEarly(EndReason.ABANDONED))
    assert ended(side).reason is EndReason.ABANDONED
