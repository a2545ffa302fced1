"""What a bundle needs for systems other than this one; nothing is fetched here."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from genial.cli import bundling
from genial.cli.bundling import BundleError, _missing, make_bundle, targets_of, write_wheel
from tests.e2e.processes import genial


def wheel(folder: Path, name: str, *needs: str, tag: str = "py3-none-any") -> Path:
    info = f"{name}-1.0.dist-info"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0"]
    lines += [f"Requires-Dist: {each}" for each in needs]
    contents = {
        f"{info}/METADATA": "\n".join([*lines, "", ""]).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n".encode(),
    }
    path = folder / f"{name}-1.0-{tag}.whl"
    write_wheel(path, info, contents)
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip fetches from, in place of the internet; `genial-lan` needs `compiled`."""
    folder = tmp_path / "index"
    folder.mkdir()
    wheel(folder, "pip")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))

    def own(pip: list[str], wheels: Path) -> Path:
        return wheel(wheels, "genial_lan", "compiled", 'winonly; sys_platform == "win32"')

    monkeypatch.setattr(bundling, "_own_wheel", own)
    monkeypatch.setattr(bundling, "_pure_zeroconf", lambda pip, spare: None)
    return folder


def names(bundle: Path) -> set[str]:
    return {path.name for path in (bundle / "wheels").iterdir()}


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


def test_what_is_made_for_the_oldest_system_is_taken_and_said(tmp_path: Path, index: Path) -> None:
    for system in ("manylinux_2_28_x86_64", "manylinux_2_34_x86_64", "manylinux_2_28_aarch64"):
        wheel(index, "compiled", tag=f"cp311-abi3-{system}")
    for system in ("macosx_12_0_arm64", "macosx_14_0_arm64", "macosx_10_9_universal2"):
        wheel(index, "compiled", tag=f"cp311-abi3-{system}")
    wheel(index, "compiled", tag="cp311-abi3-win_amd64")
    wheel(index, "winonly")
    targets = targets_of(["linux", "macos"], ["3.12"]) + targets_of(["windows"], ["3.12", "3.14"])
    made = make_bundle(tmp_path / "bundle", targets, lambda target: None)
    assert made.left_out == ()
    assert made.good_for == (
        "linux on x86_64 with Python 3.12 (glibc 2.28 or newer)",
        "linux on aarch64 with Python 3.12 (glibc 2.28 or newer)",
        "macos on arm64 with Python 3.12 (macOS 10.9 or newer)",
        "macos on x86_64 with Python 3.12 (macOS 10.9 or newer)",
        "windows on AMD64 with Python 3.12, 3.14",
    )
    said = (tmp_path / "bundle" / "good-for.txt").read_text("utf-8").splitlines()
    assert tuple(said) == made.good_for
    assert {name for name in names(tmp_path / "bundle") if "compiled" in name} == {
        "compiled-1.0-cp311-abi3-manylinux_2_28_x86_64.whl",
        "compiled-1.0-cp311-abi3-manylinux_2_28_aarch64.whl",
        "compiled-1.0-cp311-abi3-macosx_10_9_universal2.whl",
        "compiled-1.0-cp311-abi3-win_amd64.whl",
    }


def test_who_is_left_out_is_told_and_the_others_are_served(tmp_path: Path, index: Path) -> None:
    wheel(index, "compiled", tag="cp312-cp312-manylinux_2_28_x86_64")
    targets = targets_of(["linux"], ["3.12", "3.14"])
    made = make_bundle(tmp_path / "bundle", targets, lambda target: None)
    assert made.good_for == ("linux on x86_64 with Python 3.12 (glibc 2.28 or newer)",)
    told = {str(target): why for target, why in made.left_out}
    assert set(told) == {
        "linux on x86_64 with Python 3.14",
        "linux on aarch64 with Python 3.12",
        "linux on aarch64 with Python 3.14",
    }
    assert all("compiled" in why for why in told.values())
    # A folder can be added to, and is then good for both.
    wheel(index, "compiled", tag="cp312-cp312-win_amd64")
    wheel(index, "winonly")
    make_bundle(tmp_path / "bundle", targets_of(["windows"], ["3.12"]), lambda target: None)
    assert (tmp_path / "bundle" / "good-for.txt").read_text("utf-8").splitlines() == [
        "linux on x86_64 with Python 3.12 (glibc 2.28 or newer)",
        "windows on AMD64 with Python 3.12",
    ]


def test_a_system_that_nothing_can_be_had_for_is_an_error(tmp_path: Path, index: Path) -> None:
    wheel(index, "compiled", tag="cp312-cp312-manylinux_2_28_x86_64")
    wheel(index, "compiled", tag="cp312-cp312-win_amd64")
    targets = targets_of(["linux", "windows"], ["3.12"])
    with pytest.raises(BundleError, match=r"windows on AMD64 with Python 3\.12: .*winonly"):
        make_bundle(tmp_path / "bundle", targets, lambda target: None)
    assert not (tmp_path / "bundle").exists()


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
