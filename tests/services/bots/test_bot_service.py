"""BotService over a real lobby, with bots that are only written down."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import grpc
import pytest

from genial.engine.refusal import Refusal
from genial.services.bots.handler import BotHandler, Door, bot_token
from genial.services.bots.supervisor import SeatJob, Supervisor
from genial.services.lobby.handler import LobbyHandler
from genial.services.peers import LobbyPort, RemoteLobby
from genial.v1 import bot_service_pb2 as pb
from genial.v1 import game_pb2, lobby_service_pb2
from genial.wire.errors import GenialError, Reason
from genial.wire.metadata import seat_token_hash
from genial.wire.reasons import Code
from genial.wire.serving import Call, rpc_handlers
from tests.services.lobby.lobbies import (
    SECRET,
    Bots,
    Player,
    World,
    create_request,
    people_at_a_table,
    rid,
    rules,
    world_at,
)
from tests.services.lobby.tables import refused
from tests.services.waiting import until

TOKEN_SECRET = b"s" * 32


class Written(Supervisor):
    """Plays nothing, remembers what it should play."""

    def __init__(self) -> None:
        super().__init__(most_seats=2)
        self.jobs: dict[tuple[str, int], SeatJob] = {}

    @property
    def seats(self) -> int:
        return len(self.jobs)

    def play(self, job: SeatJob) -> None:
        self.jobs[job.key] = job

    def release(self, table_id: str, seat: int) -> None:
        self.jobs.pop((table_id, seat), None)

    async def levels(self) -> list[tuple[str, str]]:
        return [("easy", "plays"), ("medium", "plays well")]


class Service(Bots):
    """The real bots service in the place of the lobby tests' made-up one."""

    def __init__(self) -> None:
        super().__init__()
        self.written = Written()
        self.apart: LobbyPort | None = None

    @property
    def service(self) -> BotHandler:
        assert self.handler is not None
        return BotHandler(
            self.written,
            self.apart or self.handler,
            service_secret=SECRET,
            token_secret=TOKEN_SECRET,
            door=lambda: Door("127.0.0.1:7718", "f" * 64, "sesame"),
        )

    async def list_bot_levels(
        self, request: pb.ListBotLevelsRequest, call: Call
    ) -> pb.ListBotLevelsResponse:
        return await self.service.list_bot_levels(request, call)

    async def seat_bot(self, request: pb.SeatBotRequest, call: Call) -> pb.SeatBotResponse:
        return await self.service.seat_bot(request, call)

    async def remove_bot(self, request: pb.RemoveBotRequest, call: Call) -> pb.RemoveBotResponse:
        return await self.service.remove_bot(request, call)


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[World, Service]]:
    bots = Service()
    async with world_at(folder, bots=bots) as world:
        yield world, bots


