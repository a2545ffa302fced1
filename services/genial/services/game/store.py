"""The game log in SQLite, and what lists and statistics read from it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import zlib
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from genial.services.game.log import (
    Batch,
    ClockState,
    DamagedLogError,
    Entry,
    Holder,
    LogConflictError,
    StoredGame,
    StoredSetup,
)
from genial.services.store import Component, Database

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
            "CREATE TABLE game_events ("
            " game INTEGER NOT NULL REFERENCES game_setups,"
            " n INTEGER NOT NULL,"
            " at INTEGER NOT NULL,"
            " body BLOB NOT NULL,"
            " checksum INTEGER NOT NULL,"
            " PRIMARY KEY (game, n)) STRICT, WITHOUT ROWID",
            # With a rowid: an answer is larger than what fits into an index.
            "CREATE TABLE game_answers ("
            " game INTEGER NOT NULL REFERENCES game_setups,"
            " seat INTEGER NOT NULL,"
            " request_id TEXT NOT NULL,"
            " body BLOB NOT NULL,"
            " UNIQUE (game, seat, request_id)) STRICT",
            "CREATE TABLE game_holders ("
            " game INTEGER NOT NULL REFERENCES game_setups,"
            " seat INTEGER NOT NULL,"
            " token_hash BLOB NOT NULL,"
            " PRIMARY KEY (game, seat)) STRICT, WITHOUT ROWID",
            "CREATE TABLE game_clocks ("
            " game INTEGER PRIMARY KEY REFERENCES game_setups,"
            " left_ms TEXT NOT NULL,"
            " paused INTEGER NOT NULL) STRICT",
            "CREATE TABLE game_results ("
            " game INTEGER NOT NULL REFERENCES game_setups,"
            " seat INTEGER NOT NULL,"
            " name TEXT NOT NULL,"
            " won_twelfths INTEGER NOT NULL,"
            " lowest INTEGER NOT NULL,"
            " PRIMARY KEY (game, seat)) STRICT, WITHOUT ROWID",
            "CREATE INDEX game_results_name ON game_results (name)",
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
                    _checksum(0, setup.started_at_ms, setup.body),
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

    async def append(self, game_id: str, expected_revision: int, batch: Batch) -> None:
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

        await self._database.write(job)
        if self._appended:
            self._wake(game_id)

    async def read(self, game_id: str, after_revision: int = 0) -> Sequence[Entry]:
        """See `GameLog`."""
        key = await self._key(game_id)
        if key is None:
            return []
        return await self._database.read(
            lambda connection: _entries(connection, key, after_revision)
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
        return await self._database.read(lambda connection: _load(connection, game_id))

    async def running(self) -> Sequence[str]:
        """See `GameLog`."""

        def job(connection: sqlite3.Connection) -> list[str]:
            rows = connection.execute(
                "SELECT game_id FROM game_setups WHERE ended_at IS NULL ORDER BY game"
            )
            return [game_id for (game_id,) in rows]

        return await self._database.read(job)

    async def answer(self, game_id: str, seat: int, request_id: str) -> bytes | None:
        """See `GameLog`."""

        def job(connection: sqlite3.Connection) -> bytes | None:
            row = connection.execute(
                "SELECT body FROM game_answers JOIN game_setups USING (game)"
                " WHERE game_id = ? AND seat = ? AND request_id = ?",
                (game_id, seat, request_id),
            ).fetchone()
            return None if row is None else bytes(row[0])

        return await self._database.read(job)

    async def store_clocks(self, clocks: Sequence[tuple[str, ClockState]]) -> None:
        """See `GameLog`."""
        keyed = [(key, state) for game_id, state in clocks if (key := self._keys.get(game_id))]

        def job(connection: sqlite3.Connection) -> None:
            for key, state in keyed:
                _store_clock(connection, key, state)

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
    for entry in batch.entries:
        connection.execute(
            "INSERT INTO game_events VALUES (?, ?, ?, ?, ?)",
            (
                key,
                entry.n,
                entry.at_ms,
                entry.body,
                _checksum(entry.n, entry.at_ms, entry.body),
            ),
        )
    if batch.answer is not None:
        answer = batch.answer
        connection.execute(
            "INSERT INTO game_answers VALUES (?, ?, ?, ?)",
            (key, answer.seat, answer.request_id, answer.body),
        )
    if batch.holder is not None:
        connection.execute(
            "INSERT OR REPLACE INTO game_holders VALUES (?, ?, ?)",
            (key, batch.holder.seat, batch.holder.token_hash),
        )
    if batch.clock is not None:
        _store_clock(connection, key, batch.clock)
    if batch.ending is not None:
        ending = batch.ending
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


def _store_clock(connection: sqlite3.Connection, key: int, state: ClockState) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO game_clocks VALUES (?, ?, ?)",
        (key, json.dumps(state.left), state.paused),
    )


def _checksum(n: int, at_ms: int, body: bytes) -> int:
    """SQLite keeps none of its own, and a changed byte may well make another legal move."""
    return zlib.crc32(body, zlib.crc32(b"%d %d" % (n, at_ms)))


def _entries(connection: sqlite3.Connection, key: int, after_revision: int) -> list[Entry]:
    rows = connection.execute(
        "SELECT n, at, body, checksum FROM game_events WHERE game = ? AND n > ? ORDER BY n",
        (key, after_revision),
    )
    entries = []
    for n, at_ms, body, checksum in rows:
        if _checksum(n, at_ms, body) != checksum:
            raise DamagedLogError(f"event {n} is not what was written")
        entries.append(Entry(n, at_ms, body))
    return entries


def _load(connection: sqlite3.Connection, game_id: str) -> StoredGame | None:
    row = connection.execute(
        "SELECT game, game_id, table_id, started_at, setup, checksum"
        " FROM game_setups WHERE game_id = ?",
        (game_id,),
    ).fetchone()
    if row is None:
        return None
    key, checksum = row[0], row[-1]
    setup = StoredSetup(*row[1:-1])
    if _checksum(0, setup.started_at_ms, setup.body) != checksum:
        raise DamagedLogError("the set-up is not what was written")
    holders = connection.execute("SELECT seat, token_hash FROM game_holders WHERE game = ?", (key,))
    answered: Iterable[tuple[int, str]] = connection.execute(
        "SELECT seat, request_id FROM game_answers WHERE game = ?", (key,)
    )
    clock = connection.execute(
        "SELECT left_ms, paused FROM game_clocks WHERE game = ?", (key,)
    ).fetchone()
    return StoredGame(
        setup=setup,
        entries=_entries(connection, key, 0),
        holders=[Holder(*row) for row in holders],
        answered=frozenset(answered),
        clock=None if clock is None else ClockState(tuple(json.loads(clock[0])), bool(clock[1])),
    )
