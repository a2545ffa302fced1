"""Damage in the write-ahead log, which SQLite itself does not name.

SQLite takes from the log what is whole up to the first frame that is not, and forgets the rest:
mostly that is what a power cut left half written, and nobody had heard of it. One spoilt bit in
the middle looks the same to it, and then everything that was committed after it is lost without
a word. Here the two are told apart. (The format: https://www.sqlite.org/fileformat2.html)
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sqlite3
import struct
from itertools import count
from pathlib import Path
from typing import Final

log = logging.getLogger(__name__)

_HEADER: Final = struct.Struct(">IIIIIIII")
"""Magic, version, size of a page, count of checkpoints, two salts, two sums over all these."""
_MAGIC: Final = {0x377F0682: "<6I", 0x377F0683: ">6I"}
"""Which also tells in which order the sums take the bytes."""
_FRAME: Final = struct.Struct(">II8s8s")
"""Page, size of the file after a commit or 0, the salts again, sums."""
_INDEX: Final = struct.Struct("=16sI")
"""The beginning of SQLite's index of the log, which ends with the number of its whole frames."""
_MODULUS: Final = 1 << 32


def name_damage(connection: sqlite3.Connection, path: Path, last: contextlib.ExitStack) -> None:
    """Says in the log what of a file's write-ahead log is lost, and keeps a copy of it.

    Args:
        connection: That has written nothing yet.
        path: Of the file itself.
        last: Must be closed after the connection: whoever closes a file gives up all locks that
            his process has on it (POSIX), and without SQLite's own on its index another process,
            such as a backup, would begin that anew under the connection's feet.

    Raises:
        sqlite3.Error: The file cannot be read at all.
    """
    ahead = path.with_name(path.name + "-wal")
    try:
        if not ahead.exists() or not ahead.stat().st_size:
            return
        # Reading anything makes SQLite look through the log and note how far it is whole.
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        index = last.enter_context(path.with_name(path.name + "-shm").open("rb"))
        _, whole = _INDEX.unpack(index.read(_INDEX.size))
        lost = _commits_after(ahead, whole)
        if not lost:
            return
        beside = _free_name(ahead)
        log.error("%s is damaged: %s; it is kept as %s", ahead, lost, beside.name)
        # Racks and bags are in it: nobody else's from its first byte on.
        beside.touch(mode=0o600)
        shutil.copyfile(ahead, beside)
    except (OSError, struct.error) as fault:
        log.error("%s could not be looked through or kept: %s", ahead, fault)


def _free_name(ahead: Path) -> Path:
    """Where a copy goes; one of before, which was perhaps not looked at yet, stays."""
    names = (ahead.with_name(f"{ahead.name}.damaged-{number}") for number in count(1))
    return next(path for path in names if not path.exists())


def _commits_after(ahead: Path, whole: int) -> str:
    """What is lost of a log with so many whole frames, in words; empty: nothing."""
    with ahead.open("rb") as file:
        head = file.read(_HEADER.size)
        if not any(head):
            # Made, and not written yet when the power went.
            return ""
        if len(head) < _HEADER.size or not _is_header(head):
            return "its head is not what was written, so that nothing in it can be read"
        _, _, page, _, *_ = _HEADER.unpack(head)
        salts = head[16:24]
        step = _FRAME.size + page
        commits = 0
        file.seek(_HEADER.size + whole * step)
        while len(frame := file.read(_FRAME.size)) == _FRAME.size:
            _, committed, its_salts, _ = _FRAME.unpack(frame)
            if committed and its_salts == salts:
                commits += 1
            file.seek(page, os.SEEK_CUR)
    # The last one may be half written, and then nobody has heard of it.
    if commits < 2:
        return ""
    return (
        f"frame {whole + 1} is not what was written, and the last {commits} changes, from there"
        " on, are lost"
    )


def _is_header(head: bytes) -> bool:
    magic, *_, first, second = _HEADER.unpack(head)
    order = _MAGIC.get(magic)
    if order is None:
        return False
    sums = [0, 0]
    words = struct.unpack_from(order, head)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        sums[0] = (sums[0] + even + sums[1]) % _MODULUS
        sums[1] = (sums[1] + odd + sums[0]) % _MODULUS
    return sums == [first, second]
