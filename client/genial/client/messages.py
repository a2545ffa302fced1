"""What goes into `update` and what comes out: messages in, effects out.

Messages besides the session's own `Update`:

    Key Pasted Mouse          what the player did
    Tick                      a moment that the screen waited for
    HostsSeen Listed SeatsHeld LevelsKnown   what the network shows
    GamesKnown RecordOpened   what was asked for
    Seated Unseated           a table was entered or left
    Answered Told Failed      what came of an effect, or beside it
    PasswordAsked             what it waits for

Effects are what the application does: nothing here calls anybody.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from genial.client.doctor.findings import Finding
from genial.client.errors import GenialError
from genial.client.model import Door, HeldSeat, TableRow
from genial.client.settings import Settings
from genial.client.updates import Update
from genial.engine.hexgrid import Axial
from genial.engine.tiles import Tile
from genial.v1.game_service_pb2 import GameSummary
from genial.v1.table_pb2 import Table, TableOptions

if TYPE_CHECKING:
    from genial.client.replay import Replay

# --- messages -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Key:
    """A key: one character, or a word such as "left", "enter", "f2"."""

    name: str


@dataclass(frozen=True, slots=True)
class Pasted:
    """Text put in at once."""

    text: str


class Button(StrEnum):
    """What the mouse did."""

    MOVE = "move"
    DOWN = "down"
    WHEEL_UP = "wheel up"
    WHEEL_DOWN = "wheel down"


@dataclass(frozen=True, slots=True)
class Mouse:
    """The mouse at a column and row of the screen."""

    button: Button
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Resized:
    """The window has another size, in characters."""

    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Tick:
    """The time, in seconds of a monotonic clock."""

    now: float


@dataclass(frozen=True, slots=True)
class HostsSeen:
    """The list of hosts and tables as it is now; `hosts` counts those that answer.

    `findings` are what may keep hosts from being found, looked at while there are none.
    """

    rows: tuple[TableRow, ...]
    hosts: int
    problem: str = ""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """A host that was asked for by its address; its rows come, or are there already."""

    host_id: str


@dataclass(frozen=True, slots=True)
class SeatsHeld:
    """Seats of ours in running games."""

    held: tuple[HeldSeat, ...]


@dataclass(frozen=True, slots=True)
class LevelsKnown:
    """The levels of bots that a host offers."""

    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GamesKnown:
    """The games of the host that we are at, newest first."""

    games: tuple[GameSummary, ...]


@dataclass(frozen=True, slots=True)
class RecordOpened:
    """A record to be stepped through, and what came of judging it."""

    replay: Replay
    verdict: str


@dataclass(frozen=True, slots=True)
class Hinted:
    """The strongest placement, and what it is worth in words."""

    tile: Tile
    cells: tuple[Axial, Axial]
    worth: str


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What each placement of the game gave away, in lines."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Seated:
    """We are at a table: with a seat, or watching (None)."""

    address: str
    table: Table | None
    seat: int | None
    invite: str = ""
    lesson: bool = False


@dataclass(frozen=True, slots=True)
class Unseated:
    """We are at no table any more; the sentence says why, if that needs saying."""

    sentence: str = ""


@dataclass(frozen=True, slots=True)
class PasswordAsked:
    """An effect was not carried out for want of a password."""

    door: Door


@dataclass(frozen=True, slots=True)
class Answered:
    """An effect was carried out; milliseconds of the round trip, if there was one."""

    milliseconds: int | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """Something that the player should know, in one sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Failed:
    """An effect was not carried out; the sentence says why and what to do."""

    sentence: str


Message = (
    Key
    | Pasted
    | Mouse
    | Resized
    | Tick
    | HostsSeen
    | Listed
    | SeatsHeld
    | LevelsKnown
    | GamesKnown
    | RecordOpened
    | Hinted
    | Reviewed
    | Seated
    | Unseated
    | PasswordAsked
    | Answered
    | Told
    | Failed
    | Update
)


# --- effects ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """Place a tile; it is oriented, its first symbol goes on the first cell."""

    tile: Tile
    cells: tuple[Axial, Axial]


@dataclass(frozen=True, slots=True)
class Exchange:
    """Exchange the rack."""


@dataclass(frozen=True, slots=True)
class Refill:
    """Refill the rack."""


@dataclass(frozen=True, slots=True)
class ResignGame:
    """Give the game up."""


