"""A write-ahead log that is not what was written: what is lost is named, the rest is there."""

from __future__ import annotations

import contextlib
import logging
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genial.services.store import Component, Database, database

NOTES = Component("notes", [("CREATE TABLE notes (text TEXT NOT NULL) STRICT",)])
PAGE = 4096
FRAME = 24 + PAGE
COMMITS = 8


@pytest.fixture
async def killed(tmp_path: Path) -> Path:
    """The file of a host that was killed after some commits, all still in the log."""
    living, dead = tmp_path / "living", tmp_path / "dead"
    database = await Database.open(living / "host.db", [NOTES])

    def job(text: str) -> Callable[[sqlite3.Connection], object]:
        return lambda connection: connection.execute("INSERT INTO notes VALUES (?)", (text,))

    for number in range(COMMITS):
        await database.write(job(str(number)))
    dead.mkdir()
    for name in ("host.db", "host.db-wal"):
        shutil.copyfile(living / name, dead / name)
    await database.close()
    return dead / "host.db"


def commit_frames(ahead: Path) -> list[int]:
    """Where in the log the frames begin that end a commit."""
    content = ahead.read_bytes()
    places = range(32, len(content) - 24, FRAME)
    return [
        place
        for place in places
        if content[place + 8 : place + 16] == content[16:24]
        and struct.unpack_from(">I", content, place + 4)[0]
    ]


def spoil(ahead: Path, place: int) -> None:
    content = bytearray(ahead.read_bytes())
    content[place] ^= 1
    ahead.write_bytes(content)


async def opened(file: Path) -> list[str]:
    database = await Database.open(file, [NOTES])
    try:
        return await database.read(
            lambda connection: [text for (text,) in connection.execute("SELECT text FROM notes")]
        )
    finally:
        await database.close()


def complaints(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]


async def test_a_whole_log_is_taken_whole(killed: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert await opened(killed) == [str(number) for number in range(COMMITS)]
    assert complaints(caplog) == []
    assert not killed.with_name("host.db-wal.damaged-1").exists()


@pytest.mark.parametrize("back", [3, 5])
async def test_a_spoilt_bit_costs_what_came_after_it_and_is_named(
    killed: Path, caplog: pytest.LogCaptureFixture, back: int
) -> None:
    ahead = killed.with_name("host.db-wal")
    spoil(ahead, commit_frames(ahead)[-back] + 24 + 77)
    spoilt = ahead.read_bytes()
    assert await opened(killed) == [str(number) for number in range(COMMITS - back)]
    (said,) = complaints(caplog)
    assert f"the last {back} changes" in said
    assert "host.db-wal.damaged-1" in said
    kept = killed.with_name("host.db-wal.damaged-1")
    assert kept.read_bytes() == spoilt
    assert kept.stat().st_mode & 0o077 == 0


async def test_a_copy_of_before_stays(killed: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = killed.with_name("host.db-wal.damaged-1")
    before.write_bytes(b"not looked at yet")
    ahead = killed.with_name("host.db-wal")
    spoil(ahead, commit_frames(ahead)[-3] + 24 + 77)
    spoilt = ahead.read_bytes()
    await opened(killed)
    (said,) = complaints(caplog)
    assert "kept as host.db-wal.damaged-2" in said
    assert killed.with_name("host.db-wal.damaged-2").read_bytes() == spoilt
    assert before.read_bytes() == b"not looked at yet"


async def test_the_copy_is_private_from_its_first_byte_on(
    killed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes = []

    def copy(source: Path, target: Path) -> None:
        target.touch()
        modes.append(target.stat().st_mode & 0o777)

    monkeypatch.setattr(shutil, "copyfile", copy)
    ahead = killed.with_name("host.db-wal")
    spoil(ahead, commit_frames(ahead)[-3] + 24 + 77)
    await opened(killed)
    assert modes == [0o600]


LOCK_OF_THE_INDEX = 128
"""The byte of it that everybody who uses it has locked (SQLite's `WALINDEX_LOCK_OFFSET` + 8)."""


@pytest.mark.skipif(sys.platform == "win32", reason="locks outlast other handles there")
async def test_looking_gives_up_no_lock_of_sqlites(
    killed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process, such as a backup, takes an index without that lock for abandoned."""
    trial = f"""
import fcntl, sys
with open(sys.argv[1], "rb+") as index:
    fcntl.lockf(index, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, {LOCK_OF_THE_INDEX})
"""
    faults = []
    migrate = database._migrate

    def meanwhile(*arguments: Any) -> None:
        index = str(killed.with_name("host.db-shm"))
        done = subprocess.run(
            [sys.executable, "-c", trial, index], capture_output=True, text=True, check=False
        )
        faults.append(done.stderr.strip().splitlines()[-1:])
        migrate(*arguments)

    monkeypatch.setattr(database, "_migrate", meanwhile)
    await opened(killed)
    assert len(faults) == 1
    assert faults[0], "another process could take the index"
    assert faults[0][0].startswith("BlockingIOError")


async def test_a_spoilt_head_is_named(killed: Path, caplog: pytest.LogCaptureFixture) -> None:
    spoil(killed.with_name("host.db-wal"), 13)
    # All was in the log alone, the schema too: it is made anew.
    assert await opened(killed) == []
    assert any("its head is not what was written" in said for said in complaints(caplog))


async def test_what_a_power_cut_left_half_written_is_no_damage(
    killed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ahead = killed.with_name("host.db-wal")
    spoil(ahead, commit_frames(ahead)[-1] + 24 + 77)
    assert await opened(killed) == [str(number) for number in range(COMMITS - 1)]
    assert complaints(caplog) == []


@pytest.mark.parametrize("length", [0, 32, 10_000])
async def test_a_log_of_zeros_was_never_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, length: int
) -> None:
    file = tmp_path / "host.db"
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    file.with_name("host.db-wal").write_bytes(bytes(length))
    assert await opened(file) == []
    assert complaints(caplog) == []
