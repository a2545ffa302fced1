"""What is read on the screen: notices, pages, the end, the list; nothing is lost from sight."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from genial.client import messages as m
from genial.client import text
from genial.client.keys import key_hints
from genial.client.languages import catalogue
from genial.client.model import (
    Ask,
    Browse,
    Model,
    Overlay,
    Remark,
    TableRow,
)
from genial.client.palette import Look
from genial.client.text import _
from genial.client.update import update
from genial.client.updates import (
    DealVerdict,
)
from genial.client.view.draw import draw
from genial.v1.table_pb2 import ChatMessage

from .game_scenes import closing, end, history, seen
from .hands import press
from .lobby_scenes import lobby, room
from .positions import mockup_model, mockup_view

LONG = (
    "The host at 10.0.0.4:7718 shows another certificate than before: " + "0123456789abcdef" * 4
    + " in place of " + "fedcba9876543210" * 4 + ". Either its owner has set it up anew, or"
    " somebody else answers in its place. Ask the owner for the fingerprint."
)  # fmt: skip


@pytest.mark.parametrize(
    "model",
    [lobby(), replace(lobby(), browse=Browse()), room(), end(), closing(), mockup_model()],
    ids=["list", "empty list", "room", "end", "end of turn", "game"],
)
@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40)], ids=lambda size: f"{size[0]}")
def test_a_long_notice_is_read_to_its_end(model: Model, size: tuple[int, int]) -> None:
    shown = draw(replace(model, notice=LONG), *size, Look()).text()
    words = [word for word in LONG.split() if len(word) < 60]
    assert [word for word in words if word not in shown] == []
    # One that fits leaves the screen as it is.
    short = draw(replace(model, notice="Well."), *size, Look()).text()
    assert "Well." in short
    assert draw(replace(model, notice=""), *size, Look()).text().split("\n")[5] in short


def test_names_and_results_of_the_race_do_not_touch() -> None:
    model = end()
    view = model.view
    assert view is not None
    seats = tuple(replace(seat, name="Viktoria") for seat in view.seats)
    model = seen(model, replace(view, seats=seats))
    for language in ("en", "es", "de"):
        text.install(catalogue(language))
        try:
            row = draw(model, 80, 24, Look()).text().split("\n")[13]
            ends = _("ends at {points}").format(points=11)
        finally:
            text.install(None)
        assert f" {ends}" in row, row


def test_what_is_said_after_the_game_is_read_there() -> None:
    said = ChatMessage(number=9, seat=1, name="Max", text="well played")
    model = replace(end(), log=(*end().log, said), unread=1)
    small = draw(model, 80, 24, Look()).text().split("\n")
    assert 'Max "well played"' in small[22]
    assert "1 unread" in small[22]
    tall = draw(model, 120, 40, Look()).text()
    assert "LOG AND CHAT" in tall
    assert "Max   well played" in tall


def test_a_shuffle_that_does_not_fit_is_said_to_the_end() -> None:
    problem = " ".join(
        ["the", "host", "has", "shown", "another", "commitment", "than", "before"] * 2
    )
    model = replace(end(), verdict=DealVerdict("game", False, (problem,), None, None))
    rows = draw(model, 80, 24, Look()).text().split("\n")
    shown = " ".join(" ".join(rows[20:22]).split())
    assert shown == f"deal not verified: {problem}"
    assert "Waiting for you" in rows[22]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["small", "large"])
def test_while_the_turn_ends_no_tile_is_in_hand_and_no_heat_on_the_board(
    size: tuple[int, int],
) -> None:
    model = closing()
    still = draw(model, *size, Look()).text()
    chosen = replace(model, heat=True, hand=replace(model.hand, chosen=0))
    assert draw(chosen, *size, Look()).text() == still
    assert "it earns" not in still
    # Whoever waits for the others looks ahead, with both.
    assert chosen.ghost() is None
    assert seen(chosen, replace(mockup_view(), turn=2)).ghost() is not None


def test_the_tutorial_ends_without_offering_another_game() -> None:
    model = replace(end(), lesson=9, table=None)
    assert ("Enter", "rematch") not in key_hints(model, 80)
    assert not press(replace(model, now=9.0), "enter")[1]
    assert "Rematch" not in draw(model, 80, 24, Look()).text()


def test_in_a_window_too_small_q_leaves_whatever_was_open() -> None:
    typing, _effects = press(mockup_model(), "c", "h", "i")
    for model in (
        mockup_model(),
        typing,
        replace(mockup_model(), overlay=Overlay.HELP),
        replace(mockup_model(), question=Ask.RESIGN),
    ):
        small = replace(model, width=40, height=10)
        assert "q leaves" in draw(small, 40, 10, Look()).text()
        assert press(small, "q")[1] == [m.Detach()]
        # What nobody sees changes nothing.
        assert press(small, "y", "enter", "x", "left")[1] == []
        assert press(small, "y", "left")[0] == small
        assert update(small, m.Mouse(m.Button.DOWN, 2, 9)) == (small, ())
    small = replace(lobby(), width=40, height=10)
    assert press(small, "q")[1] == [m.Quit()]


def test_the_log_is_scrolled_from_its_end_and_stays_there_when_more_comes() -> None:
    remarks = tuple(Remark(f"remark {number}.") for number in range(60))
    model, _ = press(replace(mockup_model(), log=remarks), "l")

    def shown(model: Model) -> set[int]:
        found = re.findall(r"remark ([0-9]+)\.", draw(model, 80, 24, Look()).text())
        return {int(number) for number in found}

    assert max(shown(model)) == 59
    up, _ = press(model, "up")
    assert max(shown(up)) == 58
    page, _ = press(up, "pageup")
    assert max(shown(page)) == 58 - 19
    # What is being read stays where it is; the end goes on being the end.
    more = (*remarks, Remark("remark 60."))
    assert max(shown(replace(up, log=more))) == 58
    assert max(shown(replace(model, log=more))) == 60
    down, _ = press(up, "down")
    assert max(shown(replace(down, log=more))) == 60
    # Nobody scrolls beyond the end, to have to come back from there.
    beyond, _ = press(model, *["down"] * 9, "up")
    assert max(shown(beyond)) == 58
    assert min(shown(press(model, "home")[0])) == 0


def test_a_review_that_comes_too_late_stays_away() -> None:
    lines = ("Ana: 3 away",)
    shown, _ = update(replace(end(), busy=True), m.Reviewed(lines))
    assert (shown.overlay, shown.busy) == (Overlay.REVIEW, False)
    late, _ = update(replace(mockup_model(), busy=True), m.Reviewed(lines))
    assert (late.overlay, late.busy) == (None, False)


def test_a_notice_is_read_over_whatever_lies_over_the_screen() -> None:
    """As when a game is to be replayed that still runs."""
    said = "This game still runs; its record is there when it is over."
    for overlay in (Overlay.HISTORY, Overlay.HELP, Overlay.LOG, Overlay.SETTINGS):
        model = replace(mockup_model(), overlay=overlay, history=())
        assert said in draw(replace(model, notice=said), 80, 24, Look()).text()
        after, _ = press(replace(model, notice=said), "up")
        assert not after.notice


def test_a_line_of_the_log_is_read_to_its_end() -> None:
    remark = Remark(" ".join("abcdefg" for _word in range(30)) + " end.")
    shown = draw(replace(mockup_model(), log=(remark,), overlay=Overlay.LOG), 80, 24, Look()).text()
    assert shown.count("abcdefg") == 30
    assert "end." in shown


def test_a_game_of_the_list_is_replayed_by_two_clicks() -> None:
    model = history()
    assert model.scroll == 1
    chosen, effects = update(model, m.Mouse(m.Button.DOWN, 30, 7))
    assert (chosen.scroll, effects) == (3, ())
    _, effects = update(chosen, m.Mouse(m.Button.DOWN, 30, 7))
    assert effects == (m.OpenRecord("3"),)
    for y in (1, 12):
        assert update(model, m.Mouse(m.Button.DOWN, 30, y)) == (model, ())


def test_a_host_that_was_asked_for_is_chosen_when_its_rows_come() -> None:
    model = replace(lobby(), browse=replace(lobby().browse, held=()))
    model, _ = press(model, "a", *"10.0.0.9", "enter")
    assert model.notice == "Asking 10.0.0.9"
    model, _ = update(model, m.Listed("new"))
    assert not model.notice
    fresh = TableRow("new", "Eva", "10.0.0.9", None)
    rows = (*model.browse.rows, fresh)
    model, _ = update(model, m.HostsSeen(rows, 4))
    assert model.browse.chosen == fresh
    # Once, and not whenever something changes.
    model, _ = press(model, "up")
    model, _ = update(model, m.HostsSeen(rows, 4))
    assert model.browse.chosen != fresh


def test_a_host_that_cannot_be_joined_keeps_the_cursor_from_no_other() -> None:
    empty = Model(settings=lobby().settings)
    useless = TableRow("old", "Eva", "10.0.0.9", None, False, note="too old")
    model, _ = update(empty, m.HostsSeen((useless,), 0))
    assert model.browse.chosen == useless
    rows = (*lobby().browse.rows[:2], useless)
    model, _ = update(model, m.HostsSeen(rows, 1))
    assert model.browse.chosen == rows[0]
    # Whoever goes there to read why stays there.
    model, _ = press(model, "down", "down")
    model, _ = update(model, m.HostsSeen((*lobby().browse.rows[:3], useless), 2))
    assert model.browse.chosen == useless
