"""One running game. Its task alone touches the game: judge, log, follow, publish.

A command is durable before anybody hears of it, and it is judged against the state that
is durable. A command that fails changes nothing, and the room goes on.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from genial.engine.game import decide, replay
from genial.engine.moves import Command, DealRacks, Event, Placed
from genial.services.game.clock import Clocks
from genial.services.game.log import (
    TABLE,
    Asked,
    Batch,
    ClockState,
    DamagedLogError,
    GameLog,
    Holder,
    LogConflictError,
    StoredGame,
    StoredSetup,
)
from genial.services.game.publication import Publication, entries_of, tell
from genial.services.game.recovery import recover
from genial.services.game.results import ending_of
from genial.services.game.setup import Setup
from genial.services.game.snapshot import pack_if_due
from genial.services.game.watcher import Watcher
from genial.services.refusals import Refusals
from genial.v1 import game_pb2, room_service_pb2
from genial.wire.errors import GenialError, Reason, malformed, used_before
from genial.wire.metadata import is_overtaken, same_secret
from genial.wire.serving import error_of

_CLOCK_GRAIN_MS: Final = 100
"""A view whose clocks are no older than this is fresh enough to be shown."""


@dataclass(frozen=True, slots=True)
class Times:
    """The two clocks of a host, both in milliseconds.

    Attributes:
        utc: Since 1970; for people and records.
        steady: Never jumps; only differences mean something.
    """

    utc: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    steady: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Pause:
    """The table stops the clocks, or sets them going."""

    paused: bool


@dataclass(frozen=True, slots=True)
class Freeze:
    """The table is put away and the game with it, or both are taken out again."""

    frozen: bool


TableCommand = Command | Pause | Freeze
"""What a room is asked for: by its seats the engine's commands alone."""


@dataclass(slots=True)
class _Order:
    """A command on its way to the room's task.

    Attributes:
        seat: Who asks, `TABLE` for the table.
        token_hash: What must still hold that seat when its turn comes; None for the table.
        holder: Who holds a seat from then on, if the command seats somebody.
    """

    command: TableCommand
    seat: int
    request_id: str
    expected_revision: int | None
    token_hash: bytes | None
    holder: Holder | None
    future: asyncio.Future[bytes]


