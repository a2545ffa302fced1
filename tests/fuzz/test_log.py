"""Rubbish in the host's own file: the log reader names the damage, and starts nothing wrong.

Checksums are put right again behind most changes, as a bug of ours would do it; what is left are
the checks of what the rows mean.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections import Counter
from collections.abc import Callable

import pytest

from genial.engine.rules import Rules
from genial.services.game.authority import Authority, GameSettings
from genial.services.game.log import DamagedLogError, Snapshot
from genial.services.game.recovery import recover
from genial.services.game.room import Room, Times
from genial.services.game.rows import checksum, load, store_snapshot
from genial.services.game.snapshot import pack
from genial.services.game.store import SqliteGameLog
from genial.services.lobby.codec import table_from_json
from genial.v1 import game_pb2, room_service_pb2
from genial.wire.values import Clock
from tests.conftest import SOAK
from tests.fuzz.rubbish import damaged, random_bytes, senseless
from tests.simulation.chance import Chance, repeatable
from tests.simulation.clock import run
from tests.simulation.disk import Disk, SimulatedDatabase
from tests.simulation.evening import Evening, Plan
from tests.simulation.network import Faults
from tests.simulation.people import Ending, Habits

INPUTS = 30_000 if SOAK else 1_500


def _evening(seed: int) -> bytes:
    """The file after an evening with one game."""
    chance = Chance(seed)
    plan = Plan(
        Rules(players=2),
        2,
        (Habits(16, Ending.RESIGN), Habits(16, Ending.RESIGN)),
        Faults(),
        0,
        clock=Clock(600_000, 5_000),
    )
    with repeatable(chance):
        return run(_dump(Evening(plan, chance)))


async def _dump(evening: Evening) -> bytes:
    await evening.run()
    assert not evening.journal.broken
    content = evening.disk.connection.serialize()
    evening.disk.close()
    return content


class Reader:
    """A file that is spoilt, read, and put right again."""

    def __init__(self, content: bytes, source: random.Random) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.deserialize(content)
        self.source = source
        self.snapshot = self._some_snapshot()
        self._log = SqliteGameLog(SimulatedDatabase(Disk(source), asyncio.get_running_loop()))
        self._authority = Authority(self._log, GameSettings(), Times())

    def spoil_and_read(self) -> str:
        """What became of it."""
        self.connection.execute("BEGIN")
        try:
            self.source.choice(_SPOILERS)(self)
            return self._read()
        finally:
            self.connection.execute("ROLLBACK")

    def _read(self) -> str:
        (key,) = self.connection.execute("SELECT game FROM game_setups").fetchone()
        try:
            stored = load(self.connection, key)
            if stored is None:
                return "gone"
            room = Room.reopen(self._log, Times(), stored)
        except DamagedLogError:
            return "damaged"
        # What is taken for sound has to be sound for everybody who looks at it.
        for viewer in (None, 0, 1):
            room.publication.update(viewer, 0)
            room.publication.view(viewer)
        for asked in stored.asked:
            room._answer_again(asked)
        self._authority.record(room)
        return "sound"

    def _some_snapshot(self) -> bytes:
        """Of the game in its middle."""
        (key,) = self.connection.execute("SELECT game FROM game_setups").fetchone()
        stored = load(self.connection, key)
        game, placements = recover(stored, 0).at(9).game, 3
        return pack(game, placements)

    def event(self) -> tuple[int, int, bytes]:
        rows = self.connection.execute("SELECT n, at, body FROM game_events").fetchall()
        n, at, body = self.source.choice(rows)
        return n, at, body

    def put(self, n: int, at: int, body: bytes) -> None:
        right = self.source.random() < 0.9
        written = checksum(n, at, body) if right else self.source.randrange(2**32)
        self.connection.execute(
            "UPDATE game_events SET at = ?, body = ?, checksum = ? WHERE n = ?",
            (at, body, written, n),
        )


def _random_event(reader: Reader) -> None:
    n, at, _ = reader.event()
    reader.put(n, at, random_bytes(reader.source))


def _damaged_event(reader: Reader) -> None:
    n, at, body = reader.event()
    reader.put(n, at, damaged(body, reader.source))


def _senseless_event(reader: Reader) -> None:
    n, at, body = reader.event()
    message = senseless(game_pb2.GameEvent.FromString(body), reader.source)
    reader.put(n, at, message.SerializeToString())


def _other_event(reader: Reader) -> None:
    n, at, _ = reader.event()
    reader.put(n, at, reader.event()[2])


def _lost_event(reader: Reader) -> None:
    reader.connection.execute("DELETE FROM game_events WHERE n = ?", (reader.event()[0],))


def _lost_end(reader: Reader) -> None:
    reader.connection.execute("DELETE FROM game_events WHERE n >= ?", (reader.event()[0],))


def _other_moment(reader: Reader) -> None:
    n, _, body = reader.event()
    reader.put(n, reader.source.choice((0, -1, 2**62, 1)), body)


def _spoilt_setup(reader: Reader) -> None:
    _, at, body = reader.connection.execute(
        "SELECT game, started_at, setup FROM game_setups"
    ).fetchone()
    if reader.source.random() < 0.5:
        body = damaged(body, reader.source)
    else:
        request = room_service_pb2.CreateRoomRequest.FromString(body)
        body = senseless(request, reader.source).SerializeToString()
    reader.connection.execute(
        "UPDATE game_setups SET setup = ?, checksum = ?", (body, checksum(0, at, body))
    )


def _spoilt_clock(reader: Reader) -> None:
    text = reader.source.choice(
        ("", "{}", "[]", "[true]", "[1,2,3,4,5]", '["x", "y", 1]', "[0,1e99]")
    )
    where = reader.source.choice(("game_events", "game_clocks"))
    reader.connection.execute(f"UPDATE {where} SET clock = ? WHERE clock IS NOT NULL", (text,))


def _spoilt_holder(reader: Reader) -> None:
    seat = reader.source.choice((-1, 0, 1, 2, 99))
    reader.connection.execute(
        "INSERT OR REPLACE INTO game_holders SELECT game, ?, ? FROM game_setups",
        (seat, reader.source.randbytes(reader.source.choice((0, 31, 32)))),
    )


def _spoilt_snapshot(reader: Reader) -> None:
    """Bound to the right rows, as a bug of ours would have it, or not."""
    ((key, events),) = reader.connection.execute(
        "SELECT game, count(*) FROM game_events GROUP BY game"
    ).fetchall()
    n = 9 if reader.source.random() < 0.7 else reader.source.randrange(1, events + 1)
    body = damaged(reader.snapshot, reader.source)
    store_snapshot(reader.connection, key, Snapshot(n, body))
    if reader.source.random() < 0.2:
        reader.connection.execute("DELETE FROM game_events WHERE n = ?", (n,))


def _spoilt_request(reader: Reader) -> None:
    reader.connection.execute(
        "UPDATE game_events SET since = ?, seat = ? WHERE n = ?",
        (
            reader.source.choice((-5, 0, 10**9)),
            reader.source.choice((-7, 0, 12)),
            reader.event()[0],
        ),
    )


_SPOILERS: tuple[Callable[[Reader], None], ...] = (
    _random_event,
    _damaged_event,
    _damaged_event,
    _damaged_event,
    _senseless_event,
    _senseless_event,
    _senseless_event,
    _other_event,
    _lost_event,
    _lost_end,
    _other_moment,
    _spoilt_setup,
    _spoilt_setup,
    _spoilt_clock,
    _spoilt_holder,
    _spoilt_request,
    _spoilt_snapshot,
    _spoilt_snapshot,
)


@pytest.mark.timeout(3600 if SOAK else 300)
def test_rubbish_in_the_log_of_a_game() -> None:
    content = _evening(3)

    async def read() -> Counter[str]:
        reader = Reader(content, random.Random("log"))
        return Counter(reader.spoil_and_read() for _ in range(INPUTS))

    answers = run(read())
    assert answers["damaged"] > INPUTS // 3
    assert answers["sound"] > 0


def test_rubbish_in_the_place_of_a_table() -> None:
    content = _evening(3)
    source = random.Random("table")
    connection = sqlite3.connect(":memory:")
    connection.deserialize(content)
    ((text,),) = connection.execute("SELECT content FROM lobby_tables").fetchall()
    connection.close()
    answers: Counter[str] = Counter()
    for _ in range(INPUTS):
        try:
            table_from_json(damaged(text.encode(), source).decode(errors="replace"))
        except ValueError:
            answers["no table"] += 1
        else:
            answers["a table"] += 1
    assert answers["no table"] > INPUTS // 3
