"""What must hold when an evening is over, whatever went wrong in between."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from genial.client.channel import call
from genial.engine import record
from genial.engine.game import Game, evolve
from genial.engine.record import Judgement, Verdict
from genial.engine.view import view_for
from genial.services.game.log import DamagedLogError, StoredGame
from genial.services.game.recovery import recover
from genial.services.game.rows import load
from genial.services.game.setup import Setup
from genial.services.game.snapshot import UnfitSnapshotError, unpack
from genial.v1 import game_service_pb2, history_service_pb2, lobby_service_pb2, table_pb2
from genial.v1.history_service_pb2_grpc import HistoryServiceStub
from genial.v1.lobby_service_pb2_grpc import LobbyServiceStub
from genial.v1.room_service_pb2 import CreateRoomRequest
from genial.wire.metadata import seat_token_hash
from tests.simulation.disk import Disk
from tests.simulation.network import Answered, Faults, Line
from tests.simulation.people import Person

if TYPE_CHECKING:
    from tests.simulation.evening import Evening

_CAME_LATER: Final = (
    "this client was not there when the tiles were dealt; the record alone was checked"
)
"""Somebody was away while a bot took part in the deal of a match's next game for them."""

_MOVES: Final = (
    game_service_pb2.PlaceTileRequest,
    game_service_pb2.ExchangeRackRequest,
    game_service_pb2.RefillRackRequest,
    game_service_pb2.ResignRequest,
)
_PASSING: Final = (
    "version",
    "watchers",
    "viewer_seat",
    "game_revision",
    "placements",
    "deadline",
)
"""Fields of a table that say who looks at it, and when."""


class StoredTruth:
    """One game as it stands on the disk, and as its record tells it."""

    def __init__(self, stored: StoredGame, judgement: Judgement) -> None:
        self.stored = stored
        self.judgement = judgement
        request = CreateRoomRequest.FromString(stored.setup.body)
        self.setup = Setup.of(request, stored.setup.started_at_ms)
        events = judgement.record.events if judgement.record else ()
        self.events = [timed.event for timed in events]
        self._states = [self.setup.new_game()]
        for event in self.events:
            self._states.append(evolve(self._states[-1], event))

    @property
    def last(self) -> Game:
        """The game at its end."""
        return self._states[-1]

    def at(self, revision: int) -> Game:
        """The game at a revision."""
        return self._states[revision]


async def judge_evening(evening: Evening) -> None:
    """Looks at everything; what is wrong is added to the journal's `broken`."""
    broken = evening.journal.broken
    line = Line(evening.network, "the judge", Faults(0.0005), evening.disk.source)
    channel = line.channel()
    truths: dict[str, StoredTruth] = {}
    for key, game_id in evening.disk.rows("SELECT game, game_id FROM game_setups ORDER BY game"):
        truth = await _truth(evening, channel, key, game_id)
        if truth is not None:
            truths[game_id] = truth
    for answered in evening.journal.answered:
        _judge_answer(evening, truths, answered)
    _judge_requests(evening, broken)
    table = await call(
        LobbyServiceStub(channel).GetTable,
        lobby_service_pb2.GetTableRequest(table_id=evening.table_id),
    )
    for person in evening.everybody:
        _judge_person(person, truths, table.table, broken)


def judge_packed_states(disk: Disk, broken: list[str]) -> None:
    """Where a host would go on from at this moment must be what the events lead to."""
    for (key,) in disk.rows("SELECT game FROM game_snapshots"):
        stored = load(disk.connection, key)
        if stored.snapshot is None:
            broken.append(f"the packed state of game {key} does not belong to its log")
            continue
        truth = recover(replace(stored, snapshot=None), 0).at(stored.snapshot.revision)
        try:
            packed = unpack(stored.snapshot, truth.setup)
        except UnfitSnapshotError as fault:
            broken.append(f"the packed state of game {key} is none: {fault}")
        else:
            if packed != (truth.game, truth.placements):
                broken.append(f"the packed state of game {key} is another than the log's")


