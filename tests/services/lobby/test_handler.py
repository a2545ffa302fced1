"""LobbyService without a network, over a real database."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from genial.services.lobby.lobby import LobbySettings
from genial.v1 import bot_service_pb2, game_pb2, table_pb2
from genial.v1 import lobby_service_pb2 as pb
from genial.wire.errors import GenialError, Reason
from genial.wire.metadata import AUTHORIZATION, SEAT_TOKEN
from genial.wire.reasons import Code
from genial.wire.serving import Call
from tests.services.lobby.lobbies import (
    Bots,
    Player,
    answer_deal,
    create_request,
    people_at_a_table,
    people_in_a_game,
    rid,
    rules,
    world_at,
)
from tests.services.lobby.tables import refused
from tests.services.waiting import until

OPEN = table_pb2.TABLE_STATE_OPEN
DEALING = table_pb2.TABLE_STATE_DEALING
ACTIVE = table_pb2.TABLE_STATE_ACTIVE
FINISHED = table_pb2.TABLE_STATE_FINISHED


def bad(**changes: Any) -> pb.CreateTableRequest:
    request = create_request()
    for field, value in changes.items():
        if field == "rules":
            request.options.rules.CopyFrom(value)
        elif field in ("games", "first"):
            target = table_pb2.TableOptions(**{field: value})
            request.options.ClearField(field)  # type: ignore[arg-type]
            request.options.MergeFrom(target)
        elif field == "bot_levels":
            request.bot_levels.extend(value)
        else:
            setattr(request, field, value)
    return request


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (bad(request_id="7"), "request_id"),
        (bad(rules=rules(preset=0)), "options.rules.preset"),
        (bad(rules=rules(mode=9)), "options.rules.mode"),
        (bad(rules=rules(players=5)), "options.rules.players"),
        (bad(rules=rules(leaving=0)), "options.rules.leaving"),
        (bad(first=table_pb2.FirstSeat(named=2)), "options.first.named"),
        (bad(games=1000), "options.games"),
        (bad(bot_levels=["medium"] * 3), "bot_levels"),
        (bad(bot_levels=["medium", "genius"]), "bot_levels[1]"),
        (bad(password="x" * 1000), "password"),
        (bad(name="x" * 10_000), "name"),
        (pb.CreateTableRequest(request_id=rid()), "options.rules"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_wrong_field_is_named_and_nothing_is_opened(
    tmp_path: Path, request_: pb.CreateTableRequest, field: str
) -> None:
    async with world_at(tmp_path) as world:
        with pytest.raises(GenialError) as refusal:
            await world.handler.create_table(request_, Call())
        assert refusal.value.code == Code.INVALID_ARGUMENT
        assert refusal.value.metadata["field"] == field
        assert not world.lobby.tables


async def test_a_repeated_request_opens_one_table(tmp_path: Path) -> None:
    request = create_request(name="  Our\ttable ")
    async with world_at(tmp_path) as world:
        first = await world.handler.create_table(request, Call())
        assert first.table.name == "Our table"
        assert await world.handler.create_table(request, Call()) == first
        request.name = "Another"
        with refused(Reason.MALFORMED):
            await world.handler.create_table(request, Call())
        assert len(world.lobby.tables) == 1
    request.name = "  Our\ttable "
    async with world_at(tmp_path) as world:
        assert await world.handler.create_table(request, Call()) == first
        assert len(world.lobby.tables) == 1


class _NoBots(Bots):
    """A bots service that is down."""

    async def list_bot_levels(
        self, request: bot_service_pb2.ListBotLevelsRequest, call: Call
    ) -> bot_service_pb2.ListBotLevelsResponse:
        raise GenialError(Reason.SERVICE_DOWN, service="BotService")


async def test_a_repeated_request_is_answered_though_its_bots_are_gone(tmp_path: Path) -> None:
    request = create_request(bot_levels=["medium"])
    async with world_at(tmp_path) as world:
        first = await world.handler.create_table(request, Call())
    async with world_at(tmp_path, bots=_NoBots()) as world:
        assert await world.handler.create_table(request, Call()) == first
        with refused(Reason.BOT_FAILED):
            await world.handler.create_table(create_request(bot_levels=["medium"]), Call())


async def test_two_tables_get_names_of_their_own(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        names = {
            (await world.handler.create_table(create_request(), Call())).table.name
            for _ in range(3)
        }
        assert names == {"Table 1", "Table 2", "Table 3"}


@pytest.mark.parametrize("table_id", ["", "nowhere", "x" * 1000, "a\x00b"])
async def test_unknown_tables(tmp_path: Path, table_id: str) -> None:
    async with world_at(tmp_path) as world:
        with pytest.raises(GenialError) as refusal:
            await world.handler.get_table(pb.GetTableRequest(table_id=table_id), Call())
        assert refusal.value.code in (Code.NOT_FOUND, Code.INVALID_ARGUMENT)


@pytest.mark.parametrize("token", ["", "short", "?" * 43, "ä" * 43, "A" * 100])
async def test_a_malformed_token_is_refused_by_name(tmp_path: Path, token: str) -> None:
    async with world_at(tmp_path) as world:
        created = await world.handler.create_table(create_request(), Call())
        request = pb.JoinTableRequest(request_id=rid(), table_id=created.table.table_id, name="Ana")
        with pytest.raises(GenialError, match=SEAT_TOKEN):
            await world.handler.join_table(request, Call({SEAT_TOKEN: token}))
        with refused(Reason.SEAT_TOKEN_NEEDED):
            await world.handler.join_table(request, Call())


async def test_a_whole_evening(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        ana, eva = await people_in_a_game(world, "Ana", "Eva", games=2)
        (room,) = world.rooms.created.values()
        assert room.game_id == ana.table.game_id
        assert [seat.name for seat in room.seats] == ["Ana", "Eva"]
        assert room.first_by == game_pb2.FIRST_BY_NAMED
        assert len(room.shuffle.seed) == 32
        assert room.shuffle.nonces == [b"\x01" * 32, b"\x02" * 32]
        assert (room.match_game, room.match_games) == (1, 2)
        assert not ana.table.shuffle.seed
        world.rooms.say(
            game_id=room.game_id,
            table_id=room.table_id,
            state=game_pb2.GAME_STATE_RUNNING,
            revision=9,
            placements=3,
        )
        await until(lambda: world.lobby.tables[0].progress.revision == 9)
        listed = await world.handler.list_tables(pb.ListTablesRequest(), Call())
        assert (listed.tables[0].game_revision, listed.tables[0].placements) == (9, 3)
        world.rooms.finish(room.game_id, [1], [0])
        await until(lambda: ana.table.state == OPEN)
        assert ana.table.shuffle.seed == room.shuffle.seed
        assert [(row.name, row.won_twelfths) for row in ana.table.standings] == [
            ("Eva", 12),
            ("Ana", 0),
        ]
        assert ana.table.HasField("deadline")
        await world.wait(world.lobby.times.interlude)
        await until(lambda: ana.table.state == DEALING)
        assert ana.table.game_number == 2
        await answer_deal(ana, eva)
        second = world.rooms.created[ana.table.game_id]
        assert (second.match_id, second.match_game) == (room.match_id, 2)
        assert (second.first_seat, second.first_by) == (1, game_pb2.FIRST_BY_ROTATION)
        world.rooms.finish(second.game_id, [1], [0])
        await until(lambda: ana.table.state == OPEN)
        await ana.do("rematch")
        await eva.do("rematch")
        await until(lambda: ana.table.state == DEALING)
        await answer_deal(ana, eva)
        third = world.rooms.created[ana.table.game_id]
        assert third.match_id != room.match_id
        assert (third.match_game, third.first_seat) == (1, 0)


async def test_without_a_rematch_the_table_is_finished_and_its_streams_say_so(
    tmp_path: Path,
) -> None:
    async with world_at(tmp_path) as world:
        ana, _ = await people_in_a_game(world, "Ana", "Eva", games=1)
        world.rooms.finish(ana.table.game_id, [1], [0])
        await until(lambda: ana.table.state == OPEN)
        await world.wait(world.lobby.times.rematch)
        await until(lambda: ana.table.state == FINISHED)
        with refused(Reason.TABLE_CLOSED):
            await ana.do("rematch")


async def test_bots_are_asked_for_and_leave_with_the_table(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        (ana,) = await people_at_a_table(world, "Ana", rules=rules(3), bot_levels=["easy"])
        assert ana.table.seats[2].level == "easy"
        await ana.do("start_game")
        await until(lambda: ana.table.state == DEALING)
        assert sorted(world.bots.asked) == [(1, "medium"), (2, "easy")]
        await ana.do("kick_seat", seat=1)
        await until(lambda: world.bots.removed == [1])
        await until(lambda: ana.table.state == OPEN)
        assert ana.table.void_deals[0].shuffle.seed, "the deal was broken off"
        await ana.do("leave_table")
        assert world.lobby.tables[0].table.open_seats == (0, 1)
        await world.wait(world.lobby.times.unused)
        await until(lambda: world.bots.removed == [1, 2])


async def test_a_bot_that_does_not_come_is_asked_for_again(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        handler, world.bots.handler = world.bots.handler, None
        await world.handler.create_table(create_request(bot_levels=["medium"]), Call())
        await until(lambda: world.bots.asked)
        world.bots.handler = handler
        await world.wait(10_000)
        running = world.lobby.tables[0]
        await until(lambda: not running.table.seats[1].player_away)
        assert len(world.bots.asked) == 2


async def test_an_unknown_level_is_refused(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        (ana,) = await people_at_a_table(world, "Ana", rules=rules(2))
        with refused(Reason.UNKNOWN_BOT_LEVEL):
            await ana.do("start_game", bot_level="genius")


async def test_presence_follows_the_stream(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        ana, eva = await people_in_a_game(world, "Ana", "Eva")
        await eva.stop_watching()
        await until(lambda: not ana.table.seats[1].connected)
        assert ana.table.seats[1].HasField("away_since")
        await world.wait(world.lobby.times.grace)
        await until(lambda: world.bots.asked == [(1, "medium")])
        await until(lambda: world.rooms.commands)
        order = world.rooms.commands[0].take_over.seat
        assert (order.seat, order.kind, order.name) == (1, game_pb2.SEAT_KIND_BOT, "Eva (bot)")
        assert len(order.token_hash) == 32
        await until(lambda: ana.table.seats[1].kind == game_pb2.SEAT_KIND_BOT)
        await eva.join()
        await eva.watch()
        await until(lambda: len(world.rooms.commands) == 2)
        order = world.rooms.commands[1].take_over.seat
        assert (order.seat, order.kind, order.name) == (1, game_pb2.SEAT_KIND_HUMAN, "Eva")
        await until(lambda: world.bots.removed == [1])


async def test_the_newer_stream_of_a_token_wins_and_the_older_is_told(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        ana, _ = await people_at_a_table(world, "Ana", "Eva")
        newer = Player(world, "Ana", ana.table_id, token=ana.token, seat=0)
        await newer.watch()
        assert ana.watching is not None
        await asyncio.wait_for(ana.watching, 5)
        assert ana.seen[-1].superseded
        assert world.lobby.tables[0].table.seats[0].away_since is None


async def test_watchers_see_the_chat_that_they_missed_and_that_some_is_gone(
    tmp_path: Path,
) -> None:
    settings = LobbySettings(chat_per_minute=1000)
    async with world_at(tmp_path, settings=settings) as world:
        ana, eva = await people_at_a_table(world, "Ana", "Eva")
        for number in range(1, 251):
            said = await ana.do("send_chat", text=f"message\x1b {number}")
            assert said.number == number
        await until(lambda: eva.seen[-1].chat and eva.seen[-1].chat[-1].number == 250)
        heard = [line for message in eva.seen for line in message.chat]
        assert [line.number for line in heard] == list(range(1, 251))
        assert heard[0].text == "message 1"
        assert (heard[0].seat, heard[0].name) == (0, "Ana")
        assert not any(message.chat_gap for message in eva.seen)
        late = Player(world, "Ana", ana.table_id, token=ana.token, seat=0)
        await late.watch(after_chat=10)
        assert late.seen[0].chat_gap
        assert [line.number for line in late.seen[0].chat] == list(range(51, 251))
        known = Player(world, "Eva", ana.table_id, token=eva.token, seat=1)
        await known.watch(after_chat=240)
        assert not known.seen[0].chat_gap
        assert [line.number for line in known.seen[0].chat] == list(range(241, 251))


async def test_talking_too_fast_is_refused_until_a_moment_has_passed(tmp_path: Path) -> None:
    async with world_at(tmp_path, settings=LobbySettings(chat_per_minute=3)) as world:
        ana, eva = await people_at_a_table(world, "Ana", "Eva")
        for _ in range(3):
            await ana.do("send_chat", text="hello")
        with refused(Reason.TOO_MANY_MESSAGES):
            await ana.do("send_chat", text="hello")
        await eva.do("send_chat", text="hello")
        world.clock[0] += 60_000
        await ana.do("send_chat", text="hello")


async def test_partners_do_not_talk_while_they_play(tmp_path: Path) -> None:
    partners = rules(4, mode=game_pb2.MODE_PARTNERS)
    async with world_at(tmp_path) as world:
        names = ("Ana", "Eva", "Max", "Leo")
        players = await people_in_a_game(world, *names, rules=partners)
        with refused(Reason.CHAT_CLOSED):
            await players[0].do("send_chat", text="play green")
        world.rooms.finish(players[0].table.game_id, [0, 2], [1, 3])
        await until(lambda: players[0].table.state == OPEN)
        await players[0].do("send_chat", text="well played")


async def test_a_table_may_forbid_spectators_and_ask_for_a_password(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        closed = await world.handler.create_table(create_request(spectators_forbidden=True), Call())
        locked = await world.handler.create_table(create_request(password="sesame"), Call())
        assert locked.table.options.has_password

        async def look(table: table_pb2.Table, password: str = "") -> pb.WatchTableResponse:
            request = pb.WatchTableRequest(table_id=table.table_id, password=password)
            return await anext(aiter(world.handler.watch_table(request, Call())))

        with refused(Reason.SPECTATORS_FORBIDDEN):
            await look(closed.table)
        with refused(Reason.BAD_TABLE_PASSWORD):
            await look(locked.table)
        assert (await look(locked.table, "sesame")).table.table_id == locked.table.table_id
        ana = Player(world, "Ana", locked.table.table_id)
        with refused(Reason.BAD_TABLE_PASSWORD):
            await ana.join(password="Sesame")
        await ana.join(password="sesame")
        assert (await ana.join()).seat == 0, "who has a seat needs no password"


async def test_limits_have_a_sentence(tmp_path: Path) -> None:
    settings = LobbySettings(most_tables=1, most_watchers=1)
    async with world_at(tmp_path, settings=settings) as world:
        ana, _ = await people_at_a_table(world, "Ana", "Eva")
        with pytest.raises(GenialError, match="room for 1 tables") as refusal:
            await world.handler.create_table(create_request(), Call())
        assert refusal.value.code == Code.RESOURCE_EXHAUSTED
        request = pb.WatchTableRequest(table_id=ana.table_id)
        first = aiter(world.handler.watch_table(request, Call()))
        await anext(first)
        with refused(Reason.TOO_MANY_WATCHERS):
            await anext(aiter(world.handler.watch_table(request, Call())))


async def test_a_host_that_drains_opens_no_more_tables(tmp_path: Path) -> None:
    async with world_at(tmp_path, settings=LobbySettings(draining=True)) as world:
        with refused(Reason.HOST_DRAINING):
            await world.handler.create_table(create_request(), Call())


async def test_what_is_for_a_deal_or_a_game_waits_for_one(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        ana, _ = await people_at_a_table(world, "Ana", "Eva")
        with refused(Reason.TABLE_NOT_ACTIVE):
            await ana.do("propose_end", agree=True)
        with refused(Reason.TABLE_NOT_ACTIVE):
            await ana.do("pause_clocks", pause=True)
        with refused(Reason.TABLE_NOT_DEALING):
            await ana.do("commit_nonce", game_number=1, deal=1, nonce_hash=bytes(32))
        with refused(Reason.TABLE_NOT_DEALING):
            await ana.do("reveal_nonce", game_number=1, deal=1, nonce=bytes(32))


async def test_only_those_without_a_seat_count_as_watching(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        ana, _eva = await people_at_a_table(world, "Ana", "Eva")
        request = pb.WatchTableRequest(table_id=ana.table_id)
        looking_on = aiter(world.handler.watch_table(request, Call()))
        assert (await anext(looking_on)).table.watchers == 1
        listed = await anext(aiter(world.handler.watch_tables(pb.WatchTablesRequest(), Call())))
        assert [table.watchers for table in listed.tables] == [1]


async def test_a_stranger_is_no_service(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        ana, _ = await people_at_a_table(world, "Ana", "Eva")
        request = pb.JoinTableRequest(
            request_id=rid(), table_id=ana.table_id, seat=0, bot_level="medium"
        )
        with refused(Reason.BAD_SERVICE_SECRET):
            await world.handler.join_table(request, Call({AUTHORIZATION: "Bearer guessed"}))
        with refused(Reason.SEAT_TOKEN_NEEDED):
            await world.handler.join_table(request, Call())


async def test_the_list_comes_in_pages_and_follows_changes(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        made = []
        for _ in range(5):
            world.clock[0] += 1
            made.append(await world.handler.create_table(create_request(), Call()))
        ids = [response.table.table_id for response in made]
        found: list[str] = []
        token = ""
        for _ in range(3):
            page = await world.handler.list_tables(
                pb.ListTablesRequest(page_size=2, page_token=token), Call()
            )
            found += [table.table_id for table in page.tables]
            token = page.next_page_token
        assert found == ids
        assert not token
        for wrong in ("?", "bm9uc2Vuc2U", "x" * 1000):
            with refused(Reason.MALFORMED):
                await world.handler.list_tables(pb.ListTablesRequest(page_token=wrong), Call())
        with refused(Reason.MALFORMED):
            await world.handler.list_tables(pb.ListTablesRequest(page_size=201), Call())
        stream = aiter(world.handler.watch_tables(pb.WatchTablesRequest(), Call()))
        assert len((await anext(stream)).tables) == 5
        await world.handler.create_table(create_request(), Call())
        assert len((await asyncio.wait_for(anext(stream), 5)).tables) == 6


async def test_watchers_are_told_when_the_host_closes(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        ana, _ = await people_at_a_table(world, "Ana", "Eva")
        lists = aiter(world.handler.watch_tables(pb.WatchTablesRequest(), Call()))
        await anext(lists)
        world.lobby.announce_closing(game_pb2.HostClosing(returning=True, message="back soon"))
        assert ana.watching is not None
        await asyncio.wait_for(ana.watching, 5)
        assert ana.seen[-1].closing.message == "back soon"
        assert (await asyncio.wait_for(anext(lists), 5)).closing.returning
        with refused(Reason.HOST_CLOSING):
            await ana.do("set_ready", ready=True)


async def test_who_is_sent_away_no_longer_watches_as_a_player(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        ana, eva = await people_at_a_table(world, "Ana", "Eva")
        await ana.do("kick_seat", seat=1)
        assert eva.watching is not None
        (outcome,) = await asyncio.gather(eva.watching, return_exceptions=True)
        assert isinstance(outcome, GenialError)
        assert outcome.reason == Reason.BAD_SEAT_TOKEN
