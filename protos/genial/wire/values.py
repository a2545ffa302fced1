"""Small values of the game <-> their messages.

Every `…_from_message` raises `GenialError` (MALFORMED, the field named) where a message
holds what no value can be; so they serve a host reading requests and a client reading
answers alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from genial.engine.hexgrid import Axial
from genial.engine.moves import Cells, Phase
from genial.engine.rules import (
    EndReason,
    FirstBy,
    InvalidRulesError,
    Leaving,
    Mode,
    Preset,
    Ranking,
    Rules,
    SeatKind,
    Track,
)
from genial.engine.tiles import LETTERS, MalformedTileError, Symbol, Tile
from genial.v1 import game_pb2
from genial.wire.errors import malformed

_V = TypeVar("_V")
_M = TypeVar("_M", bound=int)

_SYMBOLS: Final = 6
_MS: Final = 1000
_NS_PER_MS: Final = 1_000_000
_LONGEST_CLOCK_MS: Final = 24 * 3600 * _MS


class EnumCodec(Generic[_V, _M]):
    """One enum of the engine and its twin in the contract, value by value."""

    def __init__(self, pairs: dict[_V, _M]) -> None:
        self.to_message: Final = pairs
        self._back: Final[dict[int, _V]] = {message: value for value, message in pairs.items()}

    def from_message(self, message: int, field: str) -> _V:
        """The engine's value; raises MALFORMED for UNSPECIFIED and for unknown numbers."""
        value = self._back.get(message)
        if value is None:
            raise malformed(field, "must be given" if message == 0 else f"has no value {message}")
        return value


PRESETS: Final = EnumCodec(
    {Preset.GENIAL: game_pb2.PRESET_GENIAL, Preset.OFFICIAL: game_pb2.PRESET_OFFICIAL}
)
MODES: Final = EnumCodec(
    {
        Mode.FREE: game_pb2.MODE_FREE,
        Mode.PARTNERS: game_pb2.MODE_PARTNERS,
        Mode.SOLO: game_pb2.MODE_SOLO,
    }
)
LEAVINGS: Final = EnumCodec(
    {Leaving.BOT: game_pb2.LEAVING_BOT, Leaving.SKIP: game_pb2.LEAVING_SKIP}
)
SEAT_KINDS: Final = EnumCodec(
    {SeatKind.HUMAN: game_pb2.SEAT_KIND_HUMAN, SeatKind.BOT: game_pb2.SEAT_KIND_BOT}
)
FIRST_BYS: Final = EnumCodec(
    {
        FirstBy.NAMED: game_pb2.FIRST_BY_NAMED,
        FirstBy.CHANCE: game_pb2.FIRST_BY_CHANCE,
        FirstBy.ROTATION: game_pb2.FIRST_BY_ROTATION,
    }
)
END_REASONS: Final = EnumCodec(
    {
        EndReason.ALL_AT_CAP: game_pb2.END_REASON_ALL_AT_CAP,
        EndReason.BOARD_FULL: game_pb2.END_REASON_BOARD_FULL,
        EndReason.RESIGNED: game_pb2.END_REASON_RESIGNED,
        EndReason.AGREED: game_pb2.END_REASON_AGREED,
        EndReason.ABANDONED: game_pb2.END_REASON_ABANDONED,
    }
)
PHASES: Final = EnumCodec(
    {
        # Nobody is shown a game before its deal; the contract has no name for that.
        Phase.DEAL: game_pb2.TURN_PHASE_UNSPECIFIED,
        Phase.PLACE: game_pb2.TURN_PHASE_PLACE,
        Phase.BONUS: game_pb2.TURN_PHASE_BONUS,
        Phase.CLOSE: game_pb2.TURN_PHASE_CLOSE,
        Phase.OVER: game_pb2.TURN_PHASE_OVER,
    }
)


# --- rules --------------------------------------------------------------------------


def rules_to_message(rules: Rules) -> game_pb2.Rules:
    """Rules for the wire."""
    return game_pb2.Rules(
        preset=PRESETS.to_message[rules.preset],
        mode=MODES.to_message[rules.mode],
        players=rules.players,
        leaving=LEAVINGS.to_message[rules.leaving],
        partners_talk=bool(rules.partners_talk),
    )


