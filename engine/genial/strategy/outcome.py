"""What a finished game is worth to a seat."""

from __future__ import annotations

from genial.strategy.playout import Playout


def share_of(state: Playout, seat: int) -> float:
    """The seat's part of the win as the state stands: 1, 0, or the shared part.

    Partners win and lose together; a solitaire player has always won (look at the lowest
    counter instead).
    """
    first = state.ranking()[0]
    if seat not in first:
        return 0.0
    teams = {state.team_of[other] for other in first}
    return 1.0 / len(teams)
