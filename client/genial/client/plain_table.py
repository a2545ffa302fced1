"""Commands of the plain client about the table: who sits there, and what people agree on."""

from __future__ import annotations

from collections.abc import Mapping

from genial.client import sentences
from genial.client.addresses import for_friends
from genial.client.plain_words import Answer, Command, UsageError
from genial.client.session import Session
from genial.client.text import _
from genial.v1.game_pb2 import SeatKind


class TableCommands:
    """What is said and done about one session's table."""

    def __init__(self, session: Session) -> None:
        """Does nothing yet."""
        self._session = session
        self.words: Mapping[str, Command] = {
            "seats": self._seats,
            "table": self._table,
            "standings": self._standings,
            "bots": self._bots,
            "remove": self._remove,
            "kick": self._kick,
            "lock": self._lock,
            "unlock": self._unlock,
            "ready": self._ready,
            "start": self._start,
            "rematch": self._rematch,
            "say": self._say,
            "end": self._end,
            "pause": self._pause,
            "continue": self._continue,
            "shelve": self._shelve,
            "resume": self._resume,
            "back": self._back,
        }

    async def _seats(self, rest: str) -> Answer:
        return Answer(sentences.table_sentences(self._session.table, self._session.seat))

    async def _table(self, rest: str) -> Answer:
        # Belongs to the screen, and is loaded for whoever asks.
        from genial.client.view.seats import rules_words, table_facts

        table = self._session.table
        said = [_("{table}: {rules}.").format(table=table.name, rules=rules_words(table))]
        said += [f"{label}: {value}." for label, value in table_facts(table)]
        if table.options.hints_forbidden:
            said.append(_("This table plays without hints."))
        if table.seats_locked:
            said.append(_("The seats are locked."))
        address = for_friends(self._session.link.address)
        if address:
            said.append(_("A friend joins with: genial join {address}").format(address=address))
        return Answer(said + sentences.match_sentences(table))

    async def _standings(self, rest: str) -> Answer:
        table = self._session.table
        said = sentences.match_sentences(table)
        if len(table.seats) < 2:
            said = [_("You play alone here; history tells how your games went.")]
        return Answer(said or [_("No game has been finished at this table yet.")])

    async def _ready(self, rest: str) -> Answer:
        await self._session.set_ready()
        return Answer([_("You are ready.")])

    async def _start(self, rest: str) -> Answer:
        await self._session.start_game()
        return Answer()

    async def _rematch(self, rest: str) -> Answer:
        await self._session.rematch()
        return Answer([_("You are ready for another game.")])

    async def _bots(self, rest: str) -> Answer:
        levels = [level for level in rest.replace(",", " ").split() if level]
        if not levels:
            raise UsageError(_("Say which bots, like: bots medium,medium"))
        for level in levels:
            await self._session.seat_bot(level)
        return Answer()

    async def _remove(self, rest: str) -> Answer:
        await self._session.remove_bot(self._seat(rest, "remove"))
        return Answer()

    async def _kick(self, rest: str) -> Answer:
        await self._session.kick(self._seat(rest, "kick"))
        return Answer()

    async def _lock(self, rest: str) -> Answer:
        await self._session.lock_seats(True)
        return Answer()

    async def _unlock(self, rest: str) -> Answer:
        await self._session.lock_seats(False)
        return Answer()

    async def _say(self, rest: str) -> Answer:
        if not rest:
            raise UsageError(_("Say what, like: say Good luck!"))
        await self._session.say(rest)
        return Answer()

    async def _end(self, rest: str) -> Answer:
        if is_no(rest):
            await self._session.propose_end(False)
            return Answer([_("You do not agree to end the game any more.")])
        if rest:
            raise UsageError(_("Type end to agree to end the game, or end no to take it back."))
        await self._session.propose_end()
        return Answer()

    async def _pause(self, rest: str) -> Answer:
        if is_no(rest):
            return await self._continue("")
        if rest:
            raise UsageError(_("Type pause to stop the clocks, or continue to let them run."))
        await self._session.pause_clocks()
        return Answer()

    async def _continue(self, rest: str) -> Answer:
        game = self._session.game
        stopped = game is not None and game.message.clocks_paused
        await self._session.pause_clocks(False)
        return Answer([] if stopped else [_("You do not ask to pause the clocks any more.")])

    async def _shelve(self, rest: str) -> Answer:
        await self._session.shelve()
        return Answer()

    async def _resume(self, rest: str) -> Answer:
        await self._session.resume()
        return Answer()

    async def _back(self, rest: str) -> Answer:
        if not self._session.played_for:
            raise UsageError(_("Your seat is your own; no bot plays for you."))
        await self._session.take_back()
        return Answer()

    def _seat(self, text: str, word: str) -> int:
        """The seat, 0-based, of a number from 1 or a name.

        Raises:
            UsageError: There is none.
        """
        seats = [seat for seat in self._session.table.seats if seat.kind != SeatKind.SEAT_KIND_OPEN]
        wanted = text.strip().casefold()
        named = [seat.seat for seat in seats if wanted and seat.name.casefold() == wanted]
        if len(named) == 1:
            return int(named[0])
        if wanted.isascii() and wanted.isdigit() and len(wanted) < 4 and int(wanted) > 0:
            return int(wanted) - 1
        raise UsageError(
            _("Say which seat, by its number or the name there, like: {command}").format(
                command=f"{word} 2"
            )
        )


def is_no(text: str) -> bool:
    """Whether somebody takes something back, in English or in the chosen language."""
    return text.casefold() in ("no", _("no"))
