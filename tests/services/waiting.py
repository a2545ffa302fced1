"""Waiting for what must come, with an end to patience."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Returns once `condition` holds; fails after `seconds`."""
    deadline = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < deadline, "it never came to be"
        await asyncio.sleep(0.005)
