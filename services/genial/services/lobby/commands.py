"""What seated people tell the table: ready, agreements, the deal, putting away.

Every function gives a new table, or raises `GenialError` to refuse. `token_hash` is the
caller's.
"""

from __future__ import annotations

import dataclasses

from genial.engine.rules import EndReason
from genial.services.lobby.match import break_off
from genial.services.lobby.seating import (
    check_creator,
    check_not_closed,
    check_open,
    fill_with_bots,
    own_seat,
    restart_absences,
)
from genial.services.lobby.table import (
    Chance,
    Order,
    OrderKind,
    Progress,
    Seat,
    Table,
    TableState,
)
from genial.wire.errors import GenialError, Reason


def _check_active(table: Table) -> None:
    check_not_closed(table)
    if table.state is not TableState.ACTIVE:
        raise GenialError(Reason.TABLE_NOT_ACTIVE)


# --- what seated people say -------------------------------------------------------------


def set_ready(table: Table, token_hash: bytes | None, ready: bool) -> Table:
    """A person is ready for the next game, or not yet."""
    check_not_closed(table)
    seat = own_seat(table, token_hash)
    check_open(table)
    table = table.change_seat(seat.number, ready=ready)
    if not ready and table.continues:
        # Whoever asks for time gets it: the next game of a match waits for everybody's word.
        return dataclasses.replace(table, continues=False, deadline=None)
    if ready and not table.continues:
        return dataclasses.replace(table, deadline=None)
    return table


def start_game(
    table: Table, token_hash: bytes | None, level: str, now: int, chance: Chance
) -> Table:
    """Open seats are filled with bots of `level`, and the caller is ready."""
    check_not_closed(table)
    own_seat(table, token_hash)
    check_open(table)
    return set_ready(fill_with_bots(table, level, now, chance), token_hash, True)


def rematch(table: Table, token_hash: bytes | None) -> Table:
    """Ready for another game; only after a first one."""
    check_not_closed(table)
    own_seat(table, token_hash)
    check_open(table)
    if not table.game_id:
        raise GenialError(Reason.NO_GAME_YET)
    return set_ready(table, token_hash, True)


def propose_end(
    table: Table, token_hash: bytes | None, agree: bool, progress: Progress, chance: Chance
) -> Table:
    """Agrees to end the running game, or takes that back; when all people agree, it ends."""
    check_not_closed(table)
    seat = own_seat(table, token_hash)
    _check_active(table)
    table = table.change_seat(seat.number, agrees_to_end=agree)
    voters = _voters(table, progress)
    if not voters or not all(voter.agrees_to_end for voter in voters):
        return table
    order = Order(chance.new_id(), OrderKind.END_EARLY, table.game_id, reason=EndReason.AGREED)
    return dataclasses.replace(_clear_votes(table), orders=(*table.orders, order))


def _voters(table: Table, progress: Progress) -> tuple[Seat, ...]:
    """People still seated: not those who left, resigned, or are played for."""
    return tuple(
        seat
        for seat in table.humans
        if not seat.left and seat.stand_in is None and seat.number not in progress.resigned
    )


def _clear_votes(table: Table) -> Table:
    return dataclasses.replace(
        table,
        seats=tuple(
            dataclasses.replace(seat, agrees_to_end=False, agrees_to_pause=False)
            for seat in table.seats
        ),
    )


def pause_clocks(
    table: Table, token_hash: bytes | None, pause: bool, progress: Progress, chance: Chance
) -> Table:
    """Asks for paused clocks or agrees to it; all people together pause, each can end it."""
    check_not_closed(table)
    seat = own_seat(table, token_hash)
    _check_active(table)
    if table.options.clock is None:
        raise GenialError(Reason.NO_CLOCK)
    table = table.change_seat(seat.number, agrees_to_pause=pause)
    voters = _voters(table, progress)
    agreed = bool(voters) and all(voter.agrees_to_pause for voter in voters)
    if agreed and not table.clocks_paused:
        return _set_clocks(table, True, chance)
    if not pause and table.clocks_paused:
        return _set_clocks(_clear_votes(table), False, chance)
    return table


