"""A terminal in memory: keys go in through a pipe, the screen is read from pyte."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pyte
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from genial.client.app import Player
from genial.client.session import Session
from genial.client.settings import Settings

DEADLINE = 20.0


class Terminal(io.StringIO):
    """What a terminal shows of what was written to it."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__()
        self.screen = pyte.Screen(width, height)
        self.stream = pyte.Stream(self.screen)
        self.raw: list[str] = []

    def write(self, text: str) -> int:
        self.raw.append(text)
        self.stream.feed(text)
        return len(text)

    def flush(self) -> None:
        """Everything is there already."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise io.UnsupportedOperation("a terminal in memory")

    def resize(self, width: int, height: int) -> None:
        """Another window size; the program hears of it only when it is told."""
        self.screen.resize(height, width)

    @property
    def size(self) -> Size:
        return Size(rows=self.screen.lines, columns=self.screen.columns)

    def text(self) -> str:
        return "\n".join(self.screen.display)

    def row(self, number: int) -> str:
        return str(self.screen.display[number])


class Hands:
    """Somebody at the keyboard who watches the screen."""

    def __init__(self, player: Player, terminal: Terminal, pipe: PipeInput) -> None:
        self.player = player
        self.terminal = terminal
        self.pipe = pipe

    def type(self, keys: str) -> None:
        self.pipe.send_text(keys)

    async def until(self, what: Callable[[], Any], why: str = "") -> None:
        """Wait until something is so.

        Raises:
            AssertionError: It was not, in all that time.
        """
        deadline = time.monotonic() + DEADLINE
        while not what():
            assert time.monotonic() < deadline, f"{why}\n{self.terminal.text()}"
            await asyncio.sleep(0.005)

    async def sees(self, text: str) -> None:
        """Wait until a text is on the screen."""
        await self.until(lambda: text in self.terminal.text(), f"waited for {text!r}")

    async def press(self, keys: str, text: str) -> None:
        """Type keys, and wait for a text on the screen."""
        self.type(keys)
        await self.sees(text)


@asynccontextmanager
async def sitting(
    session: Session | None,
    tmp_path: Path,
    *,
    width: int = 80,
    height: int = 24,
    settings: Settings | None = None,
    **arguments: Any,
) -> AsyncIterator[Hands]:
    """A player at a table (None: at the list) with a terminal; ends when the block does."""
    terminal = Terminal(width, height)
    with create_pipe_input() as pipe:
        output = Vt100_Output(
            terminal, lambda: terminal.size, term="xterm-256color", enable_bell=True
        )
        player = Player(
            settings=settings or Settings(name="Ana", colours="256"),
            settings_file=tmp_path / "settings.toml",
            input=pipe,
            output=output,
            **arguments,
        )
        running = asyncio.ensure_future(player.run(session))
        hands = Hands(player, terminal, pipe)
        try:
            yield hands
        finally:
            player.stop()
            assert await running == 0
