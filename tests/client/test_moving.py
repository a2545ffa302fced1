"""A channel that is exchanged under the stubs which hold it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import grpc
import pytest

from genial.client.channel import open_channel
from genial.client.moving import MovingChannel
from genial.v1.lobby_service_pb2 import GetHostRequest, WatchTablesRequest
from genial.v1.lobby_service_pb2_grpc import LobbyServiceStub
from tests.client.fakehost import FakeHost

DEADLINE = 20.0


class FakeChannel:
    """Answers with its own name, and keeps open as long as it is given."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.made: list[str] = []
        self.asked_to_close: list[float | None] = []
        self.closing = asyncio.Event()
        self.closed = asyncio.Event()
        self.last_call = asyncio.Event()

    def unary_unary(self, method: str, **options: Any) -> Any:
        self.made.append(method)
        return lambda request: (self.name, request, options)

    unary_stream = unary_unary

    async def close(self, grace: float | None = None) -> None:
        self.asked_to_close.append(grace)
        self.closing.set()
        if grace is not None:
            await asyncio.wait_for(self.last_call.wait(), grace)
        self.closed.set()


def moving(channel: FakeChannel) -> MovingChannel:
    return MovingChannel(cast(grpc.aio.Channel, channel))


def move(channel: MovingChannel, other: FakeChannel) -> None:
    channel.move(cast(grpc.aio.Channel, other))


@pytest.mark.parametrize("kind", ["unary_unary", "unary_stream"])
async def test_what_was_made_once_goes_by_the_channel_that_there_is(kind: str) -> None:
    one, other = FakeChannel("one"), FakeChannel("other")
    channel = moving(one)
    method = getattr(channel, kind)("/Lobby/GetHost", request_serializer=str)
    assert method("a") == ("one", "a", {"request_serializer": str})
    assert method("b")[:2] == ("one", "b")
    # A channel makes its callable once, not for every call.
    assert one.made == ["/Lobby/GetHost"]
    move(channel, other)
    assert method("c") == ("other", "c", {"request_serializer": str})
    assert (one.made, other.made) == (["/Lobby/GetHost"], ["/Lobby/GetHost"])
    await channel.close()


async def test_nothing_is_made_before_it_is_called() -> None:
    one, other = FakeChannel("one"), FakeChannel("other")
    channel = moving(one)
    method = channel.unary_unary("/Lobby/GetHost")
    move(channel, other)
    assert method("a")[0] == "other"
    assert one.made == []
    await channel.close()


async def test_calls_on_the_channel_before_have_time_for_their_answer() -> None:
    one, other = FakeChannel("one"), FakeChannel("other")
    channel = moving(one)
    move(channel, other)
    assert channel.current is cast(grpc.aio.Channel, other)
    async with asyncio.timeout(DEADLINE):
        await one.closing.wait()
        (grace,) = one.asked_to_close
        assert grace is not None
        assert not one.closed.is_set()
        one.last_call.set()
        await one.closed.wait()
    assert not other.asked_to_close
    await channel.close()


async def test_closing_waits_for_no_last_words() -> None:
    channels = [FakeChannel(str(number)) for number in range(3)]
    channel = moving(channels[0])
    for each in channels[1:]:
        move(channel, each)
    await asyncio.sleep(0)
    async with asyncio.timeout(DEADLINE):
        await channel.close()
    assert channels[2].closed.is_set()
    assert channels[2].asked_to_close == [None]
    assert asyncio.all_tasks() == {asyncio.current_task()}


# --- at real hosts ------------------------------------------------------------------


@pytest.fixture
async def hosts() -> AsyncIterator[tuple[FakeHost, FakeHost]]:
    one, other = FakeHost(), FakeHost()
    one.host_id, other.host_id = "one", "other"
    await one.start()
    await other.start()
    yield one, other
    await one.stop()
    await other.stop()


async def test_a_stub_follows_and_its_open_stream_goes_on(
    hosts: tuple[FakeHost, FakeHost],
) -> None:
    one, other = hosts
    channel = MovingChannel(open_channel(f"ipv4:{one.address}"))
    lobby = LobbyServiceStub(cast(grpc.aio.Channel, channel))
    async with asyncio.timeout(DEADLINE):
        assert (await lobby.GetHost(GetHostRequest())).host.host_id == "one"
        stream = lobby.WatchTables(WatchTablesRequest())
        assert (await stream.read()) is not grpc.aio.EOF
        channel.move(open_channel(f"ipv4:{other.address}"))
        assert (await lobby.GetHost(GetHostRequest())).host.host_id == "other"
        assert not stream.done()
        # The host's own end still ends it, as it would have before.
        await one.stop()
        with pytest.raises(grpc.aio.AioRpcError):
            await stream.read()
        await channel.close()
