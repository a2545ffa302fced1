"""A host's announcement, heard by other laptops on the network."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.lan.namespaces import Laptop, lan, missing
from tests.lan.programs import HOG, Program, running

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

HOST = """
import asyncio, logging, pathlib, sys
from genial.services.host import run_host
from genial.services.settings import HostSettings

logging.basicConfig(level=logging.WARNING, format="%(message)s")
settings = HostSettings(pathlib.Path(sys.argv[1]), name=sys.argv[2], plaintext=True)
asyncio.run(run_host(settings, lambda ready: print(ready.line, flush=True)))
"""

LISTENER = """
import asyncio, json
from zeroconf import IPVersion, ServiceStateChange
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf
from genial.wire.announcement import SERVICE_TYPE

async def look_up(zeroconf, name):
    info = AsyncServiceInfo(SERVICE_TYPE, name)
    if await info.async_request(zeroconf, 3000):
        print(json.dumps({
            "name": name, "port": info.port, "addresses": sorted(info.parsed_addresses()),
            "txt": {k.decode(): (v or b"").decode() for k, v in info.properties.items()},
        }), flush=True)

async def main():
    tasks = set()
    def heard(zeroconf, service_type, name, state_change):
        if state_change is ServiceStateChange.Removed:
            print(json.dumps({"name": name, "gone": True}), flush=True)
        else:
            task = asyncio.ensure_future(look_up(zeroconf, name))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
    async with AsyncZeroconf(ip_version=IPVersion.All) as zeroconf:
        AsyncServiceBrowser(zeroconf.zeroconf, SERVICE_TYPE, handlers=[heard])
        print(json.dumps({"listening": True}), flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@contextmanager
def hosting(laptop: Laptop, data: Path, name: str) -> Iterator[tuple[Program, dict[str, str]]]:
    """A host, and the fields of its ready line."""
    with running(laptop, HOST, str(data), name) as program:
        line = program.line()
        words, _, shown = line.removeprefix("genial host ready ").partition(" name=")
        fields = dict(word.split("=", 1) for word in words.split())
        yield program, fields | {"name": shown.strip()}


@contextmanager
def listening(laptop: Laptop) -> Iterator[Program]:
    with running(laptop, LISTENER) as program:
        program.heard(lambda heard: "listening" in heard)
        yield program


def test_a_host_is_heard_by_all_and_missed_when_it_leaves(tmp_path: Path) -> None:
    with lan(3) as network:
        home, *guests = network.laptops
        with (
            listening(guests[0]) as one,
            listening(guests[1]) as other,
            hosting(home, tmp_path, "Ana's laptop") as (host, ready),
        ):
            assert ready["address"] == f"{home.address}:7718"
            for ears in (one, other):
                heard = ears.heard(lambda heard: "txt" in heard)
                assert heard["name"].startswith(f"Ana's laptop {ready['id'][:8]}.")
                assert heard["port"] == 7718
                assert home.address in heard["addresses"]
                assert any(address.startswith("fe80:") for address in heard["addresses"])
                assert heard["txt"] == {
                    "v": "v1",
                    "id": ready["id"],
                    "name": "Ana's laptop",
                    "tables": "0",
                    "open": "0",
                }
            assert host.end() == 0
            for ears in (one, other):
                ears.heard(lambda heard: heard.get("gone", False))


def test_two_hosts_of_one_name_are_two_rows_and_one_leaves_alone(tmp_path: Path) -> None:
    with lan(3) as network:
        one, other, guest = network.laptops
        with (
            listening(guest) as ears,
            hosting(one, tmp_path / "one", "Party") as (first, first_ready),
            hosting(other, tmp_path / "other", "Party") as (_, second_ready),
        ):
            waited = {first_ready["id"], second_ready["id"]}
            while waited:
                heard = ears.heard(lambda heard: heard.get("txt", {}).get("id") in waited)
                waited.discard(heard["txt"]["id"])
            first.end()
            gone = ears.heard(lambda heard: heard.get("gone", False))
            assert first_ready["id"][:8] in gone["name"]
            with listening(guest) as late:
                heard = late.heard(lambda heard: "txt" in heard)
                assert heard["txt"]["id"] == second_ready["id"]


def test_a_new_address_is_announced_in_the_middle_of_the_evening(tmp_path: Path) -> None:
    with lan(2) as network:
        home, guest = network.laptops
        with listening(guest) as ears, hosting(home, tmp_path, "Mover"):
            ears.heard(lambda heard: home.address in heard.get("addresses", ()))
            home.ip("addr", "del", f"{home.address}/24", "dev", "eth0")
            home.ip("addr", "add", "10.99.0.77/24", "brd", "+", "dev", "eth0")
            ears.heard(lambda heard: "10.99.0.77" in heard.get("addresses", ()))


def test_a_host_without_a_network_is_heard_once_the_cable_is_in(tmp_path: Path) -> None:
    with lan(2) as network:
        home, guest = network.laptops
        home.ip("addr", "flush", "dev", "eth0")
        home.ip("link", "set", "eth0", "down")
        with listening(guest) as ears, hosting(home, tmp_path, "Late") as (_, ready):
            assert ready["address"] == "127.0.0.1:7718"
            home.ip("link", "set", "eth0", "up")
            home.ip("addr", "add", f"{home.address}/24", "brd", "+", "dev", "eth0")
            heard = ears.heard(lambda heard: home.address in heard.get("addresses", ()))
            assert heard["txt"]["id"] == ready["id"]


def test_port_5353_taken_is_said_once_with_what_to_type(tmp_path: Path) -> None:
    with lan(1) as network:
        (home,) = network.laptops
        with running(home, HOG) as hog:
            hog.line(lambda line: "held" in line)
            with hosting(home, tmp_path, "Mute") as (host, _):
                deadline = time.monotonic() + 30
                while not any("genial join" in line for line in host.errors):
                    assert time.monotonic() < deadline, host.errors
                    time.sleep(0.02)
                assert host.end() == 0
                told = [line for line in host.errors if "cannot be announced" in line]
                assert len(told) == 1
                assert f"genial join {home.address}:7718" in told[0]