def _set_clocks(table: Table, paused: bool, chance: Chance) -> Table:
    order = Order(chance.new_id(), OrderKind.PAUSE, table.game_id, paused=paused)
    return dataclasses.replace(table, clocks_paused=paused, orders=(*table.orders, order))


# --- what the creator may ---------------------------------------------------------------


def lock_seats(table: Table, token_hash: bytes | None, locked: bool) -> Table:
    """Nobody new sits down while the seats are locked."""
    check_creator(table, token_hash)
    return dataclasses.replace(table, seats_locked=locked)


def shelve(table: Table, token_hash: bytes | None, chance: Chance) -> Table:
    """Puts the table away for another evening; a deal under way is broken off."""
    check_creator(table, token_hash)
    if table.state is TableState.SHELVED:
        return table
    if table.pending_room is not None:
        raise GenialError(Reason.TABLE_NOT_OPEN)
    table = break_off(table)
    if table.state is TableState.ACTIVE:
        table = _freeze(table, True, chance)
        if table.options.clock is not None:
            table = _set_clocks(table, True, chance)
    return dataclasses.replace(
        table, state=TableState.SHELVED, shelved_from=table.state, deadline=None
    )


def resume(table: Table, token_hash: bytes | None, now: int, chance: Chance) -> Table:
    """Takes a table off the shelf; everybody's time to come back begins now."""
    check_not_closed(table)
    if not table.is_creator(token_hash):
        own_seat(table, token_hash)
    if table.state is not TableState.SHELVED:
        raise GenialError(Reason.TABLE_NOT_SHELVED)
    before = table.shelved_from or TableState.OPEN
    table = restart_absences(
        dataclasses.replace(table, state=before, shelved_from=None, used_at=now), now
    )
    if before is TableState.ACTIVE:
        table = _freeze(table, False, chance)
        if table.clocks_paused:
            table = _set_clocks(table, False, chance)
    return table


def _freeze(table: Table, frozen: bool, chance: Chance) -> Table:
    """Tells the room of the running game whether its seats may command."""
    order = Order(chance.new_id(), OrderKind.FREEZE, table.game_id, frozen=frozen)
    return dataclasses.replace(table, orders=(*table.orders, order))


# --- the deal ---------------------------------------------------------------------------


def commit_nonce(
    table: Table,
    token_hash: bytes | None,
    *,
    game_number: int,
    deal: int,
    nonce_hash: bytes,
    next_deadline: int,
) -> Table:
    """Takes a seat's hash for the current deal."""
    number = _dealt_seat(table, token_hash)
    if table.deal is None or table.state is not TableState.DEALING:
        raise GenialError(Reason.TABLE_NOT_DEALING)
    table.deal.check_is_current(game_number, deal)
    return dataclasses.replace(table, deal=table.deal.commit(number, nonce_hash, next_deadline))


def reveal_nonce(
    table: Table, token_hash: bytes | None, *, game_number: int, deal: int, nonce: bytes
) -> Table:
    """Takes a seat's nonce for the current deal."""
    number = _dealt_seat(table, token_hash)
    if table.deal is None or table.state is not TableState.DEALING:
        raise GenialError(Reason.TABLE_NOT_DEALING)
    table.deal.check_is_current(game_number, deal)
    return dataclasses.replace(table, deal=table.deal.reveal(number, nonce))


def _dealt_seat(table: Table, token_hash: bytes | None) -> int:
    check_not_closed(table)
    if token_hash is None:
        raise GenialError(Reason.SEAT_TOKEN_NEEDED)
    seat = table.seat_played_by(token_hash)
    if seat is None:
        raise GenialError(Reason.BAD_SEAT_TOKEN)
    return seat.number
