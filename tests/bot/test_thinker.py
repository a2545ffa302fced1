"""Worker processes: decided in, hung, killed, replaced."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from typing import Any, cast

import pytest

from genial.bot import worker
from genial.bot.thinker import Thinker
from genial.bot.thought import Answer, Request
from genial.engine.game import PlaceTile, RefillRack
from genial.engine.rules import Rules
from genial.engine.view import view_for
from genial.strategy.levels import UnknownLevelError
from tests.strategy.games import Table


def request(level: str = "medium", seconds: float | None = None) -> Request:
    table = Table(Rules(players=2), 3)
    seat = table.game.turn
    return Request(level, view_for(table.game, seat), table.memories[seat], 1, seconds)


async def test_a_process_decides_what_this_one_would() -> None:
    thinker = Thinker(workers=1)
    try:
        assert await thinker.think(request()) == worker.decide(request())
    finally:
        thinker.close()


async def test_many_seats_share_few_processes() -> None:
    thinker = Thinker(workers=2)
    try:
        answers = await asyncio.gather(*(thinker.think(request()) for _ in range(8)))
        assert len(set(map(repr, answers))) == 1
        assert 1 <= len(thinker._all) <= 2
    finally:
        thinker.close()


async def test_a_killed_process_is_replaced() -> None:
    thinker = Thinker(workers=1)
    try:
        first = await thinker.think(request())
        (old,) = thinker._all
        old._process.kill()
        assert isinstance(await thinker.think(request()), PlaceTile)
        assert await thinker.think(request()) == first
        (new,) = thinker._all
        assert new is not old
    finally:
        thinker.close()


async def test_a_hanging_process_is_replaced() -> None:
    thinker = Thinker(workers=1)
    try:
        await thinker.warm_up()
        (old,) = thinker._all
        os.kill(old._process.pid, signal.SIGSTOP)
        answer = await thinker.think(request(), patience=1.0)
        assert isinstance(answer, PlaceTile)
        assert old not in thinker._all
        assert old._process.returncode is not None
    finally:
        thinker.close()


async def test_an_unknown_level_is_refused_before_any_process_hears_of_it() -> None:
    thinker = Thinker(workers=1)
    with pytest.raises(UnknownLevelError):
        await thinker.think(request("grandmaster"))
    assert not thinker._all


async def test_a_thought_nobody_waits_for_ends_its_process() -> None:
    thinker = Thinker(workers=1)
    try:
        await thinker.warm_up()
        (old,) = thinker._all
        os.kill(old._process.pid, signal.SIGSTOP)
        asking = asyncio.ensure_future(thinker.think(request()))
        await asyncio.wait({asking}, timeout=0)
        assert not thinker._idle
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert old._process.returncode is not None
        assert not thinker._all
    finally:
        thinker.close()


async def test_workers_end_with_their_input() -> None:
    thinker = Thinker(workers=1)
    await thinker.warm_up()
    (only,) = thinker._all
    assert only._process.stdin is not None
    only._process.stdin.close()
    assert await asyncio.to_thread(only._process.wait, 20) == 0
    thinker.close()


class Slow:
    """A worker whose answer comes when it is let."""

    def __init__(self) -> None:
        self.let = threading.Event()
        self.asked = threading.Event()

    def ask(self, _request: Request) -> Answer:
        self.asked.set()
        assert self.let.wait(60)
        return Answer(RefillRack(0))

    def kill(self) -> None:
        self.let.set()


@pytest.mark.parametrize("later", range(8))
async def test_a_decision_taken_back_is_taken_back_though_the_answer_comes_just_then(
    later: int,
) -> None:
    """A seat that went on all the same kept its process alive when the host had long gone."""
    thinker = Thinker(workers=1)
    slow = Slow()
    thinker._idle.append(cast(Any, slow))
    task = asyncio.create_task(thinker.think(request()))
    async with asyncio.timeout(60):
        await asyncio.to_thread(slow.asked.wait)
        slow.let.set()
        for _turn in range(later):
            await asyncio.sleep(0)
        taken_back = task.cancel()
        await asyncio.wait({task})
    assert task.cancelled() or not taken_back
