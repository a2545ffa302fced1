"""Everything that is said to people about a game, a table, a refusal; see `deal_sentences` too.

One place, so that the screen and the plain client say the same, and translators find
it all. Each function gives one sentence, or a list of them; none ends in a line break.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, assert_never

from genial.client.agreements import agreement_changes
from genial.client.text import N_, _, ngettext
from genial.client.updates import GameChanged, HostClosing
from genial.engine.board import cell_name
from genial.engine.moves import Ended, Phase, Placed, Resigned, TakenOver
from genial.engine.refusal import Refused
from genial.engine.rules import EndReason, Mode, SeatKind, Track, lowest_symbols
from genial.engine.tiles import LETTERS, Tile
from genial.engine.view import (
    HiddenDraw,
    PlayerView,
    SeenDealt,
    SeenEvent,
    SeenExchanged,
    SeenRefilled,
    SeenSkipped,
)
from genial.v1.game_pb2 import SeatKind as WireKind
from genial.v1.table_pb2 import ChatMessage, Table, TableSeat, TableState
from genial.wire.reasons import fill, parse_reason, placeholders_of, template_of

_MADE_UP: Final = re.compile(r"Table (\d+)", re.ASCII)
"""What a host calls a table that nobody has named; data on the wire, like any other name."""

# --- refusals -----------------------------------------------------------------------


def refusal_sentence(reason: str, metadata: dict[str, str], fallback: str) -> str:
    """What a refusal means and what to do, in the person's language.

    Args:
        reason: The host's name for it.
        metadata: What fills the sentence.
        fallback: The host's own sentence, for reasons of a newer host.
    """
    known = parse_reason(reason)
    if known is None or not placeholders_of(known) <= metadata.keys():
        return fallback
    return fill(_(template_of(known)), metadata | _seats_from_one(metadata))


def _seats_from_one(metadata: dict[str, str]) -> dict[str, str]:
    """The seats that a refusal names, as people count them; on the wire the first is 0."""
    return {
        key: str(int(metadata[key]) + 1)
        for key in ("seat", "own")
        if len(metadata.get(key, "")) < 4 and metadata.get(key, "").isdecimal()
    }


def refused_sentence(refused: Refused) -> str:
    """The same for a refusal of the engine's, found before anything was sent."""
    return refusal_sentence(refused.refusal, refused.metadata, str(refused))


# --- small pieces -------------------------------------------------------------------


def points_text(points: Track) -> str:
    """Points by symbol, zeroes left out: `R 2, B 1`; `no points` where there are none."""
    earned = [f"{letter} {count}" for letter, count in zip(LETTERS, points, strict=True) if count]
    return ", ".join(earned) or _("no points")


def track_text(track: Track) -> str:
    """All six counters: `R 1, G 0, B 4, O 0, Y 2, P 0`."""
    return ", ".join(f"{letter} {count}" for letter, count in zip(LETTERS, track, strict=True))


def tiles_text(tiles: Sequence[Tile]) -> str:
    """Tiles in the order given: `RB, GG`; `no tiles` where there are none."""
    return ", ".join(map(str, tiles)) or _("no tiles")


def placement_command(tile: Tile, cells: Sequence[tuple[int, int]]) -> str:
    """A placement as it is typed: `place RB D8 D9` (never translated)."""
    return f"place {tile} {' '.join(cell_name(cell) for cell in cells)}"


def listed(names: Sequence[str]) -> str:
    """Names as a list in a sentence: `Ana`, `Ana and Max`, `Ana, Max and Eva`."""
    if len(names) < 2:
        return "".join(names)
    return _("{others} and {last}").format(others=", ".join(names[:-1]), last=names[-1])


def table_name(name: str) -> str:
    """A table's name as it is shown: one that the host has made up, in the person's language."""
    made_up = _MADE_UP.fullmatch(name)
    return _("Table {number}").format(number=made_up[1]) if made_up else name


def clock_text(seconds: float) -> str:
    """A thinking clock: `8:42`, `0:09`; never below zero."""
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02}"


