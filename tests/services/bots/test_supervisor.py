"""Bot processes: started when needed, replaced when they die, ended with the host."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from genial.services.bots import supervisor as module
from genial.services.bots.supervisor import SeatJob, Supervisor
from genial.wire.errors import GenialError, Reason
from tests.services.waiting import until

STUB = Path(__file__).with_name("stub_bot.py")
TOKEN = "t" * 43


def job(seat: int, level: str = "medium", table_id: str = "table") -> SeatJob:
    return SeatJob("127.0.0.1:7718", table_id, seat, TOKEN, f"Bot {seat}", level)


class Notes:
    """What stub bots have written down."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, kind: str) -> list[Any]:
        if not self.path.exists():
            return []
        lines = [json.loads(line) for line in self.path.read_text().splitlines()]
        return [line[kind] for line in lines if kind in line]

    @property
    def seats(self) -> list[int]:
        return [seat["seat"] for seat in self.read("seat")]


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "notes")


@pytest.fixture
async def bots(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Supervisor]:
    monkeypatch.setattr(module, "_RESTART_FIRST", 0.01)
    supervisor = Supervisor(most_seats=3, command=(sys.executable, str(STUB), str(notes.path)))
    yield supervisor
    await supervisor.close()


async def test_nothing_runs_until_a_seat_is_to_be_played(bots: Supervisor, notes: Notes) -> None:
    assert not bots.pids
    assert not notes.read("started")
    bots.play(job(0))
    await until(lambda: notes.seats == [0])
    assert notes.read("seat") == [
        {
            "address": "127.0.0.1:7718",
            "table_id": "table",
            "seat": 0,
            "token": TOKEN,
            "name": "Bot 0",
            "level": "medium",
            "fingerprint": "",
            "password": "",
        }
    ]


async def test_one_process_holds_many_seats(bots: Supervisor, notes: Notes) -> None:
    for seat in range(3):
        bots.play(job(seat))
    bots.play(job(1))
    await until(lambda: len(notes.seats) == 3)
    assert len(notes.read("started")) == 1
    bots.release("table", 1)
    await until(lambda: notes.read("release") == [{"table_id": "table", "seat": 1}])
    bots.release("table", 1)
    assert bots.seats == 2


async def test_there_is_room_for_so_many_bots_and_no_more(bots: Supervisor) -> None:
    for seat in range(3):
        bots.play(job(seat))
    with pytest.raises(GenialError, match="room for 3 bots") as refusal:
        bots.play(job(3))
    assert refusal.value.reason == Reason.TOO_MANY_BOTS
    bots.release("table", 0)
    bots.play(job(3))


async def test_a_killed_process_is_replaced_and_its_seats_play_on(
    bots: Supervisor, notes: Notes
) -> None:
    bots.play(job(0))
    bots.play(job(1))
    await until(lambda: notes.seats == [0, 1])
    (first,) = bots.pids
    os.kill(first, signal.SIGKILL)
    await until(lambda: notes.seats == [0, 1, 0, 1])
    (second,) = bots.pids
    assert second != first


async def test_a_process_that_dies_again_and_again_is_started_again_and_again(
    bots: Supervisor, notes: Notes
) -> None:
    bots.play(job(0, "crash"))
    await until(lambda: len(notes.read("started")) >= 3)
    bots.release("table", 0)
    bots.play(job(1))
    await until(lambda: 1 in notes.seats)


async def test_a_seat_that_failed_is_no_longer_played_and_can_be_asked_for_again(
    bots: Supervisor, notes: Notes
) -> None:
    bots.play(job(0, "fail"))
    await until(lambda: bots.seats == 0 and notes.seats == [0])
    bots.play(job(0, "medium"))
    await until(lambda: notes.seats == [0, 0])


async def test_rubbish_from_a_process_harms_nobody(bots: Supervisor, notes: Notes) -> None:
    bots.play(job(0, "noise"))
    bots.play(job(1))
    await until(lambda: notes.seats == [0, 1])
    assert len(bots.pids) == 1


async def test_the_end_of_the_host_is_the_end_of_its_bots(bots: Supervisor, notes: Notes) -> None:
    bots.play(job(0))
    await until(lambda: notes.seats == [0])
    (pid,) = bots.pids
    await bots.close()
    assert notes.read("ended") == [pid]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no niceness")
async def test_bots_step_back_behind_the_host(bots: Supervisor, notes: Notes) -> None:
    bots.play(job(0))
    await until(lambda: notes.seats == [0])
    (pid,) = bots.pids
    assert os.getpriority(os.PRIO_PROCESS, pid) > os.getpriority(os.PRIO_PROCESS, 0)


async def test_a_command_that_does_not_exist_is_tried_again_and_said(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_RESTART_FIRST", 0.01)
    supervisor = Supervisor(command=("/nowhere/to/be/found",))
    with caplog.at_level(logging.ERROR):
        supervisor.play(job(0))
        await until(lambda: "cannot be started" in caplog.text)
    await supervisor.close()
    with pytest.raises(GenialError) as refusal:
        await supervisor.levels()
    assert refusal.value.reason == Reason.BOT_FAILED


async def test_levels_are_asked_for_once(bots: Supervisor) -> None:
    assert await bots.levels() == [("medium", "plays well")]
    assert await bots.levels() == [("medium", "plays well")]


async def test_the_real_bots_tell_their_levels() -> None:
    supervisor = Supervisor()
    levels = dict(await supervisor.levels())
    assert "medium" in levels
    assert all(levels.values())


async def test_tokens_stay_out_of_the_log(
    bots: Supervisor, notes: Notes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        bots.play(job(0, "fail"))
        await until(lambda: bots.seats == 0)
        bots.play(job(1))
        await until(lambda: notes.seats == [0, 1])
        await bots.close()
    assert "a word for the log" in caplog.text
    assert TOKEN not in caplog.text
