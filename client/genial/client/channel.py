"""gRPC channels as a LAN needs them, and calls that survive a lost answer."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

import grpc

from genial.client.errors import (
    CertificateChangedError,
    GenialError,
    HostUnreachableError,
    IncompatibleHostError,
    LimitError,
    NotFoundError,
    RefusedError,
    SeatError,
    StaleRevisionError,
)
from genial.client.sentences import refusal_sentence
from genial.client.text import _
from genial.client.trust import Certificate
from genial.wire.errors import Reason, from_rpc_error
from genial.wire.metadata import CERTIFICATE_NAME, SEAT_TOKEN, host_password_entry

CHANNEL_OPTIONS: Final[tuple[tuple[str, int | str], ...]] = (
    # A proxy for the web does not know the LAN.
    ("grpc.enable_http_proxy", 0),
    # Two channels to one host are two connections, so that a probe that fails says
    # nothing about the one that is played over.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.default_authority", "genial"),
    # A pulled cable is noticed within these two together.
    ("grpc.keepalive_time_ms", 5_000),
    ("grpc.keepalive_timeout_ms", 3_000),
    # The timeout above is TCP's, and a frozen host's kernel still answers that; this is the
    # timeout of the ping itself, a minute unless it is set.
    ("grpc.http2.ping_timeout_ms", 3_000),
    ("grpc.http2.max_pings_without_data", 0),
    # The default grows to two minutes, far beyond anybody's patience.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 1_000),
    ("grpc.max_reconnect_backoff_ms", 1_500),
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
)

ATTEMPT_SECONDS: Final = 5.0
"""One attempt of a call; a host on the LAN answers within milliseconds."""

PATIENCE_SECONDS: Final = 30.0
"""All attempts together, before the person is told that nobody answers."""

_PAUSE_SECONDS: Final = 0.1
_LONGEST_PAUSE_SECONDS: Final = 1.0

_SILENCE: Final = (Reason.UNREACHABLE, Reason.TIMED_OUT, Reason.HOST_CLOSING)

_VERIFY_FAILED: Final = "CERTIFICATE_VERIFY_FAILED"
"""What TLS says when the certificate is not the one that was pinned."""

_BY_CODE: Final[dict[grpc.StatusCode, type[GenialError]]] = {
    grpc.StatusCode.CANCELLED: HostUnreachableError,
    grpc.StatusCode.UNIMPLEMENTED: IncompatibleHostError,
    grpc.StatusCode.ABORTED: StaleRevisionError,
    grpc.StatusCode.UNAUTHENTICATED: SeatError,
    grpc.StatusCode.PERMISSION_DENIED: SeatError,
    grpc.StatusCode.NOT_FOUND: NotFoundError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: LimitError,
}

Request = TypeVar("Request", contravariant=True)
Response = TypeVar("Response", covariant=True)
Metadata = tuple[tuple[str, str], ...]


class UnaryCall(Protocol[Request, Response]):
    """A generated stub's method for one request and one response."""

    def __call__(
        self,
        request: Request,
        *,
        timeout: float | None = None,
        metadata: Any = None,
        wait_for_ready: bool | None = None,
    ) -> Awaitable[Response]:
        """Sends the request."""


def from_rpc(error: grpc.aio.AioRpcError) -> GenialError:
    """What a call of grpc.aio raised, as a value of the tree, in the person's language."""
    said = from_rpc_error(error)
    if _VERIFY_FAILED in (error.details() or ""):
        return CertificateChangedError(
            _(
                "Another certificate is shown at the host's address than a moment ago, so nothing"
                " more was sent there. Either the host was set up anew, or somebody else answers"
                " in its place; connect again to see its fingerprint."
            )
        )
    kind = _BY_CODE.get(said.code, RefusedError)
    if said.reason in _SILENCE:
        kind = HostUnreachableError
    return kind(
        said.reason,
        code=said.code,
        sentence=refusal_sentence(said.reason, said.metadata, said.sentence),
        metadata=said.metadata,
    )


