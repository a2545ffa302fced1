"""Calls of a service that runs in another process, passed on byte for byte.

Clients know one address. Where services run apart, the process with the lobby is that address:
it asks its gate about every call, and passes on what belongs elsewhere, with the seat's token.
The other end knows by the secret that the gate has been asked already.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final, NoReturn

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from genial.wire.errors import DETAILS_KEY, GenialError, Reason
from genial.wire.metadata import FORWARDED_BY, SEAT_TOKEN, WATCHER
from genial.wire.serving import Call, Context, Gate, abort

log = logging.getLogger(__name__)

_PASSED_ON: Final = (SEAT_TOKEN, WATCHER)
"""Metadata of the caller that goes along. The host's password stays here, and what somebody says
to be of the host's services must not be believed because it comes from one."""

_LONGEST_CALL: Final = 30.0
"""Seconds, for callers that set no deadline."""


def forwarding_handlers(
    service: ServiceDescriptor, channel: grpc.aio.Channel, gate: Gate, secret: str
) -> grpc.GenericRpcHandler:
    """A service whose every call is passed on.

    Args:
        service: Which.
        channel: To the process that it runs in.
        gate: Asked about every call.
        secret: Between the host's services.
    """
    methods = {rpc.name: _method(rpc, channel, gate, secret) for rpc in service.methods}
    return grpc.method_handlers_generic_handler(service.full_name, methods)


def _method(
    rpc: MethodDescriptor, channel: grpc.aio.Channel, gate: Gate, secret: str
) -> grpc.RpcMethodHandler[Any, Any]:
    path = f"/{rpc.containing_service.full_name}/{rpc.name}"
    # Bytes in and out: without serialisers gRPC leaves them as they are.
    ask: Callable[..., Any] = channel.unary_unary(path)
    listen: Callable[..., Any] = channel.unary_stream(path)

    def passed_on(call: Call) -> tuple[tuple[str, str], ...]:
        kept = ((key, call.metadata[key]) for key in _PASSED_ON if key in call.metadata)
        return (*kept, (FORWARDED_BY, secret))

    async def unary(data: bytes, context: Context) -> bytes:
        call = Call.of(context, data)
        try:
            await gate.admit(rpc.full_name, call)
            timeout = context.time_remaining() or _LONGEST_CALL
            answer: bytes = await ask(data, metadata=passed_on(call), timeout=timeout)
            return answer
        except grpc.aio.AioRpcError as error:
            await _repeat(context, error, rpc)
        except GenialError as error:
            await abort(context, error)

    async def stream(data: bytes, context: Context) -> None:
        call = Call.of(context, data)
        messages = None
        try:
            await gate.admit(rpc.full_name, call)
            with gate.stream(call):
                messages = listen(data, metadata=passed_on(call), timeout=context.time_remaining())
                async for message in messages:
                    await context.write(message)
        except grpc.aio.InternalError as gone:
            # What `write` raises when the reader is gone; there is nobody left to tell.
            log.debug("%s: %s", rpc.name, gone)
        except grpc.aio.AioRpcError as error:
            await _repeat(context, error, rpc)
        except GenialError as error:
            await abort(context, error)
        finally:
            if messages is not None:
                messages.cancel()

    if rpc.server_streaming:
        return grpc.unary_stream_rpc_method_handler(stream)
    return grpc.unary_unary_rpc_method_handler(unary)


async def _repeat(context: Context, error: grpc.aio.AioRpcError, rpc: MethodDescriptor) -> NoReturn:
    """Ends the call as the other process did; silence of its has a reason of ours."""
    details = [(key, value) for key, value in error.trailing_metadata() or () if key == DETAILS_KEY]
    if details:
        await context.abort(error.code(), error.details() or "", tuple(details))
    if error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
        log.warning("%s: %s does not answer", rpc.name, rpc.containing_service.name)
        await abort(context, GenialError(Reason.SERVICE_DOWN, service=rpc.containing_service.name))
    await context.abort(error.code(), error.details() or "")
