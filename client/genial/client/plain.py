"""The game in lines of text: for screen readers, pipes and scripts.

Prompts and answers are single lines, one fact a line, without cursor movement.
`> your turn` (never translated) tells a script that a move is due.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from genial.client import sentences
from genial.client.agreements import clocks_change
from genial.client.deal_sentences import deal_sentence, verdict_sentences
from genial.client.lines import LineReader, ring, say
from genial.client.plain_commands import Commands
from genial.client.plain_settings import PlainSettings
from genial.client.plain_words import Quit
from genial.client.session import (
    ChatArrived,
    ConnectionChanged,
    DealProgress,
    DealVerdict,
    GameChanged,
    GenialError,
    HostClosing,
    Link,
    RefusedUpdate,
    SeatLost,
    Session,
    SessionEnded,
    TableChanged,
    Update,
)
from genial.client.text import _
from genial.engine.moves import Ended, Phase
from genial.engine.view import PlayerView
from genial.v1.table_pb2 import TableState
from genial.wire.errors import Reason

YOUR_TURN: Final = "> your turn"

PATIENCE_SECONDS: Final = 120.0
"""How long a spectator without input waits for a host that does not answer."""


async def run_plain(
    session: Session,
    reader: LineReader,
    *,
    may_quit: Callable[[], Awaitable[bool]] | None = None,
    settings: PlainSettings | None = None,
) -> GenialError | None:
    """Plays, or watches, until the input ends, the person quits, or the table is finished.

    The end of the input leaves a seat as a lost connection would. A spectator watches on.

    Args:
        session: At the table; closed at the end.
        reader: Where commands come from.
        may_quit: Asked before `quit` is obeyed; None: always. The end of the input asks
            nobody.
        settings: What the person has chosen; None: as for a script.

    Returns:
        Why the session ended by itself, None if that was in order.
    """
    client = PlainClient(session, reader, may_quit, settings)
    return await client.run()


class PlainClient:
    """One session, told as sentences and driven by lines."""

    def __init__(
        self,
        session: Session,
        reader: LineReader,
        may_quit: Callable[[], Awaitable[bool]] | None,
        settings: PlainSettings | None = None,
    ) -> None:
        """See `run_plain`."""
        self._session = session
        self._reader = reader
        self._settings = settings or PlainSettings()
        self._commands = Commands(session, may_quit, self._settings)
        self._game: GameChanged | None = None
        self._asked_ready = False
        self._deal_seen = False
        self._was_due = False
        self._game_over = ""
        self._verdict_told = False
        self._quit = False
        self._line_lost = False
        self._refilling: asyncio.Task[None] | None = None

    async def run(self) -> GenialError | None:
        """See `run_plain`."""
        telling = asyncio.create_task(self._tell())
        obeying = asyncio.create_task(self._obey())
        try:
            await asyncio.wait([telling, obeying], return_when=asyncio.FIRST_COMPLETED)
            if self._session.seat is None and not self._quit:
                # Nobody's seat hangs on the input of a spectator, who may have none.
                await self._watch_on(telling)
            if not self._quit:
                # The table may be put away while a review is on its way.
                await self._commands.advice.finish()
            for task in (telling, obeying):
                if task.done():
                    error = task.result()
                    if task is telling:
                        return error
            return None
        finally:
            tasks = [task for task in (telling, obeying, self._refilling) if task is not None]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._commands.advice.close()
            await self._session.close()

    async def _watch_on(self, telling: asyncio.Task[GenialError | None]) -> None:
        """Waits for the end; without anybody to type quit, a host that is gone is one too."""
        loop = asyncio.get_running_loop()
        reached = loop.time()
        while not telling.done() and loop.time() - reached < PATIENCE_SECONDS:
            await asyncio.wait([telling], timeout=1.0)
            if not self._line_lost:
                reached = loop.time()
        if not telling.done():
            say(_("The host has not answered for a long time; this watching ends."))

    # --- what is typed ------------------------------------------------------------------

    async def _obey(self) -> None:
        async for line in self._reader.lines():
            try:
                answers = await self._commands.obey(line)
            except Quit:
                self._quit = True
                return
            except GenialError as error:
                say(error.sentence)
                # Input is due still: a script that waits for the line gets it again.
                self._say_if_due()
            else:
                for answer in answers.lines:
                    say(answer)
                if answers.misunderstood:
                    self._say_if_due()
        # Whoever asked by a pipe has closed it, and listens still.
        await self._commands.advice.finish()

    def _say_if_due(self) -> None:
        game = self._session.game
        if game is not None and game.view.is_my_turn:
            say(YOUR_TURN)

    # --- what happens -------------------------------------------------------------------

    async def _tell(self) -> GenialError | None:
        async for update in self._session.updates():
            if isinstance(update, SessionEnded):
                if update.error is not None:
                    say(update.error.sentence)
                return update.error
            # What is typed is obeyed in another task, which may have chosen a language.
            self._settings.speak()
            await self._tell_update(update)
        return None

    async def _tell_update(self, update: Update) -> None:
        match update:
            case TableChanged():
                await self._tell_table(update)
            case GameChanged():
                await self._tell_game(update)
            case ChatArrived(messages, _gap):
                for message in messages:
                    self._commands.facts.remember(sentences.chat_sentence(message))
                    say(sentences.chat_sentence(message))
            case ConnectionChanged(Link.RECONNECTING, sentence, _since):
                self._line_lost = True
                say(_("Connection lost, trying again. {reason}").format(reason=sentence))
            case ConnectionChanged():
                self._line_lost = False
                say(_("Connected again."))
            case DealProgress():
                said = deal_sentence(update)
                if said:
                    say(said)
            case DealVerdict():
                for said in verdict_sentences(update):
                    self._commands.facts.remember(said)
                    say(said)
                self._verdict_told = True
                self._tell_what_follows()
            case HostClosing():
                say(sentences.closing_sentence(update))
            case SeatLost(_loss, sentence):
                say(sentence)
            case RefusedUpdate(error):
                say(error.sentence)
            case SessionEnded():
                raise AssertionError("the end is told by the caller")

    async def _tell_table(self, update: TableChanged) -> None:
        table, before = update.table, update.before
        if table.state == TableState.TABLE_STATE_DEALING:
            self._deal_seen = True
        if before is None:
            lines = sentences.table_sentences(table, self._session.seat, arriving=True)
        else:
            game = self._game
            view = game.view if game is not None and game.game_id == table.game_id else None
            lines = sentences.table_changes(before, table, view)
            seat = self._session.seat
            if seat is not None and table.seats[seat].stand_in and not before.seats[seat].stand_in:
                lines.append(sentences.played_for_sentence())
        for line in lines:
            if before is not None:
                self._commands.facts.remember(line)
            say(line)
        if not self._asked_ready and self._session.seat is not None:
            self._asked_ready = True
            own = table.seats[self._session.seat]
            if table.state == TableState.TABLE_STATE_OPEN and not own.ready:
                await self._get_ready()
        self._tell_what_follows()

    async def _get_ready(self) -> None:
        try:
            await self._session.set_ready()
        except GenialError as error:
            # The deal may have begun meanwhile, which is what was wanted.
            if error.reason != Reason.TABLE_NOT_OPEN:
                say(error.sentence)
            return
        if self._session.table.state == TableState.TABLE_STATE_OPEN:
            say(_("You are ready; the game begins once every seat is taken and ready."))

    async def _tell_game(self, update: GameChanged) -> None:
        view = update.view
        first = self._commands.take_game(update)
        if first:
            # Of a game that was over already when it was first heard of, no verdict comes.
            self._verdict_told = view.is_over
        told = [
            line
            for numbered in update.events
            for line in sentences.event_sentences(numbered.event, view)
        ]
        for line in told:
            self._commands.facts.remember(line)
        if first and not self._deal_seen:
            # Coming back, or late: where the game stands says more than how it came to be.
            told = sentences.standing_sentences(view)
        elif update.gap:
            told.append(_("Something in between was missed; this is how it stands."))
            told += sentences.standing_sentences(view)
        clocks = clocks_change(self._game, update)
        self._game = update
        for line in [*told, clocks]:
            if line:
                say(line)
        moved = any(
            not isinstance(numbered.event, Ended) and numbered.event.seat == view.viewer
            for numbered in update.events
        )
        changed = first or update.gap or bool(update.events)
        if self._refills(view):
            self._was_due = True
            # What is told meanwhile (of clocks, say) finds the turn still to be ended.
            if self._refilling is None or self._refilling.done():
                self._refilling = asyncio.create_task(self._refill())
        else:
            self._tell_turn(view, fresh=first or moved, changed=changed)
        if view.is_over:
            self._deal_seen = False
            self._game_over = update.game_id
            self._tell_what_follows()

    def _tell_what_follows(self) -> None:
        """Once game, table and verdict, in whatever order, have said that the game is over."""
        table = self._session.table
        verdict_due = self._session.seat is not None and not self._verdict_told
        if self._game_over != table.game_id or not table.game_id or verdict_due:
            return
        if table.state == TableState.TABLE_STATE_ACTIVE:
            return
        self._game_over = ""
        for said in sentences.match_sentences(table):
            say(said)
        if table.state == TableState.TABLE_STATE_OPEN and self._session.seat is not None:
            say(sentences.next_sentence(table))

    def _refills(self, view: PlayerView) -> bool:
        """Whether there is nothing to choose, and the person wants that done by itself."""
        closing = view.is_my_turn and view.phase is Phase.CLOSE and not view.may_exchange
        return closing and self._settings.auto_refill

    async def _refill(self) -> None:
        try:
            await self._session.refill()
        except GenialError as error:
            say(error.sentence)
            self._say_if_due()

    def _tell_turn(self, view: PlayerView, *, fresh: bool, changed: bool) -> None:
        if view.is_my_turn and (fresh or not self._was_due):
            if self._settings.bell:
                ring()
            say(sentences.turn_sentence(view))
            say(YOUR_TURN)
        elif changed and not view.is_over and not view.is_my_turn and self._turn_passed(view):
            say(sentences.turn_sentence(view))
        self._was_due = view.is_my_turn

    def _turn_passed(self, view: PlayerView) -> bool:
        return self._commands.facts.turn_moved(view.turn)
