"""Real hosts killed with SIGKILL at moments that nobody chose, in the middle of real games."""

from __future__ import annotations

import asyncio
import random
import stat
from pathlib import Path

import pytest

from genial.client.session import Access, DiskStore, connect
from genial.engine.record import Verdict, judge
from genial.engine.rules import Rules
from genial.v1 import game_service_pb2
from tests.conftest import SOAK
from tests.e2e.killing.players import Player
from tests.e2e.processes import DEADLINE, HostProcess, PlainPlayer, genial
from tests.e2e.security.hosts import HIDDEN, encrypted_host, options_of

GAMES = 50 if SOAK else 5
KILLS = 3 if SOAK else 2


async def start(home: Path, port: int = 0) -> HostProcess:
    """A host that encrypts, on data that stays from one to the next."""
    options = (*HIDDEN, "--port", str(port), "--name", "Cellar", "--data", home / "data")
    host = await HostProcess.start("host", *options, home=home)
    await host.until_ready()
    return host


async def moves_made(player: Player, count: int) -> None:
    """Returns once so many events have happened since now, or the game is over."""
    game = player.session.game
    wanted = (game.revision if game else 0) + count
    async with asyncio.timeout(DEADLINE):
        while player.verdict is None:
            game = player.session.game
            if game is not None and (game.revision >= wanted or game.view.is_over):
                return
            await asyncio.sleep(0.002)


def assert_private(home: Path) -> None:
    """What a client keeps of its seats is for its owner alone."""
    kept = [path for path in home.rglob("seats/*/*/*") if path.suffix != ".lock"]
    assert any(path.suffix == ".json" for path in kept)
    for path in kept:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700, path.parent


@pytest.mark.parametrize("seed", range(GAMES))
async def test_a_game_at_a_host_that_is_killed(tmp_path: Path, seed: int) -> None:
    source = random.Random(seed)
    host = await start(tmp_path / "host")
    try:
        address = f"127.0.0.1:{host.port}"
        async with await connect(address, store=DiskStore(tmp_path / "s", tmp_path / "d")) as link:
            table = await link.create_table(options_of(Rules(players=2)))
        players = [
            await Player.sit(
                address, table.table_id, name, tmp_path / name, random.Random(f"{seed} {name}")
            )
            for name in ("Ana", "Max")
        ]
        games = [asyncio.create_task(player.play()) for player in players]
        try:
            for _ in range(KILLS):
                await moves_made(players[0], source.randrange(1, 20))
                await asyncio.sleep(source.random() * 0.03)
                host.process.kill()
                await host.stop()
                host = await start(tmp_path / "host", host.port)
            async with asyncio.timeout(2 * DEADLINE):
                await asyncio.gather(*games)
        finally:
            for game in games:
                game.cancel()
            await asyncio.gather(*games, return_exceptions=True)
        for player in players:
            assert player.verdict is not None
            assert player.verdict.verified, player.verdict.problems
            assert player.verdict.record_path is not None
            judgement = judge(player.verdict.record_path.read_bytes())
            assert judgement.verdict is Verdict.VERIFIED
            assert judgement.record is not None
            assert len(player.granted) > 5
            player.misses_nothing(judgement.record)
        assert await host.terminate() == 0
    finally:
        await host.stop()


async def test_a_killed_client_finds_its_seat_again_and_nobody_else_can(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path / "host") as host:
        address = f"127.0.0.1:{host.port}"
        created = await genial("create", address, "--bots", "easy", home=tmp_path)
        assert created.code == 0, created.err
        seat = ("join", address, "--plain", "--name", "Ana")
        first = await PlainPlayer.start(*seat, home=tmp_path)
        second = None
        try:
            tiles = await first.line(lambda line: line.startswith("Your tiles: "))
            await first.line(lambda line: line == "> your turn")
            first.process.kill()
            await first.process.wait()
            assert_private(tmp_path)
            second = await PlainPlayer.start(*seat, home=tmp_path)
            assert await second.line(lambda line: line.startswith("Your tiles: ")) == tiles
            second.type("resign")
            await second.line(lambda line: line == "deal verified")
        finally:
            await first.stop()
            if second is not None:
                await second.stop()


async def test_a_second_host_on_one_data_directory_says_so_and_ends(tmp_path: Path) -> None:
    async with encrypted_host(tmp_path) as host:
        second = await genial(
            "host", *HIDDEN, "--port", "0", "--data", tmp_path / "data", home=tmp_path
        )
        assert second.code == 1
        assert "Another host is using" in second.err
        assert "Traceback" not in second.err
        # The first has lost nothing by it.
        async with await connect(f"127.0.0.1:{host.port}", access=Access()) as link:
            table = await link.create_table(options_of(Rules(players=2)))
            assert [each.table_id for each in await link.list_tables()] == [table.table_id]
            listed = await link.games.ListGames(game_service_pb2.ListGamesRequest())
            assert not listed.games
