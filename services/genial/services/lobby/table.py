"""What a table is: frozen values, and questions that can be asked of them.

Moments are milliseconds since 1970 UTC, as in the rest of the services.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from genial.engine.rules import EndReason, Ranking, Rules, Track
from genial.services.lobby.deal import Deal
from genial.wire.metadata import same_secret
from genial.wire.values import Clock


class TableState(StrEnum):
    """Where a table is in its life (contract, "A table's life")."""

    OPEN = "open"
    DEALING = "dealing"
    ACTIVE = "active"
    SHELVED = "shelved"
    FINISHED = "finished"
    ABANDONED = "abandoned"


class Occupant(StrEnum):
    """Who holds a seat."""

    OPEN = "open"
    HUMAN = "human"
    BOT = "bot"


class Chance(Protocol):
    """Where fresh secrets, ids and names come from; tests bring their own."""

    @property
    def bot_names(self) -> Sequence[str]:
        """What bots are called, at least one."""
        ...

    def secret(self) -> bytes:
        """32 fresh random bytes."""
        ...

    def new_id(self) -> str:
        """A fresh id for a table, a match, a game or a request (a UUID)."""
        ...


@dataclass(frozen=True, slots=True)
class Times:
    """How long things may take at a table, in milliseconds.

    Attributes:
        grace: How long a player may be away before the table goes on without them.
        deal_step: How long all hashes, then all nonces, may take to come in.
        rematch: How long a table waits for a rematch after its last game.
        interlude: Pause before the next game of a match readies itself.
        unused: How long an open table may stand without anybody.
    """

    grace: int = 120_000
    deal_step: int = 10_000
    rematch: int = 60_000
    interlude: int = 5_000
    unused: int = 24 * 3_600_000


@dataclass(frozen=True, slots=True)
class Options:
    """What a table is set up with.

    Attributes:
        first: The seat that begins the first game; None leaves it to chance.
        clock: None: no clock.
        games: Games in a match; 0 is open-ended.
    """

    rules: Rules
    first: int | None = None
    clock: Clock | None = None
    games: int = 1
    spectators_forbidden: bool = False
    hints_forbidden: bool = False


@dataclass(frozen=True, slots=True)
class StandIn:
    """A bot of the host's that plays on for somebody who is away or has left.

    Attributes:
        token_hash: None until the bots service has brought it.
    """

    name: str
    level: str
    token_hash: bytes | None = None
    away_since: int | None = None


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat and who holds it.

    Attributes:
        level: Of a bot; empty for people.
        token_hash: SHA-256 of the holder's token; None when open, or a bot that is yet to come.
        hosted: Whether this host's bots service runs the bot.
        ready: People say so themselves; bots always are.
        away_since: None while the holder is connected.
        watched: The holder has been connected at least once.
        left: The holder gave the seat up in a running game, and may return until it is over.
        banished: As `left`, and may not return.
        stand_in: Who plays meanwhile.
    """

    number: int
    occupant: Occupant = Occupant.OPEN
    name: str = ""
    level: str = ""
    token_hash: bytes | None = None
    hosted: bool = False
    ready: bool = False
    away_since: int | None = None
    watched: bool = False
    left: bool = False
    banished: bool = False
    stand_in: StandIn | None = None
    agrees_to_end: bool = False
    agrees_to_pause: bool = False

    @property
    def is_open(self) -> bool:
        """Whether somebody could take it."""
        return self.occupant is Occupant.OPEN

    @property
    def is_human(self) -> bool:
        """Whether it belongs to a person, away or not."""
        return self.occupant is Occupant.HUMAN

    @property
    def is_ready(self) -> bool:
        """Whether its holder wants the next game; bots always do."""
        return self.ready or self.occupant is Occupant.BOT or self.stand_in is not None

    @property
    def player_hash(self) -> bytes | None:
        """The hash of the token that plays this seat now: a stand-in's goes first."""
        return self.token_hash if self.stand_in is None else self.stand_in.token_hash

    @property
    def player_away(self) -> bool:
        """Whether nobody is connected who could play this seat now."""
        away = self.away_since if self.stand_in is None else self.stand_in.away_since
        return away is not None

    @property
    def can_answer_deal(self) -> bool:
        """Whether a deal may begin as far as this seat is concerned.

        Who was here and is away is waited for; who has never watched may be a client that
        only asks from time to time, and gets its chance.
        """
        if self.player_hash is None:
            return False
        asks_only = self.stand_in is None and not self.hosted and not self.watched
        return asks_only or not self.player_away

    @property
    def wants_hosted_bot(self) -> bool:
        """Whether the bots service is to play this seat."""
        return self.stand_in is not None or (self.occupant is Occupant.BOT and self.hosted)

    @property
    def person_present(self) -> bool:
        """Whether a person is connected and still means to play."""
        return self.is_human and not self.left and self.away_since is None


class OrderKind(StrEnum):
    """What a table asks of the room of its running game."""

    CREATE = "create"
    TAKE_OVER = "take_over"
    SKIP = "skip"
    END_EARLY = "end_early"
    PAUSE = "pause"
    RESIGN = "resign"
    FREEZE = "freeze"


