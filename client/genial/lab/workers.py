"""Where the laboratory's games are played: processes of this machine, or a cluster of laptops."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

from genial.client import helper

Task = TypeVar("Task")
Found = TypeVar("Found")

_AHEAD: Final = 2
"""Tasks handed out per worker, so that none waits for work."""

_CONNECT_SECONDS: Final = 10


class ClusterError(RuntimeError):
    """There is no cluster to work on; the message says what to do."""


class Promise(Protocol):
    """Work under way somewhere."""

    def result(self) -> Any:
        """Waits for what came of it."""

    def cancel(self) -> Any:
        """Forgets it, if it has not begun."""


@dataclass(frozen=True)
class Workers:
    """Where work is done.

    Attributes:
        submit: Hands a function and its argument out; both are pickled.
        count: How many tasks are worked on at once.
    """

    submit: Callable[[Callable[[Any], Any], Any], Promise]
    count: int


def in_order(
    work: Callable[[Task], Found], tasks: Iterable[Task], workers: Workers
) -> Generator[Found, None, None]:
    """What comes of the tasks, in their order, whichever is finished first.

    Closing the generator forgets the tasks that were handed out already.
    """
    left = iter(tasks)
    waiting: deque[Promise] = deque()
    try:
        for task in islice(left, _AHEAD * workers.count):
            waiting.append(workers.submit(work, task))
        while waiting:
            found: Found = waiting.popleft().result()
            for task in islice(left, 1):
                waiting.append(workers.submit(work, task))
            yield found
    finally:
        for promise in waiting:
            promise.cancel()


@contextmanager
def local_workers(jobs: int | None = None, *, niceness: int = 10) -> Iterator[Workers]:
    """Processes on this machine, of low priority; as many as there are cores unless said.

    Args:
        jobs: How many.
        niceness: By how much their priority is lowered.
    """
    count = jobs or os.cpu_count() or 1
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(
        count, mp_context=context, initializer=helper.begin, initargs=(niceness,)
    )
    try:
        yield Workers(pool.submit, count)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def cluster_workers(address: str) -> Iterator[Workers]:
    """The workers of the Dask scheduler at an address.

    Work whose worker dies is done again elsewhere by Dask; it comes out the same, since
    everything in it follows from its seed. Needs the extra `genial-lan[cluster]` here and on
    every worker.

    Raises:
        ClusterError: Dask is not installed, nobody answers, or the cluster has no worker.
    """
    try:
        # By name: the library says nothing about its types, and is not there for most people.
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise ClusterError(
            "a cluster needs Dask: install genial-lan[cluster] here and on every worker"
        ) from error
    try:
        client = distributed.Client(address, timeout=_CONNECT_SECONDS)
    except (OSError, ValueError, TimeoutError) as error:
        raise ClusterError(f"no Dask scheduler answers at {address}: start one there") from error
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise ClusterError(f"the cluster at {address} has no worker: start some")
        yield Workers(lambda work, task: client.submit(work, task, pure=False), threads)
    finally:
        client.close()
