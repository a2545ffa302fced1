"""From a stored log back to the state that it leads to."""

from __future__ import annotations

from genial.engine.game import Game, evolve
from genial.engine.moves import Placed
from genial.services.game.clock import Clocks
from genial.services.game.log import DamagedLogError, StoredGame, StoredSetup
from genial.services.game.publication import Publication, Told
from genial.services.game.setup import Setup
from genial.v1 import room_service_pb2


def recover(stored: StoredGame, now: int) -> Publication:
    """Follows a stored game to its last event; its clocks go on from there.

    Args:
        stored: The game's log.
        now: Milliseconds of the host's steady clock.

    Raises:
        DamagedLogError: The set-up or an event cannot be followed.
    """
    setup, game = _set_up(stored.setup)
    told: list[Told] = []
    placements = 0
    for number, entry in enumerate(stored.entries, 1):
        if entry.n != number:
            raise DamagedLogError(f"event {number} is missing")
        try:
            event, each = Told.read(entry, stored.clocks[number - 1])
            game = evolve(game, event)
        except Exception as fault:
            # Whatever it is: from here on nobody knows how the game stands.
            raise DamagedLogError(f"event {number}: {fault}") from fault
        told.append(each)
        placements += isinstance(event, Placed)
    if game.revision < setup.rules.players:
        raise DamagedLogError("the deal is missing")
    clocks = None
    if setup.clock is not None and stored.clock is not None:
        state = stored.clock
        turn = None if game.is_over else game.turn
        clocks = Clocks.stored(setup.clock, state.left, turn, state.paused).resume(now)
    ended_at_ms = stored.entries[-1].at_ms if game.is_over else None
    return Publication(setup, game, told, 0, placements, clocks, ended_at_ms)


def _set_up(stored: StoredSetup) -> tuple[Setup, Game]:
    try:
        request = room_service_pb2.CreateRoomRequest.FromString(stored.body)
        setup = Setup.of(request, stored.started_at_ms)
        return setup, setup.new_game()
    except Exception as fault:
        raise DamagedLogError(f"the set-up: {fault}") from fault
