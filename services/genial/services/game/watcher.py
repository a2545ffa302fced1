"""One watcher of a room: pulls the latest when it can take it, and delays nobody.

There is no queue to overflow. A room that publishes wakes its watchers; each then reads
the publication that stands at that moment, so a slow one skips what lies between and
still gets all events since its last message, or a gap where those are too many.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from genial.v1 import game_pb2, game_service_pb2

if TYPE_CHECKING:
    from genial.services.game.room import Room


class Watcher:
    """A stream of one viewer.

    Attributes:
        token_hash: Who watches, None for a spectator. The seat is looked up anew for each
            message, because a seat may change hands while its former holder watches.
        origin: The `WATCHER` entry of its metadata; empty for none.
    """

    __slots__ = ("_after", "_room", "_superseded", "_wake", "origin", "token_hash")

    def __init__(
        self, room: Room, token_hash: bytes | None, after_revision: int, origin: str
    ) -> None:
        self._room = room
        self._after = after_revision
        self._wake = asyncio.Event()
        self.token_hash = token_hash
        self.origin = origin
        self._superseded = False

    def wake(self) -> None:
        """There is something new to be told."""
        self._wake.set()

    def supersede(self) -> None:
        """The same token watches from a newer stream: this one is told, and ends."""
        self._superseded = True
        self._wake.set()

    async def updates(self) -> AsyncGenerator[bytes, None]:
        """Serialised `WatchGameResponse`s: the state now, then each change, until the end."""
        room = self._room
        version = -1
        while True:
            self._wake.clear()
            if self._superseded:
                yield game_service_pb2.WatchGameResponse(superseded=True).SerializeToString()
                return
            publication = room.current() if version < 0 else room.publication
            if publication.version != version:
                viewer = room.seat_watched_by(self)
                if viewer is None and self.token_hash is not None and room.spectators_forbidden:
                    # Their seat has gone to somebody else, and others may not look on.
                    self._superseded = True
                    continue
                version = publication.version
                update = publication.update(viewer, self._after)
                self._after = publication.revision
                yield update
            if publication.game.is_over:
                return
            if room.closing is not None:
                yield closing_message(room.closing)
                return
            await self._wake.wait()


def closing_message(closing: game_pb2.HostClosing) -> bytes:
    """The last message of a stream whose host is going."""
    return game_service_pb2.WatchGameResponse(closing=closing).SerializeToString()
