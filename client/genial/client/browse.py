"""Hosts on the local network: found by mDNS, told apart from the dead ones by asking them.

    async with Browser() as browser:
        async for hosts in browser.changes():   # tuple[FoundHost, ...], at once and on change
            …

A host that was killed stays in the caches of mDNS for up to hours, so every found host
is asked for its health again and again, with a short deadline.
"""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import grpc
from grpc_health.v1 import health_pb2
from zeroconf import DNSQuestionType, InterfaceChoice, IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from genial.client.addresses import address_of, target
from genial.client.channel import first_success
from genial.client.errors import AmbiguousNameError, GenialError
from genial.client.reach import open_pinned
from genial.client.text import _, printable
from genial.wire.announcement import SERVICE_TYPE, Announcement, MalformedAnnouncementError

RESOLVE_MS: Final = 3_000
PROBE_SECONDS: Final = 1.0
"""How long a host may take to say that it is well."""
PROBE_EVERY_SECONDS: Final = 2.0
SETTLE_SECONDS: Final = 1.3
"""After the first host of a name, how long others of the same name are waited for: what was
told within the last second, mDNS does not tell again before that second is over."""
FIND_SECONDS: Final = 2.5
_STAGGER_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class FoundHost:
    """One host of the network, however many interfaces it was seen on.

    Attributes:
        host_id: Its own, for good.
        name: For people, not unique.
        addresses: As announced, IPv4 first; link-local ones with their zone.
        port: Where it listens.
        fingerprint: Of its certificate, None with plaintext.
        tables: Tables not finished, as announced.
        open_seats: Seats to take, as announced.
        version: Protocol version.
        reachable: Whether it answered the last time it was asked, None: not asked yet.
        answered_at: Target of `addresses.target` that answered last, None if none did.
        silent_since: `time.monotonic()` in seconds of when it stopped answering (or was
            found, if it never did); None while it answers.
    """

    host_id: str
    name: str
    addresses: tuple[str, ...]
    port: int
    fingerprint: str | None
    tables: int
    open_seats: int
    version: str
    reachable: bool | None = None
    answered_at: str | None = None
    silent_since: float | None = None

    @property
    def targets(self) -> tuple[str, ...]:
        """Where to connect to, the most promising first."""
        all_targets = [target(address, self.port) for address in self.addresses]
        if self.answered_at in all_targets:
            all_targets.remove(self.answered_at)
            return (self.answered_at, *all_targets)
        return tuple(all_targets)

    @property
    def address(self) -> str:
        """Where to connect to, as it can be typed; the id where nothing is known."""
        return address_of(self.targets[0]) if self.targets else self.host_id


@dataclass(slots=True)
class _Row:
    host: FoundHost
    instances: dict[str, tuple[Announcement, tuple[str, ...], int]] = field(default_factory=dict)
    prober: asyncio.Task[None] | None = None


