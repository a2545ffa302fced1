"""An evening by lines of text: whatever the screen has for it, heard and typed."""

from __future__ import annotations

import re
from pathlib import Path

from tests.e2e.processes import PlainPlayer, genial, running_host


async def asks(player: PlainPlayer, line: str, said: str) -> str:
    """The first line that answers, after what was said before."""
    known = len(player.lines)
    player.type(line)
    return await player.line(lambda heard: said in heard, known)


async def test_an_evening_of_two_with_a_guest(tmp_path: Path) -> None:
    async with running_host(tmp_path / "host") as host:
        address = f"127.0.0.1:{host.port}"
        options = ("--clock", "20m+5s", "--games", "2", "--json")
        made = await genial("create", address, "--plaintext", *options, home=tmp_path)
        table = made.document["table_id"]
        how = (address, "--plaintext", "--table", table, "--plain")
        ana = await PlainPlayer.start("join", *how, "--name", "Ana", home=tmp_path / "ana")
        # Whoever came first opened the table, as far as its rights go.
        await ana.line(lambda line: line.startswith("You are ready"))
        guest = await PlainPlayer.start(
            "watch", address, table, "--plaintext", "--plain", home=tmp_path / "guest"
        )
        # Max begins the game by coming, and the guest is to hear that.
        await guest.line(lambda line: line.startswith("Seat 1: Ana"))
        max_ = await PlainPlayer.start("join", *how, "--name", "Max", home=tmp_path / "max")
        for player in (ana, max_, guest):
            await player.line(lambda line: line == "The game begins.", 0)

        # The clocks stop once both want that, and the table comes back from its shelf.
        await asks(ana, "pause", "You ask to pause the clocks. Still to agree: Max.")
        await max_.line(lambda line: line.startswith("Ana asks to pause the clocks"))
        known = len(ana.lines)
        max_.type("pause")
        await ana.line(lambda line: line == "The clocks are paused.", known)
        await asks(max_, "turn", "The clocks are paused.")
        await asks(max_, "continue", "The clocks run again.")
        await asks(ana, "shelve", "The table is put away")
        await asks(max_, "moves 1", "place ")
        await asks(max_, "resume", "goes on as it was")

        # Who only watches hears everything and decides nothing.
        await asks(guest, "scores", "Ana: R 0")
        await asks(guest, "resign", "You are watching")
        await asks(guest, "heat RB", "You are watching")
        await asks(ana, "kick Rosa", "Say which seat")

        for player in (ana, max_):
            await player.line(lambda line: line == "> your turn" or "It is the turn of" in line)
        known = len(ana.lines)
        max_.type("resign")
        await ana.line(lambda line: line.startswith("Game 2 of 2 follows"), known)
        await asks(ana, "standings", "Ana: games won 1")
        entry = await asks(ana, "history", "won by Ana")
        number = re.match(r"\d+", entry)
        assert number is not None

        # A finished game is stepped through beside the one that runs.
        await asks(ana, f"replay {number[0]}", "quit leads back to the table.")
        await asks(ana, "end", "Rank 1: Ana")
        await asks(ana, "play", "play is no command")
        await asks(ana, "quit", "You are back at the table.")
        await asks(ana, "seats", "Seat 1: Ana (you)")
        for player in (ana, max_, guest):
            await player.stop()


async def test_a_serious_table_gives_no_hints_and_admits_nobody(tmp_path: Path) -> None:
    async with running_host(tmp_path / "host") as host:
        address = f"127.0.0.1:{host.port}"
        options = ("--no-hints", "--no-spectators", "--name", "Garden", "--bots", "easy", "--json")
        made = await genial("create", address, "--plaintext", *options, home=tmp_path)
        table = made.document["table_id"]
        watching = await genial("watch", address, table, "--plaintext", "--plain", home=tmp_path)
        assert watching.code == 1
        assert "admits no spectators" in watching.err
        how = (address, "--plaintext", "--table", table, "--plain", "--name", "Ana")
        ana = await PlainPlayer.start("join", *how, home=tmp_path)
        await ana.line(lambda line: line == "This is table Garden.")
        await ana.line(lambda line: line == "> your turn" or line.startswith("It is the turn of"))
        for line in ("moves", "heat RB"):
            await asks(ana, line, "This table plays without hints")
        await asks(ana, "table", "This table plays without hints.")
        await ana.stop()


async def test_a_script_that_plays_gets_a_game_of_its_own(tmp_path: Path) -> None:
    """A table put away waits for a person's word, and a script is not asked for it."""
    play = ("play", "--plain", "--name", "Ana", "--no-announce")
    ana = await PlainPlayer.start(*play, home=tmp_path)
    await ana.line(lambda line: line == "> your turn")
    await asks(ana, "shelve", "The table is put away")
    ana.type("quit")
    assert await ana.ended() == 0
    again = await PlainPlayer.start(*play, home=tmp_path)
    await again.line(lambda line: line == "> your turn")
    await again.stop()
