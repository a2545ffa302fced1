"""What one viewer may see of a game <-> `GameView`.

A view is made of parts: what everybody may see once, and for each seated viewer three
fields more. So no hidden thing is ever put in and taken out again.
"""

from __future__ import annotations

from genial.engine.board import Board, MalformedBoardError
from genial.engine.moves import Ended, Phase
from genial.engine.rules import Rules
from genial.engine.tiles import Tile
from genial.engine.view import PlayerView, SeatView
from genial.v1 import game_pb2
from genial.wire.errors import malformed
from genial.wire.events import placed_from_message, placed_to_message
from genial.wire.values import (
    END_REASONS,
    PHASES,
    SEAT_KINDS,
    ranking_from_message,
    ranking_to_message,
    rules_from_message,
    rules_to_message,
    symbols_from_message,
    tiles_from_message,
    tiles_to_message,
    track_from_message,
)

EarlierView = tuple[PlayerView, game_pb2.GameView]
"""A view, and the message that it came from."""


def view_to_message(view: PlayerView) -> game_pb2.GameView:
    """A view for the wire, without what the host adds (ids, times, clock, shuffle)."""
    message = changing_part(view)
    message.rules.CopyFrom(rules_to_message(view.rules))
    message.seats.extend(seat_to_message(number, seat) for number, seat in enumerate(view.seats))
    if view.viewer is not None:
        message.MergeFrom(private_part(view.viewer, view.rack, view.may_exchange))
    return message


def changing_part(view: PlayerView) -> game_pb2.GameView:
    """What everybody may see in a view, whoever it is for: without the rules, which stay as
    they are, and the seats, most of which do.
    """
    message = game_pb2.GameView(
        revision=view.revision,
        state=state_of(view.ended),
        board=view.board.packed(),
        bag_count=view.bag_count,
        turn_seat=view.turn,
        phase=PHASES.to_message[view.phase],
        bonus_owed=view.bonus_owed,
        claimed_starts=[symbol.letter for symbol in sorted(view.claimed)],
        started_seats=sorted(view.started),
        first_seat=view.first_seat,
        last_mover=view.last_mover,
    )
    if view.ended is not None:
        message.end_reason = END_REASONS.to_message[view.ended.reason]
        message.ranking.extend(ranking_to_message(view.ended.ranking))
    return message


def private_part(viewer: int, rack: tuple[Tile, ...], may_exchange: bool) -> game_pb2.GameView:
    """What only the seat `viewer` may see of a view: its rack, canonical."""
    return game_pb2.GameView(
        viewer_seat=viewer, rack=tiles_to_message(rack), may_exchange=may_exchange
    )


def seat_to_message(number: int, seat: SeatView) -> game_pb2.GameSeat:
    """One seat of a view, without its clock."""
    message = game_pb2.GameSeat(
        seat=number,
        name=seat.name,
        kind=SEAT_KINDS.to_message[seat.kind],
        level=seat.level or "",
        rack_size=seat.rack_size,
        resigned=seat.resigned,
    )
    message.track.counters.extend(seat.track)
    if seat.latest is not None:
        message.last_placement.CopyFrom(placed_to_message(seat.latest))
    return message


def view_from_message(message: game_pb2.GameView, earlier: EarlierView | None = None) -> PlayerView:
    """The view of a message, with the engine's judgement and points in it.

    Args:
        message: As the host sent it.
        earlier: A view and the message that it came from; rules and seats that are the same in
            both messages are taken from there.

    Raises:
        GenialError: MALFORMED, where the message shows no state of any game.
    """
    if earlier is not None and earlier[1].rules == message.rules:
        rules = earlier[0].rules
    else:
        rules, earlier = rules_from_message(message.rules), None
    if len(message.seats) != rules.players:
        raise malformed("seats", f"{rules.players} players, {len(message.seats)} seats")
    for field, seat in (
        ("turn_seat", message.turn_seat),
        ("first_seat", message.first_seat),
        ("viewer_seat", message.viewer_seat),
        ("last_mover", message.last_mover),
    ):
        _check_seat(seat, rules, field)
    try:
        board = Board.unpack(rules.zone, message.board)
    except MalformedBoardError as fault:
        raise malformed("board", str(fault)) from None
    seats = tuple(
        [
            earlier[0].seats[number]
            if earlier is not None and earlier[1].seats[number] == seat
            else _seat_from_message(seat, f"seats[{number}]")
            for number, seat in enumerate(message.seats)
        ]
    )
    phase = PHASES.from_message(message.phase, "phase")
    return PlayerView(
        rules=rules,
        revision=message.revision,
        seats=seats,
        first_seat=message.first_seat,
        board=board,
        bag_count=message.bag_count,
        turn=message.turn_seat,
        phase=phase,
        bonus_owed=message.bonus_owed,
        claimed=symbols_from_message(message.claimed_starts, "claimed_starts"),
        started=frozenset(message.started_seats),
        last_mover=message.last_mover if message.HasField("last_mover") else None,
        ended=_ended(message, seats) if phase is Phase.OVER else None,
        viewer=message.viewer_seat if message.HasField("viewer_seat") else None,
        rack=tiles_from_message(message.rack, "rack"),
        may_exchange=message.may_exchange,
    )


def state_of(ended: Ended | None) -> game_pb2.GameState.ValueType:
    """Whether a game runs, is finished, or was abandoned."""
    if ended is None:
        return game_pb2.GAME_STATE_RUNNING
    return state_of_reason(END_REASONS.to_message[ended.reason])


def state_of_reason(reason: game_pb2.EndReason.ValueType) -> game_pb2.GameState.ValueType:
    """The state of a game that ended for this reason."""
    if reason == game_pb2.END_REASON_ABANDONED:
        return game_pb2.GAME_STATE_ABANDONED
    return game_pb2.GAME_STATE_FINISHED


def _ended(message: game_pb2.GameView, seats: tuple[SeatView, ...]) -> Ended:
    """The end as the view shows it: the tracks at the end are those of the seats."""
    return Ended(
        reason=END_REASONS.from_message(message.end_reason, "end_reason"),
        ranking=ranking_from_message(message.ranking),
        tracks=tuple(seat.track for seat in seats),
    )


def _check_seat(seat: int, rules: Rules, field: str) -> None:
    if seat >= rules.players:
        raise malformed(field, f"there is no seat {seat} among {rules.players}")


def _seat_from_message(message: game_pb2.GameSeat, field: str) -> SeatView:
    latest = None
    if message.HasField("last_placement"):
        latest = placed_from_message(message.last_placement, f"{field}.last_placement")
    return SeatView(
        name=message.name,
        kind=SEAT_KINDS.from_message(message.kind, f"{field}.kind"),
        level=message.level or None,
        track=track_from_message(message.track, f"{field}.track"),
        rack_size=message.rack_size,
        resigned=message.resigned,
        latest=latest,
    )
