"""Time that passes only when nothing else is left to do, and machines that can die in it.

A `VirtualLoop` is an ordinary asyncio loop whose clock jumps to the next timer as soon as it would
have to wait: hours pass in milliseconds, and always in the same order. What would run in a thread
runs at once, in place, so that nothing depends on the system's scheduler.
"""

from __future__ import annotations

import asyncio
import contextvars
import selectors
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class StuckError(Exception):
    """Nothing can ever happen any more, and somebody still waits."""


class _JumpingSelector(selectors.BaseSelector):
    """Watches nothing; where a real one would sleep, it moves the clock."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._keys: dict[object, selectors.SelectorKey] = {}

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        descriptor = fileobj if isinstance(fileobj, int) else fileobj.fileno()
        key = selectors.SelectorKey(fileobj, descriptor, events, data)
        self._keys[fileobj] = key
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._keys.pop(fileobj)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise StuckError("everybody waits, and no timer is set")
        self._loop.now += max(timeout, 0)
        return []

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._keys


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in time of its own.

    Attributes:
        now: Seconds since the loop was made.
    """

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_JumpingSelector(self))
        factory: Any = _new_task
        self.set_task_factory(factory)

    def time(self) -> float:
        return self.now

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> asyncio.Handle:
        # There are no other threads.
        return self.call_soon(callback, *args, context=context)

    def run_in_executor(  # type: ignore[override]
        self, executor: object, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as fault:
            future.set_exception(fault)
        return future


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
