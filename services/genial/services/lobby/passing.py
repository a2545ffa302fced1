"""What time does to a table, and when to look again.

Rules section 7 (absence), section 9 (a deal that is not answered in time), contract "A
table's life" (rematch, matches that ready themselves).
"""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Iterator

from genial.engine.rules import EndReason, Leaving, Mode
from genial.services.lobby.match import break_off, close, settle
from genial.services.lobby.seating import free_seat, put_stand_in
from genial.services.lobby.table import (
    Chance,
    Occupant,
    Order,
    OrderKind,
    Progress,
    Seat,
    Table,
    TableState,
    Times,
)

STAND_IN_LEVEL = "medium"
"""The level of bots that play on for people; the host's settings may name another."""

_ROUNDS_OF_SKIPS = 10
"""So often every turn may be skipped before a game is given up for abandoned."""

_RESTART_LEAP = 1 << 20


def connect(table: Table, token_hash: bytes, now: int) -> Table:
    """A token's stream stands: its seat, or the seat that it plays for somebody, is present."""
    return _set_presence(table, token_hash, None, now)


def disconnect(table: Table, token_hash: bytes, now: int) -> Table:
    """A token's last stream has ended."""
    return _set_presence(table, token_hash, now, now)


def _set_presence(table: Table, token_hash: bytes, away: int | None, now: int) -> Table:
    if table.is_closed:
        return table
    seat = table.seat_of(token_hash)
    if seat is not None:
        watched = seat.watched or away is None
        table = table.change_seat(seat.number, away_since=away, watched=watched)
        return dataclasses.replace(table, used_at=now)
    seat = table.seat_played_by(token_hash)
    if seat is not None and seat.stand_in is not None:
        stand_in = dataclasses.replace(seat.stand_in, away_since=away)
        return table.change_seat(seat.number, stand_in=stand_in)
    return table


def recover(table: Table, now: int, times: Times) -> Table:
    """A table read from disk after the host was down.

    Nobody is connected and everybody's time begins anew; a deal under way is broken off,
    because its secrets are for one run of the host. The version leaps, since passing changes are
    not on disk.
    """
    if table.is_closed:
        return table
    table = break_off(table)

    def away(seat: Seat) -> Seat:
        if seat.is_open:
            return seat
        stand_in = seat.stand_in
        if stand_in is not None:
            stand_in = dataclasses.replace(stand_in, away_since=now)
        return dataclasses.replace(seat, away_since=now, stand_in=stand_in)

    wait = times.interlude if table.continues else times.rematch
    return dataclasses.replace(
        table,
        seats=tuple(away(seat) for seat in table.seats),
        used_at=now,
        deadline=None if table.deadline is None else now + wait,
        version=table.version + _RESTART_LEAP,
    )


def elapse(
    table: Table,
    now: int,
    progress: Progress,
    chance: Chance,
    times: Times,
    stand_in_level: str = STAND_IN_LEVEL,
) -> Table:
    """The table as the moment `now` makes it, with all that follows by itself.

    Args:
        table: As it was.
        now: Milliseconds since 1970.
        progress: What the room last said of the running game.
        chance: For fresh seeds and ids.
        times: How long things may take.
        stand_in_level: Of bots that take over.
    """
    before: Table | None = None
    # One thing leads to another: a deal is broken off, so a seat is free, so the table is closed.
    while table != before:
        before = table
        match table.state:
            case TableState.OPEN:
                table = _elapse_open(table, now, times, stand_in_level)
            case TableState.DEALING:
                table = _elapse_dealing(table, now)
            case TableState.ACTIVE:
                table = _elapse_active(table, now, progress, chance, times, stand_in_level)
            case TableState.SHELVED | TableState.FINISHED | TableState.ABANDONED:
                return table
        table = settle(table, now, chance, times)
    return table


def _overdue(seat: Seat, now: int, times: Times) -> bool:
    return seat.away_since is not None and now >= seat.away_since + times.grace


