"""Hints and reviews as the plain client gives them, at a real host."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.e2e.processes import PlainPlayer, genial, running_host


@asynccontextmanager
async def seated_player(home: Path) -> AsyncIterator[PlainPlayer]:
    """Ana, at a table with an easy bot."""
    async with running_host(home) as host:
        created = await genial(
            "create", host.address, "--bots", "easy", "--json", "--plaintext", home=home
        )
        table = created.document["table_id"]
        seat = ("join", host.address, "--table", table, "--plain", "--plaintext")
        player = await PlainPlayer.start(*seat, "--name", "Ana", home=home)
        try:
            yield player
        finally:
            await player.stop()


async def test_a_hint_is_a_command_to_copy(tmp_path: Path) -> None:
    async with seated_player(tmp_path) as player:
        await player.line(lambda line: line == "> your turn")
        player.type("review")
        await player.line(lambda line: "once it is over" in line)
        player.type("hint")
        hint = await player.line(lambda line: line.startswith("place ") and "%" in line)
        said = len(player.lines)
        player.type(hint)
        # Placed: what is due now is the end of the turn.
        await player.line(lambda line: line == "> your turn", after=said)
        player.type("moves")
        await player.line(lambda line: line.startswith("refill"), after=said)


async def test_a_game_is_reviewed_when_it_is_over(tmp_path: Path) -> None:
    async with seated_player(tmp_path) as player:
        await player.play_on(lambda line: line == "deal verified")
        player.type("review")
        await player.line(lambda line: line.startswith("Ana: ") and "as good as any" in line)
