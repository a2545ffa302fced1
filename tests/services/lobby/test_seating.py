"""Who sits where."""

from __future__ import annotations

from genial.engine.refusal import Refusal
from genial.engine.rules import Leaving
from genial.services.lobby import commands, seating
from genial.services.lobby.table import Occupant, OrderKind, TableState
from genial.wire.errors import Reason
from tests.services.lobby.tables import Evening, evening, playing, refused, token


def join(table: Evening, name: str, number: int | None = None) -> int:
    table.table, seat = seating.join(
        table.table,
        token(name),
        name=name,
        number=number,
        bot_level="",
        now=table.now,
        chance=table.chance,
    )
    return seat


def leave(table: Evening, name: str) -> None:
    table.settle(seating.leave(table.table, token(name), table.now, table.chance))


def kick(table: Evening, by: str, number: int) -> None:
    table.settle(seating.kick(table.table, token(by), number, table.now, table.chance))


def test_the_first_open_seat_or_the_one_that_was_asked_for() -> None:
    table = evening(3)
    assert join(table, "Ana") == 0
    assert join(table, "Max", 2) == 2
    assert join(table, "Eva") == 1
    with refused(Reason.TABLE_FULL):
        join(table, "Leo")
    with refused(Reason.SEAT_TAKEN):
        join(table, "Leo", 1)
    with refused(Refusal.NO_SUCH_SEAT):
        join(table, "Leo", 3)


def test_the_same_token_keeps_its_seat() -> None:
    table = evening(3)
    table.sit("Ana", "Max")
    before = table.table
    assert join(table, "Max", 2) == 1
    assert table.table == before


def test_two_people_of_one_name_are_told_apart() -> None:
    table = evening(3)
    table.sit("Ana")
    for number, name in ((1, "ANA"), (2, "Ana")):
        table.table, _ = seating.join(
            table.table,
            token(f"other {number}"),
            name=name,
            number=None,
            bot_level="",
            now=table.now,
            chance=table.chance,
        )
    assert [seat.name for seat in table.table.seats] == ["Ana", "ANA 2", "Ana 3"]


def test_locked_seats_keep_newcomers_out_and_let_people_back() -> None:
    table = evening(3)
    table.sit("Ana", "Max")
    table.settle(commands.lock_seats(table.table, token("Ana"), True))
    with refused(Reason.SEATS_LOCKED):
        join(table, "Eva")
    assert join(table, "Max") == 1
    with refused(Reason.NOT_CREATOR):
        commands.lock_seats(table.table, token("Max"), False)
    table.settle(commands.lock_seats(table.table, token("Ana"), False))
    assert join(table, "Eva") == 2


def test_the_first_to_sit_has_the_creators_rights_and_hands_them_on_clockwise() -> None:
    table = evening(3)
    table.sit("Ana", "Max", "Eva")
    assert table.table.is_creator(token("Ana"))
    leave(table, "Ana")
    assert table.table.is_creator(token("Max"))
    table.sit("Ana")
    kick(table, "Max", 2)
    with refused(Reason.NOT_CREATOR):
        kick(table, "Ana", 1)
    leave(table, "Max")
    assert table.table.is_creator(token("Ana"))
    leave(table, "Ana")
    assert table.table.creator_hash is None
    table.sit("Leo")
    assert table.table.is_creator(token("Leo"))


def test_bots_never_become_creators() -> None:
    table = evening(3)
    table.sit("Robot", level="medium")
    assert table.table.creator_hash is None
    table.sit("Ana", "Max")
    assert table.table.is_creator(token("Ana"))


def test_who_was_sent_away_does_not_come_back() -> None:
    table = evening(3)
    table.sit("Ana", "Max")
    kick(table, "Ana", 1)
    assert table.table.seats[1].is_open
    with refused(Reason.SENT_AWAY):
        join(table, "Max")
    with refused(Reason.SEAT_OPEN):
        kick(table, "Ana", 1)


def test_bots_are_called_what_the_host_was_told() -> None:
    table = evening(4)
    table.sit("Hal")
    table.chance.bot_names = ("Hal", "Deep Thought")
    for number in (1, 2, 3):
        table.settle(seating.put_bot(table.table, number, "medium", table.now, table.chance))
    names = [seat.name for seat in table.table.seats]
    assert names[1] == "Deep Thought"
    assert all(name.rstrip(" 23") in table.chance.bot_names for name in names)
    assert len(set(names)) == 4


def test_bots_are_sent_away_by_anybody_seated() -> None:
    table = evening(3)
    table.sit("Ana", "Max")
    table.settle(seating.put_bot(table.table, 2, "medium", table.now, table.chance))
    with refused(Reason.BAD_SEAT_TOKEN):
        kick(table, "Leo", 2)
    kick(table, "Max", 2)
    assert table.table.seats[2].is_open


