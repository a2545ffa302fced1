from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from genial.client import record_files
from genial.client.record_files import (
    MAX_OPENED_LINES,
    RecordFileError,
    check_file,
    check_files,
    check_sentence,
    open_bytes,
    open_record,
    record_lines,
    shown_path,
)
from genial.engine.record import MAX_LINE_BYTES, Verdict, judge
from tests.client.record.vectors import BROKEN, FOLDER, FREE_2, FREE_4, GOOD, with_events_put_in
from tests.referee import generate

MEGABYTE = 1 << 20


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_good_vectors_are_verified(path: Path) -> None:
    judgement = check_file(path)
    assert judgement.verdict is Verdict.VERIFIED
    assert check_sentence("a.genial", judgement) == "ok a.genial verified"


@pytest.mark.parametrize(("name", "line"), BROKEN.items())
def test_broken_vectors_are_faulty_at_their_line(name: str, line: int) -> None:
    judgement = check_file(FOLDER / "broken" / name)
    assert (judgement.verdict, judgement.line) == (Verdict.FAULTY, line)
    assert check_sentence(name, judgement) == f"{name}:{line}: {judgement.sentence}"


# --- lines


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    for content, lines in (
        (b"", []),
        (b"one", [b"one"]),
        (b"one\n", [b"one"]),
        (b"one\n\ntwo", [b"one", b"", b"two"]),
        (b"\n", [b""]),
        (b"one\r\ntwo\x00\xff", [b"one\r", b"two\x00\xff"]),
    ):
        path.write_bytes(content)
        assert list(record_lines(path)) == lines


def test_a_line_of_the_greatest_length_is_whole_and_a_longer_one_cut(tmp_path: Path) -> None:
    path = tmp_path / "long"
    whole, longer = b"a" * MAX_LINE_BYTES, b"b" * (3 * MAX_LINE_BYTES + 5)
    path.write_bytes(whole + b"\n" + longer + b"\n" + whole + b"\nshort")
    first, second, third, fourth = record_lines(path)
    assert first == third == whole
    assert second == b"b" * (MAX_LINE_BYTES + 1)
    assert fourth == b"short"


def test_a_file_is_judged_as_its_bytes_are(tmp_path: Path) -> None:
    rng = random.Random(5)
    good = FREE_2.read_bytes()
    long = b'{"n":1,"type":"x-' + b"y" * MAX_LINE_BYTES + b'"}'
    contents = [good, good + long, long, good[:300] + long + good[300:], b"", b"\n"]
    contents += [generate.spoil(good, rng)[0] for _ in range(60)]
    path = tmp_path / "record"
    for content in contents:
        path.write_bytes(content)
        judged, in_memory = check_file(path), judge(content)
        assert (judged.verdict, judged.line, judged.sentence) == (
            in_memory.verdict,
            in_memory.line,
            in_memory.sentence,
        )


# --- what is no record


def test_whatever_is_no_regular_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    cases = {
        str(tmp_path): "this is a directory, not a record",
        str(tmp_path / "missing"): "there is no such file",
        str(FREE_2 / "within"): "this file cannot be read (Not a directory)",
        str(pipe): "this is a pipe or a device, not a file",
        "/dev/zero": "this is a pipe or a device, not a file",
        "/dev/null": "this is a pipe or a device, not a file",
        "": "there is no such file",
        "a\0b": "this is no file name",
        "x" * 5000: "this file cannot be read (File name too long)",
    }
    for path, sentence in cases.items():
        judgement = check_file(path)
        assert (judgement.verdict, judgement.line) == (Verdict.FAULTY, 1)
        assert judgement.sentence == sentence
        with pytest.raises(RecordFileError, match=r":1: "):
            open_record(path)


def test_a_link_to_a_record_is_read_and_one_to_nowhere_is_not(tmp_path: Path) -> None:
    link, nowhere, loop = (tmp_path / name for name in ("link", "nowhere", "loop"))
    link.symlink_to(FREE_2)
    nowhere.symlink_to(tmp_path / "missing")
    loop.symlink_to(loop)
    assert check_file(link).verdict is Verdict.VERIFIED
    assert check_file(nowhere).sentence == "there is no such file"
    assert check_file(loop).verdict is Verdict.FAULTY


def test_a_file_that_may_not_be_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_arguments: Any) -> int:
        raise PermissionError(13, "Permission denied")

    # Tests may run as root, whom no mode stops.
    monkeypatch.setattr(os, "open", forbidden)
    assert check_file(FREE_2).sentence == "you may not read this file"


def test_a_file_that_turns_into_a_pipe_while_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(os, "stat", lambda _name: os.lstat(FREE_2))
    assert check_file(pipe).sentence == "this is a pipe or a device, not a file"


def test_binary_rubbish_is_faulty_and_never_more(tmp_path: Path) -> None:
    rng = random.Random(6)
    path = tmp_path / "rubbish"
    for size in (1, 2, 100, 10_000, MEGABYTE):
        for content in (rng.randbytes(size), bytes(size), b"\xff" * size, b"\n" * size):
            path.write_bytes(content)
            judgement = check_file(path)
            assert (judgement.verdict, judgement.line) == (Verdict.FAULTY, 1)


