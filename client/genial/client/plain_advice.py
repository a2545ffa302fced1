"""`hint` and `review` in the plain client."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING

from genial.client import sentences
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

    async def review(self) -> list[str]:
        """The game that is over, looked at again.

        Raises:
            GenialError: The host does not give its record.
        """
        game = self._session.game
        if game is None or not game.view.is_over:
            return [_("A game can be reviewed once it is over.")]
        from genial.client.record_files import RecordFileError, open_bytes
        from genial.client.review_show import review_text

        say(_("Looking at the game; that takes some seconds."))
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
        if self._advisor is not None:
            self._advisor.close()

    def _thinking(self) -> Advisor:
        from genial.client.reviewing import Advisor

        if self._advisor is None:
            self._advisor = Advisor()
        return self._advisor
