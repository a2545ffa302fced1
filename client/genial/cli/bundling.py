"""Everything that an installation needs, in one folder or zip, for laptops without the internet.

pip fetches it, for systems and Pythons other than this one as well. What pip cannot do is to
judge the conditions of a dependency (`colorama; sys_platform == "win32"`) for another system: it
judges them for the one it runs on. So each target's files are looked through again, and what is
missing there is fetched by name.
"""

from __future__ import annotations

import base64
import email.parser
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final
from urllib.parse import urlparse
from urllib.request import url2pathname

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

DISTRIBUTION: Final = "genial-lan"
WHEELS: Final = "wheels"
_VERSIONS: Final = re.compile(r" \(from versions: [^)]*\)")
"""pip lists every version that there ever was."""
GOOD_FOR: Final = "good-for.txt"
"""In a bundle, for people and for the installer's message when it fails."""
_LIBRARIES: Final = {"linux": "glibc", "macos": "macOS"}
_SYSTEM_OF_TAG: Final = re.compile(r"(?:manylinux|macosx)_(\d+)_(\d+)_")
_ROUNDS: Final = 8
"""Of finding out what is still missing; two are enough for all that is known."""

_SYSTEMS: Final[dict[str, tuple[tuple[str, str, str, str], ...]]] = {
    # Machine, sys_platform, platform_system, os_name.
    "linux": (("x86_64", "linux", "Linux", "posix"), ("aarch64", "linux", "Linux", "posix")),
    "macos": (("arm64", "darwin", "Darwin", "posix"), ("x86_64", "darwin", "Darwin", "posix")),
    "windows": (("AMD64", "win32", "Windows", "nt"),),
}


