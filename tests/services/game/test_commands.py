"""Who may command what, repeats, stale revisions, and faults of the storage."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from genial.engine.refusal import Refusal
from genial.services.game import GameServices
from genial.services.store import StorageError
from genial.v1 import game_pb2, game_service_pb2
from genial.wire.errors import GenialError, Reason
from genial.wire.metadata import SEAT_TOKEN, new_seat_token
from genial.wire.serving import Call
from tests.services.game.hosting import (
    NOBODY,
    call_of,
    fresh_id,
    hosted,
    placement,
    play_on,
    refusal_of,
    room_request,
    send,
    setting,
    view_of,
)


async def test_an_answer_shows_the_new_state(services: GameServices) -> None:
    answer = await send(services, await placement(services), call_of(0))
    assert answer.revision == 3
    assert [event.n for event in answer.events] == [3]
    assert answer.view == await view_of(services, call_of(0))
    assert answer.view.phase == game_pb2.TURN_PHASE_CLOSE


async def test_without_a_token(services: GameServices) -> None:
    refused = await refusal_of(services, await placement(services), NOBODY)
    assert refused.reason == Reason.SEAT_TOKEN_NEEDED


@pytest.mark.parametrize(
    "token",
    [new_seat_token(), "", "short", "ä" * 43, "=" * 50],
    ids=["unknown", "none", "short", "no ASCII", "no letters"],
)
async def test_with_a_token_that_holds_no_seat(services: GameServices, token: str) -> None:
    call = Call({SEAT_TOKEN: token})
    assert (await refusal_of(services, await placement(services), call)).reason == (
        Reason.BAD_SEAT_TOKEN
    )
    with pytest.raises(GenialError) as looking:
        await view_of(services, call)
    assert looking.value.reason == Reason.BAD_SEAT_TOKEN


async def test_for_somebody_elses_seat(services: GameServices) -> None:
    request = await placement(services)
    request.seat = 0
    refused = await refusal_of(services, request, call_of(1))
    assert refused.reason == Reason.NOT_YOUR_SEAT
    assert refused.metadata == {"seat": "0", "own": "1"}
    assert (await send(services, request, call_of(0))).revision == 3


async def test_out_of_turn(services: GameServices) -> None:
    request = await placement(services)
    refused = await refusal_of(services, request, call_of(1))
    assert refused.reason == Refusal.NOT_YOUR_TURN


@pytest.mark.parametrize("revision", [0, 1, 3, 2**64 - 1])
async def test_for_another_revision(services: GameServices, revision: int) -> None:
    request = await placement(services)
    request.expected_revision = revision
    refused = await refusal_of(services, request, call_of(0))
    assert refused.reason == Reason.STALE_REVISION
    assert refused.metadata == {"revision": "2"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        pytest.param(setting("request_id", ""), "request_id", id="no request id"),
        pytest.param(setting("request_id", "x" * 36), "request_id", id="no UUID"),
        pytest.param(setting("game_id", ""), "game_id", id="no game"),
        pytest.param(setting("game_id", "y" * 65), "game_id", id="long game id"),
        pytest.param(setting("game_id", "\n"), "game_id", id="game id of control characters"),
        pytest.param(setting("tile", ""), "tile", id="no tile"),
        pytest.param(setting("tile", "RX"), "tile", id="unknown letter"),
        pytest.param(setting("tile", "R" * 100_000), "tile", id="huge tile"),
        pytest.param(lambda request: request.cells.pop(), "cells", id="one cell"),
        pytest.param(lambda request: request.cells.add(q=1, r=1), "cells", id="three cells"),
    ],
)
async def test_malformed_fields_are_named(
    services: GameServices, change: Callable[[Any], object], field: str
) -> None:
    request = await placement(services)
    change(request)
    refused = await refusal_of(services, request, call_of(0))
    assert refused.reason == Reason.MALFORMED
    assert refused.metadata["field"] == field


async def test_cells_far_away_are_outside(services: GameServices) -> None:
    request = await placement(services)
    request.cells[1].q = 2**31 - 1
    request.cells[1].r = -(2**31)
    assert (await refusal_of(services, request, call_of(0))).reason == Refusal.OUTSIDE_ZONE


async def test_an_unknown_game(services: GameServices) -> None:
    request = await placement(services)
    request.game_id = "no-such-game"
    assert (await refusal_of(services, request, call_of(0))).reason == Reason.UNKNOWN_GAME


async def test_a_repeat_gets_the_first_answer(services: GameServices) -> None:
    request = await placement(services)
    first = await send(services, request, call_of(0))
    assert await send(services, request, call_of(0)) == first
    await play_on(services, random.Random(2), moves=6)
    assert await send(services, request, call_of(0)) == first


async def test_a_request_id_that_comes_back_for_something_else_is_refused(
    services: GameServices,
) -> None:
    request = await placement(services)
    await send(services, request, call_of(0))
    turned = game_service_pb2.PlaceTileRequest()
    turned.CopyFrom(request)
    turned.cells.reverse()
    refill = game_service_pb2.RefillRackRequest(
        request_id=request.request_id, game_id="game-1", expected_revision=3
    )
    exchange = game_service_pb2.ExchangeRackRequest(
        request_id=request.request_id, game_id="game-1", expected_revision=3
    )
    for other in (turned, refill, exchange):
        error = await refusal_of(services, other, call_of(0))
        assert (error.reason, error.metadata["field"]) == (Reason.MALFORMED, "request_id")
    refill.request_id = fresh_id()
    answer = await send(services, refill, call_of(0))
    assert await send(services, refill, call_of(0)) == answer


async def test_a_repeat_at_the_same_time_is_applied_once(services: GameServices) -> None:
    request = await placement(services)
    answers = await asyncio.gather(*(send(services, request, call_of(0)) for _ in range(20)))
    assert {answer.revision for answer in answers} == {3}
    assert (await view_of(services, NOBODY)).revision == 3


async def test_the_same_request_id_of_another_seat_is_another_request(
    services: GameServices,
) -> None:
    request = await placement(services)
    await send(services, request, call_of(0))
    refill = game_service_pb2.RefillRackRequest(
        request_id=fresh_id(), game_id="game-1", expected_revision=3
    )
    await send(services, refill, call_of(0))
    theirs = await placement(services, 1)
    theirs.request_id = request.request_id
    assert (await send(services, theirs, call_of(1))).revision == 5


async def test_a_refusal_is_repeated_too(services: GameServices) -> None:
    early = await placement(services)
    early.expected_revision = 3
    assert (await refusal_of(services, early, call_of(0))).reason == Reason.STALE_REVISION
    another = await placement(services)
    another.request_id = fresh_id()
    await send(services, another, call_of(0))
    assert (await refusal_of(services, early, call_of(0))).metadata == {"revision": "2"}


async def test_a_repeat_after_a_restart_gets_the_first_answer(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    async with hosted(path) as services:
        await services.rooms.create_room(room_request())
        request = await placement(services)
        first = await send(services, request, call_of(0))
        end = await play_on(services, random.Random(3))
    async with hosted(path) as services:
        assert await send(services, request, call_of(0)) == first
        assert await view_of(services, NOBODY) == end


async def test_a_caller_who_goes_away_disturbs_nobody(services: GameServices) -> None:
    request = await placement(services)
    impatient = asyncio.create_task(send(services, request, call_of(0)))
    await asyncio.sleep(0)
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    answer = await send(services, request, call_of(0))
    assert answer.revision == 3
    assert (await view_of(services, NOBODY)).revision == 3


async def test_a_full_disk_refuses_and_play_goes_on(
    services: GameServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = services.game_handler._log

    async def full(*args: object) -> None:
        raise StorageError(Reason.STORAGE_FULL)

    request = await placement(services)
    with monkeypatch.context() as patched:
        patched.setattr(store, "append", full)
        refused = await refusal_of(services, request, call_of(0))
    assert refused.reason == Reason.STORAGE_FULL
    assert (await send(services, request, call_of(0))).revision == 3


async def test_a_write_that_failed_late_is_found_on_the_disk(
    services: GameServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit is on the disk though SQLite said that it failed: the room follows the disk."""
    store = services.game_handler._log
    append = store.append

    async def written_and_failed(*args: object) -> None:
        # Without what is to be done while it is written, and then.
        await append(*args[:3])  # type: ignore[arg-type]
        raise StorageError(Reason.STORAGE_FAILED)

    request = await placement(services)
    with monkeypatch.context() as patched:
        patched.setattr(store, "append", written_and_failed)
        with pytest.raises(StorageError):
            await send(services, request, call_of(0))
    again = await placement(services)
    again.request_id = fresh_id()
    refused = await refusal_after_catching_up(services, again)
    assert refused.reason == Reason.STALE_REVISION
    assert (await view_of(services, NOBODY)).revision == 3


async def refusal_after_catching_up(
    services: GameServices, request: game_service_pb2.PlaceTileRequest
) -> GenialError:
    with pytest.raises(GenialError) as refused:
        await send(services, request, call_of(0))
    return refused.value


async def test_resigning_ends_a_game_of_two(services: GameServices) -> None:
    request = game_service_pb2.ResignRequest(
        request_id=fresh_id(), game_id="game-1", expected_revision=2
    )
    answer = await services.game_handler.resign(request, call_of(1))
    view = game_service_pb2.ResignResponse.FromString(answer).view
    assert view.state == game_pb2.GAME_STATE_FINISHED
    assert [list(group.seats) for group in view.ranking] == [[0], [1]]
    later = await placement_over(services)
    assert (await refusal_of(services, later, call_of(0))).reason == Refusal.GAME_OVER


async def placement_over(services: GameServices) -> game_service_pb2.PlaceTileRequest:
    view = await view_of(services, call_of(0))
    return game_service_pb2.PlaceTileRequest(
        request_id=fresh_id(),
        game_id="game-1",
        expected_revision=view.revision,
        tile=view.rack[0],
        cells=[game_pb2.Cell(q=0, r=-4), game_pb2.Cell(q=1, r=-4)],
    )
