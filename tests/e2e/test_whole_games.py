"""Whole games by real processes over the loopback."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from tests.e2e.processes import PlainPlayer, Program, genial, running_host

PLAIN = ("--plaintext",)


async def only_game(address: str, home: Path) -> dict[str, object]:
    games = await genial("games", address, "--json", *PLAIN, home=home)
    assert games.code == 0, games.err
    (game,) = games.document
    assert isinstance(game, dict)
    return game


async def checked_record(address: str, game_id: object, home: Path) -> str:
    path = home / "game.genial"
    fetched = await genial("record", "fetch", address, str(game_id), "-o", path, *PLAIN, home=home)
    assert (fetched.code, fetched.err) == (0, "")
    checked = await genial("record", "check", path, home=home)
    return checked.out.replace(str(path), "FILE")


async def test_two_plain_clients_fed_through_pipes_play_to_the_end(tmp_path: Path) -> None:
    async with running_host(tmp_path) as host:
        created = await genial("create", host.address, "--json", *PLAIN, home=tmp_path)
        assert set(created.document) == {"table_id"}
        table = created.document["table_id"]
        seat = ("join", host.address, "--table", table, "--plain", *PLAIN)
        players = []
        for name in ("Ana", "Max"):
            player = await PlainPlayer.start(*seat, "--name", name, home=tmp_path)
            players.append(player)
        try:
            async with asyncio.TaskGroup() as group:
                for player in players:
                    group.create_task(player.play_on(lambda line: line == "deal verified"))
            ana, max_ = players
            assert any(line.startswith("The game is over: ") for line in ana.lines)
            ranks = [line for line in ana.lines if line.startswith("Rank ")]
            assert len(ranks) == 2
            assert any("(you)" in rank for rank in ranks)
            assert [line for line in max_.lines if "is no command" in line] == []
            for player in players:
                player.end_input()
                assert await player.ended() == 0
        finally:
            for player in players:
                await player.stop()
        game = await only_game(host.address, tmp_path)
        assert set(game) == {
            "game_id",
            "table_id",
            "state",
            "started_at",
            "ended_at",
            "ranking",
        }
        assert (game["state"], game["table_id"]) == ("finished", table)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", str(game["started_at"]))
        assert await checked_record(host.address, game["game_id"], tmp_path) == "ok FILE verified\n"
        shown = await genial("record", "show", tmp_path / "game.genial", home=tmp_path)
        assert "Ana" in shown.out
        assert "Verified" in shown.out
        # Each client keeps the record and a receipt of its own.
        kept = {path.name for path in (tmp_path / ".local/share/genial/records").iterdir()}
        game_id = game["game_id"]
        assert kept == {f"{game_id}.genial", f"{game_id}.seat0.json", f"{game_id}.seat1.json"}
        assert await host.terminate() == 0


async def test_four_bots_play_four_players_to_the_end(tmp_path: Path) -> None:
    async with running_host(tmp_path) as host:
        bots = "medium,medium,medium,medium"
        created = await genial(
            "create", host.address, "--players", "4", "--bots", bots, *PLAIN, home=tmp_path
        )
        assert created.code == 0, created.err
        watcher = await Program.start(
            "watch", host.address, created.out.strip(), "--plain", *PLAIN, home=tmp_path
        )
        try:
            assert await watcher.ended() == 0
        finally:
            await watcher.stop()
        assert any(line.startswith("Rank 1: ") for line in watcher.lines)
        game = await only_game(host.address, tmp_path)
        assert game["state"] == "finished"
        ranking = game["ranking"]
        assert isinstance(ranking, list)
        assert sorted(seat for group in ranking for seat in group) == [0, 1, 2, 3]
        assert await checked_record(host.address, game["game_id"], tmp_path) == "ok FILE verified\n"
        tables = (await genial("tables", host.address, "--json", *PLAIN, home=tmp_path)).document
        (table,) = tables
        assert set(table) == {
            "table_id",
            "name",
            "state",
            "mode",
            "preset",
            "players",
            "seats",
            "game_id",
        }
        assert (table["state"], table["players"], table["mode"]) == ("finished", 4, "free")


async def test_lost_client_comes_back_to_its_seat_and_bot_of_ones_own_plays(
    tmp_path: Path,
) -> None:
    async with running_host(tmp_path) as host:
        created = await genial("create", host.address, *PLAIN, home=tmp_path)
        table = created.out.strip()
        bot = await Program.start(
            "bot", host.address, table, "--name", "Robo", *PLAIN, home=tmp_path / "bot"
        )
        seat = ("join", host.address, "--plain", *PLAIN, "--name", "Ana")
        player = await PlainPlayer.start(*seat, home=tmp_path)
        try:
            await player.line(lambda line: line == "> your turn")
            # The end of input is a lost connection, not a leaving.
            player.end_input()
            assert await player.ended() == 0
            seats = (await genial("tables", host.address, "--json", *PLAIN, home=tmp_path)).document
            ana = next(seat for seat in seats[0]["seats"] if seat["name"] == "Ana")
            assert ana == {"seat": ana["seat"], "name": "Ana", "kind": "human", "connected": False}
            again = await PlainPlayer.start(*seat, home=tmp_path)
            await again.line(lambda line: line == "> your turn")
            again.type("resign")
            await again.line(lambda line: line == "deal verified")
            again.type("leave")
            assert await again.ended() == 0
            await again.stop()
        finally:
            await player.stop()
            await bot.stop()


async def test_play_starts_a_game_at_once_and_ends_its_host(tmp_path: Path) -> None:
    player = await PlainPlayer.start(
        "play", "--plain", "--no-announce", "--name", "Ana", *PLAIN, home=tmp_path
    )
    try:
        invite = await player.line(lambda line: "genial join" in line)
        turns = 0

        def third_turn(line: str) -> bool:
            nonlocal turns
            turns += line == "It is your turn: place a tile."
            return turns == 3

        await player.play_on(third_turn)
        player.type("resign")
        await player.line(lambda line: line == "deal verified")
        player.type("quit")
        assert await player.ended() == 0
    finally:
        await player.stop()
    address = invite.rsplit(" ", 1)[1]
    gone = await genial("tables", address, *PLAIN, home=tmp_path)
    assert gone.code == 1
    assert "No host listens" in gone.err


async def test_play_host_stays_until_the_game_of_the_others_ends(tmp_path: Path) -> None:
    play = await PlainPlayer.start(
        "play",
        "--plain",
        "--no-announce",
        "--name",
        "Ana",
        "--bots",
        "none",
        *PLAIN,
        home=tmp_path,
    )
    friend = None
    try:
        invite = await play.line(lambda line: "genial join" in line)
        address = invite.rsplit(" ", 1)[1]
        friend = await PlainPlayer.start(
            "join", address, "--plain", "--name", "Max", *PLAIN, home=tmp_path / "max"
        )
        await play.line(lambda line: line == "> your turn")
        play.type("quit")
        await play.line(lambda line: line.startswith("The host stays"))
        assert await play.ended() == 0
        known = len(friend.lines)
        friend.type("seats")
        await friend.line(lambda line: line == "Seat 2: Max (you), ready.", known)
        friend.type("resign")
        # With one seat left the game ends; then the host has nobody to stay for.
        await friend.line(lambda line: line.startswith("The game is over"))
        assert await friend.ended() == 1
        assert "does not mean to come back" in friend.lines[-1]
    finally:
        await play.stop()
        if friend is not None:
            await friend.stop()


async def test_play_goes_on_in_its_own_game_after_quitting_and_after_a_crash(
    tmp_path: Path,
) -> None:
    play = ("play", "--plain", "--no-announce", "--name", "Ana", "--bots", "none", *PLAIN)
    first = await PlainPlayer.start(*play, home=tmp_path)
    friend = again = third = None
    try:
        invite = await first.line(lambda line: "genial join" in line)
        address = invite.rsplit(" ", 1)[1]
        friend = await PlainPlayer.start(
            "join", address, "--plain", "--name", "Max", *PLAIN, home=tmp_path / "max"
        )
        tiles = await first.line(lambda line: line.startswith("Your tiles: "))
        first.type("quit")
        await first.line(lambda line: line.startswith("The host stays"))
        assert await first.ended() == 0
        # The same host and the same game, whatever is asked for now.
        again = await PlainPlayer.start(*play, "--mode", "free", home=tmp_path)
        assert await again.line(lambda line: line.startswith("Your tiles: ")) == tiles
        assert invite in again.lines
        again.process.kill()
        await again.process.wait()
        third = await PlainPlayer.start(*play, home=tmp_path)
        assert await third.line(lambda line: line.startswith("Your tiles: ")) == tiles
        third.type("resign")
        await third.line(lambda line: line == "deal verified")
        # Its owner is back, so the host stays for a rematch.
        for player in (third, friend):
            player.type("rematch")
        known = third.lines.index("deal verified")
        await third.line(lambda line: line.startswith("Your tiles: "), known)
        # With the game over and nobody there, nothing keeps the host.
        third.type("resign")
        await third.line(lambda line: line == "deal verified", known + 1)
        friend.type("leave")
        assert await friend.ended() == 0
        third.type("quit")
        assert await third.ended() == 0
    finally:
        for started in (first, friend, again, third):
            if started is not None:
                await started.stop()


async def test_play_with_another_game_or_name_does_not_go_back_to_the_one_that_was_left(
    tmp_path: Path,
) -> None:
    async def seats(*options: str) -> list[str]:
        player = await PlainPlayer.start(
            "play", "--plain", "--no-announce", *options, *PLAIN, home=tmp_path
        )
        try:
            await player.line(lambda line: line.startswith("Your tiles: "))
            player.type("quit")
            assert await player.ended() == 0
            return [line for line in player.lines if line.startswith("Seat ")]
        finally:
            await player.stop()

    (ana, _bot) = await seats("--name", "Ana")
    assert "Ana (you)" in ana
    assert len(await seats("--name", "Ana", "--players", "3", "--bots", "easy,easy")) == 3
    assert "Eva (you)" in (await seats("--name", "Eva"))[0]
    assert "Ana (you)" in (await seats("--name", "Ana", "--players", "2"))[0]
