"""Hints and reviews for the screen."""

from __future__ import annotations

from genial.client.messages import Failed, Hinted, Reviewed
from genial.client.seat_advice import NoAdviceError, SeatAdvice
from genial.client.text import _
from genial.client.updates import GameChanged, Update
from genial.engine.rules import Mode


class ScreenAdvice:
    """Advice on the game of the screen, as messages to it."""

    def __init__(self) -> None:
        """Starts no process before it is asked."""
        self._advice = SeatAdvice()

    def hear(self, update: Update) -> None:
        """Takes in what has happened."""
        if isinstance(update, GameChanged):
            self._advice.take(update)

    async def hint(self, game: GameChanged) -> Hinted | Failed:
        """The strongest placement now."""
        from genial.client.review_show import value_text

        try:
            advice = await self._advice.hint(game.view)
        except NoAdviceError as error:
            return Failed(str(error))
        best = advice.best[0]
        solo = game.view.rules.mode is Mode.SOLO
        words = _("lowest counter {value} to be expected") if solo else _("{value} to win")
        worth = words.format(value=value_text(best.chance, solo))
        return Hinted(best.tile, best.cells, worth)

    async def review(self, game_id: str, content: bytes) -> Reviewed | Failed:
        """A finished game, looked at again; `content` is its record."""
        try:
            return Reviewed(tuple(await self._advice.review(game_id, content)))
        except NoAdviceError as error:
            return Failed(str(error))

    def close(self) -> None:
        """Ends the process that thinks, if there is one."""
        self._advice.close()
