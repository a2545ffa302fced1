"""The header of a record (rules, section 8)."""

from __future__ import annotations

from typing import Any, Final

from genial.engine.moves import Seat
from genial.engine.record_fields import (
    Fault,
    as_digest,
    read_choice,
    read_digest,
    read_int,
    read_list,
    read_object,
    read_text,
)
from genial.engine.record_text import VERSION, Match, RecordHeader
from genial.engine.rules import FirstBy, InvalidRulesError, Leaving, Mode, Preset, Rules, SeatKind
from genial.engine.shuffle import SCHEME

_RULES_KEYS: Final = frozenset({"preset", "mode", "players", "leaving", "partners_talk"})


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
    return tuple(as_digest(value, key) for value in values)


def _read_match(fields: dict[str, Any]) -> Match | None:
    if "match" not in fields:
        return None
    match = read_object(fields, "match")
    return Match(
        read_text(match, "id") if "id" in match else "",
        read_int(match, "game") if "game" in match else 0,
        read_int(match, "of") if "of" in match else 0,
    )
