"""Tables that are always open: as soon as the last seat is taken, another one stands ready."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from genial.services.lobby import match, seating, wording
from genial.services.lobby.lobby import Lobby
from genial.services.lobby.runtime import RunningTable
from genial.services.lobby.table import Options, Seat, Table, TableState
from genial.wire.errors import GenialError

log = logging.getLogger(__name__)

_PAUSE: Final = 0.2
_AGAIN: Final = 5.0
"""Seconds after which what could not be done is tried again."""
_MOST_OF_A_NAME: Final = 50
"""Tables of one standing name that are not closed: whoever fills them must not fill the host."""


@dataclass(frozen=True, slots=True)
class StandingTable:
    """How such a table is set up.

    Attributes:
        name: Also what tells one from another, over restarts.
        bot_levels: Of bots that sit there, from the last seat downwards.
        password: Empty: none.
    """

    name: str
    options: Options
    bot_levels: tuple[str, ...] = ()
    password: str = field(default="", repr=False)

    def make(self, lobby: Lobby) -> Table:
        """A fresh one."""
        now, players = lobby.now(), self.options.rules.players
        table = Table(
            table_id=lobby.chance.new_id(),
            name=wording.clean_table_name(self.name),
            options=self.options,
            seats=tuple(Seat(number) for number in range(players)),
            created_at=now,
            password_hash=wording.hash_password(self.password),
            used_at=now,
            standing=self.name,
        )
        for number, level in zip(reversed(range(players)), self.bot_levels, strict=False):
            table = seating.put_bot(table, number, level, now, lobby.chance)
        return table

    def fits(self, table: Table) -> bool:
        """Whether a table is as this would be made now."""
        if table.options != self.options or bool(self.password) != bool(table.password_hash):
            return False
        bots = sorted(seat.level for seat in table.seats if seat.hosted)
        # People may have sent bots away or asked for more.
        return bool(table.humans) or bots == sorted(self.bot_levels)


class StandingTables:
    """Keeps them open while `run` runs."""

    def __init__(self, lobby: Lobby, wanted: Sequence[StandingTable]) -> None:
        """`lobby` must be started."""
        self._lobby = lobby
        self._wanted = {table.name: table for table in wanted}
        self._changed = asyncio.Event()
        lobby.on_change(self._changed.set)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            self._changed.clear()
            try:
                await self.keep()
            except GenialError as error:
                log.error("the standing tables cannot be kept open: %s", error)
                await asyncio.sleep(_AGAIN)
                self._changed.set()
            await self._changed.wait()
            # Many changes come together, and nobody needs the next table within an instant.
            await asyncio.sleep(_PAUSE)

    async def keep(self) -> None:
        """Opens what is missing, closes what nobody uses and nobody wants any more.

        Raises:
            StorageError: The disk does not take it.
        """
        for running in self._lobby.tables:
            if self._is_stray(running.table):
                await running.change_locked(self._closed_if_stray)
        if self._lobby.settings.draining or self._lobby.closing is not None:
            return
        for setup in self._wanted.values():
            if not self._open_ones(setup):
                await self._open(setup)

    def _tables_of(self, name: str) -> list[RunningTable]:
        return [
            running
            for running in self._lobby.tables
            if running.table.standing == name and not running.table.is_closed
        ]

    def _open_ones(self, setup: StandingTable) -> list[RunningTable]:
        """Those where somebody can sit down."""
        return [
            running
            for running in self._tables_of(setup.name)
            if running.table.state is TableState.OPEN
            and running.table.open_seats
            and not running.table.seats_locked
            and setup.fits(running.table)
        ]

    def _is_stray(self, table: Table) -> bool:
        """Whether a standing table is empty, and of an older configuration or one too many."""
        if not table.standing or table.is_closed or table.humans:
            return False
        if table.state is not TableState.OPEN:
            return False
        setup = self._wanted.get(table.standing)
        if setup is None or not setup.fits(table):
            return True
        first = self._open_ones(setup)[:1]
        return bool(first) and first[0].table.table_id != table.table_id

    def _closed_if_stray(self, table: Table) -> Table:
        if not self._is_stray(table):
            return table
        return match.close(table, TableState.FINISHED, self._lobby.now())

    async def _open(self, setup: StandingTable) -> None:
        lobby = self._lobby
        async with lobby.creating:
            full = lobby.live_tables >= lobby.settings.most_tables
            if full or len(self._tables_of(setup.name)) >= _MOST_OF_A_NAME:
                return
            table = setup.make(lobby)
            await lobby.store.save(table)
            lobby.add(table)
        log.info("the standing table %s is open: %s", table.name, table.table_id)
