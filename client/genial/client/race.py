"""Several addresses of one host, tried in a staggered race: the first that answers wins.

After RFC 8305 ("Happy Eyeballs"): whatever worked before goes first, then IPv4 and IPv6 take
turns; the next address is tried when the one before it fails or keeps silent for a moment.
So a dead address, of a VPN or a container, costs a moment and not a timeout.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final, TypeVar

STAGGER_SECONDS: Final = 0.15
"""Between the starts of two attempts. The RFC wants at least 0.1 and recommends 0.25 for the
internet; on a LAN an answer takes a hundredth of that."""

T = TypeVar("T")


def in_order(targets: Iterable[str], worked: Sequence[str] = ()) -> list[str]:
    """gRPC targets in the order to try them, each once.

    Args:
        targets: `ipv4:…` and `ipv6:…`, the likelier first within each family.
        worked: Those that answered before, newest first; of no account unless among `targets`.
    """
    rest = list(dict.fromkeys(targets))
    first = [target for target in dict.fromkeys(worked) if target in rest]
    rest = [target for target in rest if target not in first]
    if not rest:
        return first
    family = rest[0].partition(":")[0]
    ones = [target for target in rest if target.startswith(f"{family}:")]
    others = [target for target in rest if target not in ones]
    turns: list[str] = []
    while ones or others:
        turns += ones[:1] + others[:1]
        ones, others = ones[1:], others[1:]
    return first + turns


async def race(
    attempts: Iterable[Callable[[], Awaitable[T]]],
    *,
    stagger: float = STAGGER_SECONDS,
    late: Callable[[T], Awaitable[None]] | None = None,
) -> T:
    """Starts attempts one after the other, `stagger` seconds apart, and takes the first to succeed.

    One that fails lets the next start at once; the others are cancelled.

    Args:
        attempts: In the order to start them.
        stagger: Seconds.
        late: Disposes of what another attempt brought at the same moment as the winner.

    Raises:
        BaseExceptionGroup: All failed; holds each failure, in the order of the attempts.
    """
    waiting = list(attempts)
    tasks: list[asyncio.Task[T]] = []
    winner: asyncio.Task[T] | None = None
    try:
        while True:
            if waiting:
                tasks.append(asyncio.create_task(_await(waiting.pop(0))))
            running = [task for task in tasks if not task.done()]
            if running:
                await asyncio.wait(
                    running,
                    timeout=stagger if waiting else None,
                    return_when=asyncio.FIRST_COMPLETED,
                )
            for task in tasks:
                if task.done() and task.exception() is None:
                    winner = task
                    return task.result()
            if not waiting and all(task.done() for task in tasks):
                failures = [error for task in tasks if (error := task.exception()) is not None]
                raise BaseExceptionGroup("every attempt failed", failures)
    finally:
        others = [task for task in tasks if task is not winner]
        for task in others:
            task.cancel()
        for outcome in await asyncio.gather(*others, return_exceptions=True):
            if late is not None and not isinstance(outcome, BaseException):
                await late(outcome)


async def _await(attempt: Callable[[], Awaitable[T]]) -> T:
    return await attempt()
