"""What the screen knows, as one immutable value; `update` makes the next one.

Model
  settings, me, invite         who plays, and how
  screen                       BROWSE  ROOM  GAME  END
  browse                       hosts and tables on the network
  table, seat, chat            the table that we sit at or watch
  game, hand, log, race        the game, the tile in hand, what has happened
  line                         the connection
  overlay, entry, question     what lies over the screen or waits for text
  notice                       one sentence about the last key
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from genial.client.doctor.findings import Finding
from genial.client.form import TableForm
from genial.client.settings import Settings
from genial.client.updates import DealProgress, DealVerdict, GameChanged, Link
from genial.engine.board import Board
from genial.engine.hexgrid import CENTRE, DIRECTIONS, Axial
from genial.engine.moves import Phase, Placed
from genial.engine.refusal import Refused
from genial.engine.rules import Track
from genial.engine.tiles import Symbol, Tile
from genial.engine.view import PlayerView, SeenEvent
from genial.v1.game_service_pb2 import GameSummary
from genial.v1.table_pb2 import TABLE_STATE_SHELVED, ChatMessage, Table, TableSeat

if TYPE_CHECKING:
    from genial.client.messages import Connect, CreateTable, Sit, Watch
    from genial.client.replay import Replay


class Screen(StrEnum):
    """Which screen lies at the bottom."""

    BROWSE = "browse"
    ROOM = "room"
    GAME = "game"
    END = "end"
    REPLAY = "replay"


class Overlay(StrEnum):
    """What lies over a screen and takes the keys."""

    HELP = "help"
    LOG = "log"
    HISTORY = "history"
    REVIEW = "review"
    RULES = "rules"
    SETTINGS = "settings"
    NEW_TABLE = "new table"


class Purpose(StrEnum):
    """What a line of text is being typed for."""

    ADDRESS = "address"
    NAME = "name"
    CHAT = "chat"
    COMMAND = "command"
    PASSWORD = "password"
    FINGERPRINT = "fingerprint"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of text being typed; `cursor` counts characters from the left."""

    purpose: Purpose
    text: str = ""
    cursor: int = 0

    def insert(self, typed: str) -> Entry:
        """With `typed` put in at the cursor."""
        text = self.text[: self.cursor] + typed + self.text[self.cursor :]
        return Entry(self.purpose, text, self.cursor + len(typed))

    def delete(self, before: int, after: int = 0) -> Entry:
        """Without so many characters before and after the cursor."""
        start = max(0, self.cursor - before)
        return Entry(self.purpose, self.text[:start] + self.text[self.cursor + after :], start)

    def move(self, cursor: int) -> Entry:
        """With the cursor elsewhere, kept within the text."""
        return Entry(self.purpose, self.text, max(0, min(len(self.text), cursor)))


