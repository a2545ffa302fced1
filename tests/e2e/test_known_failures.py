"""What other hosts of games are known to have got wrong, re-enacted here.

Some are re-enacted where their surroundings are; this is the whole list:

    a second server binds the same port silently     services/host/test_host.py: the_port_is_in_use
    two hosts of one name, and one leaves            lan/test_announcing.py: two_hosts_of_one_name
    `http_proxy` in the environment                  e2e/security/test_trust.py: a_proxy_in_the_…
    an idle stream is cut for too many pings         here
    a placement sent twice                           here
    two placements after a lost answer               here
    a player who rejoins asks for a spectator's view here
    a spectator who leaves is seated anyway          here
    a restart in the middle of somebody's clock      services/game/test_clocks.py: no_time_passes_…
    a crash right after a table was created          here
    ESC and OSC in a name, in chat and in the log    e2e/security/test_abuse.py: names_and_chat_…
    a token used from two clients at once            e2e/security/test_abuse.py: a_token_used_twice…
"""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import grpc
import pytest

from genial.client import channel as client_channel
from genial.engine.rules import Rules
from genial.services import connections
from genial.v1 import game_pb2, game_service_pb2, lobby_service_pb2, table_pb2
from genial.wire.errors import Reason, from_rpc_error
from tests.services.game.hosting import next_request
from tests.services.host.hosts import Guest, Line, hosting, line_to, local
from tests.services.lobby.lobbies import create_request
from tests.services.waiting import until
from tests.simulation.disk import Fate
from tests.simulation.evening import Plan, spend_evening
from tests.simulation.network import Faults
from tests.simulation.people import Ending, Habits

ACTIVE = table_pb2.TABLE_STATE_ACTIVE
FASTER = 100
"""By so much everything that has to do with pings is faster than shipped: ten minutes in six
seconds, and the ratios between the two ends stay as they are."""


async def two_in_a_game(line: Line) -> tuple[Guest, Guest]:
    """Two people whose game has just begun; the first is on turn."""
    created = await line.lobby.CreateTable(create_request())
    ana, max_ = (Guest(line, name, created.table.table_id) for name in ("Ana", "Max"))
    for guest in (ana, max_):
        await guest.sit()
        await guest.do("SetReady", ready=True)
    await until(lambda: ana.table.state == ACTIVE and max_.table.state == ACTIVE, 30)
    return ana, max_


async def placement(guest: Guest, seed: int = 1) -> game_service_pb2.PlaceTileRequest:
    request = next_request(await guest.view(), random.Random(seed))
    assert isinstance(request, game_service_pb2.PlaceTileRequest)
    return request


