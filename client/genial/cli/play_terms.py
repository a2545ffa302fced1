"""What a client and the host beside it agree on; imports nothing of the host's."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Final

from genial.v1.game_pb2 import SeatKind
from genial.v1.table_pb2 import Table, TableState

STOP: Final = b"stop\n"
"""The line that ends the host."""

UNDER_WAY: Final = (TableState.TABLE_STATE_DEALING, TableState.TABLE_STATE_ACTIVE)


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


def others_play(tables: list[Table]) -> bool:
    """Whether a person is connected to a game under way (the own client has left)."""
    return any(
        seat.kind == SeatKind.SEAT_KIND_HUMAN and seat.connected
        for table in tables
        if table.state in UNDER_WAY
        for seat in table.seats
    )
