"""A channel that can be exchanged for another while stubs and calls in progress hold it.

A host may come back at another address in the middle of a game. Stubs are made once, and a call
that waits for an answer tries again through the same stub: so what they hold is this, and what
stands behind it may change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import grpc

_LAST_WORDS_SECONDS: Final = 30.0
"""For calls on the channel before; each of them ends by itself sooner."""


class MovingChannel:
    """What stubs take for a channel of grpc.aio."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        """Stands for `channel`, and closes it in the end."""
        self.current = channel
        self._farewells: set[asyncio.Task[None]] = set()

    def move(self, channel: grpc.aio.Channel) -> None:
        """Stands for another channel from the next attempt of every call on."""
        before, self.current = self.current, channel
        # Closed at once, it would look to those who wait for an answer as if they had been
        # cancelled themselves.
        farewell = asyncio.create_task(before.close(_LAST_WORDS_SECONDS))
        self._farewells.add(farewell)
        farewell.add_done_callback(self._farewells.discard)

    async def close(self) -> None:
        """Closes this and all before it."""
        for farewell in self._farewells:
            farewell.cancel()
        await asyncio.gather(*self._farewells, return_exceptions=True)
        await self.current.close()

    def unary_unary(self, method: str, **options: Any) -> Any:
        """See `grpc.aio.Channel.unary_unary`."""
        return _Way(self, lambda channel: channel.unary_unary(method, **options))

    def unary_stream(self, method: str, **options: Any) -> Any:
        """See `grpc.aio.Channel.unary_stream`."""
        return _Way(self, lambda channel: channel.unary_stream(method, **options))


class _Way:
    """One method of a stub, by whichever channel there is."""

    def __init__(self, moving: MovingChannel, make: Callable[[grpc.aio.Channel], Any]) -> None:
        self._moving = moving
        self._make = make
        self._made_of: grpc.aio.Channel | None = None
        self._callable: Any = None

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if self._made_of is not self._moving.current:
            self._made_of = self._moving.current
            self._callable = self._make(self._made_of)
        return self._callable(*arguments, **options)
