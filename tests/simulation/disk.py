"""The host's disk: it outlives the host, and the host may die at any write.

The jobs are the real ones, on a real SQLite database, committed by the store's real writer. Only
threads and time are missing: a commit happens at one moment of virtual time, and that is where the
host may die, before it or after it, or hear that the disk is full.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Callable
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock

from genial.services import facts, game
from genial.services.lobby.store import COMPONENT as LOBBY
from genial.services.store import Database, StorageError, database
from genial.wire.errors import GenialError, Reason

T = TypeVar("T")

_COMPONENTS = (facts.COMPONENT, game.COMPONENT, LOBBY)


@cache
def _blank() -> sqlite3.Connection:
    """A database with all tables and nothing in them, made once; to be copied, never changed."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    database._migrate(connection, _COMPONENTS)
    return connection


class Fate(StrEnum):
    """What becomes of one commit."""

    DONE = "done"
    DIES_BEFORE = "the host dies before it"
    DIES_AFTER = "the host dies after it"
    FULL = "the disk is full"
    SAID_TO_FAIL = "it is done and said to have failed"


class Disk:
    """What is on it stays, whoever dies.

    Attributes:
        commits: Transactions that were tried so far.
        fates: By number of the transaction (the first is 1), what becomes of it.
        full: Whether nothing can be written for now.
        on_death: Called when the host dies by a fate.
    """

    def __init__(self, source: random.Random) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.execute("PRAGMA foreign_keys = ON")
        _blank().backup(self.connection)
        self.source = source
        self.commits = 0
        self.fates: dict[int, Fate] = {}
        self.full = False
        self.on_death: Callable[[], None] = lambda: None
        self._awaited: dict[int, asyncio.Event] = {}
        self._known: dict[str, int] = {}
        self._known_at = -1

    async def until_commit(self, number: int, patience: float) -> None:
        """Returns at a commit by its number, or after so many seconds without."""
        awaited = self._awaited.setdefault(number, asyncio.Event())
        try:
            async with asyncio.timeout(patience):
                await awaited.wait()
        except TimeoutError:
            self._awaited.pop(number, None)

    def fate(self) -> Fate:
        """What becomes of the next commit."""
        self.commits += 1
        for number in [number for number in self._awaited if number <= self.commits]:
            self._awaited.pop(number).set()
        return self.fates.get(self.commits, Fate.FULL if self.full else Fate.DONE)

    def durable_revision(self, game_id: str) -> int:
        """The number of a game's last event that is on the disk; 0 for an unknown game."""
        # Everybody at the table asks for it after each commit.
        changes = self.connection.total_changes
        if changes != self._known_at:
            self._known.clear()
            self._known_at = changes
        known = self._known.get(game_id)
        if known is None:
            known = self._known[game_id] = self._last_revision(game_id)
        return known

    def _last_revision(self, game_id: str) -> int:
        (revision,) = self.connection.execute(
            "SELECT coalesce(max(n), 0) FROM game_events"
            " WHERE game = (SELECT game FROM game_setups WHERE game_id = ?)",
            (game_id,),
        ).fetchone()
        return int(revision)

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What stands on it."""
        return self.connection.execute(query, values).fetchall()

    def close(self) -> None:
        """It is not needed any more."""
        self.connection.close()


class SimulatedDatabase(Database):
    """The disk as one host process has it open."""

    def __init__(self, disk: Disk, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(Path(":memory:"), loop, FileLock("never acquired"))
        self._disk = disk
        self._alive = True
        self._committing = False
        self._waiting: list[database._Pending] = []
        self._committer = database._Writer(self.path)
        self._committer._connection = disk.connection

    def die(self) -> None:
        """The process is gone: it writes and hears nothing more."""
        self._alive = False

    async def write(
        self,
        job: Callable[[sqlite3.Connection], T],
        meanwhile: Callable[[], None] | None = None,
        then: Callable[[], None] | None = None,
    ) -> T:
        if self._closed:
            raise GenialError(Reason.HOST_CLOSING)
        future: asyncio.Future[T] = self._loop.create_future()
        self._waiting.append(database._Pending(job, future, then))
        if meanwhile is not None:
            meanwhile()
        self._commit_soon()
        return await future

    async def read(self, job: Callable[[sqlite3.Connection], T]) -> T:
        if self._closed:
            raise GenialError(Reason.HOST_CLOSING)
        await asyncio.sleep(self._disk.source.uniform(0.0001, 0.001))
        if not self._alive:
            # A dead process gets no answer; what waits for this one is cancelled.
            await self._loop.create_future()
        return job(self._disk.connection)

    async def close(self) -> None:
        self._closed = True
        while self._alive and (self._waiting or self._committing):  # noqa: ASYNC110
            await asyncio.sleep(0.001)

    def _commit_soon(self) -> None:
        if self._waiting and not self._committing:
            self._committing = True
            self._loop.call_later(self._disk.source.uniform(0, 0.0005), self._commit)

    def _commit(self) -> None:
        if not self._alive:
            return
        batch, self._waiting = self._waiting, []
        fate = self._disk.fate()
        if fate is Fate.DIES_BEFORE:
            self._disk.on_death()
            return
        if fate is Fate.FULL:
            for pending in batch:
                pending.fault = StorageError(Reason.STORAGE_FULL, fault="simulated")
        else:
            self._committer.commit(batch)
        if fate is Fate.DIES_AFTER:
            self._disk.on_death()
            return
        if fate is Fate.SAID_TO_FAIL:
            for pending in batch:
                pending.fault = StorageError(Reason.STORAGE_FAILED, fault="simulated")
        self._loop.call_later(self._disk.source.uniform(0.0001, 0.004), self._tell, batch)

    def _tell(self, batch: list[database._Pending]) -> None:
        if self._alive:
            self._committing = False
            database._deliver(batch)
            self._commit_soon()
