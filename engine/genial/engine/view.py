"""What one viewer may see of a game.

A `PlayerView` has no field for another player's rack, nor for the order of the bag;
a projected event carries a `HiddenDraw` where somebody else drew. So nothing hidden
can leak by forgetting to remove it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from genial.engine.board import Board, axial_of
from genial.engine.game import Game
from genial.engine.legality import (
    closing_refusal,
    exchange_refusal,
    open_pairs,
    placement_refusal,
    placements_on,
)
from genial.engine.moves import (
    Cells,
    Dealt,
    Ended,
    Event,
    Exchanged,
    Phase,
    Placed,
    Refilled,
    Resigned,
    Skipped,
    TakenOver,
)
from genial.engine.refusal import Refusal, Refused
from genial.engine.rules import Mode, Rules, SeatKind, Track, score
from genial.engine.tiles import Symbol, Tile


@dataclass(frozen=True, slots=True)
class SeatView:
    """What everybody knows of a seat; `track` is the joint one for partners."""

    name: str
    kind: SeatKind
    level: str | None
    track: Track
    rack_size: int
    resigned: bool
    latest: Placed | None


@dataclass(frozen=True, slots=True)
class ScoredPlacement:
    """A placement with what it earns: `points` per symbol after the stops, and their sum."""

    tile: Tile
    cells: Cells
    points: Track
    total: int


@dataclass(frozen=True, slots=True)
class PlayerView:
    """A game at one revision for one viewer.

    Attributes:
        viewer: The seat it is for, None for a spectator.
        rack: The viewer's own tiles in canonical order; empty for a spectator.
        may_exchange: Whether the viewer may exchange now.
        bag_count: Tiles in the bag.
    """

    rules: Rules
    revision: int
    seats: tuple[SeatView, ...]
    first_seat: int
    board: Board
    bag_count: int
    turn: int
    phase: Phase
    bonus_owed: int
    claimed: frozenset[Symbol]
    started: frozenset[int]
    last_mover: int | None
    ended: Ended | None
    viewer: int | None
    rack: tuple[Tile, ...]
    may_exchange: bool

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.phase is Phase.OVER

    @property
    def is_my_turn(self) -> bool:
        """Whether something is due from the viewer."""
        return self.viewer == self.turn and self.phase in (
            Phase.PLACE,
            Phase.BONUS,
            Phase.CLOSE,
        )

    @property
    def must_place(self) -> bool:
        """Whether a placement is due from the viewer."""
        return self.viewer == self.turn and self.phase in (Phase.PLACE, Phase.BONUS)

    @property
    def my_track(self) -> Track | None:
        """The viewer's track, None for a spectator."""
        return None if self.viewer is None else self.seats[self.viewer].track

    def legal_pairs(self) -> list[tuple[int, int]]:
        """Pairs of cells (mailbox indices, each once) that the viewer may place on now."""
        if not self.must_place:
            return []
        return open_pairs(self.board, self.claimed, self.viewer in self.started)

    def reachable_pairs(self) -> list[tuple[int, int]]:
        """Pairs that the viewer could place on if it were their turn; for looking ahead."""
        if self.viewer is None:
            return []
        return open_pairs(self.board, self.claimed, self.viewer in self.started)

    def refusal_for(self, tile: Tile, cells: Cells) -> Refused | None:
        """Why the viewer may not place `tile` on `cells` now, or None if they may.

        The judgement is that of `game.decide`.
        """
        moment = self._turn_refusal()
        if moment is not None:
            return moment
        if self.phase is Phase.CLOSE:
            return Refused(Refusal.ALREADY_PLACED)
        if tile.canonical not in self.rack:
            return Refused(Refusal.TILE_NOT_ON_RACK, tile=str(tile.canonical))
        return self.spot_refusal(cells)

    def spot_refusal(self, cells: Cells) -> Refused | None:
        """Why the viewer could not place any tile on `cells`, whoever's turn it is."""
        return placement_refusal(self.board, self.claimed, self.viewer in self.started, cells)

    def exchange_refusal(self) -> Refused | None:
        """Why the viewer may not exchange now, or None if they may."""
        moment = self._turn_refusal()
        if moment is not None or self.viewer is None:
            return moment
        return exchange_refusal(
            self.rules,
            self.board,
            self.turn,
            self.phase,
            self.bonus_owed,
            self.viewer,
            self.seats[self.viewer].track,
            self.rack,
        )

    def refill_refusal(self) -> Refused | None:
        """Why the viewer may not end the turn by a refill now, or None if they may."""
        if self.rules.mode is Mode.SOLO and self.phase is Phase.PLACE:
            return Refused(Refusal.DRAWN_BY_ITSELF)
        moment = self._turn_refusal()
        if moment is not None or self.viewer is None:
            return moment
        return closing_refusal(self.turn, self.phase, self.bonus_owed, self.viewer)

    def _turn_refusal(self) -> Refused | None:
        """Why nothing at all is due from the viewer, or None if something is."""
        if self.phase is Phase.OVER:
            return Refused(Refusal.GAME_OVER)
        if self.phase is Phase.DEAL:
            return Refused(Refusal.NOT_DEALT)
        if self.viewer is not None and self.seats[self.viewer].resigned:
            return Refused(Refusal.SEAT_RESIGNED)
        if self.viewer != self.turn:
            return Refused(Refusal.NOT_YOUR_TURN)
        return None

    def points_of(self, tile: Tile, cells: Cells) -> Track:
        """What a placement by the viewer would earn per symbol, after the stops.

        Counts as if both cells were free; a spectator earns as from an empty track.
        """
        track = self.my_track or (0,) * 6
        first, second = self.board.points(tile, cells)
        after, _ = score(track, ((tile[0], first), (tile[1], second)), self.rules.cap)
        return tuple(new - old for new, old in zip(after, track, strict=True))

    def scored_placements(self) -> list[ScoredPlacement]:
        """Every placement that the viewer may make now, most points first.

        Ties keep the order of the board, rows from the top.
        """
        scored = [
            ScoredPlacement(tile, cells, points, sum(points))
            for tile, cells in placements_on(self.legal_pairs(), self.rack)
            for points in (self.points_of(tile, cells),)
        ]
        scored.sort(key=lambda placement: -placement.total)
        return scored

    def cells_in_reach(self) -> frozenset[tuple[int, int]]:
        """The cells (axial) that some placement of the viewer may use now."""
        return frozenset(axial_of(index) for pair in self.reachable_pairs() for index in pair)


