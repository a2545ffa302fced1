"""A bundle, made here and installed where there is no way to anywhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.processes import GENIAL, environment
from tests.lan.namespaces import missing, namespaces
from tests.lan.programs import Program

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

PYTHON = getattr(sys, "_base_executable", sys.executable)
"""Not the one of the tests' own virtual environment, which knows everything already."""


def test_installs_and_plays_offline_and_makes_the_same_bundle_again(tmp_path: Path) -> None:
    bundle = tmp_path / "genial.zip"
    made = subprocess.run(
        [*GENIAL, "bundle", str(bundle), "--for", "here"],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert made.returncode == 0, made.stderr
    assert f"python3 {bundle.name}" in made.stdout
    assert "systems like this one" in made.stdout
    home = tmp_path / "home"
    home.mkdir()
    genial = home / "genial-lan" / "bin" / "genial"
    variables = environment(home, {"PYTHONPATH": "", "VIRTUAL_ENV": ""})
    with namespaces(1, "10.95.0") as (laptop,):

        def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                laptop.command(*map(str, words)),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=240,
                env=variables,
            )

        installed = run(PYTHON, bundle)
        assert installed.returncode == 0, installed.stdout + installed.stderr
        assert f"Play with: {genial} play" in installed.stdout
        assert run(genial, "--version").stdout.startswith("genial ")
        with laptop.start("env", f"HOME={home}", str(genial), "play", "--plain") as process:
            player = Program(process)
            try:
                player.line(lambda line: line == "> your turn\n", 60)
                player.type("moves 1")
                player.type(player.line(lambda line: line.startswith("place ")))
                assert "You placed" in player.line(lambda line: line.startswith("You placed"))
                player.type("quit")
                assert process.wait(60) == 0
            finally:
                player.kill()
    # What is installed has no checkout behind it, and still knows all that belongs to it.
    pack = (
        "from genial.cli.bundling import pack; from importlib.metadata import distribution;"
        f"from pathlib import Path; pack(distribution('genial-lan'), Path({str(tmp_path)!r}))"
    )
    packed = subprocess.run(
        [str(genial.with_name("python")), "-c", pack], env=variables, check=False, timeout=60
    )
    assert packed.returncode == 0
    (wheel,) = tmp_path.glob("genial_lan-*.whl")
    python = str(genial.with_name("python"))
    options = ["--no-index", "--no-deps", "--force-reinstall", "--target", str(tmp_path / "again")]
    again = subprocess.run(
        [sys.executable, "-m", "pip", "--python", python, "install", *options, str(wheel)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "again" / "genial" / "engine" / "board.py").is_file()
    assert list((tmp_path / "again" / "genial").rglob("genial.mo"))
