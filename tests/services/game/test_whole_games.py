"""Whole games through the handlers, without a network."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from genial.engine.record import Verdict, judge
from genial.services.game import GameServices
from genial.v1 import game_pb2, history_service_pb2
from genial.wire.errors import GenialError, Reason
from tests.services.game.hosting import (
    NOBODY,
    call_of,
    hosted,
    play_on,
    room_request,
    view_of,
)


async def record_of(services: GameServices, game_id: str = "game-1") -> bytes:
    request = history_service_pb2.GetRecordRequest(game_id=game_id)
    return (await services.history_handler.get_record(request, NOBODY)).record


@pytest.mark.parametrize(
    ("players", "mode"),
    [
        (1, game_pb2.MODE_SOLO),
        (2, game_pb2.MODE_FREE),
        (3, game_pb2.MODE_FREE),
        (4, game_pb2.MODE_FREE),
        (4, game_pb2.MODE_PARTNERS),
    ],
)
async def test_a_game_to_its_end_gives_a_verified_record(
    tmp_path: Path, players: int, mode: game_pb2.Mode.ValueType
) -> None:
    async with hosted(tmp_path / "host.db") as services:
        request = room_request(players=players, mode=mode, first_by=game_pb2.FIRST_BY_CHANCE)
        await services.rooms.create_room(request)
        with pytest.raises(GenialError) as running:
            await record_of(services)
        end = await play_on(services, random.Random(players))
        judgement = judge(await record_of(services))
    assert running.value.reason == Reason.GAME_RUNNING
    assert judgement.verdict is Verdict.VERIFIED, judgement.sentence
    assert end.state == game_pb2.GAME_STATE_FINISHED
    assert end.shuffle.seed == request.shuffle.seed
    assert {seat for group in end.ranking for seat in group.seats} == set(range(players))


async def test_the_host_may_stop_at_any_moment(tmp_path: Path) -> None:
    """Stopped and started after every few commands, the game goes on as if nothing had been."""
    rng, straight = random.Random(7), random.Random(7)
    path = tmp_path / "host.db"
    async with hosted(path) as services:
        await services.rooms.create_room(room_request(players=3))
    over = False
    while not over:
        async with hosted(path) as services:
            await play_on(services, rng, moves=5)
            before = [await view_of(services, call) for call in (NOBODY, *map(call_of, range(3)))]
        async with hosted(path) as services:
            after = [await view_of(services, call) for call in (NOBODY, *map(call_of, range(3)))]
        assert before == after
        over = after[0].state != game_pb2.GAME_STATE_RUNNING
    async with hosted(path) as services:
        record = await record_of(services)
    async with hosted(tmp_path / "other.db") as services:
        await services.rooms.create_room(room_request(players=3))
        uninterrupted = await play_on(services, straight)
    assert judge(record).verdict is Verdict.VERIFIED
    assert uninterrupted.board == after[0].board
    assert uninterrupted.ranking == after[0].ranking


async def test_lists_and_statistics(tmp_path: Path) -> None:
    async with hosted(tmp_path / "host.db") as services:
        for number in range(3):
            await services.rooms.create_room(room_request(f"game-{number}", seed=str(number)))
            await play_on(services, random.Random(number), game_id=f"game-{number}")
        await services.rooms.create_room(room_request("running"))
        handler = services.history_handler
        first = await handler.list_records(
            history_service_pb2.ListRecordsRequest(page_size=2), NOBODY
        )
        second = await handler.list_records(
            history_service_pb2.ListRecordsRequest(page_size=2, page_token=first.next_page_token),
            NOBODY,
        )
        statistics = await handler.get_statistics(
            history_service_pb2.GetStatisticsRequest(), NOBODY
        )
    assert [record.game_id for record in first.records] == ["game-2", "game-1"]
    assert [record.game_id for record in second.records] == ["game-0"]
    assert not second.next_page_token
    assert list(first.records[0].names) == ["Player 0", "Player 1"]
    assert statistics.games == 3
    assert [player.name for player in statistics.players] == ["Player 0", "Player 1"]
    assert sum(player.won_twelfths for player in statistics.players) == 3 * 12
    for player in statistics.players:
        assert player.games == 3
        assert player.best_lowest <= player.lowest_sum <= 3 * player.best_lowest
