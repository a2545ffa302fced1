"""The composition root: any set of services behind one port, from start to orderly end.

await run_host(HostSettings(data=path), lambda ready: print(ready.line))
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import signal
import socket
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

import grpc
from google.protobuf.descriptor import FileDescriptor, ServiceDescriptor
from grpc_health.v1 import health, health_pb2

from genial.services import facts, game
from genial.services.admission import Admission
from genial.services.announce import Announcer, address_text
from genial.services.backup import is_half_restored
from genial.services.bots.handler import BotHandler, Door
from genial.services.bots.supervisor import Supervisor
from genial.services.certificate import FILE_NAME as CERTIFICATE_FILE
from genial.services.certificate import CertificateError, HostCertificate, load_or_make
from genial.services.connections import ConnectionWatch, raise_file_limit
from genial.services.doorstep import Doorstep
from genial.services.forward import forwarding_handlers
from genial.services.lobby.handler import LobbyHandler
from genial.services.lobby.lobby import Lobby, LobbySettings, wall_clock
from genial.services.lobby.standing import StandingTables
from genial.services.lobby.store import COMPONENT as LOBBY_COMPONENT
from genial.services.lobby.store import LobbyStore
from genial.services.lobby.wording import clean
from genial.services.peers import BotPort, LateBots, LobbyPort, RemoteBots, RemoteLobby, RoomPort
from genial.services.server import channel_to_peer, listen, make_server
from genial.services.settings import (
    BOTS,
    DATABASE,
    GAME,
    HISTORY,
    LOBBY,
    HostError,
    HostSettings,
)
from genial.services.standard import add_standard_services
from genial.services.store import (
    Component,
    Database,
    DatabaseBusyError,
    NewerSchemaError,
    StorageError,
)
from genial.v1 import (
    bot_service_pb2,
    game_pb2,
    game_service_pb2,
    history_service_pb2,
    lobby_service_pb2,
    room_service_pb2,
    table_pb2,
)
from genial.wire.announcement import PROTOCOL, Announcement
from genial.wire.errors import GenialError, Reason
from genial.wire.networks import best_first, usable_addresses
from genial.wire.serving import rpc_handlers
from genial.wire.values import timestamp_to_message
from genial.wire.version import SOFTWARE

log = logging.getLogger(__name__)

_STREAMS_END: Final = 0.6
"""Seconds that streams get to end after their good-bye."""
_NAME_LENGTH: Final = 40


@dataclass(frozen=True, slots=True)
class HostReady:
    """A host that accepts calls.

    Attributes:
        address: ``HOST:PORT`` that others can dial.
        addresses: All such, the likeliest first.
        fingerprint: SHA-256 of the certificate in hex; None with plaintext.
    """

    host_id: str
    name: str
    address: str
    addresses: tuple[str, ...]
    port: int
    fingerprint: str | None

    @property
    def line(self) -> str:
        """The line that `genial host` prints (contract, "The command line")."""
        return (
            f"genial host ready id={self.host_id} address={self.address}"
            f" fingerprint={self.fingerprint or '-'} name={self.name}"
        )


class Host:
    """One host. `start` it once; `close` it at the end, also after a failed start."""

    def __init__(self, host_settings: HostSettings) -> None:
        """Checks the settings; nothing runs yet.

        Raises:
            HostError: They do not go together.
        """
        host_settings.check()
        self.settings: Final = host_settings
        self.name: Final = clean(host_settings.name, _NAME_LENGTH, "name") or default_name()
        self.lobby: Lobby | None = None
        self.supervisor: Supervisor | None = None
        self.announcer: Announcer | None = None
        self._secret = host_settings.secret or secrets.token_urlsafe(32)
        self._password = host_settings.password or None
        self._certificate: HostCertificate | None = None
        self._started_at = wall_clock()
        self._database: Database | None = None
        self._games: game.GameServices | None = None
        self._server: grpc.aio.Server | None = None
        self._health: health.aio.HealthServicer | None = None
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._host = ""
        self._port = 0
        self._host_id = ""
        self._tasks: list[asyncio.Task[None]] = []
        self._service_names: tuple[str, ...] = ()
        self._closed = False

    # --- start ---

    async def start(self) -> HostReady:
        """Opens the data, binds the port, takes up what was under way, and accepts calls.

        Raises:
            HostError: It cannot be started; a sentence says why and what to do.
        """
        path = self.settings.data / DATABASE
        if is_half_restored(self.settings.data):
            raise HostError(
                f"A backup was not put back whole into {self.settings.data}; empty that directory"
                " and call `genial restore` again."
            )
        # The certificate is made when the database is written already. Who moved that away wants
        # to begin anew; one that is there and knows nothing of a host has lost it.
        has_run = path.exists() and path.with_name(CERTIFICATE_FILE).exists()
        self._database = await self._open_database()
        try:
            if has_run and not await facts.are_kept(self._database):
                raise HostError(
                    f"{path} holds nothing of a host, though this one has a certificate and so"
                    " had data: they are lost. Put a backup back with `genial restore`, or move"
                    f" the files that begin with {DATABASE} away to begin anew."
                )
            host_facts = await facts.load_or_make(self._database)
            if not self.settings.plaintext:
                self._certificate = load_or_make(
                    self.settings.certificate or self.settings.data / CERTIFICATE_FILE
                )
        except CertificateError as fault:
            raise HostError(str(fault)) from fault
        except GenialError as fault:
            raise self._data_fault(fault) from fault
        self._host_id = host_facts.host_id
        raise_file_limit(self.settings.limits)
        self._server = make_server(self.settings.limits)
        self._host, self._port = listen(
            self._server, self.settings.bind, self.settings.port, self._certificate
        )
        try:
            await self._put_together(self._server, self._database, host_facts)
            if self.lobby is not None:
                # Before the first call: who comes back must find their table.
                await self.lobby.start()
        except GenialError as fault:
            raise self._data_fault(fault) from fault
        await self._server.start()
        self._spawn(self._connections.run(), "host: connections")
        if self.lobby is not None and self.settings.standing:
            standing = StandingTables(self.lobby, self.settings.standing)
            self._spawn(standing.run(), "host: standing tables")
        await self._set_health(health_pb2.HealthCheckResponse.SERVING)
        ready = self._ready(self._certificate)
        if self.settings.announce and self.lobby is not None:
            self._announce(self.lobby, self._certificate)
        return ready

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Keeps something running until the host closes; if it fails, the log says so."""

        def done(task: asyncio.Task[None]) -> None:
            if not task.cancelled() and task.exception() is not None:
                log.error("%s failed", name, exc_info=task.exception())

        task = asyncio.create_task(work, name=name)
        task.add_done_callback(done)
        self._tasks.append(task)

    async def _open_database(self) -> Database:
        components: list[Component] = [facts.COMPONENT]
        if GAME in self.settings.services:
            components.append(game.COMPONENT)
        if LOBBY in self.settings.services:
            components.append(LOBBY_COMPONENT)
        try:
            return await Database.open(self.settings.data / DATABASE, components)
        except (DatabaseBusyError, NewerSchemaError) as fault:
            raise HostError(_sentence(str(fault))) from fault
        except GenialError as fault:
            raise self._data_fault(fault) from fault

    def _data_fault(self, fault: GenialError) -> HostError:
        """What to say of data that cannot be used; callers of a running host hear less."""
        if not isinstance(fault, StorageError):
            return HostError(str(fault))
        detail = fault.metadata.get("fault", fault.sentence)
        if fault.reason == Reason.STORAGE_FULL:
            return HostError(
                f"There is no room for the data in {self.settings.data} ({detail}); free some"
                " space there, or choose another directory with --data."
            )
        return HostError(
            f"The data in {self.settings.data} cannot be opened: {detail}; choose another"
            " directory with --data, or put a backup back with `genial restore`."
        )

    async def _put_together(
        self, server: grpc.aio.Server, database: Database, host_facts: facts.HostFacts
    ) -> None:
        """Makes the services, innermost first, and puts them behind the gate."""
        services = self.settings.services
        gate = Admission(self.settings.limits, secret=self._secret, password=self._password)
        offered: list[tuple[ServiceDescriptor, object]] = []
        if GAME in services:
            game_settings = game.GameSettings(SOFTWARE, self.settings.limits.watchers)
            self._games = game.GameServices(database, game_settings, self._secret)
            await self._games.start()
            offered += [
                (_service(game_service_pb2.DESCRIPTOR, "GameService"), self._games.game_handler),
                (_service(room_service_pb2.DESCRIPTOR, "RoomService"), self._games.room_handler),
            ]
            if HISTORY in services:
                history = self._games.history_handler
                offered.append(
                    (_service(history_service_pb2.DESCRIPTOR, "HistoryService"), history)
                )
        lobby_port: LobbyPort | None = None
        bot_port = LateBots() if BOTS in services else None
        if LOBBY in services:
            self.lobby = self._make_lobby(database, bot_port)
            lobby_port = handler = LobbyHandler(self.lobby, self, self.settings.limits)
            offered.append((_service(lobby_service_pb2.DESCRIPTOR, "LobbyService"), handler))
        if bot_port is not None:
            lobby_port = lobby_port or RemoteLobby(self._channel(LOBBY))
            self.supervisor = Supervisor(
                processes=self.settings.bot_processes, most_seats=self.settings.limits.bots
            )
            bot_port.handler = BotHandler(
                self.supervisor,
                lobby_port,
                service_secret=self._secret,
                token_secret=host_facts.bot_secret,
                door=self._door_for_bots,
            )
            offered.append((_service(bot_service_pb2.DESCRIPTOR, "BotService"), bot_port.handler))
        door = Doorstep(server, self.settings.limits, gate)
        door.add_generic_rpc_handlers(
            [rpc_handlers(descriptor, handler, gate) for descriptor, handler in offered]
        )
        names = [descriptor.full_name for descriptor, _ in offered]
        if LOBBY in services:
            # Clients know the lobby's address alone, so it is theirs for everything.
            for service, descriptor in _FOR_CLIENTS.items():
                if service in self.settings.peers:
                    channel = self._channel(service)
                    handlers = forwarding_handlers(descriptor, channel, gate, self._secret)
                    door.add_generic_rpc_handlers([handlers])
        self._health = add_standard_services(door, names, gate)
        self._connections = ConnectionWatch(self.settings.limits, self._port, gate.is_busy)
        self._service_names = ("", *names)

    def _make_lobby(self, database: Database, bots: LateBots | None) -> Lobby:
        limits = self.settings.limits
        rooms: RoomPort
        if self._games is not None:
            rooms = self._games.rooms
        else:
            rooms = game.RemoteRooms(self._channel(GAME), self._secret)
        bot_port: BotPort | None = bots
        if bot_port is None and BOTS in self.settings.peers:
            bot_port = RemoteBots(self._channel(BOTS))
        return Lobby(
            LobbyStore(database),
            rooms,
            bot_port,
            self._secret,
            LobbySettings(
                times=self.settings.times,
                most_tables=limits.tables,
                most_watchers=limits.watchers,
                chat_per_minute=limits.chat_per_minute,
                stand_in_level=self.settings.stand_in_level,
                bot_names=self.settings.bot_names,
                draining=self.settings.draining,
            ),
        )

    def _channel(self, service: str) -> grpc.aio.Channel:
        """A channel to a service that runs elsewhere."""
        address = self.settings.peers[service]
        if address not in self._channels:
            self._channels[address] = channel_to_peer(address, self._certificate)
        return self._channels[address]

    def _door_for_bots(self) -> Door:
        """Where this host's bots dial: the lobby's address, mostly this very port."""
        password = self._password or ""
        fingerprint = self._certificate.fingerprint if self._certificate else ""
        elsewhere = self.settings.peers.get(LOBBY)
        if elsewhere is not None:
            return Door(elsewhere, fingerprint, password)
        wildcards = {"::": "127.0.0.1", "0.0.0.0": "127.0.0.1"}
        address = address_text(wildcards.get(self._host, self._host), self._port)
        return Door(address, fingerprint, password)

    def _ready(self, certificate: HostCertificate | None) -> HostReady:
        if self._host in ("::", "0.0.0.0"):
            reachable = [text for text in best_first(usable_addresses()) if "%" not in text]
            if self._host == "0.0.0.0":
                reachable = [text for text in reachable if ":" not in text]
            hosts = reachable or ["127.0.0.1"]
        else:
            hosts = [self._host]
        addresses = tuple(address_text(each, self._port) for each in hosts)
        return HostReady(
            self._host_id,
            self.name,
            addresses[0],
            addresses,
            self._port,
            None if certificate is None else certificate.fingerprint,
        )

    def _announce(self, tables: Lobby, certificate: HostCertificate | None) -> None:
        def describe() -> Announcement:
            return Announcement(
                self._host_id,
                self.name,
                None if certificate is None else certificate.fingerprint,
                tables.live_tables,
                tables.open_seats,
            )

        self.announcer = Announcer(describe, self._port, self._host)
        tables.on_change(self.announcer.update)
        self.announcer.start()

    def describe(self) -> table_pb2.Host:
        """Who this host is, for GetHost."""
        return table_pb2.Host(
            host_id=self._host_id,
            name=self.name,
            software=SOFTWARE,
            protocol=PROTOCOL,
            started_at=timestamp_to_message(self._started_at),
            password_required=self._password is not None,
            now=timestamp_to_message(wall_clock()),
            neighbours=[
                table_pb2.Neighbour(address=address) for address in self.settings.neighbours
            ],
        )

    async def _set_health(self, state: int) -> None:
        if self._health is not None:
            for name in self._service_names:
                await self._health.set(name, state)

    # --- end ---

    async def close(self, message: str = "") -> None:
        """Ends in order: good-byes to watchers and networks, streams end, the data is flushed.

        Args:
            message: For the people who watch; empty: none.
        """
        if self._closed:
            return
        self._closed = True
        closing = game_pb2.HostClosing(returning=self.settings.returning, message=message)
        await self._set_health(health_pb2.HealthCheckResponse.NOT_SERVING)
        farewells = []
        if self.lobby is not None:
            self.lobby.announce_closing(closing)
        if self._games is not None:
            farewells.append(self._games.close(returning=closing.returning, message=message))
        if self.announcer is not None:
            farewells.append(self.announcer.close())
        if self.supervisor is not None:
            farewells.append(self.supervisor.close())
        if self._server is not None:
            farewells.append(self._stop_server(self._server))
        for outcome in await asyncio.gather(*farewells, return_exceptions=True):
            if isinstance(outcome, Exception):
                log.error("the end was not quite in order", exc_info=outcome)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.lobby is not None:
            await self.lobby.close()
        for channel in self._channels.values():
            await channel.close()
        if self._database is not None:
            await self._database.close()

    async def _stop_server(self, server: grpc.aio.Server) -> None:
        await server.stop(_STREAMS_END)


