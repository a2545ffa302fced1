"""What happens in a game, as one viewer may see it <-> `GameEvent`."""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from genial.engine.moves import (
    Dealt,
    Ended,
    Event,
    Exchanged,
    Placed,
    Refilled,
    Resigned,
    Skipped,
    TakenOver,
)
from genial.engine.tiles import LETTERS, Tile
from genial.engine.view import (
    Draw,
    HiddenDraw,
    SeenDealt,
    SeenEvent,
    SeenExchanged,
    SeenRefilled,
    SeenSkipped,
    project,
)
from genial.v1 import game_pb2
from genial.wire.errors import malformed
from genial.wire.values import (
    END_REASONS,
    SEAT_KINDS,
    cells_from_message,
    points_from_message,
    ranking_from_message,
    ranking_to_message,
    set_timestamp,
    tile_from_message,
    tiles_from_message,
    tiles_to_message,
    track_from_message,
    track_to_message,
)


def event_to_message(event: SeenEvent, n: int, at_ms: int) -> game_pb2.GameEvent:
    """A projected event for the wire.

    Args:
        event: As its viewer may see it.
        n: Its number in the game, from 1.
        at_ms: When the host took it down, milliseconds since 1970, UTC.
    """
    message = game_pb2.GameEvent(n=n)
    set_timestamp(message.at, at_ms)
    match event:
        case Placed():
            message.placed.CopyFrom(placed_to_message(event))
        case SeenDealt(seat, draw):
            message.dealt.seat = seat
            _fill_draw(message.dealt.draw, draw)
        case SeenRefilled(seat, draw):
            message.refilled.seat = seat
            _fill_draw(message.refilled.draw, draw)
        case SeenSkipped(seat, draw):
            message.skipped.seat = seat
            _fill_draw(message.skipped.draw, draw)
        case SeenExchanged(seat, returned, draw):
            message.exchanged.seat = seat
            message.exchanged.returned.extend(tiles_to_message(returned))
            _fill_draw(message.exchanged.draw, draw)
        case Resigned(seat):
            message.resigned.SetInParent()
            message.resigned.seat = seat
        case TakenOver(seat, name, kind, level):
            message.taken_over.seat = seat
            message.taken_over.name = name
            message.taken_over.kind = SEAT_KINDS.to_message[kind]
            message.taken_over.level = level or ""
        case Ended():
            message.ended.CopyFrom(ended_to_message(event))
        case _:
            assert_never(event)
    return message


def event_from_message(message: game_pb2.GameEvent) -> SeenEvent:
    """The event of a message, as whoever got it may see it.

    Raises:
        GenialError: MALFORMED, for a message of no event that this version knows.
    """
    match message.WhichOneof("event"):
        case "placed":
            return placed_from_message(message.placed)
        case "dealt":
            dealt = message.dealt
            return SeenDealt(dealt.seat, _draw(dealt.draw, "dealt.draw"))
        case "refilled":
            refilled = message.refilled
            return SeenRefilled(refilled.seat, _draw(refilled.draw, "refilled.draw"))
        case "skipped":
            skipped = message.skipped
            return SeenSkipped(skipped.seat, _draw(skipped.draw, "skipped.draw"))
        case "exchanged":
            exchanged = message.exchanged
            returned = tiles_from_message(exchanged.returned, "exchanged.returned")
            return SeenExchanged(exchanged.seat, returned, _draw(exchanged.draw, "exchanged.draw"))
        case "resigned":
            return Resigned(message.resigned.seat)
        case "taken_over":
            taken = message.taken_over
            kind = SEAT_KINDS.from_message(taken.kind, "taken_over.kind")
            return TakenOver(taken.seat, taken.name, kind, taken.level or None)
        case "ended":
            return ended_from_message(message.ended)
        case _:
            raise malformed("event", "is none that this version knows")


