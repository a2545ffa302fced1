"""The services behind a real gRPC server on loopback, called as any client would."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from genial.engine.refusal import Refusal
from genial.services.game import GameServices, RemoteRooms
from genial.v1 import (
    game_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    history_service_pb2,
    history_service_pb2_grpc,
    room_service_pb2,
)
from genial.wire.errors import GenialError, Reason, from_rpc_error
from genial.wire.metadata import SEAT_TOKEN, bearer
from genial.wire.serving import method_name
from tests.services.game.hosting import (
    NOBODY,
    SECRET,
    call_of,
    fresh_id,
    hosted,
    next_request,
    play_on,
    room_request,
    token_of,
    view_of,
)

DEADLINE_S = 20
SERVICES = {
    module.DESCRIPTOR.services_by_name[name]
    for module, name in (
        (game_service_pb2, "GameService"),
        (history_service_pb2, "HistoryService"),
        (room_service_pb2, "RoomService"),
    )
}
RPCS = sorted((service.full_name, rpc.name) for service in SERVICES for rpc in service.methods)

THE_HOSTS_OWN = (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN)


class Line:
    """A host of games on loopback, and a channel to it."""

    def __init__(self, services: GameServices, channel: grpc.aio.Channel) -> None:
        self.services = services
        self.channel = channel
        self.games = game_service_pb2_grpc.GameServiceStub(channel)
        self.history = history_service_pb2_grpc.HistoryServiceStub(channel)

    async def raw(self, service: str, rpc: str, data: bytes) -> bytes:
        """Any bytes to any rpc; the first answer."""
        metadata = grpc.aio.Metadata((SEAT_TOKEN, token_of(0)), bearer(SECRET))
        path = f"/{service}/{rpc}"
        channel: Any = self.channel
        if not rpc.startswith("Watch"):
            answer = await channel.unary_unary(path)(data, metadata=metadata, timeout=DEADLINE_S)
            return bytes(answer)
        call = channel.unary_stream(path)(data, metadata=metadata, timeout=DEADLINE_S)
        async for first in call:
            call.cancel()
            return bytes(first)
        return b""


@pytest.fixture
async def line(tmp_path: Path) -> AsyncIterator[Line]:
    async with hosted(tmp_path / "host.db") as services:
        await services.rooms.create_room(room_request())
        server = grpc.aio.server()
        server.add_generic_rpc_handlers(services.rpc_handlers())
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        options = [("grpc.enable_http_proxy", 0)]
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
            yield Line(services, channel)
        await server.stop(None)


def as_seat(seat: int) -> grpc.aio.Metadata:
    return grpc.aio.Metadata((SEAT_TOKEN, token_of(seat)))


async def refused(call: object) -> GenialError:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        async with asyncio.timeout(DEADLINE_S):
            await call  # type: ignore[misc]
    return from_rpc_error(error.value)


@pytest.mark.parametrize(("service", "rpc"), RPCS)
async def test_undecodable_bytes_are_an_invalid_argument(
    line: Line, service: str, rpc: str
) -> None:
    before = await view_of(line.services, NOBODY)
    error = await refused(line.raw(service, rpc, b"\xff\xff\xff\xff"))
    assert error.code is grpc.StatusCode.INVALID_ARGUMENT
    assert error.reason == Reason.MALFORMED
    assert error.metadata["field"] == "request"
    assert await view_of(line.services, NOBODY) == before


@pytest.mark.parametrize(("service", "rpc"), RPCS)
async def test_an_empty_request_is_answered_or_refused_with_its_field(
    line: Line, service: str, rpc: str
) -> None:
    name = method_name(rpc)
    if name.startswith("list_") or name in ("get_statistics", "watch_rooms"):
        await line.raw(service, rpc, b"")
        return
    error = await refused(line.raw(service, rpc, b""))
    assert error.reason == Reason.MALFORMED
    assert error.metadata["field"] in ("request_id", "game_id", "tile")


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_nothing_that_a_client_sends_is_the_hosts_fault(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Random bytes and mutated messages, a few calls to a host of their own each."""
    calls = data.draw(
        st.lists(st.tuples(st.sampled_from(RPCS), requests()), min_size=10, max_size=10)
    )
    asyncio.run(_send_all(tmp_path_factory.mktemp("host"), calls))


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """Bytes that are a request, nearly one, or nothing at all."""
    genuine = draw(
        st.sampled_from(
            [
                game_service_pb2.PlaceTileRequest(
                    request_id=fresh_id_of(draw),
                    game_id="game-1",
                    expected_revision=2,
                    tile="RB",
                    cells=[game_pb2.Cell(q=0, r=-4), game_pb2.Cell(q=1, r=-4)],
                ).SerializeToString(),
                room_request(f"game-{draw(st.integers(1, 3))}").SerializeToString(),
                room_service_pb2.CommandRoomRequest(
                    request_id=fresh_id_of(draw),
                    game_id="game-1",
                    take_over=room_service_pb2.TakeOverSeat(seat=room_request().seats[0]),
                ).SerializeToString(),
                game_service_pb2.WatchGameRequest(game_id="game-1").SerializeToString(),
            ]
        )
    )
    mutated = bytearray(genuine)
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(mutated) - 1))
        mutated[place] = draw(st.integers(0, 255))
    return draw(st.sampled_from([bytes(mutated), genuine, draw(st.binary(max_size=50))]))


