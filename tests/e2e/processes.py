"""Real processes of `genial`, with a home of their own, for tests from end to end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

DEADLINE = 60.0
"""Far beyond what anything here takes; whoever waits longer has hung."""

GENIAL = (sys.executable, "-m", "genial.cli")


def environment(home: Path, variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Variables that keep everything of a person below `home`, and further ones."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    own = {"HOME": str(home), "PYTHONUTF8": "1", "GENIAL_PASSWORD": ""}
    return kept | own | dict(variables or {})


@dataclass
class Done:
    """A program that has ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


def keep_settings(home: Path, text: str) -> Path:
    """Lines of TOML as the settings of whoever has this home; the file."""
    file = home / ".config" / "genial" / "settings.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n", encoding="utf-8")
    return file


async def genial(
    *arguments: str | Path,
    home: Path,
    typed: str = "",
    prefix: tuple[str, ...] = (),
    variables: Mapping[str, str] | None = None,
) -> Done:
    """Runs `genial …` to its end; `prefix` puts it into a network namespace, say."""
    process = await asyncio.create_subprocess_exec(
        *prefix,
        *GENIAL,
        *map(str, arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment(home, variables),
    )
    try:
        async with asyncio.timeout(DEADLINE):
            out, err = await process.communicate(typed.encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return Done(process.returncode, out.decode(), err.decode())


class Program:
    """A program that is talked to by lines."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[str] = []
        self._more = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(
        cls,
        *arguments: str | Path,
        home: Path,
        prefix: tuple[str, ...] = (),
        variables: Mapping[str, str] | None = None,
    ) -> Self:
        process = await asyncio.create_subprocess_exec(
            *prefix,
            *GENIAL,
            *map(str, arguments),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=environment(home, variables),
        )
        return cls(process)

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.lines.append(line.decode().rstrip("\n"))
            self._more.set()
        self._more.set()

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")

    def end_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    async def line(self, met: Callable[[str], bool], after: int = 0) -> str:
        """The first line, from that index on, that meets a condition."""
        at = after
        try:
            async with asyncio.timeout(DEADLINE):
                while True:
                    self._more.clear()
                    while at < len(self.lines):
                        at += 1
                        if met(self.lines[at - 1]):
                            return self.lines[at - 1]
                    if self._reading.done():
                        raise AssertionError("ended without it:\n" + "\n".join(self.lines))
                    await self._more.wait()
        except TimeoutError:
            raise AssertionError("no such line:\n" + "\n".join(self.lines)) from None

    async def ended(self) -> int:
        """The exit code, once it has ended by itself."""
        async with asyncio.timeout(DEADLINE):
            await self._reading
            return await self.process.wait()

    async def stop(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        await self._reading
        if self.process.stdin is not None:
            self.process.stdin.close()


class HostProcess(Program):
    """`genial host`, ready."""

    address = ""
    host_id = ""
    port = 0
    fingerprint = ""

    async def until_ready(self) -> None:
        line = await self.line(lambda line: line.startswith("genial host ready "))
        words = dict(word.split("=", 1) for word in line.split()[3:] if "=" in word)
        self.host_id, self.address = words["id"], words["address"]
        self.port = int(self.address.rpartition(":")[2])
        self.fingerprint = words["fingerprint"]

    async def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return await self.ended()


@asynccontextmanager
async def running_host(
    home: Path, *arguments: str | Path, prefix: tuple[str, ...] = ()
) -> AsyncIterator[HostProcess]:
    """A host on a free port of the loopback, not announced, unless told otherwise."""
    options = arguments or ("--bind", "127.0.0.1", "--no-announce")
    host = await HostProcess.start(
        "host", "--plaintext", "--port", "0", "--name", "Test", *options, home=home, prefix=prefix
    )
    try:
        await host.until_ready()
        yield host
    finally:
        await host.stop()


class PlainPlayer(Program):
    """`genial join --plain`, played by its own advice: always the best of `moves`."""

    async def play_on(self, until: Callable[[str], bool]) -> None:
        """Does what a simple script would: one command for each `> your turn`."""
        at = 0
        async with asyncio.timeout(3 * DEADLINE):
            while True:
                while at < len(self.lines):
                    line = self.lines[at]
                    at += 1
                    if until(line):
                        return
                    if line == "> your turn":
                        self.type("moves 1")
                    elif line.startswith(("place ", "refill ")):
                        self.type(line)
                self._more.clear()
                if at == len(self.lines):
                    if self._reading.done():
                        raise AssertionError("ended too early:\n" + "\n".join(self.lines))
                    await self._more.wait()
