"""Announces a host by mDNS, on every usable network, and follows the networks as they change.

Announcing is a convenience: when it fails, hosting goes on, and one line says what to type
instead (pitfalls, "zeroconf").
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from ipaddress import ip_address
from typing import Final

from zeroconf import (
    BadTypeInNameException,
    Error,
    IPVersion,
    NonUniqueNameException,
    NotRunningException,
)
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from genial.wire.announcement import SERVICE_TYPE, Announcement, instance_name
from genial.wire.networks import (
    POLL_SECONDS,
    Adapters,
    best_first,
    usable_addresses,
    watch_networks,
)

log = logging.getLogger(__name__)

_UPDATE_PAUSE: Final = 1.0
"""Seconds between two changes of what is announced, at least."""
_RETRY: Final = 30.0
"""Seconds until announcing is tried again after it has failed."""
_LOOPBACK: Final = "127.0.0.1"
_GOODBYE: Final = 1.0
"""Seconds that saying good-bye may take."""

_FAULTS: Final = (OSError, Error, NotRunningException, TimeoutError, RuntimeError)
"""What zeroconf raises when a network is not as it should be."""


def is_wildcard(bind: str) -> bool:
    """Whether a host bound to `bind` listens on every address."""
    return bind in ("", "::", "0.0.0.0")


class Announcer:
    """One host's announcement; `start` it once, `close` it at the end.

    One per process: two see nothing of each other's names.
    """

    def __init__(
        self,
        describe: Callable[[], Announcement],
        port: int,
        bind: str = "",
        adapters: Adapters = usable_addresses,
        *,
        poll: float = POLL_SECONDS,
    ) -> None:
        """Announces what `describe` says.

        Args:
            describe: The announcement as it is now; its id never changes.
            port: Where the host listens.
            bind: The one address that it listens on; empty or a wildcard: all.
            adapters: See `Adapters`.
            poll: Seconds between two looks at the adapters.
        """
        self._describe = describe
        self._port = port
        self._bind = bind
        self._adapters = adapters
        self._poll = poll
        self._zeroconf: AsyncZeroconf | None = None
        self._info: AsyncServiceInfo | None = None
        self._addresses: frozenset[str] = frozenset()
        self._announced: Announcement | None = None
        self._complained = False
        self._dirty = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        first = describe()
        self._name = f"{instance_name(first.name, first.host_id)}.{SERVICE_TYPE}"
        # Of its own too, so that two hosts on one machine do not answer for each other.
        self._server = f"genial-{first.host_id[:16]}.local."

    @property
    def is_announced(self) -> bool:
        """Whether others can find the host now."""
        return self._info is not None

    @property
    def announced(self) -> Announcement | None:
        """What others are told now, or were told last."""
        return self._announced

    def start(self) -> None:
        """Begins in the background: registering takes a second, and may fail."""
        # It tells every cable that is pulled with a traceback; we say it in one line.
        logging.getLogger("zeroconf").setLevel(logging.CRITICAL)
        self._tasks = [
            asyncio.create_task(self._follow_networks(), name="announce: networks"),
            asyncio.create_task(self._follow_changes(), name="announce: changes"),
        ]

    def update(self) -> None:
        """What `describe` says has changed; announced soon."""
        self._dirty.set()

    async def close(self) -> None:
        """Says good-bye, so that lists drop the host at once."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stop()

    # --- following ---

    async def _follow_networks(self) -> None:
        loop = asyncio.get_running_loop()
        retry_at = 0.0
        async with aclosing(watch_networks(self._usable, poll=self._poll)) as looks:
            async for look in looks:
                if look.changed or (self._zeroconf is None and loop.time() >= retry_at):
                    await self._announce_on(look.addresses)
                    retry_at = loop.time() + _RETRY
                elif look.woke:
                    await self._announce_again()

    def _usable(self) -> frozenset[str]:
        if not is_wildcard(self._bind):
            return frozenset({self._bind})
        version = 4 if self._bind == "0.0.0.0" else None
        usable = frozenset(
            text for text in self._adapters() if version in (None, ip_address(text).version)
        )
        # Without any network, clients on this very machine still find the host.
        return usable or frozenset({_LOOPBACK})

    async def _announce_on(self, addresses: frozenset[str]) -> None:
        self._addresses = addresses
        try:
            if self._zeroconf is None:
                await self._register()
            else:
                # The news first: new networks are told at once what is registered, and an old
                # address that is told once more is not forgotten.
                sent = await self._begin_update(self._zeroconf)
                await self._zeroconf.async_update_interfaces(self._interfaces())
                self._check_senders()
                await sent
                log.info("announcing on %s", ", ".join(best_first(addresses)) or "no network")
        except (NonUniqueNameException, BadTypeInNameException, *_FAULTS) as fault:
            await self._stop()
            self._complain(fault)

    async def _announce_again(self) -> None:
        """After a sleep, in which others may have forgotten this host, and its own system, too."""
        if self._zeroconf is None:
            return
        try:
            # Leaving every network first makes it join each anew, and tell of itself there.
            await self._zeroconf.async_update_interfaces([])
            await self._zeroconf.async_update_interfaces(self._interfaces())
        except _FAULTS as fault:
            await self._stop()
            self._complain(fault)

    async def _register(self) -> None:
        self._zeroconf = AsyncZeroconf(interfaces=self._interfaces(), ip_version=self._version())
        self._announced = self._describe()
        info = self._make_info(self._announced)
        await self._zeroconf.zeroconf.async_wait_for_start()
        self._check_senders()
        sent = await self._zeroconf.async_register_service(info, strict=False)
        self._info = info
        await sent
        self._complained = False

    def _check_senders(self) -> None:
        """Networks that cannot be joined are left out silently; not a single one is a fault."""
        if self._zeroconf is not None and not self._zeroconf.zeroconf.engine.senders:
            raise OSError("no network here allows multicast")

    def _interfaces(self) -> list[str]:
        """The addresses to speak from: their scopes are the interfaces."""
        return [text.partition("%")[0] if "." in text else text for text in self._addresses]

    def _version(self) -> IPVersion:
        versions = {ip_address(text).version for text in self._addresses}
        if versions == {4}:
            return IPVersion.V4Only
        return IPVersion.V6Only if versions == {6} else IPVersion.All

    def _make_info(self, announcement: Announcement) -> AsyncServiceInfo:
        plain = {text.partition("%")[0] for text in self._addresses}
        return AsyncServiceInfo(
            SERVICE_TYPE,
            self._name,
            addresses=[_packed(text) for text in best_first(plain)],
            port=self._port,
            properties=announcement.to_properties(),
            server=self._server,
        )

    async def _follow_changes(self) -> None:
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            if self._describe() != self._announced:
                try:
                    await self._send_update()
                except _FAULTS as fault:
                    log.warning("the announcement could not be brought up to date: %s", fault)
            await asyncio.sleep(_UPDATE_PAUSE)

    async def _send_update(self) -> None:
        if self._zeroconf is not None:
            await (await self._begin_update(self._zeroconf))

    async def _begin_update(self, zeroconf: AsyncZeroconf) -> Awaitable[object]:
        """What is announced is up to date at once; who awaits the result waits until it is told."""
        if self._info is None:
            return asyncio.sleep(0)
        self._announced = self._describe()
        self._info = self._make_info(self._announced)
        return await zeroconf.async_update_service(self._info)

    def _complain(self, fault: Exception) -> None:
        if self._complained:
            return
        self._complained = True
        place = next(iter(best_first(self._addresses)), "this machine's address")
        log.warning(
            "this host cannot be announced on the network (%s); friends join by typing: genial"
            " join %s",
            str(fault) or type(fault).__name__,
            address_text(place, self._port),
        )

    async def _stop(self) -> None:
        zeroconf, self._zeroconf = self._zeroconf, None
        info, self._info = self._info, None
        if zeroconf is None:
            return
        try:
            async with asyncio.timeout(_GOODBYE):
                if info is not None:
                    await (await zeroconf.async_unregister_service(info))
        except _FAULTS as fault:
            log.info("good-bye could not be said on the network: %r", fault)
        with contextlib.suppress(*_FAULTS):
            await zeroconf.async_close()


def address_text(host: str, port: int) -> str:
    """``HOST:PORT``, IPv6 in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _packed(text: str) -> bytes:
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    return socket.inet_pton(family, text)
