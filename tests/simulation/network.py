"""A network that delays, loses, doubles, overtakes and breaks, between clients and one host.

Clients get a `SimulatedChannel`, which generated stubs take for one of gRPC's; what they send
arrives as bytes at the host's own rpc handlers. As on a TCP connection the messages of one stream
come in their order or the stream breaks; everything else may happen to anything.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import grpc

from genial.wire.metadata import SEAT_TOKEN
from tests.simulation.clock import Machine

_WINDOW: Final = 6
"""Messages of a stream that are under way at most; whoever writes more waits."""

_NOTICED: Final = (0.02, 8.0)
"""Seconds until an end notices that the line is dead."""

Entries = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Faults:
    """How bad a line is: shares of the messages, delays in seconds."""

    delay: float = 0.002
    lost_request: float = 0.0
    lost_answer: float = 0.0
    doubled: float = 0.0
    late: float = 0.0

    @property
    def none(self) -> Faults:
        """The same line on a good day."""
        return Faults(self.delay)


@dataclass(frozen=True, slots=True)
class Failure:
    """How a call ended that did not succeed."""

    code: grpc.StatusCode
    details: str
    trailing: Entries = ()

    def error(self) -> grpc.aio.AioRpcError:
        """As a client of gRPC gets it."""
        empty = grpc.aio.Metadata()
        return grpc.aio.AioRpcError(
            self.code, empty, grpc.aio.Metadata(*self.trailing), self.details
        )


_SILENCE: Final = Failure(grpc.StatusCode.UNAVAILABLE, "Socket closed")


_JUDGED: Final = (
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.INVALID_ARGUMENT,
)
"""How a command is refused that was looked at; nothing that was granted may end so."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A command whose answer has reached the client."""

    path: str
    token: str
    request: Any
    response: Any


@dataclass(eq=False, slots=True)
class Journal:
    """What went over the network, for whoever judges it afterwards.

    Attributes:
        answered: Commands, in the order in which their answers came in.
        broken: What must never be, in sentences.
    """

    answered: list[Answered] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    _first: dict[tuple[str, str, str], bytes] = field(default_factory=dict)

    def note(self, sentence: str) -> None:
        """One line of what happened."""
        now = asyncio.get_running_loop().time()
        self.trace.append(f"{now:12.6f} {sentence}")

    def host_answers(self, path: str, token: str, request: Any, outcome: bytes | Failure) -> None:
        """Judges an answer: never our fault, and to a repeat always the first."""
        request_id = getattr(request, "request_id", "")
        key = path, token, request_id
        if isinstance(outcome, Failure):
            self.note(f"{path} refused: {outcome.details}")
            if outcome.code in (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL):
                self.broken.append(f"{path} was answered {outcome.code.name}: {outcome.details}")
            if outcome.code in _JUDGED and request_id and key in self._first:
                self.broken.append(f"{path} {request_id} was granted, then {outcome.details}")
        elif request_id and self._first.setdefault(key, outcome) != outcome:
            self.broken.append(f"{path} {request_id} was answered differently when repeated")


class Network:
    """Whoever is connected to it. There is one host, which is there or not.

    Attributes:
        host: The machine that the host runs on at the moment; None: nobody listens.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal: Final = journal
        self.host: Machine | None = None
        self.lines: list[Line] = []
        self._methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

    def listen(self, machine: Machine, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        """A host takes calls from here on."""
        self.host = machine
        self._handlers = handlers
        self._methods.clear()
        for line in self.lines:
            line.try_again()

    def hang_up(self, *, gently: bool) -> None:
        """The host is gone; its ends of the lines close, or simply say nothing more."""
        self.host = None
        for line in self.lines:
            line.broken(gently=gently)

    def method(self, path: str) -> grpc.RpcMethodHandler[Any, Any]:
        """What serves an rpc."""
        if path not in self._methods:
            details: Any = _Details(path)
            for handler in self._handlers:
                found = handler.service(details)
                if found is not None:
                    self._methods[path] = found
        return self._methods[path]


@dataclass(frozen=True, slots=True)
class _Details:
    method: str
    invocation_metadata: Entries = ()


class _AbortError(Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.details)
        self.failure = failure


class Context:
    """What a handler of gRPC's sees of one call."""

    def __init__(
        self, flight: Flight, metadata: Entries, write: Callable[[bytes], Any] | None
    ) -> None:
        self._flight = flight
        self._metadata = metadata
        self._write = write

    def invocation_metadata(self) -> Entries:
        return self._metadata

    def peer(self) -> str:
        return self._flight.line.peer

    async def write(self, data: bytes) -> None:
        assert self._write is not None
        await self._flight.room()
        self._write(data)

    async def abort(self, code: grpc.StatusCode, details: str, trailing: Entries) -> None:
        raise _AbortError(Failure(code, details, trailing))


