"""Who sits where: joining, leaving, coming back, bots. Every function gives a new table.

All raise `GenialError` to refuse, and then nothing has changed. `token_hash` is the caller's.
"""

from __future__ import annotations

import dataclasses

from genial.engine.refusal import Refusal
from genial.engine.rules import Leaving
from genial.services.lobby import wording
from genial.services.lobby.match import break_off
from genial.services.lobby.table import (
    Chance,
    Occupant,
    Order,
    OrderKind,
    Seat,
    StandIn,
    Table,
    TableState,
)
from genial.wire.errors import GenialError, Reason


def names_at(table: Table) -> list[str]:
    """All names in use at the table."""
    names = [seat.name for seat in table.seats if not seat.is_open]
    return names + [seat.stand_in.name for seat in table.seats if seat.stand_in]


def check_not_closed(table: Table) -> None:
    """Refuses whatever a closed table no longer does (TABLE_CLOSED)."""
    if table.is_closed:
        raise GenialError(Reason.TABLE_CLOSED)


def own_seat(table: Table, token_hash: bytes | None) -> Seat:
    """The caller's seat.

    Raises:
        GenialError: SEAT_TOKEN_NEEDED without a token, BAD_SEAT_TOKEN if it holds no seat.
    """
    if token_hash is None:
        raise GenialError(Reason.SEAT_TOKEN_NEEDED)
    seat = table.seat_of(token_hash)
    if seat is None or seat.left:
        raise GenialError(Reason.BAD_SEAT_TOKEN)
    return seat


def check_creator(table: Table, token_hash: bytes | None) -> None:
    """Refuses what only the creator may do (SEAT_TOKEN_NEEDED, BAD_SEAT_TOKEN, NOT_CREATOR)."""
    check_not_closed(table)
    if not table.is_creator(token_hash):
        # Who is nobody here is told that first.
        own_seat(table, token_hash)
        raise GenialError(Reason.NOT_CREATOR)


def check_open(table: Table) -> None:
    """Refuses what cannot be done while a game is dealt or played (TABLE_NOT_OPEN)."""
    check_not_closed(table)
    if table.state is not TableState.OPEN:
        raise GenialError(Reason.TABLE_NOT_OPEN)


def check_seat_number(table: Table, number: int) -> None:
    """Refuses a seat that the table does not have (NO_SUCH_SEAT)."""
    if not 0 <= number < len(table.seats):
        raise GenialError(Refusal.NO_SUCH_SEAT, seat=number, field="seat")


# --- sitting down ---------------------------------------------------------------------


def join(
    table: Table,
    token_hash: bytes,
    *,
    name: str,
    number: int | None,
    bot_level: str,
    now: int,
    chance: Chance,
) -> tuple[Table, int]:
    """Gives a token a seat, or the seat that it holds already.

    Args:
        table: As it is.
        token_hash: Who asks.
        name: Cleaned; made distinct from the others'.
        number: The seat wanted; None: the first open one.
        bot_level: Empty for people.
        now: Milliseconds since 1970.
        chance: For the id of what the room is asked.

    Returns:
        The new table and the seat's number.
    """
    check_not_closed(table)
    held = table.seat_of(token_hash)
    if held is not None:
        return _take_back(table, held, now, chance), held.number
    played = table.seat_played_by(token_hash)
    if played is not None:
        return table, played.number
    if token_hash in table.banned:
        raise GenialError(Reason.SENT_AWAY)
    if table.seats_locked:
        raise GenialError(Reason.SEATS_LOCKED)
    number = _open_seat(table, number)
    seat = Seat(
        number,
        Occupant.BOT if bot_level else Occupant.HUMAN,
        wording.distinct(name, names_at(table)),
        bot_level,
        token_hash,
        away_since=now,
    )
    if table.creator_hash is None and seat.is_human:
        table = dataclasses.replace(table, creator_hash=token_hash)
    return dataclasses.replace(table.with_seat(seat), used_at=now), number