@asynccontextmanager
async def over_a_line(handler: LobbyHandler) -> AsyncIterator[RemoteLobby]:
    """The lobby as bots in another process see it."""
    server = grpc.aio.server()
    service = lobby_service_pb2.DESCRIPTOR.services_by_name["LobbyService"]
    server.add_generic_rpc_handlers([rpc_handlers(service, handler)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"ipv4:127.0.0.1:{port}") as channel:
            yield RemoteLobby(channel)
    finally:
        await server.stop(None)


def seat_request(table_id: str, **fields: object) -> pb.SeatBotRequest:
    return pb.SeatBotRequest(request_id=rid(), table_id=table_id, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("apart", [False, True], ids=["together", "apart"])
async def test_a_repeat_is_answered_when_there_is_no_room_any_more(
    tmp_path: Path, apart: bool
) -> None:
    async with AsyncExitStack() as stack:
        world, bots = await stack.enter_async_context(serving(tmp_path))
        if apart:
            bots.apart = await stack.enter_async_context(over_a_line(world.handler))
        (ana,) = await people_at_a_table(world, "Ana", rules=rules(4))
        requests = [seat_request(ana.table_id) for _ in range(2)]
        first = [await bots.seat_bot(request, ana.call) for request in requests]
        await until(lambda: len(bots.written.jobs) == 2)
        with refused(Reason.TOO_MANY_BOTS):
            await bots.seat_bot(seat_request(ana.table_id), ana.call)
        assert [await bots.seat_bot(request, ana.call) for request in requests] == first
        with refused(Reason.MALFORMED):
            again = pb.SeatBotRequest()
            again.CopyFrom(requests[0])
            again.level = "easy"
            await bots.seat_bot(again, ana.call)


async def test_a_bot_sits_on_the_last_open_seat_and_is_played(tmp_path: Path) -> None:
    async with serving(tmp_path) as (world, bots):
        (ana,) = await people_at_a_table(world, "Ana", rules=rules(3))
        request = seat_request(ana.table_id)
        assert (await bots.seat_bot(request, ana.call)).seat == 2
        assert (await bots.seat_bot(request, ana.call)).seat == 2, "a repeat seats no other"
        await until(lambda: bots.written.jobs)
        (job,) = bots.written.jobs.values()
        assert (job.seat, job.level, job.address) == (2, "medium", "127.0.0.1:7718")
        assert (job.fingerprint, job.password) == ("f" * 64, "sesame")
        seat = world.lobby.tables[0].table.seats[2]
        assert seat.token_hash == seat_token_hash(job.token)
        assert seat.name == job.name
        assert (await bots.seat_bot(seat_request(ana.table_id, level="easy"), ana.call)).seat == 1
        with refused(Reason.TOO_MANY_BOTS):
            await until(lambda: bots.written.seats == 2)
            await bots.seat_bot(seat_request(ana.table_id), ana.call)


async def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as (world, bots):
        ana, _ = await people_at_a_table(world, "Ana", "Eva", rules=rules(3))
        with pytest.raises(GenialError) as unknown:
            await bots.seat_bot(seat_request(ana.table_id, level="genius"), ana.call)
        assert unknown.value.reason == Reason.UNKNOWN_BOT_LEVEL
        assert unknown.value.metadata["field"] == "level"
        assert unknown.value.sentence.endswith("genius; choose one of easy, medium.")
        with refused(Reason.SEAT_TAKEN):
            await bots.seat_bot(seat_request(ana.table_id, seat=1), ana.call)
        with pytest.raises(GenialError) as beyond:
            await bots.seat_bot(seat_request(ana.table_id, seat=7), ana.call)
        assert beyond.value.reason == Refusal.NO_SUCH_SEAT
        assert beyond.value.metadata == {"seat": "7", "field": "seat"}
        with refused(Reason.UNKNOWN_TABLE):
            await bots.seat_bot(seat_request("nowhere"), ana.call)
        with refused(Reason.MALFORMED):
            await bots.seat_bot(pb.SeatBotRequest(table_id=ana.table_id), ana.call)
        assert not bots.written.jobs


async def test_who_does_not_sit_there_seats_no_bots_among_people(tmp_path: Path) -> None:
    async with serving(tmp_path) as (world, bots):
        (ana,) = await people_at_a_table(world, "Ana", rules=rules(2))
        stranger = Player(world, "Leo", ana.table_id)
        for call in (Call(), stranger.call):
            with pytest.raises(GenialError) as refusal:
                await bots.seat_bot(seat_request(ana.table_id), call)
            assert refusal.value.code == Code.UNAUTHENTICATED
        await ana.do("lock_seats", locked=True)
        assert (await bots.seat_bot(seat_request(ana.table_id), ana.call)).seat == 1
        empty = await world.handler.create_table(create_request(), Call())
        response = await bots.seat_bot(seat_request(empty.table.table_id), Call())
        assert response.seat == 1


async def test_a_bot_is_removed_by_anybody_seated_and_people_are_not(tmp_path: Path) -> None:
    async with serving(tmp_path) as (world, bots):
        ana, eva = await people_at_a_table(world, "Ana", "Eva", rules=rules(3))
        await bots.seat_bot(seat_request(ana.table_id), ana.call)
        await until(lambda: bots.written.jobs)

        async def remove(seat: int, who: Player, request_id: str = "") -> None:
            await bots.remove_bot(
                pb.RemoveBotRequest(
                    request_id=request_id or rid(), table_id=ana.table_id, seat=seat
                ),
                who.call,
            )

        with refused(Reason.SEAT_NOT_A_BOT):
            await remove(1, ana)
        with pytest.raises(GenialError) as beyond:
            await remove(9, ana)
        assert beyond.value.reason == Refusal.NO_SUCH_SEAT
        assert beyond.value.metadata["field"] == "seat"
        with refused(Reason.BAD_SEAT_TOKEN):
            await remove(2, Player(world, "Leo", ana.table_id))
        request_id = rid()
        await remove(2, eva, request_id)
        await until(lambda: not bots.written.jobs)
        assert world.lobby.tables[0].table.seats[2].is_open
        await remove(2, eva, request_id)
        with refused(Reason.SEAT_OPEN):
            await remove(2, eva)


async def test_bots_have_the_same_tokens_after_a_restart(tmp_path: Path) -> None:
    async with serving(tmp_path) as (world, bots):
        await world.handler.create_table(create_request(bot_levels=["medium"]), Call())
        await until(lambda: bots.written.jobs)
        (before,) = bots.written.jobs.values()
        table_id = before.table_id
    async with serving(tmp_path) as (world, bots):
        await until(lambda: bots.written.jobs)
        (after,) = bots.written.jobs.values()
        assert after == before
        found = await world.handler.get_table(
            lobby_service_pb2.GetTableRequest(table_id=table_id), Call()
        )
        assert found.table.seats[1].kind == game_pb2.SEAT_KIND_BOT


def test_tokens_differ_by_secret_table_and_seat() -> None:
    tokens = {
        bot_token(secret, table, seat)
        for secret in (b"a" * 32, b"b" * 32)
        for table in ("one", "other")
        for seat in range(4)
    }
    assert len(tokens) == 16
    for token in tokens:
        assert len(seat_token_hash(token)) == 32


async def test_levels_come_in_pages(tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, bots):
        first = await bots.list_bot_levels(pb.ListBotLevelsRequest(page_size=1), Call())
        assert [level.level for level in first.levels] == ["easy"]
        rest = await bots.list_bot_levels(
            pb.ListBotLevelsRequest(page_token=first.next_page_token), Call()
        )
        assert [level.level for level in rest.levels] == ["medium"]
        assert not rest.next_page_token
        with pytest.raises(GenialError) as refusal:
            await bots.list_bot_levels(pb.ListBotLevelsRequest(page_token="bm9uZQ=="), Call())
        assert refusal.value.metadata["field"] == "page_token"
