"""A host on one laptop, players on two others, who find it by mDNS: the evening as it is meant."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import DEADLINE, PlainPlayer, genial, running_host
from tests.lan.doctoring import ANNOUNCED
from tests.lan.namespaces import Lan, Laptop, lan, missing
from tests.lan.programs import running

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

PLAIN = "--plaintext"
KEYS = {
    "name",
    "id",
    "addresses",
    "port",
    "fingerprint",
    "reachable",
    "tables",
    "open_seats",
    "version",
}


@pytest.fixture
def three() -> Iterator[Lan]:
    with lan(3) as network:
        yield network


def on(laptop: Laptop) -> tuple[str, ...]:
    return tuple(laptop.command())


async def listed(home: Path, laptop: Laptop) -> list[dict[str, Any]]:
    found = await genial("hosts", "--json", home=home, prefix=on(laptop))
    assert found.code == 0, found.err
    rows: list[dict[str, Any]] = found.document
    return rows


async def test_two_laptops_find_a_host_and_play_to_a_verified_end(
    three: Lan, tmp_path: Path
) -> None:
    server, one, other = three.laptops
    async with running_host(tmp_path / "host", "--name", "Kitchen", prefix=on(server)) as host:
        (row,) = await listed(tmp_path, one)
        assert set(row) == KEYS
        assert (row["name"], row["id"], row["port"]) == ("Kitchen", host.host_id, host.port)
        assert row["reachable"] is True
        assert row["fingerprint"] is None
        assert server.address in row["addresses"]
        assert (row["tables"], row["open_seats"], row["version"]) == (0, 0, "v1")
        # By its id, by its announced name, and without any address at all.
        created = await genial("create", host.host_id, PLAIN, home=tmp_path, prefix=on(one))
        assert created.code == 0, created.err
        players = [
            await PlainPlayer.start(
                "join", "Kitchen", "--plain", "--name", "Ana", PLAIN,
                home=tmp_path / "one", prefix=on(one),
            ),
            await PlainPlayer.start(
                "join", "--plain", "--name", "Max", PLAIN,
                home=tmp_path / "other", prefix=on(other),
            ),
        ]  # fmt: skip
        try:
            async with asyncio.TaskGroup() as group:
                for player in players:
                    group.create_task(player.play_on(lambda line: line == "deal verified"))
        finally:
            for player in players:
                await player.stop()
        games = await genial("games", "Kitchen", "--json", PLAIN, home=tmp_path, prefix=on(one))
        (game,) = games.document
        record = tmp_path / "game.genial"
        fetch = ("record", "fetch", "Kitchen", game["game_id"], "-o", record, PLAIN)
        assert (await genial(*fetch, home=tmp_path, prefix=on(other))).code == 0
        checked = await genial("record", "check", record, home=tmp_path)
        assert checked.out == f"ok {record} verified\n"


async def test_killed_host_is_told_apart_and_ambiguous_names_list_the_ids(
    three: Lan, tmp_path: Path
) -> None:
    one, other, seeker = three.laptops
    twin = ("--name", "Twin")
    async with (
        running_host(tmp_path / "one", *twin, prefix=on(one)) as first,
        running_host(tmp_path / "other", *twin, prefix=on(other)) as second,
    ):
        # A host accepts calls before its name has been tried for being free.
        async with asyncio.timeout(DEADLINE):
            while len(await listed(tmp_path, seeker)) < 2:
                pass
        asked = await genial("tables", "twin", PLAIN, home=tmp_path, prefix=on(seeker))
        assert asked.code == 1
        assert first.host_id in asked.err
        assert second.host_id in asked.err
        first.process.kill()
        await first.ended()
        # Somebody who asked before keeps the dead one in mind; mDNS itself does not tell.
        alive = {row["id"]: row["reachable"] for row in await listed(tmp_path, seeker)}
        assert alive[second.host_id] is True
        assert alive.get(first.host_id, False) is False


async def test_a_host_that_is_announced_and_silent_is_named_to_whoever_joins(
    three: Lan, tmp_path: Path
) -> None:
    home, guest, _ = three.laptops
    with running(home, ANNOUNCED, "Shut in") as announced:
        announced.line()
        joined = await genial("join", "--plain", PLAIN, home=tmp_path, prefix=on(guest))
    assert joined.code == 1
    assert "Shut in" in joined.err
    assert home.address in joined.err
    assert "genial doctor" in joined.err


async def test_nobody_there(three: Lan, tmp_path: Path) -> None:
    laptop = three.laptops[0]
    found = await genial("hosts", "--json", "--wait", "0.3", home=tmp_path, prefix=on(laptop))
    assert (found.code, found.document) == (0, [])
    joined = await genial("join", "--plain", PLAIN, home=tmp_path, prefix=on(laptop))
    assert joined.code == 1
    assert "No host was found on this network" in joined.err


async def test_no_network_at_all(three: Lan, tmp_path: Path) -> None:
    laptop = three.laptops[0]
    laptop.ip("link", "set", "eth0", "down")
    laptop.ip("link", "set", "lo", "down")
    found = await genial("hosts", "--json", "--wait", "0.3", home=tmp_path, prefix=on(laptop))
    assert (found.code, found.document) == (0, [])
    asked = await genial("tables", "10.99.0.2", PLAIN, home=tmp_path, prefix=on(laptop))
    assert asked.code == 1
    assert "There is no way to 10.99.0.2" in asked.err
