"""The game record, read and judged from the file alone (rules, sections 8 and 9).

`judge` gives one of three verdicts. Reading goes line by line and keeps little, so a
huge or broken file costs neither memory nor patience: the first fault ends it. Draws
are compared with the shuffle once the seed is known; whichever fault stands on the
earlier line is the one reported. Rendering is in `record_text`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from typing import Any, Final

from genial.engine.game import (
    Game,
    check_early_end,
    check_exchange,
    check_refill,
    check_resignation,
    check_skip,
    check_takeover,
    draw_count,
    ending,
    evolve,
    exchange_count,
    judge_placement,
    reason_to_end,
)
from genial.engine.moves import (
    Dealt,
    Ended,
    Event,
    Exchanged,
    Phase,
    Placed,
    PlaceTile,
    Refilled,
    Resigned,
    Skipped,
    TakenOver,
)
from genial.engine.record_fields import (
    MAX_LINE_BYTES,
    Fault,
    is_text,
    parse_line,
    read_cells,
    read_choice,
    read_digest,
    read_int,
    read_moment,
    read_object,
    read_text,
    read_tile,
    read_tiles,
    require,
    require_same,
    same,
)
from genial.engine.record_header import read_header
from genial.engine.record_text import (
    Record,
    RecordHeader,
    TimedEvent,
    points_by_letter,
    ranking_lists,
    render,
    render_event,
    render_header,
    track_by_letter,
)
from genial.engine.refusal import Refused
from genial.engine.rules import EndReason, FirstBy, SeatKind
from genial.engine.shuffle import (
    CountedBag,
    DrawMismatchError,
    commitment,
    deal_key,
    nonce_hash,
    open_bag,
)
from genial.engine.tiles import Tile

__all__ = [
    "MAX_LINE_BYTES",
    "Judgement",
    "Record",
    "RecordHeader",
    "TimedEvent",
    "Verdict",
    "judge",
    "judge_lines",
    "render",
    "render_event",
    "render_header",
]

_SEEK_LINES: Final = 50_000
"""So far beyond a fault the end is sought; a hundred million blank lines are not worth a minute."""


class Verdict(StrEnum):
    """What a reader says of a record."""

    VERIFIED = "verified"
    CONSISTENT = "consistent, not verifiable"
    FAULTY = "faulty"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict.

    Attributes:
        line: Where the first fault is, from 1; None unless faulty.
        sentence: What is wrong, or why it cannot be verified; empty when verified.
        record: What was read; None if faulty, or if events were not to be kept.
    """

    verdict: Verdict
    line: int | None = None
    sentence: str = ""
    record: Record | None = None


def judge(data: bytes) -> Judgement:
    """Judges a whole record and keeps what was read."""
    return judge_lines(_split(data), keep=True)


def judge_lines(lines: Iterable[bytes], *, keep: bool = False) -> Judgement:
    """Judges a record line by line.

    Args:
        lines: Each with or without its final newline. A reader of files passes lines
            cut at `MAX_LINE_BYTES` + 1, so that none needs more memory than that.
        keep: Whether the judgement is to hold the record.

    Returns:
        The verdict; it never raises for anything that the lines hold.
    """
    reader = _Reader(keep)
    numbered = enumerate(lines, 1)
    fault: Fault | None = None
    for number, line in numbered:
        try:
            reader.read(line)
        except Fault as found:
            fault = found.at(number)
            break
        except (Refused, DrawMismatchError) as found:
            fault = Fault(_one_sentence(str(found)), number)
            break
    if fault is not None and fault.line == 1:
        return Judgement(Verdict.FAULTY, 1, fault.sentence)
    if reader.header is None:
        return Judgement(Verdict.FAULTY, 1, "the file is empty; a record begins with its header")
    if fault is not None and not reader.ended:
        # The faulty line may be the end itself.
        reader.seek_seed(chain([line], (later for _, later in numbered)))
    strange = reader.compare_with_shuffle()
    if strange is not None and (fault is None or (strange.line or 0) <= (fault.line or 0)):
        fault = strange
    if fault is not None:
        return Judgement(Verdict.FAULTY, fault.line, fault.sentence)
    record = reader.record()
    if not reader.ended:
        return Judgement(Verdict.CONSISTENT, None, "the game is unfinished", record)
    if reader.seed is None:
        return Judgement(Verdict.CONSISTENT, None, "the seed is not told", record)
    return Judgement(Verdict.VERIFIED, record=record)