def whole_event_to_message(event: Event, n: int, at_ms: int) -> game_pb2.GameEvent:
    """An event with nothing left out, for the host's own log: as the seat it is about sees it."""
    viewer = None if isinstance(event, Ended) else event.seat
    return event_to_message(project(event, viewer), n, at_ms)


def whole_event_from_message(message: game_pb2.GameEvent) -> Event:
    """The event of a message that leaves nothing out.

    Raises:
        GenialError: MALFORMED, where a draw is hidden, or for no known event.
    """
    match event_from_message(message):
        case SeenDealt(seat, draw):
            return Dealt(seat, _shown(draw, "dealt.draw"))
        case SeenRefilled(seat, draw):
            return Refilled(seat, _shown(draw, "refilled.draw"))
        case SeenSkipped(seat, draw):
            return Skipped(seat, _shown(draw, "skipped.draw"))
        case SeenExchanged(seat, returned, draw):
            return Exchanged(seat, returned, _shown(draw, "exchanged.draw"))
        case event:
            return event


@lru_cache(maxsize=256)
def placed_to_message(placed: Placed) -> game_pb2.Placed:
    """A placement with what it brought, for the wire; to be copied, never changed.

    It is asked for twice at once: as the event, and as the latest placement of its seat.
    """
    # Each field where it stands: messages that are handed in are copied, which takes twice as
    # long, and a player waits for each placement.
    message = game_pb2.Placed(seat=placed.seat, bonus_owed=placed.bonus_owed)
    placement = message.placement
    placement.tile = str(placed.tile)
    for q, r in placed.cells:
        placement.cells.add(q=q, r=r)
    points = placement.points
    for letter, earned in zip(LETTERS, placed.points, strict=True):
        if earned:
            points[letter] = earned
    message.track.counters.extend(placed.track)
    return message


def placed_from_message(message: game_pb2.Placed, field: str = "placed") -> Placed:
    """A placement with what it brought.

    Raises:
        GenialError: MALFORMED, for tiles, cells or tracks that are none.
    """
    placement = message.placement
    return Placed(
        seat=message.seat,
        tile=tile_from_message(placement.tile, f"{field}.placement.tile"),
        cells=cells_from_message(placement.cells, f"{field}.placement.cells"),
        points=points_from_message(placement.points.items(), f"{field}.placement.points"),
        track=track_from_message(message.track, f"{field}.track"),
        bonus_owed=message.bonus_owed,
    )


def ended_to_message(ended: Ended) -> game_pb2.Ended:
    """How a game ended, for the wire."""
    return game_pb2.Ended(
        reason=END_REASONS.to_message[ended.reason],
        ranking=ranking_to_message(ended.ranking),
        tracks=[track_to_message(track) for track in ended.tracks],
    )


def ended_from_message(message: game_pb2.Ended, field: str = "ended") -> Ended:
    """How a game ended.

    Raises:
        GenialError: MALFORMED, for a reason or a track that is none.
    """
    return Ended(
        reason=END_REASONS.from_message(message.reason, f"{field}.reason"),
        ranking=ranking_from_message(message.ranking),
        tracks=tuple(
            track_from_message(track, f"{field}.tracks[{seat}]")
            for seat, track in enumerate(message.tracks)
        ),
    )


def _fill_draw(message: game_pb2.Draw, draw: Draw) -> None:
    message.SetInParent()
    if isinstance(draw, HiddenDraw):
        message.count = draw.count
    else:
        message.count = len(draw)
        message.tiles.extend(tiles_to_message(draw))


def _draw(message: game_pb2.Draw, field: str) -> Draw:
    """Nothing drawn hides nothing, whoever looks: then it is an empty tuple."""
    if len(message.tiles) == message.count:
        return tiles_from_message(message.tiles, f"{field}.tiles")
    if message.tiles:
        raise malformed(field, f"{message.count} tiles drawn, {len(message.tiles)} shown")
    return HiddenDraw(message.count)


def _shown(draw: Draw, field: str) -> tuple[Tile, ...]:
    if isinstance(draw, HiddenDraw):
        raise malformed(field, "is hidden")
    return draw
