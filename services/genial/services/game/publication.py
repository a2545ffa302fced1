"""What a room has published: one state of its game, as each viewer may see it.

A publication never changes. What everybody may see is made once; what is made for one
viewer is that, and three fields more. All of it is put together from serialised parts, most of
which are those of the publication before. Events are kept as bytes, whole and as the others may
see them, because a thousand games of messages would fill the memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, overload

from genial.engine.game import Game, evolve
from genial.engine.moves import (
    Dealt,
    Event,
    Exchanged,
    ExchangeRack,
    Phase,
    Placed,
    PlaceTile,
    Refilled,
    RefillRack,
    Resign,
    Resigned,
    Skipped,
)
from genial.engine.tiles import Tile
from genial.engine.view import PlayerView, project, view_for
from genial.services.game.clock import Clocks
from genial.services.game.log import TABLE, Asked, ClockState, Entry
from genial.services.game.setup import Setup
from genial.v1 import game_pb2, game_service_pb2, room_service_pb2
from genial.wire.events import (
    event_to_message,
    whole_event_from_message,
    whole_event_to_message,
)
from genial.wire.joining import embedded
from genial.wire.serving import serialise
from genial.wire.values import (
    END_REASONS,
    duration_to_message,
    ranking_to_message,
    timestamp_to_message,
    track_to_message,
)
from genial.wire.views import changing_part, private_part, seat_to_message, state_of

_MOST_EVENTS: Final = 512
"""Events in one message to a watcher; who has missed more gets the view and a gap."""

_SEATS: Final = game_pb2.GameView.SEATS_FIELD_NUMBER
_CLOCK_LEFT: Final = game_pb2.GameSeat.CLOCK_LEFT_FIELD_NUMBER
_VIEW: Final = game_service_pb2.WatchGameResponse.VIEW_FIELD_NUMBER
_EVENTS: Final = game_service_pb2.WatchGameResponse.EVENTS_FIELD_NUMBER

_DRAWS: Final = (Dealt, Refilled, Exchanged, Skipped)
"""Events in which something is hidden from all but one seat."""

_GAP: Final = -1
"""In place of a known revision: events before the view are left out."""


class Told:
    """An event as it is told: `whole` to the seat it is about, `public` to all others.

    What others may see is worked out when the first of them asks.

    Attributes:
        at_ms: When it happened, host's UTC in milliseconds.
        whole: A serialised `GameEvent`.
        clock: The clocks after it; None without, and between events of one command.
    """

    __slots__ = ("_event", "_n", "_public", "_seat", "at_ms", "clock", "whole")

    def __init__(self, n: int, at_ms: int, whole: bytes, clock: ClockState | None) -> None:
        """An event as the log holds it; its number is `n`."""
        self.at_ms = at_ms
        self.whole = whole
        self.clock = clock
        self._n = n
        self._event: Event | None = None
        self._seat: int | None = None
        self._public: bytes | None = None

    @classmethod
    def of(cls, event: Event, n: int, at_ms: int, clock: ClockState | None = None) -> Told:
        """A new event."""
        told = cls(n, at_ms, serialise(whole_event_to_message(event, n, at_ms)), clock)
        told._event = event
        return told

    @property
    def seat(self) -> int | None:
        """Who may see it whole; None where there is nothing hidden."""
        if self._public is None:
            self._project()
        return self._seat

    @property
    def public(self) -> bytes:
        """The same as `whole`, or one with a hidden draw."""
        return self._public if self._public is not None else self._project()

    def event(self) -> Event:
        """The event itself, everything hidden in it.

        Raises:
            DecodeError: The bytes are no event.
            GenialError: MALFORMED, for an event with something missing.
        """
        return whole_event_from_message(game_pb2.GameEvent.FromString(self.whole))

    def to(self, viewer: int | None) -> bytes:
        """As a viewer may see it."""
        return self.whole if self.seat is not None and self.seat == viewer else self.public

    def _project(self) -> bytes:
        event = self.event() if self._event is None else self._event
        self._event = None
        public = self.whole
        if isinstance(event, _DRAWS):
            seen = project(event, None)
            public = serialise(event_to_message(seen, self._n, self.at_ms))
            self._seat = event.seat
        self._public = public
        return public


def tell(events: Sequence[Event], after: int, at_ms: int, clock: ClockState | None) -> list[Told]:
    """Events as they are told; the clocks stand with the last."""
    last = after + len(events)
    return [
        Told.of(event, n, at_ms, clock if n == last else None)
        for n, event in enumerate(events, after + 1)
    ]


def entries_of(told: Sequence[Told], after: int) -> list[Entry]:
    """The same for the log: those that come after number `after`."""
    return [Entry(n, each.at_ms, each.whole) for n, each in enumerate(told, after + 1)]


class StoredTold(Sequence[Told]):
    """Events out of the log; most of a thousand games' are never asked for again."""

    def __init__(self, entries: Sequence[Entry], clocks: Sequence[ClockState | None]) -> None:
        self._entries = entries
        self._clocks = clocks

    def __len__(self) -> int:
        """How many there are."""
        return len(self._entries)

    @overload
    def __getitem__(self, place: int) -> Told: ...

    @overload
    def __getitem__(self, place: slice) -> list[Told]: ...

    def __getitem__(self, place: int | slice) -> Told | list[Told]:
        """One of them, or some."""
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(len(self)))]
        entry = self._entries[place]
        return Told(entry.n, entry.at_ms, entry.body, self._clocks[place])


