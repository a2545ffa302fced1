"""What a table is opened with, as the people at it meet it: matches, partners' talk, clocks."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import HostProcess, PlainPlayer, genial, running_host

PLAIN = ("--plaintext",)
DEALT = "Your tiles: "


@asynccontextmanager
async def players_at(
    host: HostProcess, home: Path, names: Sequence[str], *options: str
) -> AsyncIterator[list[PlainPlayer]]:
    """Everybody at a table opened with `options`, in this order, once the first game begins."""
    created = await genial("create", host.address, *options, *PLAIN, home=home)
    assert created.code == 0, created.err
    seat = ("join", host.address, "--table", created.out.strip(), "--plain", *PLAIN)
    players: list[PlainPlayer] = []
    async with AsyncExitStack() as stack:
        for name in names:
            player = await PlainPlayer.start(*seat, "--name", name, home=home / name)
            stack.push_async_callback(player.stop)
            # Who comes after sits behind.
            await player.line(lambda line: "(you)" in line)
            players.append(player)
        for player in players:
            await heard(player, DEALT)
        yield players


async def heard(player: PlainPlayer, text: str, times: int = 1) -> None:
    """Waits until a line that begins so has come that often."""
    after = 0
    for _time in range(times):
        line = await player.line(lambda line: line.startswith(text), after)
        after = player.lines.index(line, after) + 1


def kept_headers(home: Path) -> list[dict[str, Any]]:
    """The headers of the records that a client has kept, by game of the match."""
    records = (home / ".local/share/genial/records").glob("*.genial")
    headers = [json.loads(path.read_text().partition("\n")[0]) for path in records]
    return sorted(headers, key=lambda header: int(header["match"]["game"]))


async def test_match_of_three_moves_the_first_seat_and_tells_standings(tmp_path: Path) -> None:
    config = tmp_path / "host.toml"
    config.write_text('[times]\ninterlude = "1s"\n')
    loopback = ("--bind", "127.0.0.1", "--no-announce", "--config", config)
    match = ("--players", "3", "--games", "3", "--first", "2")
    async with (
        running_host(tmp_path, *loopback) as host,
        players_at(host, tmp_path, ("Ana", "Max", "Eva"), *match) as players,
    ):
        ana = players[0]
        for game in (1, 2, 3):
            for player in players:
                await heard(player, DEALT, game)
            for player in players[1:]:
                player.type("resign")
                await heard(player, "You have resigned.", game)
            await heard(ana, f"The standings after {game} game")
            await heard(ana, f"Ana: games won {game}, lowest counters together 0.")
            await heard(ana, f"Game {game + 1} of 3 follows" if game < 3 else "Type rematch")
    headers = kept_headers(tmp_path / "Ana")
    assert [header["first_seat"] for header in headers] == [2, 0, 1]
    assert [header["first_by"] for header in headers] == ["named", "rotation", "rotation"]
    assert len({header["match"]["id"] for header in headers}) == 1
    assert {tuple(seat["name"] for seat in header["seats"]) for header in headers} == {
        ("Ana", "Max", "Eva")
    }


@pytest.mark.parametrize("may_talk", [False, True])
async def test_partners_talk_only_where_the_table_says_so(may_talk: bool, tmp_path: Path) -> None:
    names = ("Ana", "Max", "Eva", "Tom")
    options = ["--mode", "partners", *(["--partners-talk"] if may_talk else [])]
    async with (
        running_host(tmp_path) as host,
        players_at(host, tmp_path, names, *options) as players,
    ):
        ana, max_, eva, _tom = players
        ana.type("say play a red one")
        if may_talk:
            await heard(eva, "Ana says: play a red one")
        else:
            await heard(ana, "Partners may not talk")
        max_.type("resign")
        # A partner's resignation is the pair's, and with one pair left the game is over.
        await heard(eva, "The game is over: everybody else has resigned.")
        await heard(eva, "deal verified")
        eva.type("say well played")
        await heard(ana, "Eva says: well played")
        said = [line for line in eva.lines if line.startswith("Ana says")]
        assert len(said) == may_talk


async def test_clock_is_the_tables_and_in_the_record(tmp_path: Path) -> None:
    async with (
        running_host(tmp_path) as host,
        players_at(host, tmp_path, ("Ana", "Max"), "--clock", "10m+10s") as (ana, max_),
    ):
        ana.type("turn")
        await heard(ana, "Time left: Ana (you) ")
        max_.type("resign")
        await heard(ana, "deal verified")
    (header,) = kept_headers(tmp_path / "Ana")
    assert header["clock"] == "10m+10s"


async def test_seat_whose_clock_ran_out_is_taken_back_from_the_bot(tmp_path: Path) -> None:
    async with (
        running_host(tmp_path) as host,
        players_at(host, tmp_path, ("Ana", "Max"), "--clock", "1s+1m") as (ana, max_),
    ):
        await heard(ana, "A bot plays on for you; type back to take your seat again.")
        await heard(max_, "A bot, Ana (bot), plays on at seat 1.")
        await heard(max_, "> your turn")
        ana.type("rack")
        await heard(ana, "A bot plays on for you", 2)
        ana.type("back")
        await heard(ana, "Ana is back at seat 1.")
        max_.type("moves 1")
        await heard(max_, "place ")
        max_.type(next(line for line in max_.lines if line.startswith("place ")))
        await heard(max_, "End your turn")
        max_.type("refill")
        # Her turn that the bot ended has earned her time again.
        await heard(ana, "> your turn", 2)
        ana.type("resign")
        for player in (ana, max_):
            await heard(player, "deal verified")