def rules_from_message(message: game_pb2.Rules, field: str = "rules") -> Rules:
    """Rules of a message; `partners_talk` is only said where there are partners.

    Raises:
        GenialError: MALFORMED, for an unknown value or players that the mode is not for.
    """
    mode = MODES.from_message(message.mode, f"{field}.mode")
    try:
        return Rules(
            preset=PRESETS.from_message(message.preset, f"{field}.preset"),
            mode=mode,
            players=message.players,
            leaving=LEAVINGS.from_message(message.leaving, f"{field}.leaving"),
            partners_talk=message.partners_talk if mode is Mode.PARTNERS else None,
        )
    except InvalidRulesError as fault:
        raise malformed(f"{field}.players", str(fault)) from None


# --- cells, tiles, tracks, ranking ----------------------------------------------------


def cell_to_message(cell: tuple[int, int]) -> game_pb2.Cell:
    """A cell for the wire."""
    return game_pb2.Cell(q=cell[0], r=cell[1])


def cells_from_message(messages: Sequence[game_pb2.Cell], field: str = "cells") -> Cells:
    """The two cells of a placement, wherever they lie.

    Raises:
        GenialError: MALFORMED, unless there are two.
    """
    if len(messages) != 2:
        raise malformed(field, f"a placement has two cells, not {len(messages)}")
    one, other = messages
    return Axial(one.q, one.r), Axial(other.q, other.r)


def tile_from_message(text: str, field: str = "tile") -> Tile:
    """The tile of two letters as they stand (a tile being placed may be turned).

    Raises:
        GenialError: MALFORMED, for any other text.
    """
    try:
        return Tile.parse_oriented(text)
    except MalformedTileError as fault:
        raise malformed(field, str(fault)) from None


def tiles_to_message(tiles: Iterable[Tile]) -> list[str]:
    """Tiles as letters, in the order given."""
    return [str(tile) for tile in tiles]


def tiles_from_message(texts: Iterable[str], field: str) -> tuple[Tile, ...]:
    """The canonical tiles of letters, in the order given.

    Raises:
        GenialError: MALFORMED, for a text that is no canonical tile.
    """
    tiles = []
    for place, text in enumerate(texts):
        tile = tile_from_message(text, f"{field}[{place}]")
        if tile.canonical != tile:
            raise malformed(f"{field}[{place}]", f"{text} must be written {tile.canonical}")
        tiles.append(tile)
    return tuple(tiles)


def track_to_message(track: Track) -> game_pb2.Track:
    """A track for the wire."""
    return game_pb2.Track(counters=track)


def track_from_message(message: game_pb2.Track, field: str = "track") -> Track:
    """A track of six counters.

    Raises:
        GenialError: MALFORMED, unless there are six.
    """
    if len(message.counters) != _SYMBOLS:
        raise malformed(f"{field}.counters", f"a track has six, not {len(message.counters)}")
    return tuple(message.counters)


def points_to_message(points: Track) -> dict[str, int]:
    """Points per symbol letter, zeroes left out."""
    return {letter: earned for letter, earned in zip(LETTERS, points, strict=True) if earned}


def points_from_message(message: Iterable[tuple[str, int]], field: str = "points") -> Track:
    """Points of all six symbols.

    Raises:
        GenialError: MALFORMED, for a key that is no symbol's letter.
    """
    points = [0] * _SYMBOLS
    for letter, earned in message:
        if len(letter) != 1 or letter not in LETTERS:
            raise malformed(field, f"{letter[:20]!r} is no symbol")
        points[LETTERS.index(letter)] = earned
    return tuple(points)


def symbols_from_message(letters: Iterable[str], field: str) -> frozenset[Symbol]:
    """The symbols of letters.

    Raises:
        GenialError: MALFORMED, for a text that is no symbol's letter.
    """
    try:
        return frozenset(Symbol.from_letter(letter) for letter in letters)
    except MalformedTileError as fault:
        raise malformed(field, str(fault)) from None


