"""All tables of a host: kept, timed, listed, and brought back after a restart."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from genial.services.lobby import passing, wording
from genial.services.lobby.errands import BotErrands, RoomErrands
from genial.services.lobby.runtime import RunningTable
from genial.services.lobby.store import LobbyStore
from genial.services.lobby.table import Chance, Table, Times
from genial.services.peers import BotPort, RoomPort
from genial.v1 import game_pb2, lobby_service_pb2
from genial.wire.errors import GenialError, Reason

log = logging.getLogger(__name__)

_CLOSED_KEPT_MS: Final = 3_600_000
"""How long a finished table stays in the lists, and its answers are remembered."""
_BOTS_AGAIN_MS: Final = 5_000
"""After how long a bot that is not connected is asked for again."""
_LIST_PROGRESS: Final = 2.0
"""Seconds between two lists that differ in nothing but how far games have come."""
_LONGEST_LIST: Final = 200
_LONGEST_NAP: Final = 5.0
"""Seconds after which all tables are looked at, whatever the timers say."""


class RealChance:
    """Secrets and ids from the operating system, and the names that the host was given."""

    def __init__(self, bot_names: Sequence[str] = ()) -> None:
        """Without names, bots get some of our own."""
        self.bot_names: Final = tuple(bot_names) or wording.BOT_NAMES

    def secret(self) -> bytes:
        """32 fresh random bytes."""
        return secrets.token_bytes(32)

    def new_id(self) -> str:
        """A fresh UUID."""
        return str(uuid.uuid4())


def wall_clock() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class LobbySettings:
    """How a lobby behaves.

    Attributes:
        times: How long things may take at tables.
        most_tables: Tables that are not closed.
        most_watchers: Streams for each table.
        chat_per_minute: Messages of chat from one seat.
        stand_in_level: Of bots that play on for people.
        bot_names: What the host's bots are called; none: some names of our own.
        draining: No new tables.
    """

    times: Times = field(default_factory=Times)
    most_tables: int = 500
    most_watchers: int = 1000
    chat_per_minute: int = 30
    stand_in_level: str = passing.STAND_IN_LEVEL
    bot_names: tuple[str, ...] = ()
    draining: bool = False


@dataclass(eq=False, slots=True)
class ListWatcher:
    """One open WatchTables stream."""

    awake: asyncio.Event = field(default_factory=asyncio.Event)


class Lobby:
    """The tables of a host. `start` it once, `close` it at the end."""

    def __init__(
        self,
        store: LobbyStore,
        rooms: RoomPort,
        bots: BotPort | None,
        secret: str,
        settings: LobbySettings | None = None,
        *,
        chance: Chance | None = None,
        now: Callable[[], int] = wall_clock,
    ) -> None:
        """Ports and the secret between services; without `bots` no bot can be seated here."""
        self.settings: Final = settings or LobbySettings()
        self.store: Final = store
        self.secret: Final = secret
        self.chance: Final[Chance] = chance or RealChance(self.settings.bot_names)
        self.times: Final = self.settings.times
        self.stand_in_level: Final = self.settings.stand_in_level
        self.closing: game_pb2.HostClosing | None = None
        self.creating: Final = asyncio.Lock()
        self.list_watchers: Final[dict[ListWatcher, None]] = {}
        self._now = now
        self._tables: Final[dict[str, RunningTable]] = {}
        self._room_errands: Final = RoomErrands(rooms, self._tables, self.times, self.now)
        self._bot_errands: Final = BotErrands(bots, secret, self.chance) if bots else None
        self._tasks: Final[dict[asyncio.Task[None], None]] = {}
        self._busy: Final[set[tuple[str, str]]] = set()
        self._alarm: Final = asyncio.Event()
        self._bots_looked_at = 0
        self._list: lobby_service_pb2.WatchTablesResponse | None = None
        self._list_alarm: asyncio.TimerHandle | None = None
        self._on_change: Final[list[Callable[[], None]]] = []

    def now(self) -> int:
        """Milliseconds since 1970."""
        return self._now()

    # --- life ---

    async def start(self, *, timers: bool = True) -> None:
        """Reads all tables from disk and takes up what they wait for.

        Args:
            timers: False leaves the passing of time to calls of `tick`, for tests.

        Raises:
            StorageError: The database cannot be read.
        """
        now = self.now()
        for stored in await self.store.load(now - _CLOSED_KEPT_MS):
            table = passing.recover(stored.table, now, self.times)
            if table != stored.table:
                await self.store.save(table)
            self._tables[table.table_id] = RunningTable(table, self, stored.chat)
        for running in self._tables.values():
            self.changed(running)
        self._spawn(self._room_errands.follow(), "lobby: rooms")
        if timers:
            self._spawn(self._keep_time(), "lobby: time")

    def announce_closing(self, closing: game_pb2.HostClosing) -> None:
        """Tells every watcher that the host closes; their streams end with that message."""
        self.closing = closing
        for running in self._tables.values():
            running.wake_watchers()
        self._wake_lists()

    async def close(self) -> None:
        """Stops timers and errands; everything is on disk already."""
        if self._list_alarm is not None:
            self._list_alarm.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks[task] = None
        task.add_done_callback(self._task_done)

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        if not task.cancelled() and task.exception() is not None:
            log.error("%s failed", task.get_name(), exc_info=task.exception())

    # --- tables ---

    @property
    def tables(self) -> list[RunningTable]:
        """All tables, oldest first."""
        return sorted(
            self._tables.values(),
            key=lambda running: (running.table.created_at, running.table.table_id),
        )

    def table(self, table_id: str) -> RunningTable:
        """One table.

        Raises:
            GenialError: UNKNOWN_TABLE.
        """
        running = self._tables.get(table_id)
        if running is None:
            raise GenialError(Reason.UNKNOWN_TABLE, table=table_id)
        return running

    def has(self, table_id: str) -> bool:
        """Whether there is such a table."""
        return table_id in self._tables

    def add(self, table: Table) -> RunningTable:
        """Puts a new table up; it is on disk already."""
        running = RunningTable(table, self)
        self._tables[table.table_id] = running
        self.changed(running)
        return running

    @property
    def live_tables(self) -> int:
        """Tables that are not closed."""
        return sum(not running.table.is_closed for running in self._tables.values())

    @property
    def open_seats(self) -> int:
        """Seats that somebody could take, over all tables."""
        return sum(
            len(running.table.open_seats)
            for running in self._tables.values()
            if not running.table.seats_locked
        )

    # --- what follows a change ---

    def changed(self, running: RunningTable) -> None:
        """See Surroundings: lists, timers, orders and bots are seen to."""
        self._alarm.set()
        self._wake_lists()
        for tell in self._on_change:
            tell()
        if running.table.orders:
            self._errand("room", running, self._room_errands.carry_out)
        if self._bot_errands is not None and running.bots_wanted() != running.bots_asked:
            self._errand("bots", running, self._bot_errands.settle)

    def on_change(self, tell: Callable[[], None]) -> None:
        """Has `tell` called after every change of a table."""
        self._on_change.append(tell)

    def moved_on(self) -> None:
        """See Surroundings: lists are told at most every few seconds, whatever is played."""
        if self.list_watchers and self._list_alarm is None:
            loop = asyncio.get_running_loop()
            self._list_alarm = loop.call_later(_LIST_PROGRESS, self._wake_lists)

    def list_message(self) -> lobby_service_pb2.WatchTablesResponse:
        """The list that all who watch it share; not to be changed by the caller."""
        if self._list is None:
            newest = self.tables[-_LONGEST_LIST:]
            rows = [running.brief_message() for running in newest]
            self._list = lobby_service_pb2.WatchTablesResponse(tables=rows)
        return self._list

    def _wake_lists(self) -> None:
        self._list = None
        if self._list_alarm is not None:
            self._list_alarm.cancel()
            self._list_alarm = None
        for watcher in self.list_watchers:
            watcher.awake.set()

    def _errand(
        self,
        kind: str,
        running: RunningTable,
        work: Callable[[RunningTable], Coroutine[Any, Any, None]],
    ) -> None:
        """One errand of a kind at a time for each table; what comes up meanwhile follows it."""
        key = (kind, running.table.table_id)
        if key in self._busy or self.closing is not None:
            return
        self._busy.add(key)

        async def run() -> None:
            try:
                await work(running)
            finally:
                self._busy.discard(key)
            if kind == "bots" and running.bots_wanted() != running.bots_asked:
                self.changed(running)

        self._spawn(run(), f"lobby: {kind} of table {running.table.table_id}")

    async def bot_levels(self) -> list[str] | None:
        """The names of the bots' levels, or None when nobody can say."""
        if self._bot_errands is None:
            return []
        try:
            return await self._bot_errands.levels()
        except GenialError as error:
            log.warning("the bots service does not answer: %s", error)
            return None

    # --- presence ---

    def presence_changed(self, running: RunningTable, token_hash: bytes) -> None:
        """A token's stream began or ended; its seat shows that soon after."""
        if self.closing is not None:
            return

        running.presence_changed(token_hash)

        async def note() -> None:
            try:
                await running.note_presence()
            except GenialError as error:
                log.error("table %s: %s", running.table.table_id, error)

        self._spawn(note(), f"lobby: presence at table {running.table.table_id}")

    # --- time ---

    async def _keep_time(self) -> None:
        while True:
            self._alarm.clear()
            looked_at = self.now()
            await self.tick()
            with contextlib.suppress(TimeoutError):
                # Not wait_for: before Python 3.12 it swallows a cancellation that comes together
                # with what it waits for, and the host would never end.
                async with asyncio.timeout(self._nap(looked_at)):
                    await self._alarm.wait()

    def _nap(self, looked_at: int) -> float:
        """Seconds until something is due that was not yet due when the tables were looked at."""
        moments = (
            passing.next_wake(running.table, looked_at, self.times)
            for running in self._tables.values()
        )
        next_moment = min((moment for moment in moments if moment is not None), default=None)
        if next_moment is None:
            return _LONGEST_NAP
        return min(_LONGEST_NAP, max(0.0, (next_moment - self.now()) / 1000))

    async def tick(self) -> None:
        """Lets time have its effect on all tables; what fails is tried again next time."""
        now = self.now()
        for running in list(self._tables.values()):
            try:
                await running.tick()
            except GenialError as error:
                log.error("table %s: %s", running.table.table_id, error)
        await self._retire(now)
        if self._bot_errands is not None and now - self._bots_looked_at >= _BOTS_AGAIN_MS:
            self._bots_looked_at = now
            for running in self._tables.values():
                if running.bots_missing():
                    self._errand("bots", running, self._ask_again)

    async def _ask_again(self, running: RunningTable) -> None:
        if self._bot_errands is not None:
            await self._bot_errands.settle(running, again=True)

    async def _retire(self, now: int) -> None:
        """Closed tables leave the lists after a while, and their answers the disk."""
        old = [
            table_id
            for table_id, running in self._tables.items()
            if running.table.ended_at is not None
            and now - running.table.ended_at > _CLOSED_KEPT_MS
            and not running.watchers
        ]
        if not old:
            return
        for table_id in old:
            del self._tables[table_id]
        self._wake_lists()
        try:
            await self.store.forget_answers(old, now - _CLOSED_KEPT_MS)
        except GenialError as error:
            log.warning("answers of closed tables stay on disk: %s", error)