def fresh_id_of(draw: st.DrawFn) -> str:
    return str(draw(st.uuids(version=4)))


async def _send_all(folder: Path, calls: list[tuple[tuple[str, str], bytes]]) -> None:
    async with hosted(folder / "host.db") as services:
        await services.rooms.create_room(room_request())
        server = grpc.aio.server()
        server.add_generic_rpc_handlers(services.rpc_handlers())
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        options = [("grpc.enable_http_proxy", 0)]
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=options) as channel:
            line = Line(services, channel)
            for (service, rpc), request in calls:
                (error,) = await asyncio.gather(
                    line.raw(service, rpc, request), return_exceptions=True
                )
                if isinstance(error, grpc.aio.AioRpcError):
                    assert error.code() not in THE_HOSTS_OWN, error
                else:
                    assert isinstance(error, bytes), error
            # The room still lives.
            assert (await view_of(services, NOBODY)).revision >= 2
        await server.stop(None)


async def next_view(stream: grpc.aio.UnaryStreamCall[Any, Any]) -> game_pb2.GameView:
    update = await stream.read()
    assert isinstance(update, game_service_pb2.WatchGameResponse)
    return update.view


async def test_a_whole_game_over_the_wire(line: Line) -> None:
    rng = random.Random(1)
    spectating = line.games.WatchGame(game_service_pb2.WatchGameRequest(game_id="game-1"))
    watching = [
        line.games.WatchGame(
            game_service_pb2.WatchGameRequest(game_id="game-1"), metadata=as_seat(seat)
        )
        for seat in range(2)
    ]
    async with asyncio.timeout(60):
        views = [await next_view(stream) for stream in watching]
        while views[0].state == game_pb2.GAME_STATE_RUNNING:
            seat = views[0].turn_seat
            request = next_request(views[seat], rng)
            method: Any = {
                game_service_pb2.PlaceTileRequest: line.games.PlaceTile,
                game_service_pb2.RefillRackRequest: line.games.RefillRack,
                game_service_pb2.ExchangeRackRequest: line.games.ExchangeRack,
            }[type(request)]
            answer = await method(request, metadata=as_seat(seat))
            views = [await next_view(stream) for stream in watching]
            assert answer.view == views[seat]
        seen = [update async for update in spectating]
        assert await watching[0].read() == grpc.aio.EOF
        assert await watching[0].code() is grpc.StatusCode.OK
    assert seen[-1].view.ranking == views[0].ranking
    assert [event.n for update in seen for event in update.events] == list(
        range(1, views[0].revision + 1)
    )
    record = await line.history.GetRecord(history_service_pb2.GetRecordRequest(game_id="game-1"))
    assert record.record.startswith(b'{"record":')


