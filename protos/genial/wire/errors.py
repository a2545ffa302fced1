"""What a call was refused with, as a value and on the wire; what for is in `reasons`.

On the wire an error is a canonical code, its English sentence, and a
`google.rpc.ErrorInfo` (reason, domain "genial", metadata) in the trailing metadata
`grpc-status-details-bin`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from genial.engine.refusal import Refusal, Refused
from genial.wire.reasons import Reason, code_of, fill, parse_reason, template_of

__all__ = [
    "DETAILS_KEY",
    "DOMAIN",
    "GenialError",
    "Reason",
    "bad_token",
    "from_rpc_error",
    "malformed",
    "status_details",
    "unknown_level",
    "used_before",
]

DOMAIN: Final = "genial"
DETAILS_KEY: Final = "grpc-status-details-bin"

_LONGEST_LEVEL: Final = 40
_LONGEST_VALUE: Final = 200
"""Metadata travels in HTTP/2 headers, which are small; what a caller sent is cut there."""


class GenialError(Exception):
    """A call that was refused; nothing has changed.

    Attributes:
        reason: Its name in the catalogue; from a newer host it may be an unknown one.
        code: The canonical gRPC code.
        metadata: What fills the sentence: names, numbers, the field at fault.
        sentence: English: what is wrong and what to do.
    """

    def __init__(
        self,
        reason: Reason | Refusal | str,
        *,
        code: grpc.StatusCode | None = None,
        sentence: str | None = None,
        metadata: Mapping[str, object] | None = None,
        **more: object,
    ) -> None:
        """Fills the catalogue's sentence; `code` and `sentence` only where it has none.

        ``GenialError(Reason.SEAT_TAKEN, seat=2)``; `metadata` is for keys from elsewhere.
        """
        entries = {**(metadata or {}), **more}
        self.metadata = {key: str(value)[:_LONGEST_VALUE] for key, value in entries.items()}
        known = parse_reason(reason)
        self.reason: str = str(reason)
        if known is not None:
            code = code or code_of(known)
            sentence = sentence or fill(template_of(known), self.metadata)
        self.code = code or grpc.StatusCode.UNKNOWN
        self.sentence = sentence or self.reason
        super().__init__(self.sentence)

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross process borders whole."""
        return _rebuild, (self.reason, self.code, self.sentence, self.metadata)

    @classmethod
    def from_refused(cls, refused: Refused) -> GenialError:
        """The engine's refusal as an error of the wire."""
        return cls(refused.refusal, metadata=refused.metadata)

    def __eq__(self, other: object) -> bool:
        """Whether reason, code, sentence and metadata are the same."""
        if not isinstance(other, GenialError):
            return NotImplemented
        return (self.reason, self.code, self.sentence, self.metadata) == (
            other.reason,
            other.code,
            other.sentence,
            other.metadata,
        )

    def __hash__(self) -> int:
        """In agreement with equality."""
        return hash((self.reason, self.sentence))


def _rebuild(
    reason: str, code: grpc.StatusCode, sentence: str, metadata: dict[str, str]
) -> GenialError:
    return GenialError(reason, code=code, sentence=sentence, metadata=metadata)


def used_before() -> GenialError:
    """What to answer a request whose id had another request already."""
    return malformed("request_id", "was used before, for something else; send a new one")


def malformed(field: str, fault: str) -> GenialError:
    """A request whose `field` (a path like ``cells[0].q``) is wrong; `fault` says how."""
    return GenialError(Reason.MALFORMED, field=field, fault=fault)


def bad_token(field: str, fault: Exception) -> GenialError:
    """A seat token that can be nobody's; `fault` says why in half a sentence."""
    return GenialError(
        Reason.BAD_SEAT_TOKEN, sentence=f"{field}: {fault}.", metadata={"field": field}
    )


def unknown_level(level: str, levels: Sequence[str], field: str) -> GenialError:
    """A bot level that the host does not have; those with a style are too many to name.

    Args:
        level: What was asked for.
        levels: What there is, weakest first.
        field: Where it was asked for.
    """
    known = ", ".join(each for each in levels if "/" not in each)
    return GenialError(
        Reason.UNKNOWN_BOT_LEVEL,
        level=level[:_LONGEST_LEVEL],
        levels=known or "none, this host has no bots",
        field=field,
    )


def status_details(error: GenialError) -> bytes:
    """The bytes of `google.rpc.Status` for the trailing metadata `DETAILS_KEY`."""
    status = status_pb2.Status(code=error.code.value[0], message=error.sentence)
    info = error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=error.metadata)
    status.details.add().Pack(info)
    return bytes(status.SerializeToString())


_CALLS_LIMIT: Final = "Concurrent RPC limit"
"""How grpc.aio words that `maximum_concurrent_rpcs` is reached."""

_BARE_CODES: Final[dict[grpc.StatusCode, Reason]] = {
    grpc.StatusCode.UNAVAILABLE: Reason.UNREACHABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED: Reason.TIMED_OUT,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Reason.MESSAGE_TOO_LARGE,
    grpc.StatusCode.UNIMPLEMENTED: Reason.NOT_OFFERED,
}
"""What gRPC's own refusals, which carry no ErrorInfo, mean here."""


def from_rpc_error(error: grpc.aio.AioRpcError) -> GenialError:
    """The error that a host sent, or that gRPC itself found, as a value.

    Args:
        error: What a call of grpc.aio raised.

    Returns:
        With reason, metadata and sentence of the host where it gave them. An error of
        gRPC's own gets the nearest reason; `metadata["detail"]` keeps its text.
    """
    for key, value in error.trailing_metadata() or ():
        if key == DETAILS_KEY and isinstance(value, bytes):
            found = _from_details(value, error)
            if found is not None:
                return found
    detail = error.details() or ""
    reason = _BARE_CODES.get(error.code())
    if _CALLS_LIMIT in detail:
        reason = Reason.HOST_FULL
    if reason is None:
        return GenialError(
            Reason.HOST_FAULT,
            code=error.code(),
            sentence=f"The host answered with an error ({error.code().name}): {detail}",
            detail=detail,
        )
    return GenialError(reason, code=error.code(), detail=detail, call="this call")


def _from_details(details: bytes, error: grpc.aio.AioRpcError) -> GenialError | None:
    status = status_pb2.Status()
    info = error_details_pb2.ErrorInfo()
    try:
        status.ParseFromString(details)
        for detail in status.details:
            if detail.Unpack(info) and info.domain == DOMAIN:
                return GenialError(
                    info.reason,
                    code=error.code(),
                    sentence=status.message or error.details(),
                    metadata=info.metadata,
                )
    except DecodeError:
        # Whatever it is, it is none of ours: the code alone must do.
        return None
    return None
