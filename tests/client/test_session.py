"""The session against a small host that can fail and lie."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from genial.client.session import (
    ChatArrived,
    ConnectionChanged,
    DealProgress,
    DealStep,
    DealVerdict,
    DiskStore,
    GameChanged,
    HostClosing,
    HostUnreachableError,
    IncompatibleHostError,
    Link,
    Loss,
    MemoryStore,
    NotFoundError,
    RefusedError,
    SeatLost,
    Session,
    SessionClosedError,
    SessionEnded,
    StaleRevisionError,
    Store,
    TableChanged,
    Update,
    connect,
    join,
    watch,
)
from genial.engine.moves import Placed, PlaceTile
from genial.engine.record import Verdict, judge
from genial.v1.game_pb2 import HostClosing as Closing
from genial.v1.table_pb2 import TableState
from tests.client.fakehost import PLAIN, FakeHost
from tests.client.fakehost_services import TABLE_ID

DEADLINE = 20.0
T = TypeVar("T")


class Heard:
    """Collects a session's updates, and waits for one that is looked for."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.updates: list[Update] = []
        self._more = asyncio.Event()
        self._task = asyncio.create_task(self._collect())

    async def _collect(self) -> None:
        async for update in self.session.updates():
            self.updates.append(update)
            self._more.set()

    def of(self, kind: type[T]) -> list[T]:
        return [update for update in self.updates if isinstance(update, kind)]

    async def until(self, met: Callable[[Update], bool], after: int = 0) -> Update:
        """The first update (from that index on) that meets a condition."""
        async with asyncio.timeout(DEADLINE):
            while True:
                self._more.clear()
                for update in self.updates[after:]:
                    if met(update):
                        return update
                await self._more.wait()

    async def until_kind(self, kind: type[T], after: int = 0) -> T:
        update = await self.until(lambda update: isinstance(update, kind), after)
        assert isinstance(update, kind)
        return update


async def seated(host: FakeHost, store: Store | None = None) -> tuple[Session, Heard]:
    link = await connect(host.address, store=store, access=PLAIN)
    session = await join(link, TABLE_ID, name="Ana")
    return session, Heard(session)


async def dealt(host: FakeHost, store: Store | None = None) -> tuple[Session, Heard]:
    session, heard = await seated(host, store)
    await session.set_ready()
    await heard.until_kind(GameChanged)
    return session, heard


async def play_to_the_end(session: Session) -> None:
    async with asyncio.timeout(DEADLINE):
        while True:
            game = session.game
            assert game is not None
            if game.view.is_over:
                return
            try:
                if game.view.must_place:
                    best = game.view.scored_placements()[0]
                    await session.place_tile(best.tile, best.cells)
                elif game.view.is_my_turn:
                    await session.refill()
                else:
                    await asyncio.sleep(0)
            except StaleRevisionError:
                await asyncio.sleep(0)


async def test_whole_game_ends_with_a_verified_deal_a_record_and_a_receipt(
    host: FakeHost, tmp_path: Path
) -> None:
    store = DiskStore(tmp_path / "state", tmp_path / "data")
    session, heard = await dealt(host, store)
    await play_to_the_end(session)
    verdict = await heard.until_kind(DealVerdict)
    assert verdict == DealVerdict("game-1", True, (), verdict.record_path, verdict.receipt_path)
    assert verdict.record_path is not None
    assert judge(verdict.record_path.read_bytes()).verdict is Verdict.VERIFIED
    assert verdict.receipt_path is not None
    receipt = json.loads(verdict.receipt_path.read_text())
    assert receipt["verified"] is True
    assert receipt["seat"] == 0
    assert receipt["own_nonce"] == host.nonces[0].hex()
    assert receipt["events_seen"] == len(host.events)
    # Every event was told exactly once, in order.
    numbers = [event.n for update in heard.of(GameChanged) for event in update.events]
    assert numbers == list(range(1, len(host.events) + 1))
    steps = [update.step for update in heard.of(DealProgress)]
    assert steps == [
        DealStep.COMMITTED,
        DealStep.HASH_SENT,
        DealStep.HASHES_SHOWN,
        DealStep.NONCE_SENT,
        DealStep.NONCES_CHECKED,
    ]
    await session.close()
    await session.link.close()


async def test_token_is_kept_for_the_user_alone_and_gives_the_seat_back(
    host: FakeHost, tmp_path: Path
) -> None:
    store = DiskStore(tmp_path / "state", tmp_path / "data")
    session, _heard = await dealt(host, store)
    (kept,) = (tmp_path / "state" / "seats").rglob("*.json")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert json.loads(kept.read_text())["token"] == host.token
    assert [(seat.table_id, seat.name, seat.in_use) for seat in session.link.seats_held()] == [
        (TABLE_ID, "Ana", True)
    ]
    await session.close()
    await session.link.close()
    # A client started anew, as after a crash.
    again, heard = await seated(host, DiskStore(tmp_path / "state", tmp_path / "data"))
    assert again.seat == 0
    await heard.until_kind(GameChanged)
    await play_to_the_end(again)
    verdict = await heard.until_kind(DealVerdict)
    assert verdict.verified, verdict.problems
    await again.close()
    await again.link.close()


