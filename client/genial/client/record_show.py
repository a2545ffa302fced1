"""A recorded game as readable text: what `genial record show` prints. Pure.

Everything but people's names is ASCII, every cell is named as in docs/rules.md, and
nothing is wider than 80 columns as long as names are not.
"""

from __future__ import annotations

from typing import Final

from genial.client.palette import Look, Theme
from genial.client.record_files import OpenedRecord
from genial.client.replay import Position, Replay
from genial.client.sentences import (
    bag_sentence,
    end_sentences,
    listed,
    points_text,
    tiles_text,
    turn_sentence,
)
from genial.client.text import N_, _, ngettext
from genial.client.view.board import BoardPicture, draw_board
from genial.client.view.canvas import Canvas, cut, fit, width_of
from genial.client.view.geometry import SmallGrid
from genial.client.view.words import mode_word, preset_word
from genial.engine.board import Board, cell_name
from genial.engine.game import Game
from genial.engine.moves import Ended, Placed, Seat
from genial.engine.record import RecordHeader, Verdict
from genial.engine.rules import FirstBy, Leaving, Mode, SeatKind, weakest_first

_ASCII: Final = Look(theme=Theme.ASCII)
_NAMES_COLUMNS: Final = 4
"""Room left of a row for its first cell's name; as much on the right."""
_FREE_TEXT: Final = 60
"""Columns for what a file says in its own words, such as the program that wrote it."""

_FIRST_BY: Final = {
    FirstBy.NAMED: N_("begins, as named before the game"),
    FirstBy.CHANCE: N_("begins, by chance"),
    FirstBy.ROTATION: N_("begins, one place on from the last game"),
}


def board_lines(board: Board, last: Placed | None = None) -> list[str]:
    """The board in ASCII, a line a row: `:R:` printed, `<R>` placed last, dots where free.

    Rings 6 and 7 have `,` and `-` for dots, so that the zones of fewer players show.
    """
    grid = SmallGrid(board.zone.radius, _NAMES_COLUMNS, 0)
    canvas = Canvas(grid.width + 2 * _NAMES_COLUMNS, grid.height)
    cells = frozenset(last.cells) if last is not None else frozenset()
    draw_board(canvas, grid, BoardPicture(board, last=cells), _ASCII)
    return canvas.text().splitlines()


def team_names(game: Game) -> list[str]:
    """Who shares each track: `Ana`, or `Ana and Eva` for partners."""
    return [listed([game.seats[seat].name for seat in team]) for team in game.rules.teams]


def track_lines(game: Game) -> list[str]:
    """Every track in a line, weakest counter first, which is how they rank."""
    names = team_names(game)
    width = max(map(width_of, names))
    return [
        f"  {fit(name, width)}  "
        + "  ".join(f"{symbol.letter} {points:2}" for symbol, points in weakest_first(track))
        for name, track in zip(names, game.tracks, strict=True)
    ]


def show_game(opened: OpenedRecord, replay: Replay) -> str:
    """The whole game: who played by which rules, every move, the last board, the ranking."""
    last = replay.positions[replay.end]
    lines = [*_header_lines(opened, replay), "", _("MOVES"), *_move_lines(replay), ""]
    lines += [_("BOARD"), *board_lines(last.game.board, last.last_placed), *_legend(), ""]
    lines += [_("TRACKS, weakest first"), *track_lines(last.game), ""]
    view = replay.view(replay.end)
    if last.game.ended is not None:
        lines += end_sentences(last.game.ended, view)
    else:
        lines += [_("The record breaks off here."), turn_sentence(view)]
    return "\n".join([*lines, ""])


def show_position(replay: Replay, at: int) -> str:
    """The position at a place: what led to it, the board, tracks, racks, what comes next."""
    position = replay.positions[at]
    game, view = position.game, replay.view(at)
    lines = [_("AFTER EVENT {n}").format(n=position.n), *replay.sentences(at), ""]
    if at == replay.start:
        lines = [_("BEFORE THE DEAL"), ""]
    lines += [_("BOARD"), *board_lines(game.board, position.last_placed), *_legend(), ""]
    lines += [_("TRACKS, weakest first"), *track_lines(game), ""]
    lines += [_("RACKS"), *rack_lines(position), bag_sentence(view), ""]
    if game.ended is None:
        lines.append(turn_sentence(view))
    else:
        lines += end_sentences(game.ended, view)
    return "\n".join([*lines, ""])


