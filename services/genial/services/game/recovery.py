"""From a stored log back to the state that it leads to."""

from __future__ import annotations

import logging

from genial.engine.game import Game, evolve
from genial.engine.moves import Placed
from genial.engine.shuffle import SECRET_BYTES
from genial.services.game.clock import Clocks
from genial.services.game.log import TABLE, DamagedLogError, StoredGame, StoredSetup
from genial.services.game.publication import Publication, StoredTold
from genial.services.game.setup import Setup
from genial.services.game.snapshot import UnfitSnapshotError, unpack
from genial.v1 import game_pb2, room_service_pb2
from genial.wire.events import whole_event_from_message

log = logging.getLogger(__name__)


def recover(stored: StoredGame, now: int) -> Publication:
    """Follows a stored game to its last event; its clocks go on from there.

    Args:
        stored: The game's log.
        now: Milliseconds of the host's steady clock.

    Raises:
        DamagedLogError: The set-up or an event cannot be followed.
    """
    setup = _set_up(stored.setup)
    game, placements = _last_state(stored, setup)
    _check_what_stands_beside(stored, setup)
    if game.revision < setup.rules.players:
        raise DamagedLogError("the deal is missing")
    clocks = None
    if setup.clock is not None and stored.clock is not None:
        state = stored.clock
        turn = None if game.is_over else game.turn
        clocks = Clocks.stored(setup.clock, state.left, turn, state.paused).resume(now)
    ended_at_ms = stored.entries[-1].at_ms if game.is_over else None
    told = StoredTold(stored.entries, stored.clocks)
    return Publication(setup, game, told, 0, placements, clocks, ended_at_ms)


def _last_state(stored: StoredGame, setup: Setup) -> tuple[Game, int]:
    """The game after its last event, and the tiles placed so far.

    A packed state saves following the events before it. If anything about it is wrong, all
    events are followed: what is damaged is judged by the log alone.

    Raises:
        DamagedLogError: An event cannot be followed.
    """
    if stored.snapshot is not None:
        try:
            return _follow(stored, *unpack(stored.snapshot, setup))
        except (UnfitSnapshotError, DamagedLogError) as fault:
            log.warning("game %s: its packed state is left out: %s", setup.game_id, fault)
    try:
        game = setup.new_game()
    except Exception as fault:
        raise DamagedLogError(f"the set-up: {fault}") from fault
    return _follow(stored, game, 0)


def _follow(stored: StoredGame, game: Game, placements: int) -> tuple[Game, int]:
    """From a state on to the last event.

    Raises:
        DamagedLogError: An event cannot be followed.
    """
    for entry in stored.entries[game.revision :]:
        try:
            event = whole_event_from_message(game_pb2.GameEvent.FromString(entry.body))
            game = evolve(game, event)
        except Exception as fault:
            # Whatever it is: from here on nobody knows how the game stands.
            raise DamagedLogError(f"event {entry.n}: {fault}") from fault
        placements += isinstance(event, Placed)
    return game, placements


def _check_what_stands_beside(stored: StoredGame, setup: Setup) -> None:
    """Clocks, holders and requests carry no checksum, but they can make sense or not.

    Raises:
        DamagedLogError: One of them makes none.
    """
    players = setup.rules.players
    for state in filter(None, (*stored.clocks, stored.clock)):
        if len(state.left) != players or min(state.left) < 0:
            raise DamagedLogError("clocks that are not those of this game")
    for holder in stored.holders:
        if not 0 <= holder.seat < players or len(holder.token_hash) != SECRET_BYTES:
            raise DamagedLogError(f"a holder of seat {holder.seat}, which there is not")
    last = len(stored.entries)
    for seat, _, since, revision in stored.asked:
        if not 0 <= since <= revision <= last or not TABLE <= seat < players:
            raise DamagedLogError(f"a request of seat {seat} at {since}")


def _set_up(stored: StoredSetup) -> Setup:
    try:
        request = room_service_pb2.CreateRoomRequest.FromString(stored.body)
        return Setup.of(request, stored.started_at_ms)
    except Exception as fault:
        raise DamagedLogError(f"the set-up: {fault}") from fault
