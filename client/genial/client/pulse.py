"""Whether a host lives: asked once, then listened to.

A host that was killed stays in the caches of mDNS for up to hours. So each found host is asked
for its health over gRPC, and the question stays open: the host itself tells when it closes, a
broken connection tells of its death, and short pings tell of a pulled cable or a closed lid.
An open question costs next to nothing, where asking anew means a handshake each time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final, Self

import grpc
from grpc_health.v1 import health_pb2

from genial.client.errors import GenialError
from genial.client.found import FoundHost
from genial.client.race import race
from genial.client.reach import open_pinned

ANSWER_SECONDS: Final = 2.2
"""For one address. A first packet that is lost is sent again after one second."""
ASK_SECONDS: Final = 3.0
"""For all addresses together."""

_SERVING: Final = health_pb2.HealthCheckResponse.SERVING
_PINGS: Final[tuple[tuple[str, int | str], ...]] = (
    # Together less than five seconds; the host allows one ping in two seconds.
    ("grpc.keepalive_time_ms", 2_200),
    ("grpc.keepalive_timeout_ms", 1_800),
    ("grpc.http2.ping_timeout_ms", 1_800),
)


class Pulse:
    """A host that answered, and is listened to from then on.

    Attributes:
        target: The address that answered.
    """

    def __init__(self, target: str, channel: grpc.aio.Channel, watch: Any) -> None:
        """Use `feel`."""
        self.target = target
        self._channel = channel
        self._watch = watch

    async def __aenter__(self) -> Self:
        """For `async with pulse`."""
        return self

    async def __aexit__(self, *_exception: object) -> None:
        """Stops listening."""
        await self.close()

    async def until_silent(self) -> None:
        """Returns when the host closes, is gone, or cannot be reached any more."""
        try:
            while (answer := await self._watch.read()) is not grpc.aio.EOF:
                if answer.status != _SERVING:
                    return
        except grpc.aio.AioRpcError:
            return  # However it ended: nobody is heard any more.

    async def close(self) -> None:
        """Stops listening."""
        self._watch.cancel()
        await self._channel.close()


async def feel(host: FoundHost) -> Pulse | None:
    """Asks a host at all of its addresses, in a race.

    Over a certificate other than the announced one, nobody is asked anything.

    Returns:
        None if nobody who is well answers within `ASK_SECONDS`.
    """

    def attempt(where: str) -> Callable[[], Awaitable[Pulse]]:
        return lambda: ask(where)

    async def ask(where: str) -> Pulse:
        async with asyncio.timeout(ANSWER_SECONDS):
            channel = await open_pinned(
                where, host.fingerprint, timeout=ANSWER_SECONDS, options=_PINGS
            )
            watch: Any = channel.unary_stream(
                "/grpc.health.v1.Health/Watch",
                request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
                response_deserializer=health_pb2.HealthCheckResponse.FromString,
            )(health_pb2.HealthCheckRequest())
            pulse = Pulse(where, channel, watch)
            try:
                answer = await watch.read()
                if answer is grpc.aio.EOF or answer.status != _SERVING:
                    raise ConnectionError(f"{where} is not serving")
            except BaseException:
                await pulse.close()
                raise
            return pulse

    try:
        async with asyncio.timeout(ASK_SECONDS):
            return await race([attempt(where) for where in host.targets], late=Pulse.close)
    except TimeoutError:
        return None
    except BaseExceptionGroup as group:
        _silent, faults = group.split(
            (grpc.aio.AioRpcError, ConnectionError, TimeoutError, GenialError)
        )
        if faults is not None:
            raise faults from None
        return None