def _open_seat(table: Table, number: int | None) -> int:
    if number is not None:
        check_seat_number(table, number)
        if not table.seats[number].is_open:
            raise GenialError(Reason.SEAT_TAKEN, seat=number)
    elif not table.open_seats:
        raise GenialError(Reason.TABLE_FULL)
    else:
        number = table.open_seats[0]
    check_open(table)
    return number


def _take_back(table: Table, seat: Seat, now: int, chance: Chance) -> Table:
    """The holder is back: a bot that has played meanwhile gives the seat back."""
    stand_in = seat.stand_in
    if stand_in is None and not seat.left:
        return table
    # A deal that was begun with the bot is not finished with somebody else.
    table = break_off(table)
    table = table.change_seat(seat.number, stand_in=None, left=False, away_since=now)
    if stand_in is None or stand_in.token_hash is None:
        return table
    return _take_over(table, table.seats[seat.number], chance)


def _take_over(table: Table, seat: Seat, chance: Chance) -> Table:
    """Tells the room of a running game who plays the seat from now on."""
    if not table.running_game_id:
        return table
    player = seat if seat.stand_in is None else seat.stand_in
    order = Order(
        chance.new_id(),
        OrderKind.TAKE_OVER,
        table.running_game_id,
        seat=seat.number,
        name=player.name,
        bot_level=player.level,
        token_hash=player.token_hash,
    )
    return dataclasses.replace(table, orders=(*table.orders, order))


def claim_for_bot(
    table: Table,
    token_hash: bytes | None,
    *,
    number: int | None,
    level: str,
    now: int,
    chance: Chance,
) -> tuple[Table, int]:
    """Gives a seat to a bot of the host's own bots service.

    An open seat becomes the bot's. A seat that waits for such a bot, or had one with
    another token, is played by this token from now on.

    Args:
        table: As it is.
        token_hash: The bot's; None reserves an open seat for one that is yet to come.
        number: The seat; None: the last open one.
        level: Shown at the seat.
        now: Milliseconds since 1970.
        chance: For the bot's name, and the id of what the room is asked.
    """
    check_not_closed(table)
    if number is None:
        if not table.open_seats:
            raise GenialError(Reason.TABLE_FULL)
        number = table.open_seats[-1]
    check_seat_number(table, number)
    seat = table.seats[number]
    if token_hash is None and not seat.is_open:
        raise GenialError(Reason.SEAT_TAKEN, seat=number)
    if seat.stand_in is not None:
        if seat.stand_in.token_hash == token_hash:
            return table, number
        came = dataclasses.replace(seat.stand_in, token_hash=token_hash, away_since=now)
        table = table.change_seat(number, stand_in=came)
        return _take_over(table, table.seats[number], chance), number
    if seat.is_open:
        check_open(table)
        return put_bot(table, number, level, now, chance, token_hash), number
    if not seat.hosted:
        raise GenialError(Reason.SEAT_TAKEN, seat=number)
    if seat.token_hash == token_hash:
        return table, number
    had_another = seat.token_hash is not None
    table = table.change_seat(number, token_hash=token_hash, away_since=now)
    return (_take_over(table, table.seats[number], chance) if had_another else table), number


def put_bot(
    table: Table,
    number: int,
    level: str,
    now: int,
    chance: Chance,
    token_hash: bytes | None = None,
) -> Table:
    """An open seat with a bot of the host's, who may be yet to come."""
    start = int.from_bytes(chance.secret()[:4], "big")
    seat = Seat(
        number,
        Occupant.BOT,
        wording.bot_name(names_at(table), start, chance.bot_names),
        level,
        token_hash,
        hosted=True,
        away_since=now,
    )
    return dataclasses.replace(table.with_seat(seat), used_at=now)


def put_stand_in(table: Table, number: int, level: str, now: int) -> Table:
    """A bot of the host's, yet to come, that plays on for whoever holds the seat."""
    seat = table.seats[number]
    name = wording.stand_in_name(seat.name, names_at(table))
    return table.change_seat(
        number,
        stand_in=StandIn(name, level, away_since=now),
        agrees_to_end=False,
        agrees_to_pause=False,
    )


