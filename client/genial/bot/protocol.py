"""The JSON lines of a bot process, as `genial.services.bots` defines them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


class MalformedLineError(ValueError):
    """A line that is no command; the message says why, without repeating a token."""


@dataclass(frozen=True, slots=True)
class SeatCommand:
    """Take this seat and play it.

    Attributes:
        fingerprint: Of the host's certificate; empty: it does not encrypt.
        password: Of the host; empty: it asks for none.
    """

    address: str
    table_id: str
    seat: int
    token: str = field(repr=False)
    name: str
    level: str
    fingerprint: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class ReleaseCommand:
    """Stop playing this seat."""

    table_id: str
    seat: int


def parse_command(line: str) -> SeatCommand | ReleaseCommand | None:
    """The command in a line; None for a kind that this version does not know.

    Raises:
        MalformedLineError: No JSON object with one key, or fields missing or of another type.
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        raise MalformedLineError("a command that is no JSON") from None
    if not isinstance(content, dict) or len(content) != 1:
        raise MalformedLineError("a command is an object with exactly one key")
    kind, fields = next(iter(content.items()))
    if kind not in ("seat", "release"):
        return None
    if not isinstance(fields, dict):
        raise MalformedLineError(f"the fields of {kind!r} are no object")
    table_id = _field(kind, fields, "table_id", str)
    seat = _field(kind, fields, "seat", int)
    if kind == "release":
        return ReleaseCommand(table_id, seat)
    texts = [_field(kind, fields, key, str) for key in ("address", "token", "name", "level")]
    address, token, name, level = texts
    fingerprint = _field(kind, fields, "fingerprint", str, "")
    password = _field(kind, fields, "password", str, "")
    return SeatCommand(address, table_id, seat, token, name, level, fingerprint, password)


def _field(
    kind: str, fields: dict[str, Any], key: str, wanted: type, default: object = None
) -> Any:
    value = fields.get(key, default)
    if not isinstance(value, wanted) or isinstance(value, bool):
        raise MalformedLineError(f"{kind!r} needs {key!r} as {wanted.__name__}")
    return value


def ready_report() -> str:
    """Commands are read from now on."""
    return _line({"ready": {"protocol": 1}})


def seated_report(table_id: str, seat: int) -> str:
    """The seat is held, its stream stands."""
    return _line({"seated": {"table_id": table_id, "seat": seat}})


def done_report(table_id: str, seat: int, reason: str, message: str = "") -> str:
    """The seat is no longer played."""
    return _line(
        {"done": {"table_id": table_id, "seat": seat, "reason": reason, "message": message}}
    )


def _line(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False) + "\n"
