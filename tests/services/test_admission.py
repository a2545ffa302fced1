"""The gate of a host: rates, streams, passwords; and gRPC's own services behind it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from genial.services.admission import Admission
from genial.services.connections import server_options
from genial.services.limits import METADATA_BYTES, Limits
from genial.services.peers import service_call
from genial.services.standard import add_standard_services
from genial.v1 import lobby_service_pb2, table_pb2
from genial.v1.lobby_service_pb2_grpc import LobbyServiceStub
from genial.wire.errors import DETAILS_KEY, GenialError, Reason, from_rpc_error
from genial.wire.metadata import HOST_PASSWORD, host_password_entry
from genial.wire.serving import Call, rpc_handlers

GET_HOST = "genial.v1.LobbyService.GetHost"
GET_TABLE = "genial.v1.LobbyService.GetTable"
GUEST = "ipv4:10.0.0.7:5000"
OTHER = "ipv4:10.0.0.8:5000"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def gate(clock: Clock | None = None, **options: object) -> Admission:
    limits = options.pop("limits", Limits())
    return Admission(limits, clock=clock or Clock(), pause=0, **options)  # type: ignore[arg-type]


def with_password(password: str, peer: str = GUEST) -> Call:
    return Call(dict([host_password_entry(password)]), peer)


async def refusal(admission: Admission, rpc: str, call: Call) -> str | None:
    try:
        await admission.admit(rpc, call)
    except GenialError as error:
        return error.reason
    return None


class TestRates:
    async def test_too_many_calls_are_refused_until_time_has_passed(self) -> None:
        clock = Clock()
        admission = gate(clock, limits=Limits(calls_per_second=10, call_burst=3))
        answers = [await refusal(admission, GET_HOST, Call(peer=GUEST)) for _ in range(5)]
        assert answers == [None] * 3 + [Reason.TOO_MANY_CALLS] * 2
        clock.now += 0.1
        assert await refusal(admission, GET_HOST, Call(peer=GUEST)) is None

    async def test_another_port_is_the_same_guest(self) -> None:
        admission = gate(limits=Limits(call_burst=1))
        assert await refusal(admission, GET_HOST, Call(peer="ipv4:10.0.0.7:5000")) is None
        again = await refusal(admission, GET_HOST, Call(peer="ipv4:10.0.0.7:5001"))
        assert again == Reason.TOO_MANY_CALLS

    async def test_others_are_not_bound_by_it(self) -> None:
        admission = gate(limits=Limits(call_burst=1))
        for _ in range(3):
            await refusal(admission, GET_HOST, Call(peer=GUEST))
        assert await refusal(admission, GET_HOST, Call(peer=OTHER)) is None

    async def test_the_hosts_own_machine_and_services_are_exempt(self) -> None:
        admission = gate(limits=Limits(call_burst=1), secret="s3cret")
        service = Call(service_call("s3cret").metadata, GUEST)
        for call in (Call(peer="ipv4:127.0.0.1:9"), Call(peer="ipv6:%5B::1%5D:9"), Call(), service):
            assert [await refusal(admission, GET_TABLE, call) for _ in range(9)] == [None] * 9

    async def test_a_wrong_service_secret_is_refused(self) -> None:
        admission = gate(secret="s3cret")
        call = Call(service_call("guess").metadata, GUEST)
        assert await refusal(admission, GET_TABLE, call) == Reason.BAD_SERVICE_SECRET

    async def test_the_answer_to_a_flood_is_held_back(self) -> None:
        admission = Admission(Limits(call_burst=1), clock=Clock(), pause=3600)
        await admission.admit(GET_HOST, Call(peer=GUEST))
        flood = asyncio.ensure_future(refusal(admission, GET_HOST, Call(peer=GUEST)))
        await admission.admit(GET_HOST, Call(peer=OTHER))
        await asyncio.sleep(0)
        assert not flood.done()
        flood.cancel()

    async def test_a_flood_does_not_fill_the_log(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        admission = gate(limits=Limits(call_burst=1))
        for _ in range(500):
            await refusal(admission, GET_HOST, Call(peer=GUEST))
        assert len(caplog.records) == 1
        assert "10.0.0.7" in caplog.text


class TestStreams:
    def test_so_many_at_once_from_one_address(self) -> None:
        admission = gate(limits=Limits(streams_per_address=2))
        one, two = admission.stream(Call(peer=GUEST)), admission.stream(Call(peer=GUEST))
        with one:
            with two, pytest.raises(GenialError, match="2 things at once"):
                admission.stream(Call(peer=GUEST)).__enter__()
            with admission.stream(Call(peer=GUEST)), admission.stream(Call(peer=OTHER)):
                pass

    def test_connections_in_use_are_known(self) -> None:
        admission = gate()
        with admission.stream(Call(peer=GUEST)):
            assert admission.is_busy(GUEST)
            assert not admission.is_busy(OTHER)
        assert not admission.is_busy(GUEST)

    def test_a_stream_that_fails_is_given_back(self) -> None:
        admission = gate(limits=Limits(streams_per_address=1))
        for _ in range(3):
            with pytest.raises(ZeroDivisionError), admission.stream(Call(peer=GUEST)):
                raise ZeroDivisionError
        assert not admission.is_busy(GUEST)


class TestPassword:
    async def test_without_one_nobody_is_asked(self) -> None:
        assert await refusal(gate(), GET_TABLE, Call(peer=GUEST)) is None
        assert not gate().password_required

    async def test_right_wrong_and_missing(self) -> None:
        admission = gate(password="schön & lang")
        assert admission.password_required
        assert await refusal(admission, GET_TABLE, Call(peer=GUEST)) == Reason.HOST_PASSWORD_NEEDED
        wrong = await refusal(admission, GET_TABLE, with_password("schön & lan"))
        assert wrong == Reason.BAD_HOST_PASSWORD
        assert await refusal(admission, GET_TABLE, with_password("schön & lang")) is None

    async def test_the_same_letters_typed_elsewhere(self) -> None:
        admission = gate(password="scho\u0308n")
        assert await refusal(admission, GET_TABLE, with_password("sch\u00f6n")) is None

    async def test_who_the_host_is_may_be_asked_by_everybody(self) -> None:
        admission = gate(password="x")
        for rpc in (GET_HOST, "grpc.health.v1.Health.Check"):
            assert await refusal(admission, rpc, Call(peer=GUEST)) is None

    async def test_the_hosts_own_machine_needs_it_too(self) -> None:
        local = Call(peer="ipv4:127.0.0.1:9")
        assert await refusal(gate(password="x"), GET_TABLE, local) == Reason.HOST_PASSWORD_NEEDED

    async def test_guessing_ends_soon_and_even_the_right_one_waits(self) -> None:
        clock = Clock()
        admission = gate(clock, limits=Limits(wrong_passwords_per_minute=3), password="right")
        for _ in range(3):
            wrong = await refusal(admission, GET_TABLE, with_password("wrong"))
            assert wrong == Reason.BAD_HOST_PASSWORD
        for guess in ("wrong", "right"):
            answer = await refusal(admission, GET_TABLE, with_password(guess))
            assert answer == Reason.TOO_MANY_GUESSES
        assert await refusal(admission, GET_TABLE, with_password("right", OTHER)) is None
        clock.now += 60
        assert await refusal(admission, GET_TABLE, with_password("right")) is None

    async def test_it_is_never_in_the_log(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        admission = gate(password="hunter2")
        await refusal(admission, GET_TABLE, with_password("hunter3"))
        assert "wrong password" in caplog.text
        assert "hunter" not in caplog.text
        assert "hunter" not in repr(vars(admission))

    @pytest.mark.parametrize(
        "password", ["plain", "with space ", "100%", "ünïcode", "\x1b[2J", "😀"]
    )
    def test_any_password_fits_into_metadata(self, password: str) -> None:
        key, value = host_password_entry(password)
        assert key == HOST_PASSWORD
        assert value.isascii()
        assert value.isprintable()
        assert value == value.strip()


class Host:
    """A handler with two rpcs."""

    def __init__(self) -> None:
        self.release = asyncio.Event()

    async def get_host(
        self, request: lobby_service_pb2.GetHostRequest, call: Call
    ) -> lobby_service_pb2.GetHostResponse:
        return lobby_service_pb2.GetHostResponse(host=table_pb2.Host(host_id="h"))

    async def watch_tables(
        self, request: lobby_service_pb2.WatchTablesRequest, call: Call
    ) -> AsyncIterator[lobby_service_pb2.WatchTablesResponse]:
        yield lobby_service_pb2.WatchTablesResponse()
        await self.release.wait()


@asynccontextmanager
async def served(
    admission: Admission, options: Sequence[tuple[str, int]] = ()
) -> AsyncIterator[Any]:  # a channel; stubs type one API
    server = grpc.aio.server(options=list(options))
    service = lobby_service_pb2.DESCRIPTOR.services_by_name["LobbyService"]
    server.add_generic_rpc_handlers([rpc_handlers(service, Host(), admission)])
    health = add_standard_services(server, [service.full_name], admission)
    await health.set(service.full_name, health_pb2.HealthCheckResponse.SERVING)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"ipv4:127.0.0.1:{port}") as channel:
            yield channel
    finally:
        await server.stop(None)


class TestServed:
    """Nobody is exempt here, since everybody calls from this machine."""

    async def test_a_flood_gets_resource_exhausted_with_the_reason(self) -> None:
        limits = Limits(calls_per_second=1, call_burst=2, exempt=())
        async with served(gate(limits=limits)) as channel:
            stub = LobbyServiceStub(channel)
            for _ in range(2):
                await stub.GetHost(lobby_service_pb2.GetHostRequest())
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await stub.GetHost(lobby_service_pb2.GetHostRequest())
            assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert from_rpc_error(caught.value).reason == Reason.TOO_MANY_CALLS
            health: Any = health_pb2_grpc.HealthStub(channel)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await health.Check(health_pb2.HealthCheckRequest())
            assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED

    async def test_what_is_too_large_gets_the_reason(self) -> None:
        limits = Limits(request_bytes=1000, exempt=())
        rpc = "/genial.v1.LobbyService/GetHost"
        # An unknown field that says how long it is, as from a newer client.
        large = b"\xfa\x3f\xd0\x0f" + bytes(2000)
        long_entry = (("genial-nothing", "x" * 10_000),)
        async with served(gate(limits=limits), server_options(limits)) as channel:
            for data, metadata in ((large, ()), (b"", long_entry)):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await channel.unary_unary(rpc)(data, metadata=metadata)
                assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                assert DETAILS_KEY in dict(caught.value.trailing_metadata())
                refused = from_rpc_error(caught.value)
                assert refused.reason == Reason.MESSAGE_TOO_LARGE
                assert refused.metadata["limit"] == str(METADATA_BYTES if metadata else 1000)
            await channel.unary_unary(rpc)(large[:2] + b"\xd0\x01" + bytes(208))

    async def test_what_is_much_too_large_is_not_even_kept(self) -> None:
        """gRPC ends such calls by itself, so that nobody fills the host's memory."""
        limits = Limits(request_bytes=1000, exempt=())
        rpc = "/genial.v1.LobbyService/GetHost"
        async with served(gate(limits=limits), server_options(limits)) as channel:
            for data, metadata in ((bytes(5000), ()), (b"", (("genial-nothing", "x" * 40_000),))):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await channel.unary_unary(rpc)(data, metadata=metadata)
                assert from_rpc_error(caught.value).reason == Reason.MESSAGE_TOO_LARGE
                assert DETAILS_KEY not in dict(caught.value.trailing_metadata())

    async def test_streams_are_counted_and_given_back(self) -> None:
        async with served(gate(limits=Limits(streams_per_address=2, exempt=()))) as channel:
            stub = LobbyServiceStub(channel)
            health: Any = health_pb2_grpc.HealthStub(channel)
            streams = [
                stub.WatchTables(lobby_service_pb2.WatchTablesRequest()),
                health.Watch(health_pb2.HealthCheckRequest()),
            ]
            for stream in streams:
                await stream.read()
            third = stub.WatchTables(lobby_service_pb2.WatchTablesRequest())
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await third.read()
            assert from_rpc_error(caught.value).reason == Reason.TOO_MANY_STREAMS
            streams[0].cancel()

            async def admitted() -> bool:
                stream = stub.WatchTables(lobby_service_pb2.WatchTablesRequest())
                try:
                    return bool(await stream.read() is not grpc.aio.EOF)
                except grpc.aio.AioRpcError:
                    return False
                finally:
                    stream.cancel()

            async with asyncio.timeout(20):
                while not await admitted():
                    pass

    async def test_undecodable_bytes_are_invalid_everywhere(self) -> None:
        async with served(gate()) as channel:
            for rpc in ("/genial.v1.LobbyService/GetHost", "/grpc.health.v1.Health/Check"):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await channel.unary_unary(rpc)(b"\xff\xff")
                assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT, rpc
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await channel.unary_stream("/grpc.health.v1.Health/Watch")(b"\xff").read()
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            rpc = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
            talk = channel.stream_stream(rpc)(iter([b"\xff"]))
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await talk.read()
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT

    async def test_health_and_reflection_answer_as_they_should(self) -> None:
        async with served(gate(password="x")) as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            for name in ("", "genial.v1.LobbyService"):
                answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
                assert answer.status == health_pb2.HealthCheckResponse.SERVING
            stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
            request = reflection_pb2.ServerReflectionRequest(list_services="")
            talk = stub.ServerReflectionInfo(iter([request]))
            names = {each.name for each in (await talk.read()).list_services_response.service}
            assert {"genial.v1.LobbyService", "grpc.health.v1.Health"} <= names
