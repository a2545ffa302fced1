"""Server streams that come back by themselves after a lost line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any, Final, TypeVar

import grpc

from genial.client.channel import from_rpc, passes
from genial.client.errors import GenialError, HostUnreachableError
from genial.client.text import _
from genial.wire.errors import Reason

FIRST_PAUSE_SECONDS: Final = 0.2
LONGEST_PAUSE_SECONDS: Final = 1.5

Message = TypeVar("Message")


def _hung_up() -> GenialError:
    return HostUnreachableError(
        Reason.HOST_CLOSING, sentence=_("The host has ended the connection.")
    )


async def follow(
    open_stream: Callable[[], grpc.aio.UnaryStreamCall[Any, Message]],
    on_line: Callable[[GenialError | None], None],
) -> AsyncGenerator[Message]:
    """The messages of a stream, reopened whenever the line is lost or the host ends it.

    Args:
        open_stream: Opens the stream anew; asked each time, so that it can resume
            after what is known by then.
        on_line: Told None with the first message after each (re)opening, and the
            reason whenever the line is lost, or the host hangs up.

    Raises:
        GenialError: The host refused the stream; reopening would not help.
    """
    pause = FIRST_PAUSE_SECONDS
    while True:
        stream = open_stream()
        try:
            first = True
            async for message in stream:
                if first:
                    first, pause = False, FIRST_PAUSE_SECONDS
                    on_line(None)
                yield message
            on_line(_hung_up())
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # The channel below was closed, after the line had moved to another one.
            on_line(_hung_up())
        except grpc.aio.AioRpcError as error:
            failure = from_rpc(error)
            if not passes(failure):
                raise failure from None
            on_line(failure)
        finally:
            stream.cancel()
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, LONGEST_PAUSE_SECONDS)
