"""Players and spectators of the simulation: real sessions, and somebody who decides.

A person looks at what their session shows and does the next thing, one at a time; what fails is
tried again later, as people do. Everything is drawn from a source of chance of their own.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from genial.client.channel import call
from genial.client.errors import (
    GenialError,
    HostUnreachableError,
)
from genial.client.link import HostLink
from genial.client.reach import Reached
from genial.client.session import Session, join, watch
from genial.client.store import MemoryStore
from genial.client.updates import (
    DealVerdict,
    GameChanged,
    RefusedUpdate,
    SeatLost,
    SessionEnded,
)
from genial.engine.board import axial_of
from genial.engine.moves import Phase
from genial.engine.view import PlayerView
from genial.services.bots.supervisor import SeatJob
from genial.v1 import lobby_service_pb2, table_pb2
from genial.v1.lobby_service_pb2_grpc import LobbyServiceStub
from tests.simulation.clock import Machine
from tests.simulation.network import Journal, Line

_LOOK_AGAIN: Final = 5.0
"""Seconds after which somebody who has nothing to do looks again."""

_PATIENCE: Final = 900.0
"""Seconds after which somebody who still waits for a game goes home."""


class Ending(StrEnum):
    """How a game is brought to an end once it has gone on for long enough."""

    RESIGN = "resign"
    AGREE = "agree"
    PLAY_ON = "play on"


@dataclass(frozen=True, slots=True)
class Habits:
    """How a person plays.

    Attributes:
        until: The revision from which on they want the game to end.
        ending: How.
        pause: Seconds between two of their actions, on average.
        chatty: Share of looks at which they say something.
        hasty: Share of placements that are sent twice.
    """

    until: int
    ending: Ending
    pause: float = 0.3
    chatty: float = 0.02
    hasty: float = 0.02


class Store(MemoryStore):
    """What is on a client's disk: it survives the client."""

    def crashed(self) -> None:
        """The locks of a process end with it."""
        for seats in self._seats.values():
            for seat in seats:
                seat.in_use = False


