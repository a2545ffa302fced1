"""The shared records, and ways to make others out of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "vectors"
GOOD = sorted((FOLDER / "good").glob("*.genial"))
FREE_2 = FOLDER / "good" / "free-2-genial-greedy-27.genial"
FREE_4 = FOLDER / "good" / "free-4-genial-greedy-28.genial"
TIE = FOLDER / "good" / "free-4-genial-greedy-9.genial"
PARTNERS = FOLDER / "good" / "partners-4-genial-greedy-47.genial"
SOLO = FOLDER / "good" / "solo-1-genial-greedy-10.genial"
BROKEN = {
    name: int(line)
    for name, line in (
        row.split("\t") for row in (FOLDER / "broken" / "EXPECTED").read_text().splitlines()[1:]
    )
}

Fields = dict[str, Any]


def dump(fields: Fields) -> bytes:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def changed(path: Path, change: Callable[[list[Fields]], list[Fields] | None]) -> bytes:
    """A record with its lines changed, in place or by returning others."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    lines = change(lines) or lines
    return b"".join(dump(line) + b"\n" for line in lines)


def with_events_put_in(path: Path, at: int, events: list[Fields]) -> bytes:
    """A record with more events before event `at`, and all that follow renumbered."""

    def change(lines: list[Fields]) -> list[Fields]:
        new = [*lines[:at], *events, *lines[at:]]
        return [new[0], *({**line, "n": n} for n, line in enumerate(new[1:], 1))]

    return changed(path, change)


def renamed(path: Path, names: list[str]) -> bytes:
    """A record whose seats have other names; the names are no part of the deal."""

    def change(lines: list[Fields]) -> None:
        for seat, name in zip(lines[0]["seats"], names, strict=True):
            seat["name"] = name

    return changed(path, change)
