"""Ends that nobody wished for: each says a sentence, and leaves the terminal in order."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from genial.cli import entry
from genial.client import player as player_module
from genial.client.player import Player
from genial.client.settings import Settings
from genial.client.update import update as whole

from .fake import FakeTable
from .terminal import DEADLINE, Hands, Terminal


class BrokenError(Exception):
    """A fault of the program's own."""


def broken(*_arguments: object) -> None:
    raise BrokenError


async def played(tmp_path: Path, *, keys: str = "", ends: bool = False) -> int:
    """A player at a table, until it ends by itself; types once the screen is there."""
    terminal = Terminal(80, 24)
    with create_pipe_input() as pipe:
        player = Player(
            settings=Settings(name="Ana"),
            settings_file=tmp_path / "settings.toml",
            input=pipe,
            output=Vt100_Output(terminal, lambda: terminal.size, term="xterm-256color"),
        )
        running = asyncio.ensure_future(player.run(FakeTable().as_session()))
        async with asyncio.timeout(DEADLINE):
            hands = Hands(player, terminal, pipe)
            await hands.until(lambda: running.done() or "Kitchen table" in terminal.text())
            if ends:
                pipe.close()
            else:
                pipe.send_text(keys)
            return await running


async def test_a_fault_of_a_key_ends_the_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def update(model: object, message: object) -> object:
        if getattr(message, "name", "") == "l":
            raise BrokenError
        return whole(model, message)  # type: ignore[arg-type]

    monkeypatch.setattr(player_module, "update", update)
    with pytest.raises(BrokenError):
        await played(tmp_path, keys="l")


async def test_a_fault_of_drawing_ends_the_application(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player_module, "draw", broken)
    with pytest.raises(BrokenError):
        await played(tmp_path)


async def test_a_terminal_that_is_gone_without_a_word_is_a_quit(tmp_path: Path) -> None:
    assert await played(tmp_path, ends=True) == 0


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (KeyboardInterrupt(), "genial: Stopped before it was done."),
        (click.Abort(), "genial: Stopped before it was done."),
        (asyncio.CancelledError(), "genial: a fault of the program itself (CancelledError:"),
        (BrokenPipeError("a pipe of ours"), "genial: a fault of the program itself (BrokenPipe"),
        (BrokenError("broken"), "genial: a fault of the program itself (BrokenError: broken)"),
    ],
    ids=lambda case: type(case).__name__ if isinstance(case, BaseException) else "said",
)
def test_every_exit_by_1_says_a_sentence(
    fault: BaseException,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def fails(*_arguments: object, **_options: object) -> None:
        raise fault

    monkeypatch.delenv("GENIAL_TRACEBACK", raising=False)
    monkeypatch.setattr("genial.cli.crash.log_dir", lambda: tmp_path)
    monkeypatch.setattr("genial.cli.entry.genial.main", fails)
    assert entry.run(["play"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(said)
