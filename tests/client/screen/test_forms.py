"""Questions, forms, and text that is typed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from genial.client import messages as m
from genial.client import text
from genial.client.keys import Context, context_of
from genial.client.languages import catalogue
from genial.client.model import (
    Ask,
    Browse,
    Model,
    Overlay,
    Purpose,
    Screen,
    TableRow,
)
from genial.client.palette import Look
from genial.client.sentences import table_name, table_sentences
from genial.client.settings import Settings
from genial.client.update import update
from genial.client.view.draw import draw
from genial.engine.board import parse_cell
from genial.engine.tiles import Tile

from .game_scenes import seen
from .hands import press
from .lobby_scenes import lobby, new_table, room
from .positions import mockup_model, mockup_view, table_of


def test_leaving_a_game_is_asked() -> None:
    model, effects = press(mockup_model(), "q")
    assert model.question is Ask.LEAVE_GAME
    assert not effects
    assert press(model, "y")[1] == [m.Detach()]
    assert press(model, "escape")[0].question is None


def test_leaving_a_window_that_is_too_small_is_not_asked() -> None:
    model, _ = update(mockup_model(), m.Resized(60, 10))
    assert press(model, "q")[1] == [m.Detach()]


def test_others_are_not_left_without_a_warning() -> None:
    model = replace(mockup_model(), quit_warning="Others play. Quit?")
    asked, _ = press(model, "q")
    assert asked.question is Ask.QUIT
    assert press(asked, "y")[1] == [m.Quit()]
    alone = replace(model, table=table_of(("Ana",)))
    assert press(alone, "q")[0].question is Ask.LEAVE_GAME


def test_typing() -> None:
    model, effects = press(mockup_model(), "c", *"helo", "left", "l", "end", "!", "enter")
    assert effects == [m.Say("hello!")]
    assert model.entry is None
    model, effects = press(mockup_model(), "c", *"abc", "c-u", *"one two", "c-w", *"x", "enter")
    assert effects == [m.Say("one x")]
    model, effects = press(mockup_model(), "c", "home", "backspace", "delete", "escape")
    assert model.entry is None
    assert not effects
    model, effects = press(mockup_model(), "c", *"q?1*", "enter")
    assert effects == [m.Say("q?1*")]


def test_pasted_text_is_one_line() -> None:
    model, _ = press(mockup_model(), "c")
    model, _ = update(model, m.Pasted("two\nlines\r\n"))
    assert model.entry is not None
    assert model.entry.text == "two lines"
    assert update(mockup_model(), m.Pasted("x"))[0] == mockup_model()


def test_pasting_takes_no_more_than_typing_does() -> None:
    model, _ = press(mockup_model(), "c", *"hi ")
    model, _ = update(model, m.Pasted("\x1b[2J" + "x" * 500))
    assert model.entry is not None
    assert model.entry.text == ("hi [2J" + "x" * 500)[:400]
    assert press(model, "y")[0].entry == model.entry


@pytest.mark.parametrize(
    ("line", "effects"),
    [
        ("place GP G6 H5", [m.Place(Tile.parse("GP"), (parse_cell("G6"), parse_cell("H5")))]),
        (
            "place pg g6 h5",
            [m.Place(Tile.parse_oriented("PG"), (parse_cell("G6"), parse_cell("H5")))],
        ),
        ("place GP G4 G5", []),
        ("place GP G6", []),
        ("place GG G6 H5", []),
        ("refill", []),
        ("exchange", []),
        ("say hello there", [m.Say("hello there")]),
        ("bots medium, medium", [m.SeatBot("medium"), m.SeatBot("medium")]),
        ("ready", [m.SetReady(True)]),
        ("end", [m.ProposeEnd()]),
        ("nonsense", []),
        (":", []),
    ],
)
def test_commands(line: str, effects: list[m.Effect]) -> None:
    model, done = press(mockup_model(), ":", *line, "enter")
    assert done == effects
    assert model.notice or effects


def test_new_table_form() -> None:
    model = replace(new_table(), scroll=2)
    assert context_of(model) is Context.FORM
    model, _ = press(model, "right")
    assert model.form.mode == "partners"
    assert model.form.players == 4
    model, _ = press(model, "right")
    assert model.form.mode == "solo"
    assert model.form.players == 1
    assert model.form.bot_levels() == ()
    model, effects = press(model, "enter")
    (create,) = effects
    assert isinstance(create, m.CreateTable)
    assert create.options.rules.players == 1
    assert create.address == "192.168.1.20"
    assert model.overlay is None
    opened, effects = press(lobby(), "n")
    assert opened.overlay is Overlay.NEW_TABLE
    assert effects == [m.AskLevels("192.168.1.20")]


def test_hosts_of_one_name_are_told_apart_by_their_addresses() -> None:
    rows = tuple(
        TableRow(address, name, address, None)
        for address, name in (
            ("10.0.0.4", "kitchen"),
            ("10.0.0.5", "kitchen"),
            ("10.0.0.6", "hall"),
        )
    )
    model, _ = press(replace(lobby(), browse=Browse(rows, 3)), "n")
    seen_names = set()
    for _host in rows:
        model, _ = press(model, "right")
        seen_names |= {
            name
            for name in ("kitchen (10.0.0.4)", "kitchen (10.0.0.5)", "hall ")
            if name in draw(model, 80, 24, Look()).text()
        }
    assert seen_names == {"kitchen (10.0.0.4)", "kitchen (10.0.0.5)", "hall "}


def test_a_table_that_nobody_named_is_called_in_the_persons_language() -> None:
    model = room()
    assert model.table is not None
    model.table.name = "Table 12"
    rows = (TableRow("a", "Ana", "10.0.0.4", model.table),)
    screens = (model, replace(lobby(), browse=Browse(rows, 1)), seen(model, mockup_view()))
    text.install(catalogue("de"))
    try:
        for shown in (*screens[:2], replace(screens[2], screen=Screen.GAME)):
            words = draw(shown, 80, 24, Look()).text()
            assert "Tisch 12" in words
            assert "Table 12" not in words
        assert table_sentences(model.table, 0)[0] == "Dies ist Tisch 12."
        assert table_name("Table of 12") == "Table of 12"
    finally:
        text.install(None)


def test_a_new_table_can_be_given_a_name() -> None:
    model, _ = press(lobby(), "n")
    assert "Lena's table" in draw(model, 80, 24, Look()).text()
    model = replace(model, scroll=1)
    model, _ = press(model, "right", *"Balcony")
    shown = draw(model, 80, 24, Look())
    assert "> Balcony" in shown.text()
    assert shown.cursor is not None
    model, effects = press(model, "enter")
    assert not effects
    assert model.overlay is Overlay.NEW_TABLE
    _, (create,) = press(model, "enter")
    assert isinstance(create, m.CreateTable)
    assert create.name == "Balcony"
    # Esc leaves the typing, not the form; nothing typed is the usual name again.
    model, _ = press(model, "right", "escape")
    assert model.overlay is Overlay.NEW_TABLE
    assert model.form.name == "Balcony"
    model, _ = press(model, "right", *["backspace"] * 7, "enter")
    _, (create,) = press(model, "enter")
    assert isinstance(create, m.CreateTable)
    assert create.name == "Lena's table"


def test_a_host_can_be_chosen_and_be_this_laptop() -> None:
    model = replace(lobby(), can_host=True)
    model, _ = press(model, "n")
    model, _ = press(model, "left")
    assert model.form.where == ""
    _, effects = press(model, "enter")
    (create,) = effects
    assert isinstance(create, m.CreateTable)
    assert create.address == ""
    alone = Model(settings=Settings(name="Ana"), can_host=True)
    _, effects = press(alone, "b")
    (create,) = effects
    assert isinstance(create, m.CreateTable)
    assert create.bot_levels == ("medium",)
    nowhere, effects = press(Model(settings=Settings(name="Ana")), "n")
    assert "genial play" in nowhere.notice
    assert not effects


def test_a_digit_begins_an_address() -> None:
    _model, effects = press(lobby(), *"10.0.0.7", "enter")
    assert effects == [m.Connect("10.0.0.7")]
    _model, effects = press(Model(settings=Settings(name="Ana")), "enter", *"host", "enter")
    assert effects == [m.Connect("host")]


def test_every_value_of_every_form_can_be_reached() -> None:
    for model in (new_table(), replace(mockup_model(), overlay=Overlay.SETTINGS)):
        for line in range(11):
            model = replace(model, scroll=line)
            start = model
            for _press in range(6):
                model, _ = press(model, "right")
            for _press in range(6):
                model, _ = press(model, "left")
            # Fewer players leave fewer seats to bots, which does not come back by itself.
            if line > 2:
                assert model.form == start.form
                assert model.settings == start.settings


def test_settings_are_kept() -> None:
    model = replace(mockup_model(), overlay=Overlay.SETTINGS, scroll=0)
    model, effects = press(model, "right")
    assert model.settings.theme == "light"
    assert effects == [m.Keep(model.settings)]


def test_sitting_down_asks_for_a_name_first() -> None:
    model = replace(lobby(), settings=Settings(name=""))
    asked, effects = press(model, "enter")
    assert asked.entry is not None
    assert asked.entry.purpose is Purpose.NAME
    assert not effects
    named, effects = press(asked, *"Eva", "enter")
    assert named.settings.name == "Eva"
    # What the name was asked for goes on by itself.
    assert effects == [m.Keep(named.settings), m.Sit("192.168.1.20", "Kitchen table", "Eva")]
    # A name that is only changed leads nowhere, nor does one that was not typed after all.
    left, _ = press(asked, "escape")
    changed, effects = press(left, "f2", *"Eva", "enter")
    assert effects == [m.Keep(changed.settings)]


def test_a_new_table_asks_for_a_name_first_and_then_opens_the_form() -> None:
    nobody = Model(settings=Settings(name=""), can_host=True)
    asked, _ = press(nobody, "n")
    named, _ = press(asked, *"Eva", "enter")
    assert named.overlay is Overlay.NEW_TABLE


@pytest.mark.parametrize("browse", [Browse(), lobby().browse], ids=["empty", "list"])
@pytest.mark.parametrize(("key", "label"), [("f2", "your name"), (":", ": >"), ("a", ">")])
def test_whatever_is_typed_at_the_list_is_seen(browse: Browse, key: str, label: str) -> None:
    model, _ = press(Model(settings=Settings(name=""), browse=browse), key)
    model, _ = press(model, *"10.0.0.9x")
    shown = draw(model, 80, 24, Look())
    assert label in shown.text()
    assert "10.0.0.9x" in shown.text()
    assert shown.cursor is not None
