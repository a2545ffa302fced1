"""The bot of docs/bots.md, as it is printed there, plays a whole game at a real host."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from tests.e2e.processes import DEADLINE, environment, genial, running_host

DOCS = Path(__file__).parents[2] / "docs" / "bots.md"


def printed_bot() -> str:
    (code,) = re.findall(r"^```python\n(.*?)^```$", DOCS.read_text(encoding="utf-8"), re.S | re.M)
    assert isinstance(code, str)
    return code


def test_it_takes_twenty_lines() -> None:
    lines = [line for line in printed_bot().splitlines() if line.strip()]
    assert len(lines) <= 20


async def test_the_printed_bot_plays_a_whole_game(tmp_path: Path) -> None:
    script = tmp_path / "homemade.py"
    script.write_text(printed_bot(), encoding="utf-8")
    async with running_host(tmp_path) as host:
        created = await genial(
            "create",
            host.address,
            "--players",
            "2",
            "--bots",
            "medium",
            "--games",
            "1",
            "--json",
            "--plaintext",
            home=tmp_path,
        )
        table = created.document["table_id"]
        bot = await asyncio.create_subprocess_exec(
            sys.executable, str(script), host.address, table, env=environment(tmp_path)
        )
        try:
            async with asyncio.timeout(3 * DEADLINE):
                assert await bot.wait() == 0
        finally:
            if bot.returncode is None:
                bot.kill()
                await bot.wait()
        games = await genial("games", host.address, "--json", "--plaintext", home=tmp_path)
        (game,) = games.document
        assert game["state"] == "finished"
