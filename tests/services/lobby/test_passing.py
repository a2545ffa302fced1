"""What time does to a table."""

from __future__ import annotations

import pytest

from genial.engine.rules import EndReason, Leaving
from genial.services.lobby import seating
from genial.services.lobby.passing import connect, disconnect, next_wake, recover
from genial.services.lobby.table import OrderKind, Progress, TableState
from tests.services.lobby.tables import Evening, evening, playing, token


def drop(table: Evening, *names: str) -> None:
    for name in names:
        table.settle(disconnect(table.table, token(name), table.now))


def test_after_the_grace_time_a_bot_plays_on_and_not_before() -> None:
    table = playing("Ana", "Max")
    drop(table, "Max")
    table.wait(table.times.grace - 1)
    assert table.table.seats[1].stand_in is None
    table.wait(1)
    assert table.table.seats[1].stand_in is not None
    table.bots_come()
    assert table.carry_out() == [OrderKind.TAKE_OVER]
    table.come_back("Max")
    assert table.carry_out() == [OrderKind.TAKE_OVER]
    assert table.table.seats[1].stand_in is None


def test_who_is_back_in_time_is_not_replaced() -> None:
    table = playing("Ana", "Max")
    drop(table, "Max")
    table.wait(table.times.grace - 1)
    table.settle(connect(table.table, token("Max"), table.now))
    table.wait(10 * table.times.grace)
    assert table.table.seats[1].stand_in is None
    assert not table.table.orders


