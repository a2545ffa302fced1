"""Games one after the other: first seats, standings, rematches, ends (rules, sections 6 and 7)."""

from __future__ import annotations

import dataclasses

import pytest

from genial.engine.rules import EndReason, FirstBy, Leaving, Mode, Rules
from genial.services.lobby import commands, seating
from genial.services.lobby.match import first_by, standings_after
from genial.services.lobby.passing import disconnect
from genial.services.lobby.table import OrderKind, Progress, Result, Row, TableState
from genial.wire.errors import GenialError, Reason
from genial.wire.values import Clock
from tests.services.lobby.tables import Evening, evening, playing, token

AT_18 = (18, 18, 18, 18, 18, 18)


def rows(table: Evening) -> list[tuple[int, int, int, int]]:
    return [
        (row.seat, row.won_twelfths, row.lowest_sum, row.games) for row in table.table.standings
    ]


def propose(table: Evening, name: str, agree: bool = True) -> None:
    table.settle(
        commands.propose_end(table.table, token(name), agree, table.progress, table.chance)
    )


def test_a_match_readies_itself_moves_the_first_seat_on_and_keeps_standings() -> None:
    table = playing("Ana", "Max", "Eva", games=3, first=2)
    assert table.table.first_seat == 0, "what the room said"
    table.end(((1,), (0, 2)), 9, 12, 9)
    assert table.is_in(TableState.OPEN)
    assert table.table.next_first_seat == 1
    assert first_by(table.table) is FirstBy.ROTATION
    assert table.table.game_number == 2
    assert rows(table) == [(1, 12, 12, 1), (0, 0, 9, 1), (2, 0, 9, 1)]
    table.wait(table.times.interlude)
    assert table.is_in(TableState.DEALING)
    table.start(first_seat=1)
    table.end(((0, 2), (1,)), 14, 3, 10)
    table.wait(table.times.interlude)
    table.start(first_seat=2)
    match_id = table.table.match_id
    table.end(((0, 1, 2),), 10, 10, 10)
    assert rows(table) == [(1, 16, 25, 3), (0, 10, 33, 3), (2, 10, 29, 3)]
    assert table.table.game_number == 1
    table.wait(table.times.interlude)
    assert table.is_in(TableState.OPEN), "the match is over: people are asked"
    for name in ("Ana", "Max", "Eva"):
        table.settle(commands.rematch(table.table, token(name)))
    assert table.is_in(TableState.DEALING)
    assert table.table.match_id != match_id
    assert table.table.standings == ()
    assert table.table.next_first_seat == 0


def test_an_open_ended_table_counts_on_from_rematch_to_rematch() -> None:
    table = playing("Ana", "Max", games=0)
    match_id = table.table.match_id
    table.end(((0,), (1,)), 9, 5)
    assert table.table.game_number == 2
    table.settle(commands.rematch(table.table, token("Ana")))
    table.settle(commands.rematch(table.table, token("Max")))
    assert table.table.match_id == match_id
    table.start(first_seat=1)
    table.end(((1,), (0,)), 4, 6)
    assert rows(table) == [(0, 12, 13, 2), (1, 12, 11, 2)]


def test_chance_decides_the_first_game_alone() -> None:
    table = playing("Ana", "Max", first=None)
    table.end(((0,), (1,)), 9, 5)
    assert first_by(table.table) is FirstBy.ROTATION
    fresh = evening(first=None)
    assert fresh.table.next_first_seat is None
    assert first_by(fresh.table) is FirstBy.CHANCE
    assert first_by(evening(first=1).table) is FirstBy.NAMED


def test_without_a_rematch_within_a_minute_the_table_is_finished() -> None:
    table = playing("Ana", "Max")
    table.end(((0,), (1,)), 9, 5)
    table.wait(table.times.rematch - 1)
    assert table.is_in(TableState.OPEN)
    table.wait(1)
    assert table.is_in(TableState.FINISHED)
    with pytest.raises(GenialError) as refusal:
        commands.rematch(table.table, token("Ana"))
    assert refusal.value.reason == Reason.TABLE_CLOSED


