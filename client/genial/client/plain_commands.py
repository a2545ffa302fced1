"""The commands of the plain client, each from a line to its answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from genial.client.lines import is_yes
from genial.client.plain_advice import GameAdvice
from genial.client.plain_facts import Facts, placement, worth
from genial.client.plain_history import History
from genial.client.plain_settings import PlainSettings
from genial.client.plain_table import TableCommands
from genial.client.plain_words import Answer, Command, Quit, UsageError, split_comment
from genial.client.sentences import placement_command, refused_sentence
from genial.client.session import GameChanged, Session
from genial.client.text import N_, _
from genial.engine.hexgrid import Axial
from genial.engine.tiles import Tile

HELP: Final = (
    ("board", N_("the board, row by row")),
    ("rack", N_("your tiles")),
    ("scores", N_("all tracks")),
    ("turn", N_("what is due, from whom, and how much time is left")),
    ("since", N_("what the others have done since your turn")),
    ("moves [N]", N_("the N best placements of your rack by points, as commands to copy")),
    ("moves TILE [N]", N_("the same of one tile")),
    ("heat TILE", N_("how much a tile could earn on each cell, most first")),
    ("hint", N_("the placements that are worth most for winning, as commands to copy")),
    ("try TILE CELL CELL", N_("what a tile would earn there, or why it may not lie there")),
    ("place TILE CELL CELL", N_("place a tile, like: place RB D8 D9")),
    ("refill", N_("draw up to six tiles, which ends your turn")),
    ("exchange", N_("show your rack and draw six new tiles, which ends your turn")),
    ("race", N_("how the lowest counters have grown, turn by turn")),
    ("seats", N_("who sits at the table")),
    ("table", N_("what was agreed, how many watch, and what a friend types to join")),
    ("standings", N_("how the games at this table were won")),
    ("bots LEVEL,LEVEL", N_("seat bots at open seats, like: bots medium")),
    ("remove SEAT", N_("the bot on that seat leaves; a number or a name")),
    ("kick SEAT", N_("take that seat from whoever sits there; for who opened the table")),
    ("lock", N_("nobody else may sit down; `unlock` lets them again")),
    ("unlock", N_("others may sit down again")),
    ("ready", N_("say that you are ready")),
    ("start", N_("fill the open seats with bots and start")),
    ("rematch", N_("play another game")),
    ("review", N_("after the game: what each placement gave away, and why")),
    ("history", N_("the games at this host, newest first")),
    ("replay [N]", N_("step through game N of the history; without N, the newest")),
    ("say TEXT", N_("write to the table")),
    ("log [N]", N_("what has happened lately")),
    ("rules", N_("the rules of the game")),
    ("settings", N_("what you can choose, and what is chosen")),
    ("set NAME VALUE", N_("choose it, like: set auto_refill yes")),
    ("end", N_("propose, or agree, to end the game; end no takes it back")),
    ("pause", N_("ask for paused clocks, or agree; pause no takes it back")),
    ("continue", N_("let paused clocks run again")),
    ("shelve", N_("put the table away for another evening; for who opened it")),
    ("resume", N_("take out again a table that was put away")),
    ("back", N_("take your seat back from the bot that plays on for you")),
    ("resign", N_("give the game up")),
    ("leave", N_("give your seat up and go")),
    ("quit", N_("go; your seat stays yours")),
    ("# anything", N_("a comment, ignored")),
)

_ALONE: Final = frozenset(
    (
        *("refill", "exchange", "ready", "start", "rematch", "resign", "leave", "quit"),
        *("shelve", "resume", "lock", "unlock", "continue"),
    )
)
"""Words that do something that cannot be taken back: with more behind them (`exchange RB GO`),
something else was meant."""

_SEATED: Final = frozenset(
    (
        *("place", "refill", "exchange", "resign", "ready", "start", "rematch", "bots", "remove"),
        *("kick", "lock", "unlock", "end", "pause", "continue", "shelve", "resume", "back"),
    )
)
"""Words that mean nothing from somebody without a seat."""

Placement = tuple[Tile, tuple[Axial, Axial]]


class Commands:
    """Obeys lines for one session.

    Attributes:
        facts: What there is to know about the game.
        settings: What the person has chosen.
        advice: What it would be good to do.
    """

    def __init__(
        self,
        session: Session,
        may_quit: Callable[[], Awaitable[bool]] | None,
        settings: PlainSettings | None = None,
    ) -> None:
        """`may_quit` is asked before `quit` is obeyed; without `settings`, a script's."""
        self._session = session
        self._may_quit = may_quit
        self.facts = Facts(session)
        self.settings = settings or PlainSettings()
        self.advice = GameAdvice(session)
        self._history = History(session)
        self._asked: Placement | None = None
        self._words: dict[str, Command] = {
            "help": self._help,
            "?": self._help,
            **self.facts.words,
            "hint": self._hint,
            "review": self._review,
            "place": self._place,
            "refill": self._refill,
            "exchange": self._exchange,
            **TableCommands(session).words,
            **self._history.words,
            "rules": self._rules,
            **self.settings.words,
            "resign": self._resign,
            "leave": self._leave,
            "quit": self._quit,
        }

    async def obey(self, line: str) -> Answer:
        """Does what a line says.

        Raises:
            Quit: It says to go.
            GenialError: The host refuses, or does not answer.
        """
        if self._history.stepping:
            said = self._history.obey(line)
            # Back at the table, whoever is due hears it, as after a line that was none.
            return Answer(said, misunderstood=not self._history.stepping)
        word, rest = split_comment(line)
        if not word:
            return Answer()
        asked, self._asked = self._asked, None
        if asked is not None and not rest and is_yes(word):
            await self._session.place_tile(*asked)
            return Answer()
        command = self._words.get(word.casefold())
        if rest and word.casefold() in _ALONE:
            command, word = None, f"{word} {rest}"
        if command is None:
            known = _("{word} is no command; help lists them all.").format(word=word[:40])
            return Answer([known], misunderstood=True)
        if self._session.seat is None and word.casefold() in _SEATED:
            watching = _("You are watching; that is for those who sit at the table.")
            return Answer([watching], misunderstood=True)
        try:
            return await command(rest)
        except UsageError as error:
            return Answer([str(error)], misunderstood=True)

    def take_game(self, update: GameChanged) -> bool:
        """Notes the game; whether this is the first that is heard of it."""
        self.advice.take(update)
        return self.facts.take(update)

    # --- questions ------------------------------------------------------------------------

    async def _help(self, rest: str) -> Answer:
        wanted = rest.casefold()
        said = [
            f"{usage}: {_(meaning)}"
            for usage, meaning in HELP
            if not wanted or usage.split()[0] == wanted
        ]
        if not said:
            raise UsageError(_("{word} is no command; help lists them all.").format(word=rest[:40]))
        return Answer(said)

    async def _rules(self, rest: str) -> Answer:
        # Belongs to the screen, and is loaded for whoever asks.
        from genial.client.view.rules import rules_parts

        return Answer([f"{title}: {text}" for title, text in rules_parts()])

    async def _hint(self, rest: str) -> Answer:
        return Answer(await self.advice.hint())

    async def _review(self, rest: str) -> Answer:
        return Answer(self.advice.begin_review())

    # --- moves ----------------------------------------------------------------------------

    async def _place(self, rest: str) -> Answer:
        tile, cells = placement(rest)
        view = self.facts.view
        if not self.settings.confirm:
            await self._session.place_tile(tile, cells)
            return Answer()
        refused = view.refusal_for(tile, cells)
        if refused is not None:
            raise UsageError(refused_sentence(refused))
        self._asked = tile, cells
        question = _("{placement} would earn {worth} Type yes to place it.")
        where = placement_command(tile, cells).removeprefix("place ")
        return Answer([question.format(placement=where, worth=worth(view, tile, cells))])

    async def _refill(self, rest: str) -> Answer:
        self.facts.check_begun()
        await self._session.refill()
        return Answer()

    async def _exchange(self, rest: str) -> Answer:
        self.facts.check_begun()
        await self._session.exchange()
        return Answer()

    async def _resign(self, rest: str) -> Answer:
        self.facts.check_begun()
        await self._session.resign()
        return Answer()

    # --- going ----------------------------------------------------------------------------

    async def _leave(self, rest: str) -> Answer:
        await self._session.leave()
        raise Quit

    async def _quit(self, rest: str) -> Answer:
        if self._may_quit is not None and not await self._may_quit():
            return Answer([_("You stay.")])
        raise Quit
