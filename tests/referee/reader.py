"""An independent reader of the game record, written from section 8 of the rules alone.

`judge` reads a file from top to bottom and reports the first fault by line. Draws are compared
with the shuffle afterwards, once the revealed seed is known to be the right one; whichever fault
stands on the earlier line is the one reported.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from tests.referee import naive, shuffle

VERIFIED = "verified"
CONSISTENT = "consistent, not verifiable"
FAULTY = "faulty"

TILES = frozenset(shuffle.standard_tiles())
HEX = re.compile(r"[0-9a-f]{64}")
MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
)


class Judgement(NamedTuple):
    """What a reader says of a record; `line` (from 1) is None unless the record is faulty."""

    verdict: str
    line: int | None
    sentence: str


class Fault(Exception):
    """Something is wrong at the line being read (or at `line`, if that is given)."""

    def __init__(self, sentence: str, line: int | None = None) -> None:
        super().__init__(sentence)
        self.line = line


class Draw(NamedTuple):
    """One event that takes tiles from the bag, and gives some back in an exchange."""

    line: int
    drawn: list[str]
    returned: list[str]


def judge(source: str | Path | bytes) -> Judgement:
    """Judge a record: the bytes themselves, or the path of a file."""
    data = source if isinstance(source, bytes) else Path(source).read_bytes()
    lines = data.split(b"\n")
    if len(lines) > 1 and lines[-1] == b"":
        lines.pop()
    return judge_from(Reading(), lines)


def judge_from(reading: Reading, lines: Sequence[bytes]) -> Judgement:
    """Judge a record whose first lines `reading` has read already, and these are the rest."""
    fault: tuple[int, str] | None = None
    left = list(lines)
    while left:
        try:
            reading.read_line(left[0])
        except Fault as found:
            fault = (found.line or reading.line, str(found))
            break
        except naive.Illegal as found:
            fault = (reading.line, str(found))
            break
        left.pop(0)
    seed = reading.seed
    if fault is not None and reading.header_stands:
        seed = reading.seed or _seed_further_on(reading, left)
    if seed is not None:
        strange = reading.compare_with_shuffle(seed)
        if strange is not None and (fault is None or strange[0] <= fault[0]):
            fault = strange
    if fault is not None:
        return Judgement(FAULTY, fault[0], fault[1])
    if not reading.ended:
        return Judgement(CONSISTENT, None, "all stands so far, but the record has no end")
    if seed is None:
        return Judgement(CONSISTENT, None, "all stands, but no seed is revealed")
    return Judgement(VERIFIED, None, "all stands, and every draw follows from seed and nonces")


def _seed_further_on(reading: Reading, lines: Sequence[bytes]) -> bytes | None:
    """The right seed, if a line from the faulty one on reveals it: draws above can be compared."""
    for line in lines:
        try:
            event = parse(line)
            if event.get("type") == "end":
                return reading.read_seed(event)
        except Fault:
            continue
    return None


# JSON, strictly


def parse(line: bytes) -> dict[str, object]:
    """One line as a JSON object, or a `Fault`."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise Fault("invalid UTF-8") from None
    if text.startswith("\ufeff"):
        raise Fault("a byte-order mark")
    if not text.strip():
        raise Fault("a blank line")
    try:
        value: object = json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise Fault(f"not JSON: {error}") from None
    return as_object(value, "the line")


def _no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise Fault(f"the key {key!r} is given twice")
        found[key] = value
    return found


def _refuse(constant: str) -> NoReturn:
    raise Fault(f"not JSON: {constant}")


def as_object(value: object, what: str) -> dict[str, object]:
    """The value, if it is a JSON object."""
    if not isinstance(value, dict):
        raise Fault(f"{what} has to be an object")
    return value


def as_list(value: object, what: str) -> list[object]:
    """The value, if it is a JSON array."""
    if not isinstance(value, list):
        raise Fault(f"{what} has to be a list")
    return value


