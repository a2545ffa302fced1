"""Hints and reviews for one seat; what thinks about them is loaded when it is first asked."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING

from genial.client.text import _
from genial.client.updates import GameChanged
from genial.engine.view import PlayerView, SeenEvent

if TYPE_CHECKING:
    from genial.client.reviewing import Advisor
    from genial.strategy.advice import Advice


class NoAdviceError(Exception):
    """There is none; the message is a sentence that says why."""


class SeatAdvice:
    """Keeps what a seat has seen of its game, and asks a process of its own about it."""

    def __init__(self) -> None:
        """Starts no process before it is asked."""
        self._advisor: Advisor | None = None
        self._events: list[SeenEvent] = []
        self._game_id = ""

    def take(self, update: GameChanged) -> None:
        """Takes in what has happened."""
        if update.game_id != self._game_id or update.gap:
            self._game_id = update.game_id
            self._events = []
        self._events += [numbered.event for numbered in update.events]

    async def hint(self, view: PlayerView) -> Advice:
        """The strongest placements now.

        Raises:
            NoAdviceError: No placement is due, or the process that thinks has ended.
        """
        if not view.must_place:
            raise NoAdviceError(_("There is no tile to place for you now."))
        from genial.strategy.memory import Memory

        memory = Memory()
        for event in self._events:
            memory.observe(event)
        try:
            return await self._thinking().hint(view, memory)
        except BrokenExecutor as error:
            raise NoAdviceError(_("The hint did not come about; ask again.")) from error

    async def review(self, game_id: str, record: bytes) -> list[str]:
        """A finished game, looked at again: the lines of the review, none where it has none.

        Raises:
            NoAdviceError: The record cannot be read, or the process that thinks has ended.
        """
        from genial.client.record_files import RecordFileError, open_bytes
        from genial.client.review_show import review_text

        try:
            opened = open_bytes(game_id, record)
            review = await self._thinking().review(opened.record)
        except RecordFileError as error:
            raise NoAdviceError(str(error)) from error
        except BrokenExecutor as error:
            raise NoAdviceError(_("The review did not come about; ask again.")) from error
        return [] if review is None else review_text(review).splitlines()

    def close(self) -> None:
        """Ends the process that thinks, if there is one."""
        if self._advisor is not None:
            self._advisor.close()

    def _thinking(self) -> Advisor:
        from genial.client.reviewing import Advisor

        if self._advisor is None:
            self._advisor = Advisor()
        return self._advisor
