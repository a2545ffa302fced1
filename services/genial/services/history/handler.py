"""HistoryService without gRPC (see `genial.wire.serving`)."""

from __future__ import annotations

from typing import Protocol

from genial.services.game.game_service import before_key, listed_setup
from genial.services.game.store import ListedGame, SqliteGameLog
from genial.v1 import game_pb2, history_service_pb2, room_service_pb2
from genial.wire.errors import GenialError, Reason
from genial.wire.requests import page_place, page_size, page_token
from genial.wire.serving import Call
from genial.wire.values import timestamp_to_message


class Records(Protocol):
    """Where records come from: the rooms, here or behind an address (`game.Rooms`)."""

    async def get_room(
        self, request: room_service_pb2.GetRoomRequest
    ) -> room_service_pb2.GetRoomResponse:
        """One room, running or over."""
        ...

    async def get_room_record(
        self, request: room_service_pb2.GetRoomRecordRequest
    ) -> room_service_pb2.GetRoomRecordResponse:
        """The record of a game."""
        ...


class HistoryHandler:
    """HistoryService over the game log and whoever renders records."""

    def __init__(self, store: SqliteGameLog, records: Records) -> None:
        self._log = store
        self._records = records

    async def list_records(
        self, request: history_service_pb2.ListRecordsRequest, call: Call
    ) -> history_service_pb2.ListRecordsResponse:
        """Finished games, the latest begun first."""
        count = page_size(request.page_size)
        before = before_key(request.page_token)
        listed = await self._log.list_games(before, count + 1, over=True)
        response = history_service_pb2.ListRecordsResponse(
            records=[_summary(game) for game in listed[:count]]
        )
        if len(listed) > count:
            response.next_page_token = page_token(str(listed[count - 1].key))
        return response

    async def get_record(
        self, request: history_service_pb2.GetRecordRequest, call: Call
    ) -> history_service_pb2.GetRecordResponse:
        """A game's record (rules, section 8).

        Raises:
            GenialError: MALFORMED, UNKNOWN_GAME; GAME_RUNNING while it is not over.
        """
        game_id = request.game_id
        found = await self._records.get_room(room_service_pb2.GetRoomRequest(game_id=game_id))
        if found.room.state == game_pb2.GAME_STATE_RUNNING:
            raise GenialError(Reason.GAME_RUNNING)
        rendered = await self._records.get_room_record(
            room_service_pb2.GetRoomRecordRequest(game_id=game_id)
        )
        return history_service_pb2.GetRecordResponse(game_id=game_id, record=rendered.record)

    async def get_statistics(
        self, request: history_service_pb2.GetStatisticsRequest, call: Call
    ) -> history_service_pb2.GetStatisticsResponse:
        """What the finished games say of each name, by name; agreed and abandoned ones
        do not count (rules, section 6).
        """
        count = page_size(request.page_size)
        games, names = await self._log.statistics(page_place(request.page_token), count + 1)
        response = history_service_pb2.GetStatisticsResponse(games=games)
        for each in names[:count]:
            response.players.add(
                name=each.name,
                games=each.games,
                won_twelfths=each.won_twelfths,
                best_lowest=each.best_lowest,
                lowest_sum=each.lowest_sum,
            )
        if len(names) > count:
            response.next_page_token = page_token(names[count - 1].name)
        return response


def _summary(game: ListedGame) -> history_service_pb2.RecordSummary:
    setup = listed_setup(game)
    summary = history_service_pb2.RecordSummary(
        game_id=game.game_id,
        table_id=setup.table_id,
        started_at=timestamp_to_message(game.started_at_ms),
        rules=setup.rules,
        names=[seat.name for seat in setup.seats],
    )
    if game.ended is not None and game.ended_at_ms is not None:
        ended = game_pb2.Ended.FromString(game.ended)
        summary.ended_at.CopyFrom(timestamp_to_message(game.ended_at_ms))
        summary.end_reason = ended.reason
        summary.ranking.extend(ended.ranking)
    return summary