def test_one_who_asks_for_a_rematch_keeps_the_table_open() -> None:
    table = playing("Ana", "Max")
    table.end(((0,), (1,)), 9, 5)
    table.settle(commands.rematch(table.table, token("Max")))
    table.wait(2 * table.times.rematch)
    assert table.is_in(TableState.OPEN)
    table.settle(commands.rematch(table.table, token("Ana")))
    assert table.is_in(TableState.DEALING)


def test_no_rematch_before_a_first_game() -> None:
    table = evening()
    table.sit("Ana")
    with pytest.raises(GenialError) as refusal:
        commands.rematch(table.table, token("Ana"))
    assert refusal.value.reason == Reason.NO_GAME_YET


def test_bots_alone_play_their_match_and_are_finished() -> None:
    table = playing("bot", "bot", games=2)
    table.end(((0,), (1,)), 9, 5)
    assert table.is_in(TableState.DEALING), "nobody needs a pause"
    table.start()
    table.end(((0,), (1,)), 9, 5)
    assert table.is_in(TableState.FINISHED)


def test_who_is_not_ready_holds_the_next_game_of_a_match_up() -> None:
    table = playing("Ana", "Max", games=2)
    table.end(((0,), (1,)), 9, 5)
    table.settle(commands.set_ready(table.table, token("Ana"), False))
    table.wait(2 * table.times.interlude)
    assert table.is_in(TableState.OPEN)
    table.ready("Ana", "Max")
    assert table.is_in(TableState.DEALING)


@pytest.mark.parametrize(
    ("players", "mode", "ranking", "won"),
    [
        (2, Mode.FREE, ((0, 1),), [6, 6]),
        (3, Mode.FREE, ((0, 1, 2),), [4, 4, 4]),
        (4, Mode.FREE, ((0, 1, 2, 3),), [3, 3, 3, 3]),
        (4, Mode.FREE, ((2,), (0, 1, 3)), [0, 0, 12, 0]),
        (4, Mode.PARTNERS, ((1, 3), (0, 2)), [0, 12, 0, 12]),
        (4, Mode.PARTNERS, ((0, 1, 2, 3),), [6, 6, 6, 6]),
        (1, Mode.SOLO, ((0,),), [12]),
    ],
)
def test_shared_wins_are_shared(
    players: int, mode: Mode, ranking: tuple[tuple[int, ...], ...], won: list[int]
) -> None:
    rules = Rules(mode=mode, players=players)
    result = Result(ranking, (AT_18,) * players, counts=True)
    after = {row.seat: row.won_twelfths for row in standings_after(rules, (), result)}
    assert [after[seat] for seat in range(players)] == won


def test_the_sum_of_the_lowest_counters_decides_between_equal_wins() -> None:
    before = (Row(0, 12, 10, 1), Row(1, 0, 30, 1))
    result = Result(((1,), (0,)), (AT_18, (5, 18, 18, 18, 18, 18)), counts=True)
    after = standings_after(Rules(), before, result)
    assert [(row.seat, row.won_twelfths, row.lowest_sum) for row in after] == [
        (1, 12, 35),
        (0, 12, 28),
    ]


@pytest.mark.parametrize("reason", [EndReason.AGREED, EndReason.ABANDONED])
def test_games_that_were_broken_off_do_not_count(reason: EndReason) -> None:
    table = playing("Ana", "Max", games=3)
    table.end(((0,), (1,)), 9, 5, reason=reason)
    assert rows(table) == [(0, 0, 0, 0), (1, 0, 0, 0)]


