from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from functools import partial

import pytest

from genial.client import replay_plain
from genial.client.plain_words import Quit
from genial.client.record_files import open_bytes, open_record
from genial.client.replay import Replay
from genial.client.replay_plain import PlainReplay, run_replay
from genial.client.reviewing import review_record
from tests.client.record.vectors import FREE_2, FREE_4


@pytest.fixture
def plain() -> PlainReplay:
    return PlainReplay(open_record(FREE_2))


class Typed:
    """Lines that come one by one, each when it is let through."""

    def __init__(self, lines: list[str], let: asyncio.Event | None = None) -> None:
        self._lines = lines
        self._let = let

    async def lines(self) -> AsyncIterator[str]:
        for line in self._lines:
            yield line
        if self._let is not None:
            await self._let.wait()


def test_it_begins_with_the_rules_the_verdict_and_the_dealt_racks(plain: PlainReplay) -> None:
    said = plain.introduction()
    assert said[0] == "A game of P0, P1: free for all, 2 players, rules genial, " + (
        "a bot plays on for who leaves."
    )
    assert said[1].startswith("Verified")
    assert said[2].startswith("83 events.")
    assert said[3].startswith("2: P")


def test_next_and_back_say_the_event_with_its_number(plain: PlainReplay) -> None:
    (third,) = plain.obey("next")
    assert third.startswith("3: P")
    (fourth,) = plain.obey("")
    assert fourth.startswith("4: P")
    assert plain.obey("back") == [third]
    assert [line.partition(":")[0] for line in plain.obey("next 3")] == ["4", "5", "6"]
    assert plain.obey("back 3") == [third]
    assert plain.obey("back 99") == ["The start: nothing is dealt yet."]
    assert plain.obey("back") == ["This is the start of the game."]


def test_jump_start_end_and_move(plain: PlainReplay) -> None:
    assert plain.obey("jump 60")[0].startswith("60: ")
    assert "placed" in plain.obey("move")[0]
    assert plain.obey("start") == ["The start: nothing is dealt yet."]
    assert plain.obey("end")[0] == "83: The game is over: no tile fits on the board any more."
    for command in ("next", "move", "play"):
        assert plain.obey(command) == ["This is the end of the game."]
    assert plain.obey("where") == plain.obey("end")
    assert plain.obey("back 5")[0].startswith("78: ")
    assert plain.obey("next 99")[-1] == "This is the end of the game."


def test_what_there_is_to_ask(plain: PlainReplay) -> None:
    replay = Replay.of(open_record(FREE_2).record)
    at = replay.place_of(20)
    plain.obey("jump 20")
    assert len(plain.obey("board")) == len(plain.obey("draw")) == 11
    for seat, line in enumerate(plain.obey("racks")):
        rack = ", ".join(map(str, replay.positions[at].racks[seat]))
        assert line == f"P{seat} has {rack}."
    assert len(plain.obey("scores")) == 2
    assert plain.obey("turn")[1].startswith("The bag holds ")
    assert plain.obey("result")[1].startswith("Rank 1: ")
    assert all(": " in line for line in plain.obey("help"))


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("dance", "dance is no command; help lists them all."),
        ("jump", "Say to which event, like: jump 42"),
        ("jump -1", "Say to which event, like: jump 42"),
        ("jump ²", "Say to which event, like: jump 42"),
        ("jump 84", "There is no event 84: the record has events 1 to 83, 0 is the start."),
        ("next x", "x is not a number of events."),
        ("next 0", "0 is not a number of events."),
        ("back 1.5", "1.5 is not a number of events."),
        ("play -1", "Say how many seconds, 0 to 60, like: play 2"),
        ("play nan", "Say how many seconds, 0 to 60, like: play 2"),
        ("play fast", "Say how many seconds, 0 to 60, like: play 2"),
    ],
)
def test_wrong_input_gets_a_sentence_and_moves_nothing(
    plain: PlainReplay, line: str, answer: str
) -> None:
    before = plain.obey("where")
    assert plain.obey(line) == [answer]
    assert plain.obey("where") == before


def test_comments_are_passed_over(plain: PlainReplay) -> None:
    before = plain.obey("where")
    assert plain.obey("# next") == []
    assert plain.obey("where # now") == before


def test_beside_a_table_nothing_keeps_it_waiting() -> None:
    beside = PlainReplay(open_record(FREE_2), beside=True)
    known = {line.split()[0].rstrip(":") for line in beside.obey("help")}
    assert "next" in known
    for word in ("play", "stop", "review"):
        assert word not in known
        assert "is no command" in beside.obey(word)[0]


def test_quit_ends_it(plain: PlainReplay) -> None:
    with pytest.raises(Quit):
        plain.obey("quit")


def test_an_unfinished_record_has_no_result() -> None:
    content = b"".join(FREE_2.read_bytes().splitlines(keepends=True)[:9])
    plain = PlainReplay(open_bytes("half", content))
    assert plain.obey("result") == ["The record breaks off before the end of the game."]


async def test_a_review_comes_when_it_is_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_plain, "review_record", partial(review_record, rollouts=1))
    await run_replay(open_record(FREE_2), Typed(["review", "end"]))
    said = capsys.readouterr().out.splitlines()
    assert len(said) > 10
    assert said[-1].startswith("83: ")


async def test_ctrl_c_is_heard_in_the_middle_of_a_review(monkeypatch: pytest.MonkeyPatch) -> None:
    """It cancels the task, which has to let go now and then."""
    begun = asyncio.Event()

    def endless(_record: object) -> Iterator[None]:
        while True:
            begun.set()
            yield

    monkeypatch.setattr(replay_plain, "review_record", endless)
    running = asyncio.create_task(run_replay(open_record(FREE_2), Typed(["review"])))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_it_plays_by_itself_to_the_end_then_does_what_was_typed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    opened = open_record(FREE_4)
    await run_replay(opened, Typed(["play 0", "back", "# done"]))
    said = capsys.readouterr().out.splitlines()
    numbers = [int(line.split(":")[0]) for line in said[3:]]
    assert sorted(set(numbers)) == list(range(4, 136))
    assert numbers[-1] == 134
    assert numbers[:-1] == sorted(numbers[:-1])


async def test_stop_and_quit_are_heard_while_it_plays(capsys: pytest.CaptureFixture[str]) -> None:
    never = asyncio.Event()
    await asyncio.wait_for(
        run_replay(open_record(FREE_4), Typed(["play 60", "stop", "where", "quit"], never)), 20
    )
    said = capsys.readouterr().out.splitlines()
    assert said[-2] == "Stopped."
    assert said[-1].startswith("4: ")
    await asyncio.wait_for(run_replay(open_record(FREE_4), Typed(["play 60", "quit"], never)), 20)


async def test_the_end_of_the_input_ends_it() -> None:
    await asyncio.wait_for(run_replay(open_record(FREE_2), Typed([])), 20)
