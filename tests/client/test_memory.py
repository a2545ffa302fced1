"""How much memory a client takes in a running game: a laptop of ten years ago is enough."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from tests.client.screen.pty_player import genial as in_terminal
from tests.e2e.processes import HostProcess, PlainPlayer, genial, keep_settings

MOST_MIB = 60.0
MOVES = 2


async def resident_mib(pid: int) -> float:
    """What `ps` says of a process, on any Unix."""
    asked = await asyncio.create_subprocess_exec(
        "ps", "-o", "rss=", "-p", str(pid), stdout=asyncio.subprocess.PIPE
    )
    told, _nothing = await asked.communicate()
    return int(told) / 1024


async def encrypted_table(host: HostProcess, home: Path) -> tuple[str, str]:
    address = f"127.0.0.1:{host.port}"
    made = await genial("create", address, "--bots", "easy", "--json", home=home)
    return address, made.document["table_id"]


async def test_a_client_takes_less_than_sixty_mebibytes(tmp_path: Path) -> None:
    host = await HostProcess.start(
        "host", "--port", "0", "--bind", "127.0.0.1", "--no-announce", home=tmp_path
    )
    try:
        await host.until_ready()
        address, table = await encrypted_table(host, tmp_path)
        plain = await PlainPlayer.start(
            "join", address, "--table", table, "--name", "Ana", "--plain", home=tmp_path
        )
        placed = 0

        def enough(line: str) -> bool:
            nonlocal placed
            placed += line.startswith("You placed")
            return placed == MOVES

        await plain.play_on(enough)
        assert await resident_mib(plain.process.pid) < MOST_MIB
        await plain.stop()

        # Refilling by itself, the rack may be full again before "END TURN" was ever seen.
        keep_settings(tmp_path, "auto_refill = false")
        address, table = await encrypted_table(host, tmp_path)
        options = ("join", address, "--table", table, "--name", "Eva")
        with in_terminal(tmp_path, *options, width=160, height=50) as screen:

            def misses(text: str) -> bool:
                return text not in screen.text()

            screen.sees("Enter ready")
            screen.child.send("\r")
            for _move in range(MOVES):
                for due, keys in (("YOUR TURN", "*\r"), ("END TURN", "f")):
                    screen.sees(due)
                    screen.child.send(keys)
                    screen.until(partial(misses, due), "nothing came of it")
            assert await resident_mib(screen.child.pid) < MOST_MIB
    finally:
        await host.stop()
