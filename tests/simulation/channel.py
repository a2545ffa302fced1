"""What generated stubs take for a channel of gRPC's: its calls go over a simulated line."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc

from genial.wire.metadata import SEAT_TOKEN
from tests.simulation.clock import Machine
from tests.simulation.network import (
    NOTICED,
    AbortError,
    Answered,
    Context,
    Entries,
    Failure,
    Flight,
    Line,
)


class SimulatedChannel:
    """What stubs take for a channel of grpc.aio."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def unary_unary(
        self, path: str, request_serializer: Any, response_deserializer: Any, **_: Any
    ) -> UnaryMethod:
        return UnaryMethod(self._line, path, request_serializer, response_deserializer)

    def unary_stream(
        self, path: str, request_serializer: Any, response_deserializer: Any, **_: Any
    ) -> StreamMethod:
        return StreamMethod(self._line, path, request_serializer, response_deserializer)

    async def close(self) -> None:
        """There is nothing to close."""


class UnaryMethod:
    """A method of a stub with one request and one response."""

    def __init__(self, line: Line, path: str, serialise: Any, parse: Any) -> None:
        self._line, self._path = line, path
        self._serialise, self._parse = serialise, parse

    async def __call__(
        self,
        request: Any,
        *,
        timeout: float | None = None,
        metadata: Entries | None = None,
        wait_for_ready: bool | None = None,
    ) -> Any:
        try:
            async with asyncio.timeout(timeout):
                data = await self._exchange(request, tuple(metadata or ()), bool(wait_for_ready))
        except TimeoutError:
            failure = Failure(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")
            raise failure.error() from None
        response = self._parse(data)
        if getattr(request, "request_id", ""):
            # A copy: callers use a request's message again.
            kept = type(request).FromString(request.SerializeToString())
            token = dict(metadata or ()).get(SEAT_TOKEN, "")
            journal = self._line.network.journal
            journal.answered.append(Answered(self._path, token, kept, response))
        return response

    async def _exchange(self, request: Any, metadata: Entries, patient: bool) -> bytes:
        line = self._line
        data = self._serialise(request)
        await line.connected(patient)
        flight = line.begin(self._path)
        sent_to = line.network.host
        try:
            for delay in self._copies():
                asyncio.get_running_loop().call_later(
                    delay,
                    line.reach_host,
                    sent_to,
                    lambda host: self._serve(flight, host, data, metadata, request),
                )
            answer = await flight.arrivals.get()
        finally:
            line.end(flight)
        if isinstance(answer, Failure):
            raise answer.error()
        assert answer is not None
        return answer

    def _copies(self) -> list[float]:
        """When the request arrives: once, mostly."""
        line = self._line
        faults = line.faults
        copies = [] if line.chance(faults.lost_request) else [line.delay()]
        if line.chance(faults.doubled):
            copies.append(line.delay() + 40 * line.source.random() ** 4)
        return copies

    def _serve(
        self, flight: Flight, host: Machine, data: bytes, metadata: Entries, request: Any
    ) -> None:
        line = self._line
        journal = line.network.journal
        method = line.network.method(self._path)
        token = dict(metadata).get(SEAT_TOKEN, "")

        async def serve() -> None:
            context: Any = Context(flight, metadata, None)
            outcome: bytes | Failure
            try:
                response = await method.unary_unary(data, context)  # type: ignore[misc]
                outcome = method.response_serializer(response)  # type: ignore[misc]
            except AbortError as abort:
                outcome = abort.failure
            except Exception as fault:
                journal.broken.append(f"{self._path} raised {fault!r}")
                raise
            if not host.alive:
                return
            journal.host_answers(host.name, self._path, token, request, outcome)
            if not line.chance(line.faults.lost_answer):
                asyncio.get_running_loop().call_later(line.delay(), flight.arrive, outcome)
            elif line.chance(0.5):
                flight.break_off(line.source.uniform(*NOTICED), 0)

        flight.served_by(host.spawn(serve(), self._path))


class StreamMethod:
    """A method of a stub with one request and a stream of responses."""

    def __init__(self, line: Line, path: str, serialise: Any, parse: Any) -> None:
        self._line, self._path = line, path
        self._serialise, self._parse = serialise, parse

    def __call__(
        self, request: Any, *, timeout: float | None = None, metadata: Entries | None = None
    ) -> StreamCall:
        assert timeout is None
        return StreamCall(
            self._line, self._path, self._serialise(request), self._parse, tuple(metadata or ())
        )


class StreamCall:
    """One stream, as its reader has it."""

    def __init__(self, line: Line, path: str, data: bytes, parse: Any, metadata: Entries) -> None:
        self._line, self._path, self._data = line, path, data
        self._parse, self._metadata = parse, metadata
        self._flight: Flight | None = None

    def __aiter__(self) -> StreamCall:
        return self

    async def __anext__(self) -> Any:
        try:
            flight = self._flight or await self._open()
            item = await flight.arrivals.get()
        except asyncio.CancelledError:
            self.cancel()
            raise
        flight.taken()
        if isinstance(item, bytes):
            return self._parse(item)
        self.cancel()
        if item is None:
            raise StopAsyncIteration
        raise item.error()

    async def _open(self) -> Flight:
        line = self._line
        await line.connected(False)
        flight = self._flight = line.begin(self._path)
        loop = asyncio.get_running_loop()
        loop.call_later(
            line.delay(), line.reach_host, line.network.host, lambda host: self._serve(flight, host)
        )
        return flight

    def cancel(self) -> None:
        """Nobody reads any more. Twice is once."""
        flight, self._flight = self._flight, None
        if flight is not None:
            self._line.end(flight)

    def _serve(self, flight: Flight, host: Machine) -> None:
        line = self._line
        journal = line.network.journal
        method = line.network.method(self._path)

        def write(data: bytes) -> None:
            flight.send_in_order(method.response_serializer(data))  # type: ignore[misc]

        async def serve() -> None:
            context: Any = Context(flight, self._metadata, write)
            try:
                await method.unary_stream(self._data, context)  # type: ignore[misc]
            except AbortError as abort:
                journal.host_answers(host.name, self._path, "", None, abort.failure)
                flight.send_in_order(abort.failure)
                return
            except Exception as fault:
                journal.broken.append(f"{self._path} raised {fault!r}")
                raise
            flight.send_in_order(None)

        flight.served_by(host.spawn(serve(), self._path))
