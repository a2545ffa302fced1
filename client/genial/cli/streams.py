"""Standard streams that were closed or cannot be written to: no fault of the program."""

from __future__ import annotations

import io
import os
import sys
from typing import IO, Any, Final


class OutputError(OSError):
    """Standard output cannot be written to: a full disk, mostly. A reader that is gone is not this.

    Its own class, so that it is told apart from whatever else goes wrong with files.
    """


class ReaderGoneError(BrokenPipeError):
    """Whoever read standard output has gone; a pipe of our own that breaks is not this."""


class _Output(io.FileIO):
    """Standard output that says so when it is what fails."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError as fault:
            raise ReaderGoneError(fault.errno, fault.strerror) from fault
        except OSError as fault:
            raise OutputError(fault.errno, fault.strerror) from fault


_STREAMS: Final = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
"""In the order of their numbers."""


def make_usable() -> None:
    """Puts something that takes everything where a stream was closed; any name can be written.

    Otherwise the next file or connection opened would get a closed stream's number, and what
    libraries print would go there.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, _nothing(number, mode))
        elif isinstance(stream, io.TextIOWrapper) and mode == "w":
            # Names come from everywhere; what this terminal's encoding lacks is shown as `?`.
            stream.reconfigure(errors="replace")
            if stream is sys.stdout and _is_file(stream):
                sys.stdout = _output(stream)


def _is_file(stream: io.TextIOWrapper) -> bool:
    """Whether it ends in a file or pipe: neither a terminal nor what tests put in its place."""
    raw = getattr(stream.buffer, "raw", stream.buffer)
    return type(raw) is io.FileIO and not stream.isatty()


def _output(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    return io.TextIOWrapper(
        io.BufferedWriter(_Output(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _nothing(number: int, mode: str) -> IO[Any]:
    descriptor = os.open(os.devnull, os.O_RDWR)
    try:
        os.fstat(number)
    except OSError:
        # Still free: where libraries expect the stream.
        os.dup2(descriptor, number)
    if descriptor == number:
        os.set_inheritable(number, True)
    return open(descriptor, mode, encoding="utf-8", errors="replace")


def printable(text: str) -> str:
    """The same with `?` for what would command the terminal, whoever wrote it."""
    return "".join(each if each.isprintable() else "?" for each in text)
