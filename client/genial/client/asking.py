"""What the screen asks for beside the game: hints, reviews, a host's games, their records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genial.client import messages as m
from genial.client.advising import ScreenAdvice
from genial.client.session import Session

if TYPE_CHECKING:
    from genial.client.record_files import OpenedRecord

Asked = m.AskHint | m.AskReview | m.AskGames | m.OpenRecord


async def answer(effect: Asked, session: Session, advice: ScreenAdvice) -> m.Message:
    """What comes of it, for the screen.

    Args:
        effect: What is asked.
        session: At the table whose host is asked.
        advice: Who thinks about hints and reviews.

    Raises:
        GenialError: The host refuses, or does not answer.
    """
    match effect:
        case m.AskGames():
            games = await session.link.list_games()
            newest = sorted(games, key=lambda game: game.started_at.seconds, reverse=True)
            return m.GamesKnown(tuple(newest))
        case m.OpenRecord(game_id=game_id):
            return _opened(game_id, await session.link.get_record(game_id))
    if session.game is None:
        # The game has not come yet; there is nothing to think about.
        return m.Answered()
    if isinstance(effect, m.AskHint):
        return await advice.hint(session.game)
    content = await session.link.get_record(session.game.game_id)
    return await advice.review(session.game.game_id, content)


def _opened(game_id: str, content: bytes) -> m.Message:
    from genial.client.record_files import RecordFileError, open_bytes

    try:
        return opened_message(open_bytes(game_id, content))
    except RecordFileError as error:
        return m.Failed(str(error))


def opened_message(opened: OpenedRecord) -> m.RecordOpened:
    """A record that was read, for the screen."""
    from genial.client.record_show import verdict_sentence
    from genial.client.replay import Replay

    return m.RecordOpened(Replay.of(opened.record), verdict_sentence(opened))