def test_a_record_cut_off_anywhere_is_unfinished_or_faulty_in_its_last_line() -> None:
    whole = FREE_4.read_bytes()
    rng = random.Random(7)
    for size in [*range(1, 60), *(rng.randrange(1, len(whole) - 2) for _ in range(300))]:
        content = whole[:size]
        judgement = judge(content)
        if content.endswith(b"\n") or whole[size : size + 1] == b"\n":
            assert judgement.verdict is Verdict.CONSISTENT
            assert judgement.sentence == "the game is unfinished"
        else:
            assert judgement.verdict is Verdict.FAULTY
            assert judgement.line == content.count(b"\n") + 1


# --- large files


def large_files() -> dict[str, Callable[[Path], None]]:
    """Files of 100 MB of every kind, each written to a path."""
    good = FREE_2.read_bytes()
    header, *events = good.splitlines(keepends=True)
    hundred = 100 * MEGABYTE

    def repeated(start: bytes, block: bytes) -> Callable[[Path], None]:
        def write(path: Path) -> None:
            chunk = block * max(1, MEGABYTE // len(block))
            with path.open("wb") as file:
                file.write(start)
                while file.tell() < hundred:
                    file.write(chunk)

        return write

    nested = b'{"a":' + b"[[],{}]," * 130_000
    return {
        "zeros": repeated(b"", bytes(MEGABYTE)),
        "one line of digits after the header": repeated(header, b"7" * MEGABYTE),
        "blank lines": repeated(header + events[0], b"\n"),
        "the record over and over": repeated(good, good),
        "long lines of lists": repeated(header, nested + b"\n"),
        "ends that are none": repeated(header, b'{"type":"end","n":0,"shuffle":{"seed":3}}\n'),
    }


MEASURE = """
import resource, sys
from genial.client.record_files import check_file
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
judgement = check_file(sys.argv[1])
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(judgement.verdict.name, judgement.line, after - before)
"""


@pytest.mark.parametrize("kind", large_files())
def test_a_file_of_100_megabytes_is_refused_in_little_memory(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "large"
    large_files()[kind](path)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    path.unlink()
    verdict, line, kilobytes = done.stdout.split()
    assert verdict == "FAULTY"
    assert int(line) <= 90
    assert int(kilobytes) < 64 * 1024


def test_what_is_too_long_to_be_shown_says_so() -> None:
    note = {"n": 0, "type": "x-note"}
    many = with_events_put_in(FREE_2, 5, [note] * MAX_OPENED_LINES)
    assert judge(many).verdict is Verdict.VERIFIED
    with pytest.raises(RecordFileError, match="too long to be shown"):
        open_bytes("many", many)
    wide = with_events_put_in(FREE_2, 5, [note | {"text": "x" * (MEGABYTE - 100)}] * 9)
    with pytest.raises(RecordFileError, match="too long to be shown"):
        open_bytes("wide", wide)


# --- many files


def files_of_every_verdict(folder: Path) -> list[str]:
    lines = FREE_2.read_bytes().splitlines(keepends=True)
    paths = []
    for number in range(150):
        path = folder / f"{number}.genial"
        path.write_bytes(b"".join(lines[: 5 + number % 70]) if number % 3 else FREE_4.read_bytes())
        paths.append(str(path))
    paths.insert(40, str(folder))
    paths.insert(7, str(folder / "missing"))
    paths += [str(FOLDER / "broken" / name) for name in BROKEN]
    return paths


def test_several_processes_judge_as_one_does_and_in_order(tmp_path: Path) -> None:
    paths = files_of_every_verdict(tmp_path)
    assert record_files._size(paths) > record_files._MANY_BYTES
    one = [
        check_sentence(path, judged)
        for path, judged in zip(paths, check_files(paths, 1), strict=True)
    ]
    two = [
        check_sentence(path, judged)
        for path, judged in zip(paths, check_files(paths, 2), strict=True)
    ]
    assert one == two
    assert len({line.rpartition(" ")[2] for line in one}) > 3


def test_processes_can_be_started_from_a_program_with_threads(tmp_path: Path) -> None:
    paths = files_of_every_verdict(tmp_path)
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        judged = list(check_files(paths, 2))
    finally:
        stop.set()
        thread.join()
    assert judged == list(check_files(paths, 1))


def test_where_no_process_can_be_started_this_one_does_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = files_of_every_verdict(tmp_path)

    class Dying:
        def __enter__(self) -> Dying:
            return self

        def __exit__(self, *_error: object) -> None:
            return

        def map(self, function: Any, paths: list[str], chunksize: int) -> Any:
            yield from map(function, paths[:10])
            raise BrokenProcessPool

    monkeypatch.setattr(record_files, "_workers", lambda _count: Dying())
    assert len(list(check_files(paths, 2))) == len(paths)

    def impossible(_count: int) -> Any:
        raise OSError("no semaphores here")

    monkeypatch.setattr(record_files, "_workers", impossible)
    assert list(check_files(paths, 2)) == list(check_files(paths, 1))


def test_no_files_at_all_give_no_lines() -> None:
    assert list(check_files([])) == []


# --- names


def test_a_path_is_shown_on_one_line() -> None:
    assert shown_path("games/Zoë 1.genial") == "games/Zoë 1.genial"
    assert shown_path("a\nb\x1b[2J\u202e") == "a?b?[2J?"
    assert shown_path(os.fsdecode(b"caf\xe9")) == "caf?"
    assert str(RecordFileError("a\nb", "no", 3)) == "a?b:3: no"