class _Private(NamedTuple):
    """What one seat sees beside the others, and what it was made of."""

    rack: tuple[Tile, ...]
    may_exchange: bool
    body: bytes


class _Shown(NamedTuple):
    """What has been made of a view, for the next one.

    Attributes:
        view: What everybody may see.
        fixed: A serialised `GameView` with what stays as it is.
        seats: Serialised `GameSeat`s, without their clocks.
        body: The serialised `GameView` for spectators.
        private: Of each viewer so far: a serialised `GameView` with nothing else.
    """

    view: PlayerView
    fixed: bytes
    seats: list[bytes]
    body: bytes
    private: dict[int, _Private]


class Publication:
    """One published state of a game.

    Attributes:
        game: The state; for the room alone, since everything hidden is in it.
        told: All events so far, the first is number 1.
        version: Rises with every publication, also where the revision stays.
        placements: Tiles placed so far.
        clocks: As of the moment of publishing, or None without clocks.
        ended_at_ms: Host's UTC; None while the game runs.
        record: The rendered record, once somebody has asked for that of a game that is over.
    """

    def __init__(
        self,
        setup: Setup,
        game: Game,
        told: Sequence[Told],
        version: int,
        placements: int,
        clocks: Clocks | None,
        ended_at_ms: int | None,
    ) -> None:
        self.setup: Final = setup
        self.game: Final = game
        self.told: Final = told
        self.version: Final = version
        self.placements: Final = placements
        self.clocks: Final = clocks
        self.ended_at_ms: Final = ended_at_ms
        self.record: bytes | None = None
        self._shown: _Shown | None = None
        self._earlier: _Shown | None = None
        self._updates: dict[tuple[int | None, int], bytes] = {}

    @property
    def revision(self) -> int:
        """The number of the last event."""
        return self.game.revision

    def with_clocks(self, clocks: Clocks) -> Publication:
        """The same state with its clocks at another moment."""
        return self._changed(self.version, clocks)

    def with_version(self, version: int) -> Publication:
        """The same state, to be told anew."""
        return self._changed(version, self.clocks)

    def _changed(self, version: int, clocks: Clocks | None) -> Publication:
        changed = Publication(
            self.setup,
            self.game,
            self.told,
            version,
            self.placements,
            clocks,
            self.ended_at_ms,
        )
        changed._earlier = self._shown
        return changed

    def followed_by(
        self,
        game: Game,
        told: Sequence[Told],
        placements: int,
        clocks: Clocks | None,
        ended_at_ms: int | None,
    ) -> Publication:
        """The next publication: `told` and `placements` are what has come since this one."""
        after = Publication(
            self.setup,
            game,
            [*self.told, *told],
            self.version + 1,
            self.placements + placements,
            clocks,
            ended_at_ms,
        )
        after._earlier = self._shown
        return after

    def view(self, viewer: int | None) -> game_pb2.GameView:
        """The view for a seat, or for a spectator (None)."""
        return game_pb2.GameView.FromString(self._view(viewer))

    def answer(self, seat: int, after: int) -> bytes:
        """The response to a command of a seat: its view, and the events after `after`.

        The responses to the four commands and the messages to watchers have these fields
        with the same numbers, so an answer is what the seat's own watcher gets.
        """
        return self.update(seat, after)

    def answer_to(self, asked: Asked) -> bytes:
        """What a request is answered, of a seat's or the table's, that has led to this."""
        if asked.seat == TABLE:
            return serialise(room_service_pb2.CommandRoomResponse(revision=asked.revision))
        return self.answer(asked.seat, asked.since)

    def at(self, revision: int) -> Publication:
        """What was published when the game was at an earlier revision."""
        told = self.told[:revision]
        game, placements = self.setup.new_game(), 0
        for each in told:
            event = each.event()
            game = evolve(game, event)
            placements += isinstance(event, Placed)
        clocks = None
        state = told[-1].clock
        if self.setup.clock is not None and state is not None:
            clocks = Clocks.stored(self.setup.clock, state.left, game.turn, state.paused)
        ended_at_ms = told[-1].at_ms if game.is_over else None
        return Publication(self.setup, game, told, 0, placements, clocks, ended_at_ms)

    def was_asked(self, asked: Asked, command: object) -> bool:
        """Whether it was this very command of a seat's that a request brought."""
        event = self.told[asked.since].event()
        match command:
            case PlaceTile(tile=tile, cells=cells):
                return isinstance(event, Placed) and (event.tile, event.cells) == (tile, cells)
            case ExchangeRack():
                return isinstance(event, Exchanged)
            case RefillRack():
                return isinstance(event, Refilled)
            case Resign():
                return isinstance(event, Resigned)
        return False

    def prepare(self, viewers: Iterable[int | None], after: int) -> None:
        """Makes the updates that these viewers will ask for."""
        for viewer in viewers:
            self.update(viewer, after)

    def update(self, viewer: int | None, after: int) -> bytes:
        """The message to a watcher who knows the events up to `after`, serialised.

        Watchers mostly know the same, so one message is made for all spectators.
        """
        if not 0 <= self.revision - after <= _MOST_EVENTS:
            after = _GAP
        key = viewer, after
        found = self._updates.get(key)
        if found is None:
            found = self._updates[key] = self._update(viewer, after)
        return found

    def _update(self, viewer: int | None, after: int) -> bytes:
        head = game_service_pb2.WatchGameResponse(revision=self.revision, gap=after == _GAP)
        parts = [serialise(head), embedded(_VIEW, self._view(viewer))]
        if after != _GAP:
            parts += [embedded(_EVENTS, told.to(viewer)) for told in self.told[after:]]
        return b"".join(parts)

    def _view(self, viewer: int | None) -> bytes:
        shown = self._show()
        if viewer is None:
            return shown.body
        game = self.game
        rack = game.racks[viewer]
        # Asked in full, it words a refusal; for most viewers there is nothing to ask.
        at_close = game.turn == viewer and game.phase is Phase.CLOSE
        may_exchange = at_close and game.may_exchange(viewer)
        private = shown.private.get(viewer)
        if private is None or private.rack is not rack or private.may_exchange != may_exchange:
            message = private_part(viewer, game.rack(viewer), may_exchange)
            private = _Private(rack, may_exchange, serialise(message))
            shown.private[viewer] = private
        return shown.body + private.body

    def _show(self) -> _Shown:
        """What everybody may see: every viewer's view is this, and more."""
        if self._shown is None:
            earlier, self._earlier = self._earlier, None
            view = view_for(self.game, None)
            over = self.ended_at_ms is not None
            if earlier is None:
                fixed = serialise(self.setup.fixed_view(over=over))
                seats = [serialise(seat_to_message(n, seat)) for n, seat in enumerate(view.seats)]
            else:
                fixed = serialise(self.setup.fixed_view(over=True)) if over else earlier.fixed
                seats = [
                    body if seat == before else serialise(seat_to_message(n, seat))
                    for n, (seat, before, body) in enumerate(
                        zip(view.seats, earlier.view.seats, earlier.seats, strict=True)
                    )
                ]
            body = self._public_body(view, fixed, seats)
            private = {} if earlier is None else earlier.private.copy()
            self._shown = _Shown(view, fixed, seats, body, private)
        return self._shown

    def _public_body(self, view: PlayerView, fixed: bytes, seats: list[bytes]) -> bytes:
        message = changing_part(view)
        if self.ended_at_ms is not None:
            message.ended_at.CopyFrom(timestamp_to_message(self.ended_at_ms))
        if self.clocks is not None:
            message.clocks_paused = self.clocks.paused
            seats = [
                body + embedded(_CLOCK_LEFT, serialise(duration_to_message(left)))
                for body, left in zip(seats, self.clocks.left, strict=True)
            ]
        return b"".join([fixed, serialise(message), *[embedded(_SEATS, body) for body in seats]])

    def report(self, watchers: int) -> room_service_pb2.RoomReport:
        """What the table hears of the room."""
        game = self.game
        report = room_service_pb2.RoomReport(
            game_id=self.setup.game_id,
            table_id=self.setup.table_id,
            revision=game.revision,
            state=state_of(game.ended),
            turn_seat=game.turn,
            placements=self.placements,
            resigned_seats=game.resigned,
            watchers=watchers,
        )
        if self.clocks is not None and self.clocks.flagged is not None:
            report.flagged_seats.append(self.clocks.flagged)
        if game.ended is not None:
            report.end_reason = END_REASONS.to_message[game.ended.reason]
            report.ranking.extend(ranking_to_message(game.ended.ranking))
            report.tracks.extend(track_to_message(track) for track in game.ended.tracks)
        if self.ended_at_ms is not None:
            report.ended_at.CopyFrom(timestamp_to_message(self.ended_at_ms))
        return report
