"""Everything that can go wrong for a client, as one tree.

GenialError                     genial.wire.errors: .sentence says what happened and what
                                to do, .reason is its name, .metadata what it is about
  AddressError                  the address cannot be read, or nobody goes by that name
    AmbiguousNameError          several hosts go by that name (.host_ids)
    UnsearchableError           nothing can be found by name on this network
  HostUnreachableError          nobody answers there, or not any more
  IncompatibleHostError         somebody answers, but not in our contract
  RefusedError                  the host refused
    StaleRevisionError          the game has moved on since
    SeatError                   the token holds no seat here, or another one
    NotFoundError               no such table, game, record
    LimitError                  a limit of the host
  TrustError                    the host is not trusted with anything
    WrongFingerprintError       not the fingerprint that was typed or announced
    CertificateChangedError     not the one that is remembered
    UntrustedHostError          the person does not trust it
    PasswordHeldBackError       a password would go to somebody unknown, or in the open
    PasswordNeededError         the host asks for a password that nobody gave
    PlaintextHostError          the host does not encrypt
    EncryptedHostError          the host encrypts, and `--plaintext` was asked for
  SessionClosedError            the session has ended already
  StorageError                  a file of ours cannot be read or written
"""

from __future__ import annotations

import grpc

from genial.client.text import _
from genial.wire.errors import GenialError

__all__ = [
    "AddressError",
    "AmbiguousNameError",
    "CertificateChangedError",
    "EncryptedHostError",
    "GenialError",
    "HostUnreachableError",
    "IncompatibleHostError",
    "LimitError",
    "NotFoundError",
    "PasswordHeldBackError",
    "PasswordNeededError",
    "PlaintextHostError",
    "RefusedError",
    "SeatError",
    "SessionClosedError",
    "StaleRevisionError",
    "StorageError",
    "TrustError",
    "UnsearchableError",
    "UntrustedHostError",
    "WrongFingerprintError",
]


class AddressError(GenialError):
    """An address that cannot be read, or that nobody answers to by name."""

    def __init__(self, sentence: str) -> None:
        """Says what is wrong with the address."""
        super().__init__("ADDRESS", code=grpc.StatusCode.INVALID_ARGUMENT, sentence=sentence)


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


class UnsearchableError(AddressError):
    """A name that could not be looked for, because nothing can be found by mDNS here."""


class HostUnreachableError(GenialError):
    """Nobody answers at the address, or the line to the host is cut."""


class IncompatibleHostError(GenialError):
    """Something answers at the address that does not speak this contract."""


class RefusedError(GenialError):
    """The host refused a call; nothing has changed."""


class StaleRevisionError(RefusedError):
    """The command was for an earlier state of the game."""


class SeatError(RefusedError):
    """The token holds no seat here, or the call was for somebody else's."""


class NotFoundError(RefusedError):
    """The host knows no such table, game or record."""


class LimitError(RefusedError):
    """A limit of the host: too many, too large, too fast."""


class TrustError(GenialError):
    """The host is not trusted with anything; nothing secret was sent."""

    reason_name = "NOT_TRUSTED"

    def __init__(self, sentence: str, **metadata: object) -> None:
        """Says why, and what can be done."""
        super().__init__(
            self.reason_name,
            code=grpc.StatusCode.UNAUTHENTICATED,
            sentence=sentence,
            metadata={key: str(value) for key, value in metadata.items()},
        )


class WrongFingerprintError(TrustError):
    """The certificate has another fingerprint than the one typed or announced."""

    reason_name = "WRONG_FINGERPRINT"


class CertificateChangedError(TrustError):
    """The host shows another certificate than the one remembered under its id."""

    reason_name = "CERTIFICATE_CHANGED"


class UntrustedHostError(TrustError):
    """The person was asked and does not trust the host."""

    reason_name = "HOST_NOT_TRUSTED"


class PasswordHeldBackError(TrustError):
    """The password was not sent, because who would get it is not sure."""

    reason_name = "PASSWORD_HELD_BACK"


class PasswordNeededError(TrustError):
    """The host lets nobody in without its password."""

    reason_name = "HOST_PASSWORD_NEEDED"


class PlaintextHostError(TrustError):
    """The host speaks without encryption, which nobody asked for."""

    reason_name = "HOST_IS_PLAINTEXT"


class EncryptedHostError(TrustError):
    """The host encrypts, but `--plaintext` was asked for."""

    reason_name = "HOST_IS_ENCRYPTED"


class SessionClosedError(GenialError):
    """The session has ended, so it takes no more commands."""

    def __init__(self) -> None:
        """Needs no more words."""
        super().__init__(
            "SESSION_CLOSED",
            code=grpc.StatusCode.CANCELLED,
            sentence=_("This session has ended; join the table again."),
        )


class StorageError(GenialError):
    """A file of ours cannot be read or written."""

    def __init__(self, sentence: str) -> None:
        """Says which file, and why."""
        super().__init__("STORAGE", code=grpc.StatusCode.UNAVAILABLE, sentence=sentence)
