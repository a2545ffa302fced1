"""The independent reader against the vectors, and records made by hand or at random."""

from __future__ import annotations

import dataclasses
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.client.record.vectors import BROKEN, FOLDER, FREE_2, GOOD, SOLO, TIE
from tests.referee import generate, reader, shuffle

Event = dict[str, Any]
Record = list[Event]


# Vectors


def test_there_are_vectors() -> None:
    assert len(GOOD) == 7
    assert len(BROKEN) == 8


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_good_vector(path: Path) -> None:
    assert reader.judge(path).verdict == reader.VERIFIED


@pytest.mark.parametrize(("name", "line"), BROKEN.items())
def test_broken_vector(name: str, line: int) -> None:
    judgement = reader.judge(FOLDER / "broken" / name)
    assert (judgement.verdict, judgement.line) == (reader.FAULTY, line)


# Records made by hand


def load(path: Path | bytes) -> Record:
    """The lines of a record, parsed."""
    data = path if isinstance(path, bytes) else path.read_bytes()
    return [json.loads(line) for line in data.splitlines()]


def dump(record: Record) -> bytes:
    """A record's lines as bytes, as they are numbered."""
    return b"".join(json.dumps(event).encode() + b"\n" for event in record)


def renumbered(record: Record) -> Record:
    """The same with `n` counting from 1."""
    return [record[0], *({**event, "n": n} for n, event in enumerate(record[1:], 1))]


def judged(data: bytes) -> tuple[str, int | None]:
    """Verdict and line."""
    return reader.judge(data)[:2]


def put(*path: str | int, value: object) -> Callable[[Record], None]:
    """An edit that sets the value at a path: line (from 1), then keys."""

    def edit(record: Record) -> None:
        holder: Any = record[int(path[0]) - 1]
        for key in path[1:-1]:
            holder = holder[key]
        holder[path[-1]] = value

    edit.__name__ = f"{'.'.join(map(str, path))}={json.dumps(value)}"
    return edit


def drop(*path: str | int) -> Callable[[Record], None]:
    """An edit that takes out the key at a path."""

    def edit(record: Record) -> None:
        holder: Any = record[int(path[0]) - 1]
        for key in path[1:-1]:
            holder = holder[key]
        del holder[path[-1]]

    edit.__name__ = f"without {'.'.join(map(str, path))}"
    return edit


def turn(line: int, *path: str) -> Callable[[Record], None]:
    """An edit that turns the list at a path around."""

    def edit(record: Record) -> None:
        holder: Any = record[line - 1]
        for key in path:
            holder = holder[key]
        holder.reverse()

    edit.__name__ = f"{'.'.join(path)} turned around"
    return edit


HEADER_KEYS = [
    *((key,) for key in ("record", "game_id", "started_at", "rules", "seats", "first_seat")),
    *((key,) for key in ("first_by", "shuffle")),
    *(("rules", key) for key in ("preset", "mode", "players", "leaving")),
    *(("seats", 0, key) for key in ("seat", "name", "kind")),
    *(("shuffle", key) for key in ("scheme", "commitment", "nonce_hashes", "nonces")),
]


@pytest.mark.parametrize("path", HEADER_KEYS)
def test_every_header_key_is_required_and_has_its_type(path: tuple[str | int, ...]) -> None:
    for edit in (drop(1, *path), put(1, *path, value=None), put(1, *path, value=[1.0])):
        record = load(FREE_2)
        edit(record)
        assert judged(dump(record)) == (reader.FAULTY, 1)


