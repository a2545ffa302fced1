"""What the people at a table do together or not at all: end the game, pause the clocks.

Who has agreed and whose word is missing, as sentences; the host decides when all have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from genial.client.text import N_, _
from genial.client.updates import GameChanged
from genial.engine.view import PlayerView
from genial.v1.game_pb2 import SEAT_KIND_HUMAN
from genial.v1.table_pb2 import TABLE_STATE_ACTIVE, Table, TableSeat

Agreed = Callable[[TableSeat], bool]


def agrees_to_pause(seat: TableSeat) -> bool:
    """Whether this seat's player wants the clocks paused."""
    return seat.agrees_to_pause


def agrees_to_end(seat: TableSeat) -> bool:
    """Whether this seat's player wants the game ended."""
    return seat.agrees_to_end


def askers(table: Table, agreed: Agreed) -> list[str]:
    """Names of those who have agreed."""
    return [seat.name for seat in table.seats if agreed(seat)]


def missing(table: Table, view: PlayerView | None, agreed: Agreed) -> list[str]:
    """Names of the people whose word is missing: not bots, nor who has resigned.

    Args:
        table: The table.
        view: Its running game; None: nothing of it is known.
        agreed: What it is about.
    """
    return [
        seat.name
        for seat in table.seats
        if seat.kind == SEAT_KIND_HUMAN and not agreed(seat) and not _has_resigned(view, seat.seat)
    ]


def _has_resigned(view: PlayerView | None, seat: int) -> bool:
    return view is not None and seat < len(view.seats) and view.seats[seat].resigned


_OWN: Final[dict[Agreed, str]] = {
    agrees_to_end: N_("You propose to end the game."),
    agrees_to_pause: N_("You ask to pause the clocks."),
}
_OWN_AGREES: Final[dict[Agreed, str]] = {
    agrees_to_end: N_("You agree to end the game."),
    agrees_to_pause: N_("You agree to pause the clocks."),
}
_OTHERS: Final[dict[Agreed, str]] = {
    agrees_to_end: N_("{name} proposes to end the game; `end` agrees."),
    agrees_to_pause: N_("{name} asks to pause the clocks; `pause` agrees."),
}
_AGREES: Final[dict[Agreed, str]] = {
    agrees_to_end: N_("{name} agrees to end the game."),
    agrees_to_pause: N_("{name} agrees to pause the clocks."),
}


def agreement_changes(before: Table, after: Table, view: PlayerView | None = None) -> list[str]:
    """What people have come to agree on from one state of the table to the next."""
    if before.state != TABLE_STATE_ACTIVE or after.state != TABLE_STATE_ACTIVE:
        return []
    own = after.viewer_seat if after.HasField("viewer_seat") else None
    said: list[str] = []
    for agreed in (agrees_to_end, agrees_to_pause):
        fresh = [
            new
            for old, new in zip(before.seats, after.seats, strict=False)
            if agreed(new) and not agreed(old)
        ]
        first = not any(agreed(seat) for seat in before.seats)
        for seat in fresh:
            if seat.seat == own:
                sentence = _(_OWN[agreed] if first else _OWN_AGREES[agreed])
            elif first or (own is not None and not agreed(after.seats[own])):
                sentence = _(_OTHERS[agreed]).format(name=seat.name)
            else:
                sentence = _(_AGREES[agreed]).format(name=seat.name)
            said.append(" ".join([sentence, *_still_missing(missing(after, view, agreed))]))
    return said


def _still_missing(names: Sequence[str]) -> list[str]:
    return [_("Still to agree: {names}.").format(names=", ".join(names))] if names else []


def clocks_change(before: GameChanged | None, after: GameChanged) -> str:
    """That the clocks stand still or run again, from one state of the game to the next; or empty.

    A game that is seen for the first time tells it where they stand still.
    """
    paused = after.message.clocks_paused
    same = before is not None and before.game_id == after.game_id
    if paused == (same and before is not None and before.message.clocks_paused):
        return ""
    if after.view.is_over:
        return ""
    return _("The clocks are paused.") if paused else _("The clocks run again.")