def fill_with_bots(table: Table, level: str, now: int, chance: Chance) -> Table:
    """Every open seat with a bot of `level`."""
    for number in table.open_seats:
        table = put_bot(table, number, level, now, chance)
    return table


# --- getting up -----------------------------------------------------------------------


def leave(table: Table, token_hash: bytes | None, now: int, chance: Chance) -> Table:
    """The holder gives the seat up.

    In a running game a bot plays on (and the holder may come back until it is over), or
    where the table has no bots for that, the seat resigns.
    """
    check_not_closed(table)
    seat = own_seat(table, token_hash)
    table = _hand_on(table, seat)
    if not table.running_game_id:
        return free_seat(table, seat.number, now)
    return _leave_game(table, seat, now, chance, banished=False)


def kick(table: Table, token_hash: bytes | None, number: int, now: int, chance: Chance) -> Table:
    """Sends whoever holds a seat away: people by the creator alone, bots by anybody seated."""
    check_not_closed(table)
    check_seat_number(table, number)
    seat = table.seats[number]
    if seat.is_open:
        if not table.is_creator(token_hash):
            check_may_manage_bots(table, token_hash)
        raise GenialError(Reason.SEAT_OPEN, seat=number)
    if seat.occupant is not Occupant.BOT:
        check_creator(table, token_hash)
    elif not table.is_creator(token_hash):
        check_may_manage_bots(table, token_hash)
    if table.running_game_id and (seat.hosted or seat.left):
        raise GenialError(Reason.TABLE_NOT_OPEN)
    if seat.is_human and seat.token_hash is not None:
        banned = (*table.banned, seat.token_hash)
        table = dataclasses.replace(table, banned=banned)
    table = _hand_on(table, seat)
    if not table.running_game_id:
        return free_seat(table, number, now)
    return _leave_game(table, seat, now, chance, banished=True)


def check_may_manage_bots(table: Table, token_hash: bytes | None) -> None:
    """Bots are seated and removed by anybody seated; by everybody while no person sits there.

    Raises:
        GenialError: SEAT_TOKEN_NEEDED, BAD_SEAT_TOKEN.
    """
    if table.humans:
        own_seat(table, token_hash)


def free_seat(table: Table, number: int, now: int) -> Table:
    """The seat is open again, its row in the standings begins anew; a deal is broken off."""
    table = break_off(table).with_seat(Seat(number))
    standings = tuple(row for row in table.standings if row.seat != number)
    return dataclasses.replace(table, standings=standings, used_at=now)


def _leave_game(table: Table, seat: Seat, now: int, chance: Chance, *, banished: bool) -> Table:
    away = now if seat.away_since is None else seat.away_since
    table = table.change_seat(
        seat.number,
        left=True,
        banished=banished,
        away_since=away,
        agrees_to_end=False,
        agrees_to_pause=False,
    )
    if table.rules.leaving is Leaving.BOT:
        return table
    resign = Order(chance.new_id(), OrderKind.RESIGN, table.running_game_id, seat=seat.number)
    return dataclasses.replace(table, orders=(*table.orders, resign))


def _hand_on(table: Table, seat: Seat) -> Table:
    """The creator's rights go to the next person, clockwise, when the creator gets up."""
    if not table.is_creator(seat.token_hash):
        return table
    seats = table.seats[seat.number + 1 :] + table.seats[: seat.number]
    heir = next((other.token_hash for other in seats if other.is_human and not other.left), None)
    return dataclasses.replace(table, creator_hash=heir)


def restart_absences(table: Table, now: int) -> Table:
    """Whoever is away counts as away since now."""

    def since_now(seat: Seat) -> Seat:
        away = seat.away_since if seat.away_since is None else now
        stand_in = seat.stand_in
        if stand_in is not None and stand_in.away_since is not None:
            stand_in = dataclasses.replace(stand_in, away_since=now)
        return dataclasses.replace(seat, away_since=away, stand_in=stand_in)

    return dataclasses.replace(table, seats=tuple(since_now(seat) for seat in table.seats))
