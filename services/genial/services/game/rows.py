"""A game's rows in SQLite, read back and checked: nothing begins from what was not written so."""

from __future__ import annotations

import json
import logging
import sqlite3
import zlib
from collections.abc import Sequence
from typing import Any, Final, overload

from genial.services.game.log import (
    Asked,
    ClockState,
    DamagedLogError,
    Entry,
    Holder,
    Snapshot,
    StoredGame,
    StoredSetup,
)
from genial.services.game.snapshot import chain
from genial.services.store import is_damage

log = logging.getLogger(__name__)

_END_OF_TIME_MS: Final = 253_402_300_799_999
"""The last moment of the year 9999, beyond which nobody can write a date."""


def checksum(n: int, at_ms: int, body: bytes) -> int:
    """A row's CRC-32 over event number (0 for the set-up), time and body.

    SQLite keeps none of its own, and a changed byte may well make another legal move.
    """
    return zlib.crc32(body, zlib.crc32(b"%d %d" % (n, at_ms)))


def clock_text(state: ClockState) -> str:
    """Clocks as their column has them."""
    return json.dumps([state.paused, *state.left])


def read_entries(connection: sqlite3.Connection, key: int, after_revision: int) -> list[Entry]:
    """The events of a game after one of them.

    Raises:
        DamagedLogError: One is not what was written.
    """
    rows = connection.execute(
        "SELECT n, at, body, checksum FROM game_events WHERE game = ? AND n > ? ORDER BY n",
        (key, after_revision),
    )
    return [_entry(*row) for row in rows]


def try_to_load(connection: sqlite3.Connection, key: int) -> StoredGame | DamagedLogError:
    """A game, or what is wrong with it."""
    try:
        return load(connection, key)
    except DamagedLogError as fault:
        return fault


def load(connection: sqlite3.Connection, key: int) -> StoredGame:
    """All of one game.

    Raises:
        DamagedLogError: Something in it is not what was written.
    """
    try:
        return _load(connection, key, _WITH_SNAPSHOT)
    except sqlite3.Error as fault:
        if not is_damage(fault):
            raise
    try:
        # Perhaps it was only the packed state, which nobody needs.
        return _load(connection, key, _WITHOUT_SNAPSHOT)
    except sqlite3.Error as fault:
        if not is_damage(fault):
            raise
        raise DamagedLogError(f"the file cannot be read where it stands: {fault}") from fault


def running(connection: sqlite3.Connection) -> dict[str, int]:
    """The keys of all running games by their ids, oldest first.

    What of a damaged file cannot be read is left out and named in the log.
    """
    query = "SELECT game_id, game FROM game_setups WHERE ended_at IS NULL"
    try:
        return dict(connection.execute(f"{query} ORDER BY game").fetchall())
    except sqlite3.Error as fault:
        if not is_damage(fault):
            raise
    found: dict[str, int] = {}
    for (key,) in connection.execute("SELECT DISTINCT game FROM game_events ORDER BY game"):
        try:
            found.update(connection.execute(f"{query} AND game = ?", (key,)).fetchall())
        except sqlite3.Error as fault:
            if not is_damage(fault):
                raise
            log.error("game number %d cannot be read: %s", key, fault)
    return found


def _load(connection: sqlite3.Connection, key: int, one_of_each: str) -> StoredGame:
    *row, setup_checksum, frozen, clock_n, clock, packed_n, linked, packed, packed_checksum = (
        connection.execute(one_of_each, (key,)).fetchone()
    )
    setup = StoredSetup(*row)
    if checksum(0, setup.started_at_ms, setup.body) != setup_checksum:
        raise DamagedLogError("the set-up is not what was written")
    rows = connection.execute(
        "SELECT n, at, body, checksum, seat, request_id, since, clock"
        " FROM game_events WHERE game = ? ORDER BY n",
        (key,),
    ).fetchall()
    _check(rows, setup.started_at_ms)
    # A start goes through tens of thousands of them: one thing after the other for all.
    asked = [
        Asked(seat, request_id, since, n)
        for n, _, _, _, seat, request_id, since, _ in rows
        if request_id is not None
    ]
    asked += [
        Asked(seat, request_id, revision, revision)
        for seat, request_id, revision in connection.execute(
            "SELECT seat, request_id, revision FROM game_requests WHERE game = ?", (key,)
        )
    ]
    clocks = [None if row[7] is None else _clock(row[7]) for row in rows]
    if clock_n == len(clocks):
        latest_clock: ClockState | None = _clock(clock)
    else:
        # An event has come after the clocks that were stored on their own.
        latest_clock = clocks[-1] if clocks else None
    holders = connection.execute("SELECT seat, token_hash FROM game_holders WHERE game = ?", (key,))
    snapshot = None
    if packed is not None:
        links = setup_checksum, [row[3] for row in rows]
        snapshot = _snapshot(setup.game_id, packed_n, linked, packed, packed_checksum, links)
    return StoredGame(
        setup,
        _StoredEntries(rows),
        clocks,
        [Holder(*row) for row in holders],
        asked,
        latest_clock,
        bool(frozen),
        snapshot,
    )