def test_a_newcomer_begins_with_an_empty_row() -> None:
    table = playing("Ana", "Max", games=0)
    table.end(((1,), (0,)), 9, 15)
    table.settle(seating.leave(table.table, token("Max"), table.now, table.chance))
    table.sit("Eva")
    table.ready("Ana", "Eva")
    table.start()
    table.end(((1,), (0,)), 7, 8)
    assert rows(table) == [(1, 12, 8, 1), (0, 0, 16, 2)]


def test_the_game_ends_when_every_person_still_seated_agrees() -> None:
    table = playing("Ana", "Max", "Eva", "bot")
    propose(table, "Ana")
    propose(table, "Max")
    propose(table, "Ana", False)
    propose(table, "Eva")
    assert not table.table.orders
    propose(table, "Ana")
    (order,) = table.table.orders
    assert (order.kind, order.reason) == (OrderKind.END_EARLY, EndReason.AGREED)
    assert not any(seat.agrees_to_end for seat in table.table.seats)


def test_who_left_or_resigned_is_not_asked() -> None:
    table = playing("Ana", "Max", "Eva")
    table.settle(seating.leave(table.table, token("Eva"), table.now, table.chance))
    table.progress = Progress(revision=9, resigned=(1,))
    propose(table, "Ana")
    assert table.carry_out() == [OrderKind.END_EARLY]


def test_an_abandoned_game_closes_its_table() -> None:
    table = playing("Ana", "Max", games=3)
    table.end(((0,), (1,)), 9, 5, reason=EndReason.ABANDONED)
    assert table.is_in(TableState.ABANDONED)
    assert table.table.ended_at == table.now


def test_clocks_are_paused_by_all_and_run_again_by_one() -> None:
    table = playing("Ana", "Max")

    def pause(name: str, wanted: bool) -> None:
        table.settle(
            commands.pause_clocks(table.table, token(name), wanted, table.progress, table.chance)
        )

    with pytest.raises(GenialError) as refusal:
        pause("Ana", True)
    assert refusal.value.reason == Reason.NO_CLOCK
    options = dataclasses.replace(table.table.options, clock=Clock(600_000, 10_000))
    table.table = dataclasses.replace(table.table, options=options)
    pause("Ana", True)
    assert not table.table.orders
    pause("Max", True)
    (order,) = table.table.orders
    assert (order.kind, order.paused) == (OrderKind.PAUSE, True)
    table.carry_out()
    pause("Max", False)
    (order,) = table.table.orders
    assert (order.kind, order.paused) == (OrderKind.PAUSE, False)
    assert not any(seat.agrees_to_pause for seat in table.table.seats)


def test_a_table_is_put_away_and_taken_out_again() -> None:
    table = playing("Ana", "Max", leaving=Leaving.BOT)
    with pytest.raises(GenialError) as refusal:
        commands.shelve(table.table, token("Max"), table.chance)
    assert refusal.value.reason == Reason.NOT_CREATOR
    table.settle(commands.shelve(table.table, token("Ana"), table.chance))
    assert table.is_in(TableState.SHELVED)
    assert [(order.kind, order.frozen) for order in table.table.orders] == [
        (OrderKind.FREEZE, True)
    ]
    table.carry_out()
    table.settle(disconnect(table.table, token("Ana"), table.now))
    table.settle(disconnect(table.table, token("Max"), table.now))
    table.wait(7 * 24 * 3_600_000)
    assert table.is_in(TableState.SHELVED)
    assert not table.table.orders
    table.settle(commands.resume(table.table, token("Max"), table.now, table.chance))
    assert table.is_in(TableState.ACTIVE)
    assert [(order.kind, order.frozen) for order in table.table.orders] == [
        (OrderKind.FREEZE, False)
    ]
    table.carry_out()
    table.wait(table.times.grace - 1)
    assert not table.table.orders, "everybody's time to come back has begun anew"
    with pytest.raises(GenialError) as refusal:
        commands.resume(table.table, token("Ana"), table.now, table.chance)
    assert refusal.value.reason == Reason.TABLE_NOT_SHELVED