async def test_second_client_of_one_person_gets_a_token_of_its_own(
    host: FakeHost, tmp_path: Path
) -> None:
    store = DiskStore(tmp_path / "state", tmp_path / "data")
    session, _heard = await seated(host, store)
    with pytest.raises(RefusedError) as refused:
        await join(session.link, TABLE_ID, name="Ana")
    assert refused.value.reason == "TABLE_FULL"
    await session.close()
    await session.link.close()


async def test_lost_answer_is_asked_for_again_and_applied_once(host: FakeHost) -> None:
    session, _heard = await dealt(host)
    assert session.game is not None
    best = session.game.view.scored_placements()[0]
    host.faults.lose_answers = 2
    changed = await session.place_tile(best.tile, best.cells)
    assert changed.revision >= 3
    assert len(host.command_ids) == 3
    assert len(set(host.command_ids)) == 1
    assert sum(isinstance(event, Placed) for event in host.events) == 1
    await session.close()
    await session.link.close()


async def test_cut_line_is_told_and_resumed_with_exactly_what_was_missed(host: FakeHost) -> None:
    session, heard = await dealt(host)
    await host.stop()
    lost = await heard.until_kind(ConnectionChanged)
    assert lost.link is Link.RECONNECTING
    assert lost.sentence
    # Meanwhile somebody else went on.
    assert host.game is not None
    tile, cells = host.game.legal_placements(0)[0]
    from genial.engine.moves import PlaceTile, RefillRack

    host.take(PlaceTile(0, tile, cells))
    host.take(RefillRack(0))
    known = len(heard.updates)
    await host.start()
    back = await heard.until(lambda u: isinstance(u, ConnectionChanged), known)
    assert isinstance(back, ConnectionChanged)
    assert back.link is Link.CONNECTED
    changed = await heard.until_kind(GameChanged, known)
    assert [event.n for event in changed.events] == [3, 4]
    assert not changed.gap
    assert changed.view.turn == 1
    await session.close()
    await session.link.close()


async def test_gap_is_a_flag_and_the_view_is_whole(host: FakeHost) -> None:
    session, heard = await seated(host)
    host.faults.gap = True
    await session.set_ready()
    changed = await heard.until_kind(GameChanged)
    assert changed.gap
    assert len(changed.view.rack) == 6
    await session.close()
    await session.link.close()


async def test_dropped_stream_loses_no_event(host: FakeHost) -> None:
    session, heard = await dealt(host)
    host.faults.drop_streams = 3
    await play_to_the_end(session)
    await heard.until_kind(DealVerdict)
    numbers = [event.n for update in heard.of(GameChanged) for event in update.events]
    assert numbers == list(range(1, len(host.events) + 1))
    await session.close()
    await session.link.close()


async def test_stale_command_and_refusal_reach_the_caller(host: FakeHost) -> None:
    session, _heard = await dealt(host)
    with pytest.raises(RefusedError) as refused:
        await session.refill()
    assert refused.value.reason == "NOT_PLACED_YET"
    assert "Place a tile first" in refused.value.sentence
    assert session.game is not None
    best = session.game.view.scored_placements()[0]
    host.take(PlaceTile(0, best.tile, best.cells))
    with pytest.raises(StaleRevisionError):
        # The session cannot have heard of it: nothing was awaited in between.
        await session.place_tile(best.tile, best.cells)
    await session.close()
    await session.link.close()


async def test_resigning_is_not_overtaken_by_a_move(host: FakeHost) -> None:
    session, heard = await dealt(host)
    assert session.game is not None
    best = session.game.view.scored_placements()[0]
    host.take(PlaceTile(0, best.tile, best.cells))
    # The session cannot have heard of it: nothing was awaited in between.
    after = await session.resign()
    assert after.view.is_over
    assert after.view.seats[0].resigned
    assert len(host.command_ids) == len(set(host.command_ids)) == 2
    with pytest.raises(RefusedError) as refused:
        await session.resign()
    assert refused.value.reason == "GAME_OVER"
    await heard.until_kind(DealVerdict)
    await session.close()
    await session.link.close()


async def test_chat_comes_once_over_a_reconnect(host: FakeHost) -> None:
    session, heard = await seated(host)
    await session.say("Good luck!")
    await heard.until_kind(ChatArrived)
    await host.stop()
    await heard.until_kind(ConnectionChanged)
    await host.start()
    known = len(heard.updates)
    await session.say("There again")
    await heard.until(lambda u: isinstance(u, ChatArrived) and u.messages[-1].text == "There again")
    texts = [message.text for update in heard.of(ChatArrived) for message in update.messages]
    assert texts == ["Good luck!", "There again"]
    assert known
    await session.close()
    await session.link.close()


async def test_host_that_closes_for_good_ends_the_session(host: FakeHost) -> None:
    session, heard = await seated(host)
    await heard.until_kind(TableChanged)
    host.closing = Closing(returning=False, message="Good night.")
    host.change()
    closing = await heard.until_kind(HostClosing)
    assert closing == HostClosing(False, "Good night.")
    ended = await heard.until_kind(SessionEnded)
    assert isinstance(ended.error, HostUnreachableError)
    with pytest.raises(SessionClosedError):
        await session.say("anybody?")
    await session.link.close()


