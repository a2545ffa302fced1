"""Starts bot processes, spreads seats over them, replaces those that die.

The protocol with a process is in this package's docstring.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from genial.wire.errors import GenialError, Reason

log = logging.getLogger(__name__)

PROTOCOL: Final = 1

COMMAND: Final = (sys.executable, "-m", "genial.bot")
"""What starts a bot process; `--stdio` or `--levels` is added."""

_NICE: Final = 10
"""How much a bot process steps back behind the host and the players' clients."""
_LONGEST_LINE: Final = 64 * 1024
_READY_TIMEOUT: Final = 30.0
_END_TIMEOUT: Final = 1.0
_RESTART_FIRST: Final = 0.5
_RESTART_LONGEST: Final = 10.0
_SETTLED: Final = 10.0
"""Seconds after which a process counts as having started well."""


@dataclass(frozen=True, slots=True)
class SeatJob:
    """One seat to be played.

    Attributes:
        token: The seat's token; it appears in no log.
        fingerprint: Of the host's certificate; empty: it does not encrypt.
        password: Of the host, empty: none; it appears in no log either.
    """

    address: str
    table_id: str
    seat: int
    token: str
    name: str
    level: str
    fingerprint: str = ""
    password: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """The seat that it is about."""
        return self.table_id, self.seat

    def command(self) -> dict[str, Any]:
        """The line that tells a process."""
        return {
            "seat": {
                "address": self.address,
                "table_id": self.table_id,
                "seat": self.seat,
                "token": self.token,
                "name": self.name,
                "level": self.level,
                "fingerprint": self.fingerprint,
                "password": self.password,
            }
        }

    def __repr__(self) -> str:
        """Without token and password."""
        return f"SeatJob({self.table_id!r}, seat={self.seat}, level={self.level!r})"


class BotProcess:
    """One slot for a bot process: kept running while it has seats to play."""

    def __init__(self, command: Sequence[str]) -> None:
        """`command` is what `--stdio` is added to."""
        self.jobs: Final[dict[tuple[str, object], SeatJob]] = {}
        self._command = tuple(command)
        self._process: asyncio.subprocess.Process | None = None
        self._runner: asyncio.Task[None] | None = None
        self._closing = False

    @property
    def pid(self) -> int | None:
        """The process's id while it runs."""
        return None if self._process is None else self._process.pid

    def play(self, job: SeatJob) -> None:
        """Takes a seat on; a process is started if none runs."""
        self.jobs[job.key] = job
        if self._process is not None:
            self._send(job.command())
        elif self._runner is None:
            self._runner = asyncio.create_task(self._run(), name="bots: process")

    def release(self, key: tuple[str, int]) -> None:
        """Gives a seat up."""
        if self.jobs.pop(key, None) is not None:
            table_id, seat = key
            self._send({"release": {"table_id": table_id, "seat": seat}})

    async def close(self) -> None:
        """Ends the process: its standard input closes, and if that does not do it, it is killed."""
        self._closing = True
        process = self._process
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            try:
                async with asyncio.timeout(_END_TIMEOUT):
                    await process.wait()
            except TimeoutError:
                log.warning("bot process %d does not end; killing it", process.pid)
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
        if self._runner is not None:
            self._runner.cancel()
            await asyncio.gather(self._runner, return_exceptions=True)

    @property
    def _idle(self) -> bool:
        return self._closing or not self.jobs

    def _send(self, command: dict[str, Any]) -> None:
        process = self._process
        if process is None or process.stdin is None or process.stdin.is_closing():
            # Whoever starts the next process tells it of all its seats.
            return
        process.stdin.write(json.dumps(command).encode() + b"\n")

    async def _run(self) -> None:
        """Keeps a process running until there is nothing left to play."""
        wait = _RESTART_FIRST
        loop = asyncio.get_running_loop()
        while not self._idle:
            began = loop.time()
            try:
                await self._run_once()
            except (OSError, TimeoutError) as fault:
                log.error("a bot process cannot be started: %r", fault)
            finally:
                self._process = None
            if self._idle:
                break
            wait = _RESTART_FIRST if loop.time() - began > _SETTLED else wait
            log.warning("a bot process is gone; starting another for %d seats", len(self.jobs))
            await asyncio.sleep(wait)
            wait = min(2 * wait, _RESTART_LONGEST)
        self._runner = None

    async def _run_once(self) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            "--stdio",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
        )
        _step_back(process.pid)
        errors = asyncio.create_task(_log_errors(process), name="bots: stderr")
        try:
            async with asyncio.timeout(_READY_TIMEOUT):
                await self._await_ready(process)
            self._process = process
            for job in list(self.jobs.values()):
                self._send(job.command())
            async for line in _lines(process.stdout):
                self._hear(line)
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
            await process.wait()
            errors.cancel()
            await asyncio.gather(errors, return_exceptions=True)

    async def _await_ready(self, process: asyncio.subprocess.Process) -> None:
        while process.stdout is not None and (line := await process.stdout.readline()):
            if "ready" in _parse(line):
                return
        raise OSError(f"it ended with status {await process.wait()} before it was ready")

    def _hear(self, line: bytes) -> None:
        report = _parse(line)
        done = report.get("done")
        if not isinstance(done, dict):
            return
        key = (str(done.get("table_id")), done.get("seat"))
        reason = str(done.get("reason"))
        job = self.jobs.get(key)
        if job is None or reason == "released":
            return
        del self.jobs[key]
        # A seat that still wants its bot is asked for again by the lobby.
        level = logging.WARNING if reason == "failed" else logging.INFO
        log.log(level, "%r is over, %s: %s", job, reason, done.get("message"))


