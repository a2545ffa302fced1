"""A host as a process of its own: ended in order, killed outright, started again."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from genial.v1 import table_pb2
from tests.services.host.hosts import Guest, line_to
from tests.services.lobby.lobbies import create_request, rules
from tests.services.waiting import until

ACTIVE = table_pb2.TABLE_STATE_ACTIVE

PROGRAM = """
import asyncio, pathlib, sys
from genial.services.host import run_host
from genial.services.settings import HostSettings

settings = HostSettings(
    pathlib.Path(sys.argv[1]), name="Apart", port=int(sys.argv[2]), bind="127.0.0.1",
    announce=False, plaintext=True,
)
asyncio.run(run_host(settings, lambda ready: print(ready.line, flush=True)))
"""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="looks at processes the way that Linux shows them"
)


class HostProcess:
    """A running host; `address` is where."""

    def __init__(self, process: asyncio.subprocess.Process, address: str) -> None:
        self.process = process
        self.address = address

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    async def kill(self) -> None:
        """As a power cut would."""
        self.process.kill()
        await self.process.wait()

    async def end(self) -> int:
        """SIGTERM; returns the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), 10)


@asynccontextmanager
async def host_process(data: Path, port: int = 0) -> AsyncIterator[HostProcess]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, str(data), str(port), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), 30)).decode()
        assert line.startswith("genial host ready id="), line
        address = dict(word.split("=", 1) for word in line.split()[3:])["address"]
        yield HostProcess(process, address)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def descendants(pid: int) -> set[int]:
    """All processes that a process has started, and those that they have."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*"):
        for child in map(int, (task / "children").read_text().split()):
            found |= {child} | descendants(child)
    return found


def running(pids: set[int]) -> set[int]:
    """Those that still run; what has ended and was not yet buried does not."""
    return {pid for pid in pids if _state(pid) not in ("", "Z", "X")}


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


async def test_a_killed_host_leaves_no_orphans_and_comes_back_with_everything(
    tmp_path: Path,
) -> None:
    async with host_process(tmp_path) as first, line_to(first.address) as line:
        created = await line.lobby.CreateTable(
            create_request(rules=rules(3), bot_levels=["medium"])
        )
        ana, eva = (Guest(line, name, created.table.table_id) for name in ("Ana", "Eva"))
        for guest in (ana, eva):
            await guest.sit()
            await guest.do("SetReady", ready=True)
        await until(lambda: ana.table.state == ACTIVE, 30)
        view = await ana.view()
        bots = descendants(first.process.pid)
        assert bots
        await first.kill()
        await until(lambda: not running(bots))
        assert ana.task is not None
        await asyncio.gather(ana.task, return_exceptions=True)
    async with host_process(tmp_path, first.port) as second, line_to(second.address) as line:
        assert second.address == first.address
        again = Guest(line, "Ana", ana.table_id, ana.token, ana.seat)
        again.watch()
        await until(lambda: again.table.state == ACTIVE and again.table.seats[2].connected, 30)
        now = await again.view()
        assert (now.game_id, now.rack) == (view.game_id, view.rack)
        assert now.revision >= view.revision
        assert [seat.name for seat in again.table.seats][:2] == ["Ana", "Eva"]
        assert await second.end() == 0


async def test_sigterm_and_sigint_end_a_host_in_order_with_status_0(tmp_path: Path) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        async with host_process(tmp_path) as host, line_to(host.address) as line:
            created = await line.lobby.CreateTable(
                create_request(bot_levels=["medium"], rules=rules(2))
            )
            ana = Guest(line, "Ana", created.table.table_id)
            await ana.sit()
            await until(lambda ana=ana: ana.table.seats[1].connected, 30)  # type: ignore[misc]
            bots = descendants(host.process.pid)
            host.process.send_signal(number)
            assert await asyncio.wait_for(host.process.wait(), 10) == 0
            await until(lambda ana=ana: ana.closing is not None)  # type: ignore[misc]
            assert not running(bots)


async def test_a_killed_bot_process_is_replaced_and_its_seat_plays_on(tmp_path: Path) -> None:
    async with host_process(tmp_path) as host, line_to(host.address) as line:
        created = await line.lobby.CreateTable(create_request(bot_levels=["medium"]))
        ana = Guest(line, "Ana", created.table.table_id)
        await ana.sit()
        await until(lambda: ana.table.seats[1].connected, 30)
        await ana.do("SetReady", ready=True)
        await until(lambda: ana.table.state == ACTIVE)
        bots = descendants(host.process.pid)
        for pid in bots:
            os.kill(pid, signal.SIGKILL)
        await until(lambda: not ana.table.seats[1].connected)
        await until(lambda: ana.table.seats[1].connected, 30)
        assert ana.table.state == ACTIVE
        assert not descendants(host.process.pid) & bots