def won_text(twelfths: int) -> str:
    """Games won; shared wins as a decimal."""
    return str(twelfths // 12) if twelfths % 12 == 0 else f"{twelfths / 12:.1f}"


# --- the game -----------------------------------------------------------------------


def event_sentences(event: SeenEvent, view: PlayerView) -> list[str]:
    """What happened, told to `view.viewer`, who is "you"; most important first."""
    match event:
        case SeenDealt(seat, draw):
            if seat != view.viewer or isinstance(draw, HiddenDraw):
                return []
            return [_("Your tiles: {tiles}.").format(tiles=tiles_text(sorted(draw)))]
        case Placed():
            return _placed(event, view)
        case SeenRefilled(seat, draw):
            return [_drawn(seat, draw, view)]
        case SeenExchanged(seat, returned, draw):
            shown = tiles_text(returned)
            if seat == view.viewer and not isinstance(draw, HiddenDraw):
                return [
                    _("You exchanged {tiles} for {drawn}.").format(
                        tiles=shown, drawn=tiles_text(sorted(draw))
                    )
                ]
            return [_("{name} exchanged {tiles}.").format(name=_name(view, seat), tiles=shown)]
        case SeenSkipped(seat, _draw):
            return [_("The turn of {name} was skipped.").format(name=_name(view, seat))]
        case Resigned(seat):
            if seat == view.viewer:
                return [_("You have resigned.")]
            return [_("{name} has resigned.").format(name=_name(view, seat))]
        case TakenOver(seat, name, kind, _level):
            if kind is SeatKind.BOT:
                return [
                    _("A bot, {name}, plays on at seat {seat}.").format(name=name, seat=seat + 1)
                ]
            return [_("{name} is back at seat {seat}.").format(name=name, seat=seat + 1)]
        case Ended():
            return end_sentences(event, view)
    assert_never(event)


def played_for_sentence() -> str:
    """That a bot has our seat, and how to get it back."""
    return _("A bot plays on for you; type back to take your seat again.")


def _placed(placed: Placed, view: PlayerView) -> list[str]:
    where = placement_command(placed.tile, placed.cells).removeprefix("place ")
    earned = points_text(placed.points)
    if placed.seat == view.viewer:
        said = [_("You placed {placement}: {points}.").format(placement=where, points=earned)]
    else:
        said = [
            _("{name} placed {placement}: {points}.").format(
                name=_name(view, placed.seat), placement=where, points=earned
            )
        ]
    if placed.bonus_owed:
        said.append(
            ngettext(
                "Ingenious! {count} bonus placement follows.",
                "Ingenious! {count} bonus placements follow.",
                placed.bonus_owed,
            ).format(count=placed.bonus_owed)
        )
    return said


def _drawn(seat: int, draw: Sequence[Tile] | HiddenDraw, view: PlayerView) -> str:
    if isinstance(draw, HiddenDraw):
        return ngettext(
            "{name} drew {count} tile.", "{name} drew {count} tiles.", draw.count
        ).format(name=_name(view, seat), count=draw.count)
    if seat == view.viewer:
        return _("You drew {tiles}.").format(tiles=tiles_text(draw))
    return _("{name} drew nothing.").format(name=_name(view, seat))


_END_REASONS: Final = {
    EndReason.ALL_AT_CAP: N_("The game is over: a track is full in all six symbols."),
    EndReason.BOARD_FULL: N_("The game is over: no tile fits on the board any more."),
    EndReason.RESIGNED: N_("The game is over: everybody else has resigned."),
    EndReason.AGREED: N_("The game is over: everybody agreed to end it."),
    EndReason.ABANDONED: N_("The game is over: everybody has left."),
}


def end_sentences(ended: Ended, view: PlayerView) -> list[str]:
    """Why the game is over, then the ranks with the sorted scores that decided them."""
    said = [_(_END_REASONS[ended.reason])]
    if view.rules.mode is Mode.SOLO:
        track = ended.tracks[0]
        result = _("The result is {points}, the lowest counter ({track}).")
        return [*said, result.format(points=min(track), track=track_text(track))]
    rank = 1
    for group in ended.ranking:
        for seat in group:
            sorted_scores = " ".join(map(str, sorted(ended.tracks[seat])))
            said.append(
                _("Rank {rank}: {name}, lowest first {scores} ({track}).").format(
                    rank=rank,
                    name=you_or_name(view, seat),
                    scores=sorted_scores,
                    track=track_text(ended.tracks[seat]),
                )
            )
        rank += len(group)
    return said


def turn_sentence(view: PlayerView) -> str:
    """What is due, and from whom."""
    if view.phase is Phase.OVER:
        return _("The game is over.")
    if view.viewer != view.turn:
        name = _name(view, view.turn)
        match view.phase:
            case Phase.BONUS:
                return _("{name} has a bonus placement to make.").format(name=name)
            case Phase.CLOSE:
                return _("{name} is ending the turn.").format(name=name)
            case _other:
                return _("It is the turn of {name}.").format(name=name)
    match view.phase:
        case Phase.BONUS:
            return ngettext(
                "Place a bonus tile: you owe {count}.",
                "Place a bonus tile: you owe {count} of them.",
                view.bonus_owed,
            ).format(count=view.bonus_owed)
        case Phase.CLOSE if view.may_exchange:
            return _("End your turn: refill, or exchange your whole rack.")
        case Phase.CLOSE:
            return _("End your turn: refill.")
        case _place:
            return _("It is your turn: place a tile.")


def score_sentences(view: PlayerView) -> list[str]:
    """Every track, the viewer's first, then clockwise, each with what is weakest in it."""
    players = len(view.seats)
    start = view.viewer or 0
    said: list[str] = []
    told: set[int] = set()
    for step in range(players):
        team = view.rules.team_of((start + step) % players)
        if team in told:
            continue
        told.add(team)
        seats = sorted(view.rules.teams[team], key=lambda seat: (seat - start) % players)
        track = view.seats[seats[0]].track
        weakest = [LETTERS[symbol - 1] for symbol in lowest_symbols(track)]
        said.append(
            _("{name}: {track}; lowest {lowest}: {symbols}.").format(
                name=listed([you_or_name(view, seat) for seat in seats]),
                track=track_text(track),
                lowest=min(track),
                symbols=", ".join(weakest),
            )
        )
    return said


def bag_sentence(view: PlayerView) -> str:
    """How many tiles the bag still holds."""
    return ngettext(
        "The bag holds {count} tile.", "The bag holds {count} tiles.", view.bag_count
    ).format(count=view.bag_count)


def clock_sentences(game: GameChanged, passed: float) -> list[str]:
    """One sentence with all clocks, the viewer's first, then clockwise; none without clocks.

    Args:
        game: The game, with its clocks as of the moment when this came.
        passed: Seconds since then.
    """
    view = game.view
    start, players = view.viewer or 0, len(view.seats)
    left = [
        (seat, game.clock_left(seat, passed))
        for seat in ((start + step) % players for step in range(players))
    ]
    clocks = [
        f"{you_or_name(view, seat)} {clock_text(seconds)}"
        for seat, seconds in left
        if seconds is not None
    ]
    return [_("Time left: {clocks}.").format(clocks=", ".join(clocks))] if clocks else []


def standing_sentences(view: PlayerView) -> list[str]:
    """How a game stands, for somebody who comes in the middle: tiles, tracks, bag, or its end."""
    said = []
    if view.viewer is not None:
        said.append(_("Your tiles: {tiles}.").format(tiles=tiles_text(view.rack)))
    said += score_sentences(view)
    if view.ended is not None:
        return said + end_sentences(view.ended, view)
    return [*said, bag_sentence(view)]


def _name(view: PlayerView, seat: int) -> str:
    return view.seats[seat].name


def you_or_name(view: PlayerView, seat: int) -> str:
    """A seat's name, the viewer's own marked as such."""
    if seat == view.viewer:
        return _("{name} (you)").format(name=_name(view, seat))
    return _name(view, seat)


# --- the table ----------------------------------------------------------------------


def seat_sentence(seat: TableSeat, own: bool) -> str:
    """Who sits on a seat, and how they stand."""
    number = seat.seat + 1
    if seat.kind == WireKind.SEAT_KIND_OPEN:
        return _("Seat {seat} is open.").format(seat=number)
    if seat.kind == WireKind.SEAT_KIND_BOT:
        return _("Seat {seat}: {name}, a bot ({level}).").format(
            seat=number, name=seat.name, level=seat.level
        )
    name = _("{name} (you)").format(name=seat.name) if own else seat.name
    if not seat.connected and not own:
        return _("Seat {seat}: {name}, not connected.").format(seat=number, name=name)
    if seat.ready:
        return _("Seat {seat}: {name}, ready.").format(seat=number, name=name)
    return _("Seat {seat}: {name}, not ready.").format(seat=number, name=name)


def _arrival_sentence(seat: TableSeat, own: bool) -> str:
    """The same to whoever comes to an open table: others may have come a moment before.

    They connect and get ready by themselves within a second, and so does the viewer.
    """
    if seat.kind != WireKind.SEAT_KIND_HUMAN or seat.ready:
        return seat_sentence(seat, own)
    name = _("{name} (you)").format(name=seat.name) if own else seat.name
    return _("Seat {seat}: {name}.").format(seat=seat.seat + 1, name=name)


def table_sentences(table: Table, seat: int | None, *, arriving: bool = False) -> list[str]:
    """The table as it stands: its name, then each seat.

    Args:
        table: The table.
        seat: The viewer's own; None for spectators.
        arriving: Whether the viewer sees the table for the first time.
    """
    name = table_name(table.name)
    named = _("This is table {name}.") if name == table.name else _("This is {name}.")
    said = [named.format(name=name)]
    opening = arriving and table.state == TableState.TABLE_STATE_OPEN
    sentence = _arrival_sentence if opening else seat_sentence
    return said + [sentence(each, each.seat == seat) for each in table.seats]


def match_sentences(table: Table) -> list[str]:
    """The standings after a game, best first; none where nobody plays against anybody."""
    games = max((row.games for row in table.standings), default=0)
    if not games or len(table.seats) < 2:
        return []
    heading = ngettext(
        "The standings after {count} game, best first:",
        "The standings after {count} games, best first:",
        games,
    ).format(count=games)
    row = _("{name}: games won {won}, lowest counters together {lowest}.")
    return [heading] + [
        row.format(name=each.name, won=won_text(each.won_twelfths), lowest=each.lowest_sum)
        for each in table.standings
    ]


def following_sentence(table: Table) -> str:
    """That the next game of a match comes by itself; empty where it does not."""
    games = table.options.games
    if not 1 < table.game_number <= games:
        return ""
    return _("Game {number} of {games} follows by itself.").format(
        number=table.game_number, games=games
    )


def next_sentence(table: Table) -> str:
    """What may come after a game, at a table that is open again."""
    asking = _("Type rematch to play again, review to look at this game, or quit.")
    return following_sentence(table) or asking


_STATES: Final = {
    TableState.TABLE_STATE_DEALING: N_("Everybody is ready; the tiles are dealt."),
    TableState.TABLE_STATE_ACTIVE: N_("The game begins."),
    TableState.TABLE_STATE_SHELVED: N_(
        "The table is put away, with every seat kept; `resume` takes it out again."
    ),
    TableState.TABLE_STATE_FINISHED: N_("The table is finished."),
    TableState.TABLE_STATE_ABANDONED: N_("The table is closed: everybody has left."),
}


def table_changes(before: Table, after: Table, view: PlayerView | None = None) -> list[str]:
    """What changed at the table from one message to the next, but for the game itself.

    Args:
        before: As it was.
        after: As it is.
        view: The running game, for whose agreement counts; None: nothing of it is known.
    """
    said: list[str] = []
    own = after.viewer_seat if after.HasField("viewer_seat") else None
    for old, new in zip(before.seats, after.seats, strict=False):
        said += _seat_changes(old, new, new.seat == own, (before.state, after.state))
    if before.seats_locked != after.seats_locked:
        said.append(_("The seats are locked.") if after.seats_locked else _("The seats are open."))
    said += agreement_changes(before, after, view)
    if before.state == TableState.TABLE_STATE_SHELVED != after.state:
        if after.state in (TableState.TABLE_STATE_OPEN, TableState.TABLE_STATE_ACTIVE):
            said.append(_("The table is out again and goes on as it was."))
    elif before.state != after.state and after.state in _STATES:
        said.append(_(_STATES[after.state]))
    return said


def _seat_changes(
    old: TableSeat,
    new: TableSeat,
    own: bool,
    states: tuple[TableState.ValueType, TableState.ValueType],
) -> list[str]:
    said: list[str] = []
    open_still = states == (TableState.TABLE_STATE_OPEN, TableState.TABLE_STATE_OPEN)
    if (old.name, old.kind) != (new.name, new.kind):
        playing = states == (TableState.TABLE_STATE_ACTIVE, TableState.TABLE_STATE_ACTIVE)
        if playing and WireKind.SEAT_KIND_OPEN not in (old.kind, new.kind):
            # A takeover, which the game tells itself.
            return said
        if old.kind == WireKind.SEAT_KIND_HUMAN and new.kind == WireKind.SEAT_KIND_OPEN:
            said.append(_("{name} has left the table.").format(name=old.name))
        elif old.kind == WireKind.SEAT_KIND_BOT and new.kind == WireKind.SEAT_KIND_OPEN:
            said.append(_("The bot {name} has left the table.").format(name=old.name))
        elif new.kind == WireKind.SEAT_KIND_BOT:
            said.append(
                _("The bot {name} ({level}) sits down.").format(name=new.name, level=new.level)
            )
        elif not own:
            said.append(_("{name} sits down.").format(name=new.name))
        return said
    if new.kind != WireKind.SEAT_KIND_HUMAN or own:
        return said
    if old.connected and not new.connected:
        # Whether the line broke or the person left it cannot be told from here.
        said.append(_("{name} is away.").format(name=new.name))
    elif new.connected and not old.connected and (old.ready or not open_still):
        # Who has just sat down connects a moment later, which is no news.
        said.append(_("{name} is here again.").format(name=new.name))
    if old.ready != new.ready and open_still:
        ready = _("{name} is ready.") if new.ready else _("{name} is not ready any more.")
        said.append(ready.format(name=new.name))
    if new.creator and not old.creator:
        said.append(_("{name} looks after the table now.").format(name=new.name))
    return said


def chat_sentence(message: ChatMessage) -> str:
    """A chat message with who wrote it; spectators have no name."""
    name = message.name or _("A spectator")
    return _("{name} says: {text}").format(name=name, text=message.text)


def closing_sentence(closing: HostClosing) -> str:
    """The host's good-bye."""
    said = closing.message or _("The host is closing.")
    if closing.returning:
        return _("{said} It means to come back; your seat is kept.").format(said=said)
    return said