def test_nobody_acts_without_a_seat() -> None:
    table = evening()
    table.sit("Ana")
    with refused(Reason.SEAT_TOKEN_NEEDED):
        commands.set_ready(table.table, None, True)
    with refused(Reason.BAD_SEAT_TOKEN):
        commands.set_ready(table.table, token("Leo"), True)


def test_start_fills_the_open_seats_with_bots() -> None:
    table = evening(4)
    table.sit("Ana", "Max")
    table.settle(commands.start_game(table.table, token("Ana"), "medium", 0, table.chance))
    assert [seat.occupant for seat in table.table.seats] == [
        Occupant.HUMAN,
        Occupant.HUMAN,
        Occupant.BOT,
        Occupant.BOT,
    ]
    assert len({seat.name for seat in table.table.seats}) == 4
    table.ready("Max")
    assert table.is_in(TableState.OPEN), "the bots are not there yet"
    table.bots_come()
    assert table.is_in(TableState.DEALING)


def test_bots_alone_start_by_themselves() -> None:
    table = evening(3)
    table.settle(seating.fill_with_bots(table.table, "medium", table.now, table.chance))
    assert table.is_in(TableState.OPEN)
    table.bots_come()
    assert table.is_in(TableState.DEALING)


def test_a_seat_is_claimed_for_a_bot_once_and_its_new_token_takes_over() -> None:
    table = playing("Ana", "bot")
    seat = table.table.seats[1]
    same, number = seating.claim_for_bot(
        table.table,
        seat.token_hash,
        number=1,
        level="medium",
        now=table.now,
        chance=table.chance,
    )
    assert (same, number) == (table.table, 1)
    other, _ = seating.claim_for_bot(
        table.table,
        token("another"),
        number=1,
        level="medium",
        now=table.now,
        chance=table.chance,
    )
    (order,) = other.orders
    assert (order.kind, order.seat, order.token_hash) == (
        OrderKind.TAKE_OVER,
        1,
        token("another"),
    )
    with refused(Reason.SEAT_TAKEN):
        seating.claim_for_bot(
            table.table, token("x"), number=0, level="medium", now=0, chance=table.chance
        )


def test_leaving_a_running_game_lets_a_bot_play_on_and_the_person_may_return() -> None:
    table = playing("Ana", "Max", "Eva")
    leave(table, "Max")
    seat = table.table.seats[1]
    assert seat.stand_in is not None
    assert seat.stand_in.name == "Max (bot)"
    assert not table.table.orders, "the bot has not come yet"
    table.bots_come()
    (order,) = table.table.orders
    assert (order.kind, order.seat, order.bot_level) == (OrderKind.TAKE_OVER, 1, "medium")
    table.carry_out()
    with refused(Reason.BAD_SEAT_TOKEN):
        commands.propose_end(table.table, token("Max"), True, table.progress, table.chance)
    table.come_back("Max")
    assert table.table.seats[1].stand_in is None
    (order,) = table.table.orders
    assert (order.kind, order.seat, order.bot_level, order.name) == (
        OrderKind.TAKE_OVER,
        1,
        "",
        "Max",
    )
    assert order.token_hash == token("Max")


def test_returning_before_the_bot_has_come_asks_the_room_for_nothing() -> None:
    table = playing("Ana", "Max", "Eva")
    leave(table, "Max")
    table.come_back("Max")
    assert table.table.seats[1].stand_in is None
    assert not table.table.orders


def test_who_is_sent_away_from_a_running_game_is_played_for_and_stays_away() -> None:
    table = playing("Ana", "Max", "Eva")
    kick(table, "Ana", 1)
    assert table.table.seats[1].stand_in is not None
    with refused(Reason.SENT_AWAY):
        join(table, "Max")
    table.end(((0,), (1,), (2,)), 9, 5, 3)
    assert table.table.seats[1].is_open


def test_leaving_where_absent_players_are_skipped_resigns() -> None:
    table = playing("Ana", "Max", "Eva", leaving=Leaving.SKIP)
    leave(table, "Max")
    assert table.carry_out() == [OrderKind.RESIGN]
    assert table.table.seats[1].stand_in is None


def test_newcomers_do_not_sit_down_in_a_running_game() -> None:
    table = playing("Ana", "bot")
    with refused(Reason.TABLE_FULL):
        join(table, "Leo")
    with refused(Reason.TABLE_NOT_OPEN):
        commands.set_ready(table.table, token("Ana"), False)
    with refused(Reason.TABLE_NOT_OPEN):
        kick(table, "Ana", 1)


def test_leaving_while_the_room_is_being_made_counts_as_leaving_the_game() -> None:
    table = evening(3)
    table.sit("Ana", "Max", "Eva")
    table.ready("Ana", "Max", "Eva")
    table.answer_deal()
    leave(table, "Max")
    assert table.is_in(TableState.DEALING)
    assert table.table.seats[1].left
    assert table.table.pending_room is not None
    table.open_room()
    assert table.is_in(TableState.ACTIVE)
    assert table.table.seats[1].stand_in is not None
