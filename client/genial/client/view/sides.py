"""What stands beside the board, as spans: turn, clock, preview, what others did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from genial.client.agreements import agrees_to_end, agrees_to_pause, askers, missing
from genial.client.keys import PauseStep, pause_step
from genial.client.model import Ghost, Model, Play, Remark
from genial.client.palette import Look
from genial.client.sentences import clock_text, refused_sentence, won_text
from genial.client.text import _, ngettext
from genial.client.view.canvas import cut, width_of
from genial.client.view.log import is_told, play_sentence
from genial.client.view.spans import Span, points_spans, tile_chip
from genial.client.view.tracks import TrackRow
from genial.client.view.words import chat_name
from genial.engine.board import cell_name
from genial.engine.moves import Phase
from genial.engine.rules import Mode, SeatKind
from genial.engine.view import PlayerView

REVERSED: Final = "strong"


def turn_text(model: Model, view: PlayerView, room: int) -> tuple[str, bool]:
    """Whose turn it is, in at most `room` columns, and whether that is ours."""
    if view.is_over:
        return cut(_("GAME OVER"), room), False
    if model.shelved:
        return cut(_("PUT AWAY"), room), False
    name = model.name_of(view.turn).upper()
    if not view.is_my_turn:
        template = _("{name} TO MOVE")
        return template.format(name=cut(name, room - width_of(template.format(name="")))), False
    match view.phase:
        case Phase.BONUS:
            text = _("BONUS")
        case Phase.CLOSE:
            text = _("END TURN")
        case _:
            text = _("YOUR TURN")
    named = f"{text}, {name}"
    return (named if width_of(named) <= room else cut(text, room)), True


def clock_left(model: Model, seat: int) -> float | None:
    """Seconds on a seat's clock now; None without clocks."""
    return None if model.game is None else model.game.clock_left(seat, model.now - model.heard)


def other_clocks(model: Model, view: PlayerView) -> list[tuple[str, str]]:
    """Names and clocks of the others, clockwise from us; empty without clocks."""
    players = len(view.seats)
    first = 0 if model.seat is None else model.seat + 1
    clocks: list[tuple[str, str]] = []
    for step in range(players - (0 if model.seat is None else 1)):
        seat = (first + step) % players
        left = clock_left(model, seat)
        if left is not None:
            clocks.append((view.seats[seat].name, clock_text(left)))
    return clocks


def facts(model: Model, view: PlayerView, long: bool) -> list[tuple[str, str]]:
    """Clock, bag and bonus as label and value; in words when there is room."""
    rows: list[tuple[str, str]] = []
    seat = view.turn if model.seat is None else model.seat
    left = clock_left(model, seat)
    if left is not None:
        rows.append((_("paused") if model.clocks_paused else _("clock"), clock_text(left)))
    tiles = ngettext("{count} tile", "{count} tiles", view.bag_count).format(count=view.bag_count)
    rows.append((_("bag"), tiles if long else str(view.bag_count)))
    owed = view.bonus_owed if view.phase is Phase.BONUS else 0
    rows.append((_("bonus"), _("none") if long and not owed else str(owed)))
    return rows


def preview(ghost: Ghost | None, look: Look) -> list[list[Span]]:
    """What the tile in hand would earn and where, four lines; empty without one."""
    if ghost is None:
        return []
    where = Span(
        _("at {cells}").format(cells=" ".join(_name(cell) for cell in ghost.cells)), "text"
    )
    if ghost.refusal is not None:
        return [[Span(_("not here"), "strong", bold=True)], [where]]
    total = sum(ghost.points)
    points = ngettext("{count} point", "{count} points", total).format(count=total)
    return [
        [Span(_("it earns"))],
        [Span(points, "strong", bold=True)],
        points_spans(ghost.points, look) if total else [],
        [where],
    ]


def _name(cell: tuple[int, int]) -> str:
    try:
        return cell_name(cell)
    except IndexError:
        return "?"


def since_rows(model: Model, look: Look) -> list[tuple[str, list[Span], str]]:
    """What the others placed since our last turn: name, tile, points; oldest first."""
    return [
        (model.name_of(placed.seat), tile_chip(placed.tile, look), f"+{sum(placed.points)}")
        for placed in model.since_turn
    ]


