"""Networks, healthy and broken, with a laptop on each where `genial doctor` is run.

    python -m tests.lan.doctoring docs/doctor.md      writes the outputs into the page

Needs root; nothing leaves this machine.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.e2e.processes import GENIAL, environment
from tests.lan.namespaces import Laptop, lan
from tests.lan.programs import HOG, running

HOST: Final = """
import asyncio, pathlib, sys
from genial.services.host import run_host
from genial.services.settings import HostSettings

settings = HostSettings(pathlib.Path(sys.argv[1]), name=sys.argv[2], plaintext=len(sys.argv) > 3)
asyncio.run(run_host(settings, lambda ready: print(ready.host_id, flush=True)))
"""

ANNOUNCED: Final = """
import asyncio, sys
from genial.services.announce import Announcer
from genial.wire.announcement import Announcement

async def main():
    announcer = Announcer(lambda: Announcement("0123456789abcdef" * 2, sys.argv[1]), 7718)
    announcer.start()
    while not announcer.is_announced:
        await asyncio.sleep(0.05)
    print("announced", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""

WEB: Final = """
import http.server
server = http.server.ThreadingHTTPServer(("", 7718), http.server.SimpleHTTPRequestHandler)
print("serving", flush=True)
server.serve_forever()
"""


@dataclass(frozen=True)
class Visit:
    """Where the doctor is called, and to whom."""

    laptop: Laptop
    address: str | None = None


@dataclass(frozen=True)
class Case:
    """One network.

    Attributes:
        name: For tests.
        title: For the page.
        about: What is wrong, for the page.
        network: Sets it up for as long as it is entered; gets an empty folder.
    """

    name: str
    title: str
    about: str
    network: Callable[[Path], Any]


def doctor(visit: Visit, home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs it."""
    words = [] if visit.address is None else [visit.address]
    return subprocess.run(
        visit.laptop.command(*GENIAL, "doctor", *words, *options),
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
        stdin=subprocess.DEVNULL,
        env=environment(home, {"GENIAL_LANGUAGE": "en"}),
    )


def findings(visit: Visit, home: Path) -> tuple[int, list[dict[str, str]]]:
    """Its exit code, and what it found."""
    done = doctor(visit, home, "--json")
    assert done.returncode in (0, 1), done.stderr
    found: list[dict[str, str]] = json.loads(done.stdout)
    return done.returncode, found


# --- the networks -------------------------------------------------------------------------


@contextmanager
def hosted(laptop: Laptop, data: Path, name: str, *more: str) -> Iterator[None]:
    """A host that is found already, so that nobody has to look for it long."""
    with running(laptop, HOST, str(data), name, *more) as host:
        host.line()
        yield


@contextmanager
def healthy(folder: Path) -> Iterator[Visit]:
    with lan(2) as network, hosted(network.laptops[0], folder, "Kitchen"):
        yield Visit(network.laptops[1], network.laptops[0].address)


@contextmanager
def no_network(folder: Path) -> Iterator[Visit]:
    with lan(1) as network:
        network.laptops[0].ip("link", "set", "eth0", "down")
        network.laptops[0].ip("addr", "flush", "dev", "eth0")
        yield Visit(network.laptops[0])


@contextmanager
def port_taken(folder: Path) -> Iterator[Visit]:
    with lan(2) as network, ExitStack() as stack:
        home, guest = network.laptops
        stack.enter_context(hosted(home, folder, "Kitchen"))
        stack.enter_context(running(guest, HOG)).line()
        yield Visit(guest, home.address)


@contextmanager
def isolated(folder: Path) -> Iterator[Visit]:
    with lan(2) as network, hosted(network.laptops[0], folder, "Kitchen"):
        for laptop in network.laptops:
            network.isolate(laptop)
        yield Visit(network.laptops[1], network.laptops[0].address)


@contextmanager
def forbidden(folder: Path) -> Iterator[Visit]:
    with lan(2) as network, hosted(network.laptops[0], folder, "Kitchen"):
        guest = network.laptops[1]
        # No program may join a multicast group any more.
        guest.run("sysctl", "-qw", "net.ipv4.igmp_max_memberships=0")
        guest.run("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
        yield Visit(guest, network.laptops[0].address)


@contextmanager
def vpn(folder: Path) -> Iterator[Visit]:
    with lan(2) as network, hosted(network.laptops[0], folder, "Kitchen"):
        guest = network.laptops[1]
        guest.ip("tuntap", "add", "dev", "tun0", "mode", "tun")
        guest.ip("addr", "add", "10.8.0.2/24", "dev", "tun0")
        guest.ip("link", "set", "tun0", "up")
        yield Visit(guest)


@contextmanager
def dead_host(folder: Path) -> Iterator[Visit]:
    with lan(2) as network, running(network.laptops[0], ANNOUNCED, "Kitchen") as announced:
        announced.line()
        yield Visit(network.laptops[1], network.laptops[0].address)


@contextmanager
def plaintext(folder: Path) -> Iterator[Visit]:
    with lan(2) as network, hosted(network.laptops[0], folder, "Kitchen", "plaintext"):
        yield Visit(network.laptops[1], network.laptops[0].address)


@contextmanager
def no_host(folder: Path) -> Iterator[Visit]:
    with lan(2) as network, running(network.laptops[0], WEB) as web:
        web.line()
        yield Visit(network.laptops[1], network.laptops[0].address)


CASES: Final = (
    Case(
        "healthy",
        "All is well",
        "A host in the kitchen, and a guest who asks for it.",
        healthy,
    ),
    Case("no network", "No network", "The cable is out, or the Wi-Fi off.", no_network),
    Case(
        "port taken",
        "Port 5353 is taken",
        "Another program has mDNS's port for itself. Finding hosts is impossible then, playing is"
        " not.",
        port_taken,
    ),
    Case(
        "isolated",
        "Client isolation",
        "A guest Wi-Fi that lets laptops talk to the router alone.",
        isolated,
    ),
    Case(
        "forbidden",
        "Multicast is forbidden",
        "The system lets no program join a multicast group. Typing the address works.",
        forbidden,
    ),
    Case("vpn", "A VPN is on", "Mostly harmless; worth a try when nothing else helps.", vpn),
    Case(
        "dead host",
        "A host that is announced and does not answer",
        "It was switched off a moment ago, or its laptop's firewall keeps TCP port 7718 closed.",
        dead_host,
    ),
    Case(
        "plaintext",
        "A host without encryption",
        "It was started with `--plaintext`, and nobody told the guest.",
        plaintext,
    ),
    Case("no host", "Something else at that address", "A web server, say.", no_host),
)


# --- the page -------------------------------------------------------------------------------

_BEGIN: Final = "<!-- from here on written by: python -m tests.lan.doctoring docs/doctor.md -->\n"

_VARYING: Final = (
    (re.compile(r"fe80::[0-9a-f:]+"), "fe80::1"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "5b0e…"),
    (re.compile(r"takes [\d.]+ ms"), "takes 1.2 ms"),
    (re.compile(r"The clock says .*"), "The clock says 2026-11-29 20:00:00 UTC."),
    (re.compile(r"Python [\d.]+, Linux \S+ \S+;"), "Python 3.13.1, Linux 6.12 x86_64;"),
)


def outputs() -> Iterator[tuple[Case, str]]:
    """What the doctor says on each network; what differs from run to run made equal."""
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            home, data = Path(folder) / "home", Path(folder) / "data"
            with case.network(data) as visit:
                done = doctor(visit, home)
            words = "genial doctor" + (f" {visit.address}" if visit.address else "")
            said = done.stdout
            for pattern, steady in _VARYING:
                said = pattern.sub(steady, said)
            yield case, f"$ {words}\n{said}"


def main() -> int:
    """Writes the page anew."""
    if os.geteuid() != 0:
        print("this needs root, for its networks", file=sys.stderr)
        return 2
    page = Path(sys.argv[1])
    head, mark, _old = page.read_text("utf-8").partition(_BEGIN)
    parts = [head, mark or _BEGIN]
    for case, said in outputs():
        parts.append(f"\n## {case.title}\n\n{case.about}\n\n```\n{said.rstrip()}\n```\n")
    page.write_text("".join(parts), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
