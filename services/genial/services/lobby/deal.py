"""The commit-and-reveal of one deal (rules, section 9), pure.

    the host shows its commitment  ->  every seat sends the hash of its nonce
    all hashes are shown           ->  every seat sends the nonce
    all nonces are shown           ->  the game is dealt

Nobody's nonce is taken before all hashes are there, the host's seed is fixed before the
first of them, and a deal that is broken off is disclosed.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum

from genial.engine.shuffle import commitment, nonce_hash
from genial.wire import requests
from genial.wire.errors import GenialError, Reason


class DealPhase(StrEnum):
    """What a deal waits for."""

    COMMIT = "commit"
    REVEAL = "reveal"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal, seed included: it stays with the host until `disclosed`.

    Attributes:
        game_number: The game of the match that it is for, from 1.
        number: Counts the deals of that game, from 1.
        seed: 32 bytes, secret.
        hashes: By seat; None until sent.
        nonces: By seat; None until sent.
        deadline: When the current step runs out, in ms since 1970; None once complete.
        disclosed: The seed may be shown: the game is over, or the deal void.
    """

    game_number: int
    number: int
    seed: bytes
    hashes: tuple[bytes | None, ...]
    nonces: tuple[bytes | None, ...]
    deadline: int | None = None
    disclosed: bool = False

    @classmethod
    def begin(cls, game_number: int, number: int, seed: bytes, players: int, deadline: int) -> Deal:
        """A fresh deal for `players` seats."""
        nothing: tuple[bytes | None, ...] = (None,) * players
        return cls(game_number, number, seed, nothing, nothing, deadline)

    @property
    def commitment(self) -> bytes:
        """What is shown of the seed from the start."""
        return commitment(self.seed)

    @property
    def phase(self) -> DealPhase:
        """What it waits for."""
        if None in self.hashes:
            return DealPhase.COMMIT
        return DealPhase.REVEAL if None in self.nonces else DealPhase.COMPLETE

    @property
    def missing(self) -> tuple[int, ...]:
        """The seats that it waits for."""
        waited = self.hashes if self.phase is DealPhase.COMMIT else self.nonces
        return tuple(seat for seat, value in enumerate(waited) if value is None)

    def check_is_current(self, game_number: int, number: int) -> None:
        """Refuses what was meant for another deal.

        Raises:
            GenialError: WRONG_DEAL.
        """
        if (game_number, number) != (self.game_number, self.number):
            raise GenialError(Reason.WRONG_DEAL, deal=self.number, game_number=self.game_number)

    def commit(self, seat: int, hash_: bytes, next_deadline: int) -> Deal:
        """Takes a seat's hash; the last one opens the reveal until `next_deadline`.

        Raises:
            GenialError: MALFORMED (not 32 bytes), NONCE_GIVEN (another hash was sent before).
        """
        requests.secret(hash_, "nonce_hash")
        known = self.hashes[seat]
        if known is not None:
            if known != hash_:
                raise GenialError(Reason.NONCE_GIVEN)
            return self
        deal = dataclasses.replace(self, hashes=_put(self.hashes, seat, hash_))
        if deal.phase is DealPhase.COMMIT:
            return deal
        return dataclasses.replace(deal, deadline=next_deadline)

    def reveal(self, seat: int, nonce: bytes) -> Deal:
        """Takes a seat's nonce.

        Raises:
            GenialError: MALFORMED (not 32 bytes), NONCE_TOO_EARLY (hashes are missing),
                NONCE_MISMATCH (not what the hash was made of).
        """
        requests.secret(nonce, "nonce")
        if self.phase is DealPhase.COMMIT:
            raise GenialError(Reason.NONCE_TOO_EARLY)
        if nonce_hash(nonce) != self.hashes[seat]:
            raise GenialError(Reason.NONCE_MISMATCH)
        deal = dataclasses.replace(self, nonces=_put(self.nonces, seat, nonce))
        if deal.phase is DealPhase.COMPLETE:
            return dataclasses.replace(deal, deadline=None)
        return deal

    def disclose(self) -> Deal:
        """The deal with its seed shown, waiting for nothing."""
        return dataclasses.replace(self, disclosed=True, deadline=None)


def _put(values: tuple[bytes | None, ...], seat: int, value: bytes) -> tuple[bytes | None, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
