"""Hosts that die at any write, lines that break in any way, and nothing is lost.

A failing seed is printed with the command that plays it again alone.
"""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, STDOUT, create_subprocess_exec
from collections.abc import Callable
from typing import Any

import pytest

from genial.engine.rules import Rules
from genial.services.game.authority import Authority
from genial.services.game.store import SqliteGameLog
from tests.simulation.disk import Fate
from tests.simulation.evening import Plan, spend_evening
from tests.simulation.network import Faults
from tests.simulation.people import Ending, Habits

EVENINGS = 1000

SHORT = Plan(
    rules=Rules(players=2),
    people=2,
    habits=(Habits(9, Ending.RESIGN, chatty=0.2), Habits(9, Ending.RESIGN, chatty=0.2)),
    faults=Faults(),
    troubles=0,
    spectator=True,
)


@pytest.mark.timeout(1200)
async def test_a_thousand_evenings() -> None:
    command = ("-m", "tests.simulation.run", "--evenings", str(EVENINGS))
    process = await create_subprocess_exec(sys.executable, *command, stdout=PIPE, stderr=STDOUT)
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()


@pytest.mark.parametrize("fate", [Fate.DIES_BEFORE, Fate.DIES_AFTER, Fate.SAID_TO_FAIL, Fate.FULL])
def test_one_evening_with_every_single_write_going_wrong(fate: Fate) -> None:
    calm = spend_evening(7, SHORT)
    assert not calm.problems
    assert calm.games == 1
    for number in range(1, calm.commits + 1):
        plan = Plan(
            SHORT.rules,
            SHORT.people,
            SHORT.habits,
            SHORT.faults,
            SHORT.troubles,
            spectator=True,
            fates={number: fate},
        )
        outcome = spend_evening(7, plan)
        assert not outcome.problems, f"{fate} at commit {number}: {outcome.problems}"


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(4781, id="back on another seat than before"),
        pytest.param(6687, id="all away but one who has resigned"),
        pytest.param(6654, id="a stream of a crashed client comes after its successor's"),
        pytest.param(7871, id="the same on another evening"),
        pytest.param(58084, id="away for the end, and then on two dead lines in a row"),
    ],
)
def test_evenings_that_once_went_wrong(seed: int) -> None:
    assert not spend_evening(seed).problems


def test_an_evening_is_the_same_when_it_is_played_again() -> None:
    once, again = spend_evening(11), spend_evening(11)
    assert once.trace == again.trace
    assert once == again


async def test_an_evening_is_the_same_in_every_process() -> None:
    """Addresses and hashes differ from one to the next; this one once ended in two ways."""

    async def told(hash_seed: int) -> list[bytes]:
        command = ("-m", "tests.simulation.run", "--seed", "6013", "--trace")
        environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
        process = await create_subprocess_exec(
            sys.executable, *command, stdout=PIPE, stderr=STDOUT, env=environment
        )
        output, _ = await process.communicate()
        assert process.returncode == 0, output.decode()
        return output.splitlines()[:-1]

    once, again, anew = await asyncio.gather(*map(told, (1, 2, 3)))
    assert len(once) > 10
    assert once == again == anew


async def _forgetful(log: SqliteGameLog, *arguments: Any) -> None:
    """Says that it has written, and has not."""


async def _hasty(log: SqliteGameLog, *arguments: Any) -> None:
    """Says that it has written, and only then does."""
    _UNDER_WAY.append(asyncio.ensure_future(_append(log, *arguments)))


_append = SqliteGameLog.append
_UNDER_WAY: list[asyncio.Future[None]] = []


@pytest.mark.parametrize("append", [_forgetful, _hasty])
def test_a_host_that_does_not_write_first_is_found_out(
    append: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or else the evenings above would prove nothing."""
    monkeypatch.setattr(SqliteGameLog, "append", append)
    assert spend_evening(7, SHORT).problems


def test_work_that_dies_with_nobody_waiting_for_it_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def comes_to_grief(*arguments: object) -> None:
        raise RuntimeError("nobody hears of this")

    monkeypatch.setattr(Authority, "_keep_clocks", comes_to_grief)
    problems = spend_evening(7, SHORT).problems
    assert problems
    assert all("nobody hears of this" in problem for problem in problems)


def test_a_host_that_applies_a_repeat_again_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing_is_known(*arguments: object) -> None:
        return None

    monkeypatch.setattr("genial.services.lobby.handler.known_answer", nothing_is_known)
    faults = Faults(doubled=1.0)
    plan = Plan(SHORT.rules, 2, SHORT.habits, faults, troubles=0)
    assert spend_evening(7, plan).problems