def ranking_to_message(ranking: Ranking) -> list[game_pb2.RankGroup]:
    """A ranking for the wire."""
    return [game_pb2.RankGroup(seats=group) for group in ranking]


def ranking_from_message(messages: Iterable[game_pb2.RankGroup]) -> Ranking:
    """Groups of seats, best first."""
    return tuple(tuple(group.seats) for group in messages)


# --- time ---------------------------------------------------------------------------


def timestamp_to_message(at_ms: int) -> Timestamp:
    """A moment in milliseconds since 1970, UTC."""
    message = Timestamp()
    set_timestamp(message, at_ms)
    return message


def set_timestamp(message: Timestamp, at_ms: int) -> None:
    """Sets a moment in milliseconds since 1970, UTC."""
    message.seconds, rest = divmod(at_ms, _MS)
    message.nanos = rest * _NS_PER_MS


def timestamp_from_message(message: Timestamp) -> int:
    """Milliseconds since 1970, UTC; finer parts are cut."""
    return message.seconds * _MS + message.nanos // _NS_PER_MS


def duration_to_message(length_ms: int) -> Duration:
    """A length of time in milliseconds, not negative."""
    seconds, rest = divmod(length_ms, _MS)
    return Duration(seconds=seconds, nanos=rest * _NS_PER_MS)


def duration_from_message(message: Duration) -> int:
    """Milliseconds; finer parts are cut."""
    return message.seconds * _MS + message.nanos // _NS_PER_MS


class MalformedClockError(ValueError):
    """A text that names no clock."""


_LENGTH: Final = re.compile(r"(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,5})s)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Clock:
    """A thinking clock in milliseconds: `base` for the game, `increment` for each turn.

    >>> str(Clock.parse("10m+10s")), Clock.parse("1h30m").base_ms
    ('10m+10s', 5400000)
    """

    base_ms: int
    increment_ms: int = 0

    @classmethod
    def parse(cls, text: str) -> Clock:
        """The clock of a text such as ``10m+10s``, ``90s`` or ``1h+1m30s``.

        Raises:
            MalformedClockError: Anything else, no base time, or more than a day.
        """
        base, plus, increment = text.partition("+")
        try:
            clock = cls(_parse_length(base), _parse_length(increment) if plus else 0)
        except ValueError:
            raise MalformedClockError(
                f"{text[:20]!r} is no clock: time for the game, then for each turn, like 10m+10s"
            ) from None
        if not 0 < clock.base_ms <= _LONGEST_CLOCK_MS or clock.increment_ms > _LONGEST_CLOCK_MS:
            raise MalformedClockError("a clock gives more than nothing and at most a day")
        return clock

    def __str__(self) -> str:
        """As in records and on the command line; whole seconds."""
        return f"{_length_text(self.base_ms)}+{_length_text(self.increment_ms)}"


def _parse_length(text: str) -> int:
    match = _LENGTH.fullmatch(text)
    if match is None or not text:
        raise ValueError(text)
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((hours * 60 + minutes) * 60 + seconds) * _MS


def _length_text(length_ms: int) -> str:
    minutes, seconds = divmod(length_ms // _MS, 60)
    if minutes and not seconds:
        return f"{minutes}m"
    return f"{minutes}m{seconds}s" if minutes else f"{seconds}s"


def clock_to_message(clock: Clock) -> game_pb2.Clock:
    """A clock for the wire."""
    return game_pb2.Clock(
        base=duration_to_message(clock.base_ms),
        increment=duration_to_message(clock.increment_ms),
    )


def clock_from_message(message: game_pb2.Clock, field: str = "clock") -> Clock:
    """A clock of whole seconds.

    Raises:
        GenialError: MALFORMED, for no base time, broken seconds, or more than a day.
    """
    for part, length, least in (("base", message.base, 1), ("increment", message.increment, 0)):
        if length.nanos or not least <= length.seconds <= _LONGEST_CLOCK_MS // _MS:
            raise malformed(f"{field}.{part}", "must be whole seconds, at most a day")
    return Clock(duration_from_message(message.base), duration_from_message(message.increment))
