"""One seat, played to the end of its table."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from genial.bot.thinker import Thinker, ThinkingError
from genial.bot.thought import Request
from genial.client.session import (
    GameChanged,
    GenialError,
    HostUnreachableError,
    RefusedError,
    SeatLost,
    Session,
    SessionEnded,
    StaleRevisionError,
)
from genial.engine.game import Command, ExchangeRack, Phase, PlaceTile
from genial.engine.rules import SeatKind
from genial.engine.view import PlayerView
from genial.strategy.memory import Memory
from genial.wire.errors import Reason

_RETRY_SECONDS: Final = 1.0
"""Between two tries of a command that the host did not take."""

_CLOSING_PART: Final = 0.3
"""Ending a turn needs no more than this part of a pause before it: there is little to see."""

_log = logging.getLogger(__name__)


class Outcome(StrEnum):
    """How a seat came to be played no more; the words of the bots service's protocol."""

    FINISHED = "finished"
    LOST = "lost"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Done:
    """How a seat's play ended, with a sentence where something went wrong."""

    outcome: Outcome
    message: str = ""


@dataclass(frozen=True, slots=True)
class Style:
    """How a seat is played.

    Attributes:
        level: Name of the level.
        think: Seconds to think about a move, None for the level's own time.
        pause: Seconds that a move takes at least while people sit at the table, so that they
            can follow; among bots there is no waiting.
    """

    level: str
    think: float | None = None
    pause: float = 0.7


class Player:
    """Plays one seat through a session."""

    def __init__(
        self,
        session: Session,
        style: Style,
        thinker: Thinker,
        *,
        new_seed: Callable[[], int] = lambda: secrets.randbits(63),
    ) -> None:
        """A player on the seat that `session` holds; call `play`."""
        self._session = session
        self._style = style
        self._thinker = thinker
        self._new_seed = new_seed
        self._memory = Memory()
        self._game_id = ""
        self._turn: asyncio.Task[None] | None = None
        self._stopped: set[asyncio.Task[None]] = set()
        self._failure: asyncio.Future[Done] | None = None

    async def play(self) -> Done:
        """Play until the table is finished or the seat is lost.

        Raises:
            ThinkingError: No decision could be made.
        """
        # A move that fails has to be heard of, though nothing changes at the table then.
        self._failure = asyncio.get_running_loop().create_future()
        reading = asyncio.create_task(self._read())
        try:
            await asyncio.wait({reading, self._failure}, return_when=asyncio.FIRST_COMPLETED)
            return reading.result() if reading.done() else self._failure.result()
        finally:
            self._stop_thinking()
            reading.cancel()
            self._failure.cancel()
            await asyncio.gather(reading, *self._stopped, return_exceptions=True)

    async def _read(self) -> Done:
        async for update in self._session.updates():
            match update:
                case GameChanged():
                    self._remember(update)
                    self._stop_thinking()
                    if update.view.is_my_turn:
                        self._turn = asyncio.create_task(self._move(update))
                        self._turn.add_done_callback(self._moved)
                case SeatLost(sentence=sentence):
                    self._stop_thinking()
                    return Done(Outcome.LOST, sentence)
                case SessionEnded(error=error):
                    if error is None:
                        return Done(Outcome.FINISHED)
                    return Done(Outcome.FAILED, error.sentence)
                case _:
                    pass
        return Done(Outcome.FAILED, "the session ended without a word")

    def _stop_thinking(self) -> None:
        if self._turn is not None and not self._turn.done():
            self._turn.cancel()
            self._stopped.add(self._turn)
            self._turn.add_done_callback(self._stopped.discard)
        self._turn = None

    def _moved(self, turn: asyncio.Task[None]) -> None:
        if turn.cancelled():
            return
        error = turn.exception()
        if error is not None and self._failure is not None and not self._failure.done():
            self._failure.set_exception(error)

    def _remember(self, update: GameChanged) -> None:
        if update.game_id != self._game_id or update.gap:
            # Events are missing: what was remembered would be taken for the whole truth.
            self._game_id = update.game_id
            self._memory = Memory()
        for numbered in update.events:
            self._memory.observe(numbered.event)

    async def _move(self, update: GameChanged) -> None:
        """Decide on the game as it stands and tell the host, until it takes it."""
        view = update.view
        level = self._style.level
        started = asyncio.get_running_loop().time()
        while True:
            request = Request(level, view, self._memory, self._new_seed(), self._style.think)
            command = await self._thinker.think(request)
            spent = asyncio.get_running_loop().time() - started
            await asyncio.sleep(max(0.0, self._pause(view) - spent))
            try:
                await self._send(command)
                return
            except StaleRevisionError:
                # The game has moved on; the update that says so is on its way.
                return
            except HostUnreachableError as error:
                _log.info("%s", error.sentence)
            except RefusedError as error:
                # The rules and the level do not agree, or the host is busy: try what is simple.
                _log.warning("%s refused: %s", command, error.sentence)
                if error.reason != Reason.GAME_FROZEN:
                    # A table that is put away, or just taken out again, only has to be waited for.
                    level = "random"
            await asyncio.sleep(_RETRY_SECONDS)

    def _pause(self, view: PlayerView) -> float:
        people = any(seat.kind is SeatKind.HUMAN and not seat.resigned for seat in view.seats)
        if not people:
            return 0.0
        return self._style.pause * (_CLOSING_PART if view.phase is Phase.CLOSE else 1.0)

    async def _send(self, command: Command) -> None:
        session = self._session
        match command:
            case PlaceTile(_, tile, cells):
                await session.place_tile(tile, cells)
            case ExchangeRack():
                await session.exchange()
            case _:
                await session.refill()


async def play_seat(session: Session, style: Style, thinker: Thinker) -> Done:
    """Play a session's seat to its end; what goes wrong is told in the outcome."""
    try:
        return await Player(session, style, thinker).play()
    except GenialError as error:
        return Done(Outcome.FAILED, error.sentence)
    except ThinkingError as error:
        return Done(Outcome.FAILED, f"The bot could not decide on a move: {error}.")
    finally:
        await session.close()