def marks_legend(look: Look) -> list[tuple[str, str, bool]]:
    """The marks with what they mean; the third says whether it is on white."""
    if look.ascii:
        return [
            ("[R]", _("yours"), False),
            ("+R+", _("scores"), False),
            ("<R>", _("last"), False),
            (":R:", _("start"), False),
        ]
    return [
        ("[R]", _("your tile"), True),
        ("‹R›", _("last tile"), False),
        ("∙R∙", _("start"), False),
    ]


def track_rows(model: Model, view: PlayerView) -> list[TrackRow]:
    """A row a track, ours first, then clockwise; partners share one."""
    players = len(view.seats)
    first = model.seat if model.seat is not None else view.first_seat
    away = away_seats(model)
    rows: list[TrackRow] = []
    seen: set[int] = set()
    for step in range(players):
        seat = (first + step) % players
        team = view.rules.team_of(seat)
        if team in seen:
            continue
        seen.add(team)
        seats = list(view.rules.teams[team])
        if seat in seats:
            seats.sort(key=lambda member: member != seat)
        names = "+".join(view.seats[member].name for member in seats)
        if view.rules.mode is Mode.PARTNERS:
            names = "+".join(cut(view.seats[member].name, 2) for member in seats)
        rows.append(
            TrackRow(
                name=names,
                track=view.seats[seat].track,
                own=model.seat is not None and model.seat in seats,
                to_move=view.turn in seats and not view.is_over,
                gone=all(view.seats[member].resigned for member in seats),
                note=_note(model, view, seat, away),
            )
        )
    return rows


def away_seats(model: Model) -> Mapping[int, bool]:
    """Seats whose player's line is down."""
    if model.table is None:
        return {}
    return {
        seat.seat: True
        for seat in model.table.seats
        if seat.HasField("away_since") and not seat.connected
    }


def _note(model: Model, view: PlayerView, seat: int, away: Mapping[int, bool]) -> str:
    shown = view.seats[seat]
    if shown.resigned:
        return _("resigned")
    if seat in away:
        return _("away")
    if shown.kind is SeatKind.BOT:
        return _("bot")
    left = clock_left(model, seat)
    return clock_text(left) if left is not None and seat != model.seat else ""


def last_move(model: Model, look: Look) -> list[Span]:
    """The newest play or change at the table that is worth telling; empty before the first."""
    for entry in reversed(model.log):
        if isinstance(entry, Remark):
            return [Span(entry.text, "text")]
        if isinstance(entry, Play) and is_told(entry):
            return play_sentence(entry, look)
    return []


def moves_made(model: Model, view: PlayerView) -> int:
    """How many tiles lie on the board."""
    free = view.board.free.bit_count()
    return (len(view.board.zone.cells) - 6 - free) // 2


def status_line(model: Model, view: PlayerView, ghost: Ghost | None, look: Look) -> list[Span]:
    """Row 21: a notice, why a spot is illegal, or the last move."""
    if model.notice:
        return [Span(model.notice, "strong", bold=True)]
    if ghost is not None and ghost.refusal is not None:
        return [Span(refused_sentence(ghost.refusal), "text")]
    if ghost is not None and view.viewer is not None and view.viewer not in view.started:
        return [
            Span(_("Your first tile must touch a start symbol that is not taken: see o."), "text")
        ]
    return last_move(model, look)


def team_lines(model: Model, view: PlayerView) -> list[str]:
    """What there is room for below two or three tracks: who plays with whom, games won."""
    lines: list[str] = []
    if view.rules.mode is Mode.PARTNERS:
        pairs = [
            _("{one} and {other}").format(
                one=view.seats[team[0]].name, other=view.seats[team[1]].name
            )
            for team in view.rules.teams
        ]
        lines.append(_("{pair} against {others}").format(pair=pairs[0], others=pairs[1]))
    if model.table is not None and model.table.standings and len(view.seats) > 1:
        won = ", ".join(f"{row.name} {won_text(row.won_twelfths)}" for row in model.table.standings)
        lines.append(_("games won: {won}").format(won=won))
    return lines