def _split(data: bytes) -> Iterator[bytes]:
    """The lines of a file in memory, without copying all of it at once."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        if end < 0:
            end = len(data)
        yield data[start : min(end, start + MAX_LINE_BYTES + 1)]
        start = end + 1


def _one_sentence(text: str) -> str:
    return text.rstrip(".")


@dataclass(frozen=True, slots=True)
class _Draw:
    line: int
    drawn: tuple[Tile, ...]
    returned: tuple[Tile, ...]


class _Reader:
    """A record being read: the game so far, and what is to be compared at the end."""

    def __init__(self, keep: bool) -> None:
        self.header: RecordHeader | None = None
        self.seed: bytes | None = None
        self.ended = False
        self._keep = keep
        self._kept: list[TimedEvent] = []
        self._draws: list[_Draw] = []
        self._lines = 0
        self._last_at = ""
        self._game: Game
        self._due: EndReason | None = None

    def record(self) -> Record | None:
        """What was read, if it was to be kept."""
        if not self._keep or self.header is None:
            return None
        return Record(self.header, tuple(self._kept), self.seed)

    def read(self, line: bytes) -> None:
        """Takes the next line; raises Fault, Refused or DrawMismatchError if it does not stand."""
        self._lines += 1
        if self.ended:
            raise Fault("nothing follows the end of a game")
        fields = parse_line(line)
        if self.header is None:
            self._begin(fields)
        else:
            self._follow(fields)

    def _begin(self, fields: dict[str, Any]) -> None:
        header = read_header(fields)
        for seat, (nonce, digest) in enumerate(
            zip(header.nonces, header.nonce_hashes, strict=True)
        ):
            if nonce_hash(nonce) != digest:
                raise Fault(f"the nonce of seat {seat} does not fit its hash")
        self.header = header
        self._game = Game.new(header.rules, header.seats, header.first_seat, CountedBag())

    def _follow(self, fields: dict[str, Any]) -> None:
        n = read_int(fields, "n")
        if n != self._lines - 1:
            raise Fault(f"n is {n}, but this is event {self._lines - 1}")
        kind = read_text(fields, "type")
        at = self._read_at(fields)
        foreign = kind.startswith("x-")
        if not foreign and kind not in _EVENT_READERS:
            raise Fault(f"{kind[:40]!r} is no event of this version")
        if kind != "end":
            due = self._due
            # A board that is full ends a game at once; after a resignation the host may
            # still note something of its own (x-) before the end.
            if due is not None and not (foreign and due is EndReason.RESIGNED):
                raise Fault(f"the game is over ({due.value}); only its end can follow")
        if foreign:
            return
        if (kind == "deal") != (self._game.phase is Phase.DEAL):
            raise Fault("the first events are the deals, one for each seat, and no later ones")
        event = _EVENT_READERS[kind](self, fields)
        self._game = evolve(self._game, event)
        if isinstance(event, Dealt | Refilled | Skipped | Exchanged):
            returned = event.returned if isinstance(event, Exchanged) else ()
            if event.drawn or returned:
                self._draws.append(_Draw(self._lines, event.drawn, returned))
        elif isinstance(event, Placed | Resigned):
            # Nothing else can bring a game to its end by itself.
            self._due = reason_to_end(self._game)
        elif isinstance(event, Ended):
            self.ended = True
        if self._keep:
            self._kept.append(TimedEvent(n, event, at))

    def _read_at(self, fields: dict[str, Any]) -> str | None:
        assert self.header is not None
        if "at" not in fields:
            if self.header.clock is not None:
                raise Fault("with a clock every event says when it happened (at)")
            return None
        at = read_moment(fields, "at")
        if at < self._last_at:
            raise Fault(f"{at} is before the event that precedes it")
        self._last_at = at
        return at

    # One reader for each type of event: what the line says must be what the rules say.

    def _deal(self, fields: dict[str, Any]) -> Event:
        game = self._game
        order = game.turn_order()
        due = order[sum(1 for rack in game.racks if rack)]
        seat = self._seat(fields)
        if seat != due:
            raise Fault(f"seat {due} is dealt to next, not seat {seat}")
        return Dealt(seat, self._drawn(fields, game.rules.rack_size))

    def _place(self, fields: dict[str, Any]) -> Event:
        seat = self._seat(fields)
        placed = judge_placement(
            self._game,
            PlaceTile(seat, read_tile(fields, "tile", turned=True), read_cells(fields)),
        )
        points = read_object(fields, "points")
        require_same("points", points, points_by_letter(placed.points))
        scores = read_object(fields, "scores")
        require_same("scores", scores, track_by_letter(placed.track))
        owed = read_int(fields, "bonus_owed")
        if owed != placed.bonus_owed:
            raise Fault(f"bonus_owed is {placed.bonus_owed} here, not {owed}")
        return placed

    def _refill(self, fields: dict[str, Any]) -> Event:
        seat = self._seat(fields)
        check_refill(self._game, seat)
        return Refilled(seat, self._drawn(fields, draw_count(self._game, seat)))

    def _exchange(self, fields: dict[str, Any]) -> Event:
        seat = self._seat(fields)
        rack = check_exchange(self._game, seat)
        returned = read_tiles(fields, "returned")
        if returned != rack:
            raise Fault("returned is not the rack in canonical order")
        return Exchanged(seat, returned, self._drawn(fields, exchange_count(self._game)))

    def _resign(self, fields: dict[str, Any]) -> Event:
        seat = self._seat(fields)
        check_resignation(self._game, seat)
        return Resigned(seat)

    def _takeover(self, fields: dict[str, Any]) -> Event:
        seat = self._seat(fields)
        kind = read_choice(fields, "kind", SeatKind)
        check_takeover(self._game, seat, kind)
        # Section 8 knows no level here, so whatever else stands there is ignored.
        level = fields.get("level")
        return TakenOver(seat, read_text(fields, "name"), kind, level if is_text(level) else None)

    def _skip(self, fields: dict[str, Any]) -> Event:
        seat = self._seat(fields)
        check_skip(self._game, seat)
        return Skipped(seat, self._drawn(fields, draw_count(self._game, seat)))

    def _end(self, fields: dict[str, Any]) -> Event:
        reason = read_choice(fields, "reason", EndReason)
        due = self._due
        if due is not None:
            if reason is not due:
                raise Fault(f"the game ended {due.value}, not {reason.value}")
        elif reason in (EndReason.AGREED, EndReason.ABANDONED):
            check_early_end(self._game, reason)
        else:
            raise Fault(f"the game has not ended {reason.value} as it stands")
        ended = ending(self._game, reason)
        if not same(require(fields, "ranking"), ranking_lists(ended.ranking)):
            raise Fault("ranking does not follow from the tracks")
        if not same(require(fields, "scores"), [track_by_letter(track) for track in ended.tracks]):
            raise Fault("scores are not the tracks at the end, one for each seat")
        self.seed = self._read_seed(fields)
        return ended

    def _seat(self, fields: dict[str, Any]) -> int:
        seat = read_int(fields, "seat")
        players = self._game.rules.players
        if not 0 <= seat < players:
            raise Fault(f"there is no seat {seat} among {players}")
        return seat

    def _drawn(self, fields: dict[str, Any], count: int) -> tuple[Tile, ...]:
        drawn = read_tiles(fields, "drawn")
        if len(drawn) != count:
            raise Fault(f"{count} tiles are drawn here, not {len(drawn)}")
        return drawn

    def _read_seed(self, fields: dict[str, Any]) -> bytes | None:
        assert self.header is not None
        if "shuffle" not in fields:
            return None
        shuffle = read_object(fields, "shuffle")
        if "seed" not in shuffle:
            return None
        seed = read_digest(shuffle, "seed")
        if commitment(seed) != self.header.commitment:
            raise Fault("the seed does not fit the commitment")
        return seed

    # The draws, once the seed is known.

    def seek_seed(self, lines: Iterable[bytes]) -> None:
        """After a fault: whether a later end tells the seed, to judge the earlier draws by."""
        for line in islice(lines, _SEEK_LINES):
            # Most lines need no parsing; one with a backslash may spell the word otherwise.
            if b'"end"' not in line and b"\\" not in line:
                continue
            try:
                fields = parse_line(line)
                if fields.get("type") == "end":
                    self.seed = self._read_seed(fields)
                    return
            except Fault:
                # Only the first fault of a file is told, and that one stands before this line.
                continue

    def compare_with_shuffle(self) -> Fault | None:
        """The first draw, or first seat, that does not follow from seed and nonces."""
        if self.seed is None or self.header is None:
            return None
        bag = open_bag(deal_key(self.seed, self.header.nonces))
        if self.header.first_by is FirstBy.CHANCE:
            seat, bag = bag.first_seat(self.header.rules.players)
            if seat != self.header.first_seat:
                return Fault(f"chance gave seat {seat} the first turn", 1)
        for draw in self._draws:
            try:
                bag = bag.take(draw.drawn)
            except DrawMismatchError as mismatch:
                return Fault(str(mismatch), draw.line)
            if draw.returned:
                bag = bag.put_back(draw.returned)
        return None


_EVENT_READERS: Final[dict[str, Callable[[_Reader, dict[str, Any]], Event]]] = {
    "deal": _Reader._deal,
    "place": _Reader._place,
    "refill": _Reader._refill,
    "exchange": _Reader._exchange,
    "resign": _Reader._resign,
    "takeover": _Reader._takeover,
    "skip": _Reader._skip,
    "end": _Reader._end,
}
