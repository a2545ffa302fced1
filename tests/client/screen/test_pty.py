"""The whole program in a pseudo-terminal: a game by keys, resizing, signals."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.processes import keep_settings

from .pty_player import GERMAN, SPANISH, Pty, genial

PLAY = ("play", "--name", "Ana", "--no-announce")


def test_whole_game_against_a_bot_by_keys(tmp_path: Path) -> None:
    with genial(tmp_path, *PLAY) as pty:
        pty.sees("YOUR TURN, ANA")
        pty.press("!", "The strongest placement here:")
        pty.child.send("\r")
        pty.until(lambda: pty.move_number() >= 1, "the hint was not placed")
        assert pty.play_to_the_end() > 10
        pty.sees("THE RACE")
        pty.sees("Record saved")
        pty.press("v", "back to the ranking")
        pty.press("v", "RANKING")
        pty.press("r", "REVIEW")
        pty.press("\x1b", "RANKING")
        pty.press("p", "event")
        pty.press("q", "RANKING")
        pty.press("\r", "YOUR TURN")
        pty.press("q", "y / n")
        pty.child.send("y")
        assert pty.ended() == 0
        assert pty.restored()


def test_somebody_new_is_taught_first(tmp_path: Path) -> None:
    with genial(tmp_path, "play", "--no-announce") as pty:
        pty.sees("Your name")
        # Arrow keys type escape sequences here; they are no part of a name.
        pty.press("\x1b[D\x1b[AEva\r", "New to the game?")
        pty.press("y\r", "1/10")
        pty.sees("YOUR TURN, EVA")
        pty.press("q", "join: genial join")
        pty.sees("YOUR TURN, EVA")
        pty.press("q", "y / n")
        pty.child.send("y")
        assert pty.ended() == 0
        assert pty.restored()


@pytest.mark.parametrize(
    ("settings", "language", "words"),
    [
        ('theme = "ascii"', "es", SPANISH),
        ('theme = "colour-blind"', "de", GERMAN),
    ],
)
def test_whole_games_in_other_clothes(
    tmp_path: Path, settings: str, language: str, words: dict[str, str]
) -> None:
    file = keep_settings(tmp_path, settings)
    with genial(tmp_path, *PLAY, "--language", language) as pty:
        pty.words = words
        assert pty.play_to_the_end() > 10
        pty.child.send("q")
        assert pty.ended() == 0, pty.raw[-600:]
        assert pty.restored()
    assert "games = 1" in file.read_text(encoding="utf-8")


def test_the_offer_understands_the_language(tmp_path: Path) -> None:
    with genial(tmp_path, "play", "--no-announce", "--language", "de") as pty:
        pty.press("Uwe\r", "Neu hier?")
        pty.press("j\r", "1/10")
        pty.sees("DU BIST DRAN, UWE")


def test_a_storm_of_resizes(tmp_path: Path) -> None:
    sizes = [(80, 24), (79, 24), (120, 40), (3, 2), (1, 1), (200, 60), (96, 32), (40, 100)]
    with genial(tmp_path, *PLAY) as pty:
        pty.sees("YOUR TURN, ANA")
        for turn in range(40):
            pty.resize(*sizes[turn % len(sizes)])
            pty.read(0.01)
        pty.resize(80, 24)
        pty.until(lambda: pty.text().count("TRACKS") == 1, "not drawn again")
        pty.sees("YOUR TURN, ANA")
        pty.resize(60, 20)
        pty.sees("larger")
        pty.child.send("q")
        pty.child.send("y")
        assert pty.ended() == 0
        assert pty.restored()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(tmp_path: Path, number: signal.Signals) -> None:
    with genial(tmp_path, *PLAY) as pty:
        pty.sees("YOUR TURN, ANA")
        pty.child.kill(number)
        assert pty.ended() == 0
        assert pty.restored()


def test_a_closed_window_ends_the_client_and_its_host_in_order(tmp_path: Path) -> None:
    with genial(tmp_path, *PLAY) as pty:
        pty.sees("YOUR TURN, ANA")
        noted = tmp_path / ".local" / "share" / "genial" / "play" / "running.json"
        assert noted.exists()
        # The other end of the terminal closes, as a window does.
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, pty.child.child_fd)
        os.close(nothing)
        pty.until(lambda: not pty.child.isalive(), "it stays without a terminal")
        assert pty.child.exitstatus == 0
    # The client has waited for its host, which was told that it is not needed any more.
    assert not noted.exists()
    assert not list((tmp_path / ".local" / "state" / "genial" / "log").glob("crash-*"))


def test_a_killed_client_leaves_a_usable_terminal(tmp_path: Path) -> None:
    with genial(tmp_path, *PLAY, shell=True) as pty:
        pty.sees("YOUR TURN, ANA")
        os.killpg(os.tcgetpgrp(pty.child.child_fd), signal.SIGKILL)
        pty.sees("Genial was killed.")
        assert pty.restored(paste=False)


def test_a_seat_is_there_after_a_restart(tmp_path: Path) -> None:
    with genial(tmp_path, *PLAY) as pty:
        pty.sees("YOUR TURN, ANA")
        pty.child.send("*\r")
        pty.until(lambda: pty.move_number() >= 2, "nobody has moved")
        pty.press("q", "y / n")
        pty.child.send("y")
        assert pty.ended() == 0
    with genial(tmp_path, *PLAY) as pty:
        pty.sees("YOUR TURN, ANA")
        assert pty.move_number() >= 2


def test_the_list_of_tables_looks_around(tmp_path: Path) -> None:
    with genial(tmp_path, "join") as pty:
        pty.sees("tables on this network")
        pty.press("?", "KEYS THAT WORK NOW")
        pty.press("\x1b", "WHAT TO CHECK")
        pty.press("a", "Enter done")
        pty.press("127.0.0.1:9\r", "127.0.0.1:9")
        pty.child.send("q")
        assert pty.ended() == 0
        assert pty.restored()


@contextmanager
def hosting(tmp_path: Path, *more: str) -> Iterator[str]:
    """A host of its own process on the loopback; yields its address."""
    where = ["--bind", "127.0.0.1", "--port", "0", "--no-announce", "--data", str(tmp_path / "h")]
    host = subprocess.Popen(
        [sys.executable, "-m", "genial.cli", "host", *where, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with host:
        try:
            assert host.stdout is not None
            ready = re.search(r"address=(\S+)", host.stdout.readline())
            assert ready is not None
            yield ready[1]
        finally:
            host.terminate()


def test_a_host_without_a_table_leads_to_the_list(tmp_path: Path) -> None:
    with (
        hosting(tmp_path) as address,
        genial(tmp_path, "join", address, "--name", "Ana") as pty,
    ):
        pty.sees("no table yet")
        pty.press("n", "A NEW TABLE")
        pty.press("\x1b", "no table yet")
        pty.child.send("q")
        assert pty.ended() == 0


def test_a_host_that_asks_for_a_password_is_joined_from_the_command_line(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("sesame\n")
    secret.chmod(0o600)
    with (
        hosting(tmp_path, "--password-file", str(secret)) as address,
        genial(tmp_path, "join", address, "--name", "Ana") as pty,
    ):
        pty.sees("Does the host itself show the same fingerprint?")
        pty.press("y", "It is not shown while you type")
        pty.press("sesame\r", "no table yet")
        assert b"sesame" not in pty.raw
        pty.press("n", "A NEW TABLE")
        pty.press("\r", "You have a seat.")
        pty.press("q", "y / n")
        pty.press("y", "tables on this network")
        pty.child.send("q")
        assert pty.ended() == 0


@pytest.mark.parametrize("command", ["join", "watch"])
def test_a_changed_certificate_is_accepted_from_the_command_line(
    tmp_path: Path, command: str
) -> None:
    with hosting(tmp_path) as address:
        made = subprocess.run(
            [sys.executable, "-m", "genial.cli", "create", address],
            env={**os.environ, "HOME": str(tmp_path)},
            check=True,
            capture_output=True,
            text=True,
        )
    (tmp_path / "h" / "certificate.pem").unlink()
    words = [command, address, "--name", "Ana"]
    if command == "watch":
        words = [command, address, made.stdout.strip()]
    with (
        hosting(tmp_path, "--port", address.rpartition(":")[2]),
        genial(tmp_path, *words) as pty,
    ):
        pty.sees("shows another certificate than before")
        pty.press("y\r", "That is not how the new fingerprint begins")
        _before, now = re.findall(r"^ +((?:[0-9a-f]{8} ?){8}) *$", pty.text(), re.MULTILINE)
        pty.press(f"{now[:8]}\r", "Table 1")
        pty.child.send("q")
        assert pty.ended() == 0


def test_several_tables_at_a_host_are_chosen_from_on_the_list(tmp_path: Path) -> None:
    with hosting(tmp_path) as address:
        for _table in range(2):
            subprocess.run(
                [sys.executable, "-m", "genial.cli", "create", address],
                env={**os.environ, "HOME": str(tmp_path)},
                check=True,
                capture_output=True,
            )
        with genial(tmp_path, "join", address, "--name", "Ana") as pty:
            pty.sees("Table 2")
            pty.sees("Enter sits you here")
            # Every key arrives: nothing else reads what is typed.
            pty.press("?", "KEYS THAT WORK NOW")
            pty.press("\x1b", "Enter sits you here")
            pty.press("\r", "You have a seat.")
            pty.press("q", "y / n")
            pty.press("y", "tables on this network")
            pty.child.send("q")
            assert pty.ended() == 0


def test_a_bot_from_the_list(tmp_path: Path) -> None:
    with genial(tmp_path, "join", "--name", "Ana") as pty:
        pty.sees("play a bot")
        pty.press("b", "YOUR TURN, ANA")
        pty.press("q", "y / n")
        pty.press("y", "tables on this network")
        pty.child.send("q")
        assert pty.ended() == 0
        assert pty.restored()


def test_suspend_and_resume(tmp_path: Path) -> None:
    # Only below a shell with job control can a program be stopped.
    with genial(tmp_path, *PLAY, shell=True) as pty:
        pty.sees("YOUR TURN, ANA")
        pty.child.send("\x1a")
        pty.sees("Stopped")
        assert pty.restored(paste=False)
        pty.child.send("fg\n")
        pty.sees("YOUR TURN, ANA")
        assert not pty.restored(paste=False)
        pty.press("q", "y / n")
        pty.child.send("y")
        pty.until(lambda: pty.restored(paste=False), "still on the screen")
        pty.child.send("exit\n")
        assert pty.ended() == 0


def test_a_dumb_terminal_gets_lines(tmp_path: Path) -> None:
    with genial(tmp_path, *PLAY, TERM="dumb") as pty:
        pty.sees("> your turn")
        assert b"\x1b" not in pty.raw
        pty.child.send("quit\n")
        assert pty.ended() == 0


def test_no_colour_is_respected(tmp_path: Path) -> None:
    with genial(tmp_path, *PLAY, NO_COLOR="1") as pty:
        pty.sees("YOUR TURN, ANA")
        assert not re.search(rb"\x1b\[[0-9;]*(3[0-9]|4[0-9]|38;|48;)[0-9;]*m", pty.raw)
        assert b"\x1b[0;7m" in pty.raw or re.search(rb"\x1b\[[0-9;]*7[;m]", pty.raw)


def test_a_terminal_without_our_marks_gets_those_of_ascii(tmp_path: Path) -> None:
    with genial(
        tmp_path, *PLAY, LANG="C", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"
    ) as pty:
        pty.sees("* YOUR TURN, ANA")
        board = "\n".join(pty.screen.display[1:20])
        assert "?" not in board
        assert ":R:" in board
        pty.press("q", "y / n")
        pty.child.send("y")
        assert pty.ended() == 0


def own_counters(pty: Pty) -> list[str]:
    """Ana's track, weakest first, as it stands on the screen."""
    return re.findall(r"[RGBOYP] +[0-9]+", pty.screen.display[17][:50])


def test_a_game_put_away_goes_on_another_evening(tmp_path: Path) -> None:
    with genial(tmp_path, *PLAY) as pty:
        pty.sees("YOUR TURN, ANA")
        pty.child.send("*\r")
        pty.until(lambda: pty.move_number() >= 1, "no tile was placed")
        pty.press("z", "Put the table away")
        pty.press("y", "PUT AWAY")
        counters = own_counters(pty)
        assert counters
        pty.child.send("q")
        assert pty.ended() == 0
    with genial(tmp_path, *PLAY) as pty:
        pty.sees("You have a table that was put away. Go on there?")
        pty.child.send("y\r")
        pty.sees("PUT AWAY")
        pty.until(lambda: own_counters(pty) == counters, "another game")
        pty.press("\r", "The table is out again")
        pty.until(lambda: pty.shows_any(("END TURN", "YOUR TURN", "TO MOVE")), "nothing goes on")
        pty.press("q", "y / n")
        pty.child.send("y")
        assert pty.ended() == 0