async def test_an_idle_stream_is_not_cut_for_too_many_pings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faster(options: list[tuple[str, int | str]]) -> list[tuple[str, int | str]]:
        timed = ("keepalive_time_ms", "keepalive_timeout_ms", "min_ping_interval_without_data_ms")
        return [
            (name, int(value) // FASTER if name.endswith(timed) else value)
            for name, value in options
        ]

    shipped = connections.server_options
    monkeypatch.setattr(
        "genial.services.server.server_options", lambda limits: faster([*shipped(limits)])
    )
    options = faster([*client_channel.CHANNEL_OPTIONS])
    assert dict(options)["grpc.keepalive_time_ms"] == 50, "pings every 50 ms, for 5 s as shipped"
    async with (
        hosting(local(tmp_path)) as (_, ready),
        grpc.aio.insecure_channel(ready.address, options=options) as channel,
    ):
        line = Line(channel)
        created = await line.lobby.CreateTable(create_request())
        request = lobby_service_pb2.WatchTableRequest(table_id=created.table.table_id)
        stream = line.lobby.WatchTable(request)
        await stream.read()
        with pytest.raises(TimeoutError):
            # Nothing comes, and that is all: what is asked here is what ten minutes do.
            async with asyncio.timeout(600 / FASTER):
                await stream.read()
        guest = Guest(line, "Ana", created.table.table_id)
        await guest.sit()


async def test_a_placement_sent_twice_is_applied_once(tmp_path: Path) -> None:
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        ana, _ = await two_in_a_game(line)
        request = await placement(ana)
        answers = await asyncio.gather(
            *(line.games.PlaceTile(request, metadata=ana.metadata) for _ in range(5))
        )
        assert all(answer == answers[0] for answer in answers)
        assert answers[0].revision == request.expected_revision + 1
        assert (await ana.view()).revision == answers[0].revision


async def test_another_placement_after_a_lost_answer_is_refused(tmp_path: Path) -> None:
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        ana, _ = await two_in_a_game(line)
        first, second = await placement(ana, 1), await placement(ana, 2)
        await line.games.PlaceTile(first, metadata=ana.metadata)
        # Its answer was lost, the player looks at the old board, and places something else.
        assert second.expected_revision == first.expected_revision
        assert second.request_id != first.request_id
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await line.games.PlaceTile(second, metadata=ana.metadata)
        assert caught.value.code() is grpc.StatusCode.ABORTED
        assert from_rpc_error(caught.value).reason == Reason.STALE_REVISION
        assert (await ana.view()).revision == first.expected_revision + 1


async def test_a_player_who_rejoins_learns_nothing_as_a_spectator(tmp_path: Path) -> None:
    """Both views at once hold one rack, and it is the player's own."""
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        ana, max_ = await two_in_a_game(line)
        assert ana.task is not None
        ana.task.cancel()
        await asyncio.gather(ana.task, return_exceptions=True)
        await ana.sit()
        request = game_service_pb2.WatchGameRequest(game_id=ana.table.game_id)
        as_player = line.games.WatchGame(request, metadata=ana.metadata)
        as_spectator = line.games.WatchGame(request)
        own, public = await as_player.read(), await as_spectator.read()
        assert isinstance(own, game_service_pb2.WatchGameResponse)
        assert isinstance(public, game_service_pb2.WatchGameResponse)
        assert (list(public.view.rack), public.view.HasField("viewer_seat")) == ([], False)
        assert own.view.viewer_seat == ana.seat
        assert sorted(own.view.rack) == sorted((await ana.view()).rack)
        for message, whole in ((own, {ana.seat}), (public, set[int]())):
            deals = [event.dealt for event in message.events if event.HasField("dealt")]
            assert {deal.seat for deal in deals} == {ana.seat, max_.seat}
            assert {deal.seat for deal in deals if deal.draw.tiles} == whole
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await line.games.PlaceTile(await placement(ana))
        assert from_rpc_error(caught.value).reason == Reason.SEAT_TOKEN_NEEDED
        as_player.cancel()
        as_spectator.cancel()


async def test_a_spectator_who_leaves_before_the_start_is_not_seated(tmp_path: Path) -> None:
    async with hosting(local(tmp_path)) as (_, ready), line_to(ready.address) as line:
        created = await line.lobby.CreateTable(create_request())
        request = lobby_service_pb2.WatchTableRequest(table_id=created.table.table_id)
        looking = line.lobby.WatchTable(request)
        await looking.read()
        looking.cancel()
        ana = Guest(line, "Ana", created.table.table_id)
        await ana.sit()
        await until(lambda: ana.table.watchers == 0)
        await ana.do("SetReady", ready=True)
        kinds = [seat.kind for seat in ana.table.seats]
        assert kinds == [game_pb2.SEAT_KIND_HUMAN, game_pb2.SEAT_KIND_OPEN]
        assert ana.table.state == table_pb2.TABLE_STATE_OPEN


@pytest.mark.parametrize("fate", [Fate.DIES_BEFORE, Fate.DIES_AFTER, Fate.SAID_TO_FAIL])
def test_a_crash_right_after_a_table_was_created(fate: Fate) -> None:
    """The first commit is the host's own id, the second is the table."""
    habits = Habits(7, Ending.RESIGN)
    plan = Plan(Rules(players=2), 2, (habits, habits), Faults(), 0, fates={2: fate})
    outcome = spend_evening(1, plan)
    assert not outcome.problems
    assert outcome.games == 1
