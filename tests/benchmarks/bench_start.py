"""How long it takes until something is there: the version, and the first screen."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from tests.benchmarks.run import Bench

_TIMES = 5
_GENIAL = str(Path(sys.executable).parent / "genial")
_LIBRARIES = (
    "import asyncio, click, prompt_toolkit, grpc.aio, zeroconf.asyncio;"
    "from google.protobuf import timestamp_pb2, duration_pb2"
)
_TITLE = b"GENIAL"
"""What the first screen begins with."""


def _environment(home: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return kept | {"HOME": home, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}


def _fastest(command: Sequence[str]) -> float:
    """Seconds from the start of a program to its end, the best of a few."""
    spent: list[float] = []
    for _time in range(_TIMES):
        started = perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        spent.append(perf_counter() - started)
    return min(spent)


def _first_screen(home: str) -> float:
    """Seconds from starting `genial join` in a terminal to the first character of its screen."""
    ours, theirs = pty.openpty()
    started = perf_counter()
    program = subprocess.Popen(
        [_GENIAL, "join"], stdin=theirs, stdout=theirs, stderr=theirs, env=_environment(home)
    )
    os.close(theirs)
    try:
        seen = b""
        while _TITLE not in seen:
            ready, _w, _x = select.select([ours], [], [], 60)
            if not ready:
                raise TimeoutError("no first screen")
            seen += os.read(ours, 65536)
        return perf_counter() - started
    finally:
        program.kill()
        program.wait()
        os.close(ours)


def first_screen() -> float:
    """The list of tables over a process that imports the libraries alone."""
    with tempfile.TemporaryDirectory() as home:
        _first_screen(home)
        shown = min(_first_screen(home) for _time in range(_TIMES))
    return shown / _fastest([sys.executable, "-c", _LIBRARIES])


def version() -> float:
    """`genial --version` over `python -c pass`."""
    return _fastest([_GENIAL, "--version"]) / _fastest([sys.executable, "-c", "pass"])


BENCHES = [
    Bench(
        "start-version",
        "`genial --version` over `python -c pass`",
        5,
        False,
        version,
    ),
    Bench(
        "start-screen",
        "first screen of `genial join` over a process that imports its libraries",
        1.5,
        False,
        first_screen,
    ),
]
