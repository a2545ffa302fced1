"""A SQLite file with one writing thread, one reading thread, and migrations by component.

Every service has its own tables; it says in a `Component` how they came to be, and
`Database.open` brings the file up to date. Whatever `write` has returned from is on the
disk (WAL, synchronous=FULL). Jobs that wait together are committed together, so that
many games share one sync of the disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from filelock import FileLock, Timeout

from genial.services.store.written_ahead import name_damage
from genial.wire.errors import GenialError, Reason

log = logging.getLogger(__name__)

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], T]

_MOST_JOBS_AT_ONCE: Final = 128
_MOST_FINDINGS: Final = 20
"""Lines about a damaged file in the log; there may be thousands."""

_LOG_BYTES: Final = 1016 * 4096
"""How long SQLite's write-ahead log is made at the start: a little over the 1,000 pages after
which SQLite begins it anew. A commit that need not lengthen it is synced in half the time,
because the file system has no new length to write down."""

_BUSY_TIMEOUT_MS: Final = 5000
"""How long a write waits for a backup or another reader of the file."""


class StorageError(GenialError):
    """The file could not be written or read; nothing has changed."""

    @classmethod
    def of(cls, fault: sqlite3.Error) -> StorageError:
        """What to answer callers for a fault of SQLite's."""
        full = getattr(fault, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        return cls(Reason.STORAGE_FULL if full else Reason.STORAGE_FAILED, fault=str(fault))


class DatabaseBusyError(Exception):
    """Another host uses the same file."""


class NewerSchemaError(Exception):
    """The file was written by a newer version than this one."""


@dataclass(frozen=True, slots=True)
class Component:
    """One service's tables.

    Attributes:
        name: Of the service; the first part of its tables' names.
        migrations: Oldest first, each the statements that lead from one version of the
            schema to the next. Only ever add to the end.
    """

    name: str
    migrations: Sequence[Sequence[str]]


@dataclass(slots=True)
class _Pending:
    job: Job[Any]
    future: asyncio.Future[Any]
    then: Callable[[], None] | None = None
    meanwhile: Callable[[], None] | None = None
    result: Any = None
    fault: BaseException | None = None


class Database:
    """The open file. Make one with `Database.open`; `close` it at the end.

    All coroutines belong to the event loop that opened it. A job is a plain function of
    the connection; it may be run twice (the second time alone, after a fault of another
    job that it shared a transaction with), so it must do nothing but talk to SQLite.
    """

    def __init__(self, path: Path, loop: asyncio.AbstractEventLoop, lock: FileLock):
        self.path: Final = path
        self._loop = loop
        self._lock = lock
        self._jobs: queue.SimpleQueue[_Pending | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_jobs, name="genial-writer", daemon=True)
        self._reader = ThreadPoolExecutor(1, "genial-reader")
        self._reading: sqlite3.Connection | None = None
        self._closed = False

    @classmethod
    async def open(cls, path: Path, components: Iterable[Component]) -> Database:
        """Opens or makes the file, readable by its owner alone, and migrates it.

        Raises:
            DatabaseBusyError: Another process has it open for writing.
            NewerSchemaError: A newer version of the program wrote it.
            StorageError: It cannot be read or written, or is no database.
        """
        loop = asyncio.get_running_loop()
        lock = await loop.run_in_executor(None, _prepare, path, tuple(components))
        database = cls(path, loop, lock)
        database._writer.start()
        return database

    async def write(
        self,
        job: Job[T],
        meanwhile: Callable[[], None] | None = None,
        then: Callable[[], None] | None = None,
    ) -> T:
        """Runs a job in a transaction of the writing thread; it is on disk on return.

        Args:
            job: What to do.
            meanwhile: Called in the event loop while the disk is being synced, for what can be
                prepared by then; before `then`, perhaps never, perhaps twice.
            then: Called in the event loop the moment it is on disk, a turn of the loop before
                this returns; perhaps never, where the caller has been cancelled.

        Raises:
            StorageError: SQLite failed; nothing of the job remains.
            Exception: Whatever the job raised; nothing of it remains either.
        """
        if self._closed:
            raise GenialError(Reason.HOST_CLOSING)
        future: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put(_Pending(job, future, then, meanwhile))
        return await future

    async def read(self, job: Job[T]) -> T:
        """Runs a reading job beside the writers; it sees all that `write` has returned from.

        Raises:
            StorageError: SQLite failed.
            Exception: Whatever the job raised.
        """
        if self._closed:
            raise GenialError(Reason.HOST_CLOSING)
        return await self._loop.run_in_executor(self._reader, self._read, job)

    async def close(self) -> None:
        """Finishes what is waiting and closes the file. Twice is once."""
        if self._closed:
            return
        self._closed = True
        self._jobs.put(None)
        await self._loop.run_in_executor(self._reader, self._close)
        self._reader.shutdown()
        self._lock.release()

    # --- in the threads ---

    def _close(self) -> None:
        self._writer.join()
        if self._reading is not None:
            self._reading.close()

    def _read(self, job: Job[T]) -> T:
        try:
            if self._reading is None:
                self._reading = _connect(self.path)
                self._reading.execute("PRAGMA query_only = ON")
            return job(self._reading)
        except sqlite3.Error as fault:
            log.error("reading %s failed: %s", self.path, fault)
            raise StorageError.of(fault) from fault

    def _write_jobs(self) -> None:
        writer = _Writer(self.path, self._while_syncing)
        closing = False
        while not closing:
            batch: list[_Pending] = []
            pending = self._jobs.get()
            while pending is not None:
                batch.append(pending)
                if len(batch) == _MOST_JOBS_AT_ONCE:
                    break
                try:
                    pending = self._jobs.get_nowait()
                except queue.Empty:
                    break
            closing = pending is None
            if batch:
                writer.commit(batch)
                # A loop that is gone has nobody left who waits.
                with contextlib.suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(_deliver, batch)
        writer.close()

    def _while_syncing(self, batch: list[_Pending]) -> None:
        """Has the loop prepare what it can; asked by the writing thread just before the sync."""
        waiting = [pending.meanwhile for pending in batch if pending.meanwhile is not None]
        if waiting:
            # A loop that is gone has nobody left who waits.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(_call_all, waiting)


async def undivided(work: Coroutine[Any, Any, T]) -> T:
    """Runs work that must not be torn apart, such as a write and what has to follow it.

    Whoever is cancelled meanwhile (a caller who hung up) is cancelled once it is done.

    Raises:
        Exception: Whatever the work raised.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return task.result()
    if not task.cancelled() and task.exception() is not None:
        log.info("nobody waits any more for what failed: %s", task.exception())
    raise cancelled


class _Writer:
    """The writing thread's connection; opened anew after a fault that broke it."""

    def __init__(
        self, path: Path, on_sync: Callable[[list[_Pending]], None] = lambda batch: None
    ) -> None:
        """Opens the file with the first batch; tells `on_sync` of each that is about to be synced.

        Args:
            path: The file.
            on_sync: Called when all that is left to do is the disk's.
        """
        self._path = path
        self._on_sync = on_sync
        self._connection: sqlite3.Connection | None = None

    def commit(self, batch: list[_Pending]) -> None:
        """Runs the jobs, in one transaction if that can be; results and faults go into them."""
        fault = self._transact(batch)
        if fault is None:
            return
        if len(batch) == 1:
            batch[0].fault = fault
            return
        # One of them failed, and took the others' transaction with it: each on its own.
        for pending in batch:
            pending.fault = self._transact([pending])

    def close(self) -> None:
        """Closes the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _transact(self, batch: list[_Pending]) -> Exception | None:
        """Runs jobs in one transaction; on a fault nothing of them remains."""
        try:
            if self._connection is None:
                self._connection = _connect(self._path)
                _lengthen_log(self._connection, self._path)
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            for pending in batch:
                pending.result = pending.job(connection)
            self._on_sync(batch)
            # Not `execute`: that would ask for Python's lock once more before the sync, and so
            # wait for whatever the event loop has just been asked for.
            connection.commit()
        except Exception as fault:
            self._roll_back()
            if not isinstance(fault, sqlite3.Error):
                return fault
            log.error("writing to %s failed: %s", self._path, fault)
            storage = StorageError.of(fault)
            storage.__cause__ = fault
            return storage
        return None

    def _roll_back(self) -> None:
        if self._connection is None:
            return
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error as fault:
            # Closing rolls back for sure.
            log.error("rolling back in %s failed: %s", self._path, fault)
            self.close()


def _call_all(waiting: list[Callable[[], None]]) -> None:
    for call in waiting:
        call()


def _deliver(batch: list[_Pending]) -> None:
    for pending in batch:
        if pending.future.done():
            continue
        if pending.fault is None and pending.then is not None:
            try:
                pending.then()
            except Exception as fault:
                # Whoever asked for it hears of it, and the others of the batch are not held up.
                pending.fault = fault
        if pending.fault is not None:
            pending.future.set_exception(pending.fault)
        else:
            pending.future.set_result(pending.result)


def _connect(path: Path) -> sqlite3.Connection:
    """A connection that begins no transaction by itself."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _lengthen_log(connection: sqlite3.Connection, path: Path) -> None:
    """Makes the write-ahead log as long as it will be, by a transaction that is taken back.

    What does not fit into the cache goes into the log before there is any commit, and the log
    keeps its length, while its content counts for nothing.
    """
    (pages,) = connection.execute("PRAGMA cache_size").fetchone()
    try:
        connection.execute("PRAGMA cache_size = 10")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("CREATE TABLE store_filling (body BLOB)")
        connection.execute("INSERT INTO store_filling VALUES (zeroblob(?))", (_LOG_BYTES,))
    except sqlite3.Error as fault:
        # Only the speed of commits hangs on it; a fault that matters comes up in the jobs.
        log.info("the log of %s could not be made longer beforehand: %s", path, fault)
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.execute(f"PRAGMA cache_size = {pages}")


def _prepare(path: Path, components: tuple[Component, ...]) -> FileLock:
    """Makes and migrates the file; returns the lock that keeps other hosts out."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as fault:
        raise StorageError(Reason.STORAGE_FAILED, fault=str(fault)) from fault
    lock = _lock(path)
    try:
        with contextlib.ExitStack() as last, contextlib.closing(_connect(path)) as connection:
            _check(connection, path)
            name_damage(connection, path, last)
            _migrate(connection, components)
    except sqlite3.Error as fault:
        lock.release()
        raise StorageError.of(fault) from fault
    except BaseException:
        lock.release()
        raise
    return lock


def is_damage(fault: sqlite3.Error) -> bool:
    """Whether a fault of SQLite's says that the file is not what was written."""
    code = getattr(fault, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Names damage in the file; it takes some seconds for a gigabyte.

    Nothing is refused for it: what cannot be read is found by whoever reads it, and the rest
    goes on.
    """
    try:
        rows = connection.execute(f"PRAGMA quick_check({_MOST_FINDINGS})").fetchall()
        findings = [finding for (finding,) in rows if finding != "ok"]
    except sqlite3.Error as fault:
        if not is_damage(fault):
            raise
        findings = [str(fault)]
    for finding in findings:
        log.error("%s is damaged: %s", path, " ".join(finding.split()))
    if findings:
        log.error(
            "what can be read of %s goes on; for the rest put a backup back with `genial restore`",
            path,
        )


def _lock(path: Path) -> FileLock:
    """What keeps other hosts out; it ends with the process, however that ends."""
    lock = FileLock(path.with_name(path.name + ".lock"), mode=0o600, thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout as fault:
        raise DatabaseBusyError(
            f"another host is using {path}; stop it, or give this one a directory of its own"
        ) from fault
    return lock


def _migrate(connection: sqlite3.Connection, components: tuple[Component, ...]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_versions"
        " (component TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT"
    )
    for component in components:
        row = connection.execute(
            "SELECT version FROM schema_versions WHERE component = ?", (component.name,)
        ).fetchone()
        found = row[0] if row else 0
        newest = len(component.migrations)
        if found > newest:
            raise NewerSchemaError(
                f"the data was written by a newer version ({component.name} schema {found},"
                f" this version knows {newest}); use that version, or another directory"
            )
        for statements in component.migrations[found:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(
            "INSERT INTO schema_versions VALUES (?, ?)"
            " ON CONFLICT (component) DO UPDATE SET version = excluded.version",
            (component.name, newest),
        )
    connection.execute("COMMIT")
