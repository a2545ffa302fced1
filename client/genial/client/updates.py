"""What a session tells whoever plays through it, one dataclass for each kind.

Update
  TableChanged       the table as it is now
  ChatArrived        new chat messages
  GameChanged        the game as its viewer sees it now, and what has happened
  ConnectionChanged  connected, reconnecting, lost
  DealProgress       a step of the verifiable deal, done by the session itself
  DealVerdict        after the game: deal verified, or precisely what did not fit
  HostClosing        the host said good-bye
  SeatLost           the seat is no longer ours
  RefusedUpdate      the host refused something that the session did by itself
  SessionEnded       the last update of a session
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from genial.client.errors import GenialError
from genial.engine.view import PlayerView, SeenEvent
from genial.v1.game_pb2 import GameView
from genial.v1.table_pb2 import ChatMessage, Table


class Link(StrEnum):
    """The state of the line to the host."""

    CONNECTED = "connected"
    RECONNECTING = "reconnecting"


class DealStep(StrEnum):
    """Where a verifiable deal stands (rules, section 9)."""

    COMMITTED = "committed"
    HASH_SENT = "hash_sent"
    HASHES_SHOWN = "hashes_shown"
    NONCE_SENT = "nonce_sent"
    NONCES_CHECKED = "nonces_checked"
    VOID = "void"
    DISTRUSTED = "distrusted"


class Loss(StrEnum):
    """How a seat was lost."""

    SUPERSEDED = "superseded"
    KICKED = "kicked"


@dataclass(frozen=True, slots=True)
class TableChanged:
    """The table at its newest version, as the contract's message.

    Attributes:
        table: What the host shows; `table.viewer_seat` is the own seat.
        before: The table of the update before, None at first, for telling what changed.
    """

    table: Table
    before: Table | None


@dataclass(frozen=True, slots=True)
class ChatArrived:
    """New chat messages, in order.

    Attributes:
        messages: Each once; a reconnect repeats none.
        gap: Whether the host has dropped older ones that never came through.
    """

    messages: tuple[ChatMessage, ...]
    gap: bool


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """An event of the game, as its viewer may see it.

    Attributes:
        n: Its number in the record, from 1; the game's revision after it.
        event: What happened; tiles that others drew are only counted.
        at: The host's time, None where it gives none.
    """

    n: int
    event: SeenEvent
    at: datetime | None


@dataclass(frozen=True, slots=True)
class GameChanged:
    """The game at a new revision.

    Attributes:
        game_id: Which game; it changes with a rematch.
        revision: The n of the last event.
        view: Everything the viewer may know.
        events: What has happened since the update before, each event once, in order.
        gap: Whether events are missing before these; the view is whole all the same.
        message: The contract's message, for what the engine has no field for (clocks,
            number of the game in its match, hints).
    """

    game_id: str
    revision: int
    view: PlayerView
    events: tuple[NumberedEvent, ...]
    gap: bool
    message: GameView

    def clock_left(self, seat: int, passed: float) -> float | None:
        """Seconds on a seat's clock; None without clocks.

        Args:
            seat: Whose.
            passed: Seconds since this update came.
        """
        if not self.message.HasField("clock"):
            return None
        left = sum(
            each.clock_left.ToMilliseconds() for each in self.message.seats if each.seat == seat
        )
        running = self.view.turn == seat and not self.view.is_over
        if running and not self.message.clocks_paused:
            return max(0.0, left / 1000 - passed)
        return left / 1000


@dataclass(frozen=True, slots=True)
class ConnectionChanged:
    """The line to the host was lost, or is back.

    Attributes:
        link: How it stands now.
        sentence: What to tell a person; empty when all is well.
        since: `time.monotonic()` of the moment it came to stand so, in seconds.
    """

    link: Link
    sentence: str
    since: float


@dataclass(frozen=True, slots=True)
class DealProgress:
    """One step of a deal.

    Attributes:
        game_number: The game at this table, from 1.
        deal: Counts up with every void deal, from 1.
        step: What was done or seen.
        problem: For DISTRUSTED: what the host did that it must not do; else empty.
    """

    game_number: int
    deal: int
    step: DealStep
    problem: str


@dataclass(frozen=True, slots=True)
class DealVerdict:
    """What came of comparing the record with what the session saw.

    Attributes:
        game_id: The game.
        verified: Whether every draw follows from seed and nonces, and the record is
            what the session saw.
        problems: What did not fit, a sentence each; empty when verified.
        record_path: Where the record is kept, None if it is not.
        receipt_path: Where the receipt is kept, None if it is not.
    """

    game_id: str
    verified: bool
    problems: tuple[str, ...]
    record_path: Path | None
    receipt_path: Path | None


@dataclass(frozen=True, slots=True)
class HostClosing:
    """The host said good-bye; the session waits for it if it means to return."""

    returning: bool
    message: str


@dataclass(frozen=True, slots=True)
class SeatLost:
    """The seat is no longer ours; the session watches on only after a kick."""

    loss: Loss
    sentence: str


@dataclass(frozen=True, slots=True)
class RefusedUpdate:
    """The host refused something that no caller waits for, such as a step of the deal."""

    error: GenialError


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The last update.

    Attributes:
        error: Why, or None after `close` or at the end of the table's life.
    """

    error: GenialError | None


Update = (
    TableChanged
    | ChatArrived
    | GameChanged
    | ConnectionChanged
    | DealProgress
    | DealVerdict
    | HostClosing
    | SeatLost
    | RefusedUpdate
    | SessionEnded
)
