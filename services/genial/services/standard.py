"""The services that every gRPC tool expects, health and reflection, behind our own gate.

They come from gRPC's libraries, which answer undecodable bytes with UNKNOWN and ask nobody
whether a call may come in. Here they get the manners of our own handlers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol, cast

import grpc
from google.protobuf.message import DecodeError
from grpc_health.v1 import health, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc

from genial.wire.errors import GenialError, malformed
from genial.wire.serving import Call, Context, Gate, abort

HEALTH: Final[str] = health.SERVICE_NAME
REFLECTION: Final[str] = reflection.SERVICE_NAME


class TakesHandlers(Protocol):
    """A server, or what stands before one."""

    def add_generic_rpc_handlers(self, handlers: Iterable[grpc.GenericRpcHandler]) -> None:
        """Adds services."""


def add_standard_services(
    server: TakesHandlers, names: Sequence[str], gate: Gate
) -> health.aio.HealthServicer:
    """Adds health and reflection to a server.

    Args:
        server: Not started yet.
        names: Full names of the services that it offers beside these two.
        gate: Asked about every call of these two.

    Returns:
        What tells of the services' health; `names` are set by the caller.
    """
    servicer = health.aio.HealthServicer()
    behind = cast(grpc.aio.Server, _Behind(server, gate))
    health_pb2_grpc.add_HealthServicer_to_server(servicer, behind)
    listed = reflection.aio.ReflectionServicer((*names, HEALTH, REFLECTION))
    reflection_pb2_grpc.add_ServerReflectionServicer_to_server(  # type: ignore[no-untyped-call]
        listed, behind
    )
    return servicer


class _Behind:
    """Stands for a server while handlers are added to it, and puts them behind the gate."""

    def __init__(self, server: TakesHandlers, gate: Gate) -> None:
        self._server = server
        self._gate = gate

    def add_generic_rpc_handlers(self, handlers: Iterable[grpc.GenericRpcHandler]) -> None:
        self._server.add_generic_rpc_handlers([_Gated(each, self._gate) for each in handlers])

    def add_registered_method_handlers(self, service: str, handlers: object) -> None:
        """The same handlers once more, by a shorter way that knows no gate: left out."""


class _Gated(grpc.GenericRpcHandler):
    def __init__(self, handler: grpc.GenericRpcHandler, gate: Gate) -> None:
        self._handler = handler
        self._gate = gate

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        method = self._handler.service(handler_call_details)
        if method is None:
            return None
        rpc = handler_call_details.method.strip("/").replace("/", ".")
        return _behind(method, rpc, self._gate)


def _behind(
    method: grpc.RpcMethodHandler[Any, Any], rpc: str, gate: Gate
) -> grpc.RpcMethodHandler[Any, Any]:
    parse = _parser(method.request_deserializer)
    # The libraries' handlers are coroutines and generators; their types say otherwise.
    inner: Any = method.unary_unary or method.unary_stream or method.stream_stream

    async def unary(data: bytes, context: Context) -> Any:
        try:
            await gate.admit(rpc, Call.of(context, data))
            request = parse(data)
        except GenialError as error:
            await abort(context, error)
        return await inner(request, context)

    async def watch(data: bytes, context: Context) -> None:
        call = Call.of(context, data)
        try:
            await gate.admit(rpc, call)
            request = parse(data)
            with gate.stream(call):
                await inner(request, context)
        except GenialError as error:
            await abort(context, error)

    async def converse(requests: AsyncIterator[bytes], context: Context) -> None:
        call = Call.of(context)

        async def parsed() -> AsyncIterator[Any]:
            async for data in requests:
                # Each request of a conversation is a call of its own to the limits.
                await gate.admit(rpc, replace(call, size=len(data)))
                yield parse(data)

        try:
            with gate.stream(call):
                async for response in inner(parsed(), context):
                    await context.write(response)
        except GenialError as error:
            await abort(context, error)

    serialise = method.response_serializer
    if method.unary_unary:
        return grpc.unary_unary_rpc_method_handler(unary, response_serializer=serialise)
    if method.unary_stream:
        return grpc.unary_stream_rpc_method_handler(watch, response_serializer=serialise)
    if method.stream_stream:
        return grpc.stream_stream_rpc_method_handler(converse, response_serializer=serialise)
    raise TypeError(f"{rpc}: calls with many requests and one response are not used here")


def _parser(deserialise: Callable[[bytes], Any] | None) -> Callable[[bytes], Any]:
    if deserialise is None:
        raise TypeError("a method of protobuf messages was expected")

    def parse(data: bytes) -> Any:
        try:
            return deserialise(data)
        except DecodeError:
            raise malformed("request", "the bytes are no message of this call") from None

    return parse
