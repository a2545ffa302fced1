"""What a bundle needs for systems other than this one; nothing is fetched here."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from genial.cli.bundling import _missing, targets_of, write_wheel
from tests.e2e.processes import genial


def wheel(folder: Path, name: str, *needs: str) -> None:
    info = f"{name}-1.0.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0"]
    lines += [f"Requires-Dist: {each}" for each in needs]
    contents = {f"{info}/METADATA": "\n".join([*lines, "", ""]).encode()}
    write_wheel(folder / f"{name}-1.0-py3-none-any.whl", info, contents)


def test_conditions_are_judged_for_the_target_and_not_for_this_system(tmp_path: Path) -> None:
    wheel(
        tmp_path, "genial_lan",
        "click>=8", 'colorama>=0.4; sys_platform == "win32"', 'tomli; python_version < "3.12"',
        'Only.Mac>=2; platform_system == "Darwin" and platform_machine == "arm64"',
        'numpy>=1.26; extra == "train"',
    )  # fmt: skip
    wheel(tmp_path, "click", "genial-lan")
    told = {
        (target.system, target.machine, target.python): _missing(tmp_path, dict(target.environment))
        for target in targets_of(["linux", "macos", "windows"], ["3.11", "3.13"])
    }
    assert told["windows", "AMD64", "3.13"] == ["colorama>=0.4"]
    assert told["windows", "AMD64", "3.11"] == ["colorama>=0.4", "tomli"]
    assert told["linux", "aarch64", "3.13"] == []
    assert told["macos", "arm64", "3.13"] == ["Only.Mac>=2"]
    assert told["macos", "x86_64", "3.13"] == []
    wheel(tmp_path, "only_mac")
    (apple,) = (each for each in targets_of(["macos"], ["3.13"]) if each.machine == "arm64")
    assert _missing(tmp_path, dict(apple.environment)) == []


def test_pip_is_told_every_platform_and_abi() -> None:
    options = " ".join(targets_of(["linux"], ["3.12"])[0].pip_options())
    assert "--python-version 3.12" in options
    assert "--abi cp312 --abi abi3 --abi none" in options
    assert "--platform manylinux2014_x86_64" in options
    assert targets_of(["here"], ["3.12", "3.13"])[0].pip_options() == []


def test_a_wheel_records_every_file(tmp_path: Path) -> None:
    wheel(tmp_path, "thing")
    with zipfile.ZipFile(tmp_path / "thing-1.0-py3-none-any.whl") as archive:
        record = archive.read("thing-1.0.dist-info/RECORD").decode().splitlines()
    assert record[0].startswith("thing-1.0.dist-info/METADATA,sha256=")
    assert record[-1] == "thing-1.0.dist-info/RECORD,,"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--for", "amiga"), "there is no 'amiga'"),
        (("--python", "2.7"), "'2.7' is none of 3.11"),
        (("--for", ""), "name at least one"),
    ],
)
async def test_wrong_options(tmp_path: Path, options: tuple[str, str], words: str) -> None:
    done = await genial("bundle", tmp_path / "x.zip", *options, home=tmp_path)
    assert done.code == 2
    assert words in done.err
    assert not (tmp_path / "x.zip").exists()


async def test_an_index_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    variables = {"PIP_INDEX_URL": "http://127.0.0.1:1/", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}
    done = await genial(
        "bundle", tmp_path / "x.zip", "--for", "here", home=tmp_path, variables=variables
    )
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    assert sys.executable not in done.out
