"""Commands of the plain client beyond those of a bare game."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from genial.client.languages import speak
from genial.client.lines import LineReader
from genial.client.plain import PlainClient
from genial.client.plain_commands import HELP, Commands
from genial.client.plain_settings import PlainSettings
from genial.client.sentences import placement_command, refusal_sentence, score_sentences
from genial.client.session import GameChanged, Session, StorageError, Update
from genial.client.settings import load_settings
from genial.engine.moves import Phase
from tests.client.fakehost import FakeHost
from tests.client.test_session import DEADLINE, Heard, dealt


@pytest.fixture
async def seat(host: FakeHost) -> AsyncIterator[tuple[Session, Heard]]:
    session, heard = await dealt(host)
    yield session, heard
    await session.close()
    await session.link.close()


def settings_in(folder: Path, *, person: bool = False) -> PlainSettings:
    return PlainSettings(person=person, path=folder / "settings.toml")


async def answer(commands: Commands, line: str) -> str:
    return "\n".join((await commands.obey(line)).lines)


def best_command(session: Session) -> str:
    assert session.game is not None
    best = session.game.view.scored_placements()[0]
    return placement_command(best.tile, best.cells)


async def test_settings_are_heard_changed_and_kept(
    seat: tuple[Session, Heard], tmp_path: Path
) -> None:
    commands = Commands(seat[0], None, settings_in(tmp_path))
    told = await answer(commands, "settings")
    assert "auto_refill yes: Refill by itself" in told
    assert "language auto: " in told
    assert "Values: auto, en, es, de." in told
    assert await answer(commands, "set bell off") == "bell is no now."
    assert await answer(commands, "SET Theme mono") == "theme is mono now."
    assert await answer(commands, "set name  Eva Luna ") == "name is Eva Luna now."
    kept, problems = load_settings(tmp_path / "settings.toml")
    assert (kept.bell, kept.theme, kept.name, problems) == (False, "mono", "Eva Luna", ())
    for line, said in (
        ("set", "Say which setting and its value"),
        ("set bell", "Say which setting and its value"),
        ("set bell loud", "bell can be one of: yes, no."),
        ("set volume 11", "There is no setting volume"),
    ):
        assert said in await answer(commands, line)
    try:
        assert await answer(commands, "set language de") == "language ist jetzt de."
        assert await answer(commands, "set bell ja") == "bell ist jetzt ja."
    finally:
        speak("en")


async def test_settings_that_cannot_be_kept_are_told(
    seat: tuple[Session, Heard], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    commands = Commands(seat[0], None, PlainSettings(path=tmp_path / "file" / "settings.toml"))
    with pytest.raises(StorageError, match="cannot be kept"):
        await commands.obey("set bell no")


async def test_a_script_is_asked_nothing_and_nothing_is_done_for_it(tmp_path: Path) -> None:
    script, person = settings_in(tmp_path), settings_in(tmp_path, person=True)
    assert (script.auto_refill, script.bell, script.confirm) == (False, False, False)
    assert (person.auto_refill, person.bell, person.confirm) == (True, True, False)


async def test_placing_may_be_asked_about_once_more(
    seat: tuple[Session, Heard], tmp_path: Path
) -> None:
    session, _heard = seat
    commands = Commands(session, None, settings_in(tmp_path))
    await commands.obey("set confirm yes")
    command = best_command(session)
    asked = await answer(commands, command)
    assert asked.endswith("Type yes to place it.")
    assert "point" in asked
    assert session.game is not None
    assert session.game.view.must_place
    # Anything else than yes leaves it.
    await commands.obey("rack")
    assert "is no command" in await answer(commands, "yes")
    assert "must touch" in await answer(
        commands, f"{command.split()[0]} {command.split()[1]} H8 H9"
    )
    await commands.obey(command)
    await commands.obey("yes")
    assert session.game.view.phase is not Phase.PLACE or session.game.view.turn != 0


async def test_refilling_by_itself(
    seat: tuple[Session, Heard], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session, heard = seat
    settings = settings_in(tmp_path)
    client = PlainClient(session, LineReader(), None, settings)
    await client._commands.obey("set auto_refill yes")
    view = session.game.view if session.game is not None else None
    assert view is not None
    # Something whose end leaves no choice: the weakest colours stay on the rack.
    await client._commands.obey(best_command(session))
    closing = await heard.until(
        lambda update: isinstance(update, GameChanged) and update.view.phase is Phase.CLOSE
    )
    assert isinstance(closing, GameChanged)
    await client._tell_update(closing)
    if closing.view.may_exchange:
        assert client._refilling is None
        assert "> your turn" in capsys.readouterr().out
    else:
        assert client._refilling is not None
        refilling = client._refilling
        # Clocks that are paused meanwhile do not ask for it once more.
        await client._tell_update(replace(closing, events=()))
        assert client._refilling is refilling
        await client._refilling
        assert "> your turn" not in capsys.readouterr().out
        assert session.game is not None
        assert session.game.view.phase is not Phase.CLOSE
    client._commands.advice.close()


async def test_heat_tells_the_best_points_of_each_cell(seat: tuple[Session, Heard]) -> None:
    session, _heard = seat
    commands = Commands(session, None)
    assert session.game is not None
    view = session.game.view
    tile = view.rack[0]
    told = (await commands.obey(f"heat {tile}")).lines
    points = [int(line.split()[0]) for line in told]
    assert points == sorted(points, reverse=True)
    best = max(each.total for each in view.scored_placements() if each.tile == tile)
    assert points[0] == best
    moves = (await commands.obey(f"moves {tile} 3")).lines
    assert all(re.match(rf"place ({tile}|{tile.flipped}) ", line) for line in moves)
    assert len(moves) == 3
    assert "is no tile" in await answer(commands, "heat QQ")
    assert "Say which tile" in await answer(commands, "heat")


async def test_a_table_without_hints_gives_none(seat: tuple[Session, Heard]) -> None:
    session, _heard = seat
    commands = Commands(session, None)
    assert session.game is not None
    session.game.message.hints_allowed = False
    for line in ("moves", "heat RB", "hint"):
        assert "plays without hints" in await answer(commands, line)
    where = best_command(session).removeprefix("place ")
    assert "point" in await answer(commands, f"try {where}")


async def test_what_the_others_did_and_how_the_race_goes(seat: tuple[Session, Heard]) -> None:
    session, heard = seat
    commands = Commands(session, None)
    assert await answer(commands, "race") == "No turn has ended yet."
    await commands.obey(best_command(session))
    assert session.game is not None
    placed = session.game.revision
    await commands.obey("refill")

    def back_with_us(update: Update) -> bool:
        return (
            isinstance(update, GameChanged) and update.revision > placed and update.view.must_place
        )

    await heard.until(back_with_us)
    for update in heard.updates:
        if isinstance(update, GameChanged):
            commands.take_game(update)
    assert "Bot placed " in await answer(commands, "since")
    assert re.search(r"^Ana \(you\): \d+\.$", await answer(commands, "race"), re.MULTILINE)


async def test_seats_are_named_by_number_or_name(
    seat: tuple[Session, Heard], monkeypatch: pytest.MonkeyPatch
) -> None:
    session, _heard = seat
    commands = Commands(session, None)
    asked: list[tuple[str, int]] = []

    async def kick(number: int) -> None:
        asked.append(("kick", number))

    async def remove(number: int) -> None:
        asked.append(("remove", number))

    monkeypatch.setattr(session, "kick", kick)
    monkeypatch.setattr(session, "remove_bot", remove)
    for line in ("kick 2", "kick bot", "remove 1"):
        await commands.obey(line)
    assert asked == [("kick", 1), ("kick", 1), ("remove", 0)]
    for line in ("kick", "kick 0", "kick -1", "kick Nobody", "remove ²"):
        assert "Say which seat" in await answer(commands, line)


def test_a_refusal_counts_seats_as_people_do() -> None:
    assert "Seat 3 is taken" in refusal_sentence("SEAT_TAKEN", {"seat": "2"}, "")
    # A number that Python would not read.
    assert "is taken" in refusal_sentence("SEAT_TAKEN", {"seat": "2" * 5000}, "")


async def test_every_word_of_the_help_has_a_help_of_its_own(seat: tuple[Session, Heard]) -> None:
    commands = Commands(seat[0], None)
    everything = (await commands.obey("help")).lines
    assert len(everything) == len(HELP)
    for usage, _meaning in HELP:
        assert (await commands.obey(f"help {usage.split()[0]}")).lines
    assert "is no command" in await answer(commands, "help dance")


async def test_scores_name_what_is_weakest(seat: tuple[Session, Heard]) -> None:
    session, _heard = seat
    assert session.game is not None
    first = score_sentences(session.game.view)[0]
    assert first == "Ana (you): R 0, G 0, B 0, O 0, Y 0, P 0; lowest 0: R, G, B, O, Y, P."


async def test_garbage_is_answered_and_costs_nothing(
    seat: tuple[Session, Heard], capsys: pytest.CaptureFixture[str]
) -> None:
    session, _heard = seat
    reading, writing = os.pipe()
    client = PlainClient(session, LineReader(reading), None)
    lines = [
        b"\xff\xfe\x00\x01",
        b"x" * 300_000,
        "ＰＬＡＣＥ RB D8 D9".encode(),
        b"place \xf0\x9f\x8e\xb2 D8 D9",
        b"moves 99999999999999999999",
        "moves ٣".encode(),
        b"\x1b[31mboard",
        b"place RB D8 D8",
        b"say " + b"z" * 5000,
        b"try RB A1 A2",
        b"replay 0x1",
        b"log -5",
    ]
    before = session.game

    def write() -> None:
        with open(writing, "wb") as pipe:
            pipe.write(b"\n".join(lines))

    async with asyncio.timeout(DEADLINE):
        await asyncio.gather(client._obey(), asyncio.to_thread(write))
    os.close(reading)
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\x00" not in said
    answers = [line for line in said.splitlines() if line != "> your turn"]
    # What was said is told by the table; all the rest has a sentence each.
    assert len(answers) == len(lines) - 1
    assert max(map(len, answers)) < 200
    assert session.game is before
    client._commands.advice.close()
