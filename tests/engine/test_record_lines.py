"""Records with lines lost, doubled, swapped or spoilt, and what is no record at all."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genial.engine.game import EndEarly
from genial.engine.record import MAX_LINE_BYTES, Verdict, judge, judge_lines, render
from genial.engine.rules import EndReason, Rules
from tests.client.record.vectors import GOOD
from tests.conftest import SOAK
from tests.engine.judging import agreed
from tests.engine.side_by_side import EVERY_RULES, SideBySide, name_of, play_on
from tests.referee import generate


def short_record(rules: Rules, steps: int = 14, seed: int = 8) -> list[bytes]:
    """The lines of a game that people ended early."""
    side = SideBySide(rules, seed)
    play_on(side, random.Random(seed), "level", steps)
    side.do(EndEarly(EndReason.AGREED))
    return render(side.record()).encode().splitlines()


SHORT = short_record(EVERY_RULES[0])


BLANKS = (b"", b"  ", b"\t", b"\r", "\u00a0".encode(), b"\x0b")


def faulty_at(lines: list[bytes], line: int, what: str = "") -> None:
    judgement = agreed(b"\n".join(lines), what)
    assert (judgement.verdict, judgement.line) == (Verdict.FAULTY, line), what


@pytest.mark.parametrize("rules", EVERY_RULES[:5], ids=name_of)
def test_lines_lost_doubled_swapped_or_blank(rules: Rules) -> None:
    lines = short_record(rules)
    last = len(lines) - 1
    assert agreed(b"\n".join(lines)).verdict is Verdict.VERIFIED
    for at in range(len(lines)):
        above, line, below = lines[:at], lines[at], lines[at + 1 :]
        if at < last:
            faulty_at([*above, *below], at + 1, f"line {at + 1} lost")
            faulty_at([*above, below[0], line, *below[1:]], at + 1, f"line {at + 1} swapped")
        faulty_at([*above, line, line, *below], at + 2, f"line {at + 1} doubled")
        for blank in BLANKS if at == 2 or SOAK else BLANKS[:1]:
            faulty_at([*above, blank, *lines[at:]], at + 1, f"blank before line {at + 1}")
    assert agreed(b"\n".join(lines[:-1])).verdict is Verdict.CONSISTENT
    faulty_at([*lines, b""] if not lines[-1] else [*lines, b" "], len(lines) + 1)
    faulty_at([*lines, b'{"n":%d,"type":"x-late"}' % len(lines)], len(lines) + 1)
    faulty_at([*lines, *lines], len(lines) + 1)


Spoiler = Callable[[bytes], bytes]
SPOILT: dict[str, Spoiler] = {
    "byte-order mark": lambda line: b"\xef\xbb\xbf" + line,
    "invalid UTF-8": lambda line: line[:-1] + b',"zz":"\xff"}',
    "half a UTF-8 character": lambda line: line[:-1] + b',"zz":"\xc3"}',
    "surrogates in UTF-8": lambda line: line[:-1] + b',"zz":"\xed\xa0\x80"}',
    "overlong UTF-8": lambda line: line[:-1] + b',"zz":"\xc0\xaf"}',
    "UTF-16": lambda line: line.decode().encode("utf-16-le"),
    "a control character": lambda line: line[:-1] + b',"zz":"\x00"}',
    "an unknown key twice": lambda line: line[:-1] + b',"zz":1,"zz":1}',
    "a key twice deep inside": lambda line: line[:-1] + b',"zz":[{"a":{"b":1,"b":1}}]}',
    "the first key twice": lambda line: line[:-1] + b"," + line[1:].split(b",")[0] + b"}",
    "the same key, escaped": lambda line: line[:-1] + b',"\\u007a":1,"z":1}',
    "NaN": lambda line: line[:-1] + b',"zz":NaN}',
    "Infinity": lambda line: line[:-1] + b',"zz":[-Infinity]}',
    "a comma too many": lambda line: line[:-1] + b",}",
    "single quotes": lambda line: line.replace(b'"', b"'"),
    "a comment": lambda line: line + b" // end",
    "two documents": lambda line: line + b"{}",
    "no object": lambda line: b"[" + line + b"]",
    "a string": lambda line: json.dumps(line.decode()).encode(),
    "a number": lambda line: b"1",
    "null": lambda line: b"null",
    "nothing in it": lambda line: b"{}",
    "cut in the middle": lambda line: line[: len(line) // 2],
    "all but the brace": lambda line: line[:-1],
    "leading zero": lambda line: line[:-1] + b',"zz":01}',
    "hexadecimal": lambda line: line[:-1] + b',"zz":0x1}',
    "nested too deeply": lambda line: line[:-1] + b',"zz":' + b"[" * 10**5 + b"]" * 10**5 + b"}",
    "objects nested too deeply": lambda line: b'{"a":' * 10**5 + b"1" + b"}" * 10**5,
    "a number of five thousand digits": lambda line: line[:-1] + b',"zz":' + b"9" * 5000 + b"}",
    "zero bytes": lambda line: b"\x00" * len(line),
    "backwards": lambda line: line[::-1],
}
HARMLESS: dict[str, Spoiler] = {
    "spaces": lambda line: b" \t" + line.replace(b",", b" , ") + b" \r",
    "escapes": lambda line: line.replace(b'"seat"', b'"\\u0073eat"'),
    "an unknown key": lambda line: line[:-1] + b',"zz":{"deep":[1.5,null,true,1e400,-0]}}',
    "many digits": lambda line: line[:-1] + b',"zz":' + b"9" * 4000 + b"}",
    "nested": lambda line: line[:-1] + b',"zz":' + b"[" * 50 + b"]" * 50 + b"}",
    "half a character, escaped": lambda line: line[:-1] + b',"zz":"\\ud800","\\udfff":0}',
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_line_is_refused_at_its_place(how: str) -> None:
    for at in range(len(SHORT)) if SOAK else (0, 1, 3, len(SHORT) - 1):
        faulty_at([*SHORT[:at], SPOILT[how](SHORT[at]), *SHORT[at + 1 :]], at + 1, how)


@pytest.mark.parametrize("how", HARMLESS)
def test_what_json_allows_is_no_fault(how: str) -> None:
    for at in (0, 1, 3, len(SHORT) - 1):
        lines = [*SHORT[:at], HARMLESS[how](SHORT[at]), *SHORT[at + 1 :]]
        assert agreed(b"\n".join(lines), how).verdict is Verdict.VERIFIED


@pytest.mark.parametrize("at", [0, 2, len(SHORT) - 1])
def test_a_line_of_two_megabytes_is_refused_unread(at: int) -> None:
    # The rules set no limit, a reader that is to need no more memory than the file has to.
    for much in (
        b'"' + b"x" * (2 << 20) + b'"',
        b"[" + b"0," * (1 << 20) + b"0]",
        b" " * (2 << 20),
    ):
        line = SHORT[at][:-1] + b',"zz":' + much + (b"0" if much.isspace() else b"") + b"}"
        judgement = judge(b"\n".join([*SHORT[:at], line, *SHORT[at + 1 :]]))
        assert (judgement.verdict, judgement.line) == (Verdict.FAULTY, at + 1)
        assert str(MAX_LINE_BYTES) in judgement.sentence
    much = b"x" * (MAX_LINE_BYTES - len(SHORT[at]) - 8)
    line = SHORT[at][:-1] + b',"zz":"' + much + b'"}'
    assert len(line) == MAX_LINE_BYTES
    lines = [*SHORT[:at], line, *SHORT[at + 1 :]]
    assert agreed(b"\n".join(lines)).verdict is Verdict.VERIFIED
    lines[at] = line[:-1] + b" }"
    assert judge(b"\n".join(lines)).line == at + 1


RUBBISH = {
    "nothing": b"",
    "one newline": b"\n",
    "only newlines": b"\n" * 1000,
    "a space": b" ",
    "random bytes": random.Random(1).randbytes(5000),
    "compressed": gzip.compress(b"\n".join(SHORT), mtime=0),
    "zero bytes": bytes(100_000),
    "a byte-order mark": b"\xef\xbb\xbf",
    "UTF-16": b"\n".join(SHORT).decode().encode("utf-16"),
    "an array of all lines": b"[" + b",".join(SHORT) + b"]",
    "all in one line": b" ".join(SHORT),
    "old line ends": b"\r".join(SHORT),
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(50),
    "a page": b"<!DOCTYPE html>\n<html></html>\n",
    "an empty object": b"{}\n",
    "events without a header": b"\n".join(SHORT[1:]),
    "brackets": b"[" * 200_000,
    "braces": b"{" * 200_000,
    "quotes": b'"' * 200_001,
    "a number without end": b"1" * 500_000,
    "backslashes": b'{"' + b"\\" * 100_000,
}


@pytest.mark.parametrize("what", RUBBISH)
def test_rubbish_is_refused_at_the_first_line(what: str) -> None:
    judgement = agreed(RUBBISH[what], what)
    assert (judgement.verdict, judgement.line) == (Verdict.FAULTY, 1)


def test_windows_line_ends_are_spaces_of_json() -> None:
    assert agreed(b"\r\n".join(SHORT) + b"\r\n").verdict is Verdict.VERIFIED


def test_no_lines_at_all() -> None:
    judgement = judge_lines([])
    assert (judgement.verdict, judgement.line) == (Verdict.FAULTY, 1)


@settings(max_examples=settings().max_examples * 3)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    assert agreed(data).line == 1


@given(at=st.integers(1, len(SHORT) - 1), data=st.data())
def test_any_json_in_place_of_a_line_is_judged_the_same(at: int, data: st.DataObject) -> None:
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=6,
    )
    event = json.loads(SHORT[at])
    for key in data.draw(st.lists(st.sampled_from(sorted(event)), max_size=2, unique=True)):
        event[key] = data.draw(values)
    line = json.dumps(event).encode()
    agreed(b"\n".join([*SHORT[:at], line, *SHORT[at + 1 :]]))


def test_bytes_cut_off_anywhere() -> None:
    whole = b"\n".join(SHORT)
    ends = {0, len(whole)}
    for at in range(len(whole)):
        if whole[at : at + 1] == b"\n":
            ends |= {at, at + 1}
    rng = random.Random(2)
    cuts = range(len(whole)) if SOAK else {*rng.sample(range(len(whole)), 100), *ends}
    for cut in sorted(cuts):
        judgement = agreed(whole[:cut], f"cut at {cut}")
        line = whole[:cut].count(b"\n") + 1
        if cut == len(whole):
            assert judgement.verdict is Verdict.VERIFIED
        elif cut in ends and cut:
            assert judgement.verdict is Verdict.CONSISTENT
        else:
            assert (judgement.verdict, judgement.line) == (Verdict.FAULTY, line)


def test_bytes_changed_anywhere() -> None:
    whole = b"\n".join(SHORT)
    rng = random.Random(3)
    caught = 0
    times = max(150, 10 * SOAK)
    for _ in range(times):
        data = bytearray(whole)
        at = rng.randrange(len(data))
        data[at] ^= 1 << rng.randrange(8)
        judgement = agreed(bytes(data), f"byte {at}")
        caught += judgement.verdict is Verdict.FAULTY
    # Names, moments and the like may change without harm to the game.
    assert caught > times * 0.8


def test_records_spoilt_at_random() -> None:
    rng = random.Random(4)
    plans = [
        generate.Plan(
            seed, early="agreed", steps=12, notes=0.1, takeover=0.05, extras=seed % 2 == 0
        )
        for seed in range(4)
    ]
    records = [generate.record(plan) for plan in plans]
    records.append(GOOD[0].read_bytes())
    caught = 0
    times = max(150, 10 * SOAK)
    for _ in range(times):
        data, what = generate.spoil(rng.choice(records), rng)
        caught += agreed(data, what).verdict is Verdict.FAULTY
    assert caught > times // 2


def test_a_strange_draw_is_found_above_a_later_fault() -> None:
    whole = [json.loads(line) for line in SHORT]
    whole[2]["drawn"] = whole[2]["drawn"][::-1]
    last = len(whole) - 1
    for at in (4, last):
        for key, value in [("n", 0), ("type", "nothing"), ("seat", 5), ("ranking", [])]:
            event = {**whole[at], key: value}
            lines = [json.dumps(line).encode() for line in [*whole[:at], event, *whole[at + 1 :]]]
            expected = 3
            if at == last and key == "type":
                expected = last + 1  # No end is left that could tell the seed.
            if key in event and key not in whole[at]:
                continue
            faulty_at(lines, expected, f"{key} at line {at + 1}")
    # Without its seed nobody can tell.
    del whole[last]["shuffle"]
    whole[4]["n"] = 0
    faulty_at([json.dumps(line).encode() for line in whole], 5)


def test_with_a_wrong_seed_draws_are_not_compared() -> None:
    whole = [json.loads(line) for line in SHORT]
    whole[2]["drawn"] = whole[2]["drawn"][::-1]
    for seed in ("0" * 64, "F" * 64, "", None, 7):
        whole[-1]["shuffle"]["seed"] = seed
        faulty_at([json.dumps(line).encode() for line in whole], len(whole))


@pytest.mark.parametrize("clock", [True, False])
def test_moments_never_go_back_from_event_to_event(clock: bool) -> None:
    side = SideBySide(EVERY_RULES[0], 8)
    play_on(side, random.Random(8), "level", 14)
    side.do(EndEarly(EndReason.AGREED))
    lines = render(side.record(timed=True)).encode().splitlines()
    if not clock:
        # Then an event may leave it out, which changes nothing for those that follow.
        lines[0] = lines[0].replace(b'"clock":"10m+10s",', b"")
        lines[4] = lines[4].replace(b'"at":"2026-11-29T20:00:04.000Z",', b"")
    assert agreed(b"\n".join(lines)).verdict is Verdict.VERIFIED
    for moment, stands in [
        (b"2026-11-29T20:00:05.999Z", True),
        (b"2026-11-29T20:00:06.000Z", True),
        (b"2026-11-29T20:00:04.000Z", True),
        (b"2026-11-29T20:00:03.500Z", not clock),
        (b"2026-11-29T20:00:03.000Z", not clock),
        (b"2026-11-29T20:00:02.999Z", False),
        (b"2026-11-28T20:00:05.000Z", False),
    ]:
        line = lines[5].replace(b"2026-11-29T20:00:05.000Z", moment)
        assert moment in line
        judgement = agreed(b"\n".join([*lines[:5], line, *lines[6:]]), str(moment))
        assert (judgement.verdict, judgement.line) == (
            (Verdict.VERIFIED, None) if stands else (Verdict.FAULTY, 6)
        )


def test_an_end_tells_why_the_game_is_over() -> None:
    for reason in EndReason:
        end = SHORT[-1].replace(b'"agreed"', b'"%s"' % reason.value.encode())
        judgement = agreed(b"\n".join([*SHORT[:-1], end]), reason)
        early = reason in (EndReason.AGREED, EndReason.ABANDONED)
        assert (judgement.verdict, judgement.line) == (
            (Verdict.VERIFIED, None) if early else (Verdict.FAULTY, len(SHORT))
        )
