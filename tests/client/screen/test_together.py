"""What a table does together: put away for another evening, and clocks paused by agreement."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from genial.client import messages as m
from genial.client.commands import run_command
from genial.client.keys import Context, bindings_for, context_of, key_hints
from genial.client.link import connect
from genial.client.model import Ask, HeldSeat, Model, Overlay, Remark, Screen
from genial.client.session import Access, MemoryStore, join
from genial.client.settings import Settings
from genial.client.update import update
from genial.client.updates import GameChanged, TableChanged
from genial.engine.rules import Rules
from genial.v1.game_pb2 import Clock, GameView
from genial.v1.table_pb2 import (
    TABLE_STATE_ACTIVE,
    TABLE_STATE_FINISHED,
    TABLE_STATE_SHELVED,
    Table,
    TableOptions,
)
from genial.wire.values import rules_to_message
from tests.services.host.hosts import hosting, local

from .game_scenes import closing, end, pause_asked, paused, put_away, seen
from .hands import press, text_of
from .lobby_scenes import lobby, put_away_room, room
from .positions import mockup_model, mockup_view
from .terminal import Hands, sitting


def with_table(model: Model, change: int | None = None, **seat: bool) -> Model:
    """The model with a copy of its table, where a seat is changed."""
    assert model.table is not None
    table = Table()
    table.CopyFrom(model.table)
    if change is not None:
        for field, value in seat.items():
            setattr(table.seats[change], field, value)
    return replace(model, table=table)


# --- putting away -------------------------------------------------------------------


@pytest.mark.parametrize(
    "model", [mockup_model(), closing(), room(), end()], ids=lambda m: context_of(m)
)
def test_who_opened_the_table_puts_it_away_after_a_question(model: Model) -> None:
    asked, effects = press(model, "z")
    assert asked.question is Ask.SHELVE
    assert not effects
    assert "Put the table away for another evening?" in text_of(asked)
    assert press(asked, "n") == (replace(asked, question=None), [])
    assert press(asked, "y")[1] == [m.Shelve()]
    assert press(model, ":", *"shelve", "enter", "y")[1] == [m.Shelve()]
    shown = text_of(replace(model, overlay=Overlay.HELP, scroll=12))
    assert "put the table away for another evening" in shown


def test_nobody_else_is_offered_that() -> None:
    for model in (replace(mockup_model(), seat=1), replace(room(), seat=None)):
        after, effects = press(model, "z")
        assert after.question is None
        assert not effects
    over = with_table(end())
    assert over.table is not None
    over.table.state = TABLE_STATE_FINISHED
    assert press(over, "z")[0].question is None


def test_a_table_put_away_says_so_and_takes_no_moves() -> None:
    model = put_away()
    assert context_of(model) is Context.SHELVED
    shown = text_of(model)
    assert "PUT AWAY" in shown
    assert "Enter takes the table out again" in shown
    assert model.ghost() is None
    for key in ("left", "r", "x", "f", "*", "h", "1", "p", "z"):
        after, effects = press(model, key)
        assert not effects, key
        assert after.hand == model.hand
    assert press(model, "enter")[1] == [m.Resume()]
    assert press(put_away_room(), "enter")[1] == [m.Resume()]
    assert press(model, ":", *"resume", "enter")[1] == [m.Resume()]
    # Nothing is given up by leaving it, so nothing is asked.
    assert press(model, "q")[1] == [m.Detach()]
    assert press(put_away_room(), "q")[1] == [m.Detach()]


def test_between_games_enter_takes_it_out_and_asks_no_rematch() -> None:
    over = with_table(end())
    assert over.table is not None
    over.table.state = TABLE_STATE_SHELVED
    assert press(over, "enter")[1] == [m.Resume()]
    assert "Enter takes it out again" in text_of(over)
    assert "rematch" not in dict(key_hints(over, 80)).values()


def test_spectators_see_it_and_cannot_take_it_out() -> None:
    view = replace(mockup_view(), viewer=None, rack=())
    model = replace(seen(put_away(), view), seat=None)
    assert press(model, "enter")[1] == []
    assert "its players take it out again" in text_of(model)
    watched = replace(put_away_room(), seat=None)
    assert "Its players take it out again" in text_of(watched)


def test_others_read_that_it_is_put_away_and_out_again() -> None:
    model = replace(mockup_model(), seat=1)
    assert model.table is not None
    away = with_table(model).table
    assert away is not None
    away.viewer_seat = 1
    away.state = TABLE_STATE_SHELVED
    model, _ = update(model, TableChanged(away, model.table))
    assert "The table is put away, with every seat kept" in text_of(model)
    back = Table()
    back.CopyFrom(away)
    back.state = TABLE_STATE_ACTIVE
    model, _ = update(model, TableChanged(back, away))
    assert "The table is out again" in text_of(model)
    assert context_of(model) is Context.PLACING


def test_the_list_offers_the_way_back_and_goes_there_under_the_right_name() -> None:
    held = HeldSeat("g", "10.0.0.4:7718", "g", "Garden table", 1, False, "Lena P", shelved=True)
    model = replace(lobby(), browse=replace(lobby().browse, held=(held,)))
    shown = text_of(model)
    assert "You have a seat at a table that is put away." in shown
    assert "Garden table, seat 2: go back and take it out again." in shown
    assert press(model, "g")[1] == [m.Sit("10.0.0.4:7718", "g", "Lena P")]
    # The row of a table where we sit under another name leads to that seat.
    row = model.browse.rows[0]
    assert row.table is not None
    held = replace(held, host_id=row.host_id, table_id=row.table.table_id)
    model = replace(model, browse=replace(model.browse, held=(held,)))
    assert press(model, "enter")[1] == [m.Sit(row.address, row.table.table_id, "Lena P")]


# --- clocks -------------------------------------------------------------------------


def test_pausing_is_asked_for_agreed_to_and_taken_back_by_one_key() -> None:
    model = mockup_model()
    assert ("p", "pause clocks") in key_hints(model, 160)
    assert press(model, "p")[1] == [m.PauseClocks(True)]
    asked = pause_asked()
    assert ("p", "agree to pause") in key_hints(asked, 80)
    assert press(asked, "p")[1] == [m.PauseClocks(True)]
    own = with_table(mockup_model(), 0, agrees_to_pause=True)
    assert ("p", "no pause") in key_hints(own, 80)
    assert press(own, "p")[1] == [m.PauseClocks(False)]
    assert press(paused(), "p")[1] == [m.PauseClocks(False)]
    assert ("p", "run clocks") in key_hints(paused(), 80)
    for word, wanted in (("pause", True), ("continue", False)):
        assert run_command(model, word, lambda model, action, key: (model, ()))[1] == (
            m.PauseClocks(wanted),
        )


def test_the_screen_says_who_asks_and_whose_word_is_missing() -> None:
    assert "asked for by: Max, Tom" in text_of(pause_asked())
    own = with_table(mockup_model(), 0, agrees_to_pause=True)
    assert "You ask to pause the clocks. Still to agree: Max, Lena, Tom" in text_of(own)
    shown = text_of(paused())
    assert "paused 8:42" in shown
    assert "lets the clocks run again" in shown
    assert "The clocks are paused." in shown


def test_ending_the_game_is_agreed_to_in_sight_of_everybody() -> None:
    asked = with_table(mockup_model(), 2, agrees_to_end=True)
    assert ":end agrees to end the game; asked for by: Lena" in text_of(asked)
    own = with_table(asked, 0, agrees_to_end=True)
    assert "You propose to end the game. Still to agree: Max, Tom" in text_of(own)
    assert press(asked, ":", *"end", "enter")[1] == [m.ProposeEnd()]
    assert press(asked, ":", *"end no", "enter")[1] == [m.ProposeEnd(agree=False)]


def test_a_game_without_clocks_has_none_to_pause() -> None:
    model = seen(mockup_model(), mockup_view(), clock=None)
    assert not [line for line in bindings_for(model) if "p" in line.keys]


def test_clocks_that_stop_are_told_in_the_log() -> None:
    model = mockup_model()
    game = model.game
    assert game is not None
    message = GameView()
    message.CopyFrom(game.message)
    message.clocks_paused = True
    model, _ = update(model, GameChanged("game", 100, game.view, (), False, message))
    assert "The clocks are paused." in text_of(model)
    model, _ = update(model, GameChanged("game", 100, game.view, (), False, game.message))
    assert "The clocks run again." in text_of(model)


# --- at a real host -----------------------------------------------------------------

ACCESS = Access(plaintext=True)


def in_game(hands: Hands) -> Callable[[], bool]:
    return lambda: hands.player.model.screen is Screen.GAME


def running(hands: Hands) -> Callable[[], bool]:
    return lambda: not (hands.player.model.clocks_paused or hands.player.model.shelved)


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    async with hosting(local(tmp_path / "host", name="Test")) as (_host, ready):
        yield ready.address


@pytest.mark.usefixtures("air")
async def test_an_evening_that_is_cut_short_and_goes_on(address: str, tmp_path: Path) -> None:
    """Two at the keyboard: a pause, the table put away, both gone, back by the list, and out."""
    clock = Clock()
    clock.base.FromSeconds(600)
    stores = {name: MemoryStore() for name in ("Ana", "Max")}
    sessions = []
    table_id = ""
    for name, store in stores.items():
        link = await connect(address, store=store, access=ACCESS)
        if not table_id:
            options = TableOptions(rules=rules_to_message(Rules(players=2)), clock=clock)
            table_id = (await link.create_table(options)).table_id
        sessions.append(await join(link, table_id, name=name))
    (tmp_path / "a").mkdir()
    (tmp_path / "m").mkdir()
    async with (
        sitting(sessions[0], tmp_path / "a", store=stores["Ana"], access=ACCESS) as ana,
        sitting(
            sessions[1],
            tmp_path / "m",
            store=stores["Max"],
            access=ACCESS,
            settings=Settings(name="Max"),
        ) as max_,
    ):
        ana.type("\r")
        max_.type("\r")
        for hands in (ana, max_):
            await hands.until(in_game(hands))
        await ana.press("p", "Still to agree: Max")
        await max_.sees("asked for by: Ana")
        await max_.press("p", "lets the clocks run again")
        await ana.sees("lets the clocks run again")
        ana.type("p")
        for hands in (ana, max_):
            await hands.until(running(hands))
        await ana.press("z", "Put the table away")
        await ana.press("y", "PUT AWAY")
        await max_.sees("PUT AWAY")
    for session in sessions:
        await session.link.close()
    async with sitting(None, tmp_path / "m", store=stores["Max"], access=ACCESS) as max_:
        await max_.sees("or type an address")
        max_.type(address)
        await max_.press("\r", "You have a seat at a table that is put away.")
        await max_.press("g", "Enter takes the table out again")
        max_.type("\r")
        await max_.until(running(max_))
        told = [entry.text for entry in max_.player.model.log if isinstance(entry, Remark)]
        assert "The table is out again and goes on as it was." in told
        assert max_.player.model.seat == 1
