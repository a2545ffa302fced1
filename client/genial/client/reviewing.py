"""Reviews and hints for the client, computed where they do not hold anything up.

`review_record` is the plain function; `Advisor` runs it, and hints, in a process of its own.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.connection import Connection
from typing import Final, TypeVar

from genial.client import helper
from genial.engine.record_text import Record
from genial.engine.view import PlayerView
from genial.strategy.advice import Advice, advise
from genial.strategy.levels import EXPERT
from genial.strategy.memory import Memory
from genial.strategy.review import ROLLOUTS, Moment, Review, review

_Found = TypeVar("_Found")

HINT_ROLLOUTS: Final = 100
"""For each placement that a hint looks at closely: half a second or less."""


def review_record(record: Record, *, rollouts: int = ROLLOUTS) -> Iterator[Moment | Review]:
    """Look at a recorded game: each placement as it is judged, the whole review at the end.

    Games under way can be looked at too; takeovers and resignations are taken as they come.
    """
    header = record.header
    events = tuple(timed.event for timed in record.events)
    return review(header.rules, header.seats, header.first_seat, events, rollouts=rollouts)


def _whole_review(record: Record, rollouts: int) -> Review | None:
    for step in review_record(record, rollouts=rollouts):
        if isinstance(step, Review):
            return step
    return None


def _hint(view: PlayerView, memory: Memory, rollouts: int) -> Advice:
    rng = random.Random(f"hint/{view.revision}")
    return advise(view, memory, EXPERT, rollouts=rollouts, rng=rng)


class Advisor:
    """One process of low priority that thinks for the client; it starts when first asked."""

    def __init__(self) -> None:
        """Starts nothing yet."""
        self._pool: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None

    async def review(self, record: Record, *, rollouts: int = ROLLOUTS) -> Review | None:
        """The review of a game, None if it holds no event.

        Raises:
            BrokenProcessPool: The process died; asking again starts another one.
        """
        return await self._run(_whole_review, record, rollouts)

    async def hint(
        self, view: PlayerView, memory: Memory, *, rollouts: int = HINT_ROLLOUTS
    ) -> Advice:
        """What the viewer, who has to place a tile, had best do.

        Raises:
            ValueError: The viewer has nothing to place.
            BrokenProcessPool: The process died; asking again starts another one.
        """
        return await self._run(_hint, view, memory, rollouts)

    def close(self) -> None:
        """Ends the process at once; what it was asked last is forgotten."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
        if self._lifeline is not None:
            # A pool waits for what it is at, and this process would wait for the pool to end.
            self._lifeline.close()
            self._lifeline = None

    async def _run(self, work: Callable[..., _Found], *args: object) -> _Found:
        if self._pool is None:
            # Started afresh, never forked: the client's threads and sockets stay here.
            context = multiprocessing.get_context("spawn")
            held, self._lifeline = context.Pipe(duplex=False)
            begin = partial(helper.begin, lifeline=held)
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=begin)
        pool = self._pool
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, work, *args)
        except BrokenProcessPool:
            if self._pool is pool:
                self.close()
            raise
