"""Passwords of hosts and tables, asked for on the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from genial.client import messages as m
from genial.client.fingerprints import in_groups
from genial.client.found import FoundHost
from genial.client.link import connect
from genial.client.model import Ask, Browse, Door, DoorKind, Entry, Model, Overlay, Purpose, Screen
from genial.client.session import Access, MemoryStore
from genial.client.settings import Settings
from genial.client.trust import Greeting
from genial.client.update import update
from genial.engine.rules import Rules
from genial.v1.table_pb2 import TableOptions
from genial.wire.values import rules_to_message
from tests.client.test_finder import Air
from tests.services.host.hosts import hosting, local

from .hands import press, text_of
from .lobby_scenes import lobby, new_table
from .positions import mockup_model
from .terminal import Hands, sitting

pytestmark = pytest.mark.usefixtures("air")

CERTIFICATE = "0123456789abcdef" * 4
SECRET = "open  sesame"
"""Two blanks on purpose: a password is taken as it is."""


def asked(door: Door) -> Model:
    return update(lobby(), m.DoorShut(door))[0]


HOST = Door(DoorKind.HOST, "Kitchen", m.Connect("10.0.0.4:7718"), CERTIFICATE)
TABLE = Door(DoorKind.TABLE, "Sofa", m.Sit("10.0.0.4:7718", "t", "Lena"))


# --- the screen ---------------------------------------------------------------------


def test_a_password_is_typed_unseen_and_goes_to_whom_it_was_typed_for() -> None:
    model = asked(HOST)
    assert "The host Kitchen asks for a password." in text_of(model)
    model, effects = press(model, *SECRET)
    assert not effects
    shown = text_of(model)
    assert "sesame" not in shown
    assert "*" * len(SECRET) in shown
    model, effects = press(model, "enter")
    assert effects == [m.GivePassword(CERTIFICATE, SECRET), HOST.then]
    assert model.door is None
    assert model.entry is None
    assert SECRET not in repr(effects)


def test_a_table_password_goes_with_the_seat_that_is_asked_for() -> None:
    model = asked(TABLE)
    assert "The table Sofa asks for a password." in text_of(model)
    _model, effects = press(model, *SECRET, "enter")
    assert effects == [replace(m.Sit("10.0.0.4:7718", "t", "Lena"), password=SECRET)]
    assert SECRET not in repr(effects)


def test_a_pasted_password_keeps_its_blanks() -> None:
    model, _ = update(asked(HOST), m.Pasted(f"{SECRET}\n"))
    assert model.entry is not None
    assert model.entry.text == SECRET


def test_a_new_hosts_fingerprint_is_compared_before_anything_is_typed() -> None:
    model = asked(replace(HOST, fresh=True))
    assert model.question is Ask.FINGERPRINT
    assert model.entry is None
    shown = text_of(model)
    assert in_groups(CERTIFICATE) in shown
    assert "Does the host itself show the same fingerprint?" in shown
    model, effects = press(model, "y")
    assert not effects
    assert model.entry == Entry(Purpose.PASSWORD)
    _model, effects = press(model, "p", "w", "enter")
    assert effects == [m.GivePassword(CERTIFICATE, "pw"), HOST.then]


def test_a_password_that_was_given_already_waits_for_that_comparison_alone() -> None:
    model = asked(replace(HOST, fresh=True, given=True))
    _model, effects = press(model, "y")
    assert effects == [m.GivePassword(CERTIFICATE, ""), HOST.then]


@pytest.mark.parametrize("key", ["escape", "c-c"])
@pytest.mark.parametrize("door", [HOST, TABLE, replace(HOST, fresh=True)], ids=["h", "t", "new"])
def test_whoever_would_rather_not_sends_nothing(door: Door, key: str) -> None:
    model, effects = press(asked(door), key)
    assert not effects
    assert (model.door, model.entry, model.question) == (None, None, None)
    assert "No password was sent." in text_of(model)


def test_enter_without_a_password_waits_for_one() -> None:
    model, effects = press(asked(HOST), "enter")
    assert not effects
    assert model.door == HOST


def test_a_wrong_password_is_explained_and_asked_for_again() -> None:
    wrong = "That is not the password of this host; ask its owner."
    shown = text_of(asked(replace(HOST, wrong=wrong)))
    assert wrong in shown
    assert "The host Kitchen asks for a password." in shown


def test_a_new_table_gets_its_password_before_it_is_opened() -> None:
    model = new_table()
    model = replace(model, form=replace(model.form, password=True))
    model, effects = press(model, "enter")
    assert not effects
    assert model.overlay is None
    assert "A password for the new table" in text_of(model)
    _model, (create,) = press(model, *SECRET, "enter")
    assert isinstance(create, m.CreateTable)
    assert create.password == SECRET
    assert SECRET not in repr(create)


def test_nobody_is_asked_in_the_middle_of_a_game() -> None:
    model, effects = update(replace(mockup_model(), busy=True), m.DoorShut(HOST))
    assert model == mockup_model()
    assert not effects


def test_the_list_says_that_a_host_asks_and_enter_answers() -> None:
    row = replace(lobby().browse.rows[-1], note="long words", locked=True, silent_since=None)
    model = replace(lobby(), browse=Browse((row,), 1))
    assert "asks for a password: Enter" in text_of(model)
    model, effects = press(model, "enter")
    assert effects == [m.Connect(row.address)]
    assert model.busy


def test_why_a_host_is_not_listed_with_its_tables_is_told_in_full_below() -> None:
    why = "This sentence says why, and is longer than its row in the list has room for, to the end."
    row = replace(lobby().browse.rows[-1], note=why, silent_since=None)
    shown = text_of(replace(lobby(), browse=Browse((row,), 0)))
    assert "has room for, to the end." in " ".join(shown.split())


# --- at real hosts ------------------------------------------------------------------


@asynccontextmanager
async def kitchen(home: Path, *, table_password: str = "") -> AsyncIterator[str]:
    """A host with a password (unless its table has one), and a table; yields its address."""
    password = None if table_password else SECRET
    settings = local(home / "host", name="Kitchen", plaintext=False, password=password)
    async with hosting(settings) as (_host, ready):
        yes = Access(password=SECRET, greeter=_confirm)
        async with await connect(ready.address, store=MemoryStore(), access=yes) as link:
            options = TableOptions(rules=rules_to_message(Rules(players=2)))
            await link.create_table(options, name="Sofa", password=table_password)
        yield ready.address


async def _confirm(_contact: object) -> Greeting:
    return Greeting.CONFIRM


async def go_to(hands: Hands, address: str, text: str) -> None:
    await hands.sees("or type an address")
    hands.type("a" if address[0] not in "0123456789" else "")
    hands.type(address)
    await hands.press("\r", text)


async def test_a_host_is_entered_by_its_password_typed_on_the_screen(tmp_path: Path) -> None:
    async with kitchen(tmp_path) as address, sitting(None, tmp_path) as ana:
        await go_to(ana, address, "Does the host itself show the same fingerprint?")
        await ana.press("y", "It is not shown while you type")
        ana.type("wrong")
        await ana.press("\r", "That is not the password of this host")
        ana.type(SECRET)
        await ana.press("\r", "Sofa")
        await ana.press("\r", "You have a seat.")
        assert ana.player.model.screen is Screen.ROOM
        assert SECRET not in "".join(ana.terminal.raw)


async def test_a_host_that_is_found_says_that_it_asks(tmp_path: Path, air: Air) -> None:
    async with kitchen(tmp_path) as address, sitting(None, tmp_path) as ana:
        where, _colon, port = address.rpartition(":")
        link_id = "kitchen"
        air.show(
            FoundHost(link_id, "Kitchen", (where,), int(port), None, 1, 1, "v1", reachable=True)
        )
        await ana.sees("asks for a password: Enter")
        await ana.press("\r", "Does the host itself show the same fingerprint?")
        await ana.press("y", "It is not shown while you type")
        ana.type(SECRET)
        await ana.press("\r", "Sofa")


async def test_a_given_password_does_not_go_to_a_stranger_by_itself(tmp_path: Path) -> None:
    """Not even when the host has been asked before: the list meets whoever announces itself."""
    given = Access(password=SECRET)
    async with kitchen(tmp_path) as address, sitting(None, tmp_path, access=given) as ana:
        await go_to(ana, address, "Does the host itself show the same fingerprint?")
        await ana.press("n", "No password was sent.")
        await go_to(ana, address, "Does the host itself show the same fingerprint?")
        await ana.press("y", "Sofa")


async def test_a_given_password_goes_by_itself_to_a_host_that_is_known(tmp_path: Path) -> None:
    store = MemoryStore()
    async with kitchen(tmp_path) as address:
        yes = Access(password=SECRET, greeter=_confirm)
        await (await connect(address, store=store, access=yes)).close()
        given = Access(password=SECRET)
        async with sitting(None, tmp_path, access=given, store=store) as ana:
            await go_to(ana, address, "Sofa")


async def test_a_table_is_entered_by_its_password_typed_on_the_screen(tmp_path: Path) -> None:
    async with (
        kitchen(tmp_path, table_password=SECRET) as address,
        sitting(None, tmp_path) as ana,
    ):
        await go_to(ana, address, "Sofa")
        await ana.press("\r", "The table Sofa asks for a password.")
        ana.type("wrong")
        await ana.press("\r", "That is not the password of this table")
        await ana.press("\x1b", "No password was sent.")
        await ana.press("\r", "The table Sofa asks for a password.")
        ana.type(SECRET)
        await ana.press("\r", "You have a seat.")


async def test_a_table_is_opened_with_a_password_by_the_form(tmp_path: Path) -> None:
    async with (
        kitchen(tmp_path, table_password="another") as address,
        sitting(None, tmp_path) as ana,
        sitting(None, tmp_path / "m", settings=Settings(name="Max")) as max_,
    ):
        await go_to(ana, address, "Sofa")
        await ana.press("n", "A NEW TABLE")
        # Which levels there are is asked of a process; the host is not closed before it answers.
        await ana.until(lambda: len(ana.player.model.levels) > 1)
        ana.type("\x1b[A")
        await ana.until(lambda: ana.player.model.scroll > 0)
        ana.type("\x1b[C")
        await ana.until(lambda: ana.player.model.form.password)
        await ana.press("\r", "A password for the new table")
        assert ana.player.model.overlay is not Overlay.NEW_TABLE
        ana.type(SECRET)
        await ana.press("\r", "You have a seat.")
        await go_to(max_, address, "Ana's table")
        row = next(
            number
            for number, row in enumerate(max_.player.model.browse.rows)
            if row.table is not None and row.table.name == "Ana's table"
        )
        max_.type("\x1b[B" * row)
        await max_.until(lambda: max_.player.model.browse.selected == row)
        await max_.press("\r", "The table Ana's table asks for a password.")
        max_.type(SECRET)
        await max_.press("\r", "You have a seat.")
