"""Questions of the plain client about its game: what there is to know, heard instead of seen."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from itertools import islice
from typing import Final

from genial.client import sentences
from genial.client.board_text import board_sentences
from genial.client.course import follow
from genial.client.plain_words import Answer, Command, UsageError, number_of_lines
from genial.client.session import GameChanged, Session
from genial.client.text import _, ngettext
from genial.engine.board import (
    START_SYMBOLS,
    MalformedCellError,
    cell_name,
    parse_cell,
)
from genial.engine.hexgrid import Axial
from genial.engine.legality import placements_on
from genial.engine.moves import Ended, Phase
from genial.engine.tiles import MalformedTileError, Tile
from genial.engine.view import PlayerView, ScoredPlacement

MOVES_SHOWN: Final = 5
MOST_MOVES: Final = 10_000
LOG_LINES: Final = 20
LOG_KEPT: Final = 500


class Facts:
    """Answers questions about one session's game, and remembers what was told of it."""

    def __init__(self, session: Session) -> None:
        """Nothing has been heard yet."""
        self._session = session
        self._log: deque[str] = deque(maxlen=LOG_KEPT)
        self._since: list[str] = []
        self._game_id = ""
        self._turn: int | None = None
        self._heard_at = time.monotonic()
        self._race: dict[int, list[int]] = {}
        self._tracks: dict[int, tuple[int, ...]] = {}
        self.words: Mapping[str, Command] = {
            "board": self._board,
            "rack": self._rack,
            "scores": self._scores,
            "turn": self._turn_asked,
            "moves": self._moves,
            "heat": self._heat,
            "try": self._try,
            "log": self._show_log,
            "since": self._show_since,
            "race": self._show_race,
        }

    # --- what is remembered ----------------------------------------------------------------

    def remember(self, line: str) -> None:
        """Keeps a line for `log`."""
        self._log.append(line)

    def take(self, update: GameChanged) -> bool:
        """Notes the game; whether this is the first that is heard of it."""
        view = update.view
        first = update.game_id != self._game_id
        if first or update.gap:
            self._race, self._since = {}, []
            before = (0,) * 6
            self._tracks = dict.fromkeys(range(len(view.seats)), before)
        self._game_id = update.game_id
        for numbered in update.events:
            event = numbered.event
            follow(event, view, self._tracks, self._race)
            if not isinstance(event, Ended) and event.seat == view.viewer:
                self._since.clear()
            else:
                self._since += sentences.event_sentences(event, view)
        self._tracks = {seat: each.track for seat, each in enumerate(view.seats)}
        self._heard_at = time.monotonic()
        if first:
            self._turn = None
        return first

    def turn_moved(self, turn: int) -> bool:
        """Notes whose turn it is; whether it was somebody else's before."""
        moved = turn != self._turn
        self._turn = turn
        return moved

    @property
    def view(self) -> PlayerView:
        """The game as it stands.

        Raises:
            UsageError: There is none.
        """
        if self._session.game is None:
            raise UsageError(_("No game has begun here yet; it does once everybody is ready."))
        return self._session.game.view

    def check_begun(self) -> None:
        """Nothing, where there is a game.

        Raises:
            UsageError: There is none.
        """
        _view = self.view

    # --- questions ------------------------------------------------------------------------

    async def _board(self, rest: str) -> Answer:
        return Answer(board_sentences(self.view.board))

    async def _rack(self, rest: str) -> Answer:
        view = self.view
        if view.viewer is None:
            return Answer([self._no_tiles()])
        return Answer([_("Your tiles: {tiles}.").format(tiles=sentences.tiles_text(view.rack))])

    async def _scores(self, rest: str) -> Answer:
        return Answer(sentences.score_sentences(self.view))

    async def _turn_asked(self, rest: str) -> Answer:
        view = self.view
        said = [sentences.turn_sentence(view), *_first_tile(view), sentences.bag_sentence(view)]
        game = self._session.game
        if game is not None:
            passed = time.monotonic() - self._heard_at
            said += sentences.clock_sentences(game, passed)
            if game.message.clocks_paused and not view.is_over:
                said.append(_("The clocks are paused."))
        return Answer(said)

    async def _show_log(self, rest: str) -> Answer:
        count = number_of_lines(rest, LOG_LINES, LOG_KEPT)
        if not self._log:
            return Answer([_("Nothing has happened yet.")])
        return Answer(list(islice(self._log, max(len(self._log) - count, 0), None)))

    async def _show_since(self, rest: str) -> Answer:
        if not self._since:
            return Answer([_("Nobody else has moved since your turn.")])
        return Answer(list(self._since))

    async def _show_race(self, rest: str) -> Answer:
        view = self.view
        if not self._race:
            return Answer([_("No turn has ended yet.")])
        said = [_("The lowest counter at the end of each turn, first turn first.")]
        seats = [seat for team in view.rules.teams for seat in team if seat in self._race]
        row = _("{name}: {counters}.")
        for seat in seats:
            name = sentences.you_or_name(view, seat)
            said.append(row.format(name=name, counters=", ".join(map(str, self._race[seat]))))
        return Answer(said)

    async def _moves(self, rest: str) -> Answer:
        view = self.view
        tile, count = _tile_and_count(rest)
        if view.viewer is None:
            return Answer([self._no_tiles()])
        if view.is_over:
            return Answer([_("The game is over.")])
        if view.is_my_turn and view.phase is Phase.CLOSE:
            return Answer(_closing_moves(view))
        self._check_hints()
        lines = [] if view.is_my_turn else ["# " + sentences.turn_sentence(view)]
        best = _best_placements(view)
        if tile is not None:
            best = [each for each in best if each.tile.canonical == tile.canonical]
        if not best:
            nothing = _("none of your tiles can be placed")
            lines.append("# " + (nothing if tile is None else _("you have no place for this tile")))
        lines += [
            f"{sentences.placement_command(each.tile, each.cells)}"
            f"  # {sentences.points_text(each.points)}"
            for each in best[:count]
        ]
        return Answer(lines)

    async def _heat(self, rest: str) -> Answer:
        # Belongs to the screen, and is loaded for whoever asks.
        from genial.client.view.game import heat_of

        view = self.view
        if view.viewer is None:
            return Answer([self._no_tiles()])
        self._check_hints()
        tile = _tile(rest, _("Say which tile, like: heat RB"))
        cells: dict[int, list[str]] = {}
        for cell, points in heat_of(view, tile).items():
            cells.setdefault(points, []).append(cell_name(cell))
        if not cells:
            return Answer([_("There is no place for it.")])
        return Answer(
            [
                ngettext("{count} point: {cells}.", "{count} points: {cells}.", points).format(
                    count=points, cells=", ".join(sorted(names, key=_by_row))
                )
                for points, names in sorted(cells.items(), reverse=True)
            ]
        )

    async def _try(self, rest: str) -> Answer:
        tile, cells = placement(rest, "try")
        view = self.view
        refusal = view.spot_refusal(cells)
        if refusal is not None:
            return Answer([sentences.refused_sentence(refusal)])
        return Answer([worth(view, tile, cells)])

    def _check_hints(self) -> None:
        game = self._session.game
        if game is not None and not game.message.hints_allowed:
            raise UsageError(
                _("This table plays without hints; try tells what one placement would earn.")
            )

    def _no_tiles(self) -> str:
        if self._session.played_for:
            return sentences.played_for_sentence()
        return _("You are watching and have no tiles.")


