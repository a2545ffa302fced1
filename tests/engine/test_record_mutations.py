"""Good records with one thing changed, field by field: both readers find the same fault.

What a change has to come to is known beforehand too. A value of another type is caught at its own
line; so is a required key that is missing; and whatever decides something in the game (all but
`UNDECIDED`) cannot change and leave the record verified.
"""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Iterator
from typing import Any

import pytest

from genial.engine.record import Verdict
from tests.conftest import SOAK
from tests.engine.judging import agreed
from tests.referee import generate, reader
from tests.referee.generate import Plan

Path = tuple[str | int, ...]
Line = dict[str, Any]

# Short games that hold every type of event and every optional key between them.
PLANS = {
    "three": Plan(
        409,
        players=3,
        leaving="skip",
        look=10,
        level=True,
        exchange=1.0,
        resign=0.03,
        takeover=0.1,
        skip=0.15,
        notes=0.06,
        clock=True,
        extras=True,
        early="agreed",
        steps=45,
    ),
    "chance": Plan(
        3, first_by="chance", takeover=0.2, notes=0.1, look=60, early="abandoned", steps=20
    ),
    "partners": Plan(4, mode="partners", players=4, look=60, level=True, resign=0.02, at=True),
    "solo": Plan(5, mode="solo", players=1, preset="official", early="agreed", steps=12),
}
RECORDS = {
    name: [json.loads(line) for line in generate.record(plan).splitlines()]
    for name, plan in PLANS.items()
}

UNDECIDED: dict[str, set[Path]] = {
    "header": {
        ("game_id",),
        ("started_at",),
        ("software",),
        ("clock",),
        ("deal",),
        ("match",),
        *(("match", key) for key in ("id", "game", "of")),
        *(("rules", key) for key in ("preset", "leaving", "partners_talk")),
        ("first_by",),
        *(("seats", seat, key) for seat in range(4) for key in ("name", "kind", "level")),
    },
    "place": {("tile",)},
    # After a placement the two come to the same, where seats are skipped.
    "refill": {("type",)},
    "skip": {("type",)},
    "takeover": {("type",), ("seat",), ("name",), ("kind",)},
    "x-": {("type",)},
    "end": {("reason",), ("shuffle",)},
}
"""What may say something else of the right type: where others decide whether it stands."""

OPTIONAL: set[Path] = {
    *((key,) for key in ("software", "clock", "deal", "match", "shuffle")),
    *(("match", key) for key in ("id", "game", "of")),
    ("rules", "partners_talk"),
    ("shuffle", "seed"),
    *(("seats", seat, "level") for seat in range(4)),
}
UNKNOWN = {"weather", "remark", "zz"}
"""Keys that no reader knows."""


def kind_of(line: Line) -> str:
    """What sort of line this is."""
    kind = str(line.get("type", "header"))
    return "x-" if kind.startswith("x-") else kind


def dumped(line: object) -> bytes:
    return json.dumps(line).encode()


def paths(value: object, within: Path = ()) -> Iterator[Path]:
    """Every path into a JSON value; of lists and of counters the first and the last entry."""
    entries: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        entries = list(value.items())
        if value.keys() <= set("RGBOYP") and not SOAK:
            entries = entries[:1] + entries[1:][-1:]
    elif isinstance(value, list) and value:
        entries = [(place, value[place]) for place in sorted({0, len(value) - 1})]
    for key, inner in entries:
        yield (*within, key)
        yield from paths(inner, (*within, key))


def at_path(line: Line, path: Path) -> Any:
    found: Any = line
    for key in path:
        found = found[key]
    return found


def with_value(line: Line, path: Path, value: object) -> Line:
    line = copy.deepcopy(line)
    at_path(line, path[:-1])[path[-1]] = value
    return line


def without(line: Line, path: Path) -> Line:
    line = copy.deepcopy(line)
    del at_path(line, path[:-1])[path[-1]]
    return line


def of_another_type(value: object) -> list[object]:
    """What is of no right type in place of a value, however alike it looks."""
    strange: list[object] = [None, [value], {"value": value}, 0.5]
    match value:
        case bool():
            return [*strange, int(value), str(value).lower(), []]
        case int():
            return [*strange, float(value), bool(value), str(value)]
        case str():
            return [*strange, True, 1, []]
        case list():
            return [None, {}, "", True, dict(enumerate(value)), json.dumps(value)]
        case dict():
            return [None, [], "", True, list(value), json.dumps(value)]
    raise AssertionError(f"no record holds {value!r}")


TEXTS = ["RB", "GG", "BR", "human", "bot", "genial", "official", "free", "partners", "solo"]
TEXTS += ["skip", "named", "chance", "rotation", "agreed", "abandoned", "resigned", "board_full"]
TEXTS += ["deal", "place", "refill", "exchange", "resign", "takeover", "end", "x-", "X-", "pass"]
TEXTS += ["0" * 64, "ä", "\ud800", "2026-11-29T20:00:00Z", "2026-02-30T20:00:00.000Z"]


