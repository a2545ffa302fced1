"""The commands of the plain client, each from a line to its answer."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from genial.client import sentences
from genial.client.addresses import for_friends
from genial.client.board_text import board_sentences
from genial.client.plain_advice import GameAdvice
from genial.client.session import GameChanged, Session
from genial.client.text import N_, _, ngettext
from genial.client.view.rules import rules_parts
from genial.client.view.seats import rules_words, table_facts
from genial.engine.board import MalformedCellError, parse_cell
from genial.engine.hexgrid import Axial
from genial.engine.legality import placements_on
from genial.engine.moves import Phase
from genial.engine.tiles import MalformedTileError, Tile
from genial.engine.view import PlayerView, ScoredPlacement

MOVES_SHOWN: Final = 5
MOST_MOVES: Final = 10_000
LOG_LINES: Final = 20
LOG_KEPT: Final = 500


class Quit(Exception):
    """The person wants to go."""


class UsageError(ValueError):
    """A line that is no command; its text is a sentence."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a line is answered with.

    Attributes:
        lines: Sentences, in order; empty where the answer comes as an update.
        misunderstood: Whether the line was no command as it stands.
    """

    lines: Sequence[str] = ()
    misunderstood: bool = False


_HELP: Final = (
    ("board", N_("the board, row by row")),
    ("rack", N_("your tiles")),
    ("scores", N_("all tracks")),
    ("turn", N_("what is due, from whom, and how much time is left")),
    ("moves [N]", N_("the N best placements of your rack by points, as commands to copy")),
    ("hint", N_("the placements that are worth most for winning, as commands to copy")),
    ("try TILE CELL CELL", N_("what a tile would earn there, or why it may not lie there")),
    ("place TILE CELL CELL", N_("place a tile, like: place RB D8 D9")),
    ("refill", N_("draw up to six tiles, which ends your turn")),
    ("exchange", N_("show your rack and draw six new tiles, which ends your turn")),
    ("seats", N_("who sits at the table")),
    ("table", N_("what was agreed, how many watch, and what a friend types to join")),
    ("bots LEVEL,LEVEL", N_("seat bots at open seats, like: bots medium")),
    ("ready", N_("say that you are ready")),
    ("start", N_("fill the open seats with bots and start")),
    ("rematch", N_("play another game")),
    ("review", N_("after the game: what each placement gave away, and why")),
    ("say TEXT", N_("write to the table")),
    ("log", N_("what has happened lately")),
    ("rules", N_("the rules of the game")),
    ("end", N_("propose, or agree, to end the game; end no takes it back")),
    ("back", N_("take your seat back from the bot that plays on for you")),
    ("resign", N_("give the game up")),
    ("leave", N_("give your seat up and go")),
    ("quit", N_("go; your seat stays yours")),
    ("# anything", N_("a comment, ignored")),
)


_ALONE: Final = frozenset(
    ("refill", "exchange", "ready", "start", "rematch", "resign", "leave", "quit")
)
"""Words that do something that cannot be taken back: with more behind them (`exchange RB GO`),
something else was meant."""


class Commands:
    """Obeys lines for one session, and remembers what `log` shows."""

    def __init__(self, session: Session, may_quit: Callable[[], Awaitable[bool]] | None) -> None:
        """`may_quit` is asked before `quit` is obeyed."""
        self._session = session
        self._may_quit = may_quit
        self._log: deque[str] = deque(maxlen=LOG_KEPT)
        self._game_id = ""
        self._turn: int | None = None
        self._heard_at = time.monotonic()
        self.advice = GameAdvice(session)
        self._words: dict[str, Callable[[str], Awaitable[Answer]]] = {
            "help": self._help,
            "?": self._help,
            "board": self._board,
            "rack": self._rack,
            "scores": self._scores,
            "turn": self._turn_asked,
            "moves": self._moves,
            "hint": self._hint,
            "review": self._review,
            "try": self._try,
            "place": self._place,
            "refill": self._refill,
            "exchange": self._exchange,
            "seats": self._seats,
            "table": self._table,
            "bots": self._bots,
            "ready": self._ready,
            "start": self._start,
            "rematch": self._rematch,
            "say": self._say,
            "log": self._show_log,
            "rules": self._rules,
            "end": self._end,
            "back": self._back,
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
        text = line.partition("#")[0].strip()
        if not text:
            return Answer()
        word, *more = text.split(maxsplit=1)
        rest = more[0] if more else ""
        command = self._words.get(word.casefold())
        if rest and word.casefold() in _ALONE:
            command, word = None, text
        if command is None:
            known = _("{word} is no command; help lists them all.").format(word=word[:40])
            return Answer([known], misunderstood=True)
        try:
            return await command(rest)
        except UsageError as error:
            return Answer([str(error)], misunderstood=True)

    # --- what the client remembers for them -----------------------------------------------

    def remember(self, line: str) -> None:
        """Keeps a line for `log`."""
        self._log.append(line)

    def take_game(self, update: GameChanged) -> bool:
        """Notes the game; whether this is the first that is heard of it."""
        self.advice.take(update)
        self._heard_at = time.monotonic()
        first = update.game_id != self._game_id
        self._game_id = update.game_id
        if first:
            self._turn = None
        return first

    def turn_moved(self, turn: int) -> bool:
        """Notes whose turn it is; whether it was somebody else's before."""
        moved = turn != self._turn
        self._turn = turn
        return moved

    # --- questions ------------------------------------------------------------------------

    async def _help(self, rest: str) -> Answer:
        return Answer([f"{usage}: {_(meaning)}" for usage, meaning in _HELP])

    async def _board(self, rest: str) -> Answer:
        return Answer(board_sentences(self._view().board))

    async def _rack(self, rest: str) -> Answer:
        view = self._view()
        if view.viewer is None:
            return Answer([self._no_tiles()])
        return Answer([_("Your tiles: {tiles}.").format(tiles=sentences.tiles_text(view.rack))])

    async def _scores(self, rest: str) -> Answer:
        return Answer(sentences.score_sentences(self._view()))

    async def _turn_asked(self, rest: str) -> Answer:
        view = self._view()
        said = [sentences.turn_sentence(view), sentences.bag_sentence(view)]
        if self._session.game is not None:
            passed = time.monotonic() - self._heard_at
            said += sentences.clock_sentences(self._session.game, passed)
        return Answer(said)

    async def _seats(self, rest: str) -> Answer:
        return Answer(sentences.table_sentences(self._session.table, self._session.seat))

    async def _table(self, rest: str) -> Answer:
        table = self._session.table
        said = [_("{table}: {rules}.").format(table=table.name, rules=rules_words(table))]
        said += [f"{label}: {value}." for label, value in table_facts(table)]
        address = for_friends(self._session.link.address)
        if address:
            said.append(_("A friend joins with: genial join {address}").format(address=address))
        return Answer(said + sentences.match_sentences(table))

    async def _rules(self, rest: str) -> Answer:
        return Answer([f"{title}: {text}" for title, text in rules_parts()])

    async def _show_log(self, rest: str) -> Answer:
        if not self._log:
            return Answer([_("Nothing has happened yet.")])
        count = _number(rest, LOG_LINES, LOG_KEPT)
        return Answer(list(islice(self._log, max(len(self._log) - count, 0), None)))

    async def _moves(self, rest: str) -> Answer:
        count = _number(rest, MOVES_SHOWN, MOST_MOVES)
        view = self._view()
        if view.viewer is None:
            return Answer([self._no_tiles()])
        if view.is_over:
            return Answer([_("The game is over.")])
        if view.is_my_turn and view.phase is Phase.CLOSE:
            return Answer(_closing_moves(view))
        lines = [] if view.is_my_turn else ["# " + sentences.turn_sentence(view)]
        best = _best_placements(view)[:count]
        if not best:
            lines.append("# " + _("none of your tiles can be placed"))
        lines += [
            f"{sentences.placement_command(each.tile, each.cells)}"
            f"  # {sentences.points_text(each.points)}"
            for each in best
        ]
        return Answer(lines)

    async def _try(self, rest: str) -> Answer:
        tile, cells = _placement(rest)
        view = self._view()
        refusal = view.spot_refusal(cells)
        if refusal is not None:
            return Answer([sentences.refused_sentence(refusal)])
        points = view.points_of(tile, cells)
        total = ngettext("{count} point", "{count} points", sum(points)).format(count=sum(points))
        earned = sentences.points_text(points)
        return Answer([f"{total}: {earned}." if sum(points) else f"{total}."])

    async def _hint(self, rest: str) -> Answer:
        return Answer(await self.advice.hint())

    async def _review(self, rest: str) -> Answer:
        return Answer(await self.advice.review())

    # --- moves ----------------------------------------------------------------------------

    async def _place(self, rest: str) -> Answer:
        tile, cells = _placement(rest)
        self._view()
        await self._session.place_tile(tile, cells)
        return Answer()

    async def _refill(self, rest: str) -> Answer:
        self._view()
        await self._session.refill()
        return Answer()

    async def _exchange(self, rest: str) -> Answer:
        self._view()
        await self._session.exchange()
        return Answer()

    async def _resign(self, rest: str) -> Answer:
        self._view()
        await self._session.resign()
        return Answer()

    # --- the table ------------------------------------------------------------------------

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

    async def _say(self, rest: str) -> Answer:
        if not rest:
            raise UsageError(_("Say what, like: say Good luck!"))
        await self._session.say(rest)
        return Answer()

    async def _end(self, rest: str) -> Answer:
        if rest.casefold() in ("no", _("no")):
            await self._session.propose_end(False)
            return Answer([_("You do not agree to end the game any more.")])
        if rest:
            raise UsageError(_("Type end to agree to end the game, or end no to take it back."))
        await self._session.propose_end()
        return Answer([_("You agree to end the game; it ends once everybody does.")])

    async def _back(self, rest: str) -> Answer:
        await self._session.take_back()
        return Answer()

    async def _leave(self, rest: str) -> Answer:
        await self._session.leave()
        raise Quit

    async def _quit(self, rest: str) -> Answer:
        if self._may_quit is not None and not await self._may_quit():
            return Answer([_("You stay.")])
        raise Quit

    def _no_tiles(self) -> str:
        if self._session.played_for:
            return sentences.played_for_sentence()
        return _("You are watching and have no tiles.")

    def _view(self) -> PlayerView:
        if self._session.game is None:
            raise UsageError(_("No game has begun here yet; it does once everybody is ready."))
        return self._session.game.view


