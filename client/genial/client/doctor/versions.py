"""What runs here, in which versions: the first thing that anybody who helps will ask."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from genial.client.doctor.findings import Finding, Verdict
from genial.wire.announcement import PROTOCOL
from genial.wire.version import SOFTWARE

CHECK: Final = "versions"
_LIBRARIES: Final = ("grpcio", "protobuf", "zeroconf", "prompt_toolkit", "cryptography")


def examine_versions() -> list[Finding]:
    """Genial's, Python's, the system's, and those of the libraries that talk to the network."""
    libraries = ", ".join(f"{name} {_version(name)}" for name in _LIBRARIES)
    return [
        Finding(
            CHECK,
            Verdict.GOOD,
            f"{SOFTWARE} ({PROTOCOL}), Python {platform.python_version()},"
            f" {platform.system() or sys.platform} {platform.release()} {platform.machine()};"
            f" {libraries}",
        )
    ]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "?"
