"""The game record as text: header and events rendered, line by line (rules, section 8)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, assert_never

from genial.engine.moves import (
    Dealt,
    Ended,
    Event,
    Exchanged,
    Placed,
    Refilled,
    Resigned,
    Seat,
    Skipped,
    TakenOver,
)
from genial.engine.rules import FirstBy, Ranking, Rules, Track
from genial.engine.shuffle import SCHEME
from genial.engine.tiles import LETTERS, rack_text

VERSION: Final = "genial/1"
EXTENSION: Final = ".genial"


@dataclass(frozen=True, slots=True)
class Match:
    """Which game of which match; `of` is 0 for a match without a fixed length."""

    id: str
    game: int
    of: int


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """The first line of a record.

    Attributes:
        started_at: Host's UTC, `YYYY-MM-DDTHH:MM:SS.mmmZ`.
        seats: Who sat down at first; later takeovers are events.
        commitment: SHA-256 over scheme and seed, 32 bytes.
        nonce_hashes: One for each seat, 32 bytes each.
        nonces: One for each seat, 32 bytes each.
        clock: Like `10m+10s`, or None without one.
        deal: The number of the deal, from 1; void ones count. None: not said.
    """

    game_id: str
    started_at: str
    rules: Rules
    seats: tuple[Seat, ...]
    first_seat: int
    first_by: FirstBy
    commitment: bytes
    nonce_hashes: tuple[bytes, ...]
    nonces: tuple[bytes, ...]
    software: str | None = None
    match: Match | None = None
    deal: int | None = None
    clock: str | None = None


@dataclass(frozen=True, slots=True)
class TimedEvent:
    """An event of a record with its number and the host's time, if that is told."""

    n: int
    event: Event
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A whole record. `seed` is 32 bytes, None while the game runs or if never told."""

    header: RecordHeader
    events: tuple[TimedEvent, ...]
    seed: bytes | None


def render(record: Record) -> str:
    """The record as a file's text, one JSON document a line, each line ended."""
    lines = [render_header(record.header)]
    lines += [render_event(timed.n, timed.event, timed.at, record.seed) for timed in record.events]
    return "".join(line + "\n" for line in lines)


def render_header(header: RecordHeader) -> str:
    """The header's line, without its end."""
    rules: dict[str, object] = {
        "preset": header.rules.preset.value,
        "mode": header.rules.mode.value,
        "players": header.rules.players,
        "leaving": header.rules.leaving.value,
    }
    if header.rules.partners_talk is not None:
        rules["partners_talk"] = header.rules.partners_talk
    line: dict[str, object] = {
        "record": VERSION,
        "game_id": header.game_id,
        "started_at": header.started_at,
    }
    if header.software is not None:
        line["software"] = header.software
    line["rules"] = rules
    line["seats"] = [
        {"seat": number, "name": seat.name, "kind": seat.kind.value}
        | ({} if seat.level is None else {"level": seat.level})
        for number, seat in enumerate(header.seats)
    ]
    line["first_seat"] = header.first_seat
    line["first_by"] = header.first_by.value
    if header.match is not None:
        line["match"] = {
            "id": header.match.id,
            "game": header.match.game,
            "of": header.match.of,
        }
    if header.deal is not None:
        line["deal"] = header.deal
    if header.clock is not None:
        line["clock"] = header.clock
    line["shuffle"] = {
        "scheme": SCHEME,
        "commitment": header.commitment.hex(),
        "nonce_hashes": [digest.hex() for digest in header.nonce_hashes],
        "nonces": [nonce.hex() for nonce in header.nonces],
    }
    return _line(line)


def render_event(n: int, event: Event, at: str | None = None, seed: bytes | None = None) -> str:
    """One event's line, without its end; `seed` is told in the last event only."""
    line: dict[str, object] = {"n": n}
    if at is not None:
        line["at"] = at
    line |= _event_fields(event)
    if isinstance(event, Ended) and seed is not None:
        line["shuffle"] = {"seed": seed.hex()}
    return _line(line)


def _event_fields(event: Event) -> dict[str, object]:
    match event:
        case Dealt(seat, drawn):
            return {"type": "deal", "seat": seat, "drawn": rack_text(drawn)}
        case Placed():
            return {
                "type": "place",
                "seat": event.seat,
                "tile": str(event.tile),
                "cells": [list(cell) for cell in event.cells],
                "points": points_by_letter(event.points),
                "scores": track_by_letter(event.track),
                "bonus_owed": event.bonus_owed,
            }
        case Refilled(seat, drawn):
            return {"type": "refill", "seat": seat, "drawn": rack_text(drawn)}
        case Exchanged(seat, returned, drawn):
            return {
                "type": "exchange",
                "seat": seat,
                "returned": rack_text(returned),
                "drawn": rack_text(drawn),
            }
        case Resigned(seat):
            return {"type": "resign", "seat": seat}
        case TakenOver(seat, name, kind, level):
            fields = {"type": "takeover", "seat": seat, "name": name, "kind": kind.value}
            return fields if level is None else fields | {"level": level}
        case Skipped(seat, drawn):
            return {"type": "skip", "seat": seat, "drawn": rack_text(drawn)}
        case Ended(reason, ranking, tracks):
            return {
                "type": "end",
                "reason": reason.value,
                "ranking": ranking_lists(ranking),
                "scores": [track_by_letter(track) for track in tracks],
            }
    assert_never(event)


def track_by_letter(track: Track) -> dict[str, int]:
    """A track's six counters by symbol letter."""
    return dict(zip(LETTERS, track, strict=True))


def points_by_letter(points: Iterable[int]) -> dict[str, int]:
    """Points by symbol letter, zeroes left out."""
    return {letter: value for letter, value in zip(LETTERS, points, strict=True) if value}


def ranking_lists(ranking: Ranking) -> list[list[int]]:
    """A ranking as JSON wants it."""
    return [list(group) for group in ranking]


def _line(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
