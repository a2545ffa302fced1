"""A record to step through: every position of a game, and what led to it. Pure.

    replay = Replay.of(record)
    at = replay.start                    # a place: 0 is the board before the deal
    at = replay.forward(at)              # also back, next_move, previous_move
    at = replay.place_of(42)             # after event 42, as `jump 42` and `--after 42` mean it
    replay.view(at)                      # as a spectator; view(at, 1): as seat 1 saw it
    replay.sentences(at)                 # what the event that led here says

Places are indices into `replay.positions`; the screens keep one integer. The numbers of
events (`n`) are those of the record, where notes (`x-` events) count too but are no
positions of their own: after a note the game stands as before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from genial.client.sentences import event_sentences, tiles_text
from genial.client.text import _
from genial.client.view.canvas import cut
from genial.engine.game import Game, evolve
from genial.engine.moves import (
    Dealt,
    Exchanged,
    Phase,
    Placed,
    Refilled,
    Skipped,
    TakenOver,
)
from genial.engine.record import Record, TimedEvent
from genial.engine.rules import Track, stops_reached
from genial.engine.shuffle import CountedBag
from genial.engine.tiles import Tile
from genial.engine.view import PlayerView, project, view_for

MAX_NAME_COLUMNS: Final = 32
"""A host takes shorter ones; a file can hold anything."""


class NoSuchEventError(ValueError):
    """A number that no event of the record has; the message says which there are."""

    def __init__(self, n: int, last: int) -> None:
        """Names the number asked for and the last one."""
        super().__init__(
            _("There is no event {n}: the record has events 1 to {last}, 0 is the start.").format(
                n=n, last=last
            )
        )


@dataclass(frozen=True, slots=True)
class Position:
    """A game after an event.

    Attributes:
        game: All of it: the game is over, so no rack is secret any more.
        led: The event that led here; None before the first.
        move: How many tiles players have placed so far.
    """

    game: Game
    led: TimedEvent | None
    move: int

    @property
    def n(self) -> int:
        """The number of the event that led here, 0 before the first."""
        return 0 if self.led is None else self.led.n

    @property
    def racks(self) -> tuple[tuple[Tile, ...], ...]:
        """Every seat's tiles, in canonical order."""
        return tuple(self.game.rack(seat) for seat in range(self.game.rules.players))

    @property
    def last_placed(self) -> Placed | None:
        """The tile that was placed last, up to here."""
        mover = self.game.last_mover
        return None if mover is None else self.game.latest[mover]


