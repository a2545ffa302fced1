"""The game log in SQLite, and what lists and statistics read from it."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from genial.services.game.log import (
    Batch,
    ClockState,
    DamagedLogError,
    Entry,
    LogConflictError,
    Snapshot,
    StoredGame,
    StoredSetup,
)
from genial.services.game.rows import (
    checksum,
    clock_text,
    load,
    read_entries,
    running,
    store_snapshot,
    try_to_load,
)
from genial.services.store import Component, Database

log = logging.getLogger(__name__)

COMPONENT: Final = Component(
    "game",
    (
        (
            "CREATE TABLE game_setups ("
            " game INTEGER PRIMARY KEY,"
            " game_id TEXT NOT NULL UNIQUE,"
            " table_id TEXT NOT NULL,"
            " started_at INTEGER NOT NULL,"
            " ended_at INTEGER,"
            " setup BLOB NOT NULL,"
            " checksum INTEGER NOT NULL,"
            " ended BLOB) STRICT",
            "CREATE INDEX game_setups_running ON game_setups (game) WHERE ended_at IS NULL",
            # A move is one row here and nothing else, so that it dirties one page. The
            # request that brought it, and the clocks after it, stand with the last event.
            "CREATE TABLE game_events ("
            " game INTEGER NOT NULL REFERENCES game_setups,"
            " n INTEGER NOT NULL,"
            " at INTEGER NOT NULL,"
            " body BLOB NOT NULL,"
            " checksum INTEGER NOT NULL,"
            " seat INTEGER,"
            " request_id TEXT,"
            " since INTEGER,"
            " clock TEXT,"
            " PRIMARY KEY (game, n)) STRICT, WITHOUT ROWID",
            # Requests that brought no event.
            "CREATE TABLE game_requests ("
            " game INTEGER NOT NULL REFERENCES game_setups,"
            " seat INTEGER NOT NULL,"
            " request_id TEXT NOT NULL,"
            " revision INTEGER NOT NULL,"
            " PRIMARY KEY (game, seat, request_id)) STRICT, WITHOUT ROWID",
            "CREATE TABLE game_holders ("
            " game INTEGER NOT NULL REFERENCES game_setups,"
            " seat INTEGER NOT NULL,"
            " token_hash BLOB NOT NULL,"
            " PRIMARY KEY (game, seat)) STRICT, WITHOUT ROWID",
            "CREATE TABLE game_clocks ("
            " game INTEGER PRIMARY KEY REFERENCES game_setups,"
            " n INTEGER NOT NULL,"
            " clock TEXT NOT NULL) STRICT",
            "CREATE TABLE game_results ("
            " game INTEGER NOT NULL REFERENCES game_setups,"
            " seat INTEGER NOT NULL,"
            " name TEXT NOT NULL,"
            " won_twelfths INTEGER NOT NULL,"
            " lowest INTEGER NOT NULL,"
            " PRIMARY KEY (game, seat)) STRICT, WITHOUT ROWID",
            "CREATE INDEX game_results_name ON game_results (name)",
        ),
        ("ALTER TABLE game_setups ADD COLUMN frozen INTEGER NOT NULL DEFAULT 0",),
        # A game's state after event `n`; `chain` says of just which events.
        (
            "CREATE TABLE game_snapshots ("
            " game INTEGER PRIMARY KEY REFERENCES game_setups,"
            " n INTEGER NOT NULL,"
            " chain BLOB NOT NULL,"
            " body BLOB NOT NULL,"
            " checksum INTEGER NOT NULL) STRICT",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A row of the list of games.

    Attributes:
        key: Rises with every game; the place of a page.
        setup: A serialised `CreateRoomRequest`.
        ended: A serialised `Ended`, None while the game runs.
    """

    key: int
    game_id: str
    started_at_ms: int
    ended_at_ms: int | None
    setup: bytes
    ended: bytes | None


@dataclass(frozen=True, slots=True)
class NameStatistics:
    """What all counted games say of one name."""

    name: str
    games: int
    won_twelfths: int
    best_lowest: int
    lowest_sum: int


