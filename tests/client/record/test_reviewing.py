"""The process that thinks for a client."""

from __future__ import annotations

import asyncio
import multiprocessing
from concurrent.futures.process import BrokenProcessPool

import pytest

from genial.client.record_files import open_record
from genial.client.reviewing import Advisor
from tests.client.record.vectors import FREE_2

DEADLINE = 60.0
HOURS_OF_ROLLOUTS = 1_000_000


async def test_who_leaves_does_not_wait_for_a_review() -> None:
    advisor = Advisor()
    record = open_record(FREE_2).record
    others = set(multiprocessing.active_children())
    asked = asyncio.create_task(advisor.review(record, rollouts=HOURS_OF_ROLLOUTS))
    # One turn of the loop, and it is asked: the process is there.
    await asyncio.sleep(0)
    (process,) = set(multiprocessing.active_children()) - others
    advisor.close()
    async with asyncio.timeout(DEADLINE):
        with pytest.raises((BrokenProcessPool, asyncio.CancelledError)):
            await asked
        await asyncio.to_thread(process.join)
    # Who asks again gets another one.
    async with asyncio.timeout(DEADLINE):
        assert await advisor.review(record, rollouts=1) is not None
    advisor.close()
