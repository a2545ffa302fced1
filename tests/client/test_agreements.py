"""Who agrees to what at a table, and whose word is missing, as sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from genial.client.agreements import agrees_to_pause, askers, clocks_change, missing
from genial.client.sentences import table_changes
from genial.client.updates import GameChanged
from genial.v1 import game_pb2
from genial.v1.table_pb2 import (
    TABLE_STATE_ABANDONED,
    TABLE_STATE_ACTIVE,
    TABLE_STATE_OPEN,
    TABLE_STATE_SHELVED,
    Table,
    TableState,
)
from tests.client.screen.positions import message_for, mockup_view


def table(*asking: int, own: int | None = 0, what: str = "agrees_to_pause") -> Table:
    """Ana, Max and Lena, and a bot; those of `asking` agree."""
    shown = Table(state=TABLE_STATE_ACTIVE)
    for number, name in enumerate(("Ana", "Max", "Lena", "Bot")):
        kind = game_pb2.SEAT_KIND_BOT if name == "Bot" else game_pb2.SEAT_KIND_HUMAN
        shown.seats.add(seat=number, name=name, kind=kind, connected=True)
        setattr(shown.seats[number], what, number in asking)
    if own is not None:
        shown.viewer_seat = own
    return shown


def test_a_pause_is_asked_for_and_agreed_to_by_name() -> None:
    assert table_changes(table(), table(1)) == [
        "Max asks to pause the clocks; `pause` agrees. Still to agree: Ana, Lena."
    ]
    assert table_changes(table(), table(0)) == [
        "You ask to pause the clocks. Still to agree: Max, Lena."
    ]
    assert table_changes(table(0), table(0, 2)) == [
        "Lena agrees to pause the clocks. Still to agree: Max."
    ]
    assert table_changes(table(0, 2), table(0, 1, 2)) == ["Max agrees to pause the clocks."]
    assert table_changes(table(2), table(0, 2)) == [
        "You agree to pause the clocks. Still to agree: Max."
    ]
    # Who has not agreed yet hears how, whoever was the first to ask.
    assert table_changes(table(1, own=0), table(1, 2, own=0)) == [
        "Lena asks to pause the clocks; `pause` agrees. Still to agree: Ana."
    ]


def test_the_end_is_proposed_likewise() -> None:
    def proposed(*seats: int) -> Table:
        return table(*seats, what="agrees_to_end")

    assert table_changes(proposed(), proposed(1)) == [
        "Max proposes to end the game; `end` agrees. Still to agree: Ana, Lena."
    ]
    assert table_changes(proposed(), proposed(0)) == [
        "You propose to end the game. Still to agree: Max, Lena."
    ]


def test_bots_and_who_has_resigned_are_not_waited_for() -> None:
    view = mockup_view()
    seats = list(view.seats)
    seats[2] = replace(seats[2], resigned=True)
    resigned = replace(view, seats=tuple(seats))
    asked = table(0)
    assert askers(asked, agrees_to_pause) == ["Ana"]
    assert missing(asked, None, agrees_to_pause) == ["Max", "Lena"]
    assert missing(asked, resigned, agrees_to_pause) == ["Max"]
    assert table_changes(table(), asked, resigned) == [
        "You ask to pause the clocks. Still to agree: Max."
    ]


def game(paused: bool, game_id: str = "game") -> GameChanged:
    view = mockup_view()
    message = message_for(view)
    message.clocks_paused = paused
    return GameChanged(game_id, view.revision, view, (), False, message)


def test_clocks_that_stand_still_and_run_again_are_told_once() -> None:
    assert clocks_change(game(False), game(True)) == "The clocks are paused."
    assert clocks_change(game(True), game(True)) == ""
    assert clocks_change(game(True), game(False)) == "The clocks run again."
    assert clocks_change(None, game(False)) == ""
    assert clocks_change(None, game(True)) == "The clocks are paused."
    assert clocks_change(game(True), game(False, "next game")) == ""


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (TABLE_STATE_ACTIVE, TABLE_STATE_SHELVED, "The table is put away"),
        (TABLE_STATE_SHELVED, TABLE_STATE_ACTIVE, "The table is out again"),
        (TABLE_STATE_SHELVED, TABLE_STATE_OPEN, "The table is out again"),
        (TABLE_STATE_OPEN, TABLE_STATE_ACTIVE, "The game begins."),
    ],
)
def test_a_table_put_away_and_taken_out_is_told(
    before: TableState.ValueType, after: TableState.ValueType, said: str
) -> None:
    earlier, later = table(), table()
    earlier.state, later.state = before, after
    (sentence,) = table_changes(earlier, later)
    assert sentence.startswith(said)


def test_a_table_closed_on_the_shelf_does_not_go_on() -> None:
    earlier, later = table(), table()
    earlier.state, later.state = TABLE_STATE_SHELVED, TABLE_STATE_ABANDONED
    assert table_changes(earlier, later) == []


def test_somebody_away_is_said_to_be_away_whether_the_line_broke_or_not() -> None:
    gone = table()
    gone.seats[1].connected = False
    assert table_changes(table(), gone) == ["Max is away."]
    assert table_changes(gone, table()) == ["Max is here again."]
