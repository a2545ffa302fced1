"""What a host knows of itself for good: its id, and the secret of its bots' tokens."""

from __future__ import annotations

import secrets
import sqlite3
import uuid
from dataclasses import dataclass, field
from typing import Final

from genial.services.store import Component, Database

COMPONENT: Final = Component(
    "host",
    [
        (
            """CREATE TABLE host_facts (
                 name TEXT PRIMARY KEY,
                 value BLOB NOT NULL
               ) STRICT""",
        )
    ],
)


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What stays the same for as long as the data directory lives.

    Attributes:
        host_id: A UUID in hex, without dashes.
        bot_secret: 32 bytes that the tokens of the host's bots derive from.
    """

    host_id: str
    bot_secret: bytes = field(repr=False)


async def are_kept(database: Database) -> bool:
    """Whether a host has used this file before.

    Raises:
        StorageError: It cannot be read.
    """

    def job(connection: sqlite3.Connection) -> bool:
        found = connection.execute("SELECT 1 FROM host_facts WHERE name = 'host_id'").fetchone()
        return found is not None

    return await database.read(job)


async def load_or_make(database: Database) -> HostFacts:
    """The host's facts; at the first start they are made up and kept.

    Raises:
        StorageError: They can be neither read nor kept.
    """

    def job(connection: sqlite3.Connection) -> HostFacts:
        def fact(name: str, fresh: bytes) -> bytes:
            connection.execute("INSERT OR IGNORE INTO host_facts VALUES (?, ?)", (name, fresh))
            row = connection.execute("SELECT value FROM host_facts WHERE name = ?", (name,))
            return bytes(row.fetchone()[0])

        return HostFacts(
            fact("host_id", uuid.uuid4().hex.encode()).decode(),
            fact("bot_secret", secrets.token_bytes(32)),
        )

    return await database.write(job)
