"""One running table: its lock, its watchers, what it asks of the room and of the bots."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from genial.services.lobby import passing
from genial.services.lobby.messages import ChatLine, table_to_message, with_viewer
from genial.services.lobby.store import CHAT_KEPT, Answer, LobbyStore
from genial.services.lobby.table import Chance, Progress, Table, TableState, Times
from genial.services.refusals import Refusals
from genial.services.store import StorageError, undivided
from genial.v1 import table_pb2
from genial.wire.metadata import is_overtaken

log = logging.getLogger(__name__)

Change = Callable[[Table], Table]


class Surroundings(Protocol):
    """What a running table needs of the lobby."""

    @property
    def store(self) -> LobbyStore:
        """Where tables are kept."""
        ...

    @property
    def chance(self) -> Chance:
        """Fresh secrets and ids."""
        ...

    @property
    def times(self) -> Times:
        """How long things may take."""
        ...

    @property
    def stand_in_level(self) -> str:
        """The level of bots that play on for people."""
        ...

    def now(self) -> int:
        """Milliseconds since 1970."""
        ...

    def changed(self, running: RunningTable) -> None:
        """The table is another one now: its list, timers and errands are to be looked at."""
        ...

    def moved_on(self) -> None:
        """A running game has moved on; lists show that in a while."""
        ...


@dataclass(eq=False, slots=True)
class Watcher:
    """One open WatchTable stream; it looks at the table whenever it is woken.

    Attributes:
        token_hash: Of the seat or the creator that watches; None for spectators.
        origin: The `WATCHER` entry of its metadata; empty for none.
        superseded: A newer stream of the same token took over.
    """

    token_hash: bytes | None
    origin: str = ""
    awake: asyncio.Event = field(default_factory=asyncio.Event)
    superseded: bool = False


class RunningTable:
    """A table in memory. Everything that changes it goes through `change`, one at a time."""

    def __init__(
        self, table: Table, surroundings: Surroundings, chat: tuple[ChatLine, ...] = ()
    ) -> None:
        self.table = table
        self.progress = Progress()
        self.chat: Final = deque(chat, maxlen=CHAT_KEPT)
        # In the order in which they came: a set would wake them in that of their addresses.
        self.watchers: Final[dict[Watcher, None]] = {}
        self.bots_asked: Final[dict[int, str]] = {}
        """Seats that the bots service was told to play, with the level."""
        self._present: Final[dict[bytes, Watcher]] = {}
        self._presence_due: Final[dict[bytes, None]] = {}
        self._surroundings = surroundings
        self._unsure = False
        self.lock: Final = asyncio.Lock()
        self.refusals: Final = Refusals()
        self._message: table_pb2.Table | None = None
        self._brief: table_pb2.Table | None = None

    async def change(
        self,
        change: Change,
        *,
        answer: Callable[[Table], Answer] | None = None,
        chat: ChatLine | None = None,
    ) -> Table:
        """Works out a new table, writes it to disk, then shows it. The lock must be held.

        Args:
            change: From the table as it is to the new one; may refuse by raising.
            answer: Makes what is remembered for a repeat, from the new table.
            chat: A message that is said with it.

        Returns:
            The new table.

        Raises:
            GenialError: The refusal, or StorageError; then nothing has changed (but see
                `be_sure`, which has to come first).
        """
        table = self._elapsed(change(self.table))
        remembered = None
        if table is not self.table or chat is not None:
            table = replace(table, version=self.table.version + 1)
        if answer is not None:
            remembered = answer(table)
        if table is self.table and remembered is None:
            return table
        await undivided(self._write_and_show(table, remembered, chat))
        return table

    async def _write_and_show(
        self, table: Table, answer: Answer | None, chat: ChatLine | None
    ) -> None:
        try:
            await self._surroundings.store.save(table, answer, chat)
        except StorageError:
            # It may be on the disk all the same; nothing is built on either before that is known.
            self._unsure = True
            raise
        if chat is not None:
            self.chat.append(chat)
        if table is not self.table:
            self._show(table)

    def _show(self, table: Table) -> None:
        if table.running_game_id != self.table.running_game_id:
            self.progress = Progress()
        self.table = table
        self._forget_messages()
        self.wake_watchers()
        self._surroundings.changed(self)

    async def be_sure(self) -> None:
        """After a write that failed: takes over what the disk says. The lock must be held.

        Raises:
            StorageError: The disk does not say anything.
        """
        if not self._unsure:
            return
        stored = await self._surroundings.store.load_one(self.table.table_id)
        self._unsure = False
        if stored is None or stored.table.version <= self.table.version:
            return
        log.warning("table %s: a write that failed is on the disk", self.table.table_id)
        self.chat.extend(line for line in stored.chat if line.number > self.last_chat)
        self._show(stored.table)

    def _elapsed(self, table: Table) -> Table:
        around = self._surroundings
        after = passing.elapse(
            table, around.now(), self.progress, around.chance, around.times, around.stand_in_level
        )
        return self.table if after == self.table else after

    async def change_locked(self, change: Change) -> Table:
        """`change` for callers that do not hold the lock."""
        async with self.lock:
            await self.be_sure()
            return await self.change(change)

    async def tick(self) -> None:
        """Lets time have its effect, if it has one, and does what could not be done before."""
        if self._presence_due:
            await self.note_presence()
        elif self._unsure or self._elapsed(self.table) is not self.table:
            await self.change_locked(lambda table: table)

    async def report(self, progress: Progress) -> None:
        """The room has said how far the running game is."""
        self.progress = progress
        self._forget_messages()
        self._surroundings.moved_on()
        await self.tick()

    # --- what watchers see ---

    @property
    def spectators(self) -> int:
        """How many look on without a seat; seats and the creator have streams as well."""
        return sum(watcher.token_hash is None for watcher in self.watchers)

    def message(self) -> table_pb2.Table:
        """The table as everybody sees it; not to be changed by the caller."""
        if self._message is None:
            self._message = table_to_message(self.table, self.progress, self.spectators)
        return self._message

    def message_for(self, token_hash: bytes | None) -> table_pb2.Table:
        """The table with the viewer's own seat."""
        return with_viewer(self.message(), self.table, token_hash)

    def brief_message(self) -> table_pb2.Table:
        """The table's row in lists; not to be changed by the caller."""
        if self._brief is None:
            self._brief = table_to_message(self.table, self.progress, self.spectators, brief=True)
        return self._brief

    def _forget_messages(self) -> None:
        self._message = self._brief = None

    def chat_after(self, number: int) -> Iterator[ChatLine]:
        """The messages of chat behind a number that are still kept."""
        return (line for line in self.chat if line.number > number)

    @property
    def last_chat(self) -> int:
        """The number of the newest message of chat."""
        return self.chat[-1].number if self.chat else 0

    def wake_watchers(self) -> None:
        """Every stream looks at the table again."""
        for watcher in self.watchers:
            watcher.awake.set()

    # --- presence ---

    def add_watcher(self, watcher: Watcher) -> None:
        """A stream begins; an older one of the same token ends."""
        if watcher.token_hash is not None:
            older = self._present.get(watcher.token_hash)
            if older is not None and is_overtaken(watcher.origin, older.origin):
                watcher.superseded = True
                return
            if older is not None:
                older.superseded = True
                older.awake.set()
            self._present[watcher.token_hash] = watcher
        self.watchers[watcher] = None
        self._forget_messages()

    def remove_watcher(self, watcher: Watcher) -> bool:
        """A stream has ended; returns whether its token is gone with it."""
        self.watchers.pop(watcher, None)
        self._forget_messages()
        token_hash = watcher.token_hash
        if token_hash is None or self._present.get(token_hash) is not watcher:
            return False
        del self._present[token_hash]
        return True

    def is_present(self, token_hash: bytes) -> bool:
        """Whether a token has a stream here."""
        return token_hash in self._present

    def presence_changed(self, token_hash: bytes) -> None:
        """A token's stream began or ended; `note_presence` is due."""
        self._presence_due[token_hash] = None

    async def note_presence(self) -> None:
        """Shows at the seats who has come and gone; what fails stays due for `tick`.

        Raises:
            StorageError: It could not be written down.
        """
        noted: list[bytes] = []

        def note(table: Table) -> Table:
            now = self._surroundings.now()
            noted.extend(self._presence_due)
            self._presence_due.clear()
            for token_hash in noted:
                change = passing.connect if self.is_present(token_hash) else passing.disconnect
                table = change(table, token_hash, now)
            return table

        try:
            await self.change_locked(note)
        except StorageError:
            self._presence_due.update(dict.fromkeys(noted))
            raise

    # --- bots ---

    def bots_wanted(self) -> dict[int, str]:
        """Seats that the host's bots are to play, with their levels."""
        if self.table.is_closed or self.table.state is TableState.SHELVED:
            return {}
        return {
            seat.number: seat.level if seat.stand_in is None else seat.stand_in.level
            for seat in self.table.seats
            if seat.wants_hosted_bot
        }

    def bots_missing(self) -> list[int]:
        """Wanted bots that are not connected."""
        wanted = self.bots_wanted()
        return [number for number in wanted if self.table.seats[number].player_away]
