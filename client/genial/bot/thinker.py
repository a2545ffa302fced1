"""Decisions made in processes of their own.

A level may think for a second, in a loop that never yields. In a thread that would delay every
seat of this process and, on a small machine, the host; so it runs in a worker process of low
priority. A worker that hangs or dies is replaced, and the decision made by a level that cannot.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import subprocess
import sys
from typing import Final

from genial.bot.thought import Answer, Request
from genial.engine.game import Command
from genial.strategy.levels import level_named

_PATIENCE: Final = 5.0
"""Seconds beyond a level's own time after which a worker counts as hung."""

_FALLBACK_LEVEL: Final = "maxmin"

_log = logging.getLogger(__name__)


class ThinkingError(RuntimeError):
    """No decision came about, not even by the simplest means."""


class _Worker:
    """One process; used for one decision at a time."""

    def __init__(self) -> None:
        flags = 0
        if sys.platform == "win32":
            flags = subprocess.BELOW_NORMAL_PRIORITY_CLASS
        self._process = subprocess.Popen(
            [sys.executable, "-m", "genial.bot.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            creationflags=flags,
        )

    def ask(self, request: Request) -> Answer:
        """Blocks until the answer; raises OSError or EOFError when the process is gone."""
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise EOFError
        pickle.dump(request, process.stdin)
        process.stdin.flush()
        answer: Answer = pickle.load(process.stdout)
        return answer

    def kill(self) -> None:
        """Ends the process at once and forgets it."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    # What was not flushed cannot reach a process that is gone.
                    continue


class Thinker:
    """Makes decisions for any number of seats with a few worker processes."""

    def __init__(self, workers: int | None = None) -> None:
        """Starts nothing yet.

        Args:
            workers: Processes at most; None: one less than the machine has cores.
        """
        limit = max(1, workers if workers is not None else (os.cpu_count() or 2) - 1)
        self._places = asyncio.Semaphore(limit)
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()
        self._closed = False

    async def think(self, request: Request, *, patience: float = _PATIENCE) -> Command:
        """The command that the request's level gives.

        Args:
            request: What to decide.
            patience: Seconds beyond the thinking time after which a worker is given up.

        Raises:
            UnknownLevelError: There is no such level.
            ThinkingError: Neither the level nor its substitute came to a decision.
        """
        level_named(request.level)
        problem = ""
        for name in (request.level, _FALLBACK_LEVEL):
            attempt = Request(name, request.view, request.memory, request.seed, request.seconds)
            answer = await self._attempt(attempt, patience)
            if answer.command is not None:
                return answer.command
            problem = answer.problem
            _log.warning("level %s did not decide: %s", name, problem)
        raise ThinkingError(problem)

    async def warm_up(self) -> None:
        """Start one worker, so that the first decision need not wait for it."""
        async with self._places:
            if not self._idle and not self._closed:
                self._idle.append(await self._start())

    def close(self) -> None:
        """End all workers; decisions under way fail."""
        self._closed = True
        for worker in self._all:
            worker.kill()
        self._all.clear()
        self._idle.clear()

    async def _start(self) -> _Worker:
        worker = await asyncio.to_thread(_Worker)
        self._all.add(worker)
        return worker

    async def _attempt(self, request: Request, patience: float) -> Answer:
        level = level_named(request.level)
        seconds = request.seconds if request.seconds is not None else level.budget.seconds
        async with self._places:
            if self._closed:
                return Answer(None, "the bot is closing")
            worker = self._idle.pop() if self._idle else await self._start()
            asking = asyncio.ensure_future(asyncio.to_thread(worker.ask, request))
            finished = False
            try:
                # Not `wait_for`: before Python 3.12 that may swallow a cancellation.
                async with asyncio.timeout(3 * (seconds or 0.0) + patience):
                    answer = await asyncio.shield(asking)
                finished = True
                return answer
            except TimeoutError:
                return Answer(None, "the worker process hangs")
            except (EOFError, OSError, pickle.UnpicklingError) as error:
                return Answer(None, f"the worker process is gone ({type(error).__name__})")
            finally:
                if finished and not self._closed:
                    self._idle.append(worker)
                else:
                    # Timed out, died, or nobody waits for the answer any more.
                    worker.kill()
                    self._all.discard(worker)
                    await asyncio.gather(asking, return_exceptions=True)
