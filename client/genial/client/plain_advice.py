"""`hint` and `review` in the plain client."""

from __future__ import annotations

from concurrent.futures.process import BrokenProcessPool

from genial.client import sentences
from genial.client.record_files import RecordFileError, open_bytes
from genial.client.review_show import review_text, value_text
from genial.client.reviewing import Advisor
from genial.client.session import GameChanged, Session
from genial.client.text import _
from genial.engine.rules import Mode
from genial.strategy.memory import Memory


class GameAdvice:
    """Advice on the game of a session; remembers what its seat has seen."""

    def __init__(self, session: Session) -> None:
        """Starts no process before it is asked."""
        self._session = session
        self._advisor = Advisor()
        self._memory = Memory()
        self._game_id = ""

    def take(self, update: GameChanged) -> None:
        """Takes in what has happened."""
        if update.game_id != self._game_id or update.gap:
            self._game_id = update.game_id
            self._memory = Memory()
        for numbered in update.events:
            self._memory.observe(numbered.event)

    async def hint(self) -> list[str]:
        """The best placements now, as commands to copy, with what they are worth."""
        game = self._session.game
        if game is None or not game.view.must_place:
            return [_("There is no tile to place for you now.")]
        if not game.message.hints_allowed:
            return [_("This table plays without hints.")]
        try:
            advice = await self._advisor.hint(game.view, self._memory)
        except BrokenProcessPool:
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
        content = await self._session.link.get_record(game.game_id)
        try:
            opened = open_bytes(game.game_id, content)
            review = await self._advisor.review(opened.record)
        except RecordFileError as error:
            return [str(error)]
        except BrokenProcessPool:
            return [_("The review did not come about; ask again.")]
        return [] if review is None else review_text(review).splitlines()

    def close(self) -> None:
        """Ends the process that thinks, if there is one."""
        self._advisor.close()
