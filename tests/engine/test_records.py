"""Records that stand: the shared vectors, our own, and the referee's."""

from __future__ import annotations

import dataclasses
import itertools
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genial.engine.game import EndEarly, Game, replay
from genial.engine.record import (
    Record,
    Verdict,
    judge,
    judge_lines,
    render,
    render_event,
    render_header,
)
from genial.engine.record_text import Match
from genial.engine.rules import EndReason, FirstBy, Leaving, Rules, SeatKind
from genial.engine.shuffle import deal_key, open_bag
from tests.client.record.vectors import BROKEN, FOLDER, GOOD
from tests.engine.judging import agreed
from tests.engine.side_by_side import (
    EVERY_RULES,
    SideBySide,
    leaving_by,
    name_of,
    play_on,
    with_incidents,
)
from tests.engine.styles import STYLES
from tests.referee import generate


def replayed(record: Record) -> Game:
    """The game that a record tells, with the bag in its order."""
    header = record.header
    assert record.seed is not None
    bag = open_bag(deal_key(record.seed, header.nonces))
    if header.first_by is FirstBy.CHANCE:
        seat, bag = bag.first_seat(header.rules.players)
        assert seat == header.first_seat
    game = Game.new(header.rules, header.seats, header.first_seat, bag)
    return replay(game, [timed.event for timed in record.events])


# Shared vectors


def test_all_vectors_are_there() -> None:
    assert len(GOOD) == 7
    assert BROKEN.keys() == {path.name for path in (FOLDER / "broken").glob("*.genial")}


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_good_vector_is_verified_and_rendered_the_same(path: Path) -> None:
    data = path.read_bytes()
    judgement = agreed(data)
    assert judgement.verdict is Verdict.VERIFIED
    assert judgement.record is not None
    assert render(judgement.record).encode() == data
    game = replayed(judgement.record)
    assert game.is_over
    assert game.ended == judgement.record.events[-1].event


@pytest.mark.parametrize(("name", "line"), BROKEN.items())
def test_a_broken_vector_is_refused_at_its_line(name: str, line: int) -> None:
    judgement = agreed((FOLDER / "broken" / name).read_bytes())
    assert (judgement.verdict, judgement.line) == (Verdict.FAULTY, line)


# Our own


@pytest.mark.parametrize("rules", EVERY_RULES, ids=name_of)
@pytest.mark.parametrize("style", STYLES)
def test_our_records_are_verified_by_both(rules: Rules, style: str) -> None:
    side = SideBySide(rules, 11, rules.players - 1)
    play_on(side, random.Random(11), style)
    record = side.record(timed=style == "greedy")
    text = render(record)
    judgement = agreed(text.encode())
    assert judgement.verdict is Verdict.VERIFIED
    assert judgement.record == record
    assert render(judgement.record) == text
    assert replayed(record) == side.game
    assert agreed(render(side.record(revealed=False)).encode()).verdict is Verdict.CONSISTENT


@pytest.mark.parametrize("rules", EVERY_RULES, ids=name_of)
@pytest.mark.parametrize("leaving", list(Leaving))
def test_records_with_incidents_are_verified_by_both(rules: Rules, leaving: Leaving) -> None:
    side, _ = with_incidents(leaving_by(rules, leaving), 5)
    record = side.record()
    judgement = agreed(render(record).encode())
    assert judgement.verdict is Verdict.VERIFIED
    assert judgement.record == record


def test_every_beginning_of_a_record_is_consistent() -> None:
    side = SideBySide(EVERY_RULES[1], 2)
    play_on(side, random.Random(2), "level", steps=40)
    side.do(EndEarly(EndReason.AGREED))
    lines = render(side.record()).encode().splitlines(keepends=True)
    for count in range(1, len(lines)):
        judgement = agreed(b"".join(lines[:count]))
        assert judgement.verdict is Verdict.CONSISTENT
        assert judgement.record is not None
        assert len(judgement.record.events) == count - 1
        assert judgement.record.seed is None


def test_the_final_newline_is_optional_and_lines_come_with_or_without_theirs() -> None:
    data = GOOD[0].read_bytes()
    whole = judge(data)
    assert judge(data.rstrip(b"\n")) == whole
    assert judge_lines(data.splitlines(), keep=True) == whole
    assert judge_lines(data.splitlines(keepends=True), keep=True) == whole
    assert judge_lines(data.splitlines()) == dataclasses.replace(whole, record=None)


