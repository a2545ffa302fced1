"""Hints and reviews for the screen; what thinks about them is loaded when it is first asked."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING

from genial.client.messages import Failed, Hinted, Reviewed
from genial.client.text import _
from genial.client.updates import GameChanged, Update
from genial.engine.rules import Mode
from genial.engine.view import SeenEvent

if TYPE_CHECKING:
    from genial.client.reviewing import Advisor


class ScreenAdvice:
    """Keeps what a seat has seen of its game, and asks a process of its own about it."""

    def __init__(self) -> None:
        """Starts no process before it is asked."""
        self._advisor: Advisor | None = None
        self._events: list[SeenEvent] = []
        self._game_id = ""

    def hear(self, update: Update) -> None:
        """Takes in what has happened."""
        if not isinstance(update, GameChanged):
            return
        if update.game_id != self._game_id or update.gap:
            self._game_id = update.game_id
            self._events = []
        self._events += [numbered.event for numbered in update.events]

    async def hint(self, game: GameChanged) -> Hinted | Failed:
        """The strongest placement now."""
        from genial.client.review_show import value_text
        from genial.strategy.memory import Memory

        view = game.view
        if not view.must_place:
            return Failed(_("There is no tile to place for you now."))
        memory = Memory()
        for event in self._events:
            memory.observe(event)
        try:
            advice = await self._thinking().hint(view, memory)
        except BrokenExecutor:
            return Failed(_("The hint did not come about; ask again."))
        best = advice.best[0]
        solo = view.rules.mode is Mode.SOLO
        words = _("lowest counter {value} to be expected") if solo else _("{value} to win")
        worth = words.format(value=value_text(best.chance, solo))
        return Hinted(best.tile, best.cells, worth)

    async def review(self, game_id: str, content: bytes) -> Reviewed | Failed:
        """A finished game, looked at again; `content` is its record."""
        from genial.client.record_files import RecordFileError, open_bytes
        from genial.client.review_show import review_text

        try:
            opened = open_bytes(game_id, content)
            review = await self._thinking().review(opened.record)
        except RecordFileError as error:
            return Failed(str(error))
        except BrokenExecutor:
            return Failed(_("The review did not come about; ask again."))
        return Reviewed(tuple(review_text(review).splitlines()) if review is not None else ())

    def close(self) -> None:
        """Ends the process that thinks, if there is one."""
        if self._advisor is not None:
            self._advisor.close()

    def _thinking(self) -> Advisor:
        from genial.client.reviewing import Advisor

        if self._advisor is None:
            self._advisor = Advisor()
        return self._advisor