def choice_line(model: Model, view: PlayerView) -> list[Span]:
    """Row 22 when the turn is to be ended: refill and exchange with what they mean.

    Or how to go on: at a table that is put away, while a bot plays for us, with clocks that
    stand still or that somebody wants to.
    """
    if model.shelved and not view.is_over:
        return shelved_line(model)
    if model.played_for and not view.is_over:
        return [
            Span(_("Enter"), "strong", bold=True),
            Span(" " + _("play on yourself: a bot plays for you now"), "text"),
        ]
    if not view.is_my_turn:
        return agreement_line(model, view)
    if view.phase is Phase.BONUS:
        return [
            Span(_("Genial!") + " ", "strong", bold=True),
            Span(
                ngettext(
                    "You place another tile at once.",
                    "You place {count} more tiles at once.",
                    view.bonus_owed,
                ).format(count=view.bonus_owed),
                "text",
            ),
        ]
    if view.phase is not Phase.CLOSE:
        return agreement_line(model, view)
    if not view.may_exchange:
        return [
            Span(_("Enter"), "strong", bold=True),
            Span(" " + _("refill: draw tiles, that ends your turn"), "text"),
        ]
    count = len(view.rack)
    return [
        Span("f", "strong", bold=True),
        Span(" " + _("refill") + "   ", "text"),
        Span("x", "strong", bold=True),
        Span(
            " "
            + ngettext(
                "exchange: show your last tile, draw six new ones",
                "exchange: show your {count} tiles, draw six new ones",
                count,
            ).format(count=count),
            "text",
        ),
    ]


def shelved_line(model: Model) -> list[Span]:
    """That the table is put away, and how it goes on."""
    if model.seat is None:
        return [Span(_("The table is put away; its players take it out again."), "text")]
    return [
        Span(_("Enter"), "strong", bold=True),
        Span(" " + _("takes the table out again; until then every seat is kept"), "text"),
    ]


def agreement_line(model: Model, view: PlayerView) -> list[Span]:
    """What waits for our word or the others': ending the game, pausing the clocks."""
    seat, table = model.own_seat, model.table
    if seat is None or table is None or view.is_over:
        return []
    asked = askers(table, agrees_to_end)
    if asked and not seat.agrees_to_end:
        said = _("agrees to end the game; asked for by: {names}").format(names=", ".join(asked))
        return [Span(":end", "strong", bold=True), Span(" " + said, "text")]
    if asked:
        names = ", ".join(missing(table, view, agrees_to_end))
        waiting = _("You propose to end the game. Still to agree: {names}").format(names=names)
        return [Span(waiting, "text")]
    return pause_line(model, view)


def pause_line(model: Model, view: PlayerView) -> list[Span]:
    """How it stands with pausing the clocks: who asks, whose word is missing; mostly empty."""
    step, table = pause_step(model), model.table
    if step is None or step is PauseStep.ASK or table is None or view.is_over:
        return []
    key = Span("p", "strong", bold=True)
    if step is PauseStep.RUN:
        return [key, Span(" " + _("lets the clocks run again; now they are paused"), "text")]
    if step is PauseStep.TAKE_BACK:
        names = ", ".join(missing(table, view, agrees_to_pause))
        waiting = _("You ask to pause the clocks. Still to agree: {names}").format(names=names)
        return [Span(waiting, "text")]
    said = _("agrees to pause the clocks; asked for by: {names}").format(
        names=", ".join(askers(table, agrees_to_pause))
    )
    return [key, Span(" " + said, "text")]


def chat_line(model: Model, *, remarks: bool = False) -> list[Span]:
    """The newest chat message; empty when nobody has said anything.

    With `remarks` also what the table itself has had to say since the last move, where no other
    row shows it.
    """
    for entry in reversed(model.log):
        remarks = remarks and not isinstance(entry, Play)
        if remarks and isinstance(entry, Remark):
            return [Span(entry.text, "text")]
        if not isinstance(entry, Play | Remark):
            return [Span(chat_name(entry), "text", bold=True), Span(f' "{entry.text}"')]
    return []


def unread_text(model: Model) -> str:
    """How much of the chat has not been looked at, and the key for it."""
    if model.unread:
        return ngettext("{count} unread, c chat", "{count} unread, c chat", model.unread).format(
            count=model.unread
        )
    return _("c chat")
