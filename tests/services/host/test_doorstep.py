"""Calls whose request does not come: they cost their own caller alone, and not for long."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from genial.services import doorstep
from genial.services.limits import Limits
from genial.v1 import lobby_service_pb2 as pb
from genial.wire.errors import DETAILS_KEY, Reason, from_rpc_error
from genial.wire.metadata import bearer
from tests.services.host.hosts import Line, hosting, line_to, local
from tests.services.waiting import until

GET_HOST = "/genial.v1.LobbyService/GetHost"
CHECK = "/grpc.health.v1.Health/Check"
WATCH = "/genial.v1.LobbyService/WatchTables"
SECRET = "between services"


async def answers(line: Line) -> bool:
    """Whether the host takes a call; the only other answer is that it is full."""
    try:
        await line.lobby.GetHost(pb.GetHostRequest())
    except grpc.aio.AioRpcError as error:
        if from_rpc_error(error).reason != Reason.HOST_FULL:
            raise
        return False
    return True


async def silence() -> AsyncIterator[Any]:
    """A request that never comes."""
    await asyncio.Event().wait()
    yield b""


async def nothing() -> AsyncIterator[Any]:
    """The end of the requests, without one."""
    return
    yield b""


async def refusal(call: Any) -> grpc.aio.AioRpcError:
    async with asyncio.timeout(20):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
    return caught.value


@contextmanager
def silent_calls(line: Line, number: int) -> Iterator[list[Any]]:
    method: Any = line.channel.stream_unary(GET_HOST)
    calls = [method(silence()) for _ in range(number)]
    try:
        yield calls
    finally:
        for call in calls:
            call.cancel()


async def test_who_opens_calls_and_says_nothing_shuts_out_nobody_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    limits = Limits(call_burst=3, calls_at_once=5, exempt=())
    settings = local(tmp_path, limits=limits, secret=SECRET)
    async with hosting(settings) as (_, ready), line_to(ready.address) as line:
        with silent_calls(line, 10) as calls:
            await until(lambda: sum(call.done() for call in calls) == 7)
            refused = [from_rpc_error(await refusal(call)) for call in calls if call.done()]
            assert {error.reason for error in refused} == {Reason.TOO_MANY_CALLS}
            # The same address is refused, whatever it asks ...
            again = await refusal(line.lobby.GetHost(pb.GetHostRequest()))
            assert from_rpc_error(again).reason == Reason.TOO_MANY_CALLS
            # ... and everybody else is not: the host's services stand in for other addresses.
            await line.lobby.GetHost(pb.GetHostRequest(), metadata=(bearer(SECRET),))
    said = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    assert said == ["127.0.0.1 opens too many calls at once"]


@pytest.mark.parametrize("path", [GET_HOST, CHECK])
async def test_a_request_that_does_not_come_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(doorstep, "ARRIVAL_SECONDS", 0.05)
    settings = local(tmp_path, limits=Limits(call_burst=1, calls_per_second=10_000, exempt=()))
    async with hosting(settings) as (_, ready), line_to(ready.address) as line:
        for _ in range(2):  # one after the other: the first has given its place back
            error = await refusal(line.channel.stream_unary(path)(silence()))
            assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
            assert "did not come" in (error.details() or "")
            assert DETAILS_KEY in dict(error.trailing_metadata() or ())


async def test_a_call_without_a_request_is_told_so(tmp_path: Path) -> None:
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        unary: Any = line.channel.stream_unary(GET_HOST)
        watching: Any = line.channel.stream_stream(WATCH)
        for call in (unary(nothing()), watching(nothing()).read()):
            error = await refusal(call)
            assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert from_rpc_error(error).metadata["field"] == "request"


async def test_a_full_host_says_so_with_the_reason(tmp_path: Path) -> None:
    settings = local(tmp_path, limits=Limits(calls_at_once=3))
    async with hosting(settings) as (_, ready), line_to(ready.address) as line:
        watching = [line.lobby.WatchTables(pb.WatchTablesRequest()) for _ in range(3)]
        for stream in watching:
            await stream.read()
        error = await refusal(line.lobby.GetHost(pb.GetHostRequest()))
        assert DETAILS_KEY in dict(error.trailing_metadata() or ())
        assert from_rpc_error(error).reason == Reason.HOST_FULL
        watching[0].cancel()
        # Whoever goes makes room: the host needs a moment to notice.
        async with asyncio.timeout(20):
            while not await answers(line):  # noqa: ASYNC110 - no event tells of it
                await asyncio.sleep(0.01)


async def test_those_that_watch_hold_no_place_at_the_door(tmp_path: Path) -> None:
    limits = Limits(call_burst=2, calls_per_second=10_000, exempt=())
    async with (
        hosting(local(tmp_path, limits=limits)) as (_, ready),
        line_to(ready.address) as line,
    ):
        watching = []
        for _ in range(6):
            watching.append(line.lobby.WatchTables(pb.WatchTablesRequest()))
            await watching[-1].read()
        health: Any = health_pb2_grpc.HealthStub(line.channel)
        answer = await health.Check(health_pb2.HealthCheckRequest())
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_what_grpc_itself_refuses_is_no_fault_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = local(tmp_path, limits=Limits(request_bytes=1000, exempt=()))
    async with hosting(settings) as (_, ready), line_to(ready.address) as line:
        for path in (GET_HOST, CHECK):
            method: Any = line.channel.unary_unary(path)
            error = await refusal(method(bytes(100_000)))
            assert from_rpc_error(error).reason == Reason.MESSAGE_TOO_LARGE
        with silent_calls(line, 5):
            await line.lobby.GetHost(pb.GetHostRequest())
        await line.lobby.GetHost(pb.GetHostRequest())
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]
