"""A host in three processes: players see one address, one certificate, one host."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import grpc
import pytest

from genial.client.channel import new_request_id
from genial.engine.rules import Rules
from genial.v1 import bot_service_pb2, game_service_pb2, history_service_pb2, lobby_service_pb2
from genial.v1.bot_service_pb2_grpc import BotServiceStub
from genial.v1.history_service_pb2_grpc import HistoryServiceStub
from genial.wire.errors import Reason, from_rpc_error
from genial.wire.metadata import AUTHORIZATION, FORWARDED_BY, host_password_entry, new_seat_token
from tests.e2e.processes import HostProcess, genial
from tests.e2e.security.hosts import Line, bots_finish_a_game, encrypted_host, line_to, options_of


async def part(
    stack: AsyncExitStack, home: Path, services: str, port: int, *more: str | Path
) -> HostProcess:
    """One process of the host."""
    shared = ("--secret-file", home / "secret", "--certificate", home / "certificate.pem")
    folder = home / services
    folder.mkdir(exist_ok=True)
    return await stack.enter_async_context(
        encrypted_host(folder, "--services", services, *shared, *more, port=port)
    )


@asynccontextmanager
async def three_processes(home: Path, ports: list[int]) -> AsyncIterator[tuple[HostProcess, ...]]:
    """Lobby, games and bots, started in that order: each waits for the others."""
    (home / "secret").write_text("between-us-and-nobody-else\n")
    (home / "word").write_text("mellon\n")
    lobby_port, game_port, bot_port = ports
    lobby, game, bots = (f"{name}=127.0.0.1:{port}" for name, port in zip(
        ("lobby", "game", "bots"), ports, strict=True
    ))  # fmt: skip
    history = f"history=127.0.0.1:{game_port}"
    word = ("--password-file", home / "word")
    async with AsyncExitStack() as stack:
        peers = ("--peer", game, "--peer", history, "--peer", bots)
        first = await part(stack, home, "lobby", lobby_port, *peers, *word)
        second = await part(stack, home, "game,history", game_port, *word)
        third = await part(stack, home, "bots", bot_port, "--peer", lobby, "--peer", game, *word)
        yield first, second, third


async def test_players_see_one_host(tmp_path: Path, unused_tcp_port_factory: object) -> None:
    ports = [unused_tcp_port_factory() for _ in range(3)]  # type: ignore[operator]
    word = host_password_entry("mellon")
    async with three_processes(tmp_path, ports) as (lobby, game, bots):
        assert lobby.fingerprint == game.fingerprint == bots.fingerprint
        await bots_finish_a_game(lobby, (word,))
        async with line_to(lobby) as line:
            listed = await line.games.ListGames(
                game_service_pb2.ListGamesRequest(), metadata=(word,)
            )
            (played,) = listed.games
            history = HistoryServiceStub(line.channel)
            record = await history.GetRecord(
                history_service_pb2.GetRecordRequest(game_id=played.game_id), metadata=(word,)
            )
            (tmp_path / "game.genial").write_bytes(record.record)
            await refused_as_elsewhere(line)
        checked = await genial("record", "check", tmp_path / "game.genial", home=tmp_path)
        assert checked.out.endswith("verified\n")
        # The games' own address asks for the password too; who says that somebody else has
        # asked already needs the secret.
        async with line_to(game) as line:
            request = game_service_pb2.ListGamesRequest()
            for metadata, reason in (
                ((), Reason.HOST_PASSWORD_NEEDED),
                (((FORWARDED_BY, "guess"),), Reason.BAD_SERVICE_SECRET),
                (((AUTHORIZATION, "Bearer guess"),), Reason.BAD_SERVICE_SECRET),
            ):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await line.games.ListGames(request, metadata=metadata)
                assert from_rpc_error(caught.value).reason == reason


async def refused_as_elsewhere(line: Line) -> None:
    """What the other process refuses is told as it said it."""
    word = host_password_entry("mellon")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await line.games.GetGame(game_service_pb2.GetGameRequest(game_id="none"), metadata=(word,))
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    assert from_rpc_error(caught.value).reason == Reason.UNKNOWN_GAME
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await line.games.WatchGame(
            game_service_pb2.WatchGameRequest(game_id="none"), metadata=(word,)
        ).read()
    assert from_rpc_error(caught.value).reason == Reason.UNKNOWN_GAME
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await line.games.GetGame(game_service_pb2.GetGameRequest(game_id="none"))
    assert from_rpc_error(caught.value).reason == Reason.HOST_PASSWORD_NEEDED
    # A caller cannot pass for a service by what is passed on for it.
    request = lobby_service_pb2.CreateTableRequest(
        request_id=new_request_id(), options=options_of(Rules(players=2))
    )
    made = await line.lobby.CreateTable(
        request, metadata=(word, ("genial-seat-token", new_seat_token()))
    )
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await BotServiceStub(line.channel).SeatBot(
            bot_service_pb2.SeatBotRequest(
                request_id=new_request_id(), table_id=made.table.table_id, level="medium"
            ),
            metadata=(word, (AUTHORIZATION, "Bearer guess")),
        )
    assert from_rpc_error(caught.value).reason == Reason.BAD_SERVICE_SECRET


async def test_a_part_that_is_gone_is_named_and_comes_back(
    tmp_path: Path, unused_tcp_port_factory: object
) -> None:
    ports = [unused_tcp_port_factory() for _ in range(3)]  # type: ignore[operator]
    word = host_password_entry("mellon")
    async with three_processes(tmp_path, ports) as (lobby, game, _bots), line_to(lobby) as line:
        await game.stop()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await line.games.ListGames(game_service_pb2.ListGamesRequest(), metadata=(word,))
        error = from_rpc_error(caught.value)
        assert error.reason == Reason.SERVICE_DOWN
        assert "GameService" in error.sentence
        async with AsyncExitStack() as stack, asyncio.timeout(60):
            await part(
                stack, tmp_path, "game,history", ports[1], "--password-file", tmp_path / "word"
            )
            await bots_finish_a_game(lobby, (word,))
