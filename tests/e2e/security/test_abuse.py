"""Bored guests: they flood, hog, cheat and scribble, and the others hardly notice.

Whether the others notice is asked by progress: a game of two bots is played to its end meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import re
import signal
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from genial.client.channel import new_request_id, open_channel
from genial.client.trust import fetch_certificate
from genial.engine.rules import Rules
from genial.v1 import game_pb2, game_service_pb2, lobby_service_pb2
from genial.v1.lobby_service_pb2_grpc import LobbyServiceStub
from genial.wire.errors import Reason, from_rpc_error
from genial.wire.metadata import new_seat_token
from tests.e2e.processes import HostProcess, Program
from tests.e2e.security.hosts import (
    Line,
    bots_finish_a_game,
    encrypted_host,
    line_to,
    options_of,
    seat,
    tls_connection,
)
from tests.e2e.security.relay import relay

NASTY = "\x1b]0;owned\x07\x1b[2J\x9b31mEve\u202e\u200b\u0301\u0301\u0301\u0301\r\n> your turn"

GUEST_LIMITS = """
[limits]
exempt = ["127.0.0.1"]
calls_per_second = 20
call_burst = 20
streams_per_address = 5
connections_per_address = 10
tables_per_address = 3
wrong_passwords_per_minute = 3
"""
"""What is bound: everybody but who calls from 127.0.0.1, so that 127.0.0.2 is a guest."""


@pytest.fixture
async def strict(tmp_path: Path) -> AsyncIterator[HostProcess]:
    config = tmp_path / "host.toml"
    config.write_text(GUEST_LIMITS)
    async with encrypted_host(tmp_path, "--config", config) as host:
        yield host


@contextlib.asynccontextmanager
async def guest_line(host: HostProcess) -> AsyncIterator[Line]:
    """A line that comes from another address."""
    certificate = await fetch_certificate("127.0.0.1", host.port, 10)
    async with (
        relay(host.port, "127.0.0.2") as port,
        open_channel(f"ipv4:127.0.0.1:{port}", certificate) as channel,
    ):
        yield Line(channel)


def reason_of(error: grpc.aio.AioRpcError) -> str:
    return from_rpc_error(error).reason


def memory_of(pid: int) -> int:
    """Resident bytes of a process, as Linux counts them."""
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", text)
    assert found is not None
    return int(found.group(1)) * 1024


async def test_a_flooding_client_is_refused_and_the_others_play_on(strict: HostProcess) -> None:
    answers: Counter[str] = Counter()

    async def flood(stub: LobbyServiceStub) -> None:
        while True:
            try:
                await stub.GetHost(lobby_service_pb2.GetHostRequest(), timeout=20)
                answers["fine"] += 1
            except grpc.aio.AioRpcError as error:
                answers[reason_of(error)] += 1

    async with guest_line(strict) as line:
        floods = [asyncio.create_task(flood(line.lobby)) for _ in range(200)]
        await bots_finish_a_game(strict)
        for task in floods:
            task.cancel()
        await asyncio.gather(*floods, return_exceptions=True)
    assert answers[Reason.TOO_MANY_CALLS] > answers["fine"] > 0
    assert set(answers) == {"fine", Reason.TOO_MANY_CALLS}
    assert sum("calls too often" in each for each in strict.lines) == 1


async def test_a_thousand_idle_connections_cost_little(tmp_path: Path) -> None:
    """From an address that nothing binds, so that all thousand stay for a while."""
    async with encrypted_host(tmp_path) as host:
        await bots_finish_a_game(host)
        before = memory_of(host.process.pid)
        silent = [await asyncio.open_connection("127.0.0.1", host.port) for _ in range(900)]
        greeted = [await tls_connection(host.port) for _ in range(100)]
        await bots_finish_a_game(host)
        grown = memory_of(host.process.pid) - before
        for _reader, writer in (*silent, *greeted):
            writer.transport.abort()
        assert grown < 1000 * 100 * 1024
        await bots_finish_a_game(host)


async def test_a_guest_with_too_many_connections_loses_them(strict: HostProcess) -> None:
    async with relay(strict.port, "127.0.0.2") as port, guest_line(strict) as line:
        watching = line.lobby.WatchTables(lobby_service_pb2.WatchTablesRequest())
        await watching.read()
        ends = [await asyncio.open_connection("127.0.0.1", port) for _ in range(60)]
        gone = [asyncio.create_task(reader.read()) for reader, _writer in ends]
        async with asyncio.timeout(9):
            # Before the handshake's time is up: it is the number that is too large.
            for ended in itertools.islice(asyncio.as_completed(gone), 50):
                await ended
        # What is in use is spared.
        await line.lobby.GetHost(lobby_service_pb2.GetHostRequest())
        assert not watching.done()
        watching.cancel()
        for _reader, writer in ends:
            writer.transport.abort()
        await asyncio.gather(*gone, return_exceptions=True)


async def test_handshakes_that_come_to_nothing_are_ended(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path) as host:
        slow = [await asyncio.open_connection("127.0.0.1", host.port) for _ in range(50)]

        async def drip(writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError):
                # The beginning of a TLS record that claims to be long, then never enough of it.
                writer.write(b"\x16\x03\x01\x40\x00\x01")
                while not writer.is_closing():
                    writer.write(b"\x00")
                    await writer.drain()
                    await asyncio.sleep(0.5)

        dripping = [asyncio.create_task(drip(writer)) for _reader, writer in slow]
        await bots_finish_a_game(host)
        async with asyncio.timeout(40):
            for reader, _writer in slow:
                with contextlib.suppress(OSError):
                    await reader.read()
        for task in dripping:
            task.cancel()
        await asyncio.gather(*dripping, return_exceptions=True)
        for _reader, writer in slow:
            writer.transport.abort()


async def test_streams_tables_and_sizes_have_their_limits(strict: HostProcess) -> None:
    async with guest_line(strict) as line:
        streams = [line.lobby.WatchTables(lobby_service_pb2.WatchTablesRequest()) for _ in range(5)]
        for stream in streams:
            await stream.read()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await line.lobby.WatchTables(lobby_service_pb2.WatchTablesRequest()).read()
        assert reason_of(caught.value) == Reason.TOO_MANY_STREAMS
        for stream in streams:
            stream.cancel()

        def create(**fields: str) -> lobby_service_pb2.CreateTableRequest:
            return lobby_service_pb2.CreateTableRequest(
                request_id=new_request_id(), options=options_of(Rules(players=2)), **fields
            )

        for _ in range(3):
            await line.lobby.CreateTable(create())
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await line.lobby.CreateTable(create())
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert reason_of(caught.value) == Reason.TOO_MANY_TABLES
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await line.lobby.CreateTable(create(name="x" * 100_000))
        assert reason_of(caught.value) == Reason.MESSAGE_TOO_LARGE


async def test_names_and_chat_disturb_nobody(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path, "--log-level", "debug") as host, line_to(host) as line:
        request = lobby_service_pb2.CreateTableRequest(
            request_id=new_request_id(), options=options_of(Rules(players=3)), name=NASTY
        )
        table_id = (await line.lobby.CreateTable(request)).table.table_id
        reading = await Program.start(
            "watch", f"127.0.0.1:{host.port}", table_id, "--plain", home=tmp_path
        )
        await reading.line(lambda shown: "is open" in shown)
        token = new_seat_token()
        joined = await line.lobby.JoinTable(
            lobby_service_pb2.JoinTableRequest(
                request_id=new_request_id(), table_id=table_id, name=NASTY
            ),
            metadata=seat(token),
        )
        await line.lobby.SendChat(
            lobby_service_pb2.SendChatRequest(
                request_id=new_request_id(), table_id=table_id, text=f"hello {NASTY}"
            ),
            metadata=seat(token),
        )
        name = joined.table.seats[joined.seat].name
        assert name.isprintable()
        assert "Eve" in name
        stream, first = await line.watched(
            line.lobby.WatchTable, lobby_service_pb2.WatchTableRequest(table_id=table_id)
        )
        assert first.table.name.isprintable()
        assert first.chat[0].text.isprintable()
        stream.cancel()
        await reading.line(lambda shown: "hello" in shown)
        for shown in (*reading.lines, *host.lines):
            assert shown.isprintable(), repr(shown)
            assert shown != "> your turn"
        await reading.stop()


async def test_a_table_without_spectators_tells_them_nothing(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path) as host, line_to(host) as line:
        request = lobby_service_pb2.CreateTableRequest(
            request_id=new_request_id(),
            options=options_of(Rules(players=3), spectators_forbidden=True),
            bot_levels=["medium", "medium"],
        )
        table_id = (await line.lobby.CreateTable(request)).table.table_id
        token = new_seat_token()
        await line.lobby.JoinTable(
            lobby_service_pb2.JoinTableRequest(
                request_id=new_request_id(), table_id=table_id, name="Ana"
            ),
            metadata=seat(token),
        )
        own = line.lobby.WatchTable(
            lobby_service_pb2.WatchTableRequest(table_id=table_id), metadata=seat(token)
        )
        first: Any = await own.read()
        assert first.table.viewer_seat == 0
        for stranger, reason in (
            (None, Reason.SPECTATORS_FORBIDDEN),
            (new_seat_token(), Reason.BAD_SEAT_TOKEN),
        ):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await line.lobby.WatchTable(
                    lobby_service_pb2.WatchTableRequest(table_id=table_id),
                    metadata=seat(stranger),
                ).read()
            assert reason_of(caught.value) == reason
        own.cancel()


async def test_spectators_of_a_game_see_no_rack(tmp_path: Path) -> None:
    """Whatever they ask for, and whoever they say they are."""
    async with encrypted_host(tmp_path) as host, line_to(host) as line:
        request = lobby_service_pb2.CreateTableRequest(
            request_id=new_request_id(),
            options=options_of(Rules(players=2)),
            bot_levels=["medium", "medium"],
        )
        table_id = (await line.lobby.CreateTable(request)).table.table_id
        watched = line.lobby.WatchTable(lobby_service_pb2.WatchTableRequest(table_id=table_id))
        async for message in watched:
            if message.table.game_id:
                game_id = message.table.game_id
                break
        watched.cancel()
        answer = await line.games.GetGame(game_service_pb2.GetGameRequest(game_id=game_id))
        assert not answer.view.HasField("viewer_seat")
        assert not answer.view.rack
        stream = line.games.WatchGame(game_service_pb2.WatchGameRequest(game_id=game_id))
        async for seen in stream:
            assert not seen.view.rack
            if seen.view.state == game_pb2.GAME_STATE_FINISHED:
                break
        stream.cancel()


async def test_a_token_used_twice_serves_the_newer(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path) as host, line_to(host) as one, line_to(host) as two:
        request = lobby_service_pb2.CreateTableRequest(
            request_id=new_request_id(), options=options_of(Rules(players=2))
        )
        table_id = (await one.lobby.CreateTable(request)).table.table_id
        token = new_seat_token()
        join = lobby_service_pb2.JoinTableRequest(
            request_id=new_request_id(), table_id=table_id, name="Ana"
        )
        await one.lobby.JoinTable(join, metadata=seat(token))
        watch = lobby_service_pb2.WatchTableRequest(table_id=table_id)
        older, _first = await one.watched(one.lobby.WatchTable, watch, token)
        newer, first = await two.watched(two.lobby.WatchTable, watch, token)
        assert first.table.viewer_seat == 0
        async with asyncio.timeout(20):
            last = await older.read()
            while (message := await older.read()) is not grpc.aio.EOF:
                last = message
        assert last.superseded
        assert not newer.done()
        await two.lobby.SendChat(
            lobby_service_pb2.SendChatRequest(
                request_id=new_request_id(), table_id=table_id, text="still here"
            ),
            metadata=seat(token),
        )
        async with asyncio.timeout(20):
            message = await newer.read()
            while not message.chat:
                message = await newer.read()
        assert message.chat[0].text == "still here"
        assert message.table.seats[0].connected
        newer.cancel()


async def test_guessing_passwords_ends_soon(tmp_path: Path) -> None:
    from genial.wire.metadata import host_password_entry

    (tmp_path / "word").write_text("mellon\n")
    config = tmp_path / "host.toml"
    config.write_text(GUEST_LIMITS.replace("[limits]", 'password_file = "word"\n[limits]'))
    list_tables = lobby_service_pb2.ListTablesRequest()
    async with encrypted_host(tmp_path, "--config", config) as host, guest_line(host) as line:
        reasons = []
        for guess in ("friend", "foe", "speak", "mellon"):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await line.lobby.ListTables(list_tables, metadata=(host_password_entry(guess),))
            reasons.append(reason_of(caught.value))
        assert reasons == [Reason.BAD_HOST_PASSWORD] * 3 + [Reason.TOO_MANY_GUESSES]
        async with line_to(host) as other:
            await other.lobby.ListTables(list_tables, metadata=(host_password_entry("mellon"),))


async def test_nothing_secret_is_logged(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("mellon mellon\n")
    options = ("--password-file", tmp_path / "word", "--log-level", "debug")
    async with encrypted_host(tmp_path, *options) as host:
        from genial.wire.metadata import host_password_entry

        word = host_password_entry("mellon mellon")
        await bots_finish_a_game(host, (word,))
        token = new_seat_token()
        async with line_to(host) as line:
            request = lobby_service_pb2.CreateTableRequest(
                request_id=new_request_id(),
                options=options_of(Rules(players=2)),
                password="table secret",
            )
            made = await line.lobby.CreateTable(request, metadata=(word, *seat(token)))
            for secret in ("table secret", "wrong secret"):
                with contextlib.suppress(grpc.aio.AioRpcError):
                    await line.lobby.JoinTable(
                        lobby_service_pb2.JoinTableRequest(
                            request_id=new_request_id(),
                            table_id=made.table.table_id,
                            name="Ana",
                            password=secret,
                        ),
                        metadata=(word, *seat(token)),
                    )
        assert await host.terminate() == 0
        log = "\n".join(host.lines)
        assert len(log) > 500
        for secret in ("mellon", token, "table secret", "wrong secret", "PRIVATE KEY"):
            assert secret not in log
        # Tokens are 43 characters of base64url; seeds, nonces and hashes are 64 of hex.
        shown = set(re.findall(r"[A-Za-z0-9_-]{43,}", log))
        assert shown <= {host.fingerprint}
    assert os.listdir(tmp_path / "data")


async def test_a_watcher_that_stands_still_holds_up_nobody(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path) as host, line_to(host) as line:
        request = lobby_service_pb2.CreateTableRequest(
            request_id=new_request_id(),
            options=options_of(Rules(players=4), games=50),
            bot_levels=["medium"] * 4,
        )
        table_id = (await line.lobby.CreateTable(request)).table.table_id
        watching = await Program.start(
            "watch", f"127.0.0.1:{host.port}", table_id, "--plain", home=tmp_path
        )
        await watching.line(lambda shown: " R " in shown or "plac" in shown)
        watching.process.send_signal(signal.SIGSTOP)
        before = memory_of(host.process.pid)
        for _ in range(4):
            await bots_finish_a_game(host)
        assert memory_of(host.process.pid) - before < 64 * 1024 * 1024
        watching.process.send_signal(signal.SIGCONT)
        known = len(watching.lines)
        await watching.line(lambda shown: bool(shown), after=known)
        await watching.stop()
