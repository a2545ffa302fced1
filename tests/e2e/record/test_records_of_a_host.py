"""`genial record fetch` and `genial replay ADDRESS GAME`, at a host that runs."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.e2e.cheating import cheats
from tests.e2e.cheating.evening import an_evening


async def genial(home: Path, *arguments: str, typed: str = "") -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command, while a host runs here."""
    environment = os.environ | {"HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "genial.cli",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    async with asyncio.timeout(60):
        out, err = await process.communicate(typed.encode())
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def test_a_finished_game_is_fetched_checked_shown_and_replayed(tmp_path: Path) -> None:
    async with an_evening(tmp_path) as evening:
        await evening.begin()
        content = await evening.play(4)
        assert evening.ana.session.game is not None
        address, game_id = evening.links[0].address, evening.ana.session.game.game_id
        path = tmp_path / "game.genial"
        fetch = ("record", "fetch", address, game_id, "--plaintext")
        assert await genial(tmp_path, *fetch, "-o", str(path)) == (0, "", "")
        assert path.read_bytes() == content
        assert (await genial(tmp_path, *fetch))[1].encode() == content
        assert await genial(tmp_path, "record", "check", str(path)) == (
            0,
            f"ok {path} verified\n",
            "",
        )
        code, out, err = await genial(tmp_path, "record", "show", str(path))
        assert (code, err) == (0, "")
        assert "Ana has resigned." in out
        assert "Rank 1: Max" in out
        code, out, err = await genial(
            tmp_path, "replay", address, game_id, "--plain", "--plaintext", typed="end\nracks\n"
        )
        assert (code, err) == (0, "")
        assert "Verified: every draw follows" in out
        assert "Max has " in out.splitlines()[-1]


async def test_what_a_host_has_not_is_said_in_a_line(tmp_path: Path) -> None:
    async with an_evening(tmp_path) as evening:
        await evening.begin()
        assert evening.ana.session.game is not None
        address, game_id = evening.links[0].address, evening.ana.session.game.game_id
        for command in (("record", "fetch"), ("replay",)):
            for game in (game_id, "nothing"):
                code, out, err = await genial(tmp_path, *command, address, game, "--plaintext")
                assert (code, out) == (1, "")
                assert len(err.splitlines()) == 1
                assert err.startswith("genial: ")


async def test_a_cheating_host_is_caught_by_the_command_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cheats.swaps_a_draw(monkeypatch)
    async with an_evening(tmp_path) as evening:
        await evening.begin()
        path = tmp_path / "game.genial"
        path.write_bytes(await evening.play(3))
        assert await genial(tmp_path, "record", "check", str(path)) == (
            1,
            f"{path}:5: these tiles do not follow from the shuffle\n",
            "",
        )
        assert evening.ana.session.game is not None
        code, out, err = await genial(
            tmp_path,
            "replay",
            evening.links[0].address,
            evening.ana.session.game.game_id,
            "--plain",
            "--plaintext",
        )
        assert (code, out) == (1, "")
        assert "does not stand" in err
        assert ":5: these tiles do not follow from the shuffle" in err