def of_the_same_type(value: object, rng: random.Random) -> list[object]:
    """Other values of the same type, close and far."""
    others: list[Any]
    match value:
        case bool():
            others = [not value]
        case int():
            others = [value + 1, value - 1, -value - 1, value + 2**64, 10**40, -(10**40)]
        case str():
            others = [value + "x", value[:-1], value.swapcase(), value[::-1], "", " " + value]
            others += TEXTS if SOAK else rng.sample(TEXTS, 4)
        case list():
            others = [[], value[1:], value[:-1], value + value[-1:], value[::-1], [*value, None]]
        case dict():
            others = [{}, dict(list(value.items())[1:]), dict(list(value.items())[:1])]
        case _:
            raise AssertionError(f"no record holds {value!r}")
    return [other for other in others if other != value]


def lines_to_change() -> Iterator[tuple[str, int]]:
    """The first line of each kind; header, last placement and end of every record."""
    seen = set()
    for name, lines in RECORDS.items():
        kinds = [kind_of(line) for line in lines]
        last = len(kinds) - 1
        for at, kind in enumerate(kinds):
            once = kind not in seen
            seen.add(kind)
            if once or at in (0, last, last - kinds[::-1].index("place")):
                yield name, at


CHANGED = list(lines_to_change())


@pytest.mark.parametrize(
    ("name", "at"),
    CHANGED,
    ids=[f"{name}-{at + 1}-{kind_of(RECORDS[name][at])}" for name, at in CHANGED],
)
def test_every_field_of_every_kind_of_line(name: str, at: int) -> None:
    line, kind = RECORDS[name][at], kind_of(RECORDS[name][at])
    whole = [dumped(other) for other in RECORDS[name]]
    assert agreed(b"\n".join(whole)).verdict is Verdict.VERIFIED
    stands, caught = (Verdict.VERIFIED, None), (Verdict.FAULTY, at + 1)
    rng = random.Random(at)

    reading = reader.Reading()
    for above in whole[:at]:
        reading.read_line(above)
    # Every change begins where the lines above have been read.
    above_read = pickle.dumps(reading)

    def judge(new: Line, what: str) -> tuple[Verdict, int | None]:
        rest = [dumped(new), *whole[at + 1 :]]
        theirs = reader.judge_from(pickle.loads(above_read), rest)
        found = agreed(b"\n".join([*whole[:at], *rest]), what, theirs)
        # Whatever stands above the change stands.
        assert found.line is None or found.line > at
        return found.verdict, found.line

    for path in paths(line):
        value = at_path(line, path)
        if value is None or isinstance(value, float):
            continue  # Only what no reader knows is like that.
        ignored = bool(UNKNOWN.intersection(path))
        ignored |= kind == "x-" and path[0] not in ("n", "type", "at")
        strange, others = of_another_type(value), of_the_same_type(value, rng)
        undecided = path in UNDECIDED.get(kind, ()) or path[0] in ("at", "cells")
        if (ignored or undecided) and not SOAK:
            # Most of these stand, so that all the rest is read.
            strange, others = rng.sample(strange, 3), rng.sample(others, min(3, len(others)))
        for other in strange:
            found = judge(with_value(line, path, other), f"{path}: {other!r}")
            assert found == (stands if ignored else caught), (path, other)
        for other in others:
            found = judge(with_value(line, path, other), f"{path}: {other!r}")
            if ignored:
                assert found == stands, (path, other)
            elif not undecided:
                assert found != stands, (path, other)
        if isinstance(path[-1], int):
            continue
        missing = judge(without(line, path), f"{path} left out")
        timed = path == ("at",) and "clock" in RECORDS[name][0]
        if ignored:
            assert missing == stands, path
        elif (path in OPTIONAL and (kind, path) != ("header", ("shuffle",))) or (
            path == ("at",) and not timed
        ):
            assert missing[0] is not Verdict.FAULTY, path
        else:
            assert missing == caught, path
        renamed = with_value(without(line, path), (*path[:-1], path[-1].upper() + "_"), value)
        found = judge(renamed, f"{path} renamed")
        assert found == (caught if path[0] == "rules" and len(path) > 1 else missing), path
    assert judge({**line, "zz": {"a": [1.5, None, True]}}, "an unknown key") == stands


def test_all_kinds_of_lines_were_changed() -> None:
    assert {kind_of(RECORDS[name][at]) for name, at in CHANGED} == {
        *("header", "deal", "place", "refill", "exchange"),
        *("skip", "resign", "takeover", "x-", "end"),
    }
