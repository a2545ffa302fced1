"""What a lobby still knows after its host was killed, and what it does about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from genial.engine.shuffle import nonce_hash
from genial.services.store import StorageError
from genial.v1 import game_pb2, table_pb2
from genial.v1 import lobby_service_pb2 as pb
from genial.wire.errors import GenialError, Reason
from genial.wire.metadata import seat_token_hash
from genial.wire.serving import Call
from tests.services.lobby.lobbies import (
    Player,
    Rooms,
    World,
    answer_deal,
    create_request,
    people_at_a_table,
    people_in_a_game,
    rid,
    world_at,
)
from tests.services.lobby.tables import refused
from tests.services.waiting import until

OPEN = table_pb2.TABLE_STATE_OPEN
DEALING = table_pb2.TABLE_STATE_DEALING
ACTIVE = table_pb2.TABLE_STATE_ACTIVE


def again(world: World, player: Player) -> Player:
    """The same person at the host that came back."""
    return Player(world, player.name, player.table_id, player.token, player.seat)


def everything_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def test_tables_seats_tokens_readiness_and_chat_are_still_there(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        made = await world.handler.create_table(
            create_request(name="Ours", password="sesame"), Call()
        )
        ana, eva = (Player(world, name, made.table.table_id) for name in ("Ana", "Eva"))
        for player in (ana, eva):
            await player.join(password="sesame")
            await player.watch()
        await ana.do("set_ready", ready=True)
        await eva.do("send_chat", text="wait for me")
        before = ana.table
    async with world_at(tmp_path) as world:
        ana, eva = again(world, ana), again(world, eva)
        assert (await ana.join()).seat == 0
        await ana.watch()
        assert ana.table.name == "Ours"
        assert ana.table.version > before.version
        assert [seat.name for seat in ana.table.seats] == ["Ana", "Eva"]
        assert [seat.ready for seat in ana.table.seats] == [True, False]
        assert [seat.connected for seat in ana.table.seats] == [True, False]
        assert [seat.creator for seat in ana.table.seats] == [True, False]
        assert [line.text for line in ana.seen[0].chat] == ["wait for me"]
        assert (await eva.do("send_chat", text="here")).number == 2
        stranger = Player(world, "Leo", ana.table_id)
        with refused(Reason.BAD_TABLE_PASSWORD):
            await stranger.join()


async def test_a_repeat_gets_the_first_answer_over_a_restart(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        ana, eva = await people_at_a_table(world, "Ana", "Eva")
        chat = pb.SendChatRequest(request_id=rid(), table_id=ana.table_id, text="once")
        said = await world.handler.send_chat(chat, ana.call)
        ready = pb.SetReadyRequest(request_id=rid(), table_id=ana.table_id, ready=True)
        await world.handler.set_ready(ready, ana.call)
        await ana.do("set_ready", ready=False)
        join = pb.JoinTableRequest(request_id=rid(), table_id=ana.table_id, name="Ana")
        joined = await world.handler.join_table(join, ana.call)
    async with world_at(tmp_path) as world:
        ana = again(world, ana)
        await ana.watch()
        assert await world.handler.send_chat(chat, ana.call) == said
        await world.handler.set_ready(ready, ana.call)
        assert not ana.table.seats[0].ready, "a repeat is not applied again"
        assert await world.handler.join_table(join, ana.call) == joined
        assert len(world.lobby.tables[0].chat) == 1
        # Another caller's id is another request.
        other = await world.handler.send_chat(chat, eva.call)
        assert other.number == 2


async def test_the_token_itself_is_nowhere_on_disk(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        ana, eva = await people_in_a_game(world, "Ana", "Eva")
    stored = everything_below(tmp_path)
    for player in (ana, eva):
        assert player.token.encode() not in stored
        assert seat_token_hash(player.token).hex().encode() in stored


async def test_a_deal_under_way_is_disclosed_and_done_again(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        ana, eva = await people_at_a_table(world, "Ana", "Eva")
        await ana.do("set_ready", ready=True)
        await eva.do("set_ready", ready=True)
        await until(lambda: ana.table.state == DEALING)
        commitment = ana.table.shuffle.commitment
    async with world_at(tmp_path) as world:
        ana, eva = again(world, ana), again(world, eva)
        await ana.watch()
        await eva.watch()
        await until(lambda: ana.table.state == DEALING)
        assert ana.table.shuffle.deal == 2
        assert ana.table.shuffle.commitment != commitment
        (void,) = ana.table.void_deals
        assert void.shuffle.commitment == commitment
        assert void.shuffle.seed
        await answer_deal(ana, eva)


async def test_a_room_that_was_not_asked_for_in_time_is_asked_for_after_the_restart(
    tmp_path: Path,
) -> None:
    rooms = Rooms()
    rooms.faults = [GenialError(Reason.UNREACHABLE)] * 1000
    async with world_at(tmp_path, rooms) as world:
        ana, eva = await people_at_a_table(world, "Ana", "Eva")
        for player in (ana, eva):
            await player.do("set_ready", ready=True)
        await until(lambda: ana.table.state == DEALING)
        deal = {"game_number": 1, "deal": 1}
        for player in (ana, eva):
            await player.do("commit_nonce", nonce_hash=nonce_hash(b"n" * 32), **deal)
        for player in (ana, eva):
            await player.do("reveal_nonce", nonce=b"n" * 32, **deal)
        assert not rooms.created
    rooms.faults = []
    async with world_at(tmp_path, rooms) as world:
        ana = again(world, ana)
        await ana.watch()
        await until(lambda: ana.table.state == ACTIVE)
        (created,) = rooms.created.values()
        assert created.game_id == ana.table.game_id


async def test_a_game_that_ended_while_the_lobby_was_away_is_counted(tmp_path: Path) -> None:
    rooms = Rooms()
    async with world_at(tmp_path, rooms) as world:
        ana, _ = await people_in_a_game(world, "Ana", "Eva", games=3)
    rooms.finish(ana.table.game_id, [1], [0])
    async with world_at(tmp_path, rooms) as world:
        ana = again(world, ana)
        await ana.watch()
        await until(lambda: ana.table.state == OPEN)
        assert [row.won_twelfths for row in ana.table.standings] == [12, 0]


async def test_a_game_that_is_lost_does_not_hold_its_table(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        ana, _ = await people_in_a_game(world, "Ana", "Eva")
    async with world_at(tmp_path, Rooms()) as world:
        await until(lambda: world.lobby.tables[0].table.game_id == ana.table.game_id)
        await until(lambda: world.lobby.tables[0].message().state == OPEN)


async def test_orders_wait_for_rooms_that_do_not_answer_and_are_dropped_when_refused(
    tmp_path: Path,
) -> None:
    async with world_at(tmp_path) as world:
        ana, eva = await people_in_a_game(world, "Ana", "Eva")
        world.rooms.faults = [GenialError(Reason.UNREACHABLE)]
        await ana.do("propose_end", agree=True)
        await eva.do("propose_end", agree=True)
        await until(lambda: world.rooms.commands)
        assert world.rooms.commands[0].end_early.reason == game_pb2.END_REASON_AGREED
        world.rooms.faults = [GenialError("GAME_OVER")]
        await ana.do("propose_end", agree=True)
        await eva.do("propose_end", agree=True)
        await until(lambda: not world.rooms.faults)
        await until(lambda: not world.lobby.tables[0].table.orders)


async def test_bots_are_asked_for_again_with_the_table(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        await world.handler.create_table(create_request(bot_levels=["medium"]), Call())
        await until(lambda: world.bots.asked)
    async with world_at(tmp_path) as world:
        await until(lambda: world.bots.asked == [(1, "medium")])


async def test_what_cannot_be_written_is_refused_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world_at(tmp_path) as world:
        ana, _ = await people_at_a_table(world, "Ana", "Eva")
        before = ana.table

        async def full(job: object) -> object:
            raise StorageError(Reason.STORAGE_FULL)

        with monkeypatch.context() as patch:
            patch.setattr(world.database, "write", full)
            for rpc, request in (
                ("set_ready", {"ready": True}),
                ("send_chat", {"text": "hello"}),
                ("leave_table", {}),
            ):
                with refused(Reason.STORAGE_FULL):
                    await ana.do(rpc, **request)
        shown = await world.handler.get_table(pb.GetTableRequest(table_id=ana.table_id), ana.call)
        assert shown.table == before
        await ana.do("set_ready", ready=True)
        await until(lambda: ana.table.seats[0].ready)


async def test_closed_tables_leave_the_list_after_a_while(tmp_path: Path) -> None:
    clock = [1_000_000_000_000]
    async with world_at(tmp_path, clock=clock) as world:
        ana, _ = await people_in_a_game(world, "Ana", "Eva")
        world.rooms.finish(ana.table.game_id, [0], [1], reason=game_pb2.END_REASON_ABANDONED)
        await until(lambda: ana.table.state == table_pb2.TABLE_STATE_ABANDONED)
        await world.wait(7_200_000)
        assert len(world.lobby.tables) == 1, "somebody still looks at it"
    async with world_at(tmp_path, clock=clock) as world:
        assert not world.lobby.tables
