"""Tables that are always open."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from genial.engine.rules import Mode, Preset, Rules
from genial.services.lobby.lobby import LobbySettings
from genial.services.lobby.standing import StandingTable, StandingTables
from genial.services.lobby.table import Options, Table, TableState
from tests.services.lobby.lobbies import Player, World, create_request, world_at

QUICK = StandingTable("Quick game", Options(Rules(Preset.GENIAL, Mode.FREE, 2), games=3))
WITH_BOT = StandingTable(
    "Three", Options(Rules(Preset.OFFICIAL, Mode.FREE, 3)), ("medium",), password="open sesame"
)


def open_tables(world: World, name: str = "Quick game") -> list[Table]:
    return [
        running.table
        for running in world.lobby.tables
        if running.table.standing == name and running.table.state is TableState.OPEN
    ]


async def test_they_stand_ready_as_configured(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        await StandingTables(world.lobby, [QUICK, WITH_BOT]).keep()
        (quick,), (three,) = open_tables(world), open_tables(world, "Three")
        assert (quick.name, quick.options.games) == ("Quick game", 3)
        assert three.rules.preset is Preset.OFFICIAL
        assert [seat.level for seat in three.seats] == ["", "", "medium"]
        assert three.password_hash is not None
        assert "open sesame" not in repr(three)


async def test_when_one_fills_another_stands_ready(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        standing = StandingTables(world.lobby, [QUICK])
        await standing.keep()
        table_id = open_tables(world)[0].table_id
        await Player(world, "Ana", table_id).join()
        await standing.keep()
        assert [table.table_id for table in open_tables(world)] == [table_id]
        await Player(world, "Max", table_id).join()
        await standing.keep()
        assert len(open_tables(world)) == 2
        assert sum(bool(table.open_seats) for table in open_tables(world)) == 1


async def test_an_empty_one_too_many_is_closed(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        standing = StandingTables(world.lobby, [QUICK])
        await standing.keep()
        table_id = open_tables(world)[0].table_id
        people = [Player(world, name, table_id) for name in ("Ana", "Max")]
        for player in people:
            await player.join()
        await standing.keep()
        for player in people:
            await player.do("leave_table")
        await standing.keep()
        assert len(open_tables(world)) == 1


async def test_a_restart_finds_them_again(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        await StandingTables(world.lobby, [QUICK]).keep()
        before = open_tables(world)[0].table_id
    async with world_at(tmp_path) as world:
        await StandingTables(world.lobby, [QUICK]).keep()
        assert [table.table_id for table in open_tables(world)] == [before]


async def test_a_changed_configuration_changes_them(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        await StandingTables(world.lobby, [QUICK, WITH_BOT]).keep()
        longer = dataclasses.replace(QUICK, options=dataclasses.replace(QUICK.options, games=5))
        await StandingTables(world.lobby, [longer]).keep()
        assert [table.options.games for table in open_tables(world)] == [5]
        assert open_tables(world, "Three") == []


async def test_people_are_not_sent_away_by_a_change(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        await StandingTables(world.lobby, [QUICK]).keep()
        table_id = open_tables(world)[0].table_id
        await Player(world, "Ana", table_id).join()
        await StandingTables(world.lobby, []).keep()
        assert [table.table_id for table in open_tables(world)] == [table_id]


async def test_a_guest_cannot_pass_for_one(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        request = create_request()
        request.name = "Quick game"
        await world.handler.create_table(request, Player(world, "Eve", "").call)
        await StandingTables(world.lobby, [QUICK]).keep()
        assert len(open_tables(world)) == 1


async def test_draining_and_full_hosts_open_none(tmp_path: Path) -> None:
    for settings in (LobbySettings(draining=True), LobbySettings(most_tables=0)):
        async with world_at(tmp_path, settings=settings) as world:
            await StandingTables(world.lobby, [QUICK]).keep()
            assert open_tables(world) == []
