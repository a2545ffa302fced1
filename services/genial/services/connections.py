"""Connections: how the host's port deals with those who open many, or open them and say nothing.

What gRPC can do is in `server_options`: a limit for all together, and an end for handshakes that
do not come to one. It has no limit for each address, so `ConnectionWatch` looks at the sockets
of this process from time to time and hangs up on those beyond it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from genial.services.limits import METADATA_BYTES, Exemptions, Limits, plain_address

log = logging.getLogger(__name__)

HANDSHAKE_SECONDS: Final = 10
"""For TLS and for the first words of HTTP/2, each; a laptop on bad Wi-Fi needs two."""
IDLE_SECONDS: Final = 60
"""After which a connection without any call is closed; who plays or browses has one open."""
_KEEPALIVE_SECONDS: Final = 10
"""Between two questions of the host whether the other end of a quiet line is still there."""
_KEEPALIVE_TIMEOUT_SECONDS: Final = 5
_SHORTEST_PING_SECONDS: Final = 2
"""Clients may ask the same as often as this."""
_STREAMS_PER_CONNECTION: Final = 4000
"""A bot process may hold a thousand seats, two streams each. A client that has more open waits
without a word, so this is far above what any needs; `Limits.streams_per_address` binds sooner."""

_TOLD: Final = 4
"""Whoever sends up to so many times too much is told why; beyond that gRPC ends the call."""

SWEEP_SECONDS: Final = 2.0
_FILES_TO_SPARE: Final = 512
"""File descriptors that a host needs beside its connections: database, bots, libraries."""


def server_options(limits: Limits) -> list[tuple[str, int]]:
    """gRPC's options for a server that strangers can reach."""
    return [
        # A second server on the port would bind silently and get every other connection.
        ("grpc.so_reuseport", 0),
        # gRPC's own refusal of what is too large has no reason that a client could look at. So
        # the gate sees a little more than it lets in (`Admission.admit`).
        ("grpc.max_receive_message_length", _TOLD * limits.request_bytes),
        ("grpc.max_metadata_size", _TOLD * METADATA_BYTES),
        ("grpc.absolute_max_metadata_size", _TOLD * METADATA_BYTES),
        ("grpc.max_concurrent_streams", _STREAMS_PER_CONNECTION),
        ("grpc.max_allowed_incoming_connections", limits.connections),
        ("grpc.server_handshake_timeout_ms", HANDSHAKE_SECONDS * 1000),
        ("grpc.http2.settings_timeout", HANDSHAKE_SECONDS * 1000),
        ("grpc.max_connection_idle_ms", IDLE_SECONDS * 1000),
        # A pulled cable is noticed within these two together; a line where nothing happens all
        # night stays. The other name, min_recv_ping…, is one that gRPC ignores.
        ("grpc.keepalive_time_ms", _KEEPALIVE_SECONDS * 1000),
        ("grpc.keepalive_timeout_ms", _KEEPALIVE_TIMEOUT_SECONDS * 1000),
        # The one before is TCP's, and a frozen laptop's kernel answers that. This is the
        # ping's own, and a minute unless it is set.
        ("grpc.http2.ping_timeout_ms", _KEEPALIVE_TIMEOUT_SECONDS * 1000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.http2.min_ping_interval_without_data_ms", _SHORTEST_PING_SECONDS * 1000),
        # Refusals that come back at random times only help against scanners of the web.
        ("grpc.http.tarpit", 0),
    ]


def raise_file_limit(limits: Limits) -> int | None:
    """Lets this process open enough files for all connections that `limits` allow.

    Many systems start programs with 1,024, fewer than a guest can open connections.

    Returns:
        How many may be open now; None where the system has no such limit.
    """
    try:
        import resource
    except ImportError:
        # Windows: sockets do not count as files there.
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = limits.connections + _FILES_TO_SPARE
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    except (ValueError, OSError) as fault:
        log.warning("may open only %d files (%s)", soft, fault)
        return soft
    if allowed < wanted:
        log.warning(
            "may open only %d files, fewer than limits.connections (%d) needs", allowed, wanted
        )
    return allowed


@dataclass(frozen=True, slots=True)
class Connection:
    """One TCP connection that somebody has made to us.

    Attributes:
        descriptor: Of its socket, in this process, when it was looked at.
        address: Where it comes from, as in `limits.address_of_peer`.
        peer: gRPC's name of that end.
    """

    descriptor: int
    address: str
    peer: str


class ConnectionWatch:
    """Hangs up on connections beyond `Limits.connections_per_address`.

    Those on which something is being watched are spared before those that are idle.
    """

    def __init__(self, limits: Limits, port: int, is_busy: Callable[[str], bool]) -> None:
        """Watches one port.

        Args:
            limits: How many each address gets.
            port: That the server listens on.
            is_busy: Whether a streaming call runs on the connection of a peer.
        """
        self._limit = limits.connections_per_address
        self._exempt = Exemptions(limits.exempt)
        self._port = port
        self._is_busy = is_busy
        self._files = _descriptor_folder()

    async def run(self) -> None:
        """Looks every few seconds, until cancelled."""
        if self._files is None:
            log.info("this system does not show a program its sockets: no limit of connections")
            return
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            # As long as there are few files at all, nobody can have too many connections.
            if await loop.run_in_executor(None, self._count_files) > self._limit:
                found = await loop.run_in_executor(None, lambda: list(self.connections()))
                self.sweep(found)

    def sweep(self, found: list[Connection]) -> int:
        """Hangs up on what is too much of these; returns on how many."""
        by_address: dict[str, list[Connection]] = {}
        for connection in found:
            by_address.setdefault(connection.address, []).append(connection)
        closed = 0
        for address, connections in by_address.items():
            excess = len(connections) - self._limit
            if excess <= 0 or address in self._exempt:
                continue
            # Idle ones first, and of these the newest: their descriptors are the highest.
            connections.sort(key=lambda each: (self._is_busy(each.peer), -each.descriptor))
            closed_here = sum(_hang_up(each) for each in connections[:excess])
            closed += closed_here
            log.warning("%s has %d connections; closed %d", address, len(connections), closed_here)
        return closed

    def connections(self) -> Iterator[Connection]:
        """Every connection to the port that this process holds."""
        if self._files is None:
            return
        for name in os.listdir(self._files):
            with _socket(int(name)) as found:
                peer = found and _peer(found, self._port)
            if peer:
                yield Connection(int(name), *peer)

    def _count_files(self) -> int:
        return len(os.listdir(self._files)) if self._files else 0


def _descriptor_folder() -> Path | None:
    for folder in (Path("/proc/self/fd"), Path("/dev/fd")):
        if folder.is_dir():
            return folder
    return None


@contextlib.contextmanager
def _socket(descriptor: int) -> Iterator[socket.socket | None]:
    """The socket behind a descriptor, by a descriptor of our own; None if it is none.

    The original may be closed, and its number given to something else, at any moment: the
    duplicate stays what it is, and whatever is asked of it is asked of the same thing.
    """
    try:
        own = os.dup(descriptor)
    except OSError:
        yield None
        return
    try:
        if not stat.S_ISSOCK(os.fstat(own).st_mode):
            os.close(own)
            yield None
            return
        found = socket.socket(fileno=own)
    except OSError:
        os.close(own)
        yield None
        return
    with found:
        yield found


def _peer(found: socket.socket, port: int) -> tuple[str, str] | None:
    """Address and gRPC's name of the other end, if the socket is a connection to our port."""
    if found.family not in (socket.AF_INET, socket.AF_INET6):
        return None
    try:
        if found.getsockname()[1] != port:
            return None
        host, from_port, *_ = found.getpeername()
    except OSError:
        # One that listens, or that has been closed meanwhile.
        return None
    address = plain_address(str(host))
    shown = f"[{address}]".replace("%", "%25") if ":" in address else address
    kind = "ipv6" if ":" in address else "ipv4"
    return address, f"{kind}:{shown}:{from_port}".replace("[", "%5B").replace("]", "%5D")


def _hang_up(connection: Connection) -> bool:
    """Ends a connection as if the other end had; whether it was still the same one."""
    with _socket(connection.descriptor) as found:
        if found is None:
            return False
        try:
            port = found.getsockname()[1]
            if _peer(found, port) != (connection.address, connection.peer):
                return False
            found.shutdown(socket.SHUT_RDWR)
        except OSError:
            return False
    return True
