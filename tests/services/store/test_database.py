"""The shared SQLite file: migrations, faults, and who may have it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import stat
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from genial.services.store import (
    Component,
    Database,
    DatabaseBusyError,
    NewerSchemaError,
    StorageError,
)
from genial.wire.errors import GenialError, Reason

FIRST = ("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT",)
SECOND = ("ALTER TABLE notes ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'",)
NOTES = Component("notes", (FIRST,))


def adding(text: str) -> object:
    def job(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes (text) VALUES (?)", (text,))

    return job


def all_notes(connection: sqlite3.Connection) -> list[str]:
    return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY id")]


async def add(database: Database, text: str) -> None:
    await database.write(adding(text))  # type: ignore[arg-type]


async def test_what_was_written_is_read_now_and_later(tmp_path: Path) -> None:
    path = tmp_path / "new" / "host.db"
    database = await Database.open(path, [NOTES])
    await add(database, "one")
    assert await database.read(all_notes) == ["one"]
    await database.close()
    await database.close()
    database = await Database.open(path, [NOTES])
    assert await database.read(all_notes) == ["one"]
    await database.close()


async def test_it_is_durable_and_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    database = await Database.open(path, [NOTES])

    def settings(connection: sqlite3.Connection) -> tuple[object, object]:
        return (
            connection.execute("PRAGMA journal_mode").fetchone()[0],
            connection.execute("PRAGMA synchronous").fetchone()[0],
        )

    assert await database.write(settings) == ("wal", 2)
    await add(database, "one")
    if os.name == "posix":
        assert open_to_others(tmp_path) == []
    await database.close()


def open_to_others(folder: Path) -> list[str]:
    """The names of files that others may read."""
    return [file.name for file in folder.iterdir() if stat.S_IMODE(file.stat().st_mode) & 0o077]


async def test_migrations_go_on_where_the_file_stands(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    database = await Database.open(path, [NOTES])
    await add(database, "old")
    await database.close()
    newer = Component("notes", (FIRST, SECOND))
    database = await Database.open(path, [newer, Component("other", (("CREATE TABLE o (x)",),))])
    assert await database.read(
        lambda connection: connection.execute("SELECT text, colour FROM notes").fetchall()
    ) == [("old", "blue")]
    await database.close()
    with pytest.raises(NewerSchemaError, match="notes schema 2"):
        await Database.open(path, [NOTES])
    # The refusal has let go of the file.
    database = await Database.open(path, [newer])
    await database.close()


async def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    await (await Database.open(path, [NOTES])).close()
    broken = Component("notes", (FIRST, (*SECOND, "NONSENSE")))
    with pytest.raises(StorageError):
        await Database.open(path, [broken])
    database = await Database.open(path, [Component("notes", (FIRST, SECOND))])
    await database.close()


async def test_a_second_host_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    database = await Database.open(path, [NOTES])
    with pytest.raises(DatabaseBusyError, match="another host is using"):
        await Database.open(path, [NOTES])
    await database.close()
    await (await Database.open(path, [NOTES])).close()


async def test_a_killed_host_leaves_no_lock_and_all_it_has_said(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    program = textwrap.dedent(
        """
        import asyncio, sys
        from pathlib import Path
        from genial.services.store import Component, Database
        from tests.services.store.test_database import NOTES, add

        async def main():
            database = await Database.open(Path(sys.argv[1]), [NOTES])
            for number in range(1_000_000):
                await add(database, str(number))
                print(number, flush=True)

        asyncio.run(main())
        """
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(path), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    said = -1
    async with asyncio.timeout(60):
        while said < 200:
            said = int(await process.stdout.readline())
    process.kill()
    rest = await process.stdout.read()
    await process.wait()
    # The last line may have been cut in the middle of its number.
    said = max([said, *map(int, rest.splitlines()[:-1])])
    database = await Database.open(path, [NOTES])
    found = await database.read(all_notes)
    await database.close()
    assert found == [str(number) for number in range(len(found))]
    assert len(found) > said


async def test_a_fault_takes_nobody_along(tmp_path: Path) -> None:
    """Jobs that wait together share a transaction; the one that fails fails alone."""
    database = await Database.open(tmp_path / "host.db", [NOTES])

    def failing(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes (text) VALUES ('half done')")
        raise LookupError("no such thing")

    results = await asyncio.gather(
        *(add(database, f"good {number}") for number in range(20)),
        database.write(failing),
        add(database, "good 3"),
        *(add(database, f"more {number}") for number in range(20)),
        return_exceptions=True,
    )
    faults = [result for result in results if result is not None]
    assert [type(fault) for fault in faults] == [LookupError, StorageError]
    notes = await database.read(all_notes)
    assert notes == [f"good {n}" for n in range(20)] + [f"more {n}" for n in range(20)]
    await database.close()


async def test_a_full_disk_is_said_and_passes(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "host.db", [NOTES])

    def limit(pages: int) -> object:
        def job(connection: sqlite3.Connection) -> None:
            connection.execute(f"PRAGMA max_page_count = {pages}")

        return job

    (used,) = await database.read(
        lambda connection: connection.execute("PRAGMA page_count").fetchone()
    )
    await database.write(limit(used))  # type: ignore[arg-type]
    with pytest.raises(StorageError) as refused:
        await add(database, "x" * 100_000)
    assert refused.value.reason == Reason.STORAGE_FULL
    await database.write(limit(used + 1000))  # type: ignore[arg-type]
    await add(database, "y" * 100_000)
    assert len(await database.read(all_notes)) == 1
    await database.close()


async def test_the_log_has_its_length_before_the_first_commit_is_done(tmp_path: Path) -> None:
    """A commit that lengthens it takes twice as long."""
    path = tmp_path / "host.db"
    database = await Database.open(path, [NOTES])
    written_ahead = path.with_name("host.db-wal")
    await add(database, "one")
    length = written_ahead.stat().st_size
    assert length > 1000 * 4096
    for number in range(200):
        await add(database, str(number))
    assert written_ahead.stat().st_size == length
    await database.close()
    # Nothing of what it was filled with has come into the file.
    assert path.stat().st_size < 20 * 4096
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert len(all_notes(connection)) == 201


async def test_a_disk_without_room_for_the_log_stops_no_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "genial.services.store.database._LOG_BYTES", 2_000_000_000
    )  # more than SQLite takes
    database = await Database.open(tmp_path / "host.db", [NOTES])
    await add(database, "one")
    assert await database.read(all_notes) == ["one"]
    await database.close()


async def test_preparing_comes_before_the_sync_and_telling_after_it(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "host.db", [NOTES])
    told: list[tuple[str, int, list[str]]] = []

    def says(what: str) -> Callable[[], None]:
        def say() -> None:
            with contextlib.closing(sqlite3.connect(database.path)) as other:
                told.append((what, threading.get_ident(), all_notes(other)))

        return say

    await database.write(adding("one"), says("prepare"), says("tell"))  # type: ignore[arg-type]
    here = threading.get_ident()
    assert [(what, thread) for what, thread, _ in told] == [("prepare", here), ("tell", here)]
    assert told[1][2] == ["one"]
    # What fails is prepared perhaps, but told to nobody.
    told.clear()
    with pytest.raises(StorageError):
        await database.write(adding("one"), says("prepare"), says("tell"))  # type: ignore[arg-type]
    assert "tell" not in [what for what, _, _ in told]
    await database.close()


async def test_a_fault_in_preparing_is_said_and_costs_nothing(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "host.db", [NOTES])
    faults: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: faults.append(context.get("exception")))

    def fail() -> None:
        raise ZeroDivisionError

    await database.write(adding("one"), fail)  # type: ignore[arg-type]
    assert [type(fault) for fault in faults] == [ZeroDivisionError]
    assert await database.read(all_notes) == ["one"]
    # In telling it is the asker's, though what was written stays.
    with pytest.raises(ZeroDivisionError):
        await database.write(adding("two"), None, fail)  # type: ignore[arg-type]
    assert await database.read(all_notes) == ["one", "two"]
    await database.close()


async def test_a_caller_who_goes_away(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "host.db", [NOTES])
    waiting = asyncio.create_task(add(database, "one"))
    await asyncio.sleep(0)
    waiting.cancel()
    await add(database, "two")
    assert await database.read(all_notes) == ["one", "two"]
    await database.close()


async def test_closing_finishes_what_waits_and_refuses_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    database = await Database.open(path, [NOTES])
    waiting = [asyncio.create_task(add(database, str(number))) for number in range(300)]
    await asyncio.sleep(0)
    await database.close()
    await asyncio.gather(*waiting)
    with pytest.raises(GenialError) as refused:
        await add(database, "late")
    assert refused.value.reason == Reason.HOST_CLOSING
    database = await Database.open(path, [NOTES])
    assert len(await database.read(all_notes)) == 300
    await database.close()


async def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    path.write_bytes(b"not a database" * 1000)
    with pytest.raises(StorageError):
        await Database.open(path, [NOTES])
    assert path.read_bytes() == b"not a database" * 1000


async def test_a_reader_cannot_write(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "host.db", [NOTES])
    with pytest.raises(StorageError):
        await database.read(adding("one"))  # type: ignore[arg-type]
    await database.close()
