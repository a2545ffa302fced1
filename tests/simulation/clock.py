"""Time that passes only when nothing else is left to do, and machines that can die in it.

A `VirtualLoop` is an asyncio loop whose clock jumps to the next timer as soon as it would have to
wait: hours pass in milliseconds, and always in the same order. What would run in a thread runs at
once, in place, so that nothing depends on the system's scheduler.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, copy_context
from typing import Any, Final, TypeVar

T = TypeVar("T")

_SAME_MOMENT: Final = 1e-9
"""Seconds; timers that lie so near to each other are due together, as in asyncio's own loops."""


class StuckError(Exception):
    """Nothing can ever happen any more, and somebody still waits."""


class _Callback:
    """Something that is to be run: what asyncio calls a handle, and all that is needed of one."""

    __slots__ = ("arguments", "context", "function", "moment")

    def __init__(
        self,
        function: Callable[..., object],
        arguments: tuple[Any, ...],
        context: Context | None,
        moment: float,
    ) -> None:
        self.function: Callable[..., object] | None = function
        self.arguments = arguments
        self.context = copy_context() if context is None else context
        self.moment = moment

    def cancel(self) -> None:
        self.function = None
        self.arguments = ()

    def cancelled(self) -> bool:
        return self.function is None

    def when(self) -> float:
        return self.moment


class VirtualLoop(asyncio.BaseEventLoop):
    """An event loop in time of its own.

    It has queues of its own, as asyncio's do much for sockets, signals and threads that are not
    there, and an evening is some two thousand rounds of them.

    Attributes:
        now: Seconds since the loop was made.
    """

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__()
        self._soon: deque[_Callback] = deque()
        # By moment; those of one moment in the order in which they were set.
        self._later: list[tuple[float, int, _Callback]] = []
        self._set = 0
        factory: Any = _new_task
        self.set_task_factory(factory)

    def time(self) -> float:
        return self.now

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> _Callback:
        entry = _Callback(callback, args, context, self.now)
        self._soon.append(entry)
        return entry

    # There are no other threads.
    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> _Callback:
        entry = _Callback(callback, args, context, when)
        self._set += 1
        heapq.heappush(self._later, (when, self._set, entry))
        return entry

    def call_later(  # type: ignore[override]
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> _Callback:
        when = self.now + delay
        entry = _Callback(callback, args, context, when)
        self._set += 1
        heapq.heappush(self._later, (when, self._set, entry))
        return entry

    def run_in_executor(  # type: ignore[override]
        self, executor: object, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as fault:
            future.set_exception(fault)
        return future

    def _run_once(self) -> None:
        """Rounds until the loop is stopped: what is ready; with nothing ready, time has passed.

        Raises:
            StuckError: There is nothing that could ever become ready.
        """
        soon, later = self._soon, self._later
        while not self._stopping:  # type: ignore[attr-defined]
            while later and later[0][2].function is None:
                heapq.heappop(later)
            if not soon:
                if not later:
                    raise StuckError("everybody waits, and no timer is set")
                self.now += max(later[0][0] - self.now, 0)
            due = self.now + _SAME_MOMENT
            while later and later[0][0] < due:
                soon.append(heapq.heappop(later)[2])
            for _ in range(len(soon)):
                entry = soon.popleft()
                function = entry.function
                if function is None:
                    continue
                try:
                    entry.context.run(function, *entry.arguments)
                except (SystemExit, KeyboardInterrupt):
                    raise
                except BaseException as fault:
                    self.call_exception_handler(
                        {"message": f"exception in {function!r}", "exception": fault}
                    )


_HERE: contextvars.ContextVar[Machine | None] = contextvars.ContextVar("machine", default=None)


class Machine:
    """A computer, or a process on it: everything that it runs dies with it.

    Attributes:
        alive: False from `die` on; what it starts afterwards comes to nothing.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.alive = True
        self.tasks: dict[asyncio.Task[Any], None] = {}

    def spawn(self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Runs something on this machine, and with it whatever that starts."""
        context = contextvars.copy_context()
        context.run(_HERE.set, self)
        loop = asyncio.get_running_loop()
        return loop.create_task(work, name=f"{self.name}: {name}", context=context)

    def die(self) -> None:
        """Everything stops where it is. What `finally` blocks still do must reach nobody."""
        self.alive = False
        for task in self.tasks:
            task.cancel()

    async def buried(self) -> None:
        """Returns once nothing of it is left."""
        self.alive = False
        while self.tasks:
            for task in list(self.tasks):
                task.cancel()
            await asyncio.sleep(0)


def _new_task(
    loop: asyncio.AbstractEventLoop,
    work: Coroutine[Any, Any, Any],
    *,
    context: contextvars.Context | None = None,
    **options: Any,
) -> asyncio.Task[Any]:
    machine = _HERE.get() if context is None else context.get(_HERE)
    task = asyncio.Task(work, loop=loop, context=context, **options)
    if machine is not None:
        machine.tasks[task] = None
        task.add_done_callback(lambda done: machine.tasks.pop(done, None))
        if not machine.alive:
            task.cancel()
    return task


def run(work: Coroutine[Any, Any, T]) -> T:
    """Runs to the end, in no time.

    Raises:
        StuckError: It waits for what cannot come.
    """
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