def rack_lines(position: Position) -> list[str]:
    """Every seat's tiles, a line each: the game is over, so none is secret."""
    seats = position.game.seats
    width = max(width_of(seat.name) for seat in seats)
    return [
        f"  {fit(seat.name, width)}  {tiles_text(rack)}"
        for seat, rack in zip(seats, position.racks, strict=True)
    ]


def verdict_sentence(opened: OpenedRecord) -> str:
    """What the record proves, in a sentence."""
    if opened.verdict is Verdict.VERIFIED:
        return _("Verified: every draw follows from the seed and everybody's nonces.")
    return _("Consistent, but the deal cannot be verified: {reason}.").format(reason=opened.reason)


def rules_sentence(header: RecordHeader) -> str:
    """Mode, players and preset, and what becomes of who leaves."""
    rules = header.rules
    said = [mode_word(rules.mode)]
    if rules.mode is Mode.FREE:
        said.append(
            ngettext("{count} player", "{count} players", rules.players).format(count=rules.players)
        )
    said.append(preset_word(rules.preset))
    if rules.mode is not Mode.SOLO:
        said.append(
            _("a bot plays on for who leaves")
            if rules.leaving is Leaving.BOT
            else _("who leaves is skipped")
        )
    return ", ".join(said)


def _header_lines(opened: OpenedRecord, replay: Replay) -> list[str]:
    header = replay.record.header
    day, clock = header.started_at[:10], header.started_at[11:16]
    lines = [
        _("GAME {game}").format(game=cut(header.game_id, _FREE_TEXT)),
        _("Begun on {day} at {time} UTC").format(day=cut(day, 10), time=cut(clock, 5)),
        _("Rules: {rules}").format(rules=rules_sentence(header)),
    ]
    if header.match is not None:
        games = header.match.game, header.match.of
        lines.append(
            _("Match: game {game} of {of}").format(game=games[0], of=games[1])
            if games[1]
            else _("Match: game {game}").format(game=games[0])
        )
    if header.clock is not None:
        lines.append(_("Clock: {clock}").format(clock=cut(header.clock, _FREE_TEXT)))
    if header.software is not None:
        lines.append(_("Written by {software}").format(software=cut(header.software, _FREE_TEXT)))
    if header.deal is not None and header.deal > 1:
        lines.append(_("Deal {deal}: earlier ones were void").format(deal=header.deal))
    lines += [verdict_sentence(opened), "", _("SEATS")]
    width = max(width_of(seat.name) for seat in header.seats)
    for number, seat in enumerate(header.seats):
        said = [_kind_words(seat)]
        if number == header.first_seat and len(header.seats) > 1:
            said.append(_(_FIRST_BY[header.first_by]))
        lines.append(f"  {number}  {fit(seat.name, width)}  {', '.join(said)}")
    return lines


def _kind_words(seat: Seat) -> str:
    if seat.kind is SeatKind.HUMAN:
        return _("person")
    if seat.level is None:
        return _("bot")
    return _("bot ({level})").format(level=cut(seat.level, 20))


def _move_lines(replay: Replay) -> list[str]:
    """Placements in columns, everything else as a sentence under them."""
    width = max(width_of(seat.name) for seat in replay.positions[replay.end].game.seats)
    lines = [f"  {_('event'):>5}  {_('move'):>4}"]
    for at in range(replay.start + 1, replay.end + 1):
        position = replay.positions[at]
        assert position.led is not None
        event = position.led.event
        if not isinstance(event, Placed):
            # The ranking stands at the end, below the tracks.
            said = replay.sentences(at)[:1] if isinstance(event, Ended) else replay.sentences(at)
            lines += [f"  {position.n:5}        {sentence}" for sentence in said]
            continue
        name = fit(position.game.seats[event.seat].name, width)
        cells = " ".join(map(cell_name, event.cells))
        row = f"{name}  {event.tile} {cells:7}  {points_text(event.points)}"
        row += "  " + _("Ingenious!") if replay.calls(at) else ""
        if event.bonus_owed:
            row += "  " + _("owes {owed}").format(owed=event.bonus_owed)
        lines.append(f"  {position.n:5}  {position.move:4}  {row}")
    return lines


def _legend() -> list[str]:
    return [_("    :R: printed start symbol, <R> the tile placed last")]