class Ask(StrEnum):
    """A question that wants yes or no."""

    LEAVE_GAME = "leave game"
    LEAVE_TABLE = "leave table"
    QUIT = "quit"
    RESIGN = "resign"
    EXCHANGE = "exchange"
    END_GAME = "end game"
    SHELVE = "put away"
    FINGERPRINT = "fingerprint"


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of the list of tables: a table, or a host that has none or is silent.

    `note` says why a host that answers cannot be played at; `locked`: it asks for a password;
    `changed`: it shows another certificate than the one that is remembered.
    """

    host_id: str
    host_name: str
    address: str
    table: Table | None
    reachable: bool = True
    silent_since: float | None = None
    note: str = ""
    locked: bool = False
    changed: bool = False


@dataclass(frozen=True, slots=True)
class HeldSeat:
    """A seat of ours that we can go back to: in a running game, or at a table put away.

    `seat` None: its number is unknown.
    """

    host_id: str
    address: str
    table_id: str
    table_name: str
    seat: int | None
    by_bot: bool
    name: str
    shelved: bool = False


class DoorKind(StrEnum):
    """Whose password is asked for; or whose certificate has to be accepted."""

    HOST = "host"
    TABLE = "table"
    NEW_TABLE = "new table"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Door:
    """Where something has to be typed before something goes on.

    Attributes:
        kind: What is asked for.
        name: Of the host or the table.
        then: What is done (again) with it.
        certificate: The host's fingerprint, 64 hex digits; empty without encryption.
        before: The one that is remembered in its place; empty: the same, or none.
        address: Where the host answers that has changed its certificate.
        host_id: Its id.
        fresh: Whether the fingerprint is to be compared by the person first.
        wrong: Why what was typed before did not do; empty: nothing was.
        given: Whether there is a password already that waits only for that comparison.
    """

    kind: DoorKind
    name: str
    then: Connect | Sit | Watch | CreateTable
    certificate: str = ""
    before: str = ""
    address: str = ""
    host_id: str = ""
    fresh: bool = False
    wrong: str = ""
    given: bool = False


@dataclass(frozen=True, slots=True)
class Browse:
    """The list of hosts and tables.

    Attributes:
        rows: In the order to be shown.
        hosts: How many hosts answer.
        selected: Index of the chosen row.
        since: When the search began, in seconds of `Model.now`.
        held: Seats to go back to.
        problem: Why searching does not work here, if it does not.
        wanted: Id of a host that was asked for, to be chosen as soon as it is listed.
        findings: What may keep hosts from being found, while there are none.
    """

    rows: tuple[TableRow, ...] = ()
    hosts: int = 0
    selected: int = 0
    since: float = 0.0
    held: tuple[HeldSeat, ...] = ()
    problem: str = ""
    wanted: str = ""
    findings: tuple[Finding, ...] = ()

    @property
    def chosen(self) -> TableRow | None:
        """The chosen row, None in an empty list."""
        return self.rows[self.selected] if self.selected < len(self.rows) else None


@dataclass(frozen=True, slots=True)
class Line:
    """The connection: how it stands, since when, what to say, round trip in ms."""

    link: Link = Link.CONNECTED
    since: float = 0.0
    sentence: str = ""
    round_trip: int | None = None


@dataclass(frozen=True, slots=True)
class Hand:
    """The rack as it is laid out, and the tile in hand.

    Tiles keep their slot for as long as they are on the rack; a new one takes the slot
    that became free.

    Attributes:
        slots: Tiles by slot, None where one was used.
        chosen: The slot of the tile in hand.
        anchor: The cell of its first symbol.
        direction: Index into DIRECTIONS: where the second lies from there.
        fixed: Put down, but not confirmed yet.
        best: The rank of the best spot shown last, 0 since the tile was moved.
    """

    slots: tuple[Tile | None, ...] = ()
    chosen: int | None = None
    anchor: Axial = CENTRE
    direction: int = 0
    fixed: bool = False
    best: int = 0

    @property
    def tile(self) -> Tile | None:
        """The tile in hand."""
        return self.slots[self.chosen] if self.chosen is not None else None

    @property
    def cells(self) -> tuple[Axial, Axial]:
        """Where the tile in hand lies: first symbol's cell, second's."""
        return self.anchor, self.anchor + DIRECTIONS[self.direction]


@dataclass(frozen=True, slots=True)
class Ghost:
    """The tile in hand on the board, and what it would earn.

    Attributes:
        refusal: Why it cannot lie there, None if it can.
        points: Per symbol, after the stops.
        scoring: The cells in whose line it scores.
    """

    tile: Tile
    cells: tuple[Axial, Axial]
    refusal: Refused | None
    points: Track
    scoring: frozenset[Axial]


@dataclass(frozen=True, slots=True)
class Play:
    """An event of the game in the log; `calls` counts stops reached ("Genial!")."""

    n: int
    event: SeenEvent
    name: str
    at: datetime | None = None
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Remark:
    """What the table itself has to say, in the stream of log and chat."""

    text: str


Logged = Play | ChatMessage | Remark


@dataclass(frozen=True, slots=True)
class Celebration:
    """A call to be shown: who filled which counters, and until when."""

    name: str
    own: bool
    symbols: tuple[Symbol, ...]
    until: float


@dataclass(frozen=True, slots=True)
class Flash:
    """Cells that stand out for a moment: somebody else has just placed there."""

    cells: tuple[Axial, ...]
    until: float


@dataclass(frozen=True, slots=True)
class Reel:
    """A record being stepped through.

    Attributes:
        replay: All its positions.
        at: The place that is shown.
        due: When it steps on by itself (`Model.now` seconds), None while it stands.
        verdict: What came of judging the record, in a sentence.
    """

    replay: Replay
    at: int
    due: float | None = None
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that the screen knows.

    Attributes:
        invite: What a friend types to join, without `genial join`; empty if unknown.
        can_host: Whether a host can be started on this laptop for new tables.
        seat: Our seat, None while watching or nowhere.
        log: Plays and chat as one stream, oldest first.
        unread: Chat messages since the chat was last looked at.
        since_turn: Others' placements since our last turn.
        race: By seat, the weakest counter after each of its turns.
        verdict: What came of checking the shuffle.
        busy: While a command is on its way: no second one.
        scroll: First line shown of the overlay, or the chosen line of a form.
        form: The new table that is being described.
        levels: Levels of bots that the host offers.
        reel: The record on screen REPLAY.
        review: What each placement of the game gave away, in lines.
        lesson: The step of the tutorial, from 0; None outside of it.
        history: Games at this host, newest first; None: not asked yet.
        now: Seconds of a monotonic clock, of the last tick.
        heard: `now` when the game was last heard of, for clocks.
        heat: Whether the heat map is on.
        pending: What goes on once the name is typed: an `Action`; empty: nothing.
        door: What has to be typed before something goes on.
    """

    settings: Settings = field(default_factory=Settings)
    screen: Screen = Screen.BROWSE
    width: int = 80
    height: int = 24
    invite: str = ""
    quit_warning: str = ""
    can_host: bool = False
    browse: Browse = field(default_factory=Browse)
    line: Line = field(default_factory=Line)
    address: str = ""
    table: Table | None = None
    seat: int | None = None
    watching: bool = False
    game: GameChanged | None = None
    hand: Hand = field(default_factory=Hand)
    log: tuple[Logged, ...] = ()
    unread: int = 0
    since_turn: tuple[Placed, ...] = ()
    race: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    deal: DealProgress | None = None
    verdict: DealVerdict | None = None
    celebration: Celebration | None = None
    flash: Flash | None = None
    overlay: Overlay | None = None
    scroll: int = 0
    form: TableForm = field(default_factory=TableForm)
    levels: tuple[str, ...] = ("medium",)
    reel: Reel | None = None
    history: tuple[GameSummary, ...] | None = None
    lesson: int | None = None
    review: tuple[str, ...] = ()
    entry: Entry | None = None
    pending: str = ""
    question: Ask | None = None
    door: Door | None = None
    notice: str = ""
    busy: bool = False
    heat: bool = False
    show_board: bool = False
    now: float = 0.0
    heard: float = 0.0

    @property
    def view(self) -> PlayerView | None:
        """The game as we may see it."""
        return self.game.view if self.game is not None else None

    @property
    def board(self) -> Board | None:
        """The board of the game."""
        return self.game.view.board if self.game is not None else None

    @property
    def played_for(self) -> bool:
        """Whether a bot plays on for us, as when our clock has run out."""
        return self.own_seat is not None and self.own_seat.stand_in

    @property
    def shelved(self) -> bool:
        """Whether our table is put away."""
        return self.table is not None and self.table.state == TABLE_STATE_SHELVED

    @property
    def own_seat(self) -> TableSeat | None:
        """Our seat as the table shows it; None while watching or nowhere."""
        if self.table is None or self.seat is None or self.seat >= len(self.table.seats):
            return None
        return self.table.seats[self.seat]

    @property
    def clocks_paused(self) -> bool:
        """Whether the clocks of the running game stand still by agreement."""
        return self.game is not None and self.game.message.clocks_paused

    @property
    def hints_allowed(self) -> bool:
        """Whether this table lets honest clients show best spots and heat maps."""
        return self.game is not None and self.game.message.hints_allowed

    def name_of(self, seat: int) -> str:
        """The name on a seat."""
        view = self.view
        if view is not None and seat < len(view.seats):
            return view.seats[seat].name
        return ""

    @property
    def may_choose(self) -> bool:
        """Whether a tile can be taken in hand: to be placed now, or to look ahead meanwhile."""
        view = self.view
        if view is None or view.is_over or self.shelved:
            return False
        return not (view.is_my_turn and view.phase is Phase.CLOSE)

    def ghost(self) -> Ghost | None:
        """The tile in hand on the board; None when there is none to be placed."""
        view, tile = self.view, self.hand.tile
        if view is None or tile is None or not self.may_choose:
            return None
        cells = self.hand.cells
        refusal = view.spot_refusal(cells)
        if refusal is not None:
            return Ghost(tile, cells, refusal, (0,) * 6, frozenset())
        points = view.points_of(tile, cells)
        return Ghost(tile, cells, None, points, frozenset(view.board.scoring_cells(tile, cells)))
