"""Programs that run on the laptops of a test, and are talked to by lines."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import Empty, Queue
from threading import Thread
from typing import Any, Final

import pytest

from tests.lan.namespaces import Laptop

HOG: Final = """
import socket, time
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as hog:
    hog.bind(("", 5353))
    print("held", flush=True)
    time.sleep(600)
"""
"""Takes mDNS's port for itself alone."""

LIST: Final = """
import asyncio, json
from contextlib import aclosing
from genial.client.browse import Browser

async def main():
    async with Browser() as browser, aclosing(browser.changes()) as changes:
        async for hosts in changes:
            rows = [{
                "name": host.name, "id": host.host_id, "reachable": host.reachable,
                "addresses": host.addresses, "at": host.answered_at, "targets": host.targets,
            } for host in hosts]
            print(json.dumps({"problem": browser.problem, "hosts": rows}), flush=True)

asyncio.run(main())
"""
"""The client's list of hosts, a line at each change."""


class Program:
    """A program on a laptop, its lines read as they come."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.errors: list[str] = []
        self._lines: Queue[str] = Queue()
        self._readers = [Thread(target=self._read), Thread(target=self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._lines.put(line)

    def _read_errors(self) -> None:
        for line in self.process.stderr or ():
            self.errors.append(line)

    def line(self, fits: Callable[[str], bool] = bool, seconds: float = 30) -> str:
        """The next line that fits."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except Empty:
                pytest.fail(f"no such line within {seconds} s; errors: {''.join(self.errors)}")
            if fits(line):
                return line

    def heard(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next thing heard that fits."""
        found: dict[str, Any] = json.loads(self.line(lambda line: fits(json.loads(line))))
        return found

    def type(self, line: str) -> None:
        """Types a line into it."""
        assert self.process.stdin is not None
        self.process.stdin.write(line.rstrip("\n") + "\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        """Ends it whatever it does, and hears it out."""
        self.process.kill()
        for reader in self._readers:
            reader.join()

    def end(self) -> int:
        """Asks it to end; returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


@contextmanager
def running(laptop: Laptop, code: str, *words: str) -> Iterator[Program]:
    with laptop.start(sys.executable, "-c", code, *words) as process:
        program = Program(process)
        try:
            yield program
        finally:
            program.kill()


class HostList:
    """What a client's list of hosts shows on some laptop."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def until(
        self, met: Callable[[dict[str, dict[str, Any]]], bool], seconds: float = 30
    ) -> dict[str, dict[str, Any]]:
        """The rows, by host id, once they are as wanted."""

        def rows(line: str) -> dict[str, dict[str, Any]]:
            return {row["id"]: row for row in json.loads(line)["hosts"]}

        return rows(self._program.line(lambda line: met(rows(line)), seconds))


@contextmanager
def listing(laptop: Laptop) -> Iterator[HostList]:
    """A client that looks for hosts."""
    with running(laptop, LIST) as program:
        program.line()
        yield HostList(program)
