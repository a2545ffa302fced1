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

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a program there to its end."""
        return subprocess.run(
            self.command(*words), capture_output=True, text=True, check=False, timeout=60
        )

    def ip(self, *words: str) -> None:
        """Changes its network: ``ip -n NAMESPACE …``."""
        _ip("-n", self.namespace, *words)


@dataclass(frozen=True)
class Lan:
    """The network and what is on it."""

    switch: str
    laptops: Sequence[Laptop]

    def isolate(self, laptop: Laptop) -> None:
        """Lets nothing pass to others that are isolated as well, as guest Wi-Fi does."""
        port = f"v{self.laptops.index(laptop)}"
        _ip("-n", self.switch, "link", "set", port, "type", "bridge_slave", "isolated", "on")

    def spare_multicast(self, laptop: Laptop) -> None:
        """Passes on to it only what is for it alone or a broadcast, as some Wi-Fi does."""
        port = f"v{self.laptops.index(laptop)}"
        _ip("-n", self.switch, "link", "set", port, "type", "bridge_slave", "mcast_flood", "off")

    def unplug(self, laptop: Laptop) -> None:
        """Pulls a laptop's cable."""
        _ip("-n", self.switch, "link", "set", f"v{self.laptops.index(laptop)}", "down")

    def plug(self, laptop: Laptop) -> None:
        """Puts it in again."""
        _ip("-n", self.switch, "link", "set", f"v{self.laptops.index(laptop)}", "up")


@contextmanager
def namespaces(count: int, network: str) -> Iterator[list[Laptop]]:
    """Laptops without any network but their own loopback, taken down again at the end.

    Args:
        count: How many.
        network: The first three numbers of the addresses that they are to have.
    """
    # Names are the machine's own: another run of the tests must not meet this one.
    prefix = f"g{os.getpid() % 100_000}x{next(_NUMBERS)}"
    laptops = [Laptop(f"{prefix}n{i}", f"{network}.{i + 1}") for i in range(count)]
    try:
        for laptop in laptops:
            _ip("netns", "add", laptop.namespace)
            laptop.ip("link", "set", "lo", "up")
        yield laptops
    finally:
        for laptop in laptops:
            if Path(f"/run/netns/{laptop.namespace}").exists():
                _ip("netns", "delete", laptop.namespace)


@contextmanager
def switch(name: str = "s") -> Iterator[str]:
    """A bridge in a namespace of its own, whose name it returns."""
    namespace = f"g{os.getpid() % 100_000}x{next(_NUMBERS)}{name}"
    try:
        _ip("netns", "add", namespace)
        _ip("-n", namespace, "link", "add", "br0", "type", "bridge", "forward_delay", "0")
        _ip("-n", namespace, "link", "set", "br0", "up")
        yield namespace
    finally:
        if Path(f"/run/netns/{namespace}").exists():
            _ip("netns", "delete", namespace)


def plug_in(bridge: str, port: str, laptop: Laptop, address: str, adapter: str = "eth0") -> None:
    """Joins a laptop to a bridge by a cable.

    Args:
        bridge: The bridge's namespace.
        port: What the cable's end there is called.
        laptop: The laptop.
        address: What it is called in that network; its first 24 bits are the network.
        adapter: What the cable's end at the laptop is called.
    """
    peer = ("peer", "name", adapter, "netns", laptop.namespace)
    _ip("link", "add", port, "netns", bridge, "type", "veth", *peer)
    _ip("-n", bridge, "link", "set", port, "master", "br0", "up")
    # Addresses of IPv6 would be tried for being unique for seconds first.
    setting = f"net.ipv6.conf.{adapter}.accept_dad=0"
    subprocess.run(laptop.command("sysctl", "-q", "-w", setting), check=False, timeout=30)
    laptop.ip("addr", "add", f"{address}/24", "brd", "+", "dev", adapter)
    laptop.ip("link", "set", adapter, "up")


@contextmanager
def lan(count: int, network: str = "10.99.0") -> Iterator[Lan]:
    """A network of `count` laptops, taken down again at the end.

    Args:
        count: How many.
        network: The first three numbers of their addresses.
    """
    with switch() as bridge, namespaces(count, network) as laptops:
        for i, laptop in enumerate(laptops):
            plug_in(bridge, f"v{i}", laptop, laptop.address)
        yield Lan(bridge, laptops)


def _ip(*words: str) -> None:
    try:
        subprocess.run(["ip", *words], check=True, capture_output=True, text=True, timeout=30)
    except subprocess.CalledProcessError as fault:
        raise OSError(f"ip {' '.join(words)}: {fault.stderr.strip()}") from fault
