"""Laptops on one network, made of Linux network namespaces.

Each "laptop" is a namespace with one wired interface, all joined by a bridge that lives in a
namespace of its own: nothing leaves this machine, and nothing outside is reached. Needs root and
iproute2 (`.ci/run` installs it).
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_NUMBERS: Final = itertools.count(1)


def missing() -> str | None:
    """Why there can be no namespaces here; None when there can."""
    if sys.platform != "linux":
        return "network namespaces are a thing of Linux"
    if os.geteuid() != 0:
        return "making network namespaces needs root"
    if shutil.which("ip") is None:
        return "the command `ip` (iproute2) is missing"
    return None


@dataclass(frozen=True)
class Laptop:
    """One machine on the network.

    Attributes:
        namespace: Its name for `ip netns`.
        address: Its IPv4 address.
    """

    namespace: str
    address: str

    def command(self, *words: str) -> list[str]:
        """A command that runs there."""
        return ["ip", "netns", "exec", self.namespace, *words]

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Starts a program there, with its streams as pipes."""
        return subprocess.Popen(
            self.command(*words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ip(self, *words: str) -> None:
        """Changes its network: ``ip -n NAMESPACE …``."""
        _ip("-n", self.namespace, *words)


@dataclass(frozen=True)
class Lan:
    """The network and what is on it."""

    switch: str
    laptops: Sequence[Laptop]

    def unplug(self, laptop: Laptop) -> None:
        """Pulls a laptop's cable."""
        _ip("-n", self.switch, "link", "set", f"v{self.laptops.index(laptop)}", "down")

    def plug(self, laptop: Laptop) -> None:
        """Puts it in again."""
        _ip("-n", self.switch, "link", "set", f"v{self.laptops.index(laptop)}", "up")


@contextmanager
def lan(count: int, network: str = "10.99.0") -> Iterator[Lan]:
    """A network of `count` laptops, taken down again at the end.

    Args:
        count: How many.
        network: The first three numbers of their addresses.
    """
    # Names are the machine's own: another run of the tests must not meet this one.
    prefix = f"g{os.getpid() % 100_000}x{next(_NUMBERS)}"
    switch = f"{prefix}s"
    laptops = [Laptop(f"{prefix}n{i}", f"{network}.{i + 1}") for i in range(count)]
    try:
        _ip("netns", "add", switch)
        _ip("-n", switch, "link", "add", "br0", "type", "bridge", "forward_delay", "0")
        _ip("-n", switch, "link", "set", "br0", "up")
        for i, laptop in enumerate(laptops):
            name = laptop.namespace
            _ip("netns", "add", name)
            peer = ("peer", "name", "eth0", "netns", name)
            _ip("link", "add", f"v{i}", "netns", switch, "type", "veth", *peer)
            _ip("-n", switch, "link", "set", f"v{i}", "master", "br0", "up")
            # Addresses of IPv6 would be tried for being unique for seconds first.
            laptop_sysctl = "net.ipv6.conf.eth0.accept_dad=0"
            subprocess.run(
                laptop.command("sysctl", "-q", "-w", laptop_sysctl), check=False, timeout=10
            )
            laptop.ip("addr", "add", f"{laptop.address}/24", "brd", "+", "dev", "eth0")
            laptop.ip("link", "set", "lo", "up")
            laptop.ip("link", "set", "eth0", "up")
        yield Lan(switch, laptops)
    finally:
        for name in (*(laptop.namespace for laptop in laptops), switch):
            if Path(f"/run/netns/{name}").exists():
                _ip("netns", "delete", name)


def _ip(*words: str) -> None:
    try:
        subprocess.run(["ip", *words], check=True, capture_output=True, text=True, timeout=10)
    except subprocess.CalledProcessError as fault:
        raise OSError(f"ip {' '.join(words)}: {fault.stderr.strip()}") from fault
