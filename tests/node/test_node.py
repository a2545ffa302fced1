"""Another language at the table: the bot of docs/other-languages.md, in JavaScript, on Node.js.

It loads the .proto files and nothing else of ours. Needs Node.js with npm, which fetches two
libraries into `build/node` once.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.processes import DEADLINE, HostProcess, genial

HERE = Path(__file__).parent
MODULES = HERE.parent.parent / "build" / "node"
INSTALL_SECONDS = 180


def why_not() -> str | None:
    missing = [tool for tool in ("node", "npm") if shutil.which(tool) is None]
    return f"{' and '.join(missing)} is not installed" if missing else None


pytestmark = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))


@pytest.fixture(scope="module")
def modules() -> Path:
    """The folder of the two libraries, fetched if they are not there yet."""
    lock = (HERE / "package-lock.json").read_bytes()
    copy = MODULES / "package-lock.json"
    installed = MODULES / "node_modules" / "@grpc" / "grpc-js"
    if not installed.is_dir() or not copy.is_file() or copy.read_bytes() != lock:
        MODULES.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / "package.json", MODULES)
        shutil.copy(HERE / "package-lock.json", MODULES)
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(
            command,
            cwd=MODULES,
            capture_output=True,
            text=True,
            check=False,
            timeout=INSTALL_SECONDS,
        )
        assert done.returncode == 0, done.stderr
    return MODULES / "node_modules"


async def play(modules: Path, *words: str) -> str:
    process = await asyncio.create_subprocess_exec(
        "node",
        str(HERE / "bot.js"),
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "NODE_PATH": str(modules)},
    )
    try:
        async with asyncio.timeout(3 * DEADLINE):  # A whole game, beside whatever else runs here.
            out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.mark.parametrize(("encrypted", "bots"), [(True, 1), (False, 2)])
async def test_plays_a_whole_game_with_a_verified_deal(
    tmp_path: Path, modules: Path, encrypted: bool, bots: int
) -> None:
    host = await HostProcess.start(
        "host", "--bind", "127.0.0.1", "--no-announce", "--port", "0",
        *(() if encrypted else ("--plaintext",)), home=tmp_path,
    )  # fmt: skip
    try:
        await host.until_ready()
        access = ("--fingerprint", host.fingerprint) if encrypted else ("--plaintext",)
        create = (
            "create",
            host.address,
            "--players",
            "3",
            "--bots",
            ",".join(["easy"] * (3 - bots)),
        )
        made = await genial(*create, *access, home=tmp_path)
        assert made.code == 0, made.err
        told = await asyncio.gather(
            *(
                play(modules, host.address, made.out.strip(), host.fingerprint, f"Node {number}")
                for number in range(bots)
            )
        )
        for said in told:
            assert "deal checked" in said
            assert "ended: END_REASON_BOARD_FULL" in said or "END_REASON_ALL_AT_CAP" in said
        listed = await genial("games", host.address, "--json", *access, home=tmp_path)
        (game,) = listed.document
        record = tmp_path / "game.genial"
        fetch = ("record", "fetch", host.address, game["game_id"], "-o", record)
        fetched = await genial(*fetch, *access, home=tmp_path)
        assert fetched.code == 0, fetched.err
        assert (await genial("record", "check", record, home=tmp_path)).out == (
            f"ok {record} verified\n"
        )
    finally:
        await host.stop()


async def test_a_wrong_fingerprint_is_refused(tmp_path: Path, modules: Path) -> None:
    host = await HostProcess.start(
        "host", "--bind", "127.0.0.1", "--no-announce", "--port", "0", home=tmp_path
    )
    try:
        await host.until_ready()
        with pytest.raises(AssertionError, match="the host shows"):
            await play(modules, host.address, "table", "0" * 64)
    finally:
        await host.stop()