@pytest.mark.parametrize("talk", [None, True, False])
def test_everything_optional_is_kept(talk: bool | None) -> None:
    side = SideBySide(EVERY_RULES[3], 1, kinds=[SeatKind.HUMAN, SeatKind.BOT] * 2)
    play_on(side, random.Random(1), steps=12)
    record = side.record(timed=True)
    header = dataclasses.replace(
        record.header,
        rules=dataclasses.replace(record.header.rules, partners_talk=talk),
        software="genial-lan 1.0.0 🙂",
        match=Match("ein Abend", 2, 3),
        deal=2,
        game_id='"\\\n\u2028',
    )
    record = dataclasses.replace(record, header=header)
    judgement = agreed(render(record).encode())
    assert judgement.record == record
    assert len(render(record).splitlines()) != len(record.events) + 1  # U+2028 ends no line
    assert render(record).count("\n") == len(record.events) + 1
    first = json.loads(render_header(header))
    assert ("partners_talk" in first["rules"]) == (talk is not None)
    assert first["seats"][1] == {"seat": 1, "name": "Seat 1", "kind": "bot", "level": "medium"}
    assert "level" not in first["seats"][0]


def test_a_bare_header_has_the_required_keys_alone() -> None:
    side = SideBySide(EVERY_RULES[0])
    header = dataclasses.replace(side.record().header, software=None)
    first = json.loads(render_header(header))
    assert list(first) == (
        ["record", "game_id", "started_at", "rules", "seats", "first_seat", "first_by", "shuffle"]
    )
    assert list(first["rules"]) == ["preset", "mode", "players", "leaving"]
    assert all(list(seat) == ["seat", "name", "kind"] for seat in first["seats"])
    assert list(first["shuffle"]) == ["scheme", "commitment", "nonce_hashes", "nonces"]
    line = json.loads(render_event(1, side.events[0]))
    assert list(line) == ["n", "type", "seat", "drawn"]


def test_a_first_seat_by_chance_takes_a_word_of_the_shuffle() -> None:
    vector = next(path for path in GOOD if b'"first_by":"chance"' in path.read_bytes())
    for other in (b"named", b"rotation"):
        data = vector.read_bytes().replace(b'"first_by":"chance"', b'"first_by":"%s"' % other)
        judgement = agreed(data)
        # The words run on differently from the first exchange on, if there is one.
        assert (judgement.verdict is Verdict.FAULTY) == (b'"type":"exchange"' in data)
    lines = vector.read_bytes().splitlines()
    told = json.loads(lines[0])
    told["first_seat"] = 1 - told["first_seat"]
    record = [json.dumps(told).encode()]
    judgement = agreed(b"\n".join(record))
    assert judgement.verdict is Verdict.CONSISTENT


# The referee's


@pytest.mark.parametrize("seed", range(14))
def test_the_referees_records_are_judged_the_same(seed: int) -> None:
    plan = generate.plan_for(seed)
    data = generate.record(plan)
    judgement = agreed(data)
    whole = plan.finished and plan.revealed
    assert judgement.verdict is (Verdict.VERIFIED if whole else Verdict.CONSISTENT)
    assert judgement.record is not None
    # All is kept but events of types that begin with x-, and keys that no reader knows.
    lines = [json.loads(line) for line in data.splitlines()[1:]]
    known = [line for line in lines if not line["type"].startswith("x-")]
    assert [timed.n for timed in judgement.record.events] == [line["n"] for line in known]
    for timed, line in zip(judgement.record.events, known, strict=True):
        line.pop("remark", None)
        assert json.loads(render_event(timed.n, timed.event, timed.at)) == {
            key: value for key, value in line.items() if key != "shuffle"
        }


@settings(max_examples=settings().max_examples // 20)
@given(st.integers(100, 10**9))
def test_any_record_of_the_referee_is_judged_the_same(seed: int) -> None:
    assert agreed(generate.record(generate.plan_for(seed))).verdict is not Verdict.FAULTY


def test_a_record_of_another_deal_is_not_verified() -> None:
    """Each of two good games, with the other's tiles, nonces or seed."""
    first, second = (SideBySide(EVERY_RULES[0], seed) for seed in (1, 2))
    for side in (first, second):
        play_on(side, random.Random(1), steps=30)
    for one, other in itertools.permutations([first.record(), second.record()]):
        mixed = dataclasses.replace(one, header=other.header)
        assert agreed(render(mixed).encode()).verdict is Verdict.CONSISTENT
    play_on(first, random.Random(1))
    play_on(second, random.Random(1))
    ours, theirs = first.record(), second.record()
    swapped = dataclasses.replace(ours, header=theirs.header, seed=theirs.seed)
    judgement = agreed(render(swapped).encode())
    assert (judgement.verdict, judgement.line) == (Verdict.FAULTY, 2)
    wrong = dataclasses.replace(ours, seed=theirs.seed)
    judgement = agreed(render(wrong).encode())
    assert (judgement.verdict, judgement.line) == (Verdict.FAULTY, len(ours.events) + 1)