class Flight:
    """One call under way, with both of its ends."""

    def __init__(self, line: Line, path: str) -> None:
        self.line = line
        self.path = path
        self.lost = False
        self.host_tasks: list[asyncio.Task[None]] = []
        self.arrivals: asyncio.Queue[bytes | Failure | None] = asyncio.Queue()
        self._under_way = 0
        self._roomy = asyncio.Event()
        self._roomy.set()
        self._next_at = 0.0

    async def room(self) -> None:
        """Waits until one more message may be under way."""
        await self._roomy.wait()

    def send_in_order(self, item: bytes | Failure | None) -> None:
        """To the client, never overtaking what was sent before."""
        loop = asyncio.get_running_loop()
        self._under_way += 1
        if self._under_way >= _WINDOW:
            self._roomy.clear()
        self._next_at = max(self._next_at + 1e-6, loop.time() + self.line.delay())
        loop.call_at(self._next_at, self.arrive, item)

    def arrive(self, item: bytes | Failure | None) -> None:
        """At the client, unless the line has broken meanwhile."""
        if not self.lost:
            self.arrivals.put_nowait(item)

    def taken(self) -> None:
        """The client has read one."""
        self._under_way -= 1
        if self._under_way < _WINDOW:
            self._roomy.set()

    def break_off(self, noticed_by_client: float, noticed_by_host: float) -> None:
        """Nothing gets through any more; each end notices in its own time."""
        if self.lost:
            return
        self.lost = True
        loop = asyncio.get_running_loop()
        loop.call_later(noticed_by_client, self.arrivals.put_nowait, _SILENCE)
        loop.call_later(noticed_by_host, self.end_at_host)

    def end_at_host(self) -> None:
        """The host hears that nobody waits for this any more."""
        for task in self.host_tasks:
            task.cancel()


class Line:
    """One client's way to the host.

    Attributes:
        up: Whether the cable is in.
        faults: What happens to messages.
    """

    def __init__(self, network: Network, name: str, faults: Faults, source: random.Random) -> None:
        self.network = network
        self.name = name
        self.peer = f"ipv4:10.0.0.{len(network.lines) + 1}:40000"
        self.up = True
        self.faults = faults
        self._source = source
        self._flights: dict[Flight, None] = {}
        self._ready = asyncio.Event()
        network.lines.append(self)
        self.try_again()

    def delay(self) -> float:
        """Seconds for one message."""
        usual = self._source.expovariate(1 / self.faults.delay)
        if self._source.random() < self.faults.late:
            return usual + self._source.expovariate(1 / 3)
        return usual

    def chance(self, share: float) -> bool:
        """Whether something that happens now and then happens now."""
        return self._source.random() < share

    # --- what befalls it ---

    def cut(self) -> None:
        """The cable is pulled."""
        self.up = False
        self.broken(gently=False)

    def heal(self) -> None:
        """The cable is in again."""
        self.up = True
        self.try_again()

    def broken(self, *, gently: bool) -> None:
        """All calls under way are lost; both ends are told (`gently`), or find out."""
        self._ready.clear()
        for flight in list(self._flights):
            soon = (0.001, 0.05)
            client = self._source.uniform(*(soon if gently else _NOTICED))
            host = self._source.uniform(*(soon if gently else _NOTICED))
            flight.break_off(client, host)
        self.try_again()

    def try_again(self) -> None:
        """Whoever waits for a connection gets one, if there can be one."""
        if self.up and self.network.host is not None:
            self._ready.set()

    async def connected(self, patient: bool) -> None:
        """Returns once calls can be sent.

        Raises:
            AioRpcError: They cannot, and the caller does not wait for it.
        """
        if not self._ready.is_set() and not patient:
            await asyncio.sleep(self._source.uniform(0.001, 1.0))
            if not self._ready.is_set():
                raise _SILENCE.error()
        await self._ready.wait()

    # --- calls ---

    def begin(self, path: str) -> Flight:
        """A call begins."""
        flight = Flight(self, path)
        self._flights[flight] = None
        return flight

    def end(self, flight: Flight) -> None:
        """The client needs nothing more of a call."""
        del self._flights[flight]
        if flight.host_tasks and not flight.lost:
            loop = asyncio.get_running_loop()
            loop.call_later(self.delay(), flight.end_at_host)
        flight.lost = True

    def reach_host(self, serve: Callable[[Machine], None]) -> None:
        """Has something done at the host, if it is there when it arrives."""
        host = self.network.host
        if self.up and host is not None:
            serve(host)


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
        try:
            for delay in self._copies():

                def arrive() -> None:
                    line.reach_host(lambda host: self._serve(flight, host, data, metadata, request))

                asyncio.get_running_loop().call_later(delay, arrive)
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
            copies.append(line.delay() + 40 * line._source.random() ** 4)
        return copies

    def _serve(
        self, flight: Flight, host: Machine, data: bytes, metadata: Entries, request: Any
    ) -> None:
        line = self._line
        journal = line.network.journal
        method = line.network.method(self._path)
        token = dict(metadata).get(SEAT_TOKEN, "")

        async def serve() -> None:
            context = Context(flight, metadata, None)
            outcome: bytes | Failure
            try:
                response = await method.unary_unary(data, context)  # type: ignore[misc]
                outcome = method.response_serializer(response)  # type: ignore[misc]
            except _AbortError as abort:
                outcome = abort.failure
            except Exception as fault:
                journal.broken.append(f"{self._path} raised {fault!r}")
                raise
            if not host.alive:
                return
            journal.host_answers(self._path, token, request, outcome)
            if not line.chance(line.faults.lost_answer):
                asyncio.get_running_loop().call_later(line.delay(), flight.arrive, outcome)
            elif line.chance(0.5):
                flight.break_off(line._source.uniform(*_NOTICED), 0)

        flight.host_tasks.append(host.spawn(serve(), self._path))


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

    def __init__(
        self, line: Line, path: str, data: bytes, parse: Any, metadata: Entries
    ) -> None:
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
        loop.call_later(line.delay(), line.reach_host, lambda host: self._serve(flight, host))
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
            context = Context(flight, self._metadata, write)
            try:
                await method.unary_stream(self._data, context)  # type: ignore[misc]
            except _AbortError as abort:
                journal.host_answers(self._path, "", None, abort.failure)
                flight.send_in_order(abort.failure)
                return
            except Exception as fault:
                journal.broken.append(f"{self._path} raised {fault!r}")
                raise
            flight.send_in_order(None)

        flight.host_tasks.append(host.spawn(serve(), self._path))
