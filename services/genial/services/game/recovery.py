"""From a stored log back to the state that it leads to."""

from __future__ import annotations

from typing import Final

from genial.engine.game import Game, evolve
from genial.engine.moves import Placed
from genial.engine.shuffle import SECRET_BYTES
from genial.services.game.clock import Clocks
from genial.services.game.log import TABLE, DamagedLogError, StoredGame, StoredSetup
from genial.services.game.publication import Publication, Told
from genial.services.game.setup import Setup
from genial.v1 import room_service_pb2

_END_OF_TIME_MS: Final = 253_402_300_799_999
"""The last moment of the year 9999, beyond which nobody can write a date."""


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
    last_at_ms = stored.setup.started_at_ms
    for number, entry in enumerate(stored.entries, 1):
        if entry.n != number:
            raise DamagedLogError(f"event {number} is missing")
        if not last_at_ms <= entry.at_ms <= _END_OF_TIME_MS:
            raise DamagedLogError(f"event {number} happened at no possible time")
        last_at_ms = entry.at_ms
        try:
            event, each = Told.read(entry, stored.clocks[number - 1])
            game = evolve(game, event)
        except Exception as fault:
            # Whatever it is: from here on nobody knows how the game stands.
            raise DamagedLogError(f"event {number}: {fault}") from fault
        told.append(each)
        placements += isinstance(event, Placed)
    _check_what_stands_beside(stored, setup)
    if game.revision < setup.rules.players:
        raise DamagedLogError("the deal is missing")
    clocks = None
    if setup.clock is not None and stored.clock is not None:
        state = stored.clock
        turn = None if game.is_over else game.turn
        clocks = Clocks.stored(setup.clock, state.left, turn, state.paused).resume(now)
    ended_at_ms = stored.entries[-1].at_ms if game.is_over else None
    return Publication(setup, game, told, 0, placements, clocks, ended_at_ms)


def _check_what_stands_beside(stored: StoredGame, setup: Setup) -> None:
    """Clocks, holders and requests carry no checksum, but they can make sense or not.

    Raises:
        DamagedLogError: One of them makes none.
    """
    players = setup.rules.players
    for state in (*stored.clocks, stored.clock):
        if state is not None and (len(state.left) != players or min(state.left) < 0):
            raise DamagedLogError("clocks that are not those of this game")
    for holder in stored.holders:
        if not 0 <= holder.seat < players or len(holder.token_hash) != SECRET_BYTES:
            raise DamagedLogError(f"a holder of seat {holder.seat}, which there is not")
    for asked in stored.asked:
        in_order = 0 <= asked.since <= asked.revision <= len(stored.entries)
        if not in_order or not TABLE <= asked.seat < players:
            raise DamagedLogError(f"a request of seat {asked.seat} at {asked.since}")


def _set_up(stored: StoredSetup) -> tuple[Setup, Game]:
    try:
        request = room_service_pb2.CreateRoomRequest.FromString(stored.body)
        setup = Setup.of(request, stored.started_at_ms)
        return setup, setup.new_game()
    except Exception as fault:
        raise DamagedLogError(f"the set-up: {fault}") from fault