class Person:
    """Somebody with a laptop at a table.

    Attributes:
        game: What was shown last.
        verdicts: What their client found of the deals.
        ended: How the last session ended: "", or the reason of the error; None before.
        left: Whether they have decided to go home.
        said: Every text that they have tried to say.
        refused: Reasons for which their client was refused something that it did by itself.
    """

    def __init__(
        self,
        name: str,
        line: Line,
        source: random.Random,
        habits: Habits,
        durable: Callable[[str], int],
    ) -> None:
        self.name = name
        self.line = line
        self.source = source
        self.habits = habits
        self.machine: Machine | None = None
        self.session: Session | None = None
        self.shown: dict[str, GameChanged] = {}
        self.verdicts: list[DealVerdict] = []
        self.ended: str | None = None
        self.left = False
        self.said: list[str] = []
        self.refused: list[str] = []
        self._journal: Journal = line.network.journal
        self._durable = durable
        self._store = Store()
        self._changed = asyncio.Event()
        self._goes_home_at = 0.0

    # --- coming and going ---

    async def link(self) -> HostLink:
        """A line to the host, whenever it answers."""
        channel = self.line.channel()
        while True:
            try:
                answer = await call(
                    LobbyServiceStub(channel).GetHost, lobby_service_pb2.GetHostRequest()
                )
            except HostUnreachableError:
                continue
            target = "ipv4:10.0.0.100:7718"
            reached = Reached(channel, target, answer.host, None, None)
            return HostLink(reached, self._store)

    def come(self, table_id: str) -> None:
        """Starts the client; a seat that is held is gone back to."""
        self.ended = None
        self._goes_home_at = asyncio.get_running_loop().time() + _PATIENCE
        self.machine = Machine(self.name)
        self._client = self.machine.spawn(self._sit_and_play(table_id), "client")

    def crash(self) -> None:
        """The client dies; what is on its disk stays."""
        assert self.machine is not None
        self._journal.note(f"{self.name} crashes")
        self.machine.die()
        self._store.crashed()
        self.session = None
        self.line.broken(gently=True)

    async def gone(self) -> None:
        """Nothing of the client runs any more."""
        if self.machine is not None:
            await self.machine.buried()

    @property
    def is_there(self) -> bool:
        """Whether the client runs."""
        return self.machine is not None and self.machine.alive

    def is_done(self, *, closed: bool) -> bool:
        """Whether nothing more will come of them, at a table that is closed or left by all."""
        if self.ended is not None or not self.is_there:
            return True
        return not closed and self.session is not None and self.session.seat is None

    async def _sit_and_play(self, table_id: str) -> None:
        link = await self.link()
        while True:
            try:
                session = await self._begin(link, table_id)
                break
            except HostUnreachableError:
                continue
            except GenialError as error:
                if error.reason not in ("STORAGE_FULL", "STORAGE_FAILED"):
                    self.ended = error.reason
                    return
                await asyncio.sleep(1)
        self.session = session
        acting = asyncio.get_running_loop().create_task(self._act(session))
        try:
            await self._read(session)
        finally:
            acting.cancel()

    async def _begin(self, link: HostLink, table_id: str) -> Session:
        return await join(link, table_id, name=self.name)

    # --- looking ---

    async def _read(self, session: Session) -> None:
        async for update in session.updates():
            self._changed.set()
            match update:
                case GameChanged():
                    self._look_at(update)
                case DealVerdict():
                    self.verdicts.append(update)
                case RefusedUpdate(error=error):
                    self.refused.append(error.reason)
                case SeatLost(sentence=sentence):
                    self._journal.note(f"{self.name} lost the seat: {sentence}")
                case SessionEnded(error=error):
                    self.ended = "" if error is None else error.reason
                    self._journal.note(f"{self.name}'s session ended {self.ended}")
                case _:
                    pass

    def _look_at(self, update: GameChanged) -> None:
        durable = self._durable(update.game_id)
        if update.revision > durable:
            self._journal.broken.append(
                f"{self.name} was shown revision {update.revision}; on disk was {durable}"
            )
        before = self.shown.get(update.game_id)
        if before is not None and update.revision < before.revision:
            self._journal.broken.append(
                f"{self.name} was taken back from {before.revision} to {update.revision}"
            )
        self.shown[update.game_id] = update

    # --- acting ---

    async def _act(self, session: Session) -> None:
        while True:
            self._changed.clear()
            action = self.next_action(session)
            if action is None:
                try:
                    async with asyncio.timeout(_LOOK_AGAIN):
                        await self._changed.wait()
                except TimeoutError:
                    pass
                continue
            await asyncio.sleep(self.source.expovariate(1 / self.habits.pause))
            try:
                await action()
            except GenialError as error:
                self._journal.note(f"{self.name}: {error.reason}")
                # Whatever it was: look again in a while.
                await asyncio.sleep(self.source.uniform(0.1, 1.5))

    def next_action(self, session: Session) -> Callable[[], Awaitable[object]] | None:
        """What this person does next; None: nothing for now."""
        table, seat = session.table, session.seat
        if seat is None or seat >= len(table.seats):
            return None
        mine = table.seats[seat]
        if table.state == table_pb2.TABLE_STATE_OPEN:
            if asyncio.get_running_loop().time() > self._goes_home_at:
                self.left = True
                return session.leave
            wants_more = not table.game_id or table.game_number > 1
            return session.set_ready if wants_more and not mine.ready else None
        game = session.game
        if table.state != table_pb2.TABLE_STATE_ACTIVE or game is None:
            return None
        view = game.view
        if game.game_id != table.game_id or view.is_over or view.seats[seat].resigned:
            return None
        if self.source.random() < self.habits.chatty:
            text = f"{self.name} says {self.source.randrange(10**9)}"
            self.said.append(text)
            return lambda: session.say(text)
        if game.revision >= self.habits.until:
            if self.habits.ending is Ending.RESIGN:
                return session.resign
            if self.habits.ending is Ending.AGREE and not mine.agrees_to_end:
                return session.propose_end
        return self._move(session, view) if view.is_my_turn else None

    def _move(self, session: Session, view: PlayerView) -> Callable[[], Awaitable[object]]:
        if view.phase is Phase.CLOSE:
            exchange = view.may_exchange and self.source.random() < 0.5
            return session.exchange if exchange else session.refill
        tile = self.source.choice(view.rack)
        one, other = self.source.choice(view.legal_pairs())
        cells = axial_of(one), axial_of(other)
        if self.source.random() < self.habits.hasty:
            return lambda: self._place_twice(session.place_tile(tile, cells))(
                session.place_tile(tile, cells)
            )
        return lambda: session.place_tile(tile, cells)

    def _place_twice(
        self, first: Awaitable[object]
    ) -> Callable[[Awaitable[object]], Awaitable[object]]:
        async def both(second: Awaitable[object]) -> object:
            outcomes = await asyncio.gather(first, second, return_exceptions=True)
            placed = [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]
            if len(placed) > 1:
                self._journal.broken.append(f"{self.name} placed one tile twice")
            for outcome in outcomes:
                if isinstance(outcome, BaseException) and not isinstance(outcome, GenialError):
                    raise outcome
            return placed

        return both


class Spectator(Person):
    """Somebody who only looks on."""

    async def _begin(self, link: HostLink, table_id: str) -> Session:
        return await watch(link, table_id)

    def next_action(self, session: Session) -> Callable[[], Awaitable[object]] | None:
        return None


class Bot(Person):
    """A seat of the host's own bots, as a process of theirs plays it."""

    def __init__(
        self, job: SeatJob, line: Line, source: random.Random, durable: Callable[[str], int]
    ) -> None:
        habits = Habits(10**9, Ending.PLAY_ON, pause=0.05, chatty=0, hasty=0)
        super().__init__(job.name, line, source, habits, durable)
        self._job = job

    async def play(self) -> None:
        """Until the table is finished or the seat is lost."""
        await self._sit_and_play(self._job.table_id)

    async def _begin(self, link: HostLink, table_id: str) -> Session:
        job = self._job
        return await join(
            link,
            table_id,
            name=job.name,
            seat=job.seat,
            token=job.token,
            bot_level=job.level,
            keep_records=False,
        )

    def next_action(self, session: Session) -> Callable[[], Awaitable[object]] | None:
        game = session.game
        if session.seat is None or game is None or not game.view.is_my_turn:
            return None
        if game.view.is_over or game.game_id != session.table.game_id:
            return None
        return self._move(session, game.view)