@dataclass(frozen=True, slots=True)
class Order:
    """Something to ask of the room, kept until the room has done it.

    Attributes:
        request_id: Makes a repeat harmless.
        seat, name, bot_level, token_hash: Of TAKE_OVER (`bot_level` empty: a person), SKIP, RESIGN.
        reason: Of END_EARLY.
        paused: Of PAUSE.
        frozen: Of FREEZE.
    """

    request_id: str
    kind: OrderKind
    game_id: str
    seat: int | None = None
    name: str = ""
    bot_level: str = ""
    token_hash: bytes | None = None
    reason: EndReason | None = None
    paused: bool = False
    frozen: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """How one game of the match came out.

    Attributes:
        tracks: One for each seat.
        counts: Whether it counts for the standings (rules, section 6).
    """

    ranking: Ranking
    tracks: tuple[Track, ...]
    counts: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One seat's row of the standings.

    Attributes:
        won_twelfths: Games won, in twelfths, so that shared wins stay whole.
        lowest_sum: The lowest counters of all games, added up.
    """

    seat: int
    won_twelfths: int = 0
    lowest_sum: int = 0
    games: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """What the room last said of the running game; never stored, the room knows it."""

    revision: int = 0
    placements: int = 0
    turn_seat: int | None = None
    flagged: tuple[int, ...] = ()
    resigned: tuple[int, ...] = ()
    watchers: int = 0


@dataclass(frozen=True, slots=True)
class VoidDeal:
    """A deal that came to nothing, disclosed.

    Attributes:
        missing: Seats whose hash or nonce was missing.
    """

    deal: Deal
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Everything that a host knows of a table, apart from chat and passing presence.

    Attributes:
        password_hash: Salt and hash as `wording.hash_password` makes them; None: no password.
        creator_hash: Token hash of who opened the table or first sat down, or was handed that.
        banned: Token hashes of people who were sent away.
        match_id: Set with the first deal of a match.
        game_number: Of the current or coming game of the match, from 1.
        first_seat: Who began the running or last game of the match; None before that.
        deal: The current deal, kept until the next one; with its seed.
        void_deals: Those of the current game number.
        game_id: Of the running or the last game; empty before the first.
        continues: The next game of the match readies itself once `deadline` has passed.
        deadline: When a rematch or an interlude runs out.
        used_at: When somebody last sat down or got up.
        ended_at: When it was finished or abandoned.
        skipped_at: The game's revision at which a skip was last ordered.
        skips: Skips in a row, up to that one.
        shelved_from: The state that resuming returns to.
        standing: Name of the standing table that it is one of; empty: it is none.
        version: Rises with every change.
    """

    table_id: str
    name: str
    options: Options
    seats: tuple[Seat, ...]
    created_at: int
    state: TableState = TableState.OPEN
    password_hash: str | None = None
    creator_hash: bytes | None = None
    banned: tuple[bytes, ...] = ()
    seats_locked: bool = False
    match_id: str = ""
    game_number: int = 1
    first_seat: int | None = None
    standings: tuple[Row, ...] = ()
    deal: Deal | None = None
    void_deals: tuple[VoidDeal, ...] = ()
    game_id: str = ""
    orders: tuple[Order, ...] = ()
    continues: bool = False
    deadline: int | None = None
    used_at: int | None = None
    ended_at: int | None = None
    skipped_at: int = 0
    skips: int = 0
    clocks_paused: bool = False
    shelved_from: TableState | None = None
    standing: str = ""
    version: int = field(default=1, compare=False)

    @property
    def rules(self) -> Rules:
        """The rules of its games."""
        return self.options.rules

    @property
    def is_closed(self) -> bool:
        """Whether nothing will happen here any more."""
        return self.state in (TableState.FINISHED, TableState.ABANDONED)

    @property
    def open_seats(self) -> tuple[int, ...]:
        """Seats that somebody could take."""
        if self.is_closed:
            return ()
        return tuple(seat.number for seat in self.seats if seat.is_open)

    @property
    def humans(self) -> tuple[Seat, ...]:
        """Seats that belong to people."""
        return tuple(seat for seat in self.seats if seat.is_human)

    @property
    def running_game_id(self) -> str:
        """The id of the game that runs, or whose room is asked for; empty if there is none."""
        if self.pending_room is not None:
            return self.pending_room.game_id
        active = TableState.ACTIVE in (self.state, self.shelved_from)
        return self.game_id if active else ""

    @property
    def pending_room(self) -> Order | None:
        """The order for the room of a completed deal, until that room is there."""
        return next((order for order in self.orders if order.kind is OrderKind.CREATE), None)

    @property
    def next_first_seat(self) -> int | None:
        """Who begins the coming game; None leaves it to chance (rules, section 6)."""
        if self.first_seat is None:
            return self.options.first
        return (self.first_seat + 1) % self.rules.players

    def seat_of(self, token_hash: bytes | None) -> Seat | None:
        """The seat that a token holds as its owner, present or away, or None."""
        held = (s for s in self.seats if not s.is_open and not s.banished)
        return next((s for s in held if _same(s.token_hash, token_hash)), None)

    def seat_played_by(self, token_hash: bytes | None) -> Seat | None:
        """The seat that a token plays right now; of a seat with a stand-in, the stand-in's."""
        played = (s for s in self.seats if not s.is_open)
        return next((s for s in played if _same(s.player_hash, token_hash)), None)

    def is_creator(self, token_hash: bytes | None) -> bool:
        """Whether a token has the rights of who opened the table."""
        return _same(self.creator_hash, token_hash)

    def with_seat(self, seat: Seat) -> Table:
        """This table with one seat replaced."""
        seats = (*self.seats[: seat.number], seat, *self.seats[seat.number + 1 :])
        return dataclasses.replace(self, seats=seats)

    def change_seat(self, number: int, **changes: Any) -> Table:
        """This table with some attributes of one seat changed."""
        return self.with_seat(dataclasses.replace(self.seats[number], **changes))


def _same(one: bytes | None, other: bytes | None) -> bool:
    return one is not None and other is not None and same_secret(one, other)
