"""A player plays its seat to the end, whatever its level's process does."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import cast

import pytest

from genial.bot import player as player_module
from genial.bot.player import Done, Outcome, Player, Style, play_seat
from genial.bot.thinker import Thinker, ThinkingError
from genial.bot.thought import Request
from genial.bot.worker import decide
from genial.client.session import Loss, SeatLost, Session, SessionEnded
from genial.engine.game import Command
from genial.engine.rules import Mode, Rules, SeatKind
from genial.strategy.memory import Memory
from tests.bot.fakes import FakeHost, FakeSession


class DirectThinker(Thinker):
    """Decides at once, in this process; as slowly or as badly as a test wants."""

    def __init__(self) -> None:
        super().__init__(workers=1)
        self.requests: list[Request] = []
        self.fails = False

    async def think(self, request: Request, *, patience: float = 0.0) -> Command:
        self.requests.append(request)
        if self.fails:
            raise ThinkingError("no idea")
        return decide(request)


def seat(session: FakeSession) -> Session:
    return cast(Session, session)


@pytest.mark.parametrize(
    "rules",
    [
        Rules(players=2),
        Rules(players=3),
        Rules(mode=Mode.PARTNERS, players=4),
        Rules(mode=Mode.SOLO, players=1),
    ],
    ids=lambda rules: f"{rules.mode}-{rules.players}",
)
async def test_a_whole_game_by_players_that_see_only_their_updates(rules: Rules) -> None:
    host = FakeHost(rules, 4)
    thinker = DirectThinker()
    style = Style("medium")
    sessions = [host.sit(number) for number in range(rules.players)]
    done = await asyncio.gather(*(play_seat(seat(session), style, thinker) for session in sessions))
    assert host.table.game.is_over
    assert [one.outcome for one in done] == [Outcome.FINISHED] * rules.players
    assert all(session.closed for session in sessions)
    # What each player remembered at its last decision is what its seat could have seen.
    last = thinker.requests[-1]
    assert last.memory.moment > 0


async def test_a_refused_command_is_tried_again_more_simply(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(player_module, "_RETRY_SECONDS", 0.0)
    host = FakeHost(Rules(players=2), 4)
    thinker = DirectThinker()
    sessions = [host.sit(0), host.sit(1)]
    sessions[0].refusals = 2
    await asyncio.gather(*(play_seat(seat(s), Style("medium"), thinker) for s in sessions))
    assert host.table.game.is_over
    assert sessions[0].refusals == 0
    assert "random" in {request.level for request in thinker.requests}


async def test_a_table_that_is_put_away_is_waited_for_without_playing_worse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(player_module, "_RETRY_SECONDS", 0.0)
    host = FakeHost(Rules(players=2), 4)
    thinker = DirectThinker()
    sessions = [host.sit(0), host.sit(1)]
    sessions[0].refusals, sessions[0].refusal = 3, "GAME_FROZEN"
    await asyncio.gather(*(play_seat(seat(s), Style("medium"), thinker) for s in sessions))
    assert host.table.game.is_over
    assert sessions[0].refusals == 0
    assert {request.level for request in thinker.requests} == {"medium"}


async def test_a_thought_that_fails_ends_the_play_with_a_sentence() -> None:
    host = FakeHost(Rules(players=2), 4)
    thinker = DirectThinker()
    thinker.fails = True
    session = host.sit(host.table.game.turn)
    done = await play_seat(seat(session), Style("medium"), thinker)
    assert done.outcome is Outcome.FAILED
    assert "no idea" in done.message


async def test_a_lost_seat_ends_the_play() -> None:
    host = FakeHost(Rules(players=2), 4)
    session = host.sit(1 - host.table.game.turn)
    session.queue.put_nowait(SeatLost(Loss.SUPERSEDED, "Another window."))
    done = await play_seat(seat(session), Style("medium"), DirectThinker())
    assert done == Done(Outcome.LOST, "Another window.")


async def test_after_a_gap_nothing_wrong_is_remembered() -> None:
    host = FakeHost(Rules(players=2), 4)
    waiting = host.sit(1 - host.table.game.turn)
    player = Player(seat(waiting), Style("medium"), DirectThinker())
    update = await anext(waiting.updates())
    player._remember(update)  # type: ignore[arg-type]
    assert player._memory.moment == 2
    player._remember(replace(update, events=(), gap=True))  # type: ignore[arg-type]
    assert player._memory == Memory()
    waiting.queue.put_nowait(SessionEnded(None))


async def test_people_are_given_time_to_follow_and_bots_are_not() -> None:
    host = FakeHost(Rules(players=2), 4)
    session = host.sit(host.table.game.turn)
    update = await anext(session.updates())
    player = Player(seat(session), Style("medium", pause=0.5), DirectThinker())
    view = update.view  # type: ignore[union-attr]
    assert player._pause(view) == 0.0
    people = (replace(view.seats[0], kind=SeatKind.HUMAN), *view.seats[1:])
    assert player._pause(replace(view, seats=people)) == 0.5
