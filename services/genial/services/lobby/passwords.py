"""Passwords of tables: asked for when somebody comes, and not guessed at leisure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from genial.services.limits import Exemptions, Limits, RateLimiter, address_of_peer
from genial.services.lobby import wording
from genial.wire.errors import GenialError, Reason
from genial.wire.serving import Call

_MOST_KNOWN: Final = 1000


class TablePasswords:
    """Checks what callers send; made once for a lobby."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        """`clock` in seconds."""
        guesses = limits.wrong_passwords_per_minute
        self._guesses = RateLimiter(guesses / 60, guesses, clock)
        self._exempt = Exemptions(limits.exempt)
        # The hash is slow on purpose, so nobody who was right once waits for it again.
        self._known: set[tuple[str, bytes]] = set()

    def check(self, password: str, stored: str | None, call: Call) -> None:
        """Lets whoever knows the password through.

        Args:
            password: As sent.
            stored: As `wording.hash_password` made it; None: the table has none.
            call: Who sends it.

        Raises:
            GenialError: BAD_TABLE_PASSWORD, TOO_MANY_GUESSES.
        """
        if stored is None:
            return
        address = address_of_peer(call.peer)
        if address not in self._exempt and not self._guesses.has(address):
            raise GenialError(Reason.TOO_MANY_GUESSES)
        key = (stored, hashlib.sha256(password.encode(errors="replace")).digest())
        if key in self._known:
            return
        if not wording.is_password(password, stored):
            # None at all is no guess: clients find out like this that one is needed.
            if password:
                self._guesses.take(address)
            raise GenialError(Reason.BAD_TABLE_PASSWORD)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known.add(key)