def placement(text: str, word: str = "place") -> tuple[Tile, tuple[Axial, Axial]]:
    """A tile and two cells as they are typed behind a command's word.

    Raises:
        UsageError: They are none.
    """
    parts = text.upper().split()
    if len(parts) != 3:
        raise UsageError(
            _("Say which tile and which two cells, like: {command}").format(
                command=f"{word} RB D8 D9"
            )
        )
    try:
        return Tile.parse_oriented(parts[0]), (parse_cell(parts[1]), parse_cell(parts[2]))
    except MalformedTileError:
        raise UsageError(_no_tile(parts[0])) from None
    except MalformedCellError as error:
        raise UsageError(
            _("{text} is no cell: a row A to O and a number, like H8.").format(text=error.text[:20])
        ) from None


def worth(view: PlayerView, tile: Tile, cells: tuple[Axial, Axial]) -> str:
    """What a placement would earn, as a sentence."""
    points = view.points_of(tile, cells)
    total = ngettext("{count} point", "{count} points", sum(points)).format(count=sum(points))
    return f"{total}: {sentences.points_text(points)}." if sum(points) else f"{total}."


def _tile(text: str, asked: str) -> Tile:
    word = text.upper().strip()
    if not word:
        raise UsageError(asked)
    try:
        return Tile.parse_oriented(word)
    except MalformedTileError:
        raise UsageError(_no_tile(word)) from None


def _no_tile(text: str) -> str:
    return _("{text} is no tile: two letters, like RB.").format(text=text[:20])


def _tile_and_count(text: str) -> tuple[Tile | None, int]:
    """What `moves` is asked for: nothing, a number, a tile, or a tile and a number."""
    word, _space, rest = text.partition(" ")
    if not word or word[0].isdigit() or not word.isalpha():
        return None, number_of_lines(text, MOVES_SHOWN, MOST_MOVES)
    return _tile(word, ""), number_of_lines(rest.strip(), MOVES_SHOWN, MOST_MOVES)


def _by_row(name: str) -> tuple[str, int]:
    return name[0], int(name[1:])


def _first_tile(view: PlayerView) -> list[str]:
    """Where the viewer's first tile may begin, as long as it has not been placed."""
    if view.viewer is None or view.is_over or view.viewer in view.started:
        return []
    free = [
        f"{symbol.letter} {cell_name(cell)}"
        for cell, symbol in START_SYMBOLS.items()
        if symbol not in view.claimed
    ]
    return [
        _("Your first tile must touch one of the start symbols: {symbols}.").format(
            symbols=", ".join(free)
        )
    ]


def _best_placements(view: PlayerView) -> list[ScoredPlacement]:
    """As `scored_placements`, but out of turn as well: as the board stands now."""
    if view.must_place:
        return view.scored_placements()
    scored = []
    for tile, cells in placements_on(view.reachable_pairs(), view.rack):
        points = view.points_of(tile, cells)
        scored.append(ScoredPlacement(tile, cells, points, sum(points)))
    return sorted(scored, key=lambda each: -each.total)


def _closing_moves(view: PlayerView) -> list[str]:
    lines = ["refill  # " + _("draws up to six tiles and ends your turn")]
    if view.may_exchange:
        lines.append("exchange  # " + _("six new tiles for your whole rack; ends your turn"))
    return lines
