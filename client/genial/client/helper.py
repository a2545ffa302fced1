"""Processes that think for this one: low priority, and gone when it is gone or has enough."""

from __future__ import annotations

import multiprocessing
import os
import threading
from multiprocessing.connection import Connection, wait


def begin(niceness: int = 10, lifeline: Connection | None = None) -> None:
    """For a new process of a pool: lowers its priority and ties its life to its parent's.

    A pool's processes hold both ends of their queue, so they would not notice by themselves
    that whoever started them was killed.

    Args:
        niceness: By how much the priority is lowered, where systems know such a thing.
        lifeline: An end of a pipe: this process goes, whatever it is at, once the parent has
            closed the other end.
    """
    if hasattr(os, "nice"):
        os.nice(niceness)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def end_in_time() -> None:
            wait([parent.sentinel] if lifeline is None else [parent.sentinel, lifeline])
            os._exit(0)

        threading.Thread(target=end_in_time, daemon=True).start()
