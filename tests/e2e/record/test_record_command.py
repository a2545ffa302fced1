"""`genial record` and `genial replay` as processes, on files."""

from __future__ import annotations

import os
import random
import re
import resource
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.client.record.vectors import BROKEN, FOLDER, FREE_2, FREE_4, GOOD, SOLO, renamed

MEGABYTE = 1 << 20


def genial(
    *arguments: str | Path,
    typed: str = "",
    cwd: Path | None = None,
    limit: int | None = None,
    environment: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs `genial …` to its end; `limit` is the most memory (bytes of address space) it gets."""

    def confine() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return subprocess.run(
        [sys.executable, "-m", "genial.cli", *map(str, arguments)],
        input=typed,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        cwd=cwd,
        preexec_fn=confine,
        env=os.environ | {"PYTHONUTF8": "1"} | (environment or {}),
    )


def test_good_records_are_ok_a_line_each() -> None:
    done = genial("record", "check", *GOOD)
    assert done.stdout == "".join(f"ok {path} verified\n" for path in GOOD)
    assert (done.returncode, done.stderr) == (0, "")


def test_broken_records_are_named_with_their_line() -> None:
    paths = [FOLDER / "broken" / name for name in BROKEN]
    done = genial("record", "check", *paths, FREE_2)
    *faults, last = done.stdout.splitlines()
    assert last == f"ok {FREE_2} verified"
    for path, line in zip(paths, faults, strict=True):
        assert re.fullmatch(rf"{re.escape(str(path))}:{BROKEN[path.name]}: \S.*", line)
    assert (done.returncode, done.stderr) == (1, "")


def test_an_unfinished_record_is_consistent_and_no_failure(tmp_path: Path) -> None:
    lines = FREE_2.read_bytes().splitlines(keepends=True)
    (tmp_path / "half.genial").write_bytes(b"".join(lines[:20]))
    done = genial("record", "check", "half.genial", cwd=tmp_path)
    assert done.stdout == "ok half.genial consistent, not verifiable\n"
    assert done.returncode == 0


def test_a_half_written_last_line_is_faulty_there(tmp_path: Path) -> None:
    content = FREE_2.read_bytes()
    last = len(content.splitlines())
    (tmp_path / "cut.genial").write_bytes(content[: len(content) - 100])
    done = genial("record", "check", "cut.genial", cwd=tmp_path)
    assert done.stdout == f"cut.genial:{last}: the line is not whole JSON\n"
    assert done.returncode == 1


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = genial("record", "check", "pipe", ".", "missing", "/dev/zero", cwd=tmp_path)
    assert done.stdout.splitlines() == [
        "pipe:1: this is a pipe or a device, not a file",
        ".:1: this is a directory, not a record",
        "missing:1: there is no such file",
        "/dev/zero:1: this is a pipe or a device, not a file",
    ]
    assert (done.returncode, done.stderr) == (1, "")


def test_no_file_at_all_is_wrong_usage() -> None:
    done = genial("record", "check")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


def test_a_name_in_no_encoding_does_no_harm(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9\n.genial")
    (tmp_path / name).write_bytes(FREE_2.read_bytes())
    done = genial("record", "check", name, cwd=tmp_path)
    assert done.stdout == "ok caf??.genial verified\n"


@pytest.mark.parametrize("kind", ["rubbish", "zeros", "one long line", "a record and then zeros"])
def test_100_megabytes_are_refused_without_taking_as_much_memory(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "large"
    rubbish = random.Random(8).randbytes(MEGABYTE)
    start, block = {
        "rubbish": (b"", rubbish),
        "zeros": (b"", bytes(MEGABYTE)),
        "one long line": (FREE_2.read_bytes().splitlines(keepends=True)[0], b"x" * MEGABYTE),
        "a record and then zeros": (FREE_2.read_bytes(), bytes(MEGABYTE)),
    }[kind]
    with path.open("wb") as file:
        file.write(start)
        for _ in range(100):
            file.write(block)
    for command in (("check",), ("show",), ("show", "--svg", str(tmp_path / "out.svg"))):
        done = genial("record", command[0], path, *command[1:], limit=200 * MEGABYTE)
        assert done.returncode == 1
        said = (done.stdout + done.stderr).splitlines()
        assert len(said) == 1
        assert re.search(rf"{re.escape(str(path))}:\d+: \S", said[0])
    assert not (tmp_path / "out.svg").exists()
    path.unlink()


def test_show_prints_the_game_and_where_asked_a_position() -> None:
    done = genial("record", "show", FREE_4)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("GAME vector-free-4-genial-greedy-28\n")
    assert "Rank 1: P0" in done.stdout
    done = genial("record", "show", FREE_4, "--after", "60")
    assert done.stdout.startswith("AFTER EVENT 60\n")
    done = genial("record", "show", FREE_4, "--after", "0")
    assert done.stdout.startswith("BEFORE THE DEAL\n")


def test_show_refuses_what_there_is_not() -> None:
    for arguments, code in (
        ([FREE_4, "--after", "136"], 1),
        ([FREE_4, "--after", "-1"], 2),
        ([FREE_4, "--after", "x"], 2),
        ([FREE_4, "--svg", "/nowhere/at/all.svg"], 1),
        (["missing.genial"], 1),
        ([FOLDER / "broken" / "occupied-cell.genial"], 1),
        ([], 2),
    ):
        done = genial("record", "show", *arguments)
        assert done.returncode == code
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) == 1
        assert "Traceback" not in done.stderr
    assert (
        "occupied-cell.genial:10: "
        in genial("record", "show", FOLDER / "broken" / "occupied-cell.genial").stderr
    )


def test_show_draws_a_picture(tmp_path: Path) -> None:
    out = tmp_path / "game.svg"
    for arguments in ([], ["--theme", "light"], ["--after", "30", "--theme", "colour-blind"]):
        done = genial("record", "show", SOLO, "--svg", out, *arguments)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert ET.fromstring(out.read_text(encoding="utf-8")).tag.endswith("svg")
    assert genial("record", "show", SOLO, "--svg", "-").stdout.startswith("<svg ")


def test_show_works_where_the_terminal_knows_ascii_only(tmp_path: Path) -> None:
    path = tmp_path / "names.genial"
    path.write_bytes(renamed(FREE_2, ["李雷", "Zoë"]))
    done = genial("record", "show", path, environment={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert "  ??" in done.stdout


def test_replay_steps_through_a_file_by_lines() -> None:
    done = genial(
        "replay", FREE_2, "--plain", typed="next\nback\njump 60\nboard\nscores\nplay 0\nresult\n"
    )
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.splitlines()
    assert said[0].startswith("A game of P0, P1: ")
    assert "60: " in done.stdout
    assert "83: The game is over: no tile fits on the board any more." in said
    assert said[-1].startswith("Rank 2: ")


def test_replay_quits_and_says_what_is_no_record() -> None:
    done = genial("replay", FREE_2, "--plain", typed="quit\nnext\n")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 4
    for path in (FOLDER / "broken" / "out-of-turn.genial", "missing.genial", "."):
        done = genial("replay", path, "--plain")
        assert done.returncode == 1
        assert done.stdout == ""
        assert re.match(r"genial: .*:\d+: ", done.stderr)


def test_a_reader_that_goes_away_is_no_crash() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "genial.cli", "record", "check", *[str(FREE_2)] * 600],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"ok ")
        process.stdout.close()
        complaint = process.stderr.read()
        assert process.wait(timeout=60) == 1
    assert complaint == b""
