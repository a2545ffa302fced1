"""What tables want done elsewhere, and what they hear from there.

Orders for rooms wait in the table itself until they are carried out, so they survive the
host. Bots are asked for again and again while they are wanted and not there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from genial.engine.refusal import Refused
from genial.engine.rules import EndReason, SeatKind
from genial.services.lobby.match import (
    begin_game,
    fail_game,
    finish_game,
    first_by,
    without_order,
)
from genial.services.lobby.messages import shuffle_to_message
from genial.services.lobby.runtime import RunningTable
from genial.services.lobby.table import (
    Chance,
    Order,
    OrderKind,
    Progress,
    Result,
    Seat,
    Table,
    TableState,
    Times,
)
from genial.services.peers import BotPort, RoomPort, service_call
from genial.v1 import bot_service_pb2, game_pb2, room_service_pb2
from genial.wire.errors import GenialError, Reason
from genial.wire.reasons import Code
from genial.wire.values import (
    END_REASONS,
    FIRST_BYS,
    SEAT_KINDS,
    clock_to_message,
    ranking_from_message,
    rules_to_message,
    track_from_message,
)

log = logging.getLogger(__name__)

_RETRY_FIRST: Final = 0.2
_RETRY_LONGEST: Final = 5.0
"""Seconds between tries while another service does not answer."""

_AGAIN: Final = frozenset({Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED, Code.RESOURCE_EXHAUSTED})
_UNCOUNTED: Final = frozenset({EndReason.AGREED, EndReason.ABANDONED})

Sleep = Callable[[float], Awaitable[None]]


class RoomErrands:
    """Carries out the orders of tables, and brings them the reports of their rooms."""

    def __init__(
        self,
        rooms: RoomPort,
        tables: Mapping[str, RunningTable],
        times: Times,
        now: Callable[[], int],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._rooms = rooms
        self._tables = tables
        self._times = times
        self._now = now
        self._sleep = sleep

    async def carry_out(self, running: RunningTable) -> None:
        """Carries out a table's orders, oldest first, until none is left."""
        wait = _RETRY_FIRST
        while running.table.orders:
            order = running.table.orders[0]
            try:
                await self._carry_out(running, order)
                wait = _RETRY_FIRST
            except GenialError as error:
                if error.code not in _AGAIN:
                    await self._give_up(running, order, error)
                    continue
                log.warning("table %s: %s: %s", running.table.table_id, order.kind, error)
                await self._sleep(wait)
                wait = min(2 * wait, _RETRY_LONGEST)

    async def _carry_out(self, running: RunningTable, order: Order) -> None:
        if order.kind is OrderKind.CREATE:
            request = create_request(running.table, order)
            response = await self._rooms.create_room(request)
            await running.change_locked(lambda table: begin_game(table, response.first_seat))
        else:
            try:
                await self._rooms.command_room(command_request(order))
            except Refused as refused:
                raise GenialError.from_refused(refused) from refused
            await running.change_locked(lambda table: without_order(table, order))

    async def _give_up(self, running: RunningTable, order: Order, error: GenialError) -> None:
        """The room refuses: mostly because the game is over, or has moved on meanwhile."""
        if order.kind is OrderKind.CREATE:
            log.error("table %s: no room for its game: %s", running.table.table_id, error)
            await running.change_locked(fail_game)
            return
        log.info("table %s: %s refused: %s", running.table.table_id, order.kind, error)
        await running.change_locked(lambda table: without_order(table, order))

    async def follow(self) -> None:
        """Listens to the rooms for good."""
        wait = _RETRY_FIRST
        while True:
            try:
                caught_up = False
                async for response in self._rooms.watch_rooms(room_service_pb2.WatchRoomsRequest()):
                    wait = _RETRY_FIRST
                    for report in response.rooms:
                        await self.hear(report)
                    if not caught_up:
                        await self._catch_up()
                        caught_up = True
            except GenialError as error:
                log.warning("the rooms cannot be heard: %s", error)
            await self._sleep(wait)
            wait = min(2 * wait, _RETRY_LONGEST)

    async def _catch_up(self) -> None:
        """Asks for the games that may have ended while nobody listened."""
        for running in list(self._tables.values()):
            game_id = running.table.game_id
            if running.table.state is not TableState.ACTIVE or not game_id:
                continue
            try:
                response = await self._rooms.get_room(
                    room_service_pb2.GetRoomRequest(game_id=game_id)
                )
            except GenialError as error:
                if error.reason not in (Reason.UNKNOWN_GAME, Reason.GAME_DAMAGED):
                    raise
                log.error("table %s: its game is lost: %s", running.table.table_id, error)
                await running.change_locked(self._lose_game)
                continue
            await self.hear(response.room)

    def _lose_game(self, table: Table) -> Table:
        nothing = ((0,) * 6,) * table.rules.players
        everybody = (tuple(range(table.rules.players)),)
        result = Result(everybody, nothing, counts=False)
        return finish_game(table, result, EndReason.AGREED, self._now(), self._times)

    async def hear(self, report: room_service_pb2.RoomReport) -> None:
        """Brings a room's report to its table."""
        running = self._tables.get(report.table_id)
        if running is None or running.table.running_game_id != report.game_id:
            return
        if report.state == game_pb2.GAME_STATE_RUNNING:
            await running.report(_progress(report))
            return
        reason = END_REASONS.from_message(report.end_reason, "end_reason")
        result = Result(
            ranking_from_message(report.ranking),
            tuple(track_from_message(track) for track in report.tracks),
            counts=reason not in _UNCOUNTED,
        )

        def finish(table: Table) -> Table:
            if table.running_game_id != report.game_id:
                return table
            # A game that was over before its room's answer came.
            table = begin_game(table, table.next_first_seat or 0)
            return finish_game(table, result, reason, self._now(), self._times)

        await running.change_locked(finish)


