"""Reading the fields of a record, strictly, and its header (rules, section 8)."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, Final, TypeGuard, TypeVar

from genial.engine.moves import Seat
from genial.engine.record_text import VERSION, Match, RecordHeader
from genial.engine.rules import FirstBy, InvalidRulesError, Leaving, Mode, Preset, Rules, SeatKind
from genial.engine.shuffle import SCHEME

_Choice = TypeVar("_Choice", bound=StrEnum)

_RULES_KEYS: Final = frozenset({"preset", "mode", "players", "leaving", "partners_talk"})
_HALF: Final = re.compile("[\ud800-\udfff]")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_MOMENT: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
)
_MONTH_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Fault(Exception):
    """Something in a record that does not stand.

    Attributes:
        sentence: What is wrong, without a full stop.
        line: Its line, from 1; None until the reader of lines fills it in.
    """

    def __init__(self, sentence: str, line: int | None = None) -> None:
        """Keeps what is wrong, and where if that is known."""
        super().__init__(sentence)
        self.sentence = sentence
        self.line = line

    def at(self, line: int) -> Fault:
        """The same fault, at `line` unless it has one already."""
        return self if self.line is not None else Fault(self.sentence, line)


def require(fields: dict[str, Any], key: str) -> Any:
    """A key's value; raises Fault if it is missing."""
    try:
        return fields[key]
    except KeyError:
        raise Fault(f"{key} is missing") from None


def read_int(fields: dict[str, Any], key: str) -> int:
    """A JSON integer; true and 1.0 are none."""
    value = require(fields, key)
    if type(value) is not int:
        raise Fault(f"{key} is no whole number")
    return value


def is_text(value: object) -> TypeGuard[str]:
    """Whether a value is a string that UTF-8 can write: no half of a surrogate pair in it."""
    return type(value) is str and (value.isascii() or _HALF.search(value) is None)


def read_text(fields: dict[str, Any], key: str) -> str:
    """A string that UTF-8 can write."""
    value = require(fields, key)
    if not is_text(value):
        raise Fault(f"{key} is no text" if type(value) is not str else f"{key} is no whole text")
    return value


def read_list(fields: dict[str, Any], key: str) -> list[Any]:
    """A JSON array."""
    value = require(fields, key)
    if type(value) is not list:
        raise Fault(f"{key} is no list")
    return value


def read_object(fields: dict[str, Any], key: str) -> dict[str, Any]:
    """A JSON object."""
    value = require(fields, key)
    if type(value) is not dict:
        raise Fault(f"{key} is no object")
    return value


def read_choice(fields: dict[str, Any], key: str, choices: type[_Choice]) -> _Choice:
    """One of an enumeration's strings."""
    value = read_text(fields, key)
    try:
        return choices(value)
    except ValueError:
        known = ", ".join(choice.value for choice in choices)
        raise Fault(f"{key} is {value[:40]!r}, which is none of {known}") from None


def read_digest(fields: dict[str, Any], key: str) -> bytes:
    """32 bytes as 64 hexadecimal digits in lower case."""
    return _digest(require(fields, key), key)


def _digest(value: Any, key: str) -> bytes:
    if type(value) is not str or _DIGEST.fullmatch(value) is None:
        raise Fault(f"{key} is not 64 hexadecimal digits in lower case")
    return bytes.fromhex(value)


def read_moment(fields: dict[str, Any], key: str) -> str:
    """A moment that the calendar knows, `YYYY-MM-DDTHH:MM:SS.mmmZ`."""
    value = read_text(fields, key)
    match = _MOMENT.fullmatch(value)
    if match is not None:
        year, month, day = int(match[1]), int(match[2]), int(match[3])
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        if year and 1 <= month <= 12 and 1 <= day <= _MONTH_DAYS[month - 1] + (leap and month == 2):
            return value
    raise Fault(f"{key} is no moment like 2026-11-29T20:00:00.000Z")


def read_header(fields: dict[str, Any]) -> RecordHeader:
    """The header of a record's first line; raises Fault with what is wrong."""
    version = read_text(fields, "record")
    if version != VERSION:
        raise Fault(f"the record is of version {version[:40]!r}; this reader knows {VERSION}")
    game_id = read_text(fields, "game_id")
    started_at = read_text(fields, "started_at")
    rules = _read_rules(read_object(fields, "rules"))
    seats = read_list(fields, "seats")
    if len(seats) != rules.players:
        raise Fault(f"seats are {len(seats)}, but players {rules.players}")
    first_seat = read_int(fields, "first_seat")
    if not 0 <= first_seat < rules.players:
        raise Fault(f"there is no first_seat {first_seat} among {rules.players}")
    shuffle = read_object(fields, "shuffle")
    scheme = read_text(shuffle, "scheme")
    if scheme != SCHEME:
        raise Fault(f"the shuffle is of scheme {scheme[:40]!r}; this reader knows {SCHEME}")
    return RecordHeader(
        game_id=game_id,
        started_at=started_at,
        rules=rules,
        seats=tuple(_read_seat(seat, number) for number, seat in enumerate(seats)),
        first_seat=first_seat,
        first_by=read_choice(fields, "first_by", FirstBy),
        commitment=read_digest(shuffle, "commitment"),
        nonce_hashes=_read_digests(shuffle, "nonce_hashes", rules.players),
        nonces=_read_digests(shuffle, "nonces", rules.players),
        software=read_text(fields, "software") if "software" in fields else None,
        match=_read_match(fields),
        deal=read_int(fields, "deal") if "deal" in fields else None,
        clock=read_text(fields, "clock") if "clock" in fields else None,
    )


def _read_rules(fields: dict[str, Any]) -> Rules:
    unknown = sorted(fields.keys() - _RULES_KEYS)
    if unknown:
        raise Fault(f"rules have an unknown key {unknown[0][:40]!r}")
    talk: bool | None = None
    if "partners_talk" in fields:
        talk = fields["partners_talk"]
        if type(talk) is not bool:
            raise Fault("partners_talk is neither true nor false")
    try:
        return Rules(
            read_choice(fields, "preset", Preset),
            read_choice(fields, "mode", Mode),
            read_int(fields, "players"),
            read_choice(fields, "leaving", Leaving),
            talk,
        )
    except InvalidRulesError as error:
        raise Fault(str(error)) from None


def _read_seat(fields: Any, number: int) -> Seat:
    if type(fields) is not dict:
        raise Fault("a seat is no object")
    if read_int(fields, "seat") != number:
        raise Fault(f"seats are numbered from 0; seat {number} says otherwise")
    level = read_text(fields, "level") if "level" in fields else None
    return Seat(read_text(fields, "name"), read_choice(fields, "kind", SeatKind), level)


def _read_digests(fields: dict[str, Any], key: str, count: int) -> tuple[bytes, ...]:
    values = read_list(fields, key)
    if len(values) != count:
        raise Fault(f"{key} are {len(values)}, one for each of {count} seats is due")
    return tuple(_digest(value, key) for value in values)


def _read_match(fields: dict[str, Any]) -> Match | None:
    if "match" not in fields:
        return None
    match = read_object(fields, "match")
    return Match(
        read_text(match, "id") if "id" in match else "",
        read_int(match, "game") if "game" in match else 0,
        read_int(match, "of") if "of" in match else 0,
    )
