"""The plain client's commands and sentences, each fact in a line."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from itertools import permutations

import pytest

from genial.client.board_text import board_sentences
from genial.client.lines import LineReader
from genial.client.plain import PlainClient, run_plain
from genial.client.plain_commands import Commands
from genial.client.plain_words import Quit
from genial.client.sentences import (
    event_sentences,
    listed,
    match_sentences,
    next_sentence,
    placement_command,
    points_text,
    table_changes,
    table_sentences,
    turn_sentence,
)
from genial.client.session import (
    DealVerdict,
    GameChanged,
    RefusedError,
    Session,
    TableChanged,
    Update,
    watch,
)
from genial.client.view.rules import rules_parts
from genial.engine.board import Board, cell_name
from genial.engine.moves import Placed
from genial.engine.rules import Rules
from genial.engine.view import SeenRefilled
from genial.v1.game_pb2 import SeatKind
from genial.v1.table_pb2 import Standing, Table, TableOptions, TableSeat, TableState
from tests.client.fakehost import FakeHost
from tests.client.test_session import DEADLINE, dealt, seated


@pytest.fixture
async def session(host: FakeHost) -> AsyncIterator[Session]:
    session, _heard = await dealt(host)
    yield session
    await session.close()
    await session.link.close()


async def test_moves_are_commands_to_copy_best_first(session: Session) -> None:
    commands = Commands(session, None)
    everything = (await commands.obey("moves 9999")).lines
    assert session.game is not None
    scored = session.game.view.scored_placements()
    assert len(everything) == len(scored)
    totals = []
    for line in everything:
        match = re.fullmatch(r"place ([RGBOYP]{2}) ([A-O]\d+) ([A-O]\d+)  # (.+)", line)
        assert match, line
        totals.append(sum(map(int, re.findall(r"[RGBOYP] (\d+)", match[4]))))
    assert totals == sorted(totals, reverse=True)
    assert len((await commands.obey("moves")).lines) == 5
    assert (await commands.obey("moves 2 # as many as this")).lines == everything[:2]
    # Copied as it stands, comment and all.
    assert await commands.obey(everything[0]) == await commands.obey("")
    closing = (await commands.obey("moves")).lines
    assert closing[0].startswith("refill  # ")
    await commands.obey(closing[0])
    assert session.game.view.turn != 0 or session.game.view.must_place


async def test_every_cell_is_told_once(session: Session) -> None:
    for players in (2, 3, 4):
        board = Board.start(Rules(players=players).zone)
        told = "\n".join(board_sentences(board))
        cells = set(re.findall(r"[A-O]\d+", told))
        for first, last in re.findall(r"([A-O]\d+) to ([A-O]\d+)", told):
            numbers = range(int(first[1:]), int(last[1:]) + 1)
            cells |= {f"{first[0]}{number}" for number in numbers}
        assert cells == {cell_name(cell) for cell in board.zone.cells}
        assert told.count("printed") == 6


async def test_commands_before_a_game_say_so_and_quit_asks(host: FakeHost) -> None:
    session, _heard = await seated(host)
    answers: list[bool] = []

    async def may_quit() -> bool:
        return answers.pop()

    commands = Commands(session, may_quit)
    for line in ("board", "rack", "scores", "moves", "place RB D8 D9", "refill", "turn"):
        answer = await commands.obey(line)
        assert "No game has begun here yet" in answer.lines[0]
        assert answer.misunderstood
    assert "Nothing has happened yet." in (await commands.obey("log")).lines
    assert "Seat 1: Ana (you), not ready." in (await commands.obey("SEATS")).lines
    answers.append(False)
    assert (await commands.obey("quit")).lines == ["You stay."]
    answers.append(True)
    with pytest.raises(Quit):
        await commands.obey("quit")
    await session.close()
    await session.link.close()


async def test_every_command_of_the_help_is_one(session: Session) -> None:
    commands = Commands(session, None)
    for line in (await commands.obey("help")).lines:
        word = line.split(":")[0].split(" ")[0]
        if word == "#":
            continue
        assert word in commands._words, line
    with pytest.raises(RefusedError):
        await commands.obey("exchange")


async def test_what_a_tile_would_earn_is_heard_before_it_lies(session: Session) -> None:
    commands = Commands(session, None)
    assert session.game is not None
    best = session.game.view.scored_placements()[0]
    where = placement_command(best.tile, best.cells).removeprefix("place ")
    (said,) = (await commands.obey(f"try {where}")).lines
    assert said == f"{best.total} points: {points_text(best.points)}." or best.total < 2
    assert session.game.view.must_place, "nothing was placed"
    (refused,) = (await commands.obey(f"try {best.tile} H8 H9")).lines
    assert refused.startswith("Your first tile must touch")


async def test_the_table_and_the_rules_can_be_asked_for(session: Session) -> None:
    commands = Commands(session, None)
    told = (await commands.obey("table")).lines
    assert "2 players, free for all" in told[0]
    assert "watching: 0 people." in told
    assert any("genial join" in line for line in told)
    assert len((await commands.obey("rules")).lines) == len(rules_parts())


async def test_sentences_say_you_to_the_viewer_and_names_to_others(session: Session) -> None:
    assert session.game is not None
    view = session.game.view
    best = view.scored_placements()[0]
    placed = Placed(0, best.tile, best.cells, best.points, best.points, 2)
    said = event_sentences(placed, view)
    assert said[0].startswith("You placed ")
    assert said[1] == "Ingenious! 2 bonus placements follow."
    other = Placed(1, best.tile, best.cells, best.points, best.points, 0)
    assert event_sentences(other, view)[0].startswith("Bot placed ")
    assert event_sentences(SeenRefilled(0, ()), view) == ["You drew no tiles."]
    assert turn_sentence(view) == "It is your turn: place a tile."


def test_small_pieces() -> None:
    assert points_text((2, 0, 1, 0, 0, 0)) == "R 2, B 1"
    assert points_text((0,) * 6) == "no points"
    assert listed([]) == ""
    assert listed(["Ana"]) == "Ana"
    assert listed(["Ana", "Max", "Eva"]) == "Ana, Max and Eva"


def test_no_news_is_told_of_a_first_connection_or_of_readiness_used_up() -> None:
    def table(
        state: TableState.ValueType, *, connected: bool = False, ready: bool = False
    ) -> Table:
        other = TableSeat(
            seat=1, kind=SeatKind.SEAT_KIND_HUMAN, name="Max", connected=connected, ready=ready
        )
        return Table(state=state, seats=[TableSeat(seat=0), other])

    opened, active = TableState.TABLE_STATE_OPEN, TableState.TABLE_STATE_ACTIVE
    assert table_changes(table(opened), table(opened, connected=True)) == []
    assert table_changes(table(active, ready=True), table(opened)) == []
    assert table_changes(table(opened, ready=True), table(opened)) == ["Max is not ready any more."]
    assert table_changes(table(active, connected=True), table(active)) == ["Max is away."]
    assert table_changes(table(active), table(active, connected=True)) == ["Max is here again."]


def test_a_takeover_is_told_by_the_game_alone() -> None:
    def table(kind: SeatKind.ValueType, name: str, connected: bool = True) -> Table:
        seat = TableSeat(seat=1, kind=kind, name=name, level="medium", connected=connected)
        return Table(state=TableState.TABLE_STATE_ACTIVE, seats=[TableSeat(seat=0), seat])

    person = table(SeatKind.SEAT_KIND_HUMAN, "Max")
    bot = table(SeatKind.SEAT_KIND_BOT, "Max (bot)")
    assert table_changes(person, bot) == []
    assert table_changes(bot, person) == []


def test_who_comes_to_an_open_table_hears_no_readiness_that_is_a_moment_old() -> None:
    seats = [
        TableSeat(seat=0, kind=SeatKind.SEAT_KIND_HUMAN, name="Ana", ready=True, connected=True),
        TableSeat(seat=1, kind=SeatKind.SEAT_KIND_HUMAN, name="Max"),
        TableSeat(seat=2, kind=SeatKind.SEAT_KIND_HUMAN, name="Eva", connected=True),
    ]
    table = Table(name="Kitchen", state=TableState.TABLE_STATE_OPEN, seats=seats)
    assert table_sentences(table, 2, arriving=True)[1:] == [
        "Seat 1: Ana, ready.",
        "Seat 2: Max.",
        "Seat 3: Eva (you).",
    ]
    assert table_sentences(table, 2)[2:] == [
        "Seat 2: Max, not connected.",
        "Seat 3: Eva (you), not ready.",
    ]
    table.state = TableState.TABLE_STATE_ACTIVE
    assert table_sentences(table, 2, arriving=True)[2] == "Seat 2: Max, not connected."


def test_standings_and_what_follows() -> None:
    standings = [
        Standing(seat=1, name="Max", won_twelfths=18, lowest_sum=14, games=2),
        Standing(seat=0, name="Ana", won_twelfths=6, lowest_sum=16, games=2),
    ]
    table = Table(
        options=TableOptions(games=3),
        seats=[TableSeat(seat=0), TableSeat(seat=1)],
        game_number=3,
        standings=standings,
    )
    assert match_sentences(table) == [
        "The standings after 2 games, best first:",
        "Max: games won 1.5, lowest counters together 14.",
        "Ana: games won 0.5, lowest counters together 16.",
    ]
    assert next_sentence(table) == "Game 3 of 3 follows by itself."
    table.game_number = 1
    assert next_sentence(table).startswith("Type rematch")
    del table.seats[1]
    assert match_sentences(table) == []


@pytest.mark.parametrize("order", list(permutations(("game", "table", "verdict"))))
async def test_what_follows_is_told_once_however_the_news_come(
    order: tuple[str, ...], host: FakeHost, capsys: pytest.CaptureFixture[str]
) -> None:
    session, heard = await dealt(host)
    running = session.table
    await session.resign()
    verdict = await heard.until_kind(DealVerdict)
    opened = await heard.until(
        lambda update: (
            isinstance(update, TableChanged)
            and update.table.state == TableState.TABLE_STATE_OPEN
            and bool(update.table.standings)
        )
    )
    over = await heard.until(lambda update: isinstance(update, GameChanged) and update.view.is_over)
    begun = await heard.until_kind(GameChanged)
    news: dict[str, Update] = {"game": over, "table": opened, "verdict": verdict}
    client = PlainClient(session, LineReader(), None)
    session.table = running
    await client._tell_update(begun)
    capsys.readouterr()
    for name in order:
        assert "lowest counters together" not in capsys.readouterr().out
        if name == "table":
            assert isinstance(opened, TableChanged)
            session.table = opened.table
        await client._tell_update(news[name])
    lines = capsys.readouterr().out.splitlines()
    assert lines[-4:] == [
        "The standings after 1 game, best first:",
        "Bot: games won 1, lowest counters together 0.",
        "Ana: games won 0, lowest counters together 0.",
        "Type rematch to play again, review to look at this game, or quit.",
    ]
    client._commands.advice.close()
    await session.close()
    await session.link.close()


async def test_getting_ready_too_late_is_no_refusal_worth_a_word(
    session: Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def too_late() -> None:
        raise RefusedError("TABLE_NOT_OPEN")

    monkeypatch.setattr(session, "set_ready", too_late)
    client = PlainClient(session, LineReader(), None)
    await client._get_ready()
    assert capsys.readouterr().out == ""
    client._commands.advice.close()


async def test_spectator_without_input_gives_up_a_host_that_is_gone(
    session: Session,
    host: FakeHost,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("genial.client.plain.PATIENCE_SECONDS", 0.5)
    spectator = await watch(session.link, session.table_id)
    reading, writing = os.pipe()
    os.close(writing)
    watching = asyncio.create_task(run_plain(spectator, LineReader(reading)))
    async with asyncio.timeout(DEADLINE):
        while "Connection lost" not in (said := capsys.readouterr().out):
            assert not watching.done(), said
            await host.stop()
            await asyncio.wait([watching], timeout=0.05)
        assert await watching is None
    assert "has not answered for a long time" in capsys.readouterr().out
    os.close(reading)


async def test_a_review_under_way_is_waited_for_when_the_table_is_put_away(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    client = PlainClient(session, LineReader(reading), None)
    told: list[str] = []
    ended = asyncio.Event()

    async def tell() -> None:
        ended.set()

    async def review() -> None:
        await ended.wait()
        await asyncio.sleep(0)
        told.append("review")

    monkeypatch.setattr(client, "_tell", tell)
    client._commands.advice._reviewing = asyncio.create_task(review())
    async with asyncio.timeout(DEADLINE):
        assert await client.run() is None
    assert told == ["review"]
    os.close(writing)
    os.close(reading)
