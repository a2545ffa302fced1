"""`hint` and `review` in the plain client."""

from __future__ import annotations

import asyncio

from genial.client import sentences
from genial.client.errors import GenialError
from genial.client.lines import say
from genial.client.seat_advice import NoAdviceError, SeatAdvice
from genial.client.session import GameChanged, Session
from genial.client.text import _
from genial.engine.rules import Mode


class GameAdvice:
    """Advice on the game of a session; remembers what its seat has seen."""

    def __init__(self, session: Session) -> None:
        """Starts no process before it is asked."""
        self._session = session
        self._advice = SeatAdvice()
        self._reviewing: asyncio.Task[None] | None = None

    def take(self, update: GameChanged) -> None:
        """Takes in what has happened."""
        self._advice.take(update)

    async def hint(self) -> list[str]:
        """The best placements now, as commands to copy, with what they are worth."""
        game = self._session.game
        if game is None or not game.view.must_place:
            return [_("There is no tile to place for you now.")]
        if not game.message.hints_allowed:
            return [_("This table plays without hints.")]
        from genial.client.review_show import value_text

        try:
            advice = await self._advice.hint(game.view)
        except NoAdviceError as error:
            return [str(error)]
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
            record = await self._session.link.get_record(game.game_id)
            told = await self._advice.review(game.game_id, record)
        except GenialError as error:
            told = [error.sentence]
        except NoAdviceError as error:
            told = [str(error)]
        for line in told:
            say(line)

    def close(self) -> None:
        """Ends the process that thinks, if there is one."""
        if self._reviewing is not None:
            self._reviewing.cancel()
        self._advice.close()
