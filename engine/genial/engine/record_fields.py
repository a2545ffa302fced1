"""Reading a record's lines and the fields in them, strictly (rules, section 8).

Whatever does not stand is raised as a `Fault`, which says what is wrong.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from typing import Any, Final, TypeGuard, TypeVar

from genial.engine.hexgrid import Axial
from genial.engine.tiles import MalformedTileError, Tile

_Choice = TypeVar("_Choice", bound=StrEnum)

MAX_LINE_BYTES: Final = 1 << 20
"""Longer lines are refused unread; the longest honest one is a few kilobytes."""

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


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Fault("a key is given twice")
    return fields


def _no_constant(name: str) -> Any:
    raise Fault(f"{name} is not JSON")


_JSON_SPACE: Final = " \t\r\n"
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def parse_line(line: bytes) -> dict[str, Any]:
    """One line as a JSON object, each key once; raises Fault with what is wrong."""
    if len(line) > MAX_LINE_BYTES:
        raise Fault(f"the line is longer than {MAX_LINE_BYTES} bytes")
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise Fault("the line is not UTF-8") from None
    if text.startswith("\ufeff"):
        raise Fault("a record begins without a byte-order mark")
    text = text.strip(_JSON_SPACE)
    if not text or text.isspace():
        raise Fault("the line is blank")
    try:
        fields, end = _DECODER.raw_decode(text)
    except RecursionError:
        raise Fault("the line is nested too deeply") from None
    except ValueError:
        # Also whole numbers of thousands of digits, which the decoder refuses.
        raise Fault("the line is not whole JSON") from None
    if end != len(text):
        raise Fault("the line is not whole JSON")
    if not isinstance(fields, dict):
        raise Fault("the line is no JSON object")
    return fields


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
    return as_digest(require(fields, key), key)


def as_digest(value: Any, key: str) -> bytes:
    """A value as 32 bytes; `key` is what it is called in the fault."""
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


def same(given: Any, expected: Any) -> bool:
    """Equality in which true and 1.0 are not 1."""
    if type(given) is not type(expected):
        return False
    if isinstance(expected, list):
        return len(given) == len(expected) and all(map(same, given, expected))
    if isinstance(expected, dict):
        return given.keys() == expected.keys() and all(
            same(given[key], value) for key, value in expected.items()
        )
    return bool(given == expected)


def require_same(key: str, given: dict[str, Any], expected: dict[str, int]) -> None:
    """Raises Fault unless an object holds just these whole numbers."""
    # `==` first: it settles honest lines; then the types, since true == 1 == 1.0.
    if given != expected or any(type(value) is not int for value in given.values()):
        told = json.dumps(expected, separators=(",", ":"))
        raise Fault(f"{key} are {told} by the rules")


def read_tile(fields: dict[str, Any], key: str, *, turned: bool = False) -> Tile:
    """A tile; `turned`: its letters may stand either way round."""
    return _tile_of(read_text(fields, key), turned)


def _tile_of(text: Any, turned: bool) -> Tile:
    if not isinstance(text, str):
        raise Fault("a tile is two letters, like RB")
    try:
        tile = Tile.parse_oriented(text)
    except MalformedTileError as error:
        raise Fault(str(error)) from None
    if not turned and tile.first > tile.second:
        raise Fault(f"the tile is written {tile.canonical}, not {text}")
    return tile


def read_tiles(fields: dict[str, Any], key: str) -> tuple[Tile, ...]:
    """A list of tiles in canonical letters."""
    return tuple([_tile_of(text, False) for text in read_list(fields, key)])


def read_cells(fields: dict[str, Any]) -> tuple[Axial, Axial]:
    """The two axial cells of a placement."""
    cells = read_list(fields, "cells")
    if len(cells) == 2 and all(
        type(cell) is list and len(cell) == 2 and type(cell[0]) is type(cell[1]) is int
        for cell in cells
    ):
        return Axial(*cells[0]), Axial(*cells[1])
    raise Fault("cells are two pairs of whole numbers, [[q,r],[q,r]]")