def view_for(game: Game, viewer: int | None) -> PlayerView:
    """The game as the seat `viewer` may see it, or a spectator (None)."""
    tracks = game.tracks
    team_of = game.rules.team_of
    seats = tuple(
        [
            SeatView(
                name=seat.name,
                kind=seat.kind,
                level=seat.level,
                track=tracks[team_of(number)],
                rack_size=len(game.racks[number]),
                resigned=number in game.resigned,
                latest=game.latest[number],
            )
            for number, seat in enumerate(game.seats)
        ]
    )
    return PlayerView(
        rules=game.rules,
        revision=game.revision,
        seats=seats,
        first_seat=game.first_seat,
        board=game.board,
        bag_count=len(game.bag),
        turn=game.turn,
        phase=game.phase,
        bonus_owed=game.bonus_owed,
        claimed=game.claimed,
        started=game.started,
        last_mover=game.last_mover,
        ended=game.ended,
        viewer=viewer,
        rack=() if viewer is None else game.rack(viewer),
        may_exchange=viewer is not None and game.may_exchange(viewer),
    )


# --- projected events ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HiddenDraw:
    """Somebody else drew: how many tiles, at least one, and nothing more."""

    count: int


Draw = tuple[Tile, ...] | HiddenDraw


@dataclass(frozen=True, slots=True)
class SeenDealt:
    """A seat got its first rack."""

    seat: int
    draw: Draw


@dataclass(frozen=True, slots=True)
class SeenRefilled:
    """A seat ended its turn by drawing."""

    seat: int
    draw: Draw


@dataclass(frozen=True, slots=True)
class SeenExchanged:
    """A seat showed its rack (`returned`) and drew a new one."""

    seat: int
    returned: tuple[Tile, ...]
    draw: Draw


@dataclass(frozen=True, slots=True)
class SeenSkipped:
    """An absent player's turn was ended."""

    seat: int
    draw: Draw


SeenEvent = (
    SeenDealt | Placed | SeenRefilled | SeenExchanged | Resigned | TakenOver | SeenSkipped | Ended
)
"""An event as one viewer may see it; what is public anyway is the event itself."""


def project(event: Event, viewer: int | None) -> SeenEvent:
    """An event as the seat `viewer`, or a spectator (None), may see it."""
    match event:
        case Dealt(seat, drawn):
            return SeenDealt(seat, _draw(drawn, seat, viewer))
        case Refilled(seat, drawn):
            return SeenRefilled(seat, _draw(drawn, seat, viewer))
        case Exchanged(seat, returned, drawn):
            return SeenExchanged(seat, returned, _draw(drawn, seat, viewer))
        case Skipped(seat, drawn):
            return SeenSkipped(seat, _draw(drawn, seat, viewer))
        case Placed() | Resigned() | TakenOver() | Ended():
            return event
    assert_never(event)


def _draw(drawn: tuple[Tile, ...], seat: int, viewer: int | None) -> Draw:
    """Nothing drawn hides nothing, whoever looks: then it is an empty tuple."""
    return drawn if seat == viewer or not drawn else HiddenDraw(len(drawn))
