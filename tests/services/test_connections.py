"""Connections of strangers: too many from one address, silent ones, and those that are spared."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, closing

import grpc
import pytest

from genial.services import connections
from genial.services import server as server_module
from genial.services.connections import (
    Connection,
    ConnectionWatch,
    raise_file_limit,
    server_options,
)
from genial.services.limits import Limits
from genial.services.server import make_server
from genial.wire.errors import Reason, from_rpc_error

Peers = Callable[[str], bool]


def nobody(_peer: str) -> bool:
    return False


async def echo(_request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
    return context.peer().encode()


@asynccontextmanager
async def server(limits: Limits) -> AsyncIterator[int]:
    made = grpc.aio.server(options=server_options(limits))
    method: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(echo)
    handler = grpc.method_handlers_generic_handler("test.Echo", {"Echo": method})
    made.add_generic_rpc_handlers([handler])
    port = made.add_insecure_port("127.0.0.1:0")
    await made.start()
    try:
        yield port
    finally:
        await made.stop(None)


async def eventually(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - sockets of gRPC's tell nobody of a change
            await asyncio.sleep(0.01)


def is_cut(sock: socket.socket) -> bool:
    """Whether the other end has hung up; reads what came before that."""
    try:
        while sock.recv(4096):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True


def dial(port: int, stack: ExitStack) -> socket.socket:
    sock = stack.enter_context(closing(socket.create_connection(("127.0.0.1", port), 5)))
    sock.setblocking(False)
    return sock


async def test_too_many_from_one_address_are_hung_up_on() -> None:
    limits = Limits(connections_per_address=3, exempt=())
    async with server(limits) as port:
        with ExitStack() as stack:
            socks = [dial(port, stack) for _ in range(8)]
            watch = ConnectionWatch(limits, port, nobody)
            await eventually(lambda: len(list(watch.connections())) == 8)
            assert watch.sweep(list(watch.connections())) == 5
            await eventually(lambda: sum(is_cut(sock) for sock in socks) == 5)
            await eventually(lambda: len(list(watch.connections())) == 3)
            assert watch.sweep(list(watch.connections())) == 0


async def test_those_in_use_are_spared() -> None:
    limits = Limits(connections_per_address=2, exempt=())
    async with server(limits) as port:
        with ExitStack() as stack:
            socks = [dial(port, stack) for _ in range(6)]
            busy = {f"ipv4:127.0.0.1:{sock.getsockname()[1]}" for sock in socks[:2]}
            watch = ConnectionWatch(limits, port, busy.__contains__)
            await eventually(lambda: len(list(watch.connections())) == 6)
            watch.sweep(list(watch.connections()))
            await eventually(lambda: [is_cut(sock) for sock in socks] == [False] * 2 + [True] * 4)


async def test_it_names_peers_as_grpc_does() -> None:
    limits = Limits()
    async with (
        server(limits) as port,
        grpc.aio.insecure_channel(f"ipv4:127.0.0.1:{port}") as channel,
    ):
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
        call = channel.unary_unary("/test.Echo/Echo")
        named = (await call(b"")).decode()
        watch = ConnectionWatch(limits, port, nobody)
        assert [each.peer for each in watch.connections()] == [named]


async def test_exempt_addresses_may_have_any_number() -> None:
    limits = Limits(connections_per_address=1)
    async with server(limits) as port:
        with ExitStack() as stack:
            for _ in range(4):
                dial(port, stack)
            watch = ConnectionWatch(limits, port, nobody)
            await eventually(lambda: len(list(watch.connections())) == 4)
            assert watch.sweep(list(watch.connections())) == 0


async def test_a_descriptor_that_means_something_else_by_now_is_left_alone() -> None:
    limits = Limits(connections_per_address=1, exempt=())
    async with server(limits) as port:
        with ExitStack() as stack:
            socks = [dial(port, stack) for _ in range(2)]
            watch = ConnectionWatch(limits, port, nobody)
            await eventually(lambda: len(list(watch.connections())) == 2)
            found = list(watch.connections())
            swapped = [
                Connection(one.descriptor, other.address, other.peer)
                for one, other in zip(found, reversed(found), strict=True)
            ]
            gone = [
                Connection(100_000 + n, each.address, each.peer) for n, each in enumerate(found)
            ]
            assert watch.sweep(swapped) == 0
            assert watch.sweep(gone) == 0
            assert not any(is_cut(sock) for sock in socks)


async def test_the_watch_runs_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SWEEP_SECONDS", 0.02)
    limits = Limits(connections_per_address=2, exempt=())
    async with server(limits) as port:
        watching = asyncio.create_task(ConnectionWatch(limits, port, nobody).run())
        with ExitStack() as stack:
            socks = [dial(port, stack) for _ in range(5)]
            await eventually(lambda: sum(is_cut(sock) for sock in socks) == 3)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def test_who_never_says_anything_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HANDSHAKE_SECONDS", 1)
    async with server(Limits()) as port:
        with ExitStack() as stack:
            socks = [dial(port, stack) for _ in range(2)]
            socks[1].send(b"PRI * HT")
            await eventually(lambda: all(is_cut(sock) for sock in socks))


async def test_more_than_all_together_may_have_are_turned_away() -> None:
    async with server(Limits(connections=4)) as port:
        with ExitStack() as stack:
            socks = [dial(port, stack) for _ in range(7)]
            await eventually(lambda: sum(is_cut(sock) for sock in socks) == 3)
            socks[0].close()
            watch = ConnectionWatch(Limits(), port, nobody)
            await eventually(lambda: len(list(watch.connections())) <= 3)


def test_the_limit_of_files_is_raised_as_far_as_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr("resource.getrlimit", lambda _kind: (256, 2000))
    monkeypatch.setattr("resource.setrlimit", lambda _kind, value: asked.append(value))
    assert raise_file_limit(Limits(connections=1000)) == 1512
    assert raise_file_limit(Limits(connections=4000)) == 2000
    assert asked == [(1512, 2000), (2000, 2000)]


async def test_grpcs_own_refusal_of_too_many_calls_is_understood(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_module, "CALLS_TO_SPARE", 0)
    made = make_server(Limits(calls_at_once=1))
    arrived, released = asyncio.Event(), asyncio.Event()

    async def wait(request: bytes, _context: object) -> bytes:
        arrived.set()
        await released.wait()
        return request

    method: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(wait)
    made.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler("test.Echo", {"Echo": method})]
    )
    port = made.add_insecure_port("127.0.0.1:0")
    await made.start()
    try:
        async with grpc.aio.insecure_channel(f"ipv4:127.0.0.1:{port}") as channel:
            call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
            call = channel.unary_unary("/test.Echo/Echo")
            first = asyncio.ensure_future(call(b"1"))
            await asyncio.wait_for(arrived.wait(), 20)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(b"2")
            assert from_rpc_error(caught.value).reason == Reason.HOST_FULL
            released.set()
            assert await first == b"1"
    finally:
        await made.stop(None)