class Room:
    """A game and who watches it. Made by `create` or `reopen`.

    Attributes:
        publication: The latest state that is durable and may be shown.
        closing: The good-bye, once the host is going.
    """

    def __init__(
        self,
        store: GameLog,
        times: Times,
        publication: Publication,
        holders: Sequence[bytes],
        asked: Iterable[Asked],
        last_at_ms: int,
        frozen: bool = False,
    ) -> None:
        self.setup: Final = publication.setup
        self.publication = publication
        self.closing: game_pb2.HostClosing | None = None
        self.on_change: Callable[[Room], None] = lambda room: None
        self._log = store
        self._times = times
        self._holders = list(holders)
        self._seats = _seats_of(self._holders)
        self._asked = {(each.seat, each.request_id): each for each in asked}
        self._answers: dict[int, tuple[Asked, bytes]] = {}
        self._refusals = Refusals()
        self._last_at_ms = last_at_ms
        self._frozen = frozen
        self._orders: deque[_Order] = deque()
        self._task: asyncio.Task[None] | None = None
        # In the order in which they came: a set would wake them in that of their addresses.
        self._watchers: dict[Watcher, None] = {}
        self._flag: asyncio.TimerHandle | None = None
        self._arm_flag()

    # --- how a room comes to be ---

    @classmethod
    async def create(cls, store: GameLog, times: Times, setup: Setup) -> Room:
        """Deals a new game and writes it down.

        Raises:
            LogConflictError: There is a game of this id.
            StorageError: It could not be written; there is no such game then.
        """
        game = setup.new_game()
        events = decide(game, DealRacks())
        game = replay(game, events)
        clocks = None
        if setup.clock is not None:
            clocks = Clocks.new(setup.clock, setup.rules.players, game.turn, times.steady())
        clock = _clock_state(clocks)
        told = tell(events, 0, setup.started_at_ms, clock)
        stored = StoredSetup(
            setup.game_id,
            setup.table_id,
            setup.started_at_ms,
            setup.request.SerializeToString(),
        )
        await store.create(stored, Batch(entries_of(told, 0), clock=clock))
        publication = Publication(setup, game, told, 0, 0, clocks, None)
        return cls(store, times, publication, setup.token_hashes, (), setup.started_at_ms)

    @classmethod
    def reopen(cls, store: GameLog, times: Times, stored: StoredGame) -> Room:
        """A stored game at its last event.

        Raises:
            DamagedLogError: An event cannot be followed.
        """
        publication = recover(stored, times.steady())
        holders = list(publication.setup.token_hashes)
        for holder in stored.holders:
            holders[holder.seat] = holder.token_hash
        last_at_ms = stored.entries[-1].at_ms
        return cls(store, times, publication, holders, stored.asked, last_at_ms, stored.frozen)

    # --- who is who ---

    def seat_of(self, token_hash: bytes | None) -> int | None:
        """The seat that a token holds now, or None."""
        if token_hash is None:
            return None
        found = None
        # Every seat is compared, so that the time tells nothing.
        for seat, held in enumerate(self._holders):
            if same_secret(held, token_hash):
                found = seat
        return found

    def seat_watched_by(self, watcher: Watcher) -> int | None:
        """The seat that a watcher's token holds now, or None.

        Nothing is found out here by guessing: it is asked of tokens that were let in.
        """
        return None if watcher.token_hash is None else self._seats.get(watcher.token_hash)

    @property
    def spectators_forbidden(self) -> bool:
        """Whether only seats may look on; what is over may be seen by all."""
        return self.setup.request.spectators_forbidden and not self.publication.game.is_over

    # --- reading ---

    def current(self) -> Publication:
        """The publication with its clocks as of now."""
        clocks = self.publication.clocks
        if clocks is not None and clocks.since is not None:
            now = self._times.steady()
            if now - clocks.since > _CLOCK_GRAIN_MS:
                self.publication = self.publication.with_clocks(clocks.settle(now))
        return self.publication

    def report(self) -> room_service_pb2.RoomReport:
        """What the table hears of the room."""
        return self.publication.report(len(self._watchers))

    @property
    def watchers(self) -> int:
        """How many streams stand."""
        return len(self._watchers)

    @property
    def busy(self) -> bool:
        """Whether anybody watches or commands it."""
        return bool(self._watchers) or self._task is not None

    @contextmanager
    def watching(
        self, token_hash: bytes | None, after_revision: int, origin: str = ""
    ) -> Iterator[Watcher]:
        """A watcher of the room for as long as this is entered; supersedes its token's other."""
        watcher = Watcher(self, token_hash, after_revision, origin)
        if token_hash is not None:
            for other in self._watchers:
                if other.token_hash == token_hash:
                    overtaken = is_overtaken(origin, other.origin)
                    (watcher if overtaken else other).supersede()
        self._watchers[watcher] = None
        self.on_change(self)
        try:
            yield watcher
        finally:
            self._watchers.pop(watcher, None)
            self.on_change(self)

    # --- commanding ---

    async def command(
        self,
        command: TableCommand,
        request_id: str,
        *,
        seat: int = TABLE,
        expected_revision: int | None = None,
        token_hash: bytes | None = None,
        holder: Holder | None = None,
    ) -> bytes:
        """Has a command judged; the serialised answer, durable when it comes.

        A request id that was answered before gets that answer again, refusals included,
        and nothing is applied twice; for another command it is refused.

        Args:
            command: What is asked for.
            request_id: Names the request, for its seat.
            seat: Who asks; `TABLE` for the table, which needs no revision and no token.
            expected_revision: What the asker has seen.
            token_hash: What the asker holds the seat by.
            holder: Who holds a seat from then on, for a takeover.

        Raises:
            GenialError: The engine's refusal, STALE_REVISION, BAD_SEAT_TOKEN, NO_CLOCK,
                GAME_FROZEN, MALFORMED, or the storage's.
        """
        if self.closing is not None:
            raise GenialError(Reason.HOST_CLOSING)
        future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._orders.append(
            _Order(command, seat, request_id, expected_revision, token_hash, holder, future)
        )
        if self._task is None:
            self._task = asyncio.create_task(self._work(), name=f"room {self.setup.game_id}")
        return await future

    async def close(self, closing: game_pb2.HostClosing) -> None:
        """Says good-bye to the watchers once what was accepted is done."""
        self.closing = closing
        if self._task is not None:
            await asyncio.wait([self._task])
        if self._flag is not None:
            self._flag.cancel()
        for watcher in self._watchers:
            watcher.wake()

    def clock_state(self) -> ClockState | None:
        """The clocks as they stand, if any is going."""
        clocks = self.publication.clocks
        if clocks is None or clocks.since is None:
            return None
        return _clock_state(clocks.settle(self._times.steady()))

    # --- the room's task ---

    async def _work(self) -> None:
        """Judges what is waiting, one after the other; there is never more than one of these."""
        while self._orders:
            order = self._orders.popleft()
            if order.future.cancelled():
                # Nobody waits for it, and nothing of it has happened.
                continue
            try:
                answer = await self._judge_surely(order)
            except Exception as fault:
                if not order.future.cancelled():
                    order.future.set_exception(self._refuse(order, fault))
            else:
                if not order.future.done():
                    order.future.set_result(answer)
        self._task = None

    def _refuse(self, order: _Order, fault: Exception) -> GenialError:
        error = error_of(fault, f"room {self.setup.game_id}")
        if order.token_hash is not None:
            self._refusals.keep((order.seat, order.request_id), error)
        return error

    async def _judge_surely(self, order: _Order) -> bytes:
        try:
            return await self._judge(order)
        except LogConflictError:
            # A write that was said to have failed is on the disk all the same. What the
            # disk says counts: the order may even be answered there.
            await self._catch_up()
            return await self._judge(order)

    async def _catch_up(self) -> None:
        """Follows the log to its end."""
        stored = await self._log.load(self.setup.game_id)
        if stored is None:
            raise DamagedLogError(f"the log of {self.setup.game_id} is gone")
        fresh = Room.reopen(self._log, self._times, stored)
        self._holders, self._seats, self._asked = fresh._holders, fresh._seats, fresh._asked
        self._last_at_ms, self._frozen = fresh._last_at_ms, fresh._frozen
        self._show(fresh.publication.with_version(self.publication.version + 1))

    async def _judge(self, order: _Order) -> bytes:
        if order.token_hash is not None and not same_secret(
            self._holders[order.seat], order.token_hash
        ):
            raise GenialError(Reason.BAD_SEAT_TOKEN)
        key = order.seat, order.request_id
        if key in self._asked:
            asked = self._asked[key]
            if order.seat != TABLE and not self.publication.was_asked(asked, order.command):
                raise used_before()
            return self._answer_again(asked)
        self._refusals.check(key)
        if self._frozen and order.seat != TABLE:
            raise GenialError(Reason.GAME_FROZEN)
        game = self.publication.game
        if order.expected_revision not in (None, game.revision):
            raise GenialError(Reason.STALE_REVISION, revision=game.revision)
        held = None if order.holder is None else self.seat_of(order.holder.token_hash)
        if order.holder is not None and held not in (None, order.holder.seat):
            raise malformed("take_over.seat.token_hash", f"holds seat {held} already")
        if isinstance(order.command, Pause):
            return await self._pause(order, order.command)
        if isinstance(order.command, Freeze):
            return await self._freeze(order, order.command)
        return await self._apply(order, decide(game, order.command))

    async def _apply(self, order: _Order, events: Sequence[Event]) -> bytes:
        """Writes events down, follows them, and publishes."""
        before = self.publication
        now, at_ms = self._times.steady(), max(self._times.utc(), self._last_at_ms)
        game = replay(before.game, events)
        clocks = before.clocks
        if clocks is not None:
            clocks = clocks.turn_to(None if game.is_over else game.turn, now)
        clock = _clock_state(clocks)
        told = tell(events, before.revision, at_ms, clock)
        after = before.followed_by(
            game,
            told,
            sum(isinstance(event, Placed) for event in events),
            clocks,
            at_ms if game.is_over else None,
        )
        batch = Batch(
            entries_of(told, before.revision),
            Asked(order.seat, order.request_id, before.revision, after.revision),
            order.holder,
            clock,
            None if game.ended is None else ending_of(self.setup, game.ended, at_ms),
            packed=pack_if_due(game, after.placements, before.revision),
        )
        answer = await self._publish(order, batch, after)
        self._last_at_ms = at_ms
        return answer

    async def _pause(self, order: _Order, pause: Pause) -> bytes:
        before = self.publication
        if before.clocks is None or before.game.is_over:
            raise GenialError(Reason.NO_CLOCK)
        clocks = before.clocks.pause(pause.paused, self._times.steady())
        asked = Asked(order.seat, order.request_id, before.revision, before.revision)
        after = before.with_clocks(clocks).with_version(before.version + 1)
        return await self._publish(order, Batch(asked=asked, clock=_clock_state(clocks)), after)

    async def _freeze(self, order: _Order, freeze: Freeze) -> bytes:
        """Nothing of it can be seen in the game, so it is published as it was."""
        revision = self.publication.revision
        asked = Asked(order.seat, order.request_id, revision, revision)
        answer = await self._publish(
            order, Batch(asked=asked, frozen=freeze.frozen), self.publication
        )
        self._frozen = freeze.frozen
        return answer

    async def _publish(self, order: _Order, batch: Batch, after: Publication) -> bytes:
        """Makes a batch durable, and only then lets anybody hear of it; the answer."""
        asked = batch.asked
        assert asked is not None
        answers: list[bytes] = []

        def prepare() -> None:
            # While the disk is at work: what will be asked for the moment it is done.
            after.answer_to(asked)
            after.prepare(map(self.seat_watched_by, self._watchers), asked.since)

        def publish() -> None:
            if answers:
                return
            self._asked[asked.seat, asked.request_id] = asked
            if batch.holder is not None:
                self._holders[batch.holder.seat] = batch.holder.token_hash
                self._seats = _seats_of(self._holders)
            answers.append(after.answer_to(asked))
            self._answers[asked.seat] = asked, answers[0]
            if not order.future.done():
                # Whoever moved hears first.
                order.future.set_result(answers[0])
            shown = self.publication
            if after is not shown and after.version <= shown.version:
                # A clock ran out meanwhile: who has been told that must still be told this.
                self._show(after.with_version(shown.version + 1))
            else:
                self._show(after)

        await self._log.append(self.setup.game_id, asked.since, batch, prepare, publish)
        publish()
        return answers[0]

    def _show(self, publication: Publication) -> None:
        self.publication = publication
        self._arm_flag()
        for watcher in self._watchers:
            watcher.wake()
        self.on_change(self)

    def _answer_again(self, asked: Asked) -> bytes:
        """What a request was answered when it was new."""
        latest = self._answers.get(asked.seat)
        if latest is not None and latest[0] == asked:
            return latest[1]
        return self.publication.at(asked.revision).answer_to(asked)

    # --- clocks ---

    def _arm_flag(self) -> None:
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        clocks = self.publication.clocks
        due = None if clocks is None else clocks.due()
        if due is not None:
            delay_s = max(0, due - self._times.steady()) / 1000
            self._flag = asyncio.get_running_loop().call_later(delay_s, self._fall)

    def _fall(self) -> None:
        """A clock should have run out: say so, or wait for the rest."""
        before = self.publication
        if before.clocks is None:
            return
        clocks = before.clocks.settle(self._times.steady())
        if clocks.flagged is None:
            self.publication = before.with_clocks(clocks)
            self._arm_flag()
        else:
            self._show(before.with_clocks(clocks).with_version(before.version + 1))


def _seats_of(holders: Sequence[bytes]) -> dict[bytes, int]:
    """The seat of each token, by its hash."""
    return {token_hash: seat for seat, token_hash in enumerate(holders)}


def _clock_state(clocks: Clocks | None) -> ClockState | None:
    return None if clocks is None else ClockState(clocks.left, clocks.paused)
