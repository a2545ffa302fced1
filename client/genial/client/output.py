"""Standard streams once nobody reads them any more: a pipe that broke, a window that was closed."""

from __future__ import annotations

import os
import stat
import sys
from typing import TextIO


def silence(stream: TextIO) -> None:
    """From here on nothing goes there, not even what is buffered and written at exit."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
    except (OSError, ValueError):
        return  # There is no such stream, so nothing will be written to it either.


def is_closed_window(stream: TextIO) -> bool:
    """Whether it went to a terminal that is gone, so that all writing fails."""
    try:
        device = stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False
    return device and not stream.isatty()


def silence_closed_windows() -> None:
    """Silences standard output and standard errors, as far as their terminal is gone."""
    for stream in (sys.stdout, sys.stderr):
        if is_closed_window(stream):
            silence(stream)
