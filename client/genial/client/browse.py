"""Hosts on the local network: found by mDNS, told apart from the dead ones by asking them.

    async with Browser() as browser:
        async for hosts in browser.changes():   # tuple[FoundHost, ...], at once and on change
            …

The browser follows this machine's networks as they come and go, and begins to look by itself
once there is one. Every found host is asked whether it lives, see `pulse`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from zeroconf import (  # type: ignore[attr-defined]  # it lists two of these nowhere
    BadTypeInNameException,
    DNSOutgoing,
    DNSQuestion,
    DNSQuestionType,
    Error,
    InterfaceChoice,
    IPVersion,
    ServiceStateChange,
    Zeroconf,
)
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from genial.client.errors import AmbiguousNameError, UnsearchableError
from genial.client.found import FoundHost, Sighting, likeliest_first, merged
from genial.client.pulse import ASK_SECONDS, feel
from genial.client.text import _
from genial.wire.announcement import SERVICE_TYPE, Announcement, MalformedAnnouncementError
from genial.wire.networks import (
    Adapters,
    Look,
    list_adapters,
    on_link,
    usable_addresses,
    watch_networks,
)

__all__ = ["Browser", "FoundHost", "find_host"]

log = logging.getLogger(__name__)

RESOLVE_MS: Final = 3_000
PROBE_EVERY_SECONDS: Final = 2.0
"""Between two questions to a host that does not answer."""
ASKED_SECONDS: Final = ASK_SECONDS + 1.0
"""Until every host that was found has been asked once."""
SETTLE_SECONDS: Final = 1.3
"""After the first host of a name, how long others of the same name are waited for: what was
told within the last second, mDNS does not tell again before that second is over."""
FIND_SECONDS: Final = 2.5
_STALE_SECONDS: Final = 1.5
"""A host that moves takes its old address back, and mDNS forgets it one second later."""
GONE_SECONDS: Final = 60.0
"""Of silence, until a host that nobody announces any more leaves the list."""
_RETRY_SECONDS: Final = 6.0
"""Until looking is tried again where it was not possible."""

MOST_INSTANCES: Final = 512
"""Announcements that are kept; a flood of them must not fill the memory."""
_MOST_TASKS: Final = 2048
_RESOLVERS: Final = 32
"""Announcements that are asked for at once; whole ones, as every host sends, need no asking."""

_ASKED_AT_ONCE: Final = 64

_QUERY, _PTR, _IN = 0, 12, 1  # RFC 1035

_FAULTS: Final = (OSError, Error, RuntimeError)
"""What zeroconf raises when a network is not as it should be."""


@dataclass(slots=True)
class _Row:
    """A host; `announced_at` is when mDNS told of it last, `gone` leaves it out of the list."""

    host: FoundHost
    sightings: dict[str, Sighting] = field(default_factory=dict)
    prober: asyncio.Task[None] | None = None
    announced_at: float = field(default_factory=time.monotonic)
    gone: bool = False


class Browser:
    """Keeps the list of hosts while it is entered.

    Args:
        zeroconf: The process's own, if it has one already (one per process is enough,
            and two miss things); None: one is made and closed here, and follows the networks.
        probe_every: Seconds between two questions to a silent host.
        gone_after: Seconds of silence until mDNS is asked whether a host is still announced.
        adapters: See `Adapters`.

    Attributes:
        problem: Why nothing can be found here (no network, multicast forbidden), as a
            sentence; empty when browsing works.
    """

    def __init__(
        self,
        zeroconf: AsyncZeroconf | None = None,
        *,
        probe_every: float = PROBE_EVERY_SECONDS,
        gone_after: float = GONE_SECONDS,
        adapters: Adapters = usable_addresses,
    ) -> None:
        self.problem = ""
        self._given = zeroconf is not None
        self._zeroconf = zeroconf
        self._browser: AsyncServiceBrowser | None = None
        self._probe_every = probe_every
        self._gone_after = gone_after
        self._adapters = adapters
        self._rows: dict[tuple[str, str | None], _Row] = {}
        self._sightings: dict[str, Sighting] = {}
        self._lies_near: Callable[[str], bool] = lambda _: False
        self._tasks: set[asyncio.Task[None]] = set()
        self._resolvers = asyncio.Semaphore(_RESOLVERS)
        self._askers = asyncio.Semaphore(_ASKED_AT_ONCE)
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Starts looking; a network that forbids it is told in `problem`, not raised."""
        # It tells every cable that is pulled with a traceback; we say it in one line.
        logging.getLogger("zeroconf").setLevel(logging.CRITICAL)
        self._open()
        if not self._given:
            self._spawn(self._follow_networks())
        return self

    async def __aexit__(self, *_exception: object) -> None:
        """Stops looking and asking."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._browser is not None:
            await self._browser.async_cancel()
        if self._zeroconf is not None and not self._given:
            # In a task of its own: in one that was cancelled it gives up while it still starts,
            # and leaves its sockets open.
            await asyncio.create_task(self._zeroconf.async_close())

    @property
    def hosts(self) -> tuple[FoundHost, ...]:
        """Every host found so far that has not gone for good, by name, then id."""
        found = [row.host for row in self._rows.values() if not row.gone]
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

    async def all_asked(self, timeout: float = ASKED_SECONDS) -> None:
        """Waits until every host found so far was asked for its health, or `timeout` seconds."""
        try:
            async with asyncio.timeout(timeout), aclosing(self.changes()) as changes:
                async for hosts in changes:
                    if all(host.reachable is not None for host in hosts):
                        return
        except TimeoutError:
            return  # Whoever has not answered by now counts as silent.

    # --- networks --------------------------------------------------------------------

    def _open(self) -> None:
        try:
            self._zeroconf = self._zeroconf or _open_zeroconf()
            self._ask()
        except _FAULTS as error:
            self.problem = _impossible(error)
            return
        self._spawn(self._check_senders(self._zeroconf))

    async def _check_senders(self, zeroconf: AsyncZeroconf) -> None:
        """Networks that cannot be joined are left out silently; not a single one is a fault."""
        await zeroconf.zeroconf.async_wait_for_start()
        problem = ""
        if not zeroconf.zeroconf.engine.senders:
            problem = _impossible(OSError(_("no network here allows multicast")))
        if problem != self.problem:
            self.problem = problem
            self._changed.set()

    def _ask(self) -> None:
        assert self._zeroconf is not None
        self._browser = AsyncServiceBrowser(
            self._zeroconf.zeroconf,
            SERVICE_TYPE,
            handlers=[self._on_service],
            # An answer to us alone is lost where several programs share the port; one to all
            # never is.
            question_type=DNSQuestionType.QM,
        )
        self._spawn(self._ask_for_ourselves(self._zeroconf.zeroconf))

    async def _ask_for_ourselves(self, zeroconf: Zeroconf) -> None:
        """Asks for an answer to this laptop alone, too, once.

        What was told to all within the last second, mDNS does not tell them again before that
        second is over; and some access points lose what is for all.
        """
        await zeroconf.async_wait_for_start()
        question = DNSQuestion(SERVICE_TYPE, _PTR, _IN)
        question.unicast = True
        packet = DNSOutgoing(_QUERY)
        packet.add_question(question)
        zeroconf.async_send(packet)

    async def _follow_networks(self) -> None:
        loop = asyncio.get_running_loop()
        retry_at = loop.time() + _RETRY_SECONDS
        first = True
        async with aclosing(watch_networks(self._adapters)) as looks:
            async for look in looks:
                if look.changed:
                    self._lies_near = on_link(await loop.run_in_executor(None, list_adapters))
                    self._sort_again()
                if self._browser is None:
                    if (look.changed and not first) or loop.time() >= retry_at:
                        self._open()
                        retry_at = loop.time() + _RETRY_SECONDS
                        self._changed.set()
                elif (look.changed and not first) or look.woke:
                    await self._look_again(look)
                first = False

    async def _look_again(self, look: Look) -> None:
        """On other networks than before, or after a sleep."""
        assert self._zeroconf is not None
        try:
            if look.woke:
                # Leaving every network first makes it join each anew.
                await self._zeroconf.async_update_interfaces([])
            await self._zeroconf.async_update_interfaces(InterfaceChoice.All)
        except _FAULTS as error:
            self.problem = _impossible(error)
            self._changed.set()
            return
        self._spawn(self._check_senders(self._zeroconf))
        if self._browser is not None:
            # A new one asks at once; an old one has long slowed down its questions.
            await self._browser.async_cancel()
            self._ask()

    def _sort_again(self) -> None:
        """Addresses in networks of ours go first, and those have changed."""
        for name, sighting in self._sightings.items():
            addresses = likeliest_first(sighting.addresses, self._lies_near)
            self._sightings[name] = replace(sighting, addresses=addresses)
        for row in self._rows.values():
            row.sightings = {name: self._sightings[name] for name in row.sightings}
            row.host = merged(row.sightings.values(), row.host)

    # --- mDNS ------------------------------------------------------------------------

    def _on_service(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        # Called in the event loop by zeroconf, which must not be kept waiting.
        if state_change is ServiceStateChange.Removed:
            self._forget(name)
            return
        try:
            info = AsyncServiceInfo(service_type, name)
        except BadTypeInNameException:
            return  # A name that no host of ours could have.
        if info.load_from_cache(zeroconf):
            self._take(name, info)
        elif len(self._tasks) < _MOST_TASKS:
            self._spawn(self._resolve(zeroconf, service_type, name))
        if state_change is ServiceStateChange.Updated and len(self._tasks) < _MOST_TASKS:
            self._spawn(self._take_later(zeroconf, service_type, name))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._start(work).set_name("browse")

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            # The list goes on without this one; whoever reads the log learns why.
            log.error("looking for hosts failed in part", exc_info=fault)

    async def _resolve(self, zeroconf: Zeroconf, service_type: str, name: str) -> None:
        info = AsyncServiceInfo(service_type, name)
        async with self._resolvers:
            found = await info.async_request(zeroconf, RESOLVE_MS, question_type=DNSQuestionType.QM)
        if found:
            self._take(name, info)

    async def _take_later(self, zeroconf: Zeroconf, service_type: str, name: str) -> None:
        await asyncio.sleep(_STALE_SECONDS)
        info = AsyncServiceInfo(service_type, name)
        if name in self._sightings and info.load_from_cache(zeroconf):
            self._take(name, info)

    def _take(self, name: str, info: AsyncServiceInfo) -> None:
        try:
            announcement = Announcement.from_properties(info.properties)
            addresses = likeliest_first(
                info.parsed_scoped_addresses(IPVersion.All), self._lies_near
            )
        except (MalformedAnnouncementError, ValueError):
            return  # Anybody may announce anything; what is no host of ours is not listed.
        if not info.port or not addresses:
            return
        sighting = Sighting(announcement, addresses, info.port)
        before = self._sightings.get(name)
        if before is None and len(self._sightings) >= MOST_INSTANCES and not self._make_room():
            return
        if before is not None and before.key != sighting.key:
            self._forget(name)
        self._sightings[name] = sighting
        row = self._rows.get(sighting.key)
        if row is None:
            row = self._rows[sighting.key] = _Row(merged([sighting]))
        # The newest is the last, whatever it was before.
        row.sightings.pop(name, None)
        row.sightings[name] = sighting
        row.host = merged(row.sightings.values(), row.host)
        row.announced_at, row.gone = time.monotonic(), False
        if row.prober is None:
            row.prober = self._start(self._keep_asking(row))
        self._changed.set()

    def _make_room(self) -> bool:
        """Forgets somebody who does not answer, for somebody new; a flood hides no host."""
        for name, sighting in self._sightings.items():
            if self._rows[sighting.key].host.reachable is False:
                self._forget(name)
                return True
        return False

    def _forget(self, name: str) -> None:
        sighting = self._sightings.pop(name, None)
        row = self._rows.get(sighting.key) if sighting is not None else None
        if row is None or sighting is None:
            return
        row.sightings.pop(name, None)
        if row.sightings:
            row.host = merged(row.sightings.values(), row.host)
        else:
            del self._rows[sighting.key]
            if row.prober is not None:
                row.prober.cancel()
        self._changed.set()

    # --- asking whether they live -------------------------------------------------------

    async def _keep_asking(self, row: _Row) -> None:
        while True:
            async with self._askers:
                pulse = await feel(row.host)
            if pulse is None:
                self._hear(row, None)
                await self._miss(row)
                await asyncio.sleep(self._probe_every)
                continue
            async with pulse:
                self._hear(row, pulse.target)
                await pulse.until_silent()
            # It is asked again at once; meanwhile nobody should try to sit down there.
            self._hear(row, None)

    async def _miss(self, row: _Row) -> None:
        """Asks mDNS for a host that has been silent for long; who does not announce it has gone.

        What it said of itself is kept for over an hour, its addresses for two minutes only: then
        a question goes out that a laptop has to be awake to answer. Its health is asked for on,
        unseen, so that it is back as soon as it answers.
        """
        since = row.host.silent_since
        if since is None or self._zeroconf is None:
            return
        if time.monotonic() - max(since, row.announced_at) < self._gone_after:
            return
        zeroconf = self._zeroconf.zeroconf
        row.announced_at = time.monotonic()
        announced = False
        for name in tuple(row.sightings):
            info = AsyncServiceInfo(SERVICE_TYPE, name)
            try:
                async with self._resolvers:
                    announced = announced or await info.async_request(
                        zeroconf, RESOLVE_MS, question_type=DNSQuestionType.QM
                    )
            except _FAULTS:
                return  # The network is just changing, and tells nothing of anybody.
        if row.gone is announced:
            row.gone = not announced
            self._changed.set()

    def _hear(self, row: _Row, target: str | None) -> None:
        before = row.host
        if target is not None:
            row.gone = False
            row.host = replace(before, reachable=True, answered_at=target, silent_since=None)
        else:
            since = before.silent_since or time.monotonic()
            row.host = replace(before, reachable=False, silent_since=since)
        if row.host != before:
            self._changed.set()


async def find_host(
    text: str, seconds: float = FIND_SECONDS, *, fingerprint: str | None = None
) -> FoundHost | None:
    """The host of an id or an announced name; the id goes before the name.

    Returns as soon as the id is seen; a name waits a little for others of the same.

    Args:
        text: The id or name.
        seconds: How long to look.
        fingerprint: Of the host of that id, if it is known: whoever announces that id with
            another certificate comes after it.

    Raises:
        AmbiguousNameError: Several hosts announce that name.
        UnsearchableError: Nothing can be found here, whoever announces it.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    wanted = text.casefold()
    named: tuple[FoundHost, ...] = ()
    impostor: FoundHost | None = None
    async with Browser() as browser, aclosing(browser.changes()) as changes:
        try:
            async with asyncio.timeout_at(deadline) as limit:
                async for hosts in changes:
                    for host in hosts:
                        if host.host_id == text:
                            if fingerprint in (None, host.fingerprint):
                                return host
                            impostor = host
                    matching = tuple(host for host in hosts if host.name.casefold() == wanted)
                    if matching and not named:
                        limit.reschedule(min(deadline, loop.time() + SETTLE_SECONDS))
                    named = matching
        except TimeoutError:
            pass  # That was all the time there was to look; what was seen decides.
    if impostor is not None:
        return impostor
    if len(named) > 1:
        raise AmbiguousNameError(text, tuple(host.host_id for host in named))
    if not named and browser.problem:
        raise UnsearchableError(browser.problem)
    return named[0] if named else None


def _impossible(error: Exception) -> str:
    return _(
        "Hosts cannot be looked for on this network ({reason}); typing an address works."
    ).format(reason=getattr(error, "strerror", None) or error)


def _open_zeroconf() -> AsyncZeroconf:
    try:
        return AsyncZeroconf(interfaces=InterfaceChoice.All, ip_version=IPVersion.All)
    except OSError:
        # A kernel without IPv6, or none but link-local interfaces.
        return AsyncZeroconf(interfaces=InterfaceChoice.All, ip_version=IPVersion.V4Only)