def _progress(report: room_service_pb2.RoomReport) -> Progress:
    return Progress(
        revision=report.revision,
        placements=report.placements,
        turn_seat=report.turn_seat,
        flagged=tuple(report.flagged_seats),
        resigned=tuple(report.resigned_seats),
        watchers=report.watchers,
    )


def create_request(table: Table, order: Order) -> room_service_pb2.CreateRoomRequest:
    """What a room is made of: rules, who plays which seat, the completed deal."""
    if table.deal is None:
        raise ValueError(f"table {table.table_id} has no deal to open a room with")
    shuffle = shuffle_to_message(table.deal)
    shuffle.seed = table.deal.seed
    options = table.options
    return room_service_pb2.CreateRoomRequest(
        game_id=order.game_id,
        table_id=table.table_id,
        rules=rules_to_message(table.rules),
        seats=[_room_seat(seat) for seat in table.seats],
        first_seat=table.next_first_seat or 0,
        first_by=FIRST_BYS.to_message[first_by(table)],
        shuffle=shuffle,
        clock=None if options.clock is None else clock_to_message(options.clock),
        match_id=table.match_id,
        match_game=table.game_number,
        match_games=options.games,
        # Who does not know the table's password could otherwise watch its games by their ids.
        spectators_forbidden=options.spectators_forbidden or table.password_hash is not None,
        hints_forbidden=options.hints_forbidden,
    )


def _room_seat(seat: Seat) -> room_service_pb2.RoomSeat:
    stand_in = seat.stand_in
    name, level = (seat.name, seat.level) if stand_in is None else (stand_in.name, stand_in.level)
    return room_service_pb2.RoomSeat(
        seat=seat.number,
        name=name,
        kind=SEAT_KINDS.to_message[SeatKind.BOT if level else SeatKind.HUMAN],
        level=level,
        token_hash=seat.player_hash or b"",
    )


def command_request(order: Order) -> room_service_pb2.CommandRoomRequest:
    """An order as the room's message."""
    request = room_service_pb2.CommandRoomRequest(
        request_id=order.request_id, game_id=order.game_id
    )
    match order.kind:
        case OrderKind.TAKE_OVER:
            kind = SeatKind.BOT if order.bot_level else SeatKind.HUMAN
            request.take_over.seat.CopyFrom(
                room_service_pb2.RoomSeat(
                    seat=order.seat or 0,
                    name=order.name,
                    kind=SEAT_KINDS.to_message[kind],
                    level=order.bot_level,
                    token_hash=order.token_hash or b"",
                )
            )
        case OrderKind.SKIP:
            request.skip.seat = order.seat or 0
        case OrderKind.RESIGN:
            request.resign.seat = order.seat or 0
        case OrderKind.PAUSE:
            request.pause.paused = order.paused
        case OrderKind.FREEZE:
            request.freeze.frozen = order.frozen
        case OrderKind.END_EARLY:
            reason = order.reason or EndReason.ABANDONED
            request.end_early.reason = END_REASONS.to_message[reason]
        case OrderKind.CREATE:
            raise ValueError("a room is not made by a command")
    return request


class BotErrands:
    """Tells the bots service which seats to play, and which no longer."""

    def __init__(self, bots: BotPort, secret: str, chance: Chance) -> None:
        self._bots = bots
        self._call = service_call(secret)
        self._chance = chance

    async def settle(self, running: RunningTable, *, again: bool = False) -> None:
        """Asks for what is wanted and was not asked for, and takes back what is not.

        Args:
            running: The table.
            again: Also ask once more for bots that are wanted and not connected.
        """
        table_id = running.table.table_id
        wanted = running.bots_wanted()
        asked = running.bots_asked
        for number, level in list(asked.items()):
            if wanted.get(number) != level:
                del asked[number]
                await self._remove(table_id, number)
        missing = running.bots_missing() if again else ()
        for number, level in wanted.items():
            if number not in asked or number in missing:
                asked[number] = level
                await self._seat(running, number, level)

    async def _seat(self, running: RunningTable, number: int, level: str) -> None:
        table_id = running.table.table_id
        request = bot_service_pb2.SeatBotRequest(
            request_id=self._chance.new_id(), table_id=table_id, level=level, seat=number
        )
        try:
            await self._bots.seat_bot(request, self._call)
        except GenialError as error:
            log.warning("table %s: no bot for seat %d: %s", table_id, number, error)

    async def _remove(self, table_id: str, number: int) -> None:
        request = bot_service_pb2.RemoveBotRequest(
            request_id=self._chance.new_id(), table_id=table_id, seat=number
        )
        try:
            await self._bots.remove_bot(request, self._call)
        except GenialError as error:
            log.warning("table %s: seat %d keeps its bot: %s", table_id, number, error)

    async def levels(self) -> list[str]:
        """The names of all levels.

        Raises:
            GenialError: The bots service does not answer.
        """
        response = await self._bots.list_bot_levels(
            bot_service_pb2.ListBotLevelsRequest(), self._call
        )
        return [level.level for level in response.levels]
