"""Players at real hosts that keep dying: real sessions over real sockets, and what they were told.

A move that was answered is written down here; in the end all of them must stand in the record.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from pathlib import Path

from genial.client.session import (
    Access,
    DealVerdict,
    DiskStore,
    GameChanged,
    GenialError,
    Session,
    SessionEnded,
    connect,
    join,
)
from genial.engine.board import axial_of
from genial.engine.hexgrid import Axial
from genial.engine.moves import Phase, Placed
from genial.engine.record import Record
from genial.engine.tiles import Tile
from genial.engine.view import PlayerView


@dataclass(frozen=True, slots=True)
class Granted:
    """A placement that the host has granted: the game's revision before it, and what it was."""

    since: int
    tile: Tile
    cells: tuple[Axial, Axial]


@dataclass
class Player:
    """Somebody with a session, who plays anything that is allowed.

    Attributes:
        granted: Placements whose answers have come.
        verdict: Of the game's deal, once it is over.
    """

    session: Session
    source: random.Random
    granted: list[Granted] = field(default_factory=list)
    verdict: DealVerdict | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    async def sit(
        cls, address: str, table_id: str, name: str, home: Path, source: random.Random
    ) -> Player:
        """Takes a seat, or goes back to the one that the files below `home` know."""
        link = await connect(
            address, store=DiskStore(home / "state", home / "data"), access=Access()
        )
        return cls(await join(link, table_id, name=name), source)

    async def play(self) -> None:
        """Until the game is over and its record was compared with what was seen."""
        reading = asyncio.create_task(self._read())
        try:
            await self.session.set_ready()
            while self.verdict is None:
                self._changed.clear()
                game = self.session.game
                if game is not None and game.view.is_my_turn:
                    await self._move(game.view)
                else:
                    await self._changed.wait()
                if reading.done():
                    reading.result()
                    raise AssertionError("the session has ended before the game")
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            await self.session.close()
            await self.session.link.close()

    async def _read(self) -> None:
        async for update in self.session.updates():
            if isinstance(update, DealVerdict):
                self.verdict = update
            elif isinstance(update, SessionEnded):
                break
            if isinstance(update, GameChanged | DealVerdict):
                self._changed.set()
        self._changed.set()

    async def _move(self, view: PlayerView) -> None:
        session = self.session
        try:
            if view.phase is Phase.CLOSE:
                await (session.exchange() if view.may_exchange else session.refill())
                return
            tile = self.source.choice(view.rack)
            one, other = self.source.choice(view.legal_pairs())
            cells = axial_of(one), axial_of(other)
            await session.place_tile(tile, cells)
        except GenialError:
            # The line is cut, or the move was applied and its answer lost: look again.
            await asyncio.sleep(0.05)
        else:
            self.granted.append(Granted(view.revision, tile, cells))

    def misses_nothing(self, record: Record) -> None:
        """Everything that was granted stands in the record, each once, where it was granted."""
        for each in self.granted:
            event = record.events[each.since].event
            assert isinstance(event, Placed)
            assert (event.seat, event.tile, event.cells) == (
                self.session.seat,
                each.tile,
                each.cells,
            )
