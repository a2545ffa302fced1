"""Work on the laptops of a party: a Dask cluster in place of local processes.

Needs the extra `genial-lan[cluster]` here and on every worker. A game whose worker dies is played
again elsewhere by Dask; it comes out the same, since everything in it follows from its seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

from genial.lab.arena import Workers, play_task

_CONNECT_SECONDS: Final = 10


class ClusterError(RuntimeError):
    """There is no cluster to work on; the message says what to do."""


@contextmanager
def cluster_workers(address: str) -> Iterator[Workers]:
    """The workers of the Dask scheduler at an address.

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
        yield Workers(lambda task: client.submit(play_task, task, pure=False), threads)
    finally:
        client.close()
