"""A host of the simulation: the real services, put together as `genial.services.host` does it.

Only what touches the machine is made up: the disk, the network, the clock, and the processes of
bots, which play in the same loop instead.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

from genial.services import facts, game
from genial.services.admission import Admission
from genial.services.bots.handler import BotHandler, Door
from genial.services.bots.supervisor import SeatJob
from genial.services.limits import Limits
from genial.services.lobby.handler import LobbyHandler
from genial.services.lobby.lobby import Lobby, LobbySettings
from genial.services.lobby.store import LobbyStore
from genial.services.lobby.table import Times
from genial.services.peers import LateBots
from genial.services.store import StorageError
from genial.v1 import (
    bot_service_pb2,
    game_pb2,
    game_service_pb2,
    history_service_pb2,
    lobby_service_pb2,
    room_service_pb2,
    table_pb2,
)
from genial.wire.announcement import PROTOCOL
from genial.wire.serving import rpc_handlers
from tests.simulation.clock import Machine
from tests.simulation.disk import Disk, SimulatedDatabase
from tests.simulation.network import Network
from tests.simulation.verdict import judge_packed_states

SECRET: Final = "between services"
_EPOCH: Final = 1_795_000_000.0
_STREAMS_END: Final = 0.6

PlaySeat = Callable[[SeatJob], Awaitable[None]]
"""Plays a seat until the table is finished; the simulation's stand-in for a bot process."""


class Bots:
    """What the bots service takes for its `Supervisor`: seats played on the host's machine."""

    def __init__(self, machine: Machine, play: PlaySeat) -> None:
        self._machine = machine
        self._play = play
        self._seats: dict[tuple[str, int], asyncio.Task[None]] = {}

    async def levels(self) -> Sequence[tuple[str, str]]:
        return [("easy", "for the simulation"), ("medium", "for the simulation")]

    def check_room(self) -> None:
        """There is room for any number."""

    def play(self, job: SeatJob) -> None:
        self.release(*job.key)
        task = self._machine.spawn(self._run(job), f"bot of seat {job.seat}")
        self._seats[job.key] = task

    def release(self, table_id: str, seat: int) -> None:
        task = self._seats.pop((table_id, seat), None)
        if task is not None:
            task.cancel()

    async def _run(self, job: SeatJob) -> None:
        await self._play(job)
        self._seats.pop(job.key, None)


