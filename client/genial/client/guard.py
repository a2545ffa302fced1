"""A guard that puts the terminal back when the client is killed and cannot do it itself.

After SIGKILL the shell restores the line discipline, but nobody leaves the second screen, shows
the cursor or stops the mouse from typing garbage. A child waits for the end of a pipe that the
client alone holds open: a word before it, and all is well.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from genial.client.text import _

_FAREWELL: Final = b"well\n"
# Reports of the mouse and bracketed paste off, plain colours, the cursor shown, the main screen.
_RESTORE: Final = (
    r"\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?1015l\033[?2004l\033[0m\033[?25h\033[?1049l"
)
# $1 is said afterwards: the shell's prompt went to the screen that is gone.
_SCRIPT: Final = f"read -r word || printf '{_RESTORE}\\r\\n%s\\r\\n' \"$1\""


@contextmanager
def terminal_guarded() -> Iterator[None]:
    """While inside, a killed client leaves a usable terminal (where there is a POSIX shell).

    Without one, or without a terminal as standard output, nothing happens.
    """
    guard = _start()
    try:
        yield
    finally:
        if guard is not None:
            _dismiss(guard)


def _start() -> subprocess.Popen[bytes] | None:
    if sys.platform == "win32" or not sys.stdout.isatty():
        return None
    said = _("Genial was killed. Start it again; a seat that you held is still yours.")
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", _SCRIPT, "genial-guard", said],
            stdin=subprocess.PIPE,
            # Out of reach of what the terminal sends to the client's group.
            start_new_session=True,
        )
    except OSError:
        # It would help after an accident alone; the game does not need it.
        return None


def _dismiss(guard: subprocess.Popen[bytes]) -> None:
    try:
        guard.communicate(_FAREWELL, timeout=2.0)
    except (OSError, subprocess.TimeoutExpired):
        guard.kill()
        guard.wait()
