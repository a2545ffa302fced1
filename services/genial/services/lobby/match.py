"""Games one after the other: deals that begin, games that end, standings, putting away.

Rules sections 6 (first seat, standings), 7 (early ends) and 9 (when a deal is void).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Final

from genial.engine.rules import EndReason, FirstBy, Rules
from genial.services.lobby.deal import Deal, DealPhase
from genial.services.lobby.table import (
    Chance,
    Occupant,
    Order,
    OrderKind,
    Result,
    Row,
    Seat,
    Table,
    TableState,
    Times,
    VoidDeal,
)

WIN: Final = 12
"""Twelfths of a win; shared by two, three or four it stays whole."""

_VOID_DEALS_KEPT: Final = 20
_MISSES: Final = 3
"""Deals that a connected seat may let pass before it no longer counts as ready."""


def first_by(table: Table) -> FirstBy:
    """How the first seat of the coming game is found."""
    if table.first_seat is not None:
        return FirstBy.ROTATION
    return FirstBy.CHANCE if table.options.first is None else FirstBy.NAMED


def settle(table: Table, now: int, chance: Chance, times: Times) -> Table:
    """What follows by itself: a full and ready table is dealt to, a complete deal is played."""
    if table.state is TableState.OPEN and all(
        not seat.is_open and seat.is_ready and seat.can_answer_deal for seat in table.seats
    ):
        table = _begin_deal(table, now, chance, times)
    deal = table.deal
    if table.state is not TableState.DEALING or deal is None or table.pending_room:
        return table
    if deal.phase is DealPhase.COMPLETE:
        create = Order(chance.new_id(), OrderKind.CREATE, chance.new_id())
        table = dataclasses.replace(table, orders=(create,))
    return table


def begin_game(table: Table, first_seat: int) -> Table:
    """The room that was asked for is there: the game can be watched and played."""
    create = table.pending_room
    if create is None:
        return table
    return dataclasses.replace(
        without_order(table, create),
        state=TableState.ACTIVE,
        game_id=create.game_id,
        first_seat=first_seat,
        continues=False,
        skipped_at=0,
        skips=0,
    )


def without_order(table: Table, done: Order) -> Table:
    """The table with one order carried out."""
    return dataclasses.replace(
        table, orders=tuple(order for order in table.orders if order is not done)
    )


def fail_game(table: Table) -> Table:
    """The room could not be made: the deal is void, and people say anew that they are ready."""
    table = break_off(dataclasses.replace(table, orders=(), continues=False))
    seats = tuple(dataclasses.replace(seat, ready=False) for seat in table.seats)
    return dataclasses.replace(table, seats=seats)


def _begin_deal(table: Table, now: int, chance: Chance, times: Times) -> Table:
    if not table.match_id:
        table = dataclasses.replace(table, match_id=chance.new_id(), standings=())
    last = table.void_deals[-1].deal.number if table.void_deals else 0
    deal = Deal.begin(
        table.game_number, last + 1, chance.secret(), table.rules.players, now + times.deal_step
    )
    return dataclasses.replace(table, state=TableState.DEALING, deal=deal, deadline=None)


def break_off(table: Table) -> Table:
    """The current deal is void and disclosed; the table is open again.

    Who is away, or has let several deals pass in a row, is no longer ready; a bot from elsewhere
    that does that loses its seat.
    """
    deal = table.deal
    if table.state is not TableState.DEALING or deal is None or table.pending_room:
        return table
    void = VoidDeal(deal.disclose(), deal.missing)
    voids = (*table.void_deals, void)[-_VOID_DEALS_KEPT:]
    table = dataclasses.replace(
        table, state=TableState.OPEN, deal=void.deal, void_deals=voids, deadline=None
    )
    recent = voids[-_MISSES:]
    for number in void.missing:
        seat = table.seats[number]
        often = len(recent) == _MISSES and all(number in other.missing for other in recent)
        if seat.is_human and (often or seat.player_away):
            table = dataclasses.replace(table.change_seat(number, ready=False), continues=False)
        elif often and not seat.wants_hosted_bot:
            table = table.with_seat(Seat(number))
    return table


def finish_game(table: Table, result: Result, reason: EndReason, now: int, times: Times) -> Table:
    """The running game is over: standings, and the table waits for what comes next."""
    table = dataclasses.replace(
        table,
        state=TableState.OPEN,
        deal=table.deal.disclose() if table.deal else None,
        void_deals=(),
        orders=(),
        standings=standings_after(table.rules, table.standings, result),
        clocks_paused=False,
        shelved_from=None,
    )
    if reason is EndReason.ABANDONED:
        return close(table, TableState.ABANDONED, now)
    games = table.options.games
    more = games > 0 and table.game_number < games
    table = dataclasses.replace(
        table,
        seats=tuple(_after_game(seat, more, now) for seat in table.seats),
        game_number=1 if games > 0 and not more else table.game_number + 1,
        match_id=table.match_id if more or games == 0 else "",
        continues=more,
        used_at=now,
    )
    if more:
        pause = times.interlude if table.humans else 0
        return dataclasses.replace(table, deadline=now + pause)
    if not table.humans:
        # Bots alone would never ask for a rematch.
        return close(table, TableState.FINISHED, now)
    return dataclasses.replace(table, deadline=now + times.rematch)


def _after_game(seat: Seat, more: bool, now: int) -> Seat:
    stand_in = seat.stand_in
    if seat.left:
        if not more or stand_in is None:
            return Seat(seat.number)
        return Seat(
            seat.number,
            Occupant.BOT,
            stand_in.name,
            stand_in.level,
            stand_in.token_hash,
            hosted=True,
            away_since=stand_in.away_since,
        )
    return dataclasses.replace(
        seat,
        ready=False,
        stand_in=stand_in if more else None,
        agrees_to_end=False,
        agrees_to_pause=False,
    )


def close(table: Table, state: TableState, now: int) -> Table:
    """Nothing more happens at the table; a deal under way is disclosed."""
    table = break_off(table)
    return dataclasses.replace(
        table, state=state, ended_at=now, deadline=None, continues=False, orders=()
    )


def standings_after(rules: Rules, rows: Sequence[Row], result: Result) -> tuple[Row, ...]:
    """The standings with one more game, best first (rules, section 6).

    A win shared by two counts half to each, by three a third; partners win together, each
    with the pair's whole share. Then the sum of the lowest counters decides. Games that do not
    count leave everything as it is.
    """
    known = {row.seat: row for row in rows}
    table = {seat: known.get(seat, Row(seat)) for seat in range(rules.players)}
    if result.counts:
        best = result.ranking[0]
        share = WIN // len({rules.team_of(seat) for seat in best})
        for seat, row in table.items():
            table[seat] = Row(
                seat,
                row.won_twelfths + (share if seat in best else 0),
                row.lowest_sum + min(result.tracks[seat]),
                row.games + 1,
            )
    return tuple(
        sorted(table.values(), key=lambda row: (-row.won_twelfths, -row.lowest_sum, row.seat))
    )
