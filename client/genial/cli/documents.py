"""Tables and games as `--json` tells them, and in a line for people."""

from __future__ import annotations

from datetime import UTC
from typing import Any, Final

from google.protobuf.timestamp_pb2 import Timestamp

from genial.v1.game_pb2 import GameState, SeatKind
from genial.v1.game_service_pb2 import GameSummary
from genial.v1.table_pb2 import Table, TableSeat, TableState
from genial.wire.values import MODES, PRESETS

_TABLE_STATES: Final = {
    TableState.TABLE_STATE_OPEN: "open",
    TableState.TABLE_STATE_DEALING: "dealing",
    TableState.TABLE_STATE_ACTIVE: "active",
    TableState.TABLE_STATE_SHELVED: "shelved",
    TableState.TABLE_STATE_FINISHED: "finished",
    TableState.TABLE_STATE_ABANDONED: "abandoned",
}
_GAME_STATES: Final = {
    GameState.GAME_STATE_RUNNING: "running",
    GameState.GAME_STATE_FINISHED: "finished",
    GameState.GAME_STATE_ABANDONED: "abandoned",
}
_KINDS: Final = {
    SeatKind.SEAT_KIND_OPEN: "open",
    SeatKind.SEAT_KIND_HUMAN: "human",
    SeatKind.SEAT_KIND_BOT: "bot",
}
UNKNOWN: Final = "unknown"
"""What a newer host calls something that this version has no word for."""


def table_document(table: Table) -> dict[str, Any]:
    """A table as `genial tables --json` tells it.

    Raises:
        GenialError: MALFORMED, where the host's rules are none.
    """
    rules = table.options.rules
    return {
        "table_id": table.table_id,
        "name": table.name,
        "state": _TABLE_STATES.get(table.state, UNKNOWN),
        "mode": MODES.from_message(rules.mode, "mode").value,
        "preset": PRESETS.from_message(rules.preset, "preset").value,
        "players": rules.players,
        "seats": [_seat_document(seat) for seat in table.seats],
        "game_id": table.game_id or None,
    }


def _seat_document(seat: TableSeat) -> dict[str, Any]:
    is_open = seat.kind == SeatKind.SEAT_KIND_OPEN
    return {
        "seat": seat.seat,
        "name": None if is_open else seat.name,
        "kind": _KINDS.get(seat.kind, UNKNOWN),
        "connected": seat.connected,
    }


def table_line(table: Table) -> str:
    """A table in a line: id, name, state, rules, who sits there."""
    document = table_document(table)
    seats = ", ".join(seat["name"] or "(open)" for seat in document["seats"])
    return (
        f"{table.table_id}  {table.name}  {document['state']}  {document['mode']}"
        f" {document['preset']}  {seats}"
    )


def game_document(game: GameSummary) -> dict[str, Any]:
    """A game as `genial games --json` tells it; what is not known yet is null."""
    running = game.state == GameState.GAME_STATE_RUNNING
    return {
        "game_id": game.game_id,
        "table_id": game.table_id,
        "state": _GAME_STATES.get(game.state, UNKNOWN),
        "started_at": _moment(game, "started_at"),
        "ended_at": _moment(game, "ended_at"),
        "ranking": None if running else [list(group.seats) for group in game.ranking],
    }


def game_line(game: GameSummary) -> str:
    """A game in a line: id, state, when it began, who plays or how they rank."""
    document = game_document(game)
    names = list(game.names)
    if document["ranking"]:
        groups = [
            " = ".join(names[seat] for seat in group if seat < len(names))
            for group in document["ranking"]
        ]
        who = " > ".join(groups)
    else:
        who = ", ".join(names)
    return f"{game.game_id}  {document['state']}  {document['started_at'] or '-'}  {who}"


def _moment(game: GameSummary, field: str) -> str | None:
    if not game.HasField(field):  # type: ignore[arg-type]
        return None
    stamp: Timestamp = getattr(game, field)
    moment = stamp.ToDatetime(tzinfo=UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"