class Browser:
    """Keeps the list of hosts while it is entered.

    Args:
        zeroconf: The process's own, if it has one already (one per process is enough,
            and two miss things); None: one is made and closed here.
        probe_every: Seconds between two questions to one host.

    Attributes:
        problem: Why nothing can be found here (no network, multicast forbidden), as a
            sentence; empty when browsing works.
    """

    def __init__(
        self, zeroconf: AsyncZeroconf | None = None, *, probe_every: float = PROBE_EVERY_SECONDS
    ) -> None:
        self.problem = ""
        self._given = zeroconf
        self._zeroconf = zeroconf
        self._browser: AsyncServiceBrowser | None = None
        self._probe_every = probe_every
        self._rows: dict[str, _Row] = {}
        self._instances: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Starts looking; a network that forbids it is told in `problem`, not raised."""
        try:
            self._zeroconf = self._given or _open_zeroconf()
            self._browser = AsyncServiceBrowser(
                self._zeroconf.zeroconf,
                SERVICE_TYPE,
                handlers=[self._on_service],
                # Asking for a unicast answer loses it where several programs share the
                # port; a multicast question is answered to all.
                question_type=DNSQuestionType.QM,
            )
        except OSError as error:
            self.problem = _(
                "Hosts cannot be looked for on this network ({reason}); typing an address works."
            ).format(reason=error.strerror or error)
        return self

    async def __aexit__(self, *_exception: object) -> None:
        """Stops looking and asking."""
        if self._browser is not None:
            await self._browser.async_cancel()
        tasks = [*self._tasks, *(row.prober for row in self._rows.values() if row.prober)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._zeroconf is not None and self._given is None:
            # In a task of its own: in one that was cancelled it gives up while it still starts,
            # and leaves its sockets open.
            await asyncio.create_task(self._zeroconf.async_close())

    @property
    def hosts(self) -> tuple[FoundHost, ...]:
        """Every host found so far, by name, then id."""
        found = [row.host for row in self._rows.values()]
        return tuple(sorted(found, key=lambda host: (host.name.casefold(), host.host_id)))

    async def changes(self) -> AsyncGenerator[tuple[FoundHost, ...]]:
        """The list now, and again whenever anything in it changes. For one reader."""
        while True:
            self._changed.clear()
            yield self.hosts
            await self._changed.wait()

    async def look(self, seconds: float) -> None:
        """Lets that much time pass, for hosts to be found; none when nothing can be."""
        if not self.problem:
            await asyncio.sleep(seconds)

    async def all_asked(self, timeout: float) -> None:
        """Waits until every host found so far was asked for its health, or `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout), aclosing(self.changes()) as changes:
                async for hosts in changes:
                    if all(host.reachable is not None for host in hosts):
                        return
        except TimeoutError:
            return  # Whoever has not answered by now counts as silent.

    # --- mDNS ------------------------------------------------------------------------

    def _on_service(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        # Called in the event loop by zeroconf, which must not be kept waiting.
        if state_change is ServiceStateChange.Removed:
            self._forget(name)
        else:
            self._spawn(self._resolve(zeroconf, service_type, name))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _resolve(self, zeroconf: Zeroconf, service_type: str, name: str) -> None:
        info = AsyncServiceInfo(service_type, name)
        if not await info.async_request(zeroconf, RESOLVE_MS, question_type=DNSQuestionType.QM):
            return
        try:
            announcement = Announcement.from_properties(info.properties)
        except MalformedAnnouncementError:
            return  # Anybody may announce anything; what is no host of ours is not listed.
        addresses = _ordered(info.parsed_scoped_addresses(IPVersion.All))
        if not info.port or not addresses:
            return
        before = self._instances.get(name)
        if before is not None and before != announcement.host_id:
            self._forget(name)
        self._instances[name] = announcement.host_id
        row = self._rows.get(announcement.host_id)
        if row is None:
            row = _Row(_merged({name: (announcement, addresses, info.port)}, None))
            self._rows[announcement.host_id] = row
        row.instances[name] = (announcement, addresses, info.port)
        row.host = _merged(row.instances, row.host)
        if row.prober is None:
            row.prober = asyncio.create_task(self._keep_probing(row))
        self._changed.set()

    def _forget(self, name: str) -> None:
        host_id = self._instances.pop(name, None)
        row = self._rows.get(host_id) if host_id else None
        if row is None or host_id is None:
            return
        row.instances.pop(name, None)
        if row.instances:
            row.host = _merged(row.instances, row.host)
        else:
            del self._rows[host_id]
            if row.prober is not None:
                row.prober.cancel()
        self._changed.set()

    # --- asking whether they live -------------------------------------------------------

    async def _keep_probing(self, row: _Row) -> None:
        while True:
            answered = await probe(row.host)
            before = row.host
            if answered is not None:
                row.host = replace(before, reachable=True, answered_at=answered, silent_since=None)
            else:
                since = before.silent_since or time.monotonic()
                row.host = replace(before, reachable=False, silent_since=since)
            if row.host != before:
                self._changed.set()
            await asyncio.sleep(self._probe_every)


async def probe(host: FoundHost, timeout: float = PROBE_SECONDS) -> str | None:
    """Asks a host for its health at all of its addresses.

    Returns:
        The target that answered first, or None if none did in `timeout` seconds.
    """

    async def ask(where: str) -> str:
        # Over a certificate other than the announced one, nobody is asked anything.
        channel = await open_pinned(where, host.fingerprint, timeout=timeout)
        check = channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        try:
            answer = await check(health_pb2.HealthCheckRequest(), timeout=timeout)
        finally:
            await channel.close()
        if answer.status != health_pb2.HealthCheckResponse.SERVING:
            raise ConnectionError(f"{where} is not serving")
        return where

    attempts = [lambda where=where: ask(where) for where in host.targets]
    try:
        async with asyncio.timeout(timeout * 2):
            return await first_success(attempts, _STAGGER_SECONDS)
    except TimeoutError:
        return None
    except BaseExceptionGroup as group:
        _silent, faults = group.split((grpc.aio.AioRpcError, ConnectionError, GenialError))
        if faults is not None:
            raise faults from None
        return None


async def find_host(text: str, seconds: float = FIND_SECONDS) -> FoundHost | None:
    """The host of an id or an announced name; the id goes before the name.

    Returns as soon as the id is seen; a name waits a little for others of the same.

    Raises:
        AmbiguousNameError: Several hosts announce that name.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    wanted = text.casefold()
    named: tuple[FoundHost, ...] = ()
    async with Browser() as browser, aclosing(browser.changes()) as changes:
        try:
            async with asyncio.timeout_at(deadline) as limit:
                async for hosts in changes:
                    for host in hosts:
                        if host.host_id == text:
                            return host
                    matching = tuple(host for host in hosts if host.name.casefold() == wanted)
                    if matching and not named:
                        limit.reschedule(min(deadline, loop.time() + SETTLE_SECONDS))
                    named = matching
        except TimeoutError:
            pass  # That was all the time there was to look; what was seen decides.
    if len(named) > 1:
        raise AmbiguousNameError(text, tuple(host.host_id for host in named))
    return named[0] if named else None


def _open_zeroconf() -> AsyncZeroconf:
    try:
        return AsyncZeroconf(interfaces=InterfaceChoice.All, ip_version=IPVersion.All)
    except OSError:
        # A kernel without IPv6, or none but link-local interfaces.
        return AsyncZeroconf(interfaces=InterfaceChoice.All, ip_version=IPVersion.V4Only)


def _merged(
    instances: dict[str, tuple[Announcement, tuple[str, ...], int]], before: FoundHost | None
) -> FoundHost:
    """One row of everything that a host announces; the newest says name and numbers."""
    announcement, _addresses, port = list(instances.values())[-1]
    addresses = [
        address
        for _announced, some, at_port in instances.values()
        if at_port == port
        for address in some
    ]
    known = before or FoundHost("", "", (), 0, None, 0, 0, "")
    return replace(
        known,
        host_id=announcement.host_id,
        name=printable(announcement.name),
        addresses=_ordered(addresses),
        port=port,
        fingerprint=announcement.fingerprint,
        tables=announcement.tables,
        open_seats=announcement.open_seats,
        version=announcement.version,
    )


def _ordered(addresses: list[str]) -> tuple[str, ...]:
    """Each once, IPv4 before IPv6 before link-local."""

    def rank(address: str) -> tuple[bool, bool]:
        number = ipaddress.ip_address(address)
        return number.is_link_local, number.version == 6

    return tuple(sorted(dict.fromkeys(addresses), key=rank))
