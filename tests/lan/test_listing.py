"""What a list of hosts shows while hosts come, go, move, sleep, wake, and lie."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.lan.hub import hub
from tests.lan.namespaces import Laptop, lan, missing, namespaces, plug_in, switch
from tests.lan.programs import LIST, HostList, Program, listing, running

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

SEEN: float = 15
"""Everything is seen within five seconds on a machine that has nothing else to do."""

HOST = """
import asyncio, logging, pathlib, sys
from genial.services.host import run_host
from genial.services.settings import HostSettings

logging.basicConfig(level=logging.WARNING, format="%(message)s")
settings = HostSettings(pathlib.Path(sys.argv[1]), name=sys.argv[2])
asyncio.run(run_host(settings, lambda ready: print(ready.host_id, flush=True)))
"""

CROWD = """
import asyncio, sys, uuid
from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf
from genial.wire.announcement import SERVICE_TYPE, Announcement, instance_name

async def main(count, address):
    async with AsyncZeroconf(ip_version=IPVersion.V4Only) as zeroconf:
        async def announce(number):
            said = Announcement(uuid.uuid4().hex, f"Table {number}")
            name = instance_name(said.name, said.host_id)
            await (await zeroconf.async_register_service(AsyncServiceInfo(
                SERVICE_TYPE, f"{name}.{SERVICE_TYPE}", parsed_addresses=[address], port=7718,
                properties=said.to_properties(), server=f"{said.host_id}.local.",
            )))
        await asyncio.gather(*(announce(number) for number in range(count)))
        print("announced", flush=True)
        await asyncio.Event().wait()

asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
"""

LIAR = """
import random, socket, struct, sys

GROUP = ("224.0.0.251", 5353)
TYPE = b"\\x07_genial\\x04_tcp\\x05local\\x00"
address = socket.inet_aton(sys.argv[1])
mouth = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
mouth.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
mouth.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
mouth.bind((sys.argv[1], 5353))
mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, address)
mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
chance = random.Random(7)

def label(text):
    return bytes([len(text)]) + text

def record(name, kind, data, ttl=4500):
    return name + struct.pack("!HHIH", kind, 0x8001 if kind != 12 else 1, ttl, len(data)) + data

def txt(*entries):
    return b"".join(label(entry) for entry in entries) or b"\\0"

def answer(instance, entries, port=7718, host=b"\\x04liar\\x05local\\x00", addresses=(address,)):
    name = label(instance) + TYPE
    records = [record(TYPE, 12, name), record(name, 33, struct.pack("!3H", 0, 0, port) + host),
               record(name, 16, txt(*entries))]
    records += [record(host, 1, each) for each in addresses]
    return struct.pack("!6H", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)

