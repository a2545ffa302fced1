"""The games of a host in the plain client, and stepping through one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from genial.client.plain_words import Answer, Command, Quit, UsageError
from genial.client.session import Session
from genial.client.text import _
from genial.v1.game_pb2 import GAME_STATE_RUNNING
from genial.v1.game_service_pb2 import GameSummary

if TYPE_CHECKING:
    from genial.client.replay_plain import PlainReplay


class History:
    """Lists games and replays them; while one is open, every line goes to it."""

    def __init__(self, session: Session) -> None:
        """Asks nobody yet."""
        self._session = session
        self._replay: PlainReplay | None = None
        self.words: Mapping[str, Command] = {"history": self._list, "replay": self._open}

    @property
    def stepping(self) -> bool:
        """Whether a record is open."""
        return self._replay is not None

    def obey(self, line: str) -> Sequence[str]:
        """What the open record answers; `quit` closes it."""
        assert self._replay is not None
        try:
            return self._replay.obey(line)
        except Quit:
            self._replay = None
            return [_("You are back at the table.")]

    async def _list(self, rest: str) -> Answer:
        # Belongs to the screen, and is loaded for whoever asks.
        from genial.client.view.history import result_text

        games = await self._games()
        if not games:
            return Answer([_("No game has been played here yet.")])
        row = _("{number}: {names}, {result}, {date}.")
        return Answer(
            [
                row.format(
                    number=number,
                    names=", ".join(game.names),
                    result=result_text(game),
                    date=_date(game),
                )
                for number, game in enumerate(games, 1)
            ]
        )

    async def _open(self, rest: str) -> Answer:
        from genial.client.record_files import RecordFileError, open_bytes
        from genial.client.replay_plain import PlainReplay

        if rest and not (rest.isascii() and rest.isdigit() and len(rest) < 7):
            raise UsageError(_("Say which game of the history, like: replay 2"))
        games = await self._games()
        over = [game for game in games if game.state != GAME_STATE_RUNNING]
        if not over:
            raise UsageError(_("No game is over yet at this host."))
        number = int(rest) if rest else games.index(over[0]) + 1
        if not 1 <= number <= len(games):
            raise UsageError(
                _("The history has games 1 to {count}; history lists them.").format(
                    count=len(games)
                )
            )
        game = games[number - 1]
        content = await self._session.link.get_record(game.game_id)
        try:
            opened = open_bytes(game.game_id, content)
        except RecordFileError as error:
            raise UsageError(str(error)) from error
        self._replay = PlainReplay(opened, beside=True)
        return Answer([*self._replay.introduction(), _("quit leads back to the table.")])

    async def _games(self) -> list[GameSummary]:
        games = await self._session.link.list_games()
        return sorted(games, key=lambda game: game.started_at.seconds, reverse=True)


def _date(game: GameSummary) -> str:
    at = datetime.fromtimestamp(game.started_at.seconds, UTC).astimezone()
    return at.strftime("%Y-%m-%d %H:%M")
