"""Pages of the file overwritten with rubbish: damage is named, and the rest goes on as it was."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from genial.engine.game import Game
from genial.services.store import StorageError
from genial.wire.errors import GenialError, Reason
from tests.services.game.hosting import hosted, play_on, room_request

GAMES = 8
PAGE = 4096


async def played(path: Path) -> list[Game]:
    """A file with some games, and how they stand."""
    async with hosted(path) as services:
        for number in range(GAMES):
            await services.rooms.create_room(room_request(f"game-{number}", seed=f"{number}"))
            await play_on(services, random.Random(number), 24, f"game-{number}")
        return [
            (await services.rooms.room(f"game-{number}")).publication.game
            for number in range(GAMES)
        ]


def spoil(path: Path, page: int) -> None:
    """Overwrites a page, the first being 1."""
    with path.open("r+b") as file:
        file.seek((page - 1) * PAGE)
        file.write(random.Random(page).randbytes(PAGE))


def root_of(path: Path, name: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)
        ).fetchone()
    return int(page)


async def found(path: Path, truth: list[Game]) -> str:
    """What a host makes of the file; no game may stand otherwise than it did."""
    standing = 0
    refusals: set[str] = set()
    try:
        async with hosted(path) as services:
            for number, game in enumerate(truth):
                try:
                    room = await services.rooms.room(f"game-{number}")
                except GenialError as error:
                    refusals.add(error.reason)
                else:
                    assert room.publication.game == game
                    standing += 1
    except StorageError:
        return "refused"
    assert refusals <= {Reason.GAME_DAMAGED}
    return "all" if standing == GAMES else "some" if standing else "none"


async def test_whichever_page_is_spoilt_no_game_goes_on_from_a_wrong_state(tmp_path: Path) -> None:
    path, spoilt = tmp_path / "host.db", tmp_path / "spoilt.db"
    truth = await played(path)
    came_out: Counter[str] = Counter()
    for page in range(1, 1 + path.stat().st_size // PAGE):
        shutil.copy(path, spoilt)
        spoil(spoilt, page)
        came_out[await found(spoilt, truth)] += 1
    assert came_out["some"] + came_out["all"] > came_out["none"] + came_out["refused"], came_out
    assert came_out["some"] > 3, came_out


async def test_damage_is_named_at_the_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "host.db"
    truth = await played(path)
    spoil(path, path.stat().st_size // PAGE)
    assert await found(path, truth) == "some"
    assert f"{path} is damaged: " in caplog.text
    assert "genial restore" in caplog.text
    assert "cannot go on: the file cannot be read where it stands" in caplog.text


async def test_an_index_that_cannot_be_read_costs_no_game(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    truth = await played(path)
    spoil(path, root_of(path, "game_setups_running"))
    assert await found(path, truth) == "all"


async def test_packed_states_that_cannot_be_read_are_not_needed(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    truth = await played(path)
    spoil(path, root_of(path, "game_snapshots"))
    assert await found(path, truth) == "all"