class SqliteGameLog:
    """A `GameLog` in the host's database. The database must know `COMPONENT`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._keys: dict[str, int] = {}
        self._appended: dict[str, asyncio.Event] = {}

    # --- the log ---

    async def create(self, setup: StoredSetup, batch: Batch) -> None:
        """See `GameLog`."""

        def job(connection: sqlite3.Connection) -> int:
            cursor = connection.execute(
                "INSERT INTO game_setups (game_id, table_id, started_at, setup, checksum)"
                " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (
                    setup.game_id,
                    setup.table_id,
                    setup.started_at_ms,
                    setup.body,
                    checksum(0, setup.started_at_ms, setup.body),
                ),
            )
            if not cursor.rowcount:
                raise LogConflictError(f"there is a game {setup.game_id} already")
            key = cursor.lastrowid
            assert key is not None
            _insert(connection, key, batch)
            return key

        self._keys[setup.game_id] = await self._database.write(job)
        self._wake(setup.game_id)

    async def append(
        self,
        game_id: str,
        expected_revision: int,
        batch: Batch,
        meanwhile: Callable[[], None] | None = None,
        then: Callable[[], None] | None = None,
    ) -> None:
        """See `GameLog`."""
        key = await self._key(game_id)
        if key is None:
            raise LogConflictError(f"there is no game {game_id}")

        def job(connection: sqlite3.Connection) -> None:
            (last,) = connection.execute(
                "SELECT coalesce(max(n), 0) FROM game_events WHERE game = ?", (key,)
            ).fetchone()
            if last != expected_revision:
                raise LogConflictError(f"{game_id} is at {last}, not {expected_revision}")
            _insert(connection, key, batch)

        await self._database.write(job, meanwhile, then)
        if self._appended:
            self._wake(game_id)

    async def read(self, game_id: str, after_revision: int = 0) -> Sequence[Entry]:
        """See `GameLog`."""
        key = await self._key(game_id)
        if key is None:
            return []
        return await self._database.read(
            lambda connection: read_entries(connection, key, after_revision)
        )

    async def follow(self, game_id: str, after_revision: int = 0) -> AsyncGenerator[Entry, None]:
        """See `GameLog`."""
        while True:
            # The event stands before the reading, so that nothing falls between.
            appended = self._appended.setdefault(game_id, asyncio.Event())
            for entry in await self.read(game_id, after_revision):
                after_revision = entry.n
                yield entry
            await appended.wait()

    async def load(self, game_id: str) -> StoredGame | None:
        """See `GameLog`."""
        key = await self._key(game_id)
        if key is None:
            return None
        return await self._database.read(lambda connection: load(connection, key))

    async def running(self) -> Sequence[str]:
        """See `GameLog`."""
        keys = await self._database.read(running)
        self._keys.update(keys)
        return list(keys)

    async def load_many(
        self, game_ids: Sequence[str]
    ) -> Sequence[tuple[str, StoredGame | DamagedLogError]]:
        """See `GameLog`."""
        keys = {game_id: await self._key(game_id) for game_id in game_ids}

        def job(connection: sqlite3.Connection) -> list[tuple[str, StoredGame | DamagedLogError]]:
            return [
                (game_id, try_to_load(connection, key))
                for game_id, key in keys.items()
                if key is not None
            ]

        return await self._database.read(job)

    async def store_clocks(self, clocks: Sequence[tuple[str, int, ClockState]]) -> None:
        """See `GameLog`."""
        keyed = [(self._keys[game_id], n, state) for game_id, n, state in clocks]

        def job(connection: sqlite3.Connection) -> None:
            for key, n, state in keyed:
                _store_clock(connection, key, n, state)

        await self._database.write(job)

    # --- lists ---

    async def list_games(
        self, before: int | None, count: int, *, over: bool = False
    ) -> list[ListedGame]:
        """Games, the latest first.

        Args:
            before: Only those with a smaller key.
            count: At most so many.
            over: Only those that have ended.
        """

        def job(connection: sqlite3.Connection) -> list[ListedGame]:
            rows = connection.execute(
                "SELECT game, game_id, started_at, ended_at, setup, ended FROM game_setups"
                " WHERE (? IS NULL OR game < ?) AND (NOT ? OR ended_at IS NOT NULL)"
                " ORDER BY game DESC LIMIT ?",
                (before, before, over, count),
            )
            return [ListedGame(*row) for row in rows]

        return await self._database.read(job)

    async def statistics(self, after: str, count: int) -> tuple[int, list[NameStatistics]]:
        """How many games count, and what they say of each name after `after`, by name."""

        def job(connection: sqlite3.Connection) -> tuple[int, list[NameStatistics]]:
            (games,) = connection.execute(
                "SELECT count(DISTINCT game) FROM game_results"
            ).fetchone()
            rows = connection.execute(
                "SELECT name, count(*), sum(won_twelfths), max(lowest), sum(lowest)"
                " FROM game_results WHERE name > ? GROUP BY name ORDER BY name LIMIT ?",
                (after, count),
            )
            return games, [NameStatistics(*row) for row in rows]

        return await self._database.read(job)

    # --- within ---

    async def _key(self, game_id: str) -> int | None:
        key = self._keys.get(game_id)
        if key is None:
            key = await self._database.read(lambda connection: _find_key(connection, game_id))
            if key is not None:
                self._keys[game_id] = key
        return key

    def _wake(self, game_id: str) -> None:
        appended = self._appended.pop(game_id, None)
        if appended is not None:
            appended.set()


def _find_key(connection: sqlite3.Connection, game_id: str) -> int | None:
    row = connection.execute(
        "SELECT game FROM game_setups WHERE game_id = ?", (game_id,)
    ).fetchone()
    return None if row is None else int(row[0])


def _insert(connection: sqlite3.Connection, key: int, batch: Batch) -> None:
    asked, clock = batch.asked, batch.clock
    if batch.entries:
        *others, last = [_row(key, entry) for entry in batch.entries]
        if others:
            connection.executemany(
                "INSERT INTO game_events (game, n, at, body, checksum) VALUES (?, ?, ?, ?, ?)",
                others,
            )
        request = (None,) * 3 if asked is None else (asked.seat, asked.request_id, asked.since)
        connection.execute(
            "INSERT INTO game_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*last, *request, None if clock is None else clock_text(clock)),
        )
        if batch.packed is not None:
            store_snapshot(connection, key, Snapshot(batch.entries[-1].n, batch.packed))
    elif asked is not None:
        connection.execute(
            "INSERT INTO game_requests VALUES (?, ?, ?, ?)",
            (key, asked.seat, asked.request_id, asked.revision),
        )
        if clock is not None:
            _store_clock(connection, key, asked.revision, clock)
    if batch.holder is not None:
        connection.execute(
            "INSERT OR REPLACE INTO game_holders VALUES (?, ?, ?)",
            (key, batch.holder.seat, batch.holder.token_hash),
        )
    if batch.frozen is not None:
        connection.execute("UPDATE game_setups SET frozen = ? WHERE game = ?", (batch.frozen, key))
    if batch.ending is not None:
        ending = batch.ending
        connection.execute("DELETE FROM game_snapshots WHERE game = ?", (key,))
        connection.execute(
            "UPDATE game_setups SET ended_at = ?, ended = ? WHERE game = ?",
            (ending.at_ms, ending.body, key),
        )
        connection.executemany(
            "INSERT INTO game_results VALUES (?, ?, ?, ?, ?)",
            [
                (key, each.seat, each.name, each.won_twelfths, each.lowest)
                for each in ending.results
            ],
        )


def _store_clock(connection: sqlite3.Connection, key: int, n: int, state: ClockState) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO game_clocks VALUES (?, ?, ?)", (key, n, clock_text(state))
    )


def _row(key: int, entry: Entry) -> tuple[int, int, int, bytes, int]:
    return key, entry.n, entry.at_ms, entry.body, checksum(entry.n, entry.at_ms, entry.body)
