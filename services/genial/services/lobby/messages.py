"""A table as the message that one viewer gets; options and hosts from and to messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from genial.engine.shuffle import SCHEME
from genial.services.lobby.deal import Deal, DealPhase
from genial.services.lobby.table import (
    Occupant,
    Options,
    Progress,
    Seat,
    Table,
    TableState,
    VoidDeal,
)
from genial.v1 import game_pb2, table_pb2
from genial.wire.errors import malformed
from genial.wire.values import (
    clock_from_message,
    clock_to_message,
    rules_from_message,
    rules_to_message,
    timestamp_to_message,
)

MOST_GAMES: Final = 99
"""Games of a match."""

_STATES: Final = {
    TableState.OPEN: table_pb2.TABLE_STATE_OPEN,
    TableState.DEALING: table_pb2.TABLE_STATE_DEALING,
    TableState.ACTIVE: table_pb2.TABLE_STATE_ACTIVE,
    TableState.SHELVED: table_pb2.TABLE_STATE_SHELVED,
    TableState.FINISHED: table_pb2.TABLE_STATE_FINISHED,
    TableState.ABANDONED: table_pb2.TABLE_STATE_ABANDONED,
}
_KINDS: Final = {
    Occupant.OPEN: game_pb2.SEAT_KIND_OPEN,
    Occupant.HUMAN: game_pb2.SEAT_KIND_HUMAN,
    Occupant.BOT: game_pb2.SEAT_KIND_BOT,
}


@dataclass(frozen=True, slots=True)
class ChatLine:
    """One message of chat; `seat` None: a spectator. `at` in ms since 1970."""

    number: int
    at: int
    seat: int | None
    name: str
    text: str


def options_from_message(message: table_pb2.TableOptions) -> Options:
    """What a table is to be set up with.

    Raises:
        GenialError: MALFORMED, with the field named.
    """
    if not message.HasField("rules"):
        raise malformed("options.rules", "must be given")
    rules = rules_from_message(message.rules, "options.rules")
    first = message.first.named if message.first.WhichOneof("first") == "named" else None
    if first is not None and first >= rules.players:
        raise malformed("options.first.named", f"must be a seat from 0 to {rules.players - 1}")
    if message.games > MOST_GAMES:
        raise malformed("options.games", f"must be at most {MOST_GAMES}")
    clock = None
    if message.HasField("clock"):
        clock = clock_from_message(message.clock, "options.clock")
    return Options(
        rules,
        first,
        clock,
        message.games,
        message.spectators_forbidden,
        message.hints_forbidden,
    )


def options_to_message(table: Table) -> table_pb2.TableOptions:
    """What a table was set up with."""
    options = table.options
    first = (
        table_pb2.FirstSeat(chance=True)
        if options.first is None
        else table_pb2.FirstSeat(named=options.first)
    )
    return table_pb2.TableOptions(
        rules=rules_to_message(options.rules),
        first=first,
        clock=None if options.clock is None else clock_to_message(options.clock),
        games=options.games,
        spectators_forbidden=options.spectators_forbidden,
        hints_forbidden=options.hints_forbidden,
        has_password=table.password_hash is not None,
    )


def table_to_message(
    table: Table, progress: Progress, watchers: int, *, brief: bool = False
) -> table_pb2.Table:
    """A table as everybody may see it; the viewer's own seat is added by the caller.

    Args:
        table: The table.
        progress: Of its running game.
        watchers: People who look on without a seat.
        brief: For lists: without the deals.
    """
    message = table_pb2.Table(
        table_id=table.table_id,
        name=table.name,
        state=_STATES[table.state],
        options=options_to_message(table),
        seats=[_seat_to_message(table, seat) for seat in table.seats],
        game_id=table.game_id,
        game_number=table.game_number,
        seats_locked=table.seats_locked,
        watchers=watchers,
        standings=[
            table_pb2.Standing(
                seat=row.seat,
                name=table.seats[row.seat].name,
                won_twelfths=row.won_twelfths,
                lowest_sum=row.lowest_sum,
                games=row.games,
            )
            for row in table.standings
        ],
        created_at=timestamp_to_message(table.created_at),
        next_first_seat=table.next_first_seat,
        version=table.version,
    )
    if table.state is TableState.ACTIVE:
        message.game_revision = progress.revision
        message.placements = progress.placements
    deadline = _deadline(table)
    if deadline is not None:
        message.deadline.CopyFrom(timestamp_to_message(deadline))
    if not brief:
        if table.deal is not None:
            message.shuffle.CopyFrom(shuffle_to_message(table.deal))
        message.void_deals.extend(_void_to_message(void) for void in table.void_deals)
    return message


def with_viewer(
    message: table_pb2.Table, table: Table, token_hash: bytes | None
) -> table_pb2.Table:
    """`message`, or a copy of it that names the seat of the viewer's token."""
    seat = table.seat_of(token_hash) or table.seat_played_by(token_hash)
    if seat is None:
        return message
    own = table_pb2.Table()
    own.CopyFrom(message)
    own.viewer_seat = seat.number
    return own


def _deadline(table: Table) -> int | None:
    if table.state is TableState.DEALING and table.deal is not None:
        return table.deal.deadline
    return table.deadline


def _seat_to_message(table: Table, seat: Seat) -> table_pb2.TableSeat:
    message = table_pb2.TableSeat(
        seat=seat.number,
        kind=_KINDS[seat.occupant],
        name=seat.name,
        level=seat.level,
        connected=not seat.is_open and not seat.player_away,
        ready=not seat.is_open and seat.is_ready,
        creator=not seat.is_open and table.is_creator(seat.token_hash),
        agrees_to_end=seat.agrees_to_end,
        agrees_to_pause=seat.agrees_to_pause,
    )
    if seat.away_since is not None:
        message.away_since.CopyFrom(timestamp_to_message(seat.away_since))
    if seat.stand_in is not None:
        message.kind = game_pb2.SEAT_KIND_BOT
        message.name = seat.stand_in.name
        message.level = seat.stand_in.level
        message.stand_in = True
    return message


def shuffle_to_message(deal: Deal) -> game_pb2.Shuffle:
    """A deal as everybody may know it: nonces only once all hashes are there."""
    message = game_pb2.Shuffle(
        scheme=SCHEME,
        deal=deal.number,
        commitment=deal.commitment,
        nonce_hashes=[hash_ or b"" for hash_ in deal.hashes],
    )
    if deal.phase is not DealPhase.COMMIT:
        message.nonces.extend(nonce or b"" for nonce in deal.nonces)
    if deal.disclosed:
        message.seed = deal.seed
    return message


def _void_to_message(void: VoidDeal) -> table_pb2.VoidDeal:
    return table_pb2.VoidDeal(shuffle=shuffle_to_message(void.deal), missing_seats=void.missing)


def chat_to_message(line: ChatLine) -> table_pb2.ChatMessage:
    """One message of chat."""
    return table_pb2.ChatMessage(
        number=line.number,
        at=timestamp_to_message(line.at),
        seat=line.seat,
        name=line.name,
        text=line.text,
    )
