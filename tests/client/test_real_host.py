"""Sessions at the real host, in one process over the loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from genial.client.session import (
    Access,
    ConnectionChanged,
    DealProgress,
    DealStep,
    DealVerdict,
    DiskStore,
    GameChanged,
    Link,
    RefusedError,
    Session,
    SessionEnded,
    TableChanged,
    connect,
    join,
)
from genial.engine.moves import TakenOver
from genial.engine.rules import Mode, Rules
from genial.services.host import Host
from genial.v1.game_pb2 import Clock
from genial.v1.table_pb2 import TableOptions, TableState
from genial.wire.values import rules_to_message
from tests.client.test_session import DEADLINE, Heard, play_to_the_end
from tests.services.host.hosts import hosting, local

ACCESS = Access(plaintext=True)


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    async with hosting(local(tmp_path / "host")) as (_host, ready):
        yield ready.address


async def seats(address: str, home: Path, rules: Rules, clock: Clock | None = None) -> list[Heard]:
    """Everybody seated at a new table, each with a line and a store of their own."""
    heard: list[Heard] = []
    table_id = ""
    for number in range(rules.players):
        store = DiskStore(home / f"state{number}", home / f"data{number}")
        link = await connect(address, store=store, access=ACCESS)
        if not table_id:
            options = TableOptions(rules=rules_to_message(rules), clock=clock)
            table_id = (await link.create_table(options)).table_id
        heard.append(Heard(await join(link, table_id, name=f"P{number}")))
    return heard


async def close(everybody: list[Heard]) -> None:
    for each in everybody:
        await each.session.close()
        await each.session.link.close()


async def all_play(everybody: list[Heard]) -> None:
    async with asyncio.TaskGroup() as group:
        for each in everybody:
            group.create_task(play_to_the_end(each.session))


async def test_match_of_two_games_is_verified_by_everybody(address: str, tmp_path: Path) -> None:
    everybody = await seats(address, tmp_path, Rules(players=2))
    for each in everybody:
        await each.session.set_ready()
    for each in everybody:
        await each.until_kind(GameChanged)
    await all_play(everybody)
    first = [await each.until_kind(DealVerdict) for each in everybody]
    begins = [each.session.game.view.first_seat for each in everybody if each.session.game]
    assert begins[0] == begins[1]
    known = [len(each.updates) for each in everybody]
    for each in everybody:
        await each.session.rematch()
    for each, after in zip(everybody, known, strict=True):
        await each.until_kind(GameChanged, after)
    assert everybody[0].session.game is not None
    assert everybody[0].session.game.view.first_seat == 1 - begins[0]
    await all_play(everybody)
    second = [
        await each.until_kind(DealVerdict, after)
        for each, after in zip(everybody, known, strict=True)
    ]
    for verdict in (*first, *second):
        assert verdict.verified, verdict.problems
        assert verdict.record_path is not None
    assert len({verdict.game_id for verdict in (*first, *second)}) == 2
    for each in everybody:
        steps = [update.step for update in each.of(DealProgress)]
        assert steps.count(DealStep.NONCES_CHECKED) == 2
        assert DealStep.DISTRUSTED not in steps
    await close(everybody)


@pytest.mark.parametrize(
    "rules",
    [Rules(players=3), Rules(players=4, mode=Mode.PARTNERS), Rules(players=1, mode=Mode.SOLO)],
    ids=str,
)
async def test_every_mode_is_played_and_verified(
    address: str, tmp_path: Path, rules: Rules
) -> None:
    everybody = await seats(address, tmp_path, rules)
    for each in everybody:
        await each.session.set_ready()
    for each in everybody:
        await each.until_kind(GameChanged)
    await all_play(everybody)
    for each in everybody:
        verdict = await each.until_kind(DealVerdict)
        assert verdict.verified, verdict.problems
    await close(everybody)


async def test_host_restarted_in_the_middle_is_found_again_by_both(tmp_path: Path) -> None:
    host = Host(local(tmp_path / "host"))
    ready = await host.start()
    everybody = await seats(ready.address, tmp_path, Rules(players=2))
    for each in everybody:
        await each.session.set_ready()
    for each in everybody:
        await each.until_kind(GameChanged)
    mover = next(e.session for e in everybody if e.session.game and e.session.game.view.is_my_turn)
    assert mover.game is not None
    best = mover.game.view.scored_placements()[0]
    await mover.place_tile(best.tile, best.cells)
    await host.close()
    known = [len(each.updates) for each in everybody]
    host = Host(local(tmp_path / "host", port=ready.port))
    await host.start()
    for each, after in zip(everybody, known, strict=True):
        await each.until(
            lambda u: isinstance(u, ConnectionChanged) and u.link is Link.CONNECTED, after
        )
    await all_play(everybody)
    for each in everybody:
        verdict = await each.until_kind(DealVerdict)
        assert verdict.verified, verdict.problems
        numbers = [event.n for update in each.of(GameChanged) for event in update.events]
        assert numbers == list(range(1, len(numbers) + 1))
    await close(everybody)
    await host.close()


async def test_who_leaves_in_a_game_may_come_back_from_the_bot(
    address: str, tmp_path: Path
) -> None:
    one, other = await seats(address, tmp_path, Rules(players=2))
    for each in (one, other):
        await each.session.set_ready()
    for each in (one, other):
        await each.until_kind(GameChanged)
    table_id, link = one.session.table_id, one.session.link
    await one.session.leave()
    assert (await one.until_kind(SessionEnded)).error is None
    await other.until(
        lambda u: (
            isinstance(u, GameChanged)
            and any(isinstance(event.event, TakenOver) for event in u.events)
        )
    )
    back = Heard(await join(link, table_id, name="P0"))
    await back.until_kind(GameChanged)
    assert back.session.seat == 0
    await all_play([back, other])
    for each in (back, other):
        verdict = await each.until_kind(DealVerdict)
        assert verdict.verified, verdict.problems
    await close([back, other])


async def test_who_leaves_an_open_table_is_forgotten(address: str, tmp_path: Path) -> None:
    one, other = await seats(address, tmp_path, Rules(players=2))
    assert len(one.session.link.seats_held()) == 1
    await one.session.leave()
    assert one.session.link.seats_held() == []
    await other.until(lambda u: isinstance(u, TableChanged) and u.table.seats[0].name == "")
    await close([one, other])


async def test_bot_seated_by_the_session_plays(address: str, tmp_path: Path) -> None:
    link = await connect(address, access=ACCESS)
    options = TableOptions(rules=rules_to_message(Rules(players=2)))
    table = await link.create_table(options)
    session: Session = await join(link, table.table_id, name="Ana")
    heard = Heard(session)
    assert "medium" in [level.level for level in await link.list_bot_levels()]
    assert await session.seat_bot("medium") == 1
    await session.set_ready()
    await heard.until(
        lambda u: isinstance(u, TableChanged) and u.table.state == TableState.TABLE_STATE_ACTIVE
    )
    await heard.until(lambda u: isinstance(u, GameChanged) and u.view.is_my_turn)
    await session.resign()
    verdict = await heard.until_kind(DealVerdict)
    assert verdict.verified, verdict.problems
    await session.close()
    await link.close()


async def play_on(session: Session) -> None:
    """Plays to the end at a table just taken out: the room hears of that a moment later."""
    while True:
        try:
            await play_to_the_end(session)
        except RefusedError as refused:
            if refused.reason != "GAME_FROZEN":
                raise
        else:
            return


async def test_a_table_is_put_away_and_goes_on_and_its_clocks_pause_by_agreement(
    address: str, tmp_path: Path
) -> None:
    clock = Clock()
    clock.base.FromSeconds(600)
    first, second = await seats(address, tmp_path, Rules(players=2), clock)
    opener, friend = first.session, second.session
    for session in (opener, friend):
        await session.set_ready()
    for each in (first, second):
        await each.until_kind(GameChanged)

    async def until(each: Heard, met: Callable[[Session], bool]) -> None:
        if not met(each.session):
            await each.until(lambda update: met(each.session), len(each.updates))

    await opener.pause_clocks()
    await until(second, lambda session: session.table.seats[0].agrees_to_pause)
    assert friend.game is not None
    assert not friend.game.message.clocks_paused, "one word is missing"
    await friend.pause_clocks()
    for each in (first, second):
        await until(each, lambda session: bool(session.game and session.game.message.clocks_paused))
    await friend.pause_clocks(False)
    await until(
        first, lambda session: bool(session.game and not session.game.message.clocks_paused)
    )

    with pytest.raises(RefusedError) as refusal:
        await friend.shelve()
    assert refusal.value.reason == "NOT_CREATOR"
    await opener.shelve()
    for each in (first, second):
        await until(each, lambda session: session.table.state == TableState.TABLE_STATE_SHELVED)
    # Whoever comes back to a table that is put away sits where they sat, and may go on.
    await friend.close()
    again = await join(friend.link, friend.table_id, name="P1")
    second = Heard(again)
    assert again.seat == 1
    await again.resume()
    for each in (first, second):
        await until(each, lambda session: session.table.state == TableState.TABLE_STATE_ACTIVE)
    await second.until_kind(GameChanged)
    async with asyncio.timeout(DEADLINE):
        await asyncio.gather(*(play_on(each.session) for each in (first, second)))
    await close([first, second])