def _placement(text: str) -> tuple[Tile, tuple[Axial, Axial]]:
    """A tile and two cells as they are typed behind a command.

    Raises:
        UsageError: They are none.
    """
    words = text.upper().split()
    if len(words) != 3:
        raise UsageError(_("Say which tile and which two cells, like: place RB D8 D9"))
    try:
        return Tile.parse_oriented(words[0]), (parse_cell(words[1]), parse_cell(words[2]))
    except (MalformedTileError, MalformedCellError) as error:
        raise UsageError(f"{error}.") from None


def _best_placements(view: PlayerView) -> list[ScoredPlacement]:
    """As `scored_placements`, but out of turn as well: as the board stands now."""
    if view.must_place:
        return view.scored_placements()
    scored = []
    for tile, cells in placements_on(view.reachable_pairs(), view.rack):
        points = view.points_of(tile, cells)
        scored.append(ScoredPlacement(tile, cells, points, sum(points)))
    return sorted(scored, key=lambda placement: -placement.total)


def _closing_moves(view: PlayerView) -> list[str]:
    lines = ["refill  # " + _("draws up to six tiles and ends your turn")]
    if view.may_exchange:
        lines.append("exchange  # " + _("six new tiles for your whole rack; ends your turn"))
    return lines


def _number(text: str, default: int, most: int) -> int:
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text)):
        raise UsageError(_("{text} is not a number of lines.").format(text=text[:40]))
    return min(int(text), most)
