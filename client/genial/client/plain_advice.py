"""`hint` and `review` in the plain client."""

from __future__ import annotations

import asyncio
from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING

from genial.client import sentences
from genial.client.errors import GenialError
from genial.client.lines import say
from genial.client.session import GameChanged, Session
from genial.client.text import _
from genial.engine.rules import Mode
from genial.engine.view import SeenEvent

if TYPE_CHECKING:
    from genial.client.reviewing import Advisor


class GameAdvice:
    """Advice on the game of a session; remembers what its seat has seen."""

    def __init__(self, session: Session) -> None:
        """Starts no process before it is asked."""
        self._session = session
        self._advisor: Advisor | None = None
        self._reviewing: asyncio.Task[None] | None = None
        self._events: list[SeenEvent] = []
        self._game_id = ""

    def take(self, update: GameChanged) -> None:
        """Takes in what has happened."""
        if update.game_id != self._game_id or update.gap:
            self._game_id = update.game_id
            self._events = []
        self._events += [numbered.event for numbered in update.events]

    async def hint(self) -> list[str]:
        """The best placements now, as commands to copy, with what they are worth."""
        game = self._session.game
        if game is None or not game.view.must_place:
            return [_("There is no tile to place for you now.")]
        if not game.message.hints_allowed:
            return [_("This table plays without hints.")]
        # Loaded for whoever asks: what thinks is large.
        from genial.client.review_show import value_text
        from genial.strategy.memory import Memory

        memory = Memory()
        for event in self._events:
            memory.observe(event)
        try:
            advice = await self._thinking().hint(game.view, memory)
        except BrokenExecutor:
            return [_("The hint did not come about; ask again.")]
        solo = game.view.rules.mode is Mode.SOLO
        return [
            f"{sentences.placement_command(each.tile, each.cells)}"
            f"  # {sentences.points_text(each.points)}, {value_text(each.chance, solo)}"
            for each in advice.best
        ]

    def begin_review(self) -> list[str]:
        """Begins to look again at the game that is over, and says that; or why not.

        What comes of it is said as soon as it is there; everything else goes on meanwhile.
        """
        game = self._session.game
        if game is None or not game.view.is_over:
            return [_("A game can be reviewed once it is over.")]
        if self._reviewing is not None and not self._reviewing.done():
            return [_("The game is being looked at already.")]
        self._reviewing = asyncio.create_task(self._say_review(game))
        return [_("Looking at the game; that takes some seconds.")]

    async def finish(self) -> None:
        """Waits for a review that has been begun."""
        if self._reviewing is not None:
            await self._reviewing

    async def _say_review(self, game: GameChanged) -> None:
        try:
            told = await self._review(game)
        except GenialError as error:
            told = [error.sentence]
        for line in told:
            say(line)

    async def _review(self, game: GameChanged) -> list[str]:
        from genial.client.record_files import RecordFileError, open_bytes
        from genial.client.review_show import review_text

        content = await self._session.link.get_record(game.game_id)
        try:
            opened = open_bytes(game.game_id, content)
            review = await self._thinking().review(opened.record)
        except RecordFileError as error:
            return [str(error)]
        except BrokenExecutor:
            return [_("The review did not come about; ask again.")]
        return [] if review is None else review_text(review).splitlines()

    def close(self) -> None:
        """Ends the process that thinks, if there is one."""
        if self._reviewing is not None:
            self._reviewing.cancel()
        if self._advisor is not None:
            self._advisor.close()

    def _thinking(self) -> Advisor:
        from genial.client.reviewing import Advisor

        if self._advisor is None:
            self._advisor = Advisor()
        return self._advisor
