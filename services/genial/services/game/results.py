"""What lists and statistics keep of a finished game (rules, section 6)."""

from __future__ import annotations

from typing import Final

from genial.engine.moves import Ended
from genial.engine.rules import EndReason, Mode
from genial.services.game.log import Ending, Result
from genial.services.game.setup import Setup
from genial.wire.events import ended_to_message

_WIN: Final = 12
"""A win in twelfths, so that a half, a third and a quarter of it are whole."""


def ending_of(setup: Setup, ended: Ended, at_ms: int) -> Ending:
    """The end of a game, for its log.

    Games that ended `agreed` or `abandoned` do not count; nobody wins a solitaire. A
    pair of partners that wins is one winner: each of the two has won.
    """
    body = ended_to_message(ended).SerializeToString()
    if ended.reason in (EndReason.AGREED, EndReason.ABANDONED):
        return Ending(at_ms, body, ())
    winners = ended.ranking[0]
    won = _WIN // len({setup.rules.team_of(seat) for seat in winners})
    if setup.rules.mode is Mode.SOLO:
        won = 0
    return Ending(
        at_ms,
        body,
        tuple(
            Result(seat, setup.seats[seat].name, won if seat in winners else 0, min(track))
            for seat, track in enumerate(ended.tracks)
        ),
    )
