"""What goes into `update` and what comes out: messages in, effects out.

Messages besides the session's own `Update`:

    Key Pasted Mouse          what the player did
    Tick                      a moment that the screen waited for
    HostsSeen Listed SeatsHeld LevelsKnown   what the network shows
    GamesKnown RecordOpened   what was asked for
    Seated Unseated           a table was entered or left
    Answered Told Failed DoorShut   what came of an effect, or beside it, or what it waits for

Effects are what the application does: nothing here calls anybody.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar, dataclass_transform

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

_Kind = TypeVar("_Kind")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def _message(kind: type[_Kind]) -> type[_Kind]:
    """A frozen dataclass to the type checker, and an open one when it runs.

    Freezing doubles what a class takes, in memory and at every start, and these are fifty.
    """
    return dataclass(slots=True, unsafe_hash=True)(kind)


@_message
class Key:
    """A key: one character, or a word such as "left", "enter", "f2"."""

    name: str


@_message
class Pasted:
    """Text put in at once."""

    text: str


class Button(StrEnum):
    """What the mouse did."""

    MOVE = "move"
    DOWN = "down"
    WHEEL_UP = "wheel up"
    WHEEL_DOWN = "wheel down"


@_message
class Mouse:
    """The mouse at a column and row of the screen."""

    button: Button
    x: int
    y: int


@_message
class Resized:
    """The window has another size, in characters."""

    width: int
    height: int


@_message
class Tick:
    """The time, in seconds of a monotonic clock."""

    now: float


@_message
class HostsSeen:
    """The list of hosts and tables as it is now; `hosts` counts those that answer.

    `findings` are what may keep hosts from being found, looked at while there are none.
    """

    rows: tuple[TableRow, ...]
    hosts: int
    problem: str = ""
    findings: tuple[Finding, ...] = ()


@_message
class Listed:
    """A host that was asked for by its address; its rows come, or are there already."""

    host_id: str


@_message
class SeatsHeld:
    """Seats of ours in running games."""

    held: tuple[HeldSeat, ...]


@_message
class LevelsKnown:
    """The levels of bots that a host offers."""

    levels: tuple[str, ...]


@_message
class GamesKnown:
    """The games of the host that we are at, newest first."""

    games: tuple[GameSummary, ...]


@_message
class RecordOpened:
    """A record to be stepped through, and what came of judging it."""

    replay: Replay
    verdict: str


@_message
class Hinted:
    """The strongest placement, and what it is worth in words."""

    tile: Tile
    cells: tuple[Axial, Axial]
    worth: str


@_message
class Reviewed:
    """What each placement of the game gave away, in lines."""

    lines: tuple[str, ...]


@_message
class Seated:
    """We are at a table: with a seat, or watching (None)."""

    address: str
    table: Table | None
    seat: int | None
    invite: str = ""
    lesson: bool = False


@_message
class Unseated:
    """We are at no table any more; the sentence says why, if that needs saying."""

    sentence: str = ""


@_message
class DoorShut:
    """An effect was not carried out: something has to be typed first."""

    door: Door


@_message
class Answered:
    """An effect was carried out; milliseconds of the round trip, if there was one."""

    milliseconds: int | None = None


@_message
class Told:
    """Something that the player should know, in one sentence."""

    sentence: str


@_message
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
    | DoorShut
    | Answered
    | Told
    | Failed
    | Update
)


# --- effects ------------------------------------------------------------------------


@_message
class Place:
    """Place a tile; it is oriented, its first symbol goes on the first cell."""

    tile: Tile
    cells: tuple[Axial, Axial]


@_message
class Exchange:
    """Exchange the rack."""


@_message
class Refill:
    """Refill the rack."""


@_message
class ResignGame:
    """Give the game up."""


@_message
class ProposeEnd:
    """Propose, or agree, to end the game as it stands; or take that back."""

    agree: bool = True


@_message
class TakeBack:
    """Take our seat back from the bot that plays on for us."""


@_message
class SetReady:
    """Say that we are ready for the game, or not yet."""

    ready: bool


@_message
class StartGame:
    """Start now: bots take the free seats."""


@_message
class Rematch:
    """Ask for another game at this table."""


@_message
class Say:
    """Write to the table."""

    text: str


@_message
class SeatBot:
    """Seat a bot on a free seat; an empty level is the host's choice."""

    level: str = ""


@_message
class RemoveBot:
    """Send a bot away from its seat."""

    seat: int


@_message
class Kick:
    """Take somebody's seat away; the host lets only the table's creator do it."""

    seat: int


@_message
class LockSeats:
    """Let nobody else sit down, or everybody again."""

    locked: bool


@_message
class Shelve:
    """Put the table away for another evening; the host lets only the table's creator do it."""


@_message
class Resume:
    """Take a table that is put away out again."""


@_message
class PauseClocks:
    """Ask for paused clocks, or agree to that; False: no longer, or let them run again."""

    pause: bool


@_message
class Sit:
    """Take a seat at a table of a host (or go back to it).

    `table_name` is for sentences, `password` the table's.
    """

    address: str
    table_id: str
    name: str
    table_name: str = field(default="", compare=False)
    password: str = field(default="", repr=False)


@_message
class Watch:
    """Watch a table of a host."""

    address: str
    table_id: str


@_message
class Connect:
    """Ask a host at a typed address for its tables, and list them."""

    address: str


@_message
class GivePassword:
    """Keep a password for the host with this certificate; empty: only that it was compared."""

    certificate: str
    password: str = field(repr=False)


@_message
class AcceptCertificate:
    """Accept that certificate of a host's, by its fingerprint, in place of the remembered one."""

    host_id: str
    certificate: str


@_message
class AskLevels:
    """Ask a host which levels of bots it has."""

    address: str


@_message
class CreateTable:
    """Open a table at a host (no address: one that is started here) and sit down at it."""

    address: str
    name: str
    options: TableOptions
    bot_levels: tuple[str, ...]
    player: str
    ready: bool = True
    password: str = field(default="", repr=False)


@_message
class AskGames:
    """Ask the host that we are at for its games."""


@_message
class AskHint:
    """Have the strongest placement looked for, in a process of its own."""


@_message
class AskReview:
    """Have the finished game looked at again, in a process of its own."""


@_message
class OpenRecord:
    """Fetch the record of a finished game of the host that we are at."""

    game_id: str


@_message
class BeginLessons:
    """Sit down at the tutorial's table."""


@_message
class ShowLesson:
    """Lay out what a step of the tutorial begins with."""

    step: int


@_message
class LeaveTable:
    """Leave the table for good; mid-game that is resigning."""


@_message
class Detach:
    """Go away from the table as a lost line would (the seat stays ours), and perhaps why."""

    error: GenialError | None = None


@_message
class Keep:
    """Save the settings."""

    settings: Settings


@_message
class Ring:
    """Ring the terminal's bell."""


@_message
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
    | AcceptCertificate
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
