"""Rubbish at every rpc: never the host's fault, never a dead room, nothing poisoned on the disk."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter

import pytest

from tests.conftest import SOAK
from tests.fuzz.rubbish import damaged, random_bytes, senseless
from tests.fuzz.target import RPCS, Target
from tests.simulation.chance import repeatable
from tests.simulation.clock import run

INPUTS = 70_000 if SOAK else 8_000
AT_ONCE = 1_000
LOOK_EVERY = 100

NEVER = {"UNKNOWN", "INTERNAL", "DATA_LOSS"}


async def _send_rubbish(target: Target, count: int) -> Counter[str]:
    keeping = asyncio.create_task(target.host.keep_up())
    answers: Counter[str] = Counter()
    try:
        await target.begin_game()
        for number in range(count):
            source = target.source
            rpc = source.choice(RPCS)
            request = target.sensible(rpc)
            kind = source.choices(["bytes", "damaged", "senseless", "sensible"], [1, 4, 4, 2])[0]
            match kind:
                case "bytes":
                    data = random_bytes(source)
                case "damaged":
                    data = damaged(request.SerializeToString(), source)
                case "senseless":
                    data = senseless(request, source).SerializeToString()
                case _:
                    data = request.SerializeToString()
            code = await target.answer(rpc, data, target.metadata())
            answers[code] += 1
            assert code not in NEVER, f"{rpc.full_name} answered {code} to {data.hex()}"
            if number % LOOK_EVERY == 0 and not await target.room_lives():
                await target.begin_game()
                assert await target.room_lives()
        await target.restart()
        await target.room_lives()
        await target.begin_game()
        assert await target.room_lives()
    finally:
        await target.gone()
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
    return answers


@pytest.mark.timeout(7200 if SOAK else 300)
def test_rubbish_at_every_rpc(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    answers: Counter[str] = Counter()
    for seed in range(INPUTS // AT_ONCE):
        target = Target(seed)
        with repeatable(target.chance):
            answers += run(_send_rubbish(target, AT_ONCE))
        assert not target.journal.broken, f"seed {seed}: {target.journal.broken}"
    assert sum(answers.values()) == INPUTS // AT_ONCE * AT_ONCE
    # It got through to where it can hurt.
    assert min(answers["OK"], answers["FAILED_PRECONDITION"], answers["stream"]) > INPUTS // 100
