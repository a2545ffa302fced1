"""A network that delays, loses, doubles, overtakes and breaks, between clients and one host.

Clients get a `SimulatedChannel`, which generated stubs take for one of gRPC's; what they send
arrives as bytes at the host's own rpc handlers. As on a TCP connection the messages of one stream
come in their order or the stream breaks; everything else may happen to anything.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

import grpc

from tests.simulation.clock import Machine

_WINDOW: Final = 6
"""Messages of a stream that are under way at most; whoever writes more waits."""

NOTICED: Final = (0.02, 8.0)
"""Seconds until an end notices that the line is dead."""

Entries = tuple[tuple[str, Any], ...]

Services = Mapping[str, Callable[[], grpc.GenericRpcHandler]]
"""By full name, what binds a service once somebody calls it: most runs of a host are short."""


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
    _refused: dict[tuple[str, str, str], tuple[str, str]] = field(default_factory=dict)

    def note(self, sentence: str) -> None:
        """One line of what happened."""
        now = asyncio.get_running_loop().time()
        self.trace.append(f"{now:12.6f} {sentence}")

    def host_answers(
        self, host: str, path: str, token: str, request: Any, outcome: bytes | Failure
    ) -> None:
        """Judges an answer: never the host's fault, and to a repeat always the first."""
        request_id = getattr(request, "request_id", "")
        key = path, token, request_id
        if isinstance(outcome, Failure):
            self.note(f"{path} refused: {outcome.details}")
            if outcome.code in (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL):
                self.broken.append(f"{path} was answered {outcome.code.name}: {outcome.details}")
            if outcome.code in _JUDGED and request_id and key in self._first:
                self.broken.append(f"{path} {request_id} was granted, then {outcome.details}")
            elif outcome.code in _JUDGED and request_id:
                self._refused[key] = host, outcome.details
        elif self._refused.get(key, ("", ""))[0] == host:
            self.broken.append(f"{path} {request_id} was granted after {self._refused[key][1]}")
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
        self._services: Services = {}
        self._handlers: dict[str, grpc.GenericRpcHandler] = {}
        self._methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

    def listen(self, machine: Machine, services: Services) -> None:
        """A host takes calls from here on."""
        self.host = machine
        self._services = services
        self._handlers.clear()
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
        found = self._methods.get(path)
        if found is None:
            _, service, _ = path.split("/")
            if service not in self._handlers:
                self._handlers[service] = self._services[service]()
            details: Any = _Details(path)
            found = self._handlers[service].service(details)
            assert found is not None, path
            self._methods[path] = found
        return found


@dataclass(frozen=True, slots=True)
class _Details:
    method: str
    invocation_metadata: Entries = ()


class AbortError(Exception):
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
        raise AbortError(Failure(code, details, trailing))


class Arrivals:
    """What has come in for one reader: as much of a queue as a call needs."""

    __slots__ = ("_items", "_reader")

    def __init__(self) -> None:
        self._items: deque[bytes | Failure | None] = deque()
        self._reader: asyncio.Future[None] | None = None

    def put(self, item: bytes | Failure | None) -> None:
        """One more has come."""
        self._items.append(item)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def get(self) -> bytes | Failure | None:
        """The next, as soon as there is one."""
        while not self._items:
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        return self._items.popleft()


class Flight:
    """One call under way, with both of its ends."""

    def __init__(self, line: Line, path: str) -> None:
        self.line = line
        self.path = path
        self.lost = False
        self.host_tasks: list[asyncio.Task[None]] = []
        self.arrivals = Arrivals()
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
            self.arrivals.put(item)

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
        loop.call_later(noticed_by_client, self.arrivals.put, _SILENCE)
        loop.call_later(noticed_by_host, self.end_at_host)

    def served_by(self, task: asyncio.Task[None]) -> None:
        """The call has arrived; where nobody waits for it any more, the host notices in time."""
        self.host_tasks.append(task)
        if self.lost:
            loop = asyncio.get_running_loop()
            loop.call_later(self.line.source.uniform(*NOTICED), self.end_at_host)

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
        self.source = source
        self._flights: dict[Flight, None] = {}
        self._ready = asyncio.Event()
        network.lines.append(self)
        self.try_again()

    def delay(self) -> float:
        """Seconds for one message."""
        usual = self.source.expovariate(1 / self.faults.delay)
        if self.source.random() < self.faults.late:
            return usual + self.source.expovariate(1 / 3)
        return usual

    def chance(self, share: float) -> bool:
        """Whether something that happens now and then happens now."""
        return self.source.random() < share

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
            client = self.source.uniform(*(soon if gently else NOTICED))
            host = self.source.uniform(*(soon if gently else NOTICED))
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
            await asyncio.sleep(self.source.uniform(0.001, 1.0))
            if not self._ready.is_set():
                raise _SILENCE.error()
        await self._ready.wait()

    # --- calls ---

    def channel(self) -> grpc.aio.Channel:
        """What stubs are made of."""
        from tests.simulation.channel import SimulatedChannel

        return cast(grpc.aio.Channel, SimulatedChannel(self))

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

    def reach_host(self, sent_to: Machine | None, serve: Callable[[Machine], None]) -> None:
        """Has something done at the host, if the process that it was sent to is still there."""
        if self.up and sent_to is not None and sent_to is self.network.host:
            serve(sent_to)
