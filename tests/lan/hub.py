"""A network with a bad cable: laptops joined by a hub in user space, which delays, loses, cuts.

    with hub(3) as network:
        network.delay(10)            # milliseconds, each way
        network.loss(5)              # of a hundred frames
        network.cut(network.laptops[0], network.laptops[1])
        network.heal()

Not every kernel has `tc netem`, so each laptop's `eth0` is a TAP device, and one process reads
the frames of all and passes them on. Run as a program, this file is that process:

    python hub.py NAMESPACE ADDRESS …     commands are read as lines: delay MS, loss PERCENT,
                                          cut I J, heal, quit (laptops from 0)
"""

from __future__ import annotations

import asyncio
import ctypes
import fcntl
import os
import random
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

_TUNSETIFF: Final = 0x400454CA
_IFF_TAP: Final = 0x0002
_IFF_NO_PI: Final = 0x1000
_CLONE_NEWNET: Final = 0x40000000
_LARGEST_FRAME: Final = 65600
_FRAMES_AT_ONCE: Final = 64


@dataclass(frozen=True)
class HubLan:
    """The network, for tests; `laptops` are `namespaces.Laptop`s."""

    process: subprocess.Popen[str]
    laptops: tuple[Any, ...]

    def delay(self, milliseconds: float) -> None:
        """Every frame takes that much longer from now on."""
        self._tell(f"delay {milliseconds}")

    def loss(self, percent: float) -> None:
        """So many of a hundred frames get lost from now on."""
        self._tell(f"loss {percent}")

    def cut(self, one: Any, other: Any) -> None:
        """Nothing passes between these two any more."""
        self._tell(f"cut {self.laptops.index(one)} {self.laptops.index(other)}")

    def unplug(self, laptop: Any) -> None:
        """Nothing passes between this one and anybody; its own link stays up, as over a switch."""
        for other in self.laptops:
            if other is not laptop:
                self.cut(laptop, other)

    def heal(self) -> None:
        """All cuts are mended."""
        self._tell("heal")

    def _tell(self, command: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if answer.strip() != command:
            raise OSError(f"the hub said {answer!r} to {command!r}")


@contextmanager
def hub(count: int, network: str = "10.98.0") -> Iterator[HubLan]:
    """A network of `count` laptops, taken down again at the end; needs root.

    Args:
        count: How many.
        network: The first three numbers of their addresses.
    """
    from tests.lan.namespaces import namespaces

    with namespaces(count, network) as laptops:
        words = [word for laptop in laptops for word in (laptop.namespace, laptop.address)]
        with subprocess.Popen(
            [sys.executable, __file__, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                assert process.stdout is not None
                if process.stdout.readline().strip() != "ready":
                    raise OSError("the hub could not be started")
                yield HubLan(process, tuple(laptops))
            finally:
                process.kill()


# --- the process ---------------------------------------------------------------------------


class _Hub:
    def __init__(self, taps: list[int]) -> None:
        self._taps = taps
        self._delay = 0.0
        self._loss = 0.0
        self._cuts: set[frozenset[int]] = set()
        self._places: dict[bytes, int] = {}
        self._random = random.Random(2026)

    def obey(self, words: list[str]) -> None:
        match words:
            case ["delay", milliseconds]:
                self._delay = float(milliseconds) / 1000
            case ["loss", percent]:
                self._loss = float(percent) / 100
            case ["cut", one, other]:
                self._cuts.add(frozenset((int(one), int(other))))
            case ["heal"]:
                self._cuts.clear()

    def pass_on(self, sender: int) -> None:
        """Reads what a laptop sends, and gives it to the one that it is for, or to all."""
        loop = asyncio.get_running_loop()
        for _number in range(_FRAMES_AT_ONCE):
            try:
                frame = os.read(self._taps[sender], _LARGEST_FRAME)
            except BlockingIOError:
                return
            self._places[frame[6:12]] = sender
            known = self._places.get(frame[0:6])
            for receiver in range(len(self._taps)) if known is None else (known,):
                if receiver == sender or frozenset((sender, receiver)) in self._cuts:
                    continue
                if self._loss and self._random.random() < self._loss:
                    continue
                if self._delay:
                    loop.call_later(self._delay, self._send, receiver, frame)
                else:
                    self._send(receiver, frame)

    def _send(self, receiver: int, frame: bytes) -> None:
        try:
            os.write(self._taps[receiver], frame)
        except OSError:
            return  # Its link is down, or its queue full: the frame is lost, as on any cable.


def _tap(namespace: str) -> int:
    """A TAP device `eth0` in a namespace, open in this process."""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(f"/var/run/netns/{namespace}", os.O_RDONLY)
    try:
        if libc.setns(there, _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter {namespace}")
        tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        request = struct.pack("16sH22s", b"eth0", _IFF_TAP | _IFF_NO_PI, b"")
        fcntl.ioctl(tap, _TUNSETIFF, request)
        return tap
    finally:
        libc.setns(home, _CLONE_NEWNET)
        os.close(home)
        os.close(there)


def _start(places: list[tuple[str, str]]) -> list[int]:
    taps = []
    for namespace, address in places:
        taps.append(_tap(namespace))
        for command in (
            # Addresses of IPv6 would be tried for being unique for seconds first.
            ["netns", "exec", namespace, "sysctl", "-qw", "net.ipv6.conf.eth0.accept_dad=0"],
            ["-n", namespace, "addr", "add", f"{address}/24", "brd", "+", "dev", "eth0"],
            ["-n", namespace, "link", "set", "eth0", "up"],
        ):
            subprocess.run(["ip", *command], check=True)
    return taps


async def _run(taps: list[int]) -> None:
    hub = _Hub(taps)
    loop = asyncio.get_running_loop()
    for number, tap in enumerate(taps):
        loop.add_reader(tap, hub.pass_on, number)
    print("ready", flush=True)
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := (await reader.readline()).decode().strip():
        hub.obey(line.split())
        print(line, flush=True)


if __name__ == "__main__":
    words = sys.argv[1:]
    asyncio.run(_run(_start(list(zip(words[::2], words[1::2], strict=True)))))
