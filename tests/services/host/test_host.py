"""A real host over loopback: the life of a table, and how a host begins and ends."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
import time
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from genial.engine.record import Verdict, judge
from genial.services.host import Host, HostReady, default_name, run_host
from genial.services.settings import BOTS, GAME, HISTORY, LOBBY, HostError
from genial.services.store import Database, StorageError
from genial.v1 import (
    bot_service_pb2,
    game_pb2,
    game_service_pb2,
    history_service_pb2,
    table_pb2,
)
from genial.v1 import lobby_service_pb2 as pb
from genial.wire.errors import Reason, from_rpc_error
from tests.services.host.hosts import Guest, Line, hosting, line_to, local, rid
from tests.services.lobby.lobbies import create_request, rules
from tests.services.waiting import until

OPEN = table_pb2.TABLE_STATE_OPEN
ACTIVE = table_pb2.TABLE_STATE_ACTIVE
FINISHED = table_pb2.TABLE_STATE_FINISHED


async def guests_at(line: Line, *names: str, **options: Any) -> list[Guest]:
    created = await line.lobby.CreateTable(create_request(len(names), **options))
    guests = [Guest(line, name, created.table.table_id) for name in names]
    for guest in guests:
        await guest.sit()
    return guests


async def test_the_life_of_a_table(tmp_path: Path) -> None:
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        host = (await line.lobby.GetHost(pb.GetHostRequest())).host
        assert (host.host_id, host.name) == (ready.host_id, "Test host")
        ana, eva = await guests_at(line, "Ana", "Eva")
        spectator = Guest(line, "", ana.table_id)
        async for message in line.lobby.WatchTable(pb.WatchTableRequest(table_id=ana.table_id)):
            spectator.table = message.table
            break
        assert not spectator.table.HasField("viewer_seat")
        await ana.do("SendChat", text="good luck\u202e!")
        for guest in (ana, eva):
            await guest.do("SetReady", ready=True)
        await until(lambda: ana.table.state == ACTIVE and eva.table.state == ACTIVE)
        view = await ana.view()
        assert (view.viewer_seat, len(view.rack), view.first_seat) == (0, 6, 0)
        assert view.shuffle.commitment == ana.table.shuffle.commitment
        await eva.resign()
        await until(lambda: ana.table.state == OPEN)
        assert [row.won_twelfths for row in ana.table.standings] == [12, 0]
        record = await line.history.GetRecord(
            history_service_pb2.GetRecordRequest(game_id=ana.table.game_id)
        )
        judgement = judge(record.record)
        assert judgement.verdict is Verdict.VERIFIED, judgement
        for guest in (ana, eva):
            await guest.do("Rematch")
        await until(lambda: ana.table.state == ACTIVE)
        assert (await ana.view()).first_seat == 1
        for guest in (ana, eva):
            await guest.do("ProposeEnd", agree=True)
        await until(lambda: ana.table.state == OPEN)
        listed = await line.lobby.ListTables(pb.ListTablesRequest())
        assert [table.table_id for table in listed.tables] == [ana.table_id]


async def test_a_person_and_a_real_bot_are_dealt_to(tmp_path: Path) -> None:
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        created = await line.lobby.CreateTable(create_request(2))
        ana = Guest(line, "Ana", created.table.table_id)
        await ana.sit()
        seated = await line.bots.SeatBot(
            bot_service_pb2.SeatBotRequest(request_id=rid(), table_id=ana.table_id),
            metadata=ana.metadata,
        )
        assert seated.seat == 1
        await ana.do("SetReady", ready=True)
        await until(lambda: ana.table.state == ACTIVE, 30)
        assert ana.table.seats[1].connected
        await ana.resign()
        await until(lambda: ana.table.state == OPEN)


async def test_bots_alone_play_to_the_end_and_their_record_is_verified(tmp_path: Path) -> None:
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        created = await line.lobby.CreateTable(
            create_request(2, bot_levels=["medium", "medium"], games=1)
        )
        watcher = Guest(line, "", created.table.table_id)
        async for message in line.lobby.WatchTable(pb.WatchTableRequest(table_id=watcher.table_id)):
            watcher.table = message.table
            if message.table.state == FINISHED:
                break
        found = await line.history.GetRecord(
            history_service_pb2.GetRecordRequest(game_id=watcher.table.game_id)
        )
        assert judge(found.record).verdict is Verdict.VERIFIED


async def test_health_and_reflection_answer_as_everywhere(tmp_path: Path) -> None:
    names = {
        f"genial.v1.{name}"
        for name in (
            "LobbyService",
            "GameService",
            "RoomService",
            "BotService",
            "HistoryService",
        )
    }
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        health: Any = health_pb2_grpc.HealthStub(line.channel)
        for name in ("", *names):
            answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(grpc.aio.AioRpcError) as unknown:
            await health.Check(health_pb2.HealthCheckRequest(service="genial.v1.Nothing"))
        assert unknown.value.code() is grpc.StatusCode.NOT_FOUND
        reflection: Any = reflection_pb2_grpc.ServerReflectionStub(line.channel)  # type: ignore[arg-type]
        call = reflection.ServerReflectionInfo(
            iter([reflection_pb2.ServerReflectionRequest(list_services="")])
        )
        async for answer in call:
            listed = {service.name for service in answer.list_services_response.service}
            assert names < listed
            break


async def test_bytes_that_are_no_message_are_refused_as_such(tmp_path: Path) -> None:
    rpcs = [
        ("LobbyService", "CreateTable"),
        ("GameService", "PlaceTile"),
        ("BotService", "SeatBot"),
        ("HistoryService", "GetRecord"),
    ]
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        for service, rpc in rpcs:
            call: Any = line.channel.unary_unary(f"/genial.v1.{service}/{rpc}")
            with pytest.raises(grpc.aio.AioRpcError) as refusal:
                await call(b"\xff\xff\xff")
            assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert from_rpc_error(refusal.value).reason == Reason.MALFORMED
        stream: Any = line.channel.unary_stream("/genial.v1.LobbyService/WatchTable")
        with pytest.raises(grpc.aio.AioRpcError) as refusal:
            async for _ in stream(b"\xff"):
                pass
        assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_the_port_is_in_use(tmp_path: Path) -> None:
    async with hosting(local(tmp_path / "one")) as (_, ready), line_to(ready.address) as line:
        second = Host(local(tmp_path / "two", port=ready.port))
        with pytest.raises(HostError, match=f"Port {ready.port} is in use.*--port"):
            await second.start()
        await second.close()
        assert (await line.lobby.GetHost(pb.GetHostRequest())).host.host_id == ready.host_id


async def test_a_port_that_anything_else_holds_is_in_use_too(tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as other:
        other.bind(("127.0.0.1", 0))
        other.listen(1)
        host = Host(local(tmp_path, port=other.getsockname()[1]))
        with pytest.raises(HostError, match="in use"):
            await host.start()
        await host.close()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"bind": "203.0.113.7"}, "cannot listen on 203.0.113.7"),
        ({"bind": "no such machine"}, "no address of this machine"),
        ({"port": 70_000}, "is no port"),
        ({"services": frozenset({"chess"})}, "no service 'chess'"),
        ({"services": frozenset()}, "at least one service"),
        ({"services": frozenset({LOBBY})}, "service game is needed"),
        ({"services": frozenset({BOTS, GAME})}, "service lobby is needed"),
        ({"services": frozenset({HISTORY})}, "beside game"),
        ({"peers": {LOBBY: "127.0.0.1:1"}}, "here and elsewhere"),
        (
            {"services": frozenset({GAME, LOBBY}), "peers": {HISTORY: "127.0.0.1:1"}},
            "run it here too",
        ),
        (
            {"services": frozenset({LOBBY}), "peers": {GAME: "127.0.0.1:1"}},
            "the same secret",
        ),
    ],
    ids=str,
)
async def test_settings_that_cannot_be_are_refused_with_a_sentence(
    tmp_path: Path, settings: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(HostError, match=sentence):
        async with hosting(local(tmp_path, **settings)):
            pass


async def test_a_second_host_on_the_same_data_is_refused(tmp_path: Path) -> None:
    async with hosting(local(tmp_path)):
        second = Host(local(tmp_path))
        with pytest.raises(HostError, match="nother host is using"):
            await second.start()
        await second.close()


async def test_a_data_directory_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(HostError, match="cannot be opened"):
        async with hosting(local(blocked / "below")):
            pass


def _damage(file: Path) -> None:
    """The first page says what there is; all that it speaks of becomes rubbish."""
    for name in ("-wal", "-shm"):
        file.with_name(file.name + name).unlink(missing_ok=True)
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    file.write_bytes(content)


async def test_damaged_data_are_said_to_be_that(tmp_path: Path) -> None:
    async with hosting(local(tmp_path)):
        pass
    _damage(tmp_path / "genial.db")
    with pytest.raises(HostError, match=r"cannot be opened: .*malformed.*--data"):
        async with hosting(local(tmp_path)):
            pass


async def test_an_emptied_database_is_no_new_beginning(tmp_path: Path) -> None:
    """A crash of the file system can leave a file of length nothing."""
    settings = local(tmp_path, plaintext=False)
    file = tmp_path / "genial.db"
    async with hosting(settings) as (_, ready):
        host_id = ready.host_id
    whole = file.read_bytes()
    file.write_bytes(b"")
    for _ in range(2):  # the first try must not make it look like another host's
        with pytest.raises(HostError, match=r"holds nothing of a host.*genial restore"):
            async with hosting(settings):
                pass
    file.write_bytes(whole)
    async with hosting(settings) as (_, ready):
        assert ready.host_id == host_id
    file.unlink()
    async with hosting(settings) as (_, ready):
        assert ready.host_id != host_id
    # Without a certificate it is what a first start leaves that found the disk full.
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "genial.db").touch()
    async with hosting(local(tmp_path / "new", plaintext=False)):
        pass


async def test_a_start_on_a_full_disk_asks_for_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(*_: object) -> None:
        fault = sqlite3.OperationalError("database or disk is full")
        fault.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise StorageError.of(fault)

    monkeypatch.setattr(Database, "open", full)
    with pytest.raises(HostError, match=r"no room .*free some space"):
        await Host(local(tmp_path)).start()


async def test_a_host_keeps_its_id_and_not_its_port(tmp_path: Path) -> None:
    async with hosting(local(tmp_path)) as (_, ready):
        first = ready
    async with hosting(local(tmp_path, name="\x1bRenamed\n")) as (_, ready):
        assert ready.host_id == first.host_id
        assert ready.name == "Renamed"
    async with hosting(local(tmp_path / "other")) as (_, ready):
        assert ready.host_id != first.host_id


async def test_a_host_on_all_addresses_can_be_dialled_and_has_a_name(tmp_path: Path) -> None:
    async with hosting(local(tmp_path, bind="", name="")) as (_, ready):
        assert ready.name == default_name()
        assert ready.line == (
            f"genial host ready id={ready.host_id} address={ready.address} fingerprint=-"
            f" name={ready.name}"
        )
        for address in {ready.address, f"127.0.0.1:{ready.port}"}:
            async with line_to(address) as line:
                await line.lobby.GetHost(pb.GetHostRequest(), wait_for_ready=True, timeout=10)


async def test_everybody_is_told_that_the_host_closes_and_it_closes_at_once(
    tmp_path: Path,
) -> None:
    host = Host(local(tmp_path))
    ready = await host.start()
    async with line_to(ready.address) as line:
        ana, eva = await guests_at(line, "Ana", "Eva")
        for guest in (ana, eva):
            await guest.do("SetReady", ready=True)
        await until(lambda: ana.table.state == ACTIVE)
        heard: dict[int, Any] = {}

        async def listen(number: int, stream: Any) -> None:
            async for message in stream:
                heard[number] = message

        streams = [
            line.lobby.WatchTables(pb.WatchTablesRequest()),
            line.lobby.WatchTable(pb.WatchTableRequest(table_id=ana.table_id)),
            line.games.WatchGame(
                game_service_pb2.WatchGameRequest(game_id=ana.table.game_id),
                metadata=ana.metadata,
            ),
        ]
        listening = [
            asyncio.create_task(listen(number, stream)) for number, stream in enumerate(streams)
        ]
        health: Any = health_pb2_grpc.HealthStub(line.channel)
        watched = health.Watch(health_pb2.HealthCheckRequest())
        assert (await watched.read()).status == health_pb2.HealthCheckResponse.SERVING
        await until(lambda: len(heard) == len(streams))
        began = time.monotonic()
        await host.close("Back in a minute")
        # What is promised to whoever sends SIGTERM; on a busy machine it takes a tenth of it.
        assert time.monotonic() - began < 2
        await asyncio.wait_for(asyncio.gather(*listening), 5)
        for last in heard.values():
            assert (last.closing.returning, last.closing.message) == (True, "Back in a minute")
        await until(lambda: ana.closing == eva.closing == "Back in a minute")


async def test_everything_is_there_again_after_a_restart(tmp_path: Path) -> None:
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        ana, eva = await guests_at(line, "Ana", "Eva")
        for guest in (ana, eva):
            await guest.do("SetReady", ready=True)
        await until(lambda: ana.table.state == ACTIVE)
        view = await ana.view()
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        again = Guest(line, "Ana", ana.table_id, ana.token, 0)
        again.watch()
        await until(lambda: again.table.state == ACTIVE)
        assert again.table.game_id == view.game_id
        now = await again.view()
        assert (now.rack, now.revision, now.board) == (view.rack, view.revision, view.board)
        await again.resign()
        await until(lambda: again.table.state == OPEN)


async def test_services_apart_find_each_other_by_address(tmp_path: Path) -> None:
    secret = "known to all services"
    rooms = local(tmp_path / "rooms", services=frozenset({GAME, HISTORY}), secret=secret)
    async with hosting(rooms) as (_, rooms_ready):
        lobby = local(
            tmp_path / "lobby",
            services=frozenset({LOBBY}),
            peers={GAME: rooms_ready.address},
            secret=secret,
        )
        async with (
            hosting(lobby) as (_, lobby_ready),
            line_to(lobby_ready.address) as line,
            line_to(rooms_ready.address) as game_line,
        ):
            ana, eva = await guests_at(line, "Ana", "Eva")
            for guest in (ana, eva):
                await guest.do("SetReady", ready=True)
            await until(lambda: ana.table.state == ACTIVE)
            for guest in (ana, eva):
                guest.line = Line(game_line.channel)
                assert (await guest.view()).viewer_seat == guest.seat
            await eva.resign()
            await until(lambda: ana.table.state == OPEN)
            with pytest.raises(grpc.aio.AioRpcError) as refusal:
                await line.bots.ListBotLevels(bot_service_pb2.ListBotLevelsRequest())
            assert refusal.value.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_wrong_secret_between_services_opens_nothing(tmp_path: Path) -> None:
    rooms = local(tmp_path / "rooms", services=frozenset({GAME, HISTORY}), secret="one")
    async with hosting(rooms) as (_, rooms_ready):
        lobby = local(
            tmp_path / "lobby",
            services=frozenset({LOBBY}),
            peers={GAME: rooms_ready.address},
            secret="another",
        )
        async with hosting(lobby) as (_, ready), line_to(ready.address) as line:
            ana, eva = await guests_at(line, "Ana", "Eva")
            for guest in (ana, eva):
                await guest.do("SetReady", ready=True)
            # No room can be made: the deal is disclosed, and everybody is asked again.
            await until(lambda: ana.table.state == OPEN and len(ana.table.void_deals) == 1)
            assert not any(seat.ready for seat in ana.table.seats)


async def test_run_host_runs_until_it_is_stopped(tmp_path: Path) -> None:
    told: list[HostReady] = []
    stop = asyncio.Event()
    running = asyncio.create_task(run_host(local(tmp_path), told.append, stop=stop, signals=False))
    await until(lambda: told)
    async with line_to(told[0].address) as line:
        await line.lobby.GetHost(pb.GetHostRequest())
    stop.set()
    await asyncio.wait_for(running, 5)
    with pytest.raises(HostError):
        await run_host(local(tmp_path, bind="203.0.113.7"), told.append, signals=False)
    assert len(told) == 1


async def test_partners_and_solitaire_are_dealt_to_as_well(tmp_path: Path) -> None:
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        for players, mode in ((4, game_pb2.MODE_PARTNERS), (1, game_pb2.MODE_SOLO)):
            names = ("Ana", "Eva", "Max", "Leo")[:players]
            guests = await guests_at(line, *names, rules=rules(players, mode=mode))
            for guest in guests:
                await guest.do("SetReady", ready=True)
            first = guests[0]
            await until(lambda first=first: first.table.state == ACTIVE)  # type: ignore[misc]
            view = await first.view()
            assert len(view.rack) == (1 if players == 1 else 6)
