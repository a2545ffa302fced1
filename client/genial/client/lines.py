"""Lines of text in and out, from a terminal, a pipe or a file alike."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from typing import Final

from genial.client.text import _

LONGEST_LINE: Final = 4_000
"""Characters; what is longer is cut, since no command is."""

YES_WORDS: Final = frozenset(("yes", "y", "on", "true"))
NO_WORDS: Final = frozenset(("no", "n", "off", "false"))
"""What is understood in every language."""

_CHUNK: Final = 65_536


class LineReader:
    """Reads lines without keeping the event loop waiting.

    A thread reads the descriptor itself: pipes, terminals and plain files then work
    alike on every platform, and no lock of Python's own buffers is held by a thread
    that still waits for input when the program ends.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        """Reads this descriptor, or standard input; a closed one is an end of input."""
        self._descriptor = _standard_input() if descriptor is None else descriptor
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._started = False

    async def lines(self) -> AsyncIterator[str]:
        """Each line without its end, until the input ends. For one reader."""
        self._start()
        while True:
            line = await self._lines.get()
            if line is None:
                return
            yield line

    async def ask(self, question: str) -> str | None:
        """Prints a question and takes the next line as its answer; None: the input ended."""
        self._start()
        say(question)
        return await self._lines.get()

    def _start(self) -> None:
        if self._started:
            return
        self._started = True
        if self._descriptor is None:
            self._lines.put_nowait(None)
            return
        reader = threading.Thread(
            target=self._read,
            args=(self._descriptor, asyncio.get_running_loop()),
            name="standard input",
            daemon=True,
        )
        reader.start()

    def _read(self, descriptor: int, loop: asyncio.AbstractEventLoop) -> None:
        rest = b""
        try:
            while True:
                try:
                    chunk = os.read(descriptor, _CHUNK)
                except OSError:
                    chunk = b""  # A terminal that was hung up: no more will come.
                *lines, rest = (rest + chunk).split(b"\n")
                if not chunk and rest:
                    lines.append(rest)
                for line in lines:
                    loop.call_soon_threadsafe(self._lines.put_nowait, _decoded(line))
                rest = rest[: LONGEST_LINE * 4]
                if not chunk:
                    loop.call_soon_threadsafe(self._lines.put_nowait, None)
                    return
        except RuntimeError:
            return  # The loop is closed; nobody listens any more.


def say(line: str) -> None:
    """Prints one line at once, whoever reads it: a person or a script.

    What does not print becomes `?`: nothing that others wrote, nor what was typed here,
    can command the terminal or add lines.
    """
    print("".join(c if c.isprintable() else "?" for c in line), flush=True)


def ring() -> None:
    """Rings the terminal's bell."""
    print("\a", end="", flush=True)


def can_draw() -> bool:
    """Whether a screen can be drawn: both ends are a terminal, and one that moves its cursor."""
    return are_terminals() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")


def are_terminals() -> bool:
    """Whether both standard input and standard output are a terminal."""
    return all(
        stream is not None and not stream.closed and stream.isatty()
        for stream in (sys.stdin, sys.stdout)
    )


async def yes(reader: LineReader, question: str) -> bool:
    """Asks a yes-or-no question of a person; anything but yes is no."""
    answer = await reader.ask(_("{question} Type yes or no.").format(question=question))
    return is_yes(answer or "")


def is_yes(answer: str) -> bool:
    """Whether somebody agrees, in English or in the chosen language."""
    return answer.strip().casefold() in {_("yes"), _("y"), *YES_WORDS}


def _standard_input() -> int | None:
    try:
        return sys.stdin.fileno() if sys.stdin is not None else None
    except (OSError, ValueError):
        return None


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip("\r")[:LONGEST_LINE]