good = (b"v=v1", b"id=" + b"a" * 32, b"name=Liar")
packets = [
    b"", b"\\0", b"\\xff" * 12, b"\\0" * 8900,
    struct.pack("!6H", 0, 0x8400, 0, 65535, 65535, 65535) + b"\\xc0\\x0c" * 700,
    # A name that points at itself, and one that runs out of the packet.
    struct.pack("!6H", 0, 0x8400, 0, 1, 0, 0) + record(b"\\xc0\\x0c", 12, b"\\xc0\\x0c"),
    struct.pack("!6H", 0, 0x8400, 0, 1, 0, 0) + b"\\x3f" + b"x" * 20,
    answer(b"No TXT", ()),
    answer(b"No id", (b"v=v1", b"name=x")),
    answer(b"Bare keys", (b"v", b"id", b"name", b"tables", b"open", b"fp")),
    answer(b"Not text", (b"v=v1", b"id=\\xff\\xfe", b"name=\\xff")),
    answer(b"Escapes", (b"v=v1", b"id=\\x1b]0;x\\x07", b"name=\\x1b[2J")),
    answer(b"Bad print", (*good, b"fp=" + b"Z" * 64)),
    answer(b"Many", (*good, b"tables=" + b"9" * 200, b"open=-1")),
    answer(b"No port", good, port=0),
    answer(b"Nowhere", good, addresses=()),
    answer(b"Everywhere", good, addresses=[bytes([10, 1, n // 250, n % 250]) for n in range(400)]),
    answer(b"Huge", (*good, *(label(b"x" * 200) for _ in range(39)))),
    answer(bytes(range(1, 32)) + b"\\xff\\xfe", good),
]
for _round in range(3):
    for packet in packets:
        mouth.sendto(packet, GROUP)
for _number in range(2000):
    packet = bytearray(chance.choice(packets[7:]))
    for _bit in range(chance.randrange(1, 20)):
        packet[chance.randrange(len(packet))] = chance.randrange(256)
    mouth.sendto(bytes(packet[:8900]), GROUP)
for number in range(3000):
    flood = (b"v=v1", b"id=flood%d" % number, b"name=Flood")
    mouth.sendto(answer(b"Flood %d" % number, flood, port=1), GROUP)
print("lied", flush=True)
"""


@contextmanager
def hosting(laptop: Laptop, data: Path, name: str) -> Iterator[tuple[Program, str]]:
    """An encrypted host, and its id."""
    with running(laptop, HOST, str(data), name) as program:
        yield program, program.line().strip()


def test_three_hosts_leave_die_sleep_and_wake(tmp_path: Path) -> None:
    with lan(4) as network:
        *homes, guest = network.laptops
        with (
            hosting(homes[0], tmp_path / "0", "Leaves") as (leaver, leaves),
            hosting(homes[1], tmp_path / "1", "Dies") as (dier, dies),
            hosting(homes[2], tmp_path / "2", "Sleeps") as (sleeper, sleeps),
            listing(guest) as seen,
        ):
            rows = seen.until(lambda rows: sum(bool(r["reachable"]) for r in rows.values()) == 3)
            for home, host_id in zip(homes, (leaves, dies, sleeps), strict=True):
                assert home.address in rows[host_id]["addresses"]
                assert home.address in rows[host_id]["at"] or "fe80" in rows[host_id]["at"]
            assert leaver.end() == 0
            seen.until(lambda rows: leaves not in rows, SEEN)
            dier.process.kill()
            seen.until(lambda rows: rows[dies]["reachable"] is False, SEEN)
            sleeper.process.send_signal(signal.SIGSTOP)
            rows = seen.until(lambda rows: rows[sleeps]["reachable"] is False, SEEN)
            sleeper.process.send_signal(signal.SIGCONT)
            seen.until(lambda rows: rows[sleeps]["reachable"] is True, SEEN)


def test_a_host_that_moves_is_one_row_with_its_new_address(tmp_path: Path) -> None:
    with lan(2) as network:
        home, guest = network.laptops
        with hosting(home, tmp_path, "Mover") as (_, host_id), listing(guest) as seen:
            seen.until(lambda rows: bool(rows.get(host_id, {}).get("reachable")))
            home.ip("addr", "del", f"{home.address}/24", "dev", "eth0")
            home.ip("addr", "add", "10.99.0.77/24", "brd", "+", "dev", "eth0")
            rows = seen.until(
                lambda rows: (
                    "10.99.0.77" in rows[host_id]["addresses"]
                    and home.address not in rows[host_id]["addresses"]
                    and bool(rows[host_id]["reachable"])
                ),
                SEEN,
            )
            assert len(rows) == 1


def test_a_guest_finds_hosts_once_it_is_in_a_network_and_again_in_the_next(tmp_path: Path) -> None:
    with switch("a") as one, switch("b") as other, namespaces(3, "10.97.0") as laptops:
        first, second, guest = laptops
        plug_in(one, "first", first, "10.97.1.1")
        plug_in(other, "second", second, "10.97.2.1")
        with (
            hosting(first, tmp_path / "1", "First") as (_, first_id),
            hosting(second, tmp_path / "2", "Second") as (_, second_id),
            listing(guest) as seen,
        ):
            plug_in(one, "guest", guest, "10.97.1.9")
            rows = seen.until(lambda rows: bool(rows.get(first_id, {}).get("reachable")), SEEN)
            assert second_id not in rows
            guest.ip("link", "delete", "eth0")
            plug_in(other, "guest", guest, "10.97.2.9")
            seen.until(
                lambda rows: (
                    bool(rows.get(second_id, {}).get("reachable"))
                    and not rows.get(first_id, {"reachable": False})["reachable"]
                ),
                SEEN,
            )


def test_a_host_on_two_networks_is_one_row_and_either_will_do(tmp_path: Path) -> None:
    with switch("a") as one, switch("b") as other, namespaces(2, "10.97.0") as (home, guest):
        plug_in(one, "home", home, "10.97.1.1")
        plug_in(one, "guest", guest, "10.97.1.9")
        plug_in(other, "home", home, "10.97.2.1", "eth1")
        plug_in(other, "guest", guest, "10.97.2.9", "eth1")
        with hosting(home, tmp_path, "Both") as (_, host_id), listing(guest) as seen:
            rows = seen.until(
                lambda rows: (
                    bool(rows.get(host_id, {}).get("reachable"))
                    and {"10.97.1.1", "10.97.2.1"} <= set(rows[host_id]["addresses"])
                )
            )
            assert list(rows) == [host_id]
            where = rows[host_id]["at"]
            # The way that is in use is cut: the other one is found by itself.
            adapter = "eth1" if "10.97.2." in where or where.endswith("3]:7718") else "eth0"
            guest.ip("link", "set", adapter, "down")
            rows = seen.until(
                lambda rows: bool(rows[host_id]["reachable"]) and rows[host_id]["at"] != where, SEEN
            )
            assert list(rows) == [host_id]


def test_a_dead_adapter_of_the_host_costs_nobody_anything(tmp_path: Path) -> None:
    with lan(2) as network:
        home, guest = network.laptops
        # As of a VPN: an address that nobody else reaches, and a guest whose router knows no way.
        home.ip("tuntap", "add", "dev", "tun0", "mode", "tun")
        home.ip("addr", "add", "10.8.0.2/24", "dev", "tun0")
        home.ip("link", "set", "tun0", "up")
        guest.ip("route", "add", "default", "via", "10.99.0.254")
        with hosting(home, tmp_path, "Behind a VPN") as (_, host_id), listing(guest) as seen:
            rows = seen.until(lambda rows: bool(rows.get(host_id, {}).get("reachable")))
            assert "10.8.0.2" in rows[host_id]["addresses"]
            assert "10.8.0.2" not in rows[host_id]["at"]
            # What lies in the guest's own network is tried before what does not.
            assert rows[host_id]["addresses"][0] == home.address


def test_a_guest_whom_no_multicast_reaches_is_answered_alone(tmp_path: Path) -> None:
    with lan(3) as network:
        home, first, guest = network.laptops
        network.spare_multicast(guest)
        with hosting(home, tmp_path, "Kitchen") as (_, host_id):
            with listing(first) as seen:
                seen.until(lambda rows: bool(rows.get(host_id, {}).get("reachable")))
            with listing(guest) as seen:
                seen.until(lambda rows: bool(rows.get(host_id, {}).get("reachable")))


def test_fifty_announcements_at_once(tmp_path: Path) -> None:
    with lan(3) as network:
        home, crowd, guest = network.laptops
        plain = HOST.replace("name=sys.argv[2]", "name=sys.argv[2], plaintext=True")
        with (
            running(home, plain, str(tmp_path), "Real") as real,
            listing(guest) as seen,
        ):
            host_id = real.line().strip()
            with running(crowd, CROWD, "49", home.address) as announcing:
                announcing.line(lambda line: "announced" in line)
                rows = seen.until(
                    lambda rows: (
                        len(rows) == 50 and all(bool(r["reachable"]) for r in rows.values())
                    )
                )
                assert host_id in rows
                assert len({row["name"] for row in rows.values()}) == 50


def test_lies_by_mdns_hide_no_honest_host(tmp_path: Path) -> None:
    with lan(3) as network:
        home, liar, guest = network.laptops
        with listing(guest) as seen:
            with running(liar, LIAR, liar.address) as lying:
                lying.line(lambda line: "lied" in line)
            with hosting(home, tmp_path, "Honest") as (host, host_id):
                rows = seen.until(lambda rows: bool(rows.get(host_id, {}).get("reachable")), 60)
                assert len(rows) <= 512
                for row in rows.values():
                    assert row["name"].isprintable()
                    assert len(row["addresses"]) <= 16
                assert host.end() == 0
                seen.until(lambda rows: host_id not in rows, SEEN)


def test_a_list_full_of_the_dead_has_room_for_who_lives(tmp_path: Path) -> None:
    small = f"from genial.client import browse\nbrowse.MOST_INSTANCES = 16\n{LIST}"
    with lan(3) as network:
        home, crowd, guest = network.laptops
        with running(guest, small) as program, running(crowd, CROWD, "20", home.address) as dead:
            seen = HostList(program)
            dead.line(lambda line: "announced" in line)
            seen.until(lambda rows: [r["reachable"] for r in rows.values()] == [False] * 16)
            with hosting(home, tmp_path, "Alive") as (_, host_id):
                # Now the others answer, too, for they have named its address as theirs.
                rows = seen.until(lambda rows: bool(rows.get(host_id, {}).get("reachable")))
                assert len(rows) <= 16


def test_a_host_over_a_bad_cable_is_found_and_stays(tmp_path: Path) -> None:
    with hub(2) as network:
        home, guest = network.laptops
        network.delay(10)
        network.loss(5)
        with hosting(home, tmp_path, "Far") as (_, host_id), listing(guest) as seen:
            seen.until(lambda rows: bool(rows.get(host_id, {}).get("reachable")))
            network.cut(home, guest)
            seen.until(lambda rows: rows[host_id]["reachable"] is False, SEEN)
            network.heal()
            seen.until(lambda rows: rows[host_id]["reachable"] is True, SEEN)
