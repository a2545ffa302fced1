"""Evenings on networks as they are: several hosts, a router, bad cables, a host that moves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import DEADLINE, HostProcess, PlainPlayer, genial, running_host
from tests.lan.hub import hub
from tests.lan.namespaces import Laptop, lan, missing, namespaces, plug_in, switch
from tests.lan.programs import HOG, running

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

PLAIN = "--plaintext"
OUTAGE_SECONDS = 10


def on(laptop: Laptop) -> tuple[str, ...]:
    return tuple(laptop.command())


async def listed(home: Path, laptop: Laptop) -> list[dict[str, Any]]:
    found = await genial("hosts", "--json", home=home, prefix=on(laptop))
    assert found.code == 0, found.err
    rows: list[dict[str, Any]] = found.document
    return rows


async def until_listed(home: Path, laptop: Laptop, *hosts: HostProcess) -> list[dict[str, Any]]:
    """A host accepts calls before its name has been tried for being free."""
    wanted = {host.host_id for host in hosts}
    async with asyncio.timeout(DEADLINE):
        while True:
            rows = await listed(home, laptop)
            if wanted <= {row["id"] for row in rows if row["reachable"]}:
                return rows


@asynccontextmanager
async def two_playing(
    tmp_path: Path, host: HostProcess, one: Laptop, other: Laptop, *where: str
) -> AsyncIterator[tuple[PlainPlayer, PlainPlayer, asyncio.Task[None]]]:
    """A game of two, played by itself to its verified end while the test disturbs it."""
    created = await genial("create", host.address, PLAIN, home=tmp_path, prefix=on(one))
    assert created.code == 0, created.err
    players = [
        await PlainPlayer.start(
            "join", *(where or (host.address,)), "--plain", "--name", name, PLAIN,
            home=tmp_path / name, prefix=on(laptop),
        )
        for name, laptop in (("Ana", one), ("Max", other))
    ]  # fmt: skip

    async def play() -> None:
        async with asyncio.TaskGroup() as group:
            for player in players:
                group.create_task(player.play_on(lambda line: line == "deal verified"))

    game = asyncio.create_task(play())
    try:
        # In the middle of the game, that is.
        await players[0].line(lambda line: line.startswith("Max placed"))
        yield players[0], players[1], game
    finally:
        game.cancel()
        await asyncio.gather(game, return_exceptions=True)
        for player in players:
            await player.stop()


async def test_tables_of_three_hosts_and_a_table_by_its_id(tmp_path: Path) -> None:
    with lan(4) as network:
        *homes, guest = network.laptops
        async with AsyncExitStack() as stack:
            hosts = [
                await stack.enter_async_context(
                    running_host(tmp_path / name, "--name", name, prefix=on(home))
                )
                for name, home in zip(("Attic", "Cellar", "Kitchen"), homes, strict=True)
            ]
            rows = await until_listed(tmp_path, guest, *hosts)
            assert [row["name"] for row in rows] == ["Attic", "Cellar", "Kitchen"]
            tables = [
                (await genial("create", host.host_id, PLAIN, home=tmp_path, prefix=on(guest))).out
                for host in hosts
            ]
            player = await PlainPlayer.start(
                "join", "--table", tables[1].strip(), "--plain", "--name", "Ana", PLAIN,
                home=tmp_path / "Ana", prefix=on(guest),
            )  # fmt: skip
            await player.line(lambda line: "Seat 1: Ana" in line)
            await player.stop()
            (table,) = (
                await genial("tables", "Cellar", "--json", PLAIN, home=tmp_path, prefix=on(guest))
            ).document
            assert table["seats"][0]["name"] == "Ana"
            lost = ("join", "--table", "no-such-table", "--plain", PLAIN)
            refused = await genial(*lost, home=tmp_path, prefix=on(guest))
            assert refused.code == 1
            assert "None of the 3 hosts here has a table no-such-table" in refused.err
            assert "Cellar" in refused.err


async def test_a_party_of_two_networks_with_a_router_between(tmp_path: Path) -> None:
    with switch("a") as one, switch("b") as other, namespaces(4, "10.96.0") as laptops:
        upstairs, downstairs, router, guest = laptops
        plug_in(one, "host", upstairs, "10.96.1.1")
        plug_in(one, "guest", guest, "10.96.1.9")
        plug_in(one, "router", router, "10.96.1.254")
        plug_in(other, "host", downstairs, "10.96.2.1")
        plug_in(other, "router", router, "10.96.2.254", "eth1")
        assert router.run("sysctl", "-qw", "net.ipv4.ip_forward=1").returncode == 0
        for laptop, gateway in ((upstairs, 1), (guest, 1), (downstairs, 2)):
            laptop.ip("route", "add", "default", "via", f"10.96.{gateway}.254")
        config = tmp_path / "host.toml"
        async with running_host(
            tmp_path / "down", "--name", "Downstairs", prefix=on(downstairs)
        ) as far:
            config.write_text(f'neighbours = ["{far.address}"]\n')
            async with running_host(
                tmp_path / "up", "--name", "Upstairs", "--config", config, prefix=on(upstairs)
            ) as near:
                rows = await until_listed(tmp_path, guest, near, far)
                assert {row["name"]: row["addresses"][0] for row in rows} == {
                    "Upstairs": "10.96.1.1",
                    "Downstairs": "10.96.2.1",
                }
                made = await genial("create", far.address, PLAIN, home=tmp_path, prefix=on(guest))
                player = await PlainPlayer.start(
                    "join", "--table", made.out.strip(), "--plain", "--name", "Ana", PLAIN,
                    home=tmp_path / "Ana", prefix=on(guest),
                )  # fmt: skip
                await player.line(lambda line: "Seat 1: Ana" in line)
                await player.stop()


async def test_the_host_moves_in_the_middle_of_a_game(tmp_path: Path) -> None:
    with lan(3) as network:
        home, one, other = network.laptops
        async with (
            running_host(tmp_path / "host", "--name", "Mover", prefix=on(home)) as host,
            two_playing(tmp_path, host, one, other) as (ana, max_, game),
        ):
            before = len(ana.lines), len(max_.lines)
            home.ip("addr", "del", f"{home.address}/24", "dev", "eth0")
            home.ip("addr", "add", "10.99.0.77/24", "brd", "+", "dev", "eth0")
            for player, known in zip((ana, max_), before, strict=True):
                await player.line(lambda line: line.startswith("Connection lost"), known)
                await player.line(lambda line: line == "Connected again.", known)
            await game


async def test_the_host_is_killed_and_started_again_on_another_laptop(tmp_path: Path) -> None:
    """With the same data, that is: a copied directory, or the same one at another address."""
    with lan(4) as network:
        home, next_home, one, other = network.laptops
        async with (
            running_host(tmp_path / "host", "--name", "Mover", prefix=on(home)) as host,
            two_playing(tmp_path, host, one, other) as (ana, max_, game),
        ):
            before = len(ana.lines), len(max_.lines)
            host.process.kill()
            await host.ended()
            async with running_host(
                tmp_path / "host", "--name", "Mover", prefix=on(next_home)
            ) as again:
                assert again.host_id == host.host_id
                assert again.address != host.address
                for player, known in zip((ana, max_), before, strict=True):
                    await player.line(lambda line: line == "Connected again.", known)
                await game


async def test_a_game_over_a_bad_cable_with_a_cut_of_ten_seconds(tmp_path: Path) -> None:
    with hub(3) as network:
        home, one, other = network.laptops
        async with running_host(tmp_path / "host", "--name", "Far", prefix=on(home)) as host:
            network.delay(10)
            network.loss(5)
            async with two_playing(tmp_path, host, one, other) as (ana, _max, game):
                known = len(ana.lines)
                network.cut(home, one)
                await ana.line(lambda line: line.startswith("Connection lost"), known)
                # How long the cable is out is what this is about; nothing is waited for.
                await asyncio.sleep(OUTAGE_SECONDS)
                network.heal()
                await ana.line(lambda line: line == "Connected again.", known)
                await game


async def test_hosting_and_joining_go_on_where_multicast_does_not(tmp_path: Path) -> None:
    with lan(2) as network:
        home, guest = network.laptops
        with running(home, HOG) as hog, running(guest, HOG) as other:
            hog.line(lambda line: "held" in line)
            other.line(lambda line: "held" in line)
            async with running_host(tmp_path / "host", "--name", "Mute", prefix=on(home)) as host:
                found = await genial("hosts", "--json", home=tmp_path, prefix=on(guest))
                assert (found.code, found.document) == (0, [])
                assert "cannot be looked for" in found.err
                assert "typing an address works" in found.err
                named = await genial("tables", "Mute", PLAIN, home=tmp_path, prefix=on(guest))
                assert named.code == 1
                assert "cannot be looked for" in named.err
                async with two_playing(tmp_path, host, guest, guest) as (_ana, _max, game):
                    await game


async def test_a_host_is_found_by_its_id_where_it_was_before(tmp_path: Path) -> None:
    with lan(2) as network:
        home, guest = network.laptops
        host = await HostProcess.start(
            "host", "--name", "Known", "--no-announce", home=tmp_path / "host", prefix=on(home)
        )
        try:
            await host.until_ready()
            for asked in (host.address, host.host_id):
                tables = await genial("tables", asked, "--json", home=tmp_path, prefix=on(guest))
                assert (tables.code, tables.document) == (0, []), tables.err
        finally:
            await host.stop()
