"""What is agreed before the first tile, tracks, and who ranks where.

Sections of docs/rules.md: 3 (stops at 18), 4 (ranking), 5 (modes), 7 (leaving).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from genial.engine.board import Zone, zone_of_radius
from genial.engine.tiles import SYMBOLS, Symbol

STOP: Final = 18
"""Where a counter stops, and a bonus placement is owed."""

DOUBLE_STOP: Final = 36
"""The end of a track of double length."""

Track = tuple[int, ...]
"""Six counters in points, in the order R G B O Y P."""

EMPTY_TRACK: Final[Track] = (0, 0, 0, 0, 0, 0)


class Preset(StrEnum):
    """Which exchange rule holds (rules, section 3)."""

    GENIAL = "genial"
    OFFICIAL = "official"


class Mode(StrEnum):
    """Who plays against whom (rules, section 5)."""

    FREE = "free"
    PARTNERS = "partners"
    SOLO = "solo"


class Leaving(StrEnum):
    """What becomes of a seat whose player stays away (rules, section 7)."""

    BOT = "bot"
    SKIP = "skip"


class SeatKind(StrEnum):
    """Who sits on a seat."""

    HUMAN = "human"
    BOT = "bot"


class FirstBy(StrEnum):
    """How the first seat came to be first (rules, section 6)."""

    NAMED = "named"
    CHANCE = "chance"
    ROTATION = "rotation"


class EndReason(StrEnum):
    """Why a game is over (rules, sections 4 and 7)."""

    ALL_AT_CAP = "all_at_cap"
    BOARD_FULL = "board_full"
    RESIGNED = "resigned"
    AGREED = "agreed"
    ABANDONED = "abandoned"


class InvalidRulesError(ValueError):
    """Rules that do not go together, such as partners for three."""


_PLAYERS: Final = {Mode.FREE: (2, 3, 4), Mode.PARTNERS: (4,), Mode.SOLO: (1,)}
_RADIUS: Final = {1: 5, 2: 5, 3: 6, 4: 7}


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one game.

    Attributes:
        players: Seats, 1 to 4, as the mode allows.
        leaving: What happens to the seat of somebody who stays away.
        partners_talk: Whether partners may chat during the game; None: never said.
        teams: Seats by track: one seat each, or the two pairs of partners.
        cap: The end of every counter in points: 18, or 36 on a double track.
        rack_size: Tiles on a full rack: six, or the one of solitaire.

    Raises:
        InvalidRulesError: The number of players does not suit the mode.
    """

    preset: Preset = Preset.GENIAL
    mode: Mode = Mode.FREE
    players: int = 2
    leaving: Leaving = Leaving.BOT
    partners_talk: bool | None = None
    teams: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)
    cap: int = field(init=False, repr=False, compare=False)
    rack_size: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Checks the players and fills in what follows from the mode."""
        allowed = _PLAYERS[self.mode]
        if self.players not in allowed:
            raise InvalidRulesError(
                f"mode {self.mode.value} is for {' or '.join(map(str, allowed))} players,"
                f" not {self.players}"
            )
        paired = self.mode is Mode.PARTNERS
        teams = ((0, 2), (1, 3)) if paired else tuple((seat,) for seat in range(self.players))
        object.__setattr__(self, "teams", teams)
        object.__setattr__(self, "cap", STOP if self.mode is Mode.FREE else DOUBLE_STOP)
        object.__setattr__(self, "rack_size", 1 if self.mode is Mode.SOLO else 6)

    @property
    def zone(self) -> Zone:
        """The part of the board that is in play."""
        return zone_of_radius(_RADIUS[self.players])

    @property
    def has_bonus(self) -> bool:
        """Whether a counter that reaches a stop owes a bonus placement."""
        return self.mode is not Mode.SOLO

    @property
    def has_exchange(self) -> bool:
        """Whether racks can be exchanged at all."""
        return self.mode is not Mode.SOLO

    def team_of(self, seat: int) -> int:
        """The index of a seat's track."""
        return seat % 2 if self.mode is Mode.PARTNERS else seat


def advance(counter: int, points: int, cap: int) -> int:
    """A counter after one half tile's points: it halts at 18 on its way, and at `cap`."""
    stop = STOP if counter < STOP else cap
    return min(counter + points, stop)


def score(track: Track, halves: Sequence[tuple[int, int]], cap: int) -> tuple[Track, int]:
    """A track after the two halves of a placement.

    Scoring goes half by half (rules, section 5); of the two orders the one that earns
    more counts. On a single track both come to the same.

    Args:
        track: Six counters.
        halves: (symbol 1..6, points) of each half.
        cap: The end of the track, 18 or 36.

    Returns:
        The new track, and how many stops were reached by it.
    """
    counters = list(track)
    (one, one_points), (other, other_points) = halves
    if one == other:
        before = track[one - 1]
        counters[one - 1] = max(
            advance(advance(before, one_points, cap), other_points, cap),
            advance(advance(before, other_points, cap), one_points, cap),
        )
    else:
        counters[one - 1] = advance(track[one - 1], one_points, cap)
        counters[other - 1] = advance(track[other - 1], other_points, cap)
    return tuple(counters), stops_reached(track, counters, cap)


def stops_reached(before: Sequence[int], after: Sequence[int], cap: int) -> int:
    """How many stops the counters reached on the way: each owes a bonus, and earns the call.

    >>> stops_reached((17, 3, 0, 0, 0, 0), (18, 3, 0, 0, 0, 0), cap=18)
    1
    """
    reached = 0
    if max(after) < STOP:
        return reached
    for old, new in zip(before, after, strict=True):
        if old != new:
            reached += (old < STOP <= new) + (old < cap == new and cap != STOP)
    return reached


def lowest_symbols(track: Track) -> tuple[Symbol, ...]:
    """All symbols whose counter is the lowest, ties included."""
    lowest = min(track)
    return tuple(symbol for symbol in SYMBOLS if track[symbol - 1] == lowest)


def weakest_first(track: Track) -> tuple[tuple[Symbol, int], ...]:
    """Symbols with their points, weakest first; ties in the order R G B O Y P."""
    return tuple(sorted(zip(SYMBOLS, track, strict=True), key=lambda entry: entry[1]))


Ranking = tuple[tuple[int, ...], ...]
"""Groups of seats, best first; seats that share a rank stand in one group, ascending."""


def ranking(rules: Rules, tracks: Sequence[Track], resigned: Iterable[int] = ()) -> Ranking:
    """Who ranks where (rules, sections 4, 5 and 7).

    Args:
        rules: The game's rules.
        tracks: One for each team.
        resigned: Seats that resigned, earliest first.

    Returns:
        Groups of seats, best first. Sorted tracks are compared from the weakest
        counter up; resigned teams rank below the others, the later above the earlier.
    """
    gone = [rules.team_of(seat) for seat in resigned]

    def standing(team: int) -> tuple[int, list[int]]:
        if team in gone:
            return gone.index(team) - len(gone), []
        return 0, sorted(tracks[team])

    groups: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for team, seats in enumerate(rules.teams):
        still, counters = standing(team)
        groups.setdefault((still, tuple(counters)), []).extend(seats)
    return tuple(tuple(sorted(groups[key])) for key in sorted(groups, reverse=True))