class SimulatedHost:
    """A host that is started again whenever it has died.

    Attributes:
        running: Set while it takes calls.
        lobby: Of the running process.
        times: How long things may take at tables.
        deaths: How often it has died, orderly ends not counted.
    """

    def __init__(
        self, disk: Disk, network: Network, source: random.Random, play: PlaySeat, times: Times
    ) -> None:
        self.running = asyncio.Event()
        self.lobby: Lobby | None = None
        self.times = times
        self.deaths = 0
        self._disk = disk
        self._network = network
        self._source = source
        self._play = play
        self._machine: Machine | None = None
        self._database: SimulatedDatabase | None = None
        self._games: game.GameServices | None = None
        self._down = asyncio.Event()
        self._utc_drift = 0.0
        self.downtime: Callable[[], float] = lambda: 1.0
        disk.on_death = self.die

    async def keep_up(self) -> None:
        """Starts it, and again after each of its ends, until cancelled."""
        number = 0
        while True:
            number += 1
            self._down.clear()
            machine = self._machine = Machine(f"host {number}")
            self._network.journal.note(f"{machine.name} starts")
            judge_packed_states(self._disk, self._network.journal.broken)
            starting = machine.spawn(self._start(machine), "start")
            starting.add_done_callback(self._started)
            await self._down.wait()
            await machine.buried()
            # Whoever sets the clock of a laptop does it in between.
            self._utc_drift += self._source.choice((0, 0, 0, -2.5, 3.5))
            await asyncio.sleep(self.downtime())

    def die(self) -> None:
        """Power is cut."""
        self.deaths += 1
        self._end(gently=self._source.random() < 0.7)

    async def end_in_order(self) -> None:
        """SIGTERM, as `Host.close` does it."""
        machine, lobby, games = self._machine, self.lobby, self._games
        database = self._database
        if not self.running.is_set() or not (machine and lobby and games and database):
            return
        self.running.clear()
        self._network.journal.note(f"{machine.name} ends in order")

        async def close() -> None:
            lobby.announce_closing(game_pb2.HostClosing(returning=True))
            await games.close(returning=True)
            await asyncio.sleep(_STREAMS_END)
            await lobby.close()
            await database.close()

        await asyncio.wait([machine.spawn(close(), "close")])
        if machine.alive:
            self._end(gently=True)

    async def gone(self) -> None:
        """Nothing of it runs any more."""
        self._end(gently=True)
        if self._machine is not None:
            await self._machine.buried()

    def _end(self, *, gently: bool) -> None:
        machine = self._machine
        if machine is None or not machine.alive:
            return
        self._network.journal.note(f"{machine.name} is gone after {self._disk.commits} commits")
        self.running.clear()
        if self._database is not None:
            self._database.die()
        self._network.hang_up(gently=gently)
        machine.die()
        self._down.set()

    def _started(self, starting: asyncio.Task[None]) -> None:
        """A host that cannot start says so and exits; here it is started again."""
        if starting.cancelled() or starting.exception() is None:
            return
        self._network.journal.note(f"cannot start: {starting.exception()}")
        if not isinstance(starting.exception(), StorageError):
            self._network.journal.broken.append(f"cannot start: {starting.exception()!r}")
        self._end(gently=True)

    def _utc_ms(self) -> int:
        return int((_EPOCH + self._utc_drift + asyncio.get_running_loop().time()) * 1000)

    async def _start(self, machine: Machine) -> None:
        loop = asyncio.get_running_loop()
        database = self._database = SimulatedDatabase(self._disk, loop)
        host_facts = await facts.load_or_make(database)
        secret = SECRET
        steady_from = self._source.uniform(0, 1_000_000)
        games = self._games = game.GameServices(
            database,
            game.GameSettings("simulated"),
            secret,
            game.Times(self._utc_ms, lambda: int(steady_from + loop.time() * 1000)),
        )
        await games.start()
        late = LateBots()
        lobby = Lobby(
            LobbyStore(database),
            games.rooms,
            late,
            secret,
            LobbySettings(times=self.times, chat_per_minute=1000),
            now=self._utc_ms,
        )
        lobby_handler = LobbyHandler(lobby, _Description(host_facts.host_id))
        supervisor = Bots(machine, self._play)
        late.handler = BotHandler(
            supervisor,  # type: ignore[arg-type]
            lobby_handler,
            service_secret=secret,
            token_secret=host_facts.bot_secret,
            door=lambda: Door("here"),
        )
        await lobby.start()
        self.lobby = lobby
        gate = Admission(Limits(), secret=secret, clock=loop.time)
        served = (
            (lobby_service_pb2, "LobbyService", lobby_handler),
            (game_service_pb2, "GameService", games.game_handler),
            (history_service_pb2, "HistoryService", games.history_handler),
            (room_service_pb2, "RoomService", games.room_handler),
            (bot_service_pb2, "BotService", late.handler),
        )
        self._network.listen(
            machine,
            {
                f"genial.v1.{name}": partial(
                    rpc_handlers, module.DESCRIPTOR.services_by_name[name], handler, gate
                )
                for module, name, handler in served
            },
        )
        self.running.set()


class _Description:
    def __init__(self, host_id: str) -> None:
        self._host_id = host_id

    def describe(self) -> table_pb2.Host:
        return table_pb2.Host(host_id=self._host_id, name="Simulated", protocol=PROTOCOL)