class Secret:
    """The host's password, for a channel whose host is yet to be trusted.

    Attributes:
        password: None: nothing is sent.
    """

    def __init__(self) -> None:
        """Empty, until the host has been judged."""
        self.password: str | None = None

    def added_to(self, details: grpc.aio.ClientCallDetails) -> grpc.aio.ClientCallDetails:
        """A call's details with the password among its metadata."""
        if self.password is None:
            return details
        entries = (*(details.metadata or ()), host_password_entry(self.password))
        return grpc.aio.ClientCallDetails(
            details.method,
            details.timeout,
            grpc.aio.Metadata(*entries),
            details.credentials,
            details.wait_for_ready,
        )


class _UnaryPassword(grpc.aio.UnaryUnaryClientInterceptor):
    def __init__(self, secret: Secret) -> None:
        self._secret = secret

    async def intercept_unary_unary(
        self,
        continuation: Callable[[grpc.aio.ClientCallDetails, Any], Awaitable[Any]],
        client_call_details: grpc.aio.ClientCallDetails,
        request: Any,
    ) -> Any:
        return await continuation(self._secret.added_to(client_call_details), request)


class _StreamPassword(grpc.aio.UnaryStreamClientInterceptor):
    def __init__(self, secret: Secret) -> None:
        self._secret = secret

    async def intercept_unary_stream(
        self,
        continuation: Callable[[grpc.aio.ClientCallDetails, Any], Awaitable[Any]],
        client_call_details: grpc.aio.ClientCallDetails,
        request: Any,
    ) -> Any:
        return await continuation(self._secret.added_to(client_call_details), request)


def open_channel(
    target: str,
    certificate: Certificate | None = None,
    secret: Secret | None = None,
    options: Sequence[tuple[str, int | str]] = (),
) -> grpc.aio.Channel:
    """A channel to a target of `addresses.target`; connects when first used.

    Args:
        target: The address.
        certificate: The only one that is accepted there, now and after every reconnect; None:
            without encryption.
        secret: What is sent along with every call once it is filled.
        options: gRPC's, in place of those of `CHANNEL_OPTIONS`.
    """
    interceptors = [] if secret is None else [_UnaryPassword(secret), _StreamPassword(secret)]
    chosen = tuple((dict(CHANNEL_OPTIONS) | dict(options)).items())
    if certificate is None:
        return grpc.aio.insecure_channel(target, options=chosen, interceptors=interceptors)
    return grpc.aio.secure_channel(
        target,
        grpc.ssl_channel_credentials(certificate.pem),
        options=(*chosen, ("grpc.ssl_target_name_override", CERTIFICATE_NAME)),
        interceptors=interceptors,
    )


def passes(failure: GenialError) -> bool:
    """Whether asking the same again may help: silence, or being told to slow down."""
    return isinstance(failure, HostUnreachableError) or failure.reason == Reason.TOO_MANY_CALLS


def seat_metadata(token: str | None) -> Metadata:
    """The metadata that says who calls; nothing for those without a seat."""
    return () if token is None else ((SEAT_TOKEN, token),)


def new_request_id() -> str:
    """A request id: kept over all attempts of one command, so that it is applied once."""
    return str(uuid.uuid4())


async def call(
    method: UnaryCall[Request, Response],
    request: Request,
    *,
    token: str | None = None,
    patience: float = PATIENCE_SECONDS,
) -> Response:
    """Calls until there is an answer, sending the same request each time.

    A command carries its request id, so the host applies it once, however often it
    comes; a question changes nothing anyway.

    Args:
        method: A method of a generated stub.
        request: What to send.
        token: The seat's token, if the call is for a seat.
        patience: Seconds until silence is an error.

    Raises:
        HostUnreachableError: No answer within `patience`; whether a command was
            applied is then unknown.
        GenialError: The host refused.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience
    pause = _PAUSE_SECONDS
    while True:
        left = max(deadline - loop.time(), 0.05)
        try:
            return await method(
                request,
                timeout=min(ATTEMPT_SECONDS, left),
                metadata=seat_metadata(token),
                wait_for_ready=True,
            )
        except grpc.aio.AioRpcError as error:
            failure = from_rpc(error)
            if not passes(failure) or loop.time() + pause >= deadline:
                raise failure from None
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
