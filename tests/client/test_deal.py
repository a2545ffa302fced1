"""Every way in which a host may cheat at the deal is seen by the session, and said."""

from __future__ import annotations

import asyncio

import pytest

from genial.client.session import (
    ConnectionChanged,
    DealProgress,
    DealStep,
    DealVerdict,
    GameChanged,
    Link,
    Store,
    join,
)
from genial.engine.moves import Phase
from tests.client.fakehost import FakeHost, Lies
from tests.client.test_session import Heard, dealt, play_to_the_end, seated


async def lying(lies: Lies) -> FakeHost:
    host = FakeHost(lies=lies)
    await host.start()
    return host


async def problem_before_the_game(host: FakeHost, store: Store | None = None) -> str:
    session, heard = await seated(host, store)
    await session.set_ready()
    distrusted = await heard.until(
        lambda u: isinstance(u, DealProgress) and u.step is DealStep.DISTRUSTED
    )
    assert isinstance(distrusted, DealProgress)
    await session.close()
    await session.link.close()
    await host.stop()
    return distrusted.problem


async def verdict_of(host: FakeHost) -> DealVerdict:
    session, heard = await dealt(host)
    await play_to_the_end(session)
    verdict = await heard.until_kind(DealVerdict)
    await session.close()
    await session.link.close()
    await host.stop()
    return verdict


async def test_commitment_seen_before_gets_no_nonce() -> None:
    host = await lying(Lies(old_seed=True))
    session, heard = await dealt(host)
    host.calls.clear()
    host.game_number = 2
    host.game = None
    host.game_id = ""
    host.begin_deal()
    distrusted = await heard.until(
        lambda u: isinstance(u, DealProgress) and u.step is DealStep.DISTRUSTED
    )
    assert isinstance(distrusted, DealProgress)
    assert "used before" in distrusted.problem
    await asyncio.sleep(0)
    assert "CommitNonceRequest" not in host.calls
    await session.close()
    await session.link.close()
    await host.stop()


async def test_exchanged_commitment_gets_no_nonce() -> None:
    host = await lying(Lies(change_commitment=True))
    assert "commitment was exchanged" in await problem_before_the_game(host)
    assert "RevealNonceRequest" not in host.calls


async def test_hash_that_is_not_ours_gets_no_nonce() -> None:
    host = await lying(Lies(hide_our_hash=True))
    assert "another hash for our seat" in await problem_before_the_game(host)
    assert "RevealNonceRequest" not in host.calls


async def test_seats_changed_after_the_commitment_get_no_nonce() -> None:
    host = await lying(Lies(change_seats=True))
    assert "seats were changed" in await problem_before_the_game(host)
    assert "RevealNonceRequest" not in host.calls


async def test_bot_nonce_chosen_after_ours_is_caught() -> None:
    verdict = await verdict_of(await lying(Lies(change_bot_nonce=True)))
    assert not verdict.verified
    assert "the nonce of seat 2 does not fit its hash" in verdict.problems


async def test_swapped_draw_is_caught_by_the_record() -> None:
    verdict = await verdict_of(await lying(Lies(swap_draw=True)))
    assert verdict.problems == ("event 1 is not what was seen",)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"name":"Ana"', '"name":"Eva"', "seats are not those"),
        ('"preset":"genial"', '"preset":"official"', "rules are not those"),
        ('"game_id":"game-1"', '"game_id":"game-7"', "another game"),
        ('"deal","seat":0,"drawn":["', '"deal","seat":0,"drawn":["PP","', "the record is faulty"),
    ],
)
async def test_rewritten_record_is_caught(old: str, new: str, problem: str) -> None:
    host = await lying(Lies(rewrite_record=lambda text: text.replace(old, new, 1)))
    verdict = await verdict_of(host)
    assert not verdict.verified
    assert any(problem in said for said in verdict.problems), verdict.problems


async def test_history_told_differently_after_a_reconnect_is_caught() -> None:
    host = await lying(Lies())
    session, heard = await dealt(host)
    host.lies.swap_draw = host.lies.retell_events = True
    known = len(heard.updates)
    await host.stop()
    await host.start()
    await heard.until(
        lambda u: isinstance(u, ConnectionChanged) and u.link is Link.CONNECTED, known
    )
    # Any move makes the host tell its events again.
    assert session.game is not None
    best = session.game.view.scored_placements()[0]
    await session.place_tile(best.tile, best.cells)
    await heard.until(lambda u: isinstance(u, GameChanged) and u.view.phase is Phase.CLOSE, known)
    host.lies.swap_draw = False
    await play_to_the_end(session)
    verdict = await heard.until_kind(DealVerdict)
    assert "event 1 was told differently before" in verdict.problems
    await session.close()
    await session.link.close()
    await host.stop()


async def test_client_that_came_after_the_deal_says_so() -> None:
    host = await lying(Lies())
    first, _heard = await dealt(host)
    await first.close()
    # The same token on another machine, where nothing of the deal is known.
    session = await join(first.link, "table-1", name="Ana", token=host.token)
    heard = Heard(session)
    await heard.until(lambda _update: session.game is not None)
    await play_to_the_end(session)
    verdict = await heard.until_kind(DealVerdict)
    assert not verdict.verified
    (problem,) = verdict.problems
    assert "was not there when the tiles were dealt" in problem
    await session.close()
    await first.link.close()
    await host.stop()


async def test_void_deal_is_told_and_the_next_one_counts_up() -> None:
    host = await lying(Lies(hide_our_hash=True))
    session, heard = await seated(host)
    await session.set_ready()
    await heard.until(lambda u: isinstance(u, DealProgress) and u.step is DealStep.DISTRUSTED)
    host.lies.hide_our_hash = False
    host.void_deal()
    await heard.until(lambda u: isinstance(u, DealProgress) and u.step is DealStep.VOID)
    await play_when_dealt(heard)
    await play_to_the_end(session)
    verdict = await heard.until_kind(DealVerdict)
    assert verdict.verified, verdict.problems
    assert host.deal == 2
    await session.close()
    await session.link.close()
    await host.stop()


async def play_when_dealt(heard: Heard) -> None:
    await heard.until(lambda _update: heard.session.game is not None)