def _elapse_open(table: Table, now: int, times: Times, level: str) -> Table:
    present = any(seat.person_present for seat in table.seats)
    for seat in table.seats:
        if seat.is_open or seat.hosted or seat.stand_in or not _overdue(seat, now, times):
            continue
        if table.continues and present and table.rules.leaving is Leaving.BOT:
            table = put_stand_in(table, seat.number, level, now)
        else:
            table = free_seat(table, seat.number, now)
    if table.game_id and not table.humans and not _bots_only(table):
        return close(table, TableState.FINISHED, now)
    due = table.deadline is not None and now >= table.deadline
    if table.continues and (due or table.deadline is None):
        table = dataclasses.replace(
            table,
            deadline=None,
            seats=tuple(
                dataclasses.replace(seat, ready=True) if seat.person_present else seat
                for seat in table.seats
            ),
        )
    elif due:
        return close(table, TableState.FINISHED, now)
    used = table.created_at if table.used_at is None else table.used_at
    if not table.humans and now >= used + times.unused:
        return close(table, TableState.FINISHED, now)
    return table


def _bots_only(table: Table) -> bool:
    return all(seat.occupant is Occupant.BOT for seat in table.seats)


def _elapse_dealing(table: Table, now: int) -> Table:
    deal = table.deal
    if deal is not None and deal.deadline is not None and now >= deal.deadline:
        return break_off(table)
    return table


def _elapse_active(
    table: Table, now: int, progress: Progress, chance: Chance, times: Times, level: str
) -> Table:
    people = [seat for seat in table.seats if seat.is_human]
    if people and all(_overdue(seat, now, times) for seat in people):
        return _abandon(table, chance)
    anybody = any(seat.person_present for seat in people) or not people
    for seat in table.seats:
        gone = seat.left or _overdue(seat, now, times) or seat.number in progress.flagged
        if seat.is_open or seat.hosted or seat.number in progress.resigned or not gone:
            continue
        if table.rules.leaving is Leaving.BOT:
            # Nobody needs a bot to play on while all people are gone: their game waits.
            if seat.stand_in is None and (anybody or seat.number in progress.flagged):
                table = put_stand_in(table, seat.number, level, now)
        elif seat.number == progress.turn_seat and not seat.left and _can_go_on(table, progress):
            table = _skip(table, seat.number, progress, chance)
    return table


def _can_go_on(table: Table, progress: Progress) -> bool:
    """Whether anybody would move if the absent were skipped; who has resigned only looks on."""
    return any(
        seat.person_present or (seat.occupant is Occupant.BOT)
        for seat in table.seats
        if seat.number not in progress.resigned
    )


def _abandon(table: Table, chance: Chance) -> Table:
    if any(order.kind is OrderKind.END_EARLY for order in table.orders):
        return table
    order = Order(chance.new_id(), OrderKind.END_EARLY, table.game_id, reason=EndReason.ABANDONED)
    return dataclasses.replace(table, orders=(*table.orders, order))


def _skip(table: Table, number: int, progress: Progress, chance: Chance) -> Table:
    revision = progress.revision
    if table.rules.mode is Mode.SOLO or revision <= table.skipped_at:
        return table
    in_a_row = table.skips + 1 if revision == table.skipped_at + 1 else 1
    if in_a_row > _ROUNDS_OF_SKIPS * table.rules.players:
        # Everybody's time is up, and nobody gets any more: this would go on for good.
        return _abandon(table, chance)
    # Named after what it skips, so that a second order for the same turn is a repeat.
    request_id = str(uuid.uuid5(uuid.UUID(table.game_id), f"skip {revision}"))
    order = Order(request_id, OrderKind.SKIP, table.game_id, seat=number)
    return dataclasses.replace(
        table, orders=(*table.orders, order), skipped_at=revision, skips=in_a_row
    )


def next_wake(table: Table, now: int, times: Times) -> int | None:
    """The next moment after `now` at which `elapse` may find something to do, or None."""
    return min((moment for moment in _moments(table, times) if moment > now), default=None)


def _moments(table: Table, times: Times) -> Iterator[int]:
    if table.is_closed or table.state is TableState.SHELVED:
        return
    if table.deadline is not None:
        yield table.deadline
    if table.deal is not None and table.deal.deadline is not None:
        yield table.deal.deadline
    for seat in table.seats:
        if seat.away_since is not None and not seat.hosted:
            yield seat.away_since + times.grace
    if table.state is TableState.OPEN:
        yield (table.created_at if table.used_at is None else table.used_at) + times.unused