@pytest.mark.parametrize(
    ("line", "edit"),
    [
        (1, put(1, "rules", "house", value=True)),
        (1, put(1, "rules", "preset", value="official ")),
        (1, put(1, "rules", "mode", value="solo")),
        (1, put(1, "rules", "mode", value="partners")),
        (1, put(1, "rules", "players", value=2.0)),
        (1, put(1, "rules", "players", value=3)),
        (1, put(1, "rules", "leaving", value="wait")),
        (1, put(1, "rules", "partners_talk", value=1)),
        (1, put(1, "seats", 1, "seat", value=True)),
        (1, put(1, "seats", 1, "kind", value="cat")),
        (1, put(1, "first_seat", value=False)),
        (1, put(1, "first_seat", value=2)),
        (1, put(1, "first_by", value="fate")),
        (1, put(1, "deal", value=1.0)),
        (1, put(1, "match", value={"id": "m", "game": True, "of": 3})),
        (1, put(1, "shuffle", "scheme", value="genial-shuffle/2")),
        (1, put(1, "shuffle", "commitment", value="AB" * 32)),
        (1, put(1, "shuffle", "nonces", 0, value="ab" * 32)),
        (1, put(1, "shuffle", "nonces", 0, value="ab" * 31)),
        (1, put(1, "shuffle", "nonce_hashes", 1, value="ab" * 32)),
        (1, turn(1, "shuffle", "nonces")),
        (1, turn(1, "seats")),
        (2, put(1, "clock", value="10m+10s")),
        (2, put(2, "n", value=1.0)),
        (2, put(2, "n", value=True)),
        (3, put(3, "n", value=3)),
        (2, put(2, "seat", value=False)),
        (2, put(2, "seat", value=1)),
        (2, put(2, "drawn", 0, value="YO")),
        (2, drop(2, "drawn", 5)),
        (2, put(2, "at", value="2026-01-01T00:00:00Z")),
        (2, put(2, "at", value="2026-02-30T00:00:00.000Z")),
        (4, put(4, "points", value={"O": 2, "R": 0})),
        (4, put(4, "points", value={"O": 2.0})),
        (4, put(4, "points", value={})),
        (4, put(4, "scores", "R", value=False)),
        (4, drop(4, "scores", "R")),
        (4, put(4, "bonus_owed", value=False)),
        (4, drop(4, "bonus_owed")),
        (4, put(4, "cells", 0, value=[0, 4.0])),
        (4, put(4, "cells", 0, value=[0, 4, -4])),
        (4, put(4, "cells", value=[[0, 4], [1, 4], [0, 4]])),
        (4, put(4, "cells", 1, value=[2, 4])),
        (4, put(4, "tile", value="RR")),
        (4, put(4, "tile", value="XY")),
        (4, put(4, "type", value="put")),
        (4, put(4, "seat", value=-1)),
        (5, put(5, "drawn", value=[])),
        (5, put(5, "drawn", value="BP")),
        (5, put(5, "drawn", value=["RR"])),
        (5, put(5, "type", value="deal")),
        (5, put(5, "type", value="skip")),
        (5, put(5, "type", value="exchange")),
        (60, put(60, "points", "O", value=5)),
        (60, put(60, "bonus_owed", value=0)),
        (84, put(84, "ranking", value=[[1, 0]])),
        (84, put(84, "ranking", value=[[True], [0]])),
        (84, put(84, "ranking", value=[1, 0])),
        (84, put(84, "scores", 0, "R", value=15.0)),
        (84, drop(84, "scores", 1)),
        (84, put(84, "reason", value="all_at_cap")),
        (84, put(84, "reason", value="resigned")),
        (84, put(84, "reason", value="agreed")),
        (84, put(84, "shuffle", value=None)),
        (84, put(84, "shuffle", "seed", value=None)),
        (84, put(84, "shuffle", "seed", value="ab" * 32)),
        (84, put(84, "shuffle", "seed", value="xy" * 32)),
    ],
)
def test_a_fault_by_hand(line: int, edit: Callable[[Record], None]) -> None:
    record = load(FREE_2)
    edit(record)
    assert judged(dump(record)) == (reader.FAULTY, line)


@pytest.mark.parametrize(
    "edit",
    [
        put(1, "seats", 0, "level", value="medium"),
        put(1, "rules", "partners_talk", value=True),
        put(1, "match", value={"id": "m", "game": 1, "of": 3}),
        put(1, "zz", value=1.0),
        put(1, "shuffle", "zz", value=None),
        put(3, "zz", value={"a": [True]}),
        put(9, "at", value="2026-01-01T00:00:00.000Z"),
        put(84, "shuffle", "zz", value=1),
    ],
)
def test_what_a_reader_passes_over(edit: Callable[[Record], None]) -> None:
    record = load(FREE_2)
    edit(record)
    assert judged(dump(record)) == (reader.VERIFIED, None)


def test_the_bytes_of_a_line() -> None:
    good = FREE_2.read_bytes()
    lines = good.splitlines()

    def with_line(number: int, line: bytes) -> bytes:
        return b"\n".join([*lines[: number - 1], line, *lines[number:]]) + b"\n"

    assert judged(b"\n".join(lines)) == (reader.VERIFIED, None)
    assert judged(b"\xef\xbb\xbf" + good) == (reader.FAULTY, 1)
    assert judged(good + b"\n") == (reader.FAULTY, 85)
    assert judged(good + lines[-1]) == (reader.FAULTY, 85)
    assert judged(b"") == (reader.FAULTY, 1)
    assert judged(b"\n") == (reader.FAULTY, 1)
    assert judged(with_line(7, b"")) == (reader.FAULTY, 7)
    assert judged(with_line(7, b"[]")) == (reader.FAULTY, 7)
    assert judged(with_line(7, b"[" * 100_000)) == (reader.FAULTY, 7)
    assert judged(with_line(7, b'{"n":' + b"9" * 5000 + b"}")) == (reader.FAULTY, 7)
    for more in (
        b'"n":6',
        b'"zz":NaN',
        b'"zz":"\xff"',
        b'"zz":{"a":1,"a":1}',
        b'"zz":1,"z\\u007a":1',
    ):
        assert judged(with_line(7, lines[6][:-1] + b"," + more + b"}")) == (reader.FAULTY, 7)