def test_a_game_that_all_people_have_left_waits_and_is_then_abandoned() -> None:
    table = playing("Ana", "Max", "bot")
    drop(table, "Ana")
    table.wait(table.times.grace // 2)
    drop(table, "Max")
    table.wait(table.times.grace // 2)
    assert table.table.seats[0].stand_in is None, "nobody is there to play on with"
    table.wait(table.times.grace // 2)
    (order,) = table.table.orders
    assert (order.kind, order.reason) == (OrderKind.END_EARLY, EndReason.ABANDONED)
    table.wait(1000)
    assert len(table.table.orders) == 1


def test_leaving_for_good_counts_as_gone() -> None:
    table = playing("Ana", "bot")
    table.settle(seating.leave(table.table, token("Ana"), table.now, table.chance))
    assert not table.table.orders
    table.wait(table.times.grace)
    assert table.carry_out() == [OrderKind.END_EARLY]


def test_a_game_of_bots_is_never_abandoned() -> None:
    table = playing("bot", "bot")
    for number in (0, 1):
        table.settle(disconnect(table.table, token(f"bot {number}"), table.now))
    table.wait(10 * table.times.grace)
    assert not table.table.orders


def test_absent_players_are_skipped_once_a_turn_where_the_table_says_so() -> None:
    table = playing("Ana", "Max", "Eva", leaving=Leaving.SKIP)
    drop(table, "Max")
    table.wait(table.times.grace)
    table.progress = Progress(revision=5, turn_seat=0)
    table.wait(1)
    assert not table.table.orders, "it is not their turn"
    table.progress = Progress(revision=7, turn_seat=1)
    table.wait(1)
    (order,) = table.table.orders
    assert (order.kind, order.seat) == (OrderKind.SKIP, 1)
    table.carry_out()
    table.wait(1)
    assert not table.table.orders
    table.progress = Progress(revision=12, turn_seat=1)
    table.wait(1)
    assert table.carry_out() == [OrderKind.SKIP]
    table.settle(connect(table.table, token("Max"), table.now))
    table.progress = Progress(revision=17, turn_seat=1)
    table.wait(1)
    assert not table.table.orders


def test_nobody_is_skipped_while_nobody_would_move() -> None:
    """Else two who are away would be skipped in turn, day and night, for one who looks on."""
    table = playing("Ana", "Max", "Eva", leaving=Leaving.SKIP)
    for name in ("Max", "Eva"):
        drop(table, name)
    table.wait(table.times.grace)
    table.progress = Progress(revision=7, turn_seat=1, resigned=(0,))
    table.wait(1)
    assert not table.table.orders
    table.settle(connect(table.table, token("Eva"), table.now))
    table.wait(1)
    assert table.carry_out() == [OrderKind.SKIP]
    drop(table, "Eva")
    drop(table, "Ana")
    table.wait(table.times.grace)
    assert table.carry_out() == [OrderKind.END_EARLY]


def test_a_bot_goes_on_with_those_who_are_skipped() -> None:
    table = playing("Ana", "bot", "Eva", leaving=Leaving.SKIP)
    drop(table, "Eva")
    table.wait(table.times.grace)
    table.progress = Progress(revision=7, turn_seat=2, resigned=(0,))
    table.wait(1)
    assert table.carry_out() == [OrderKind.SKIP]


def test_a_game_that_is_skipped_round_and_round_is_over() -> None:
    """All clocks at zero, and no increment: nobody can ever move again."""
    table = playing("Ana", "Max", leaving=Leaving.SKIP)
    carried_out: list[OrderKind] = []
    for revision in range(5, 50):
        seat = revision % 2
        table.progress = Progress(revision=revision, turn_seat=seat, flagged=(seat,))
        table.wait(1)
        carried_out += table.carry_out()
        if OrderKind.END_EARLY in carried_out:
            break
    assert carried_out == [*[OrderKind.SKIP] * 20, OrderKind.END_EARLY]


@pytest.mark.parametrize("leaving", list(Leaving))
def test_resigned_seats_are_left_alone(leaving: Leaving) -> None:
    table = playing("Ana", "Max", "Eva", leaving=leaving)
    table.progress = Progress(revision=5, turn_seat=1, resigned=(1,))
    drop(table, "Max")
    table.wait(table.times.grace)
    assert not table.table.orders
    assert table.table.seats[1].stand_in is None


def test_a_clock_at_zero_is_as_good_as_absence() -> None:
    table = playing("Ana", "Max")
    table.progress = Progress(revision=5, turn_seat=1, flagged=(1,))
    table.wait(1)
    assert table.table.seats[1].stand_in is not None
    skipping = playing("Ana", "Max", leaving=Leaving.SKIP)
    skipping.progress = Progress(revision=5, turn_seat=1, flagged=(1,))
    skipping.wait(1)
    assert skipping.carry_out() == [OrderKind.SKIP]


def test_an_absent_person_loses_the_seat_of_an_open_table() -> None:
    table = evening(3)
    table.sit("Ana", "Max")
    drop(table, "Ana")
    table.wait(table.times.grace)
    assert table.table.open_seats == (0, 2)


def test_who_sat_down_and_never_watched_loses_the_seat_too() -> None:
    table = evening(2)
    table.sit("Ana", connected=False)
    table.wait(table.times.grace)
    assert table.table.open_seats == (0, 1)


def test_a_deal_waits_for_everybody_to_be_connected() -> None:
    table = evening(2)
    table.sit("Ana", "Max")
    drop(table, "Max")
    table.ready("Ana", "Max")
    assert table.is_in(TableState.OPEN)
    table.settle(connect(table.table, token("Max"), table.now))
    assert table.is_in(TableState.DEALING)


def test_a_match_goes_on_with_a_bot_for_somebody_who_is_away() -> None:
    table = playing("Ana", "Max", games=3)
    drop(table, "Max")
    table.wait(1)
    table.end(((0,), (1,)), 9, 5)
    table.wait(table.times.grace)
    assert table.table.seats[1].stand_in is not None
    table.bots_come()
    assert table.is_in(TableState.DEALING)
    table.start()
    table.come_back("Max")
    assert table.carry_out() == [OrderKind.TAKE_OVER]


def test_a_match_that_everybody_has_left_is_finished() -> None:
    table = playing("Ana", "Max", games=3)
    table.end(((0,), (1,)), 9, 5)
    drop(table, "Ana", "Max")
    table.wait(table.times.grace)
    assert table.is_in(TableState.FINISHED)


def test_a_table_that_nobody_uses_is_closed_one_day() -> None:
    table = evening()
    table.wait(table.times.unused - 1)
    assert table.is_in(TableState.OPEN)
    table.wait(1)
    assert table.is_in(TableState.FINISHED)


def test_the_next_moment_is_never_past_and_never_late() -> None:
    table = playing("Ana", "Max")
    drop(table, "Max")
    due = next_wake(table.table, table.now, table.times)
    assert due == table.now + table.times.grace
    before = table.table
    table.wait(table.times.grace - 1)
    assert table.table == before
    table.wait(1)
    assert table.table != before
    assert next_wake(table.table, table.now, table.times) is None


def test_after_a_restart_everybody_has_the_whole_grace_time_again() -> None:
    table = playing("Ana", "Max", "bot")
    drop(table, "Max")
    version = table.table.version
    table.now += 24 * 3_600_000
    table.settle(recover(table.table, table.now, table.times))
    assert table.is_in(TableState.ACTIVE)
    assert table.table.version > version
    assert all(seat.player_away for seat in table.table.seats)
    table.wait(table.times.grace - 1)
    assert not table.table.orders
    table.settle(connect(table.table, token("Ana"), table.now))
    table.wait(1)
    assert table.table.seats[1].stand_in is not None


def test_a_restart_in_the_middle_of_a_deal_makes_it_void_and_deals_anew() -> None:
    table = evening()
    table.sit("Ana", "Max")
    table.ready("Ana", "Max")
    seed = table.table.deal.seed if table.table.deal else b""
    table.settle(recover(table.table, table.now, table.times))
    assert table.is_in(TableState.OPEN)
    assert table.table.void_deals[0].deal.seed == seed
    table.settle(connect(table.table, token("Ana"), table.now))
    table.settle(connect(table.table, token("Max"), table.now))
    assert table.is_in(TableState.DEALING)
    assert table.table.deal is not None
    assert table.table.deal.number == 2
    assert table.table.deal.seed != seed


def test_a_restart_after_the_last_nonce_keeps_the_deal() -> None:
    table = evening()
    table.sit("Ana", "Max")
    table.ready("Ana", "Max")
    table.answer_deal()
    deal = table.table.deal
    table.settle(recover(table.table, table.now, table.times))
    assert table.table.deal == deal
    assert table.table.pending_room is not None
    table.open_room()
    assert table.is_in(TableState.ACTIVE)


def test_a_restart_while_a_rematch_is_waited_for_waits_again() -> None:
    table = playing("Ana", "Max")
    table.end(((0,), (1,)), 9, 5)
    table.now += 24 * 3_600_000
    table.settle(recover(table.table, table.now, table.times))
    assert table.is_in(TableState.OPEN)
    table.wait(table.times.rematch)
    assert table.is_in(TableState.FINISHED)