@dataclass(frozen=True, slots=True)
class Replay:
    """A record with all its positions, made by `of`."""

    record: Record
    positions: tuple[Position, ...]

    @classmethod
    def of(cls, record: Record) -> Replay:
        """Every position of a record that was judged to stand; names are cleaned and cut."""
        record = _with_clean_names(record)
        header = record.header
        game = Game.new(header.rules, header.seats, header.first_seat, CountedBag())
        positions = [Position(game, None, 0)]
        move = 0
        for timed in record.events:
            game = evolve(game, timed.event)
            move += isinstance(timed.event, Placed)
            positions.append(Position(game, timed, move))
        return cls(record, tuple(positions))

    # --- places ----------------------------------------------------------------------

    @property
    def start(self) -> int:
        """The first place: the board before the deal."""
        return 0

    @property
    def end(self) -> int:
        """The last place."""
        return len(self.positions) - 1

    @property
    def last_n(self) -> int:
        """The number of the last event that changed the game; 0 in an empty record."""
        return self.positions[-1].n

    @property
    def dealt(self) -> int:
        """The place where every rack is dealt, or the end of a record that breaks off before."""
        return self._seek(
            self.start, 1, lambda at: self.positions[at].game.phase is not Phase.DEAL, self.end
        )

    def place_of(self, n: int) -> int:
        """The place after event `n`, which may be a note; 0 is the start.

        Raises:
            NoSuchEventError: The record has no such event.
        """
        if not 0 <= n <= self.last_n:
            raise NoSuchEventError(n, self.last_n)
        return bisect_right(self.positions, n, key=lambda position: position.n) - 1

    def forward(self, at: int) -> int:
        """One event on; stays at the end."""
        return min(at + 1, self.end)

    def back(self, at: int) -> int:
        """One event back; stays at the start."""
        return max(at - 1, self.start)

    def next_move(self, at: int) -> int:
        """The next place where a tile has just been placed, else the end."""
        return self._seek(at + 1, 1, self._is_move, self.end)

    def previous_move(self, at: int) -> int:
        """The last such place before this one, else the start."""
        return self._seek(at - 1, -1, self._is_move, self.start)

    def _is_move(self, at: int) -> bool:
        led = self.positions[at].led
        return led is not None and isinstance(led.event, Placed)

    def _seek(self, at: int, step: int, wanted: Callable[[int], bool], otherwise: int) -> int:
        while self.start <= at <= self.end:
            if wanted(at):
                return at
            at += step
        return otherwise

    # --- what there is to see --------------------------------------------------------

    def view(self, at: int, viewer: int | None = None) -> PlayerView:
        """The game there as the seat `viewer` saw it, or a spectator (None)."""
        return view_for(self.positions[at].game, viewer)

    def sentences(self, at: int) -> list[str]:
        """What the event that led there says, the most important first; [] at the start."""
        position = self.positions[at]
        if position.led is None:
            return []
        return _open_sentences(position, self.view(at))

    def calls(self, at: int) -> int:
        """How often "Ingenious!" is called there: the stops that the placement reached."""
        led = self.positions[at].led
        if led is None or not isinstance(led.event, Placed):
            return 0
        before = self.positions[at - 1].game
        if not before.rules.has_bonus:
            return 0
        return stops_reached(before.track(led.event.seat), led.event.track, before.rules.cap)

    def placements(self, at: int) -> tuple[Placed, ...]:
        """Every tile on the board there, in the order in which they were placed."""
        return tuple(
            position.led.event
            for position in self.positions[: at + 1]
            if position.led is not None and isinstance(position.led.event, Placed)
        )

    def race(self, at: int | None = None) -> tuple[tuple[tuple[int, Track], ...], ...]:
        """How the tracks grew, up to a place (None: the end).

        Returns:
            For each track (each seat, or each pair of partners): the move's number and
            the track after it, for every move of that team's, from (0, all zero) on.
        """
        rules = self.record.header.rules
        last = self.positions[self.end if at is None else at]
        race: list[list[tuple[int, Track]]] = [[(0, (0,) * 6)] for _team in rules.teams]
        for position in self.positions:
            if position.led is None or not isinstance(position.led.event, Placed):
                continue
            if position.move > last.move:
                break
            placed = position.led.event
            race[rules.team_of(placed.seat)].append((position.move, placed.track))
        return tuple(map(tuple, race))


def _with_clean_names(record: Record) -> Record:
    # Anybody can have written the file: a name must neither move the cursor nor fill the screen.
    seats = tuple(
        replace(seat, name=_clean_name(seat.name, number))
        for number, seat in enumerate(record.header.seats)
    )
    events = tuple(
        replace(timed, event=replace(event, name=_clean_name(event.name, event.seat)))
        if isinstance(event := timed.event, TakenOver)
        else timed
        for timed in record.events
    )
    return replace(record, header=replace(record.header, seats=seats), events=events)


def _clean_name(name: str, seat: int) -> str:
    return cut(name, MAX_NAME_COLUMNS).strip() or _("seat {seat}").format(seat=seat + 1)


def _open_sentences(position: Position, view: PlayerView) -> list[str]:
    """An event told with everything in it: in a replay nobody's draw is hidden."""
    assert position.led is not None
    event = position.led.event
    match event:
        case Dealt(seat, drawn):
            return [_is_dealt(view.seats[seat].name, drawn)]
        case Refilled(seat, drawn):
            return [_draws(view.seats[seat].name, drawn)]
        case Exchanged(seat, returned, drawn):
            return [
                _("{name} exchanged {tiles} for {drawn}.").format(
                    name=view.seats[seat].name, tiles=tiles_text(returned), drawn=tiles_text(drawn)
                )
            ]
        case Skipped(seat, drawn):
            name = view.seats[seat].name
            said = event_sentences(project(event, None), view)
            return [*said, _draws(name, drawn)] if drawn else said
        case _:
            return event_sentences(project(event, None), view)


def _is_dealt(name: str, drawn: tuple[Tile, ...]) -> str:
    return _("{name} is dealt {tiles}.").format(name=name, tiles=tiles_text(drawn))


def _draws(name: str, drawn: tuple[Tile, ...]) -> str:
    return _("{name} drew {tiles}.").format(name=name, tiles=tiles_text(drawn))