def test_a_record_that_breaks_off() -> None:
    lines = FREE_2.read_bytes().splitlines(keepends=True)
    for kept in (1, 2, 3, 4, 50, 83):
        assert judged(b"".join(lines[:kept])) == (reader.CONSISTENT, None)


@pytest.mark.parametrize("edit", [drop(84, "shuffle"), drop(84, "shuffle", "seed")])
def test_a_record_without_a_seed(edit: Callable[[Record], None]) -> None:
    record = load(FREE_2)
    edit(record)
    assert judged(dump(record)) == (reader.CONSISTENT, None)


def test_without_a_seed_a_strange_draw_stands() -> None:
    record = load(SOLO)
    del record[4:]
    record[3]["drawn"] = ["PP"]
    assert judged(dump(record)) == (reader.CONSISTENT, None)


def test_a_strange_draw_is_found_before_a_later_fault() -> None:
    record = load(FOLDER / "broken" / "draw-not-from-shuffle.genial")
    record[49] = {"n": 49, "type": "nonsense"}
    assert judged(dump(record)) == (reader.FAULTY, 15)
    record[9]["n"] = 8
    assert judged(dump(record)) == (reader.FAULTY, 10)


def test_with_a_wrong_seed_draws_are_not_compared() -> None:
    record = load(SOLO)
    record[-1]["shuffle"]["seed"] = "00" * 32
    assert judged(dump(record)) == (reader.FAULTY, len(record))
    record = load(FREE_2)
    record[-1]["shuffle"]["seed"] = "00" * 32
    record[0]["first_by"] = "named"
    assert judged(dump(record)) == (reader.FAULTY, len(record))


def test_the_word_that_chance_takes() -> None:
    record = load(FREE_2)
    record[0]["first_by"] = "named"
    assert judged(dump(record)) == (reader.FAULTY, 82), "from the first exchange on all differs"


def test_a_first_seat_that_chance_did_not_give() -> None:
    for seed in range(20):
        plan = generate.Plan(seed=seed, players=3)
        record = load(generate.record(plan))
        record[0]["first_by"] = "chance"
        nonces = [generate.nonce_of(plan, seat) for seat in range(3)]
        bag = shuffle.Bag(generate.seed_of(plan), nonces, chance=True)
        if bag.first_seat != record[0]["first_seat"]:
            assert judged(dump(record)) == (reader.FAULTY, 1)
            return
    raise AssertionError("chance gave the right seat every time")


def test_notes_are_counted_and_stand_anywhere_but_after_the_game() -> None:
    note: Event = {"n": 0, "type": "x-note", "seat": 9.5, "tile": None}
    for at in (1, 2, 3, 4, 60, 82):
        record = load(FREE_2)
        record.insert(at, dict(note))
        assert judged(dump(renumbered(record))) == (reader.VERIFIED, None)
    for at in (83, 84):
        record = load(FREE_2)
        record.insert(at, dict(note))
        assert judged(dump(renumbered(record))) == (reader.FAULTY, at + 1)


def test_deals_come_first_and_in_turn_order() -> None:
    record = load(FREE_2)
    record[1], record[2] = record[2], record[1]
    assert judged(dump(renumbered(record))) == (reader.FAULTY, 2)
    record = load(FREE_2)
    record.insert(2, {"type": "resign", "seat": 0})
    assert judged(dump(renumbered(record))) == (reader.FAULTY, 3)


def test_at_never_goes_back() -> None:
    record = load(FREE_2)
    record[3]["at"] = "2026-01-02T00:00:00.000Z"
    record[8]["at"] = "2026-01-01T23:59:59.999Z"
    assert judged(dump(record)) == (reader.FAULTY, 9)
    record = load(FREE_2)
    record[0]["clock"] = "10m+10s"
    for event in record[1:]:
        event["at"] = "2026-01-02T00:00:00.000Z"
    assert judged(dump(record)) == (reader.VERIFIED, None)
    del record[-1]["at"]
    assert judged(dump(record)) == (reader.FAULTY, 84)