async def _truth(evening: Evening, channel: Any, key: int, game_id: str) -> StoredTruth | None:
    broken = evening.journal.broken
    try:
        stored = load(evening.disk.connection, key)
    except DamagedLogError as fault:
        broken.append(f"game {game_id} is damaged: {fault}")
        return None
    answer = await call(
        HistoryServiceStub(channel).GetRecord,
        history_service_pb2.GetRecordRequest(game_id=game_id),
    )
    judgement = record.judge(answer.record)
    if judgement.verdict is not Verdict.VERIFIED:
        broken.append(f"the record is {judgement.verdict}: {judgement.sentence}")
    truth = StoredTruth(stored, judgement)
    if len(truth.events) != len(stored.entries):
        broken.append(f"the record has {len(truth.events)} events, the log {len(stored.entries)}")
    return truth


def _judge_answer(evening: Evening, truths: dict[str, StoredTruth], answered: Answered) -> None:
    """Whatever was granted must stand."""
    request, broken = answered.request, evening.journal.broken
    caller = seat_token_hash(answered.token) if answered.token else b""
    if isinstance(request, _MOVES):
        truth = truths.get(request.game_id)
        if truth is None:
            broken.append(f"a move was granted in the unknown game {request.game_id}")
            return
        found = [each for each in truth.stored.asked if each.request_id == request.request_id]
        if len(found) != 1:
            broken.append(f"{answered.path} {request.request_id} is {len(found)} times in the log")
            return
        if found[0].since != request.expected_revision:
            broken.append(f"{answered.path} was applied at {found[0].since}")
        event = truth.events[found[0].since]
        if isinstance(request, game_service_pb2.PlaceTileRequest):
            placed = str(getattr(event, "tile", None))
            if placed != request.tile:
                broken.append(f"{request.tile} was granted, {event} stands in the log")
        return
    rows = evening.disk.rows(
        "SELECT response FROM lobby_answers WHERE caller = ? AND request_id = ?",
        caller,
        request.request_id,
    )
    if "LobbyService" in answered.path and len(rows) != 1:
        broken.append(f"{answered.path} was granted and is {len(rows)} times on the disk")
    if isinstance(request, lobby_service_pb2.SendChatRequest):
        said = evening.disk.rows(
            "SELECT text FROM lobby_chat WHERE table_id = ? AND number = ?",
            request.table_id,
            answered.response.number,
        )
        if said != [(request.text,)]:
            broken.append(f"{request.text!r} was said, {said} stands on the disk")


def _judge_requests(evening: Evening, broken: list[str]) -> None:
    """Nothing is applied twice."""
    twice = evening.disk.rows(
        "SELECT game, seat, request_id, count(*) FROM game_events WHERE request_id IS NOT NULL"
        " GROUP BY game, seat, request_id HAVING count(*) > 1"
    )
    broken.extend(f"a request was applied more than once: {row}" for row in twice)
    repeated = evening.disk.rows(
        "SELECT text, count(*) FROM lobby_chat GROUP BY table_id, text HAVING count(*) > 1"
    )
    broken.extend(f"said more than once: {row}" for row in repeated)


def _judge_person(
    person: Person, truths: dict[str, StoredTruth], table: table_pb2.Table, broken: list[str]
) -> None:
    for game_id, update in person.shown.items():
        truth = truths.get(game_id)
        if truth is None:
            broken.append(f"{person.name} was shown the unknown game {game_id}")
            continue
        expected = view_for(truth.at(update.revision), update.view.viewer)
        if update.view != expected:
            broken.append(
                f"{person.name} sees something else at {update.revision}:"
                f" {_difference(update.view, expected)}"
            )
    broken.extend(
        f"{person.name}'s client does not believe the deal: {verdict.problems}"
        for verdict in person.verdicts
        if not verdict.verified and verdict.problems != (_CAME_LATER,)
    )
    if person.ended != "" or person.left or person.session is None:
        return
    last = person.shown.get(table.game_id)
    if table.game_id and (last is None or not last.view.is_over):
        broken.append(f"{person.name} was not shown the end")
    own = _lasting(person.session.table)
    if own != _lasting(table):
        broken.append(f"{person.name} sees another table: {own} instead of {_lasting(table)}")


def _lasting(table: table_pb2.Table) -> table_pb2.Table:
    kept = table_pb2.Table()
    kept.CopyFrom(table)
    for name in _PASSING:
        kept.ClearField(name)
    for seat in kept.seats:
        seat.ClearField("connected")
        seat.ClearField("away_since")
    return kept


def _difference(one: object, other: object) -> str:
    names = getattr(one, "__slots__", ())
    return "; ".join(
        f"{name}: {getattr(one, name)} instead of {getattr(other, name)}"
        for name in names
        if getattr(one, name) != getattr(other, name)
    )
