"""Tables, chat and answers on disk."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from genial.services.lobby.codec import table_from_json, table_to_json
from genial.services.lobby.messages import ChatLine
from genial.services.lobby.table import Table
from genial.services.store import Component, Database

log = logging.getLogger(__name__)

CHAT_KEPT: Final = 200
"""Messages of chat per table that are given out to whoever comes later."""

COMPONENT: Final = Component(
    "lobby",
    [
        (
            """CREATE TABLE lobby_tables (
                 table_id TEXT PRIMARY KEY,
                 ended_at INTEGER,
                 content TEXT NOT NULL
               ) STRICT""",
            """CREATE TABLE lobby_chat (
                 table_id TEXT NOT NULL,
                 number INTEGER NOT NULL,
                 at INTEGER NOT NULL,
                 seat INTEGER,
                 name TEXT NOT NULL,
                 text TEXT NOT NULL,
                 PRIMARY KEY (table_id, number)
               ) STRICT, WITHOUT ROWID""",
            # A table's id, or nothing for what belongs to no table yet.
            """CREATE TABLE lobby_answers (
                 scope TEXT NOT NULL,
                 caller BLOB NOT NULL,
                 request_id TEXT NOT NULL,
                 method TEXT NOT NULL,
                 request BLOB NOT NULL,
                 response BLOB NOT NULL,
                 at INTEGER NOT NULL,
                 PRIMARY KEY (scope, caller, request_id)
               ) STRICT, WITHOUT ROWID""",
        )
    ],
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The first answer to a request, for when it is sent again.

    Attributes:
        scope: The table's id; empty for CreateTable.
        caller: The hash of the caller's token; empty without one.
        method: The rpc's name.
        request: SHA-256 of the request.
        response: The serialised response.
    """

    scope: str
    caller: bytes
    request_id: str
    method: str
    request: bytes
    response: bytes
    at: int


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table as it was left, with the chat that is still given out."""

    table: Table
    chat: tuple[ChatLine, ...]


class LobbyStore:
    """What the lobby keeps, in the host's database (component `COMPONENT`)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(
        self,
        table: Table,
        answer: Answer | None = None,
        chat: ChatLine | None = None,
    ) -> None:
        """Writes a change in one transaction; on return it is on disk.

        Raises:
            StorageError: It could not be written; nothing of it was.
        """
        content = table_to_json(table)

        def job(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO lobby_tables VALUES (?, ?, ?) ON CONFLICT (table_id)"
                " DO UPDATE SET ended_at = excluded.ended_at, content = excluded.content",
                (table.table_id, table.ended_at, content),
            )
            if answer is not None:
                _insert_answer(connection, answer)
            if chat is not None:
                _insert_chat(connection, table.table_id, chat)

        await self._database.write(job)

    async def answer_to(self, scope: str, caller: bytes, request_id: str) -> Answer | None:
        """The remembered answer to a request, if it was sent before."""

        def job(connection: sqlite3.Connection) -> Answer | None:
            row = connection.execute(
                "SELECT scope, caller, request_id, method, request, response, at"
                " FROM lobby_answers WHERE scope = ? AND caller = ? AND request_id = ?",
                (scope, caller, request_id),
            ).fetchone()
            return None if row is None else Answer(*row)

        return await self._database.read(job)

    async def forget_answers(self, table_ids: Sequence[str], created_before: int) -> None:
        """Drops the answers of closed tables, and those to CreateTable before a moment."""

        def job(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "DELETE FROM lobby_answers WHERE scope = ?", [(scope,) for scope in table_ids]
            )
            connection.execute(
                "DELETE FROM lobby_answers WHERE scope = '' AND at < ?", (created_before,)
            )

        await self._database.write(job)

    async def load_one(self, table_id: str) -> StoredTable | None:
        """One table as the disk has it, or None.

        Raises:
            StorageError: It cannot be read.
        """

        def job(connection: sqlite3.Connection) -> StoredTable | None:
            row = connection.execute(
                "SELECT content FROM lobby_tables WHERE table_id = ?", (table_id,)
            ).fetchone()
            if row is None:
                return None
            return StoredTable(table_from_json(row[0]), _load_chat(connection, table_id))

        return await self._database.read(job)

    async def load(self, ended_after: int) -> list[StoredTable]:
        """All tables that are not closed, or were closed after a moment (ms since 1970).

        A table that cannot be read is named in the log and left alone on the disk.
        """

        def job(connection: sqlite3.Connection) -> list[StoredTable]:
            rows = connection.execute(
                "SELECT table_id, content FROM lobby_tables WHERE ended_at IS NULL OR ended_at > ?",
                (ended_after,),
            ).fetchall()
            found = []
            for table_id, content in rows:
                try:
                    table = table_from_json(content)
                except ValueError as fault:
                    log.error("table %s is damaged on disk and stays closed: %s", table_id, fault)
                    continue
                found.append(StoredTable(table, _load_chat(connection, table_id)))
            return found

        return await self._database.read(job)


def _insert_answer(connection: sqlite3.Connection, answer: Answer) -> None:
    connection.execute(
        "INSERT INTO lobby_answers (scope, caller, request_id, method, request, response, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            answer.scope,
            answer.caller,
            answer.request_id,
            answer.method,
            answer.request,
            answer.response,
            answer.at,
        ),
    )


def _insert_chat(connection: sqlite3.Connection, table_id: str, line: ChatLine) -> None:
    connection.execute(
        "INSERT INTO lobby_chat VALUES (?, ?, ?, ?, ?, ?)",
        (table_id, line.number, line.at, line.seat, line.name, line.text),
    )
    connection.execute(
        "DELETE FROM lobby_chat WHERE table_id = ? AND number <= ?",
        (table_id, line.number - CHAT_KEPT),
    )


def _load_chat(connection: sqlite3.Connection, table_id: str) -> tuple[ChatLine, ...]:
    rows = connection.execute(
        "SELECT number, at, seat, name, text FROM lobby_chat WHERE table_id = ?"
        " ORDER BY number DESC LIMIT ?",
        (table_id, CHAT_KEPT),
    ).fetchall()
    return tuple(ChatLine(*row) for row in reversed(rows))
