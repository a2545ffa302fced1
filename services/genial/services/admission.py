"""Who comes in: the host's password, and what one network address may ask for at a time.

`Admission` is the gate (genial.wire.serving) of every service of a host; `standard` puts gRPC's
own ones behind it too.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from genial.services.limits import (
    METADATA_BYTES,
    Counter,
    Exemptions,
    Limits,
    RateLimiter,
    address_of_peer,
)
from genial.services.peers import is_service
from genial.wire.errors import GenialError, Reason
from genial.wire.metadata import FORWARDED_BY, HOST_PASSWORD, host_password, same_secret
from genial.wire.serving import Call

log = logging.getLogger(__name__)

_OURS: Final = "genial."
_OPEN: Final = frozenset({"genial.v1.LobbyService.GetHost"})
"""What anybody may ask without the password: who this is, and that it wants one. Health and
reflection are open too; they tell nothing of tables and people."""

FLOOD_PAUSE: Final = 0.5
"""Seconds that a refusal for calling too often is held back. A client that waits for its answers
is slowed down to what the host can bear; one that does not only fills its own connection."""

_QUIET: Final = 60.0
"""Seconds between two lines in the log about the same address and limit."""


class Admission:
    """The gate of one host. All its methods belong to one event loop."""

    def __init__(
        self,
        limits: Limits,
        *,
        secret: str = "",
        password: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        pause: float = FLOOD_PAUSE,
    ) -> None:
        """Opens the gate.

        Args:
            limits: What each address gets.
            secret: Between the host's own services, which no limit binds; empty: there are none.
            password: That everybody else has to know; None: nobody is asked.
            clock: Seconds, never going back.
            pause: See `FLOOD_PAUSE`.
        """
        self.limits = limits
        self._secret = secret
        self._password = None if password is None else _digest(password)
        self._exempt = Exemptions(limits.exempt)
        self._calls = RateLimiter(limits.calls_per_second, limits.call_burst, clock)
        guesses = limits.wrong_passwords_per_minute
        self._guesses = RateLimiter(guesses / 60, guesses, clock)
        self._streams = Counter(limits.streams_per_address)
        self._connections = Counter(limits.calls_at_once)
        self._said = RateLimiter(1 / _QUIET, 1, clock)
        self._pause = pause

    @property
    def password_required(self) -> bool:
        """Whether the host has a password."""
        return self._password is not None

    async def admit(self, rpc: str, call: Call) -> None:
        """Lets a call in.

        Raises:
            GenialError: MESSAGE_TOO_LARGE, TOO_MANY_CALLS, HOST_PASSWORD_NEEDED,
                BAD_HOST_PASSWORD, TOO_MANY_GUESSES, or BAD_SERVICE_SECRET.
        """
        if not call.peer:
            return
        if call.size > self.limits.request_bytes:
            raise GenialError(Reason.MESSAGE_TOO_LARGE, limit=self.limits.request_bytes)
        if call.metadata_size > METADATA_BYTES:
            raise GenialError(Reason.MESSAGE_TOO_LARGE, limit=METADATA_BYTES)
        if self.is_ours(call):
            return
        address = address_of_peer(call.peer)
        bound = address not in self._exempt
        if bound and not self._calls.take(address):
            self.note(address, "calls too often")
            await asyncio.sleep(self._pause)
            raise GenialError(Reason.TOO_MANY_CALLS, limit=self.limits.calls_per_second)
        if self._password is not None and rpc.startswith(_OURS) and rpc not in _OPEN:
            self._check_password(self._password, call, address, bound)

    def is_ours(self, call: Call) -> bool:
        """Whether it comes from one of the host's services, for itself or passed on.

        Raises:
            GenialError: BAD_SERVICE_SECRET, when it only says so.
        """
        if not self._secret:
            return False
        passed_on = call.metadata.get(FORWARDED_BY)
        if passed_on is None:
            return is_service(call, self._secret)
        if not same_secret(passed_on.encode(), self._secret.encode()):
            raise GenialError(Reason.BAD_SERVICE_SECRET)
        return True

    def _check_password(self, expected: bytes, call: Call, address: str, bound: bool) -> None:
        value = call.metadata.get(HOST_PASSWORD)
        if value is None:
            raise GenialError(Reason.HOST_PASSWORD_NEEDED)
        # Looked up before the comparison: a right guess among too many must not be told.
        if bound and not self._guesses.has(address):
            raise GenialError(Reason.TOO_MANY_GUESSES)
        if not same_secret(_digest(host_password(value)), expected):
            self._guesses.take(address)
            self.note(address, "sent a wrong password")
            raise GenialError(Reason.BAD_HOST_PASSWORD)

    def stream(self, call: Call) -> AbstractContextManager[None]:
        """Counts a streaming call for as long as it lasts.

        Raises:
            GenialError: TOO_MANY_STREAMS, on entering.
        """
        return self._stream(call.peer, self.is_ours(call))

    @contextmanager
    def _stream(self, peer: str, ours: bool) -> Iterator[None]:
        address = address_of_peer(peer)
        if ours or address in self._exempt:
            with self._connected(peer):
                yield
            return
        if not self._streams.take(address):
            self.note(address, "watches too much")
            raise GenialError(Reason.TOO_MANY_STREAMS, limit=self._streams.limit)
        try:
            with self._connected(peer):
                yield
        finally:
            self._streams.give_back(address)

    @contextmanager
    def _connected(self, peer: str) -> Iterator[None]:
        self._connections.take(peer)
        try:
            yield
        finally:
            self._connections.give_back(peer)

    def is_busy(self, peer: str) -> bool:
        """Whether a streaming call runs on the connection of that peer."""
        return self._connections.held(peer) > 0

    def note(self, address: str, what: str) -> None:
        """One line a minute for an address: whoever floods the host must not flood its log.

        Args:
            address: Whose.
            what: It did too much, or wrongly; the rest of a sentence that begins with it.
        """
        if self._said.take((address, what)):
            log.warning("%s %s", address or "somebody", what)


def _digest(password: str) -> bytes:
    """Equally long for every password, so that comparing tells nothing of its length."""
    return hashlib.sha256(unicodedata.normalize("NFC", password).encode()).digest()