def default_name() -> str:
    """What a host is called that nobody has named: after its machine."""
    return clean(socket.gethostname().partition(".")[0], _NAME_LENGTH, "name") or "Genial"


def _service(file: FileDescriptor, name: str) -> ServiceDescriptor:
    descriptor: ServiceDescriptor = file.services_by_name[name]
    return descriptor


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


_FOR_CLIENTS: Final = {
    GAME: _service(game_service_pb2.DESCRIPTOR, "GameService"),
    BOTS: _service(bot_service_pb2.DESCRIPTOR, "BotService"),
    HISTORY: _service(history_service_pb2.DESCRIPTOR, "HistoryService"),
}
"""What clients call of each service that may run elsewhere."""


async def run_host(
    host_settings: HostSettings,
    ready: Callable[[HostReady], None] = lambda _: None,
    *,
    stop: asyncio.Event | None = None,
    signals: bool = True,
) -> None:
    """Runs a host until it is told to stop, and ends it in order.

    Args:
        host_settings: How.
        ready: Called once it accepts calls.
        stop: Ends it when set.
        signals: Whether SIGINT and SIGTERM end it; only in the main thread.

    Raises:
        HostError: It cannot be started.
    """
    stopped = stop or asyncio.Event()
    host = Host(host_settings)
    with contextlib.ExitStack() as handlers:
        if signals:
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                # Windows knows no signal handlers of loops; there Ctrl-C cancels this task.
                with contextlib.suppress(NotImplementedError):
                    loop.add_signal_handler(number, stopped.set)
                    handlers.callback(loop.remove_signal_handler, number)
        try:
            ready(await host.start())
            await stopped.wait()
        finally:
            await host.close()
