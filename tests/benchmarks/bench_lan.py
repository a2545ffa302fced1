"""Finding hosts: how long it takes, how soon one plays, and what a full list costs while idle.

All of it on the loopback: nothing is announced on the networks of this machine.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import Any, Final

import grpc
from grpc_health.v1 import health, health_pb2_grpc
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from zeroconf import DNSQuestionType, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from genial.client import finder
from genial.client.app import Player
from genial.client.browse import Browser
from genial.client.session import Access, GameChanged, connect, join
from genial.client.settings import Settings
from genial.engine.rules import Rules
from genial.v1 import lobby_service_pb2, lobby_service_pb2_grpc
from genial.v1.table_pb2 import TABLE_STATE_OPEN, Host, Table, TableOptions
from genial.wire.announcement import PROTOCOL, SERVICE_TYPE, Announcement, instance_name
from genial.wire.values import rules_to_message
from tests.benchmarks.run import Bench

LOOPBACK: Final = ["127.0.0.1"]
TRIALS: Final = 8
HOSTS: Final = 20
TABLES_EACH: Final = 10
IDLE_SECONDS: Final = 6.0
PLAIN: Final = Access(plaintext=True)


@contextmanager
def host() -> Iterator[str]:
    """A host that is announced on the loopback; its address."""
    with tempfile.TemporaryDirectory() as data:
        options = ["--bind", "127.0.0.1", "--port", "0", "--plaintext", "--data", data]
        with subprocess.Popen(
            [sys.executable, "-m", "genial.cli", "host", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            assert process.stdout is not None
            try:
                yield process.stdout.readline().split("address=")[1].split()[0]
            finally:
                process.terminate()


# --- from browsing to a row ------------------------------------------------------------------


def browse() -> float:
    """95th percentile of our list by that of a bare browse."""
    with host() as address:
        port = int(address.rpartition(":")[2])
        bare: list[float] = []
        ours: list[float] = []

        async def measure() -> None:
            await _ours(port)  # Announcing takes a second; from here on it is there.
            for _trial in range(TRIALS):
                bare.append(await _bare(port))
                ours.append(await _ours(port))

        asyncio.run(measure())
    return _p95(ours) / _p95(bare)


async def _bare(port: int) -> float:
    found = asyncio.Event()
    tasks: set[asyncio.Task[None]] = set()

    async def resolve(zeroconf: Zeroconf, name: str) -> None:
        info = AsyncServiceInfo(SERVICE_TYPE, name)
        asked = await info.async_request(zeroconf, 3000, question_type=DNSQuestionType.QM)
        if asked and info.port == port:
            found.set()

    def heard(
        zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        task = asyncio.create_task(resolve(zeroconf, name))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async with AsyncZeroconf(interfaces=LOOPBACK) as zeroconf:
        began = time.perf_counter()
        browser = AsyncServiceBrowser(
            zeroconf.zeroconf, SERVICE_TYPE, handlers=[heard], question_type=DNSQuestionType.QM
        )
        await found.wait()
        took = time.perf_counter() - began
        await browser.async_cancel()
    return took


async def _ours(port: int) -> float:
    """Until the row shows: found, and asked whether it lives."""
    async with AsyncZeroconf(interfaces=LOOPBACK) as zeroconf:
        began = time.perf_counter()
        async with Browser(zeroconf) as browser, aclosing(browser.changes()) as changes:
            async for hosts in changes:
                if any(each.port == port and each.reachable for each in hosts):
                    return time.perf_counter() - began
    raise AssertionError("changes never end by themselves")


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


# --- from a row to a game --------------------------------------------------------------------


def playing() -> float:
    """Seconds from choosing a table with one free seat to the first look at the game."""

    async def measure(address: str) -> float:
        async with await connect(address, access=PLAIN) as link:
            table = await link.create_table(
                TableOptions(rules=rules_to_message(Rules(players=2))), bot_levels=["easy"]
            )
            while not all(seat.connected for seat in table.seats[1:]):
                await asyncio.sleep(0.02)
                table = await link.get_table(table.table_id)
        began = time.perf_counter()
        link = await connect(address, access=PLAIN)
        session = await join(link, table.table_id, name="Ana")
        await session.set_ready()
        async for update in session.updates():
            if isinstance(update, GameChanged):
                break
        took = time.perf_counter() - began
        await session.close()
        await link.close()
        return took

    with host() as address:
        return asyncio.run(measure(address))


# --- a full list, idle -----------------------------------------------------------------------


def idle() -> float:
    """Hundredths of a core that the client takes while 20 hosts and 200 tables stand listed."""
    with subprocess.Popen(
        [sys.executable, "-m", __name__, "hosts"], stdout=subprocess.PIPE, text=True
    ) as hosts:
        assert hosts.stdout is not None
        try:
            hosts.stdout.readline()
            done = subprocess.run(
                [sys.executable, "-m", __name__, "list"],
                capture_output=True,
                text=True,
                check=True,
                timeout=120,
            )
        finally:
            hosts.kill()
    return 100 * float(json.loads(done.stdout)["share"])


class _Lobby(lobby_service_pb2_grpc.LobbyServiceServicer):
    def __init__(self, number: int) -> None:
        self.number = number
        self.host_id = uuid.uuid4().hex

    async def GetHost(self, request: Any, context: Any) -> Any:
        host = Host(host_id=self.host_id, name=f"Host {self.number}", protocol=PROTOCOL)
        return lobby_service_pb2.GetHostResponse(host=host)

    async def WatchTables(self, request: Any, context: Any) -> AsyncIterator[Any]:
        yield lobby_service_pb2.WatchTablesResponse(
            tables=[
                Table(table_id=f"{self.number}-{n}", name=f"Table {n}", state=TABLE_STATE_OPEN)
                for n in range(TABLES_EACH)
            ]
        )
        await asyncio.Event().wait()


async def _run_hosts() -> None:
    async with AsyncZeroconf(interfaces=LOOPBACK) as zeroconf:
        servers = []
        announced = []
        for number in range(HOSTS):
            options = [("grpc.http2.min_ping_interval_without_data_ms", 1000)]
            server = grpc.aio.server(options=options)
            lobby = _Lobby(number)  # type: ignore[abstract]
            lobby_service_pb2_grpc.add_LobbyServiceServicer_to_server(lobby, server)
            health_pb2_grpc.add_HealthServicer_to_server(health.aio.HealthServicer(), server)
            port = server.add_insecure_port("127.0.0.1:0")
            await server.start()
            servers.append(server)
            said = Announcement(lobby.host_id, f"Host {number}", tables=TABLES_EACH)
            info = AsyncServiceInfo(
                SERVICE_TYPE,
                f"{instance_name(said.name, said.host_id)}.{SERVICE_TYPE}",
                parsed_addresses=LOOPBACK,
                port=port,
                properties=said.to_properties(),
                server=f"{said.host_id}.local.",
            )
            announced.append(await zeroconf.async_register_service(info))
        await asyncio.gather(*announced)
        print("announced", flush=True)
        await asyncio.Event().wait()


@asynccontextmanager
async def _on_screen() -> AsyncIterator[Player]:
    async with AsyncZeroconf(interfaces=LOOPBACK) as zeroconf:
        vars(finder)["Browser"] = lambda: Browser(zeroconf)
        with create_pipe_input() as keys:
            player = Player(
                settings=Settings(name="Ana"), access=PLAIN, input=keys, output=DummyOutput()
            )
            running = asyncio.create_task(player.run())
            try:
                yield player
            finally:
                player.stop()
                await running


async def _run_list() -> None:
    async with _on_screen() as player:

        def is_full() -> bool:
            rows = [row for row in player.model.browse.rows if row.table is not None]
            return len(rows) >= HOSTS * TABLES_EACH

        deadline = time.monotonic() + 60
        while not is_full():
            assert time.monotonic() < deadline, player.model.browse.rows
            await asyncio.sleep(0.1)
        # Until the last of mDNS's first questions is asked.
        await asyncio.sleep(IDLE_SECONDS / 2)
        before, began = time.process_time(), time.perf_counter()
        await asyncio.sleep(IDLE_SECONDS)
        share = (time.process_time() - before) / (time.perf_counter() - began)
        assert is_full()
    print(json.dumps({"share": share}))


BENCHES = [
    Bench(
        "browse-to-listed",
        "found and asked, by a bare zeroconf browse, 95th percentile",
        1.5,
        False,
        browse,
    ),
    Bench("listed-to-playing", "seconds from a chosen table to the game", 1.0, False, playing),
    Bench(
        "idle-list",
        f"hundredths of a core for {HOSTS} hosts and {HOSTS * TABLES_EACH} tables on the screen",
        1.0,
        False,
        idle,
    ),
]

if __name__ == "__main__":
    asyncio.run(_run_hosts() if sys.argv[1:] == ["hosts"] else _run_list())
