"""Records as files on this machine: read safely, and judged, many at a time.

A path can name anything: a directory, a pipe that nobody writes to, a gigabyte of
zeros. Lines are read one at a time and cut at the longest that a record may have, so
none of these takes more than a few megabytes, and none is waited for.

Imports neither grpc nor the screen: `genial record check` starts fast.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import stat
import sys
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from genial.client.text import _
from genial.engine.record import MAX_LINE_BYTES, Judgement, Record, Verdict, judge_lines

MAX_OPENED_BYTES: Final = 8 << 20
MAX_OPENED_LINES: Final = 20_000
"""What is kept in memory to be shown. The longest games take a few hundred lines; a record
can still hold any number of notes (`x-`) and takeovers, and is then checked but not shown."""

_MANY_BYTES: Final = 1 << 20
"""From here on several processes are quicker than one, their start included."""


class RecordFileError(ValueError):
    """A file that cannot be read as a record, or holds none that stands.

    Attributes:
        path: As it was given.
        line: Where the fault is, from 1; 1 too where nothing could be read.
        sentence: What is wrong, without a full stop.
    """

    def __init__(self, path: str, sentence: str, line: int = 1) -> None:
        """Keeps where and what."""
        super().__init__(f"{shown_path(path)}:{line}: {sentence}")
        self.path = path
        self.line = line
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class OpenedRecord:
    """A record to be looked at; `reason` says why it is not verified, empty if it is."""

    record: Record
    verdict: Verdict
    reason: str


def shown_path(path: str | os.PathLike[str]) -> str:
    """A path on one line: what moves the cursor, or is no character at all, becomes `?`."""
    return "".join(
        "?" if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") else character
        for character in os.fspath(path)
    )


def record_lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The lines of a file, without their ends, cut at `MAX_LINE_BYTES` + 1.

    Raises:
        RecordFileError: It cannot be read, or is no regular file.
    """
    name = os.fspath(path)
    if "\0" in name:
        raise RecordFileError(name, _("this is no file name"))
    try:
        with _open_regular(name) as file:
            yield from _lines(file)
    except OSError as error:
        raise RecordFileError(name, _reason(error)) from None


def check_file(path: str | os.PathLike[str]) -> Judgement:
    """Judges a file; one that cannot be read is faulty at line 1. Never raises."""
    try:
        return judge_lines(record_lines(path))
    except RecordFileError as error:
        return Judgement(Verdict.FAULTY, error.line, error.sentence)


def check_files(paths: Sequence[str], processes: int | None = None) -> Iterator[Judgement]:
    """Judges files in order, by several processes if that is quicker.

    Args:
        paths: Any number of them.
        processes: At most so many; None: as many as this machine has cores.

    Yields:
        A judgement for each path, as soon as it and those before it are there.
    """
    count = min(processes or os.cpu_count() or 1, len(paths))
    done = 0
    if count > 1 and _size(paths) >= _MANY_BYTES:
        try:
            with _workers(count) as pool:
                chunk = max(1, min(16, len(paths) // (4 * count)))
                for judgement in pool.map(check_file, paths, chunksize=chunk):
                    yield judgement
                    done += 1
        except (BrokenProcessPool, ImportError, NotImplementedError, OSError):
            # No shared semaphores here, or a worker was killed: this process can do it too.
            pass
    for path in paths[done:]:
        yield check_file(path)


def check_sentence(path: str, judgement: Judgement) -> str:
    """The line that `genial record check` prints for a file; scripts read it, so English."""
    if judgement.verdict is Verdict.FAULTY:
        return f"{shown_path(path)}:{judgement.line}: {judgement.sentence}"
    return f"ok {shown_path(path)} {judgement.verdict.value}"


def open_record(path: str | os.PathLike[str]) -> OpenedRecord:
    """Reads a record to be looked at.

    Raises:
        RecordFileError: It cannot be read, is faulty, or is too long to be shown.
    """
    return _opened(os.fspath(path), record_lines(path))


def open_bytes(name: str, content: bytes) -> OpenedRecord:
    """As `open_record`, for a record that was fetched; `name` is what errors call it."""
    return _opened(name, _lines(io.BytesIO(content)))


def _opened(name: str, lines: Iterable[bytes]) -> OpenedRecord:
    judgement = judge_lines(_limited(name, lines), keep=True)
    if judgement.record is None:
        raise RecordFileError(name, judgement.sentence, judgement.line or 1)
    return OpenedRecord(judgement.record, judgement.verdict, judgement.sentence)


def _limited(name: str, lines: Iterable[bytes]) -> Iterator[bytes]:
    size = 0
    for number, line in enumerate(lines, 1):
        size += len(line)
        if number > MAX_OPENED_LINES or size > MAX_OPENED_BYTES:
            raise RecordFileError(
                name, _("the record is too long to be shown; it can only be checked"), number
            )
        yield line


def _open_regular(name: str) -> BinaryIO:
    # Looked at before it is opened, since opening alone makes some devices act; and again
    # after, since it may be another file by then. Without O_NONBLOCK, opening a pipe waits.
    _require_regular(name, os.stat(name).st_mode)
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(name, flags), "rb")
    try:
        _require_regular(name, os.fstat(file.fileno()).st_mode)
    except RecordFileError:
        file.close()
        raise
    return file


def _require_regular(name: str, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise RecordFileError(name, _("this is a directory, not a record"))
    if not stat.S_ISREG(mode):
        raise RecordFileError(name, _("this is a pipe or a device, not a file"))


def _lines(file: BinaryIO) -> Iterator[bytes]:
    # A line of the greatest length, with its end.
    most = MAX_LINE_BYTES + 1
    while line := file.readline(most):
        if line.endswith(b"\n"):
            yield line[:-1]
            continue
        # Either the last line, or one that is too long: its rest is passed over unkept.
        yield line
        while len(line) == most and not line.endswith(b"\n"):
            line = file.readline(most)


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return _("there is no such file")
    if isinstance(error, PermissionError):
        return _("you may not read this file")
    return _("this file cannot be read ({reason})").format(reason=error.strerror or error)


def _size(paths: Sequence[str]) -> int:
    size = 0
    for path in paths:
        try:
            size += Path(path).stat().st_size
        except (OSError, ValueError):
            continue
    return size


def _workers(count: int) -> Executor:
    # A forked process starts in no time, but must not be made from one that has threads.
    quick = sys.platform == "linux" and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if quick else "spawn")
    return ProcessPoolExecutor(count, context, initializer=_ignore_interrupts)


def _ignore_interrupts() -> None:
    # Ctrl-C reaches every process of the terminal; the first one alone answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
