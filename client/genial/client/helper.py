"""Processes that think for this one: low priority, and gone when it is gone."""

from __future__ import annotations

import multiprocessing
import os
import threading


def begin(niceness: int = 10) -> None:
    """For a new process of a pool: lowers its priority and ties its life to its parent's.

    A pool's processes hold both ends of their queue, so they would not notice by themselves
    that whoever started them was killed.

    Args:
        niceness: By how much the priority is lowered, where systems know such a thing.
    """
    if hasattr(os, "nice"):
        os.nice(niceness)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def end_with_parent() -> None:
            parent.join()
            os._exit(0)

        threading.Thread(target=end_with_parent, daemon=True).start()
