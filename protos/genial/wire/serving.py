"""Servicers without gRPC in them, and their way onto a gRPC server.

A *handler* is any object with one async method for each rpc of a service, named in
snake_case (``PlaceTile`` -> ``place_tile``):

    async def place_tile(self, request: PlaceTileRequest, call: Call) -> PlaceTileResponse
    def watch_game(self, request: WatchGameRequest, call: Call) -> AsyncIterator[WatchGameResponse]

It raises `GenialError` (or the engine's `Refused`) to refuse. The same methods can be
called in process, without a server: `Call()` stands for a caller without metadata.

`rpc_handlers` binds a handler to a service of the contract. Requests arrive as bytes and
are parsed inside, because grpc.aio answers undecodable bytes with UNKNOWN before any
code of ours runs. Responses may be messages or their serialised bytes, so that one
message for many watchers is serialised once.

A *gate*, where one is given, is asked about every call before its request is even parsed.
"""

from __future__ import annotations

import inspect
import logging
import re
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, aclosing, nullcontext
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, Protocol

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from genial.engine.refusal import Refused
from genial.wire.errors import (
    DETAILS_KEY,
    GenialError,
    Reason,
    malformed,
    status_details,
)

log = logging.getLogger(__name__)

Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler may know of the call beside its request.

    Attributes:
        metadata: Text entries, keys in lower case; of a repeated key the last counts.
        peer: gRPC's name of the caller's address; "" in process.
        size: Bytes of the request, serialised.
        metadata_size: Bytes of all its metadata, keys included.
    """

    metadata: Mapping[str, str] = field(default_factory=dict)
    peer: str = ""
    size: int = 0
    metadata_size: int = 0

    @classmethod
    def of(cls, context: Context, data: bytes = b"") -> Call:
        """The call of a gRPC context, with this request."""
        entries = context.invocation_metadata() or ()
        return cls(
            {key: value for key, value in entries if isinstance(value, str)},
            context.peer(),
            len(data),
            sum([len(key) + len(value) for key, value in entries]),
        )


class Gate(Protocol):
    """Decides which calls come in; refuses with a `GenialError`."""

    async def admit(self, rpc: str, call: Call) -> None:
        """Asked once for every call; `rpc` is its full name (``genial.v1.GameService.GetGame``)."""

    def stream(self, call: Call) -> AbstractContextManager[None]:
        """Entered for as long as an admitted streaming call lasts."""


class OpenGate:
    """Lets everybody in."""

    async def admit(self, rpc: str, call: Call) -> None:
        """Refuses nothing."""

    def stream(self, call: Call) -> AbstractContextManager[None]:
        """Counts nothing."""
        return nullcontext()


OPEN: Final = OpenGate()


def method_name(rpc: str) -> str:
    """The handler's method for an rpc: ``PlaceTile`` -> ``place_tile``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", rpc).lower()


def rpc_handlers(
    service: ServiceDescriptor, handler: object, gate: Gate = OPEN
) -> grpc.GenericRpcHandler:
    """A handler, bound to a service of the contract, for `Server.add_generic_rpc_handlers`.

    Args:
        service: Such as ``game_service_pb2.DESCRIPTOR.services_by_name["GameService"]``.
        handler: See above. An rpc that it has no method for answers UNIMPLEMENTED.
        gate: Asked about every call.
    """
    methods = {
        rpc.name: _bind(rpc, getattr(handler, method_name(rpc.name), None), gate)
        for rpc in service.methods
    }
    return grpc.method_handlers_generic_handler(service.full_name, methods)


def serialise(response: Message | bytes) -> bytes:
    """A response as bytes, if it is not that already; the same message always as the same bytes.

    The entries of a map have no order of their own, and otherwise get another one in each process.
    """
    if isinstance(response, bytes):
        return response
    return response.SerializeToString(deterministic=True)


def _bind(
    rpc: MethodDescriptor, method: Callable[..., Any] | None, gate: Gate
) -> grpc.RpcMethodHandler[Any, Any]:
    parse = _parser(rpc)
    if method is None:
        return grpc.unary_unary_rpc_method_handler(_not_offered(rpc))
    if rpc.server_streaming:
        if not inspect.isasyncgenfunction(method):
            raise TypeError(f"{rpc.full_name} needs an async generator")
        return grpc.unary_stream_rpc_method_handler(
            _streaming(rpc, parse, method, gate), response_serializer=serialise
        )
    if not inspect.iscoroutinefunction(method):
        raise TypeError(f"{rpc.full_name} needs an async method")
    return grpc.unary_unary_rpc_method_handler(
        _unary(rpc, parse, method, gate), response_serializer=serialise
    )


def _parser(rpc: MethodDescriptor) -> Callable[[bytes], Message]:
    request_class = GetMessageClass(rpc.input_type)

    def parse(data: bytes) -> Message:
        try:
            return request_class.FromString(data)
        except DecodeError:
            raise malformed("request", f"the bytes are no {rpc.input_type.name}") from None

    return parse


def _unary(
    rpc: MethodDescriptor,
    parse: Callable[[bytes], Message],
    method: Callable[[Message, Call], Awaitable[Message | bytes]],
    gate: Gate,
) -> Callable[[bytes, Context], Awaitable[Message | bytes]]:
    async def behaviour(data: bytes, context: Context) -> Message | bytes:
        call = Call.of(context, data)
        try:
            await gate.admit(rpc.full_name, call)
            return await method(parse(data), call)
        except Exception as fault:
            error = error_of(fault, rpc.name)
        await abort(context, error)

    return behaviour


def _streaming(
    rpc: MethodDescriptor,
    parse: Callable[[bytes], Message],
    method: Callable[[Message, Call], AsyncGenerator[Message | bytes, None]],
    gate: Gate,
) -> Callable[[bytes, Context], Awaitable[None]]:
    async def behaviour(data: bytes, context: Context) -> None:
        call = Call.of(context, data)
        try:
            await gate.admit(rpc.full_name, call)
            # A generator that is not run to its end must still clean up, and now.
            with gate.stream(call):
                async with aclosing(method(parse(data), call)) as responses:
                    async for response in responses:
                        await context.write(response)
            return
        except grpc.aio.InternalError as gone:
            # What `write` raises when the reader is gone; there is nobody left to tell.
            log.debug("%s: %s", rpc.name, gone)
            return
        except Exception as fault:
            error = error_of(fault, rpc.name)
        await abort(context, error)

    return behaviour


def error_of(fault: Exception, call: str) -> GenialError:
    """What to answer for an exception out of a handler.

    A refusal is answered as it is. Anything else is a fault of the host's own: it is
    logged with a reference, by which the answer names it.
    """
    if isinstance(fault, GenialError):
        return fault
    if isinstance(fault, Refused):
        return GenialError.from_refused(fault)
    reference = secrets.token_hex(4)
    log.error("%s failed, reference %s", call, reference, exc_info=fault)
    return GenialError(Reason.HOST_FAULT, reference=reference)


async def abort(context: Context, error: GenialError) -> NoReturn:
    """Ends the call with an error, in full."""
    await context.abort(error.code, error.sentence, ((DETAILS_KEY, status_details(error)),))


def _not_offered(rpc: MethodDescriptor) -> Callable[[bytes, Context], Awaitable[bytes]]:
    async def behaviour(data: bytes, context: Context) -> bytes:
        await abort(context, GenialError(Reason.NOT_OFFERED, call=rpc.name))

    return behaviour