class BundleError(Exception):
    """A bundle that cannot be made; the message is a sentence that says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """A system with a Python.

    Attributes:
        system: "linux", "macos", "windows"; "here" for this one with this Python.
        machine: As `platform.machine()` tells it there.
        python: Like "3.12".
        environment: What conditions of dependencies are judged by.
        platforms: pip's names for it; empty for "here".
    """

    system: str
    machine: str
    python: str
    environment: tuple[tuple[str, str], ...] = ()
    platforms: tuple[str, ...] = ()

    def __str__(self) -> str:
        """For people."""
        if self.system == "here":
            return "this system with this Python"
        return f"{self.system} on {self.machine} with Python {self.python}"

    def pip_options(self) -> list[str]:
        """What makes pip fetch for this target."""
        if not self.platforms:
            return []
        short = self.python.replace(".", "")
        options = ["--python-version", self.python, "--implementation", "cp"]
        for abi in (f"cp{short}", "abi3", "none"):
            options += ["--abi", abi]
        for platform in self.platforms:
            options += ["--platform", platform]
        return options


@dataclass(frozen=True, slots=True)
class Made:
    """A bundle that was made.

    Attributes:
        wheels: How many files it holds.
        size: In bytes.
        good_for: What it can be installed on, a line for each kind of machine.
        left_out: Targets that something has no files for, with the reason.
    """

    wheels: int
    size: int
    good_for: tuple[str, ...]
    left_out: tuple[tuple[Target, str], ...]


def targets_of(systems: Iterable[str], pythons: Sequence[str]) -> list[Target]:
    """Every combination."""
    targets: list[Target] = []
    for system in systems:
        if system == "here":
            targets.append(Target("here", "", ""))
            continue
        for machine, sys_platform, platform_system, os_name in _SYSTEMS[system]:
            for python in pythons:
                environment = {
                    "sys_platform": sys_platform,
                    "platform_system": platform_system,
                    "os_name": os_name,
                    "platform_machine": machine,
                    "python_version": python,
                    "python_full_version": f"{python}.0",
                    "implementation_name": "cpython",
                    "implementation_version": f"{python}.0",
                    "platform_python_implementation": "CPython",
                    "extra": "",
                }
                targets.append(
                    Target(
                        system,
                        machine,
                        python,
                        tuple(environment.items()),
                        _platforms(system, machine),
                    )
                )
    return targets


def _platforms(system: str, machine: str) -> tuple[str, ...]:
    if system == "windows":
        return ("win_amd64",)
    # pip takes what comes first, and what is made for an old system runs on a new one as well.
    if system == "macos":
        # Older ones than those it adds by itself.
        return tuple(f"macosx_{major}_0_{machine}" for major in (11, 12, 13, 14))
    glibc = (f"manylinux_2_{minor}_{machine}" for minor in range(17, 35))
    return (f"manylinux2014_{machine}", *glibc)


def make_bundle(output: Path, targets: Sequence[Target], tell: Callable[[Target], None]) -> Made:
    """Fetches everything and writes it.

    Args:
        output: A folder to make or add to, or a file that ends in .zip.
        targets: What to fetch for.
        tell: Called before each.

    Raises:
        BundleError: Something cannot be fetched or written, or there is nothing for a whole
            system.
    """
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        pip = _pip(scratch / "pip")
        folder = scratch / "bundle"
        wheels = folder / WHEELS
        wheels.mkdir(parents=True)
        own = _own_wheel(pip, wheels)
        spare = scratch / "spare"
        spare.mkdir()
        if any(target.system == "macos" for target in targets):
            _pure_zeroconf(pip, spare)
        left_out: list[tuple[Target, str]] = []
        fetched: list[tuple[Target, list[str]]] = []
        for target in targets:
            tell(target)
            try:
                names = _fetch(pip, own, target, wheels, scratch / "target", spare)
            except BundleError as fault:
                left_out.append((target, str(fault)))
            else:
                fetched.append((target, names))
        lost = {target.system for target, _why in left_out} - {
            target.system for target in targets if target not in dict(left_out)
        }
        if lost:
            why = next(f"{each}: {why}" for each, why in left_out if each.system in lost)
            raise BundleError(why)
        # The installer runs pip from its own wheel, so that not even that has to be there.
        _run([*pip, "download", "--no-deps", "--only-binary=:all:", "-d", str(wheels), "pip"])
        shutil.copy(str(files("genial.cli") / "bundle_install.py"), folder / "__main__.py")
        good_for = _good_for(fetched)
        try:
            before = output / GOOD_FOR
            said = before.read_text("utf-8").splitlines() if before.is_file() else []
            lines = dict.fromkeys([*said, *good_for])
            (folder / GOOD_FOR).write_text("".join(f"{line}\n" for line in lines), "utf-8")
            _write(folder, output)
        except OSError as fault:
            raise BundleError(f"{output} cannot be written: {fault.strerror}.") from fault
        kept = list(wheels.iterdir())
        size = sum(each.stat().st_size for each in kept)
        return Made(len(kept), size, good_for, tuple(left_out))


def _good_for(fetched: Sequence[tuple[Target, list[str]]]) -> tuple[str, ...]:
    """What can be installed on: a line for each machine, with what the wheels ask of its system."""
    pythons: dict[tuple[str, str], list[str]] = {}
    needs: dict[tuple[str, str], tuple[int, int]] = {}
    for target, names in fetched:
        machine = (target.system, target.machine)
        pythons.setdefault(machine, []).append(target.python)
        needs[machine] = max(needs.get(machine, (0, 0)), *map(oldest_system, names))
    lines: list[str] = []
    for machine, versions in pythons.items():
        if machine[0] == "here":
            lines.append("systems like this one, with this version of Python")
            continue
        line = f"{machine[0]} on {machine[1]} with Python {', '.join(versions)}"
        if needs[machine] > (0, 0):
            line += " ({} {}.{} or newer)".format(_LIBRARIES[machine[0]], *needs[machine])
        lines.append(line)
    return tuple(lines)


def oldest_system(wheel: str) -> tuple[int, int]:
    """The oldest glibc or macOS that a wheel runs with, by its name; (0, 0) when any will do."""
    oldest: list[tuple[int, int]] = []
    for tag in parse_wheel_filename(wheel)[3]:
        if tag.platform.startswith("manylinux2014_"):
            oldest.append((2, 17))
        elif found := _SYSTEM_OF_TAG.match(tag.platform):
            oldest.append((int(found[1]), int(found[2])))
        else:
            return (0, 0)
    return min(oldest)


def _write(folder: Path, output: Path) -> None:
    if output.suffix != ".zip":
        shutil.copytree(folder, output, dirs_exist_ok=True)
        return
    # Wheels are compressed already.
    with zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder))


# --- fetching -------------------------------------------------------------------------------


def _fetch(
    pip: list[str], own: Path, target: Target, wheels: Path, scratch: Path, spare: Path
) -> list[str]:
    """Everything that `own` needs on a target, put beside it; the names of the wheels."""
    wanted = [str(own)]
    for _round in range(_ROUNDS):
        shutil.rmtree(scratch, ignore_errors=True)
        options = ["--only-binary=:all:", "--find-links", str(spare), "-d", str(scratch)]
        options += target.pip_options()
        _run([*pip, "download", *options, *wanted], "something cannot be had for it")
        missing = _missing(scratch, dict(target.environment)) if target.environment else []
        if not missing:
            found = list(scratch.glob("*.whl"))
            for path in found:
                shutil.copy(path, wheels / path.name)
            return [path.name for path in found]
        wanted += missing
    raise BundleError(f"What {target} needs leads to no end; please report this.")


def _missing(folder: Path, environment: dict[str, str]) -> list[str]:
    """Requirements of the wheels in a folder that none of them meets on that system."""
    found = list(folder.glob("*.whl"))
    have = {parse_wheel_filename(path.name)[0] for path in found}
    missing: dict[str, str] = {}
    for path in found:
        for requirement in _requirements(path):
            if requirement.marker is not None and not requirement.marker.evaluate(environment):
                continue
            if canonicalize_name(requirement.name) not in have:
                missing[requirement.name] = f"{requirement.name}{requirement.specifier}"
    return sorted(missing.values())


def _requirements(wheel: Path) -> list[Requirement]:
    with zipfile.ZipFile(wheel) as archive:
        name = next(each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        message = email.parser.BytesParser().parsebytes(archive.read(name))
    try:
        return [Requirement(text) for text in message.get_all("Requires-Dist", [])]
    except InvalidRequirement as fault:
        raise BundleError(f"{wheel.name} needs something that cannot be read: {fault}.") from fault


def _pure_zeroconf(pip: list[str], spare: Path) -> None:
    """zeroconf without its compiled parts, for Macs with Intel, which it has no wheels for.

    It runs as well without them, only slower. Where it cannot be made those Macs are left out.
    """
    zeroconf = next(
        requirement
        for text in importlib.metadata.requires(DISTRIBUTION) or ()
        if (requirement := Requirement(text)).name == "zeroconf"
    )
    command = [*pip, "wheel", "--no-deps", "--no-binary", "zeroconf", "-w", str(spare)]
    try:
        _run([*command, str(zeroconf)], environment={"SKIP_CYTHON": "1"})
    except BundleError:
        return
    (built,) = spare.glob("zeroconf-*.whl")
    name, version, _build, _tags = parse_wheel_filename(built.name)
    with zipfile.ZipFile(built) as archive:
        contents = {each: archive.read(each) for each in archive.namelist()}
    built.unlink()
    if any(each.endswith((".so", ".pyd", ".dylib")) for each in contents):
        return
    info = f"{name}-{version}.dist-info"
    # Its build knows only that it might have compiled something.
    contents[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: genial\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    write_wheel(spare / f"{name}-{version}-py3-none-any.whl", info, contents)


def _pip(scratch: Path) -> list[str]:
    """How to run pip; where this Python has none (as in some tools' environments), one is made."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    try:
        venv.create(scratch, with_pip=True)
    except (OSError, subprocess.CalledProcessError) as fault:
        raise BundleError(
            "pip is needed to fetch everything, and this Python neither has it nor can make it;"
            " install pip (Debian: python3-venv)."
        ) from fault
    inside = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
    return [str(scratch / inside), "-m", "pip"]


def _run(
    command: list[str],
    what: str = "it cannot be fetched",
    environment: Mapping[str, str] | None = None,
) -> None:
    quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
    done = subprocess.run(
        [*command, *quiet],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        stdin=subprocess.DEVNULL,
        env=None if environment is None else {**os.environ, **environment},
    )
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        said = [line.removeprefix("ERROR:").strip() for line in said]
        why = " ".join(said or done.stderr.splitlines()[-1:]) or "pip tells no reason"
        raise BundleError(f"{what}: {_VERSIONS.sub('', why)}")


# --- our own wheel --------------------------------------------------------------------------


def _own_wheel(pip: list[str], wheels: Path) -> Path:
    """This very program as a wheel: built from its checkout, or packed from what is installed."""
    try:
        installed = importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError as fault:
        raise BundleError(
            f"{DISTRIBUTION} is not installed here, so nobody knows what belongs to it; install"
            " it first, or use `make bundle` in the checkout."
        ) from fault
    checkout = _checkout(installed)
    if checkout is None:
        return pack(installed, wheels)
    _run([*pip, "wheel", "--no-deps", "--wheel-dir", str(wheels), str(checkout)], "no wheel")
    return next(wheels.glob("genial_lan-*.whl"))


def _checkout(installed: importlib.metadata.Distribution) -> Path | None:
    """The folder of an editable installation (PEP 660)."""
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    if not origin.get("dir_info", {}).get("editable"):
        return None
    return Path(url2pathname(urlparse(origin["url"]).path))


def pack(installed: importlib.metadata.Distribution, wheels: Path) -> Path:
    """A wheel of the files that an installation recorded.

    Raises:
        BundleError: The installation has no record of its files, or some are gone.
    """
    if installed.files is None:
        raise BundleError(f"The installation of {DISTRIBUTION} has no record of its files.")
    name = DISTRIBUTION.replace("-", "_")
    contents: dict[str, bytes] = {}
    for each in sorted(installed.files, key=str):
        place = each.as_posix()
        # Scripts lie outside, and are made anew from the entry points; the rest is of pip's.
        if place.startswith("..") or "__pycache__" in place or each.name in _NOT_PACKED:
            continue
        try:
            contents[place] = each.read_binary()
        except OSError as fault:
            raise BundleError(f"{place} is gone from the installation: {fault}.") from fault
    path = wheels / f"{name}-{installed.version}-py3-none-any.whl"
    write_wheel(path, f"{name}-{installed.version}.dist-info", contents)
    return path


def write_wheel(path: Path, info: str, contents: Mapping[str, bytes]) -> None:
    """A wheel of these files, with a record of them.

    Args:
        path: Where to.
        info: Its `.dist-info` folder.
        contents: Files by their place in it; a record that is among them is made anew.
    """
    record: list[str] = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, content in contents.items():
            if place == f"{info}/RECORD":
                continue
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            record.append(f"{place},sha256={digest.decode()},{len(content)}")
            archive.writestr(place, content)
        archive.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]))


_NOT_PACKED: Final = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
