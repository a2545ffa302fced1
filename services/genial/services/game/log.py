"""The event log of games, as a small interface: append at an expected revision, read
from a revision, follow. What a game needs to go on stands in here and nowhere else.

SQLite (`store.py`) is the one that is built in; a clustered log would be another.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

TABLE: Final = -1
"""In place of a seat: the table itself commanded."""


class LogConflictError(Exception):
    """The log is not at the expected revision; nothing was appended."""


class DamagedLogError(Exception):
    """A game's log cannot be followed; the text says from where on."""


class Entry(NamedTuple):
    """One event of a game; a start makes tens of thousands of them.

    Attributes:
        n: Its number, from 1; the game's revision after it.
        at_ms: Host's UTC in milliseconds, never decreasing within a game.
        body: A serialised `GameEvent` that leaves nothing out.
    """

    n: int
    at_ms: int
    body: bytes


class Asked(NamedTuple):
    """Which request brought a batch, so that a repeat can be told from a new one.

    What was answered is not stored: it follows from the log up to the revision after it.

    Attributes:
        seat: Who asked; `TABLE` for the table.
        request_id: Names the request, for that seat.
        since: The revision before it.
        revision: The revision after it.
    """

    seat: int
    request_id: str
    since: int
    revision: int


@dataclass(frozen=True, slots=True)
class Holder:
    """A seat's new holder, by the SHA-256 of their token."""

    seat: int
    token_hash: bytes


@dataclass(frozen=True, slots=True)
class ClockState:
    """Milliseconds left for each seat, and whether the clocks are paused."""

    left: tuple[int, ...]
    paused: bool


@dataclass(frozen=True, slots=True)
class Result:
    """What a finished game says of one seat, for statistics.

    Attributes:
        name: Of who sat down there.
        won_twelfths: 12 for a win, 6, 4 or 3 for a shared one, else 0.
        lowest: The lowest counter in points.
    """

    seat: int
    name: str
    won_twelfths: int
    lowest: int


@dataclass(frozen=True, slots=True)
class Ending:
    """A game's end.

    Attributes:
        body: The serialised `Ended`.
        results: One for each seat; none if the game does not count.
    """

    at_ms: int
    body: bytes
    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """What one command brought; it is appended whole or not at all.

    Attributes:
        clock: The clocks after the last entry.
        frozen: Whether the game waits from now on; None changes nothing.
        packed: The state after the last entry, to be stored in place of an earlier one.
    """

    entries: Sequence[Entry] = ()
    asked: Asked | None = None
    holder: Holder | None = None
    clock: ClockState | None = None
    ending: Ending | None = None
    frozen: bool | None = None
    packed: bytes | None = None


@dataclass(frozen=True, slots=True)
class StoredSetup:
    """A game's set-up: a serialised `CreateRoomRequest`, and when it began."""

    game_id: str
    table_id: str
    started_at_ms: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A game's state after one of its events, packed (`snapshot`); a short cut, never the truth."""

    revision: int
    body: bytes


@dataclass(frozen=True, slots=True)
class StoredGame:
    """Everything that the log holds of a game.

    Attributes:
        entries: All of them from number 1 on, in their order and each as it was written.
        clocks: The clocks after each entry; None where none were stored.
        holders: Seats that have changed hands.
        asked: Every request that brought something.
        clock: The clocks as they stood last, which may be later than the last entry.
        frozen: Whether the game waits, its table put away.
        snapshot: A state that follows from the first of these very entries; None if there is none.
    """

    setup: StoredSetup
    entries: Sequence[Entry]
    clocks: Sequence[ClockState | None]
    holders: Sequence[Holder]
    asked: Sequence[Asked]
    clock: ClockState | None
    frozen: bool = False
    snapshot: Snapshot | None = None


class GameLog(Protocol):
    """A log of many games. What an awaited method has changed is durable.

    All raise `StorageError` when the storage fails; nothing has changed then.
    """

    async def create(self, setup: StoredSetup, batch: Batch) -> None:
        """Begins a game's log.

        Raises:
            LogConflictError: There is a game of this id.
        """
        ...

    async def append(
        self,
        game_id: str,
        expected_revision: int,
        batch: Batch,
        meanwhile: Callable[[], None] | None = None,
        then: Callable[[], None] | None = None,
    ) -> None:
        """Appends to a game's log.

        Args:
            game_id: Which game's.
            expected_revision: The number of its last event.
            batch: What to append.
            meanwhile: May be called in the event loop while the storage is at work:
                preparations, that nobody may hear of yet.
            then: May be called in the event loop once it is durable, before this returns.

        Raises:
            LogConflictError: The last event is not number `expected_revision`.
        """
        ...

    async def read(self, game_id: str, after_revision: int = 0) -> Sequence[Entry]:
        """The events after a revision, oldest first; none for an unknown game.

        Raises:
            DamagedLogError: One of them is not what was written.
        """
        ...

    def follow(self, game_id: str, after_revision: int = 0) -> AsyncGenerator[Entry, None]:
        """The events after a revision, then each new one as it comes; never ends by itself."""
        ...

    async def load(self, game_id: str) -> StoredGame | None:
        """All of one game, or None.

        Raises:
            DamagedLogError: Something in it is not what was written.
        """
        ...

    async def load_many(
        self, game_ids: Sequence[str]
    ) -> Sequence[tuple[str, StoredGame | DamagedLogError]]:
        """All of several games, in one go: each with its id, or what is wrong with it."""
        ...

    async def running(self) -> Sequence[str]:
        """The ids of the games that have not ended, oldest first."""
        ...

    async def store_clocks(self, clocks: Sequence[tuple[str, int, ClockState]]) -> None:
        """Keeps the clocks of several games as they stand, in one go.

        Args:
            clocks: Game, revision, and the clocks at a moment of that revision.
        """
        ...
