"""Everything that can go wrong for a client, as one tree.

    GenialError                     .sentence says what happened and what to do
      AddressError                  the address cannot be read, or nobody goes by that name
        AmbiguousNameError          several hosts go by that name (.host_ids)
      HostUnreachableError          nobody answers there, or not any more
      IncompatibleHostError         somebody answers, but not in our contract
      RefusedError                  the host refused (.reason, .metadata)
        StaleRevisionError          the game has moved on since
        SeatError                   the token holds no seat here, or another one
        NotFoundError               no such table, game, record
        LimitError                  a limit of the host
      SessionClosedError            the session has ended already
      StorageError                  a file of ours cannot be read or written
"""

from __future__ import annotations

from collections.abc import Mapping

from genial.client.text import _


class GenialError(Exception):
    """What a person can be told: one sentence, in their language.

    Attributes:
        sentence: What happened and what to do about it; one line.
    """

    def __init__(self, sentence: str) -> None:
        """Keeps the sentence."""
        super().__init__(sentence)
        self.sentence = sentence


class AddressError(GenialError):
    """An address that cannot be read, or that nobody answers to by name."""


class AmbiguousNameError(AddressError):
    """Several hosts announce this name; their ids tell them apart."""

    def __init__(self, name: str, host_ids: tuple[str, ...]) -> None:
        """Names the hosts to choose from."""
        super().__init__(
            _("Several hosts are called {name}; use an id instead: {ids}.").format(
                name=name, ids=", ".join(host_ids)
            )
        )
        self.host_ids = host_ids


class HostUnreachableError(GenialError):
    """Nobody answers at the address, or the line to the host is cut."""


class IncompatibleHostError(GenialError):
    """Something answers at the address that does not speak this contract."""


class RefusedError(GenialError):
    """The host refused a call; nothing has changed.

    Attributes:
        reason: The host's reason, such as NOT_YOUR_TURN.
        metadata: What the host says about it, such as the cell that is taken.
    """

    def __init__(
        self, sentence: str, reason: str, metadata: Mapping[str, str] | None = None
    ) -> None:
        """Keeps the host's reason beside the sentence."""
        super().__init__(sentence)
        self.reason = reason
        self.metadata = dict(metadata or {})


class StaleRevisionError(RefusedError):
    """The command was for an earlier state of the game."""


class SeatError(RefusedError):
    """The token holds no seat here, or the call was for somebody else's."""


class NotFoundError(RefusedError):
    """The host knows no such table, game or record."""


class LimitError(RefusedError):
    """A limit of the host: too many, too large, too fast."""


class SessionClosedError(GenialError):
    """The session has ended, so it takes no more commands."""


class StorageError(GenialError):
    """A file of ours cannot be read or written."""