async def test_seats_of_a_table_put_away_outlive_a_host_that_closes_for_good(
    host: FakeHost,
) -> None:
    store = MemoryStore()
    session, heard = await seated(host, store)
    host.state = TableState.TABLE_STATE_SHELVED
    host.change()
    await heard.until(lambda u: isinstance(u, TableChanged) and u.table.state == host.state)
    host.closing = Closing(returning=False)
    host.change()
    ended = await heard.until_kind(SessionEnded)
    assert ended.error is not None
    assert "your seat is kept" in ended.error.sentence
    assert [seat.table_id for seat in store.held_seats(host.host_id)] == [TABLE_ID]
    await session.link.close()


async def test_host_that_means_to_return_is_waited_for(host: FakeHost) -> None:
    session, heard = await seated(host)
    host.closing = Closing(returning=True)
    host.change()
    await heard.until_kind(HostClosing)
    await host.stop()
    await heard.until_kind(ConnectionChanged)
    host.closing = None
    await host.start()
    await heard.until(lambda u: isinstance(u, ConnectionChanged) and u.link is Link.CONNECTED)
    assert len(heard.of(HostClosing)) == 1
    await session.close()
    await session.link.close()


async def test_newer_window_takes_over(host: FakeHost) -> None:
    session, heard = await seated(host)
    host.superseded = True
    host.change()
    lost = await heard.until_kind(SeatLost)
    assert lost.loss is Loss.SUPERSEDED
    await heard.until_kind(SessionEnded)
    await session.link.close()


async def test_kicked_player_watches_on_without_a_seat(host: FakeHost) -> None:
    session, heard = await dealt(host)
    host.token = "somebody else's"
    host.change()
    lost = await heard.until_kind(SeatLost)
    assert lost.loss is Loss.KICKED
    assert session.seat is None
    await heard.until(lambda u: isinstance(u, GameChanged) and u.view.viewer is None)
    assert session.game is not None
    assert session.game.view.rack == ()
    await session.close()
    await session.link.close()


async def test_leaving_gives_the_seat_up_and_forgets_the_token(
    host: FakeHost, tmp_path: Path
) -> None:
    store = DiskStore(tmp_path / "state", tmp_path / "data")
    session, _heard = await seated(host, store)
    await session.leave()
    assert host.token == ""
    assert session.link.seats_held() == []
    await session.link.close()


async def test_spectator_sees_the_table_and_no_rack(host: FakeHost) -> None:
    session, _heard = await dealt(host)
    spectator = await watch(session.link, TABLE_ID)
    heard = Heard(spectator)
    changed = await heard.until_kind(GameChanged)
    assert changed.view.viewer is None
    assert changed.view.rack == ()
    with pytest.raises(RefusedError):
        await spectator.refill()
    for each in (spectator, session):
        await each.close()
    await session.link.close()


async def test_a_seat_that_the_table_does_not_have_ends_the_session(host: FakeHost) -> None:
    session, heard = await seated(host)
    await heard.until_kind(TableChanged)
    host.lies.seat_nobody_has = True
    host.change()
    ended = await heard.until_kind(SessionEnded)
    assert ended.error is not None
    assert "does not have" in ended.error.sentence
    await session.close()
    await session.link.close()


async def test_unknown_table_other_protocol_and_pages(host: FakeHost) -> None:
    async with await connect(host.address, access=PLAIN) as link:
        assert [table.table_id for table in await link.list_tables()] == [TABLE_ID, "table-2"]
        with pytest.raises(NotFoundError):
            await join(link, "nowhere", name="Ana")
        with pytest.raises(NotFoundError):
            await watch(link, "nowhere")
    host.protocol = "v9"
    with pytest.raises(IncompatibleHostError, match="v9"):
        await connect(host.address, access=PLAIN)


async def test_nobody_listens(unused_tcp_port: int) -> None:
    with pytest.raises(HostUnreachableError, match="No host listens"):
        await connect(f"127.0.0.1:{unused_tcp_port}", access=PLAIN)


async def test_something_else_listens() -> None:
    async def web_server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(web_server, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(IncompatibleHostError, match="no Genial host"):
        await connect(f"127.0.0.1:{port}", access=PLAIN)
    server.close()
    await server.wait_closed()


async def test_proxy_in_the_environment_is_not_asked(
    host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    async with await connect(host.address, access=PLAIN) as link:
        assert link.host.host_id == "fake-host"


async def test_memory_store_gives_each_session_its_seat_back() -> None:
    store = MemoryStore()
    first = store.claim_seat("host", "table", "Ana")
    second = store.claim_seat("host", "table", "Ana")
    assert first.token != second.token
    first.release(forget=False)
    assert store.claim_seat("host", "table", "Ana").token == first.token
    forgotten = second.token
    second.release(forget=True)
    assert store.claim_seat("host", "table", "Ana").token not in (first.token, forgotten)