def as_string(value: object, what: str) -> str:
    """The value, if it is a JSON string that could be written as UTF-8 without escapes."""
    if not isinstance(value, str):
        raise Fault(f"{what} has to be a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise Fault(f"{what} holds half of a character") from None
    return value


def as_integer(value: object, what: str) -> int:
    """The value, if it is a JSON integer: neither `1.0` nor `true`."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise Fault(f"{what} has to be an integer")
    return value


def as_one_of(value: object, choices: Sequence[str], what: str) -> str:
    """The value, if it is one of these strings."""
    text = as_string(value, what)
    if text not in choices:
        raise Fault(f"{what} is unknown: {text!r}")
    return text


def as_secret(value: object, what: str) -> bytes:
    """32 bytes, from 64 lower-case hexadecimal digits."""
    text = as_string(value, what)
    if not HEX.fullmatch(text):
        raise Fault(f"{what} has to be 64 lower-case hexadecimal digits")
    return bytes.fromhex(text)


def as_tiles(value: object, what: str) -> list[str]:
    """A list of tiles in canonical letters."""
    tiles = [as_string(tile, what) for tile in as_list(value, what)]
    for tile in tiles:
        if tile not in TILES:
            raise Fault(f"{what}: {tile!r} is no tile in canonical letters")
    return tiles


def as_points(value: object, what: str) -> dict[str, int]:
    """Integers by letter; which letters there are is for the caller to compare."""
    return {x: as_integer(number, what) for x, number in as_object(value, what).items()}


def as_cell(value: object, what: str) -> naive.Cell:
    """A cell `[q, r]`."""
    numbers = as_list(value, what)
    if len(numbers) != 2:
        raise Fault(f"{what} has to be two numbers")
    return as_integer(numbers[0], what), as_integer(numbers[1], what)


def need(holder: dict[str, object], key: str) -> object:
    """The value of a key that has to be there."""
    if key not in holder:
        raise Fault(f"the key {key!r} is missing")
    return holder[key]


def check_moment(value: object) -> str:
    """The host's UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`; such texts sort as the moments do."""
    text = as_string(value, "at")
    if not MOMENT.fullmatch(text):
        raise Fault(f"at is not written YYYY-MM-DDTHH:MM:SS.mmmZ: {text!r}")
    try:
        datetime.datetime.fromisoformat(text[:-1])
    except ValueError:
        raise Fault(f"at is no moment: {text!r}") from None
    return text


# The record


class Reading:
    """A record as far as it has been read."""

    def __init__(self) -> None:
        self.line = 0
        self.header_stands = False
        self.ended = False
        self.seed: bytes | None = None
        self.draws: list[Draw] = []
        self.last_at = ""
        self.clock = False
        self.first_by = ""
        self.commitment = ""
        self.nonces: list[bytes] = []
        self.game: naive.NaiveGame

    def read_line(self, line: bytes) -> None:
        """Read the next line; raises `Fault` or `Illegal` at what is wrong with it."""
        self.line += 1
        found = parse(line)
        if self.line == 1:
            self.read_header(found)
            self.header_stands = True
        else:
            self.read_event(found)

    # Header

    def read_header(self, header: dict[str, object]) -> None:
        """Line 1."""
        if need(header, "record") != "genial/1":
            raise Fault(f"an unknown version of the record: {header['record']!r}")
        as_string(need(header, "game_id"), "game_id")
        as_string(need(header, "started_at"), "started_at")

        rules = as_object(need(header, "rules"), "rules")
        for key in rules:
            if key not in ("preset", "mode", "players", "leaving", "partners_talk"):
                raise Fault(f"an unknown key inside rules: {key!r}")
        preset = as_one_of(need(rules, "preset"), naive.PRESETS, "preset")
        mode = as_one_of(need(rules, "mode"), naive.MODES, "mode")
        leaving = as_one_of(need(rules, "leaving"), naive.LEAVING, "leaving")
        players = as_integer(need(rules, "players"), "players")
        if not isinstance(rules.get("partners_talk", False), bool):
            raise Fault("partners_talk has to be true or false")

        seats = as_list(need(header, "seats"), "seats")
        kinds = []
        for index, one in enumerate(seats):
            seat = as_object(one, "a seat")
            if as_integer(need(seat, "seat"), "seat") != index:
                raise Fault(f"seat {index} does not carry its number")
            as_string(need(seat, "name"), "name")
            kinds.append(as_one_of(need(seat, "kind"), naive.KINDS, "kind"))
            if "level" in seat:
                as_string(seat["level"], "level")
        if len(seats) != players:
            raise Fault(f"{len(seats)} seats for {players} players")

        first_seat = as_integer(need(header, "first_seat"), "first_seat")
        self.first_by = as_one_of(
            need(header, "first_by"), ("named", "chance", "rotation"), "first_by"
        )
        self.read_optional(header)
        self.read_shuffle(as_object(need(header, "shuffle"), "shuffle"), players)
        self.game = naive.NaiveGame(preset, mode, players, first_seat, leaving=leaving, kinds=kinds)

    def read_optional(self, header: dict[str, object]) -> None:
        """The header's keys that may be left out."""
        for key in ("software", "clock"):
            if key in header:
                as_string(header[key], key)
        self.clock = "clock" in header
        if "deal" in header:
            as_integer(header["deal"], "deal")
        if "match" in header:
            match = as_object(header["match"], "match")
            if "id" in match:
                as_string(match["id"], "the match's id")
            for key in ("game", "of"):
                if key in match:
                    as_integer(match[key], f"the match's {key}")

    def read_shuffle(self, found: dict[str, object], players: int) -> None:
        """What was fixed before the deal."""
        as_one_of(need(found, "scheme"), (shuffle.SCHEME,), "scheme")
        self.commitment = as_secret(need(found, "commitment"), "commitment").hex()
        hashes = [
            as_secret(one, "a nonce's hash").hex()
            for one in as_list(need(found, "nonce_hashes"), "nonce_hashes")
        ]
        self.nonces = [
            as_secret(one, "a nonce") for one in as_list(need(found, "nonces"), "nonces")
        ]
        if len(hashes) != players or len(self.nonces) != players:
            raise Fault("every seat has one nonce and one hash of it")
        for seat, nonce in enumerate(self.nonces):
            if shuffle.nonce_hash_of(nonce) != hashes[seat]:
                raise Fault(f"the nonce of seat {seat} is not the one that its hash promised")

    # Events

    def read_event(self, event: dict[str, object]) -> None:
        """Any line after the first."""
        if self.ended:
            raise Fault("something follows the end")
        if as_integer(need(event, "n"), "n") != self.line - 1:
            raise Fault(f"event {self.line - 1} is not numbered so")
        if "at" in event:
            at = check_moment(event["at"])
            if at < self.last_at:
                raise Fault("at goes back in time")
            self.last_at = at
        elif self.clock:
            raise Fault("with a clock every event carries at")
        kind = as_string(need(event, "type"), "type")
        if kind.startswith("x-"):
            if self.game.reason in ("all_at_cap", "board_full"):
                raise Fault("the game is over: nothing follows but the end")
            return
        readers: dict[str, Callable[[dict[str, object]], None]] = {
            "deal": self.read_deal,
            "place": self.read_place,
            "refill": self.read_refill,
            "exchange": self.read_exchange,
            "skip": self.read_skip,
            "resign": self.read_resign,
            "takeover": self.read_takeover,
            "end": self.read_end,
        }
        if kind not in readers:
            raise Fault(f"an unknown type of event: {kind!r}")
        readers[kind](event)

    def read_seat(self, event: dict[str, object]) -> int:
        """The event's seat, which has to exist."""
        seat = as_integer(need(event, "seat"), "seat")
        if not 0 <= seat < self.game.players:
            raise Fault(f"there is no seat {seat}")
        return seat

    def read_deal(self, event: dict[str, object]) -> None:
        """`deal {seat, drawn}`."""
        drawn = as_tiles(need(event, "drawn"), "drawn")
        self.game.deal(self.read_seat(event), drawn)
        self.draws.append(Draw(self.line, drawn, []))

    def read_place(self, event: dict[str, object]) -> None:
        """`place {seat, tile, cells, points, scores, bonus_owed}`."""
        seat = self.read_seat(event)
        tile = as_string(need(event, "tile"), "tile")
        if tile not in TILES and tile[::-1] not in TILES:
            raise Fault(f"{tile!r} is no tile")
        cells = [as_cell(cell, "a cell") for cell in as_list(need(event, "cells"), "cells")]
        if len(cells) != 2:
            raise Fault("a tile takes two cells")
        claimed_points = as_points(need(event, "points"), "points")
        claimed_scores = as_points(need(event, "scores"), "scores")
        claimed_owed = as_integer(need(event, "bonus_owed"), "bonus_owed")
        points = self.game.place(seat, tile, (cells[0], cells[1]))
        if claimed_points != points:
            raise Fault(f"the points are {points}, not {claimed_points}")
        if claimed_scores != self.game.track_of(seat):
            raise Fault(f"the scores are {self.game.track_of(seat)}, not {claimed_scores}")
        if claimed_owed != self.game.bonus_owed:
            raise Fault(f"{self.game.bonus_owed} bonus placements are owed, not {claimed_owed}")

    def read_refill(self, event: dict[str, object]) -> None:
        """`refill {seat, drawn}`."""
        drawn = as_tiles(need(event, "drawn"), "drawn")
        self.game.refill(self.read_seat(event), drawn)
        self.draws.append(Draw(self.line, drawn, []))

    def read_exchange(self, event: dict[str, object]) -> None:
        """`exchange {seat, returned, drawn}`."""
        claimed = as_tiles(need(event, "returned"), "returned")
        drawn = as_tiles(need(event, "drawn"), "drawn")
        returned = self.game.exchange(self.read_seat(event), drawn)
        if claimed != returned:
            raise Fault(f"the rack in canonical order is {returned}, not {claimed}")
        self.draws.append(Draw(self.line, drawn, returned))

    def read_skip(self, event: dict[str, object]) -> None:
        """`skip {seat, drawn}`."""
        drawn = as_tiles(need(event, "drawn"), "drawn")
        self.game.skip(self.read_seat(event), drawn)
        self.draws.append(Draw(self.line, drawn, []))

    def read_resign(self, event: dict[str, object]) -> None:
        """`resign {seat}`."""
        self.game.resign(self.read_seat(event))

    def read_takeover(self, event: dict[str, object]) -> None:
        """`takeover {seat, name, kind}`."""
        as_string(need(event, "name"), "name")
        kind = as_one_of(need(event, "kind"), naive.KINDS, "kind")
        self.game.takeover(self.read_seat(event), kind)

    def read_end(self, event: dict[str, object]) -> None:
        """`end {reason, ranking, scores, shuffle}`."""
        reason = as_one_of(
            need(event, "reason"),
            ("all_at_cap", "board_full", "resigned", "agreed", "abandoned"),
            "reason",
        )
        ranking = [
            [as_integer(seat, "a seat of the ranking") for seat in as_list(group, "a group")]
            for group in as_list(need(event, "ranking"), "ranking")
        ]
        scores = [
            as_points(one, "the scores of a seat")
            for one in as_list(need(event, "scores"), "scores")
        ]
        seed = self.read_seed(event)
        if reason in ("agreed", "abandoned") and not self.game.finished:
            self.game.end_early(reason)
        if reason != self.game.reason:
            raise Fault(f"the reason is {self.game.reason or 'none yet'}, not {reason}")
        if ranking != self.game.ranking:
            raise Fault(f"the ranking is {self.game.ranking}, not {ranking}")
        if scores != self.game.scores:
            raise Fault(f"the scores are {self.game.scores}, not {scores}")
        self.seed = seed
        self.ended = True

    # The shuffle

    def read_seed(self, end: dict[str, object]) -> bytes | None:
        """The seed that an end reveals, if it does; it has to be the one committed to."""
        found = as_object(end.get("shuffle", {}), "shuffle")
        if "seed" not in found:
            return None
        seed = as_secret(found["seed"], "seed")
        if shuffle.commitment_of(seed) != self.commitment:
            raise Fault("the seed is not the one that was committed to")
        return seed

    def compare_with_shuffle(self, seed: bytes) -> tuple[int, str] | None:
        """Line and sentence of the first draw that does not follow from seed and nonces."""
        bag = shuffle.Bag(seed, self.nonces, chance=self.first_by == "chance")
        if bag.first_seat is not None and bag.first_seat != self.game.first_seat:
            return 1, f"chance gives the first seat to {bag.first_seat}"
        for line, drawn, returned in self.draws:
            right = bag.draw(len(drawn))
            if drawn != right:
                return line, f"from the shuffle comes {right}, not {drawn}"
            if returned:
                bag.put_back(returned)
        return None