async def test_refusals_arrive_whole(line: Line) -> None:
    request = next_request(await view_of(line.services, call_of(0)), random.Random(1))
    assert isinstance(request, game_service_pb2.PlaceTileRequest)
    out_of_turn = await refused(line.games.PlaceTile(request, metadata=as_seat(1)))
    assert (out_of_turn.reason, out_of_turn.code) == (
        Refusal.NOT_YOUR_TURN,
        grpc.StatusCode.FAILED_PRECONDITION,
    )
    assert out_of_turn.sentence == Refusal.NOT_YOUR_TURN.sentence
    request.expected_revision = 9
    request.request_id = fresh_id()
    stale = await refused(line.games.PlaceTile(request, metadata=as_seat(0)))
    assert (stale.reason, stale.code) == (Reason.STALE_REVISION, grpc.StatusCode.ABORTED)
    assert stale.metadata == {"revision": "2"}
    request.seat = 1
    not_mine = await refused(line.games.PlaceTile(request, metadata=as_seat(0)))
    assert not_mine.code is grpc.StatusCode.PERMISSION_DENIED
    bad_token = grpc.aio.Metadata((SEAT_TOKEN, "nonsense"))
    nobody = await refused(line.games.PlaceTile(request, metadata=bad_token))
    assert nobody.code is grpc.StatusCode.UNAUTHENTICATED
    unknown = await refused(line.games.GetGame(game_service_pb2.GetGameRequest(game_id="none")))
    assert unknown.code is grpc.StatusCode.NOT_FOUND
    running = await refused(
        line.history.GetRecord(history_service_pb2.GetRecordRequest(game_id="game-1"))
    )
    assert running.code is grpc.StatusCode.FAILED_PRECONDITION


async def test_a_fault_of_the_hosts_own_is_logged_and_the_room_lives(
    line: Line, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    request = next_request(await view_of(line.services, call_of(0)), random.Random(1))

    def broken(*args: object) -> None:
        raise ZeroDivisionError("a bug")

    with monkeypatch.context() as patched:
        patched.setattr("genial.services.game.room.decide", broken)
        fault = await refused(line.games.PlaceTile(request, metadata=as_seat(0)))  # type: ignore[arg-type]
    assert fault.reason == Reason.HOST_FAULT
    assert fault.metadata["reference"] in caplog.text
    assert "a bug" not in fault.sentence
    answer = await line.games.PlaceTile(request, metadata=as_seat(0))  # type: ignore[arg-type]
    assert answer.revision == 3


async def test_a_reader_that_stalls_delays_nobody(line: Line) -> None:
    """The stream is opened and never read, so that the host's writes block."""
    stalled = [
        line.games.WatchGame(game_service_pb2.WatchGameRequest(game_id="game-1")) for _ in range(20)
    ]
    for stream in stalled:
        await stream.read()
    async with asyncio.timeout(60):
        end = await play_on(line.services, random.Random(3))
    assert end.state == game_pb2.GAME_STATE_FINISHED
    room = await line.services.rooms.room("game-1")
    async with asyncio.timeout(DEADLINE_S), aclosing(reports(line.services)) as heard:
        for stream in stalled:
            stream.cancel()
        while room.watchers:
            await anext(heard)


def reports(
    services: GameServices,
) -> AsyncGenerator[room_service_pb2.WatchRoomsResponse, None]:
    return services.rooms.watch_rooms(room_service_pb2.WatchRoomsRequest())


async def test_rooms_are_for_services_alone(line: Line) -> None:
    for secret in ("", "wrong", SECRET.upper(), SECRET + "x"):
        rooms = RemoteRooms(line.channel, secret)
        with pytest.raises(GenialError) as error:
            await rooms.get_room(room_service_pb2.GetRoomRequest(game_id="game-1"))
        assert error.value.reason == Reason.BAD_SERVICE_SECRET


async def test_rooms_behind_an_address_are_as_rooms_in_process(line: Line) -> None:
    rooms = RemoteRooms(line.channel, SECRET)
    created = await rooms.create_room(room_request("game-2", players=4))
    assert created.revision == 4
    watching = rooms.watch_rooms(room_service_pb2.WatchRoomsRequest())
    async with asyncio.timeout(DEADLINE_S):
        first = await anext(watching)
        assert [room.game_id for room in first.rooms] == ["game-1", "game-2"]
        end = room_service_pb2.EndEarly(reason=game_pb2.END_REASON_AGREED)
        await rooms.command_room(
            room_service_pb2.CommandRoomRequest(
                request_id=fresh_id(), game_id="game-2", end_early=end
            )
        )
        changed = (await anext(watching)).rooms[0]
        assert changed.end_reason == game_pb2.END_REASON_AGREED
    await watching.aclose()
    found = await rooms.get_room(room_service_pb2.GetRoomRequest(game_id="game-2"))
    assert found.room == changed
    record = await rooms.get_room_record(room_service_pb2.GetRoomRecordRequest(game_id="game-2"))
    assert b'"agreed"' in record.record