_WITH_SNAPSHOT: Final = (
    "SELECT game_id, table_id, started_at, setup, s.checksum, frozen,"
    " c.n, clock, p.n, chain, p.body, p.checksum"
    " FROM game_setups AS s"
    " LEFT JOIN game_clocks AS c ON c.game = s.game"
    " LEFT JOIN game_snapshots AS p ON p.game = s.game"
    " WHERE s.game = ?"
)
"""Of what there is one row at most; in one query, since a thousand games come back at once."""

_WITHOUT_SNAPSHOT: Final = (
    "SELECT game_id, table_id, started_at, setup, s.checksum, frozen,"
    " c.n, clock, NULL, NULL, NULL, NULL"
    " FROM game_setups AS s"
    " LEFT JOIN game_clocks AS c ON c.game = s.game"
    " WHERE s.game = ?"
)


def store_snapshot(connection: sqlite3.Connection, key: int, snapshot: Snapshot) -> None:
    """Binds a state to the rows that led to it, as they stand in this very transaction."""
    (setup_checksum,) = connection.execute(
        "SELECT checksum FROM game_setups WHERE game = ?", (key,)
    ).fetchone()
    rows = connection.execute(
        "SELECT checksum FROM game_events WHERE game = ? AND n <= ? ORDER BY n",
        (key, snapshot.revision),
    )
    linked = chain(setup_checksum, [each for (each,) in rows])
    connection.execute(
        "INSERT OR REPLACE INTO game_snapshots VALUES (?, ?, ?, ?, ?)",
        (
            key,
            snapshot.revision,
            linked,
            snapshot.body,
            checksum(snapshot.revision, 0, linked + snapshot.body),
        ),
    )


def _snapshot(
    game_id: str,
    n: int,
    linked: bytes,
    body: bytes,
    written_checksum: int,
    links: tuple[int, Sequence[int]],
) -> Snapshot | None:
    """A stored state, if it is whole and follows from just these rows; else none."""
    setup_checksum, checksums = links
    if checksum(n, 0, linked + body) != written_checksum:
        fault = "it is not what was written"
    elif not 0 < n <= len(checksums):
        fault = f"the log ends at {len(checksums)}"
    elif chain(setup_checksum, checksums[:n]) != linked:
        fault = "it belongs to other events"
    else:
        return Snapshot(n, body)
    log.warning("game %s: its packed state at %d is left out: %s", game_id, n, fault)
    return None


class _StoredEntries(Sequence[Entry]):
    """Entries out of rows; after a start most of a thousand games' are never asked for."""

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        """How many there are."""
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Entry: ...

    @overload
    def __getitem__(self, place: slice) -> list[Entry]: ...

    def __getitem__(self, place: int | slice) -> Entry | list[Entry]:
        """One of them, or some."""
        if isinstance(place, slice):
            return [Entry(*row[:3]) for row in self._rows[place]]
        return Entry(*self._rows[place][:3])


def _check(rows: Sequence[tuple[Any, ...]], started_at_ms: int) -> None:
    """All events must be there, each as it was written, and none before the one before it.

    Raises:
        DamagedLogError: One is not.
    """
    last_at_ms = started_at_ms
    for number, (n, at_ms, body, written_checksum, _, _, _, _) in enumerate(rows, 1):
        if n != number:
            raise DamagedLogError(f"event {number} is missing")
        if checksum(n, at_ms, body) != written_checksum:
            raise _not_as_written(n)
        if not last_at_ms <= at_ms <= _END_OF_TIME_MS:
            raise DamagedLogError(f"event {n} happened at no possible time")
        last_at_ms = at_ms


def _clock(text: str) -> ClockState:
    try:
        paused, *left = json.loads(text)
    except (ValueError, TypeError) as fault:
        raise DamagedLogError(f"clocks that cannot be read: {fault}") from fault
    if not isinstance(paused, bool) or any(type(each) is not int for each in left):
        raise DamagedLogError("clocks that are none")
    return ClockState(tuple(left), paused)


def _entry(n: int, at_ms: int, body: bytes, written_checksum: int) -> Entry:
    if checksum(n, at_ms, body) != written_checksum:
        raise _not_as_written(n)
    return Entry(n, at_ms, body)


def _not_as_written(n: int) -> DamagedLogError:
    return DamagedLogError(f"event {n} is not what was written")