def _parse(line: bytes) -> dict[str, Any]:
    try:
        report = json.loads(line)
    except ValueError:
        log.warning("a bot process wrote what is no report: %r", line[:200])
        return {}
    return report if isinstance(report, dict) else {}


async def _lines(stream: asyncio.StreamReader | None) -> AsyncIterator[bytes]:
    while stream is not None:
        try:
            line = await stream.readline()
        except ValueError:
            log.warning("a bot process wrote a line that is too long")
            continue
        if not line:
            return
        yield line


async def _log_errors(process: asyncio.subprocess.Process) -> None:
    async for line in _lines(process.stderr):
        log.info("bot process %d: %s", process.pid, line.decode(errors="replace").rstrip())


def _step_back(pid: int) -> None:
    """Bots think with what the host and the players' clients leave over."""
    if not hasattr(os, "setpriority"):
        return
    try:
        os.setpriority(os.PRIO_PROCESS, pid, _NICE)
    except OSError as fault:
        log.info("bot process %d keeps its priority: %s", pid, fault)


class Supervisor:
    """All bot processes of a host."""

    def __init__(
        self,
        *,
        processes: int = 1,
        most_seats: int = 200,
        command: Sequence[str] = COMMAND,
    ) -> None:
        """Spreads up to `most_seats` seats over up to `processes` processes."""
        self._most_seats = most_seats
        self._command = tuple(command)
        self._processes = [BotProcess(command) for _ in range(processes)]
        self._levels: list[tuple[str, str]] | None = None
        self._asking: Final = asyncio.Lock()

    @property
    def seats(self) -> int:
        """Seats that are played."""
        return sum(len(process.jobs) for process in self._processes)

    @property
    def pids(self) -> list[int]:
        """Ids of the processes that run."""
        return [process.pid for process in self._processes if process.pid is not None]

    def play(self, job: SeatJob) -> None:
        """Plays a seat from now on; one that is played already is told anew.

        Raises:
            GenialError: TOO_MANY_BOTS.
        """
        for process in self._processes:
            if job.key in process.jobs:
                if process.jobs[job.key] != job:
                    process.play(job)
                return
        self.check_room()
        min(self._processes, key=lambda process: len(process.jobs)).play(job)

    def check_room(self) -> None:
        """Refuses when no further seat can be played (TOO_MANY_BOTS)."""
        if self.seats >= self._most_seats:
            raise GenialError(Reason.TOO_MANY_BOTS, limit=self._most_seats)

    def release(self, table_id: str, seat: int) -> None:
        """Stops playing a seat; nothing happens if it is not played."""
        for process in self._processes:
            process.release((table_id, seat))

    async def levels(self) -> list[tuple[str, str]]:
        """Names and descriptions of the levels, weakest first; asked for once.

        Raises:
            GenialError: BOT_FAILED, when no bot process can say.
        """
        async with self._asking:
            if self._levels is None:
                self._levels = await self._ask_levels()
            return self._levels

    async def _ask_levels(self) -> list[tuple[str, str]]:
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command, "--levels", stdout=asyncio.subprocess.PIPE
            )
        except OSError as fault:
            raise GenialError(Reason.BOT_FAILED, fault=fault) from fault
        try:
            async with asyncio.timeout(_READY_TIMEOUT):
                output, _ = await process.communicate()
            levels = json.loads(output)
            return [(str(level["level"]), str(level["description"])) for level in levels]
        except (TimeoutError, ValueError, KeyError, TypeError) as fault:
            raise GenialError(Reason.BOT_FAILED, fault="it does not tell its levels") from fault
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    async def close(self) -> None:
        """Ends all processes."""
        await asyncio.gather(*(process.close() for process in self._processes))
