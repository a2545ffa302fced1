"""What a client and the host beside it agree on; imports nothing of the host's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from genial.v1.game_pb2 import SeatKind
from genial.v1.table_pb2 import Table, TableState

STOP: Final = b"stop\n"
"""The line that ends the host."""

MOST_AT_ONCE: Final = 9
"""Hosts of one person's `genial play` on one machine, each with data of its own."""

_RUNNING: Final = "running.json"
"""Beside a host's data while it runs: how it is reached."""

UNDER_WAY: Final = (TableState.TABLE_STATE_DEALING, TableState.TABLE_STATE_ACTIVE)
CLOSED: Final = (TableState.TABLE_STATE_FINISHED, TableState.TABLE_STATE_ABANDONED)


@dataclass(frozen=True, slots=True)
class PlayHost:
    """What the player's client wants.

    Attributes:
        name: Of the host; empty: this machine's.
        port: None: the usual one, or a free one if that is busy.
        announce: Whether friends on the network can find it.
        plaintext: Whether it does without encryption.
        data: Where it keeps its games.
        log: The file to log to.
    """

    name: str
    port: int | None
    announce: bool
    plaintext: bool
    data: str
    log: str

    def to_argument(self) -> str:
        """For the process's command line."""
        return json.dumps(asdict(self))


@dataclass(frozen=True, slots=True)
class Ready:
    """A host that accepts calls, as its process tells it.

    Attributes:
        port: Where it listens on this machine.
        address: What friends type.
        fingerprint: Of its certificate; None: it does without encryption.
    """

    host_id: str
    port: int
    address: str
    fingerprint: str | None

    def to_text(self) -> str:
        """As one line."""
        return json.dumps(asdict(self))

    @classmethod
    def of_text(cls, text: str | bytes) -> Ready:
        """The host of a line.

        Raises:
            ValueError: It is none.
        """
        try:
            return cls(**json.loads(text))
        except TypeError as error:
            raise ValueError(str(error)) from error


def data_folders(first: Path) -> list[Path]:
    """Where the hosts of one person keep their games; each uses the first that is free."""
    others = (first.with_name(f"{first.name}-{n}") for n in range(2, MOST_AT_ONCE + 1))
    return [first, *others]


def note_running(data: Path, ready: Ready | None) -> None:
    """Notes how the host with these data is reached; None: it runs no more.

    Raises:
        OSError: It cannot be written.
    """
    if ready is None:
        (data / _RUNNING).unlink(missing_ok=True)
    else:
        (data / _RUNNING).write_text(ready.to_text(), encoding="utf-8")


def noted_running(first: Path) -> Iterator[Ready]:
    """The hosts that ran when they were last heard of; a killed one may stand here still."""
    for data in data_folders(first):
        try:
            yield Ready.of_text((data / _RUNNING).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue


def others_play(tables: list[Table]) -> bool:
    """Whether a person is connected to a game under way (the own client has left)."""
    return any(
        seat.kind == SeatKind.SEAT_KIND_HUMAN and seat.connected
        for table in tables
        if table.state in UNDER_WAY
        for seat in table.seats
    )


def owner_is_back(tables: list[Table]) -> bool:
    """Whether who opened a table has come back to it, by another client than the first."""
    return any(
        seat.creator and seat.kind == SeatKind.SEAT_KIND_HUMAN and seat.connected
        for table in tables
        if table.state not in CLOSED
        for seat in table.seats
    )