def test_a_tie_is_written_ascending() -> None:
    record = load(TIE)
    record[-1]["ranking"] = [[3], [1], [2, 0]]
    assert judged(dump(record)) == (reader.FAULTY, len(record))
    record[-1]["ranking"] = [[3], [1], [0], [2]]
    assert judged(dump(record)) == (reader.FAULTY, len(record))


def early(reason: str, kind: str, leaving: str = "bot") -> Record:
    """The first good game, broken off after its 20th line, with somebody of a kind on seat 1."""
    record = load(FREE_2)
    record[0]["rules"]["leaving"] = leaving
    record[0]["seats"][1]["kind"] = kind
    ending = record[-1]
    scores: list[dict[str, int]] = [{}, {}]
    for event in record[:20]:
        if event.get("type") == "place":
            scores[event["seat"]] = event["scores"]
    del record[20:]
    order = sorted((0, 1), key=lambda seat: sorted(scores[seat].values()), reverse=True)
    ranking = [[seat] for seat in order]
    record.append({**ending, "reason": reason, "scores": scores, "ranking": ranking})
    return renumbered(record)


@pytest.mark.parametrize("reason", ["agreed", "abandoned"])
def test_an_early_end_needs_people(reason: str) -> None:
    assert judged(dump(early(reason, "human"))) == (reader.VERIFIED, None)
    assert judged(dump(early(reason, "bot"))) == (reader.FAULTY, 21)
    record = early(reason, "bot")
    record.insert(9, {"type": "takeover", "seat": 0, "name": "Eve", "kind": "human"})
    record.insert(10, {"type": "takeover", "seat": 0, "name": "bot", "kind": "bot"})
    assert judged(dump(renumbered(record))) == (reader.VERIFIED, None)
    record[0]["rules"]["leaving"] = "skip"
    assert judged(dump(renumbered(record))) == (reader.FAULTY, 11)
    del record[9]["name"]
    assert judged(dump(renumbered(record))) == (reader.FAULTY, 10)


def test_an_early_end_comes_after_the_deals() -> None:
    record = early("agreed", "human")
    del record[2:-1]
    zero = dict.fromkeys("RGBOYP", 0)
    record[-1] |= {"scores": [zero, zero], "ranking": [[0, 1]]}
    assert judged(dump(renumbered(record))) == (reader.FAULTY, 3)
    record.insert(2, load(FREE_2)[2])
    assert judged(dump(renumbered(record))) == (reader.VERIFIED, None)


def test_a_resignation_ends_a_game_of_two() -> None:
    record = early("resigned", "bot")
    record.insert(20, {"type": "resign", "seat": 0})
    record[-1]["ranking"] = [[1], [0]]
    assert judged(dump(renumbered(record))) == (reader.VERIFIED, None)
    record[-1]["ranking"] = [[0], [1]]
    assert judged(dump(renumbered(record))) == (reader.FAULTY, 22)
    record.insert(21, {"type": "takeover", "seat": 1, "name": "Eve", "kind": "human"})
    assert judged(dump(renumbered(record))) == (reader.FAULTY, 22)


# The generator


def test_generated_records_stand() -> None:
    seen: Counter[str] = Counter()
    plans = [generate.plan_for(seed) for seed in range(40)]
    one_plays = generate.Plan(seed=0, look=100, level=True, leaving="skip", idle=1000)
    plans.append(dataclasses.replace(one_plays, players=4))
    plans.append(dataclasses.replace(one_plays, players=4, mode="partners"))
    for plan in plans:
        data = generate.record(plan)
        whole = plan.finished and plan.revealed
        verdict = reader.VERIFIED if whole else reader.CONSISTENT
        assert judged(data) == (verdict, None), plan
        seen.update(str(event.get("type")) for event in load(data))
        seen.update(str(event["reason"]) for event in load(data) if event.get("type") == "end")
    wanted = {"deal", "place", "refill", "exchange", "resign", "takeover", "skip", "end"}
    wanted |= {"x-pause", "board_full", "all_at_cap", "resigned", "agreed", "abandoned"}
    assert wanted <= set(seen)


def test_generated_records_are_the_same_every_time() -> None:
    plan = generate.plan_for(3)
    assert generate.record(plan) == generate.record(plan)


def test_spoilt_records_are_judged_without_a_crash() -> None:
    rng = random.Random(5)
    records = [generate.record(generate.plan_for(seed)) for seed in range(6)]
    verdicts: Counter[str] = Counter()
    for _ in range(150):
        data, _ = generate.spoil(rng.choice(records), rng)
        verdicts[reader.judge(data).verdict] += 1
    assert verdicts[reader.FAULTY] > 75
    assert len(verdicts) == 3
