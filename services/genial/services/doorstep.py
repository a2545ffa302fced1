"""What happens to a call before its request is there: who may wait at the door, and how long.

gRPC hands a call with one request to its handler together with that request. Until it has come,
no gate is asked and no clock runs, but the call counts among all that the host bears: one guest
who opens calls and never says what they are about would shut out everybody. So here every call
is taken as soon as its headers are there, and the request is read by ourselves.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final, NoReturn

import grpc

from genial.services.admission import Admission
from genial.services.limits import Counter, Exemptions, Limits, address_of_peer
from genial.wire.errors import GenialError, Reason, malformed
from genial.wire.serving import Call, Context, abort

log = logging.getLogger(__name__)

ARRIVAL_SECONDS: Final = 10.0
"""How long a request may take to come once its call is there; a bad line needs two."""
CALLS_TO_SPARE: Final = 1000
"""Calls beyond `Limits.calls_at_once` that are still let in to be told why they are refused.
Whatever is more gets gRPC's own refusal, which has no reason that a client could look at."""

_Inner = Callable[[bytes, Context], Awaitable[Any]]


class Doorstep:
    """Stands before a server: handlers that are added here get their calls counted and timed.

    Each address may have `Limits.call_burst` calls whose request is not there yet or which are
    not answered yet; those that watch are counted by the gate from then on. A request has
    `ARRIVAL_SECONDS`. Neither binds exempt addresses or the host's own services.
    """

    def __init__(self, server: grpc.aio.Server, limits: Limits, gate: Admission) -> None:
        """`server` is not started yet; `gate` tells the host's own services."""
        self._server = server
        self._limits = limits
        self._gate = gate
        self._exempt = Exemptions(limits.exempt)
        self._waiting = Counter(limits.call_burst)
        self._under_way = 0

    def add_generic_rpc_handlers(self, handlers: Iterable[grpc.GenericRpcHandler]) -> None:
        """As a server's."""
        self._server.add_generic_rpc_handlers(
            [_Handlers(each, self._make_over) for each in handlers]
        )

    def _make_over(
        self, method: grpc.RpcMethodHandler[Any, Any]
    ) -> grpc.RpcMethodHandler[Any, Any]:
        """The same method, called as soon as a call's headers are there."""
        # All handlers here are coroutines; the library's types say otherwise.
        unary: Any = method.unary_unary
        watching: Any = method.unary_stream
        serialise = method.response_serializer
        if unary:
            return grpc.stream_unary_rpc_method_handler(
                self._unary(unary), response_serializer=serialise
            )
        if watching:
            return grpc.stream_stream_rpc_method_handler(
                self._watching(watching), response_serializer=serialise
            )
        # Conversations begin without a request; the gate counts them as streams from the start.
        return method

    def _unary(self, inner: _Inner) -> Callable[[object, Context], Awaitable[Any]]:
        async def behaviour(_requests: object, context: Context) -> Any:
            address = await self._enter(context)
            try:
                return await inner(await self._request(context, address), context)
            finally:
                self._leave(address)
                self._under_way -= 1

        return behaviour

    def _watching(self, inner: _Inner) -> Callable[[object, Context], Awaitable[None]]:
        async def behaviour(_requests: object, context: Context) -> None:
            address = await self._enter(context)
            try:
                try:
                    request = await self._request(context, address)
                finally:
                    self._leave(address)
                await inner(request, context)
            finally:
                self._under_way -= 1

        return behaviour

    async def _enter(self, context: Context) -> str | None:
        """Counts a call in, or ends it; the address to give back, None if it is not counted."""
        if self._under_way >= self._limits.calls_at_once:
            await abort(context, GenialError(Reason.HOST_FULL))
        address = address_of_peer(context.peer())
        counted = address not in self._exempt
        if counted and not self._waiting.take(address):
            try:
                if not self._gate.is_ours(Call.of(context)):
                    self._gate.note(address, "opens too many calls at once")
                    raise GenialError(Reason.TOO_MANY_CALLS, limit=self._limits.calls_per_second)
            except GenialError as error:
                await abort(context, error)
            counted = False
        self._under_way += 1
        return address if counted else None

    def _leave(self, address: str | None) -> None:
        if address is not None:
            self._waiting.give_back(address)

    async def _request(self, context: Context, address: str | None) -> bytes:
        """The call's one request; ends the call if it does not come."""
        if address is None:
            data = await context.read()
        else:
            try:
                async with asyncio.timeout(ARRIVAL_SECONDS):
                    data = await context.read()
            except TimeoutError:
                sentence = (
                    f"The request did not come within {ARRIVAL_SECONDS:g} seconds of its call;"
                    " try again on a better line."
                )
                await _end(context, GenialError(Reason.TIMED_OUT, sentence=sentence))
        if not isinstance(data, bytes):
            await _end(context, malformed("request", "is missing"))
        return data


async def _end(context: Context, error: GenialError) -> NoReturn:
    """Ends a call that perhaps nobody waits for any more."""
    try:
        await abort(context, error)
    except grpc.aio.InternalError as gone:
        # The line is cut, or gRPC has refused the request by itself, as too large.
        log.debug("a call ended before its request had come: %s", gone)
        raise asyncio.CancelledError from gone


class _Handlers(grpc.GenericRpcHandler):
    """The methods of other handlers, each made over once."""

    def __init__(
        self,
        inner: grpc.GenericRpcHandler,
        make_over: Callable[[grpc.RpcMethodHandler[Any, Any]], grpc.RpcMethodHandler[Any, Any]],
    ) -> None:
        self._inner = inner
        self._make_over = make_over
        self._made: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        name = handler_call_details.method
        made = self._made.get(name)
        if made is None:
            method = self._inner.service(handler_call_details)
            if method is None:
                return None
            made = self._made[name] = self._make_over(method)
        return made
