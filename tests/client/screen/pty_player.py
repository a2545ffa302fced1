"""A real program in a pseudo-terminal, its screen read by pyte, played by keys."""

from __future__ import annotations

import os
import re
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pexpect
import pyte

DEADLINE = 60.0

ENGLISH = {
    "turn": "YOUR TURN",
    "bonus": "BONUS,",
    "end": "END TURN",
    "ranking": "RANKING",
    "move": "move",
}
SPANISH = {
    "turn": "TE TOCA",
    "bonus": "EXTRA,",
    "end": "ACABA EL TURNO",
    "ranking": "CLASIFICACIÓN",
    "move": "ficha",
}
GERMAN = {
    "turn": "DU BIST DRAN",
    "bonus": "BONUS,",
    "end": "ZUG BEENDEN",
    "ranking": "RANGLISTE",
    "move": "Stein",
}


class Terminal(pyte.Screen):
    """As pyte's, but for one thing that a client killed in the middle of a sequence does."""

    def erase_in_line(self, how: int = 0, *more: int, private: bool = False) -> None:
        """A shell's "Killed" ends a half-sent sequence of colours with its K.

        Terminals take that for an erasing of the line with too many parameters; pyte fails.
        """
        super().erase_in_line(0 if more else how, private=private)


class Pty:
    """The program, what its screen shows, and everything that it wrote."""

    def __init__(self, child: Any, width: int, height: int) -> None:
        self.child = child
        self.words = ENGLISH
        self.screen = Terminal(width, height)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""

    def read(self, seconds: float = 0.05) -> None:
        """Take in what the program writes within so many seconds."""
        try:
            data = self.child.read_nonblocking(65536, timeout=seconds)
        except pexpect.TIMEOUT:
            return
        except pexpect.EOF:
            return
        self.raw += data
        self.stream.feed(data)

    def text(self) -> str:
        return "\n".join(self.screen.display)

    def until(self, what: Callable[[], Any], why: str) -> None:
        """Read on until something is so.

        Raises:
            AssertionError: It was not, in all that time.
        """
        deadline = time.monotonic() + DEADLINE
        while not what():
            assert time.monotonic() < deadline, f"{why}\n{self.text()}"
            self.read()

    def sees(self, text: str) -> None:
        self.until(lambda: text in self.text(), f"waited for {text!r}")

    def press(self, keys: str, text: str) -> None:
        self.child.send(keys)
        self.sees(text)

    def resize(self, width: int, height: int) -> None:
        self.screen.resize(height, width)
        self.child.setwinsize(height, width)

    def ended(self) -> int:
        """Wait for the end; the exit code, negative for a signal; what it wrote is in `raw`."""
        deadline = time.monotonic() + DEADLINE
        while self.child.isalive():
            assert time.monotonic() < deadline, f"it does not end\n{self.text()}"
            self.read()
        self.read(0.2)
        self.child.close()
        if self.child.signalstatus is not None:
            return -int(self.child.signalstatus)
        return int(self.child.exitstatus or 0)

    def restored(self, paste: bool = True) -> bool:
        """Whether the terminal is as it was: main screen, cursor, no mouse, no paste marks.

        Without `paste` those do not count: a shell sets them for itself.
        """
        return all(
            self.raw.rfind(off) > self.raw.rfind(on)
            for on, off in (
                (b"\x1b[?1049h", b"\x1b[?1049l"),
                (b"\x1b[?25l", b"\x1b[?25h"),
                (b"\x1b[?1000h", b"\x1b[?1000l"),
                (b"\x1b[?1003h", b"\x1b[?1003l"),
                (b"\x1b[?1006h", b"\x1b[?1006l"),
                (b"\x1b[?2004h", b"\x1b[?2004l"),
            )
            if paste or b"2004" not in on
        )

    # --- playing ----------------------------------------------------------------------

    def shows_any(self, texts: Iterable[str]) -> bool:
        """Whether one of several texts is on the screen."""
        return any(text in self.text() for text in texts)

    def move_number(self) -> int:
        found = re.search(self.words["move"] + r" (\d+)\s*$", self.text(), re.MULTILINE)
        return int(found[1]) if found else -1

    def play_to_the_end(self) -> int:
        """Play by keys until the ranking shows; returns how many tiles were placed."""
        placed = 0
        while True:
            ending, ranking = self.words["end"], self.words["ranking"]
            due = (self.words["turn"], self.words["bonus"], ending, ranking)
            self.until(partial(self.shows_any, due), "it is nobody's turn")
            if ranking in self.text():
                return placed
            before = self.text()
            if ending in before:
                self.child.send("f")
            else:
                self.child.send("*\r")
                placed += 1
            number = self.move_number()

            def changed(number: int = number, before: str = before) -> bool:
                if self.words["ranking"] in self.text() or self.move_number() > number:
                    return True
                ending = self.words["end"]
                return ending in before and ending not in self.text()

            self.until(changed, "nothing came of the keys")


@contextmanager
def genial(
    tmp_path: Path,
    *arguments: str,
    width: int = 80,
    height: int = 24,
    shell: bool = False,
    **variables: str,
) -> Iterator[Pty]:
    """`genial …` in a pseudo-terminal with a home of its own, if wanted from a shell."""
    environment = {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        **variables,
    }
    command = [sys.executable, "-m", "genial.cli", *arguments]
    program = ["bash", "--norc", "--noprofile", "-i"] if shell else command
    child = pexpect.spawn(
        program[0],
        program[1:],
        env=environment,
        dimensions=(height, width),
        timeout=DEADLINE,
        echo=False,
    )
    if shell:
        child.sendline(shlex.join(command))
    try:
        yield Pty(child, width, height)
    finally:
        if child.isalive():
            child.kill(signal.SIGTERM)
            deadline = time.monotonic() + 10
            while child.isalive() and time.monotonic() < deadline:
                try:
                    child.read_nonblocking(65536, timeout=0.05)
                except (pexpect.TIMEOUT, pexpect.EOF):
                    continue
        child.close(force=True)
