"""The vocabulary of a game: seats, phases, commands (asked for) and events (happened)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from genial.engine.hexgrid import Axial
from genial.engine.rules import EndReason, Ranking, SeatKind, Track
from genial.engine.tiles import Tile

Cells = tuple[Axial, Axial]
"""The two cells of a placement; the first takes the tile's first symbol."""


class Phase(StrEnum):
    """What is due now."""

    DEAL = "deal"
    PLACE = "place"
    BONUS = "bonus"
    CLOSE = "close"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits there; `level` is a bot's, None for people."""

    name: str
    kind: SeatKind
    level: str | None = None


# --- commands: what players and the table ask for ---------------------------------


@dataclass(frozen=True, slots=True)
class DealRacks:
    """Deal every rack, in turn order from the first seat."""


@dataclass(frozen=True, slots=True)
class PlaceTile:
    """Place a tile of the seat's rack; `tile` may be turned, `cells[0]` takes its first."""

    seat: int
    tile: Tile
    cells: Cells


@dataclass(frozen=True, slots=True)
class ExchangeRack:
    """End the turn by showing the rack and drawing a new one."""

    seat: int


@dataclass(frozen=True, slots=True)
class RefillRack:
    """End the turn by drawing back up to a full rack."""

    seat: int


@dataclass(frozen=True, slots=True)
class Resign:
    """Give up; on or off turn."""

    seat: int


@dataclass(frozen=True, slots=True)
class TakeOverSeat:
    """The table seats somebody else there: a bot for an absent player, or the player again."""

    seat: int
    name: str
    kind: SeatKind
    level: str | None = None


@dataclass(frozen=True, slots=True)
class SkipTurn:
    """The table ends an absent player's turn."""

    seat: int


@dataclass(frozen=True, slots=True)
class EndEarly:
    """The table ends the game: `agreed` or `abandoned`."""

    reason: EndReason


Command = (
    DealRacks | PlaceTile | ExchangeRack | RefillRack | Resign | TakeOverSeat | SkipTurn | EndEarly
)


# --- events: what happened ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Dealt:
    """A seat's first rack, in drawing order."""

    seat: int
    drawn: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """A placement. `points` counted, per symbol; `track` is the mover's after it."""

    seat: int
    tile: Tile
    cells: Cells
    points: Track
    track: Track
    bonus_owed: int


@dataclass(frozen=True, slots=True)
class Refilled:
    """A turn ended by drawing, in drawing order."""

    seat: int
    drawn: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Exchanged:
    """A turn ended by an exchange; `returned` in canonical order, shown to everybody."""

    seat: int
    returned: tuple[Tile, ...]
    drawn: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Resigned:
    """A seat gave up."""

    seat: int


@dataclass(frozen=True, slots=True)
class TakenOver:
    """Somebody else plays a seat from now on."""

    seat: int
    name: str
    kind: SeatKind
    level: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """An absent player's turn ended, with what was drawn for the rack."""

    seat: int
    drawn: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over; `tracks` holds one for each seat (partners repeat the joint one)."""

    reason: EndReason
    ranking: Ranking
    tracks: tuple[Track, ...]


Event = Dealt | Placed | Refilled | Exchanged | Resigned | TakenOver | Skipped | Ended

SEATED_COMMANDS: Final = (PlaceTile, ExchangeRack, RefillRack, Resign)
"""What a player may ask for; the rest is the table's."""