@dataclass(frozen=True, slots=True)
class ProposeEnd:
    """Propose, or agree, to end the game as it stands; or take that back."""

    agree: bool = True


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take our seat back from the bot that plays on for us."""


@dataclass(frozen=True, slots=True)
class SetReady:
    """Say that we are ready for the game, or not yet."""

    ready: bool


@dataclass(frozen=True, slots=True)
class StartGame:
    """Start now: bots take the free seats."""


@dataclass(frozen=True, slots=True)
class Rematch:
    """Ask for another game at this table."""


@dataclass(frozen=True, slots=True)
class Say:
    """Write to the table."""

    text: str


@dataclass(frozen=True, slots=True)
class SeatBot:
    """Seat a bot on a free seat; an empty level is the host's choice."""

    level: str = ""


@dataclass(frozen=True, slots=True)
class RemoveBot:
    """Send a bot away from its seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class Kick:
    """Take somebody's seat away; the host lets only the table's creator do it."""

    seat: int


@dataclass(frozen=True, slots=True)
class LockSeats:
    """Let nobody else sit down, or everybody again."""

    locked: bool


@dataclass(frozen=True, slots=True)
class Shelve:
    """Put the table away for another evening; the host lets only the table's creator do it."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Take a table that is put away out again."""


@dataclass(frozen=True, slots=True)
class PauseClocks:
    """Ask for paused clocks, or agree to that; False: no longer, or let them run again."""

    pause: bool


@dataclass(frozen=True, slots=True)
class Sit:
    """Take a seat at a table of a host (or go back to it).

    `table_name` is for sentences, `password` the table's.
    """

    address: str
    table_id: str
    name: str
    table_name: str = field(default="", compare=False)
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Watch:
    """Watch a table of a host."""

    address: str
    table_id: str


@dataclass(frozen=True, slots=True)
class Connect:
    """Ask a host at a typed address for its tables, and list them."""

    address: str


@dataclass(frozen=True, slots=True)
class GivePassword:
    """Keep a password for the host with this certificate; empty: only that it was compared."""

    certificate: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class AskLevels:
    """Ask a host which levels of bots it has."""

    address: str


@dataclass(frozen=True, slots=True)
class CreateTable:
    """Open a table at a host (no address: one that is started here) and sit down at it."""

    address: str
    name: str
    options: TableOptions
    bot_levels: tuple[str, ...]
    player: str
    ready: bool = True
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class AskGames:
    """Ask the host that we are at for its games."""


@dataclass(frozen=True, slots=True)
class AskHint:
    """Have the strongest placement looked for, in a process of its own."""


@dataclass(frozen=True, slots=True)
class AskReview:
    """Have the finished game looked at again, in a process of its own."""


@dataclass(frozen=True, slots=True)
class OpenRecord:
    """Fetch the record of a finished game of the host that we are at."""

    game_id: str


@dataclass(frozen=True, slots=True)
class BeginLessons:
    """Sit down at the tutorial's table."""


@dataclass(frozen=True, slots=True)
class ShowLesson:
    """Lay out what a step of the tutorial begins with."""

    step: int


@dataclass(frozen=True, slots=True)
class LeaveTable:
    """Leave the table for good; mid-game that is resigning."""


@dataclass(frozen=True, slots=True)
class Detach:
    """Go away from the table as a lost line would (the seat stays ours), and perhaps why."""

    error: GenialError | None = None


@dataclass(frozen=True, slots=True)
class Keep:
    """Save the settings."""

    settings: Settings


@dataclass(frozen=True, slots=True)
class Ring:
    """Ring the terminal's bell."""


@dataclass(frozen=True, slots=True)
class Quit:
    """End the application."""


Effect = (
    Place
    | Exchange
    | Refill
    | ResignGame
    | ProposeEnd
    | TakeBack
    | SetReady
    | StartGame
    | Rematch
    | Say
    | SeatBot
    | RemoveBot
    | Kick
    | LockSeats
    | Shelve
    | Resume
    | PauseClocks
    | Sit
    | Watch
    | Connect
    | GivePassword
    | AskLevels
    | AskGames
    | OpenRecord
    | AskHint
    | AskReview
    | BeginLessons
    | ShowLesson
    | CreateTable
    | LeaveTable
    | Detach
    | Keep
    | Ring
    | Quit
)
