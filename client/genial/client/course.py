"""The race: the lowest counter of each seat after each of its turns."""

from __future__ import annotations

from genial.engine.moves import Ended, Placed
from genial.engine.view import PlayerView, SeenEvent, SeenExchanged, SeenRefilled, SeenSkipped


def follow(
    event: SeenEvent,
    view: PlayerView,
    tracks: dict[int, tuple[int, ...]],
    race: dict[int, list[int]],
) -> None:
    """Takes an event into both.

    Args:
        event: What happened.
        view: The game after it, or later.
        tracks: The counters of each seat before it; after it when this returns.
        race: By seat, what was lowest at the end of each of its turns.
    """
    match event:
        case Placed(seat=seat):
            for member in view.rules.teams[view.rules.team_of(seat)]:
                tracks[member] = event.track
        case SeenRefilled(seat=seat) | SeenExchanged(seat=seat) | SeenSkipped(seat=seat):
            race.setdefault(seat, []).append(min(tracks[seat]))
        case Ended():
            mover = view.last_mover
            if mover is not None:
                race.setdefault(mover, []).append(min(tracks[mover]))
        case _:
            pass
