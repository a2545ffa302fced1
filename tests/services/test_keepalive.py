"""A stream on which nothing happens stays, with the settings as shipped, in shortened time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import grpc
import pytest

from genial.client.channel import CHANNEL_OPTIONS
from genial.services.connections import server_options
from genial.services.limits import Limits

FASTER: Final = 100
IDLE_SECONDS: Final = 600 / FASTER
"""Ten minutes."""

SPED_UP: Final = (
    "grpc.keepalive_time_ms",
    "grpc.http2.min_ping_interval_without_data_ms",
    "grpc.max_connection_idle_ms",
)
ALLOWS_PINGS: Final = "grpc.http2.min_ping_interval_without_data_ms"

Options = Sequence[tuple[str, Any]]


def faster(options: Options) -> Options:
    return [(key, value // FASTER if key in SPED_UP else value) for key, value in options]


@asynccontextmanager
async def quiet_stream(
    server: Options, client: Options
) -> AsyncIterator[tuple[Any, asyncio.Event]]:
    """A stream that says one thing, and the second only when it is told to."""
    speak = asyncio.Event()

    async def watch(_request: bytes, _context: object) -> AsyncIterator[bytes]:
        yield b"first"
        await speak.wait()
        yield b"second"

    made = grpc.aio.server(options=server)
    method: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_stream_rpc_method_handler(watch)
    made.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler("test.Quiet", {"Watch": method})]
    )
    port = made.add_insecure_port("127.0.0.1:0")
    await made.start()
    target = f"ipv4:127.0.0.1:{port}"
    try:
        async with grpc.aio.insecure_channel(target, options=client) as channel:
            call: Any = channel.unary_stream("/test.Quiet/Watch")
            stream = call(b"")
            assert await stream.read() == b"first"
            yield stream, speak
    finally:
        await made.stop(None)


async def test_ten_quiet_minutes_cut_nothing() -> None:
    both = faster(server_options(Limits())), faster(CHANNEL_OPTIONS)
    async with quiet_stream(*both) as (stream, speak):
        waiting = asyncio.ensure_future(stream.read())
        await asyncio.wait([waiting], timeout=IDLE_SECONDS)
        assert not waiting.done()
        speak.set()
        assert await asyncio.wait_for(waiting, 20) == b"second"


async def test_without_our_settings_it_would_be_cut() -> None:
    """So that the test above cannot pass for want of pings."""
    careless = [each for each in server_options(Limits()) if each[0] != ALLOWS_PINGS]
    async with quiet_stream(faster(careless), faster(CHANNEL_OPTIONS)) as (stream, _speak):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await asyncio.wait_for(stream.read(), 20)
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        assert "ping" in (caught.value.details() or "").lower()
