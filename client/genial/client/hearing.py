"""What the session says, taken into the model. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from genial.client import playing
from genial.client.agreements import clocks_change
from genial.client.course import follow
from genial.client.deal_sentences import deal_sentence
from genial.client.messages import Detach, Effect, Keep, Refill, Ring
from genial.client.model import (
    Celebration,
    Flash,
    Hand,
    Logged,
    Model,
    Overlay,
    Play,
    Remark,
    Screen,
)
from genial.client.sentences import table_changes
from genial.client.text import _
from genial.client.updates import (
    ChatArrived,
    ConnectionChanged,
    DealProgress,
    DealVerdict,
    GameChanged,
    HostClosing,
    Link,
    NumberedEvent,
    RefusedUpdate,
    SeatLost,
    SessionEnded,
    TableChanged,
    Update,
)
from genial.engine.moves import Phase, Placed
from genial.engine.rules import Rules, stops_reached
from genial.engine.tiles import SYMBOLS, Symbol
from genial.engine.view import PlayerView
from genial.v1.table_pb2 import TABLE_STATE_FINISHED, Table

LOG_LENGTH: Final = 600
"""Entries kept; a game has about three hundred."""
CELEBRATION_SECONDS: Final = 2.5
SINCE_LENGTH: Final = 12
"""Placements kept for "since your turn"; a spectator has no turn."""

Step = tuple[Model, tuple[Effect, ...]]


def hear(model: Model, update: Update) -> Step:
    """The model after an update of the session, and what is to be done about it."""
    match update:
        case GameChanged():
            return _game(model, update)
        case TableChanged(table=table, before=before):
            return _table(model, table, before)
        case ChatArrived(messages=messages):
            mine = {message.number for message in messages if message.seat == model.seat}
            fresh = sum(message.number not in mine for message in messages)
            looked = model.overlay is Overlay.LOG
            unread = 0 if looked else model.unread + fresh
            return replace(model, log=_log(model.log, messages), unread=unread), ()
        case ConnectionChanged(link=link, sentence=sentence, since=since):
            line = replace(model.line, link=link, sentence=sentence, since=since)
            busy = model.busy and link is Link.CONNECTED
            return replace(model, line=line, busy=busy), ()
        case DealProgress():
            model = replace(model, deal=update)
            sentence = deal_sentence(update)
            return (_remark(model, sentence) if sentence else model), ()
        case DealVerdict():
            return replace(model, verdict=update), ()
        case HostClosing(returning=returning, message=message):
            said = message or (
                _("The host is restarting; the game goes on when it is back.")
                if returning
                else _("The host has closed.")
            )
            return replace(_remark(model, said), notice=said), ()
        case SeatLost(sentence=sentence):
            return replace(_remark(model, sentence), seat=None, watching=True, notice=sentence), ()
        case RefusedUpdate(error=error):
            return replace(_remark(model, error.sentence), notice=error.sentence), ()
        case SessionEnded(error=error):
            if model.screen is Screen.END:
                # The ranking stays to be looked at; there is nobody to play on with.
                said = error.sentence if error is not None else _("The table is finished.")
                return replace(model, notice=said, busy=False), ()
            return model, (Detach(error),)


def left_table(model: Model, sentence: str) -> Model:
    """Back at the list of tables, with a sentence that says why."""
    return Model(
        settings=model.settings,
        width=model.width,
        height=model.height,
        quit_warning=model.quit_warning,
        can_host=model.can_host,
        browse=replace(model.browse, since=model.now),
        notice=sentence,
        now=model.now,
    )


def _log(log: tuple[Logged, ...], more: tuple[Logged, ...]) -> tuple[Logged, ...]:
    return (*log, *more)[-LOG_LENGTH:]


def _remark(model: Model, text: str) -> Model:
    return replace(model, log=_log(model.log, (Remark(text),)))


def _table(model: Model, table: Table, before: Table | None) -> Step:
    seat = table.viewer_seat if table.HasField("viewer_seat") else None
    model = replace(model, table=table, seat=seat, watching=seat is None)
    if before is not None:
        game = model.game
        view = game.view if game is not None and game.game_id == table.game_id else None
        for sentence in table_changes(before, table, view):
            model = _remark(model, sentence)
    if model.screen is Screen.BROWSE:
        model = replace(model, screen=Screen.ROOM)
    if model.screen is Screen.END and table.state == TABLE_STATE_FINISHED:
        model = replace(model, notice=_("The table is finished; q leaves."))
    return model, ()


def _game(model: Model, update: GameChanged) -> Step:
    view = update.view
    before = model.game
    fresh = before is None or before.game_id != update.game_id
    if fresh:
        model = replace(
            model,
            since_turn=(),
            race={},
            verdict=None,
            celebration=None,
            flash=None,
            show_board=False,
            hand=Hand(),
            heat=False,
            notice="",
            overlay=None if model.overlay is Overlay.NEW_TABLE else model.overlay,
        )
    tracks = {
        seat: (0,) * 6 if fresh or before is None else before.view.seats[seat].track
        for seat in range(len(view.seats))
    }
    race = {seat: list(lows) for seat, lows in model.race.items()}
    for numbered in update.events:
        model = _happened(model, numbered, view, tracks, race)
    clocks = clocks_change(before, update)
    if clocks:
        model = _remark(model, clocks)
    screen = Screen.END if view.is_over else Screen.GAME
    model = replace(
        model,
        game=update,
        screen=screen,
        race={seat: tuple(lows) for seat, lows in race.items()},
        heard=model.now,
        busy=False,
        hand=_hand(model, view),
    )
    effects: list[Effect] = []
    was_mine = before is not None and not fresh and before.view.is_my_turn
    if view.is_my_turn and not was_mine and model.settings.bell:
        effects.append(Ring())
    if must_refill(model, view):
        model = replace(model, busy=True)
        effects.append(Refill())
    if view.is_over and (before is None or not before.view.is_over or fresh):
        settings = replace(model.settings, games=model.settings.games + 1)
        model = replace(
            model, question=None, celebration=None, flash=None, show_board=False, settings=settings
        )
        effects.append(Keep(settings))
    return model, tuple(effects)


def must_refill(model: Model, view: PlayerView) -> bool:
    """Whether refilling is all that can be done, and the player wants it done by itself."""
    return (
        model.settings.auto_refill
        and view.is_my_turn
        and view.phase is Phase.CLOSE
        and not view.may_exchange
    )


def _hand(model: Model, view: PlayerView) -> Hand:
    """The hand after the game has changed: laid out again, on a spot where it can lie."""
    if view.viewer is None:
        return Hand()
    hand = model.hand
    slots = playing.lay_out(hand.slots, view.rack, view.rules.rack_size)
    kept = hand.chosen
    if kept is None or kept >= len(slots) or slots[kept] is None:
        kept = next((slot for slot, tile in enumerate(slots) if tile is not None), None)
    same = slots == hand.slots and kept == hand.chosen
    hand = replace(hand, slots=slots, chosen=kept, fixed=hand.fixed and same)
    return playing.near_spot(hand, view) if kept is not None and not view.is_over else hand


def _happened(
    model: Model,
    numbered: NumberedEvent,
    view: PlayerView,
    tracks: dict[int, tuple[int, ...]],
    race: dict[int, list[int]],
) -> Model:
    event = numbered.event
    follow(event, view, tracks, race)
    name = view.seats[event.seat].name if hasattr(event, "seat") else ""
    calls = 0
    since = model.since_turn
    celebration = model.celebration
    flash = model.flash
    match event:
        case Placed(seat=seat):
            calls = calls_of(event, view.rules)
            since = () if seat == view.viewer else (*since, event)[-SINCE_LENGTH:]
            if seat != view.viewer and model.settings.animation:
                flash = Flash(event.cells, model.now + model.settings.speed / 10)
            if calls and event.bonus_owed and model.settings.animation:
                until = model.now + CELEBRATION_SECONDS * model.settings.speed / 8
                celebration = Celebration(
                    name, seat == view.viewer, filled(event, view.rules), until
                )
        case _:
            pass
    play = Play(numbered.n, event, name, numbered.at, calls)
    return replace(
        model, log=_log(model.log, (play,)), since_turn=since, celebration=celebration, flash=flash
    )


def calls_of(placed: Placed, rules: Rules) -> int:
    """How often this placement is called out: once for each stop that it reached."""
    if not rules.has_bonus:
        return 0
    before = [after - points for points, after in zip(placed.points, placed.track, strict=True)]
    return stops_reached(before, placed.track, rules.cap)


def filled(placed: Placed, rules: Rules) -> tuple[Symbol, ...]:
    """The symbols whose counter reached a stop by this placement."""
    return tuple(
        symbol
        for symbol in SYMBOLS
        if stops_reached(
            [placed.track[symbol - 1] - placed.points[symbol - 1]],
            [placed.track[symbol - 1]],
            rules.cap,
        )
    )
