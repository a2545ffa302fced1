"""Standard streams that are full, closed or left by their reader: never a fault of the program."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from tests.e2e.processes import GENIAL, environment

RECORD = Path(__file__).parents[1] / "vectors" / "good" / "free-2-genial-greedy-27.genial"

COMMANDS = (
    ("--version",),
    ("--help",),
    ("hosts", "--json", "--wait", "0"),
    ("record", "check", str(RECORD)),
    ("record", "show", str(RECORD)),
    ("replay", str(RECORD), "--plain"),
)
BUFFERED = ("", "1")
"""What PYTHONUNBUFFERED may be: a write fails at another moment then."""


def run(
    arguments: tuple[str, ...],
    home: Path,
    *,
    unbuffered: str = "",
    stdout: int | IO[bytes] = subprocess.PIPE,
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*GENIAL, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=60,
        preexec_fn=before,
        check=False,
        env=environment(home, {"PYTHONUNBUFFERED": unbuffered}),
    )


@pytest.mark.parametrize("unbuffered", BUFFERED)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_behind_standard_output(
    tmp_path: Path, command: tuple[str, ...], unbuffered: str
) -> None:
    with open("/dev/full", "wb") as full:
        done = run(command, tmp_path, unbuffered=unbuffered, stdout=full)
    assert done.stderr == (b"genial: Standard output cannot be written: No space left on device.\n")
    assert done.returncode == 1
    assert not list(tmp_path.rglob("crash-*"))


@pytest.mark.parametrize("command", COMMANDS)
def test_no_standard_output_at_all(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run(command, tmp_path, before=lambda: os.close(1))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_no_standard_error_is_not_written_elsewhere(tmp_path: Path) -> None:
    done = run(("tables", "127.0.0.1:1", "--plaintext"), tmp_path, before=lambda: os.close(2))
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


@pytest.mark.parametrize("unbuffered", BUFFERED)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_is_gone(tmp_path: Path, command: tuple[str, ...], unbuffered: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "wb") as pipe:
        done = run(command, tmp_path, unbuffered=unbuffered, stdout=pipe)
    assert (done.returncode, done.stderr) == (1, b"")


def test_playing_to_a_full_disk_ends_in_order(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = run(("play", "--plain", "--no-announce", "--name", "Ana"), tmp_path, stdout=full)
    # Not by a signal either: streams left open once crashed gRPC at the end.
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr


def test_playing_without_a_place_for_anything() -> None:
    done = run(("play", "--plain", "--no-announce", "--name", "Ana"), Path(os.devnull))
    assert done.returncode == 1
    assert done.stderr.startswith(b"genial: The host did not start: Not a directory: /dev/null/")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        ("tables", "\udcff", "--plaintext"),
        ("create", "127.0.0.1:1", "--bots", "\udcff", "--plaintext"),
        ("watch", "127.0.0.1:1", "\udcff", "--plain", "--plaintext"),
        ("tables", "a\x1b[31m\x07", "--plaintext"),
        ("host", "--config", "\x1b[31m"),
        ("record", "show", "\x1b[31m\udcff"),
    ],
)
def test_arguments_of_any_bytes_end_in_one_plain_line(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    done = run(command, tmp_path)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert done.stderr.startswith(b"genial: ")
    assert b"fault of the program" not in done.stderr
    assert done.stderr.rstrip(b"\n").decode().isprintable()
