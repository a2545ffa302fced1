"""Which key does what, as one table: it drives the keys, the last row and the help.

A key means something in a *context*, which follows from the model. Names of keys are
plain characters or words such as "left", "enter", "f2".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Final

from genial.client.agreements import agrees_to_pause, askers
from genial.client.lessons import LESSONS
from genial.client.model import Model, Overlay, Screen
from genial.client.text import N_, _
from genial.engine.moves import Phase
from genial.v1.table_pb2 import TABLE_STATE_ACTIVE, TABLE_STATE_DEALING, TABLE_STATE_OPEN

_MAY_BE_SHELVED: Final = (TABLE_STATE_OPEN, TABLE_STATE_DEALING, TABLE_STATE_ACTIVE)


class Context(StrEnum):
    """What the keys are for at the moment."""

    ENTRY = auto()
    QUESTION = auto()
    READING = auto()
    FORM = auto()
    BROWSE = auto()
    ROOM = auto()
    SHELVED = auto()
    PLACING = auto()
    CLOSING = auto()
    WAITING = auto()
    WATCHING = auto()
    OVER = auto()
    BOARD_OVER = auto()
    REPLAY = auto()
    LISTING = auto()


class Action(StrEnum):
    """What a key can do."""

    LEFT = auto()
    RIGHT = auto()
    UP = auto()
    DOWN = auto()
    UP_LEFT = auto()
    UP_RIGHT = auto()
    DOWN_LEFT = auto()
    DOWN_RIGHT = auto()
    PAGE_UP = auto()
    PAGE_DOWN = auto()
    FIRST = auto()
    LAST = auto()
    CHOOSE = auto()
    NEXT_TILE = auto()
    TURN = auto()
    TURN_BACK = auto()
    PLACE = auto()
    UNDO = auto()
    BEST = auto()
    HEAT = auto()
    HINT = auto()
    REVIEW = auto()
    TRACKS = auto()
    EXCHANGE = auto()
    REFILL = auto()
    CHAT = auto()
    LOG = auto()
    COMMAND = auto()
    HELP = auto()
    RULES = auto()
    SETTINGS = auto()
    MOUSE = auto()
    LEAVE = auto()
    SIT = auto()
    WATCH = auto()
    NEW_TABLE = auto()
    PLAY_BOT = auto()
    GO_BACK = auto()
    ADDRESS = auto()
    NAME = auto()
    READY = auto()
    ADD_BOT = auto()
    REMOVE_BOT = auto()
    START = auto()
    REMATCH = auto()
    VIEW_BOARD = auto()
    YES = auto()
    NO = auto()
    CLOSE = auto()
    ENTER = auto()
    REPLAY = auto()
    HISTORY = auto()
    NEXT_MOVE = auto()
    PREVIOUS_MOVE = auto()
    PLAY = auto()
    LESSONS = auto()
    GO_ON = auto()
    TAKE_BACK = auto()
    SHELVE = auto()
    RESUME = auto()
    PAUSE = auto()


@dataclass(frozen=True, slots=True)
class Binding:
    """One line of the table.

    Attributes:
        keys: Names of the keys.
        shown: What the keys are called on screen; translated.
        label: One or two words for the last row; translated.
        help: A sentence for the help; translated.
        rank: How much it is wanted in the last row, 1 most; 0: not shown there.
        when: Further condition; the key does nothing and is not shown otherwise.
    """

    action: Action
    keys: tuple[str, ...]
    shown: str
    label: str
    help: str
    contexts: frozenset[Context]
    rank: int = 0
    when: Callable[[Model], bool] = lambda model: True


def _in(*contexts: Context) -> frozenset[Context]:
    return frozenset(contexts)


_HAND: Final = _in(Context.PLACING, Context.WAITING)
_TABLE: Final = _in(
    Context.PLACING, Context.CLOSING, Context.WAITING, Context.WATCHING, Context.BOARD_OVER
)
_TALK: Final = _TABLE | _in(Context.ROOM, Context.SHELVED, Context.OVER)
_CLOCK: Final = _in(Context.PLACING, Context.CLOSING, Context.WAITING)
_BASE: Final = _TALK | _in(Context.BROWSE, Context.REPLAY)


def _hints(model: Model) -> bool:
    return model.hints_allowed


def _may_exchange(model: Model) -> bool:
    return model.view is not None and model.view.may_exchange


def _no_choice(model: Model) -> bool:
    return not _may_exchange(model)


def _has_seat(model: Model) -> bool:
    return model.seat is not None


def _ready(model: Model) -> bool:
    return model.own_seat is not None and model.own_seat.ready


def _unready(model: Model) -> bool:
    return model.own_seat is not None and not model.own_seat.ready


def _has_rows(model: Model) -> bool:
    return bool(model.browse.rows)


def _no_rows(model: Model) -> bool:
    return not model.browse.rows


def _can_host(model: Model) -> bool:
    return model.can_host


def _played_for(model: Model) -> bool:
    return model.played_for


def _shelved_seat(model: Model) -> bool:
    return model.shelved and model.seat is not None


def _may_rematch(model: Model) -> bool:
    return model.seat is not None and not model.shelved and model.lesson is None


def _may_shelve(model: Model) -> bool:
    seat, table = model.own_seat, model.table
    return (
        seat is not None and seat.creator and table is not None and table.state in _MAY_BE_SHELVED
    )


def _pause(wanted: PauseStep) -> Callable[[Model], bool]:
    return lambda model: pause_step(model) is wanted


def _by_key(model: Model) -> bool:
    return model.lesson is not None and LESSONS[model.lesson].by_key


class PauseStep(StrEnum):
    """What the key for the clocks does now."""

    ASK = auto()
    AGREE = auto()
    TAKE_BACK = auto()
    RUN = auto()


def pause_step(model: Model) -> PauseStep | None:
    """What the key for the clocks does now, None in games without."""
    seat, table = model.own_seat, model.table
    if seat is None or table is None or model.game is None:
        return None
    if not model.game.message.HasField("clock"):
        return None
    if model.clocks_paused:
        return PauseStep.RUN
    if seat.agrees_to_pause:
        return PauseStep.TAKE_BACK
    return PauseStep.AGREE if askers(table, agrees_to_pause) else PauseStep.ASK


def _has_held(model: Model) -> bool:
    return bool(model.browse.held)


BINDINGS: Final[tuple[Binding, ...]] = (
    # Typing, questions, reading.
    Binding(Action.ENTER, ("enter",), N_("Enter"), N_("done"), N_("takes the text"),
            _in(Context.ENTRY), 1),
    Binding(Action.CLOSE, ("escape", "c-c"), N_("Esc"), N_("cancel"), N_("leaves it"),
            _in(Context.ENTRY), 2),
    Binding(Action.YES, ("y", "Y", "j", "s"), "y", N_("yes"), N_("yes"),
            _in(Context.QUESTION), 1),
    Binding(Action.NO, ("n", "N", "escape", "c-c", "q"), "n", N_("no"), N_("no"),
            _in(Context.QUESTION), 2),
    Binding(Action.UP, ("up", "k"), N_("arrows"), N_("scroll"), N_("scroll"),
            _in(Context.READING), 1),
    Binding(Action.DOWN, ("down", "j"), "", "", "", _in(Context.READING)),
    Binding(Action.PAGE_UP, ("pageup",), N_("PgUp PgDn"), N_("page"), N_("a page"),
            _in(Context.READING), 2),
    Binding(Action.PAGE_DOWN, ("pagedown", " "), "", "", "", _in(Context.READING)),
    Binding(Action.FIRST, ("home",), "", "", "", _in(Context.READING)),
    Binding(Action.LAST, ("end",), "", "", "", _in(Context.READING)),
    Binding(Action.RULES, ("r",), "r", N_("rules"), N_("the rules on a page"),
            _in(Context.READING), 3, lambda model: model.overlay is Overlay.HELP),
    Binding(Action.SETTINGS, ("f3",), "F3", N_("settings"), N_("settings"),
            _in(Context.READING), 4, lambda model: model.overlay is Overlay.HELP),
    Binding(Action.CLOSE, ("escape", "enter", "q", "?", "l", "c-c"), N_("Esc"), N_("back"),
            N_("back"), _in(Context.READING), 1),
    Binding(Action.UP, ("up", "s-tab"), N_("arrows"), N_("choose"), N_("another line"),
            _in(Context.FORM), 1),
    Binding(Action.DOWN, ("down", "tab"), "", "", "", _in(Context.FORM)),
    Binding(Action.LEFT, ("left",), "", "", "", _in(Context.FORM)),
    Binding(Action.RIGHT, ("right", " "), N_("left right"), N_("change"), N_("another value"),
            _in(Context.FORM), 1),
    Binding(Action.ENTER, ("enter",), N_("Enter"), N_("done"), N_("done"),
            _in(Context.FORM), 1),
    Binding(Action.CLOSE, ("escape", "q", "c-c"), N_("Esc"), N_("cancel"), N_("leaves it"),
            _in(Context.FORM), 1, lambda model: model.overlay is Overlay.NEW_TABLE),
    Binding(Action.CLOSE, ("escape", "q", "c-c"), N_("Esc"), N_("back"), N_("back"),
            _in(Context.FORM), 1, lambda model: model.overlay is Overlay.SETTINGS),
    # The list of tables.
    Binding(Action.UP, ("up",), N_("arrows"), N_("choose"), N_("choose a table"),
            _in(Context.BROWSE), 1, _has_rows),
    Binding(Action.DOWN, ("down",), "", "", "", _in(Context.BROWSE), 0, _has_rows),
    Binding(Action.SIT, ("enter",), N_("Enter"), N_("sit down"),
            N_("take a seat at the chosen table"), _in(Context.BROWSE), 1, _has_rows),
    Binding(Action.WATCH, ("w",), "w", N_("watch"), N_("watch the chosen table without a seat"),
            _in(Context.BROWSE), 3, _has_rows),
    Binding(Action.NEW_TABLE, ("n",), "n", N_("new table"), N_("open a table at a host"),
            _in(Context.BROWSE), 1),
    Binding(Action.PLAY_BOT, ("b",), "b", N_("play a bot"), N_("a game against a bot, at once"),
            _in(Context.BROWSE), 3, _can_host),
    Binding(Action.GO_BACK, ("g",), "g", N_("go back"),
            N_("back to your seat in a running game, or at a table put away"),
            _in(Context.BROWSE), 1, _has_held),
    Binding(Action.ADDRESS, ("a", "tab"), "a", N_("address"), N_("type a host's address"),
            _in(Context.BROWSE), 4, _has_rows),
    Binding(Action.ADDRESS, ("enter", "a", "tab"), N_("Enter"), N_("connect"),
            N_("type a host's address"), _in(Context.BROWSE), 2, _no_rows),
    Binding(Action.ADDRESS, tuple("0123456789["), "", "", "", _in(Context.BROWSE)),
    Binding(Action.NAME, ("f2",), "F2", N_("name"), N_("change your name"),
            _in(Context.BROWSE), 0),
    # The table before the game.
    Binding(Action.READY, ("enter",), N_("Enter"), N_("ready"),
            N_("say that you are ready for the game"), _in(Context.ROOM), 1, _unready),
    Binding(Action.READY, ("enter",), N_("Enter"), N_("not yet"),
            N_("not ready after all"), _in(Context.ROOM), 1, _ready),
    Binding(Action.START, ("s",), "s", N_("start with bots"),
            N_("start now: bots take the free seats"), _in(Context.ROOM), 1, _has_seat),
    Binding(Action.ADD_BOT, ("b",), "b", N_("add a bot"), N_("a bot takes a free seat"),
            _in(Context.ROOM), 2, _has_seat),
    Binding(Action.REMOVE_BOT, ("x",), "x", N_("remove a bot"), N_("the last bot leaves"),
            _in(Context.ROOM), 4, _has_seat),
    # A table that is put away.
    Binding(Action.RESUME, ("enter",), N_("Enter"), N_("take out again"),
            N_("take the table out again; it goes on as it was"),
            _in(Context.SHELVED, Context.OVER), 1, _shelved_seat),
    # The tile in hand.
    Binding(Action.LEFT, ("left",), N_("arrows"), N_("move"), N_("move the tile"), _HAND, 1),
    Binding(Action.RIGHT, ("right",), "", "", "", _HAND),
    Binding(Action.UP, ("up",), "", "", "", _HAND),
    Binding(Action.DOWN, ("down",), "", "", "", _HAND),
    Binding(Action.UP_LEFT, ("y",), "y u b n", N_("diagonals"), N_("move along the diagonals"),
            _HAND, 6),
    Binding(Action.UP_RIGHT, ("u",), "", "", "", _HAND),
    Binding(Action.DOWN_LEFT, ("b",), "", "", "", _HAND),
    Binding(Action.DOWN_RIGHT, ("n",), "", "", "", _HAND),
    Binding(Action.CHOOSE, ("1", "2", "3", "4", "5", "6"), "1-6", N_("choose"),
            N_("choose a tile"), _HAND),
    Binding(Action.NEXT_TILE, ("tab",), "Tab", N_("next tile"), N_("the next tile"), _HAND),
    Binding(Action.TURN, ("r",), "r", N_("turn"), N_("turn the tile"), _HAND, 1),
    Binding(Action.TURN_BACK, ("R",), "R", N_("turn back"), N_("turn the tile the other way"),
            _HAND),
    Binding(Action.PLACE, ("enter",), N_("Enter"), N_("place"), N_("place the tile"),
            _in(Context.PLACING), 1),
    Binding(Action.UNDO, ("escape", "backspace"), N_("Esc"), N_("take back"),
            N_("take back a tile that is not confirmed yet"), _in(Context.PLACING), 1,
            lambda model: model.hand.fixed),
    Binding(Action.BEST, ("*",), "*", N_("best spot"),
            N_("where the chosen tile scores most; again: the next best"), _HAND, 2, _hints),
    Binding(Action.HEAT, ("h",), "h", N_("heat map"),
            N_("what the chosen tile would earn everywhere"), _HAND, 0, _hints),
    Binding(Action.HINT, ("!",), "!", N_("hint"),
            N_("the strongest placement of your rack; takes a moment"),
            _in(Context.PLACING), 7, _hints),
    # The end of a turn.
    Binding(Action.EXCHANGE, ("x",), "x", N_("exchange"),
            N_("show your rack and draw a new one; that ends your turn"),
            _in(Context.CLOSING), 1, _may_exchange),
    Binding(Action.REFILL, ("f",), "f", N_("refill"), N_("draw tiles; that ends your turn"),
            _in(Context.CLOSING), 1, _may_exchange),
    Binding(Action.REFILL, ("enter", "f"), N_("Enter"), N_("refill"),
            N_("draw tiles; that ends your turn"), _in(Context.CLOSING), 1, _no_choice),
    Binding(Action.TAKE_BACK, ("enter",), N_("Enter"), N_("play on yourself"),
            N_("take your seat back from the bot that plays on for you"),
            _in(Context.WATCHING), 1, _played_for),
    # After the game.
    Binding(Action.REMATCH, ("enter",), N_("Enter"), N_("rematch"), N_("another game"),
            _in(Context.OVER), 1, _may_rematch),
    Binding(Action.VIEW_BOARD, ("v",), "v", N_("view the board"), N_("look at the board"),
            _in(Context.OVER), 1),
    Binding(Action.VIEW_BOARD, ("v", "escape"), "v", N_("back to the ranking"),
            N_("back to the ranking"), _in(Context.BOARD_OVER), 1),
    Binding(Action.REPLAY, ("p",), "p", N_("replay"), N_("step through the game"),
            _in(Context.OVER), 2),
    Binding(Action.REVIEW, ("r",), "r", N_("review"),
            N_("what each placement gave away, and why; takes a few seconds"),
            _in(Context.OVER), 2),
    # Games at this host.
    Binding(Action.UP, ("up", "k"), N_("arrows"), N_("choose"), N_("choose a game"),
            _in(Context.LISTING), 1),
    Binding(Action.DOWN, ("down", "j"), "", "", "", _in(Context.LISTING)),
    Binding(Action.REPLAY, ("enter",), N_("Enter"), N_("replay"), N_("step through the game"),
            _in(Context.LISTING), 1),
    Binding(Action.CLOSE, ("escape", "q", "H", "c-c"), N_("Esc"), N_("back"), N_("back"),
            _in(Context.LISTING), 1),
    # A record.
    Binding(Action.LEFT, ("left",), N_("left right"), N_("event"), N_("an event back or on"),
            _in(Context.REPLAY), 1),
    Binding(Action.RIGHT, ("right", "enter"), "", "", "", _in(Context.REPLAY)),
    Binding(Action.NEXT_MOVE, ("down", "n"), N_("up down"), N_("tile"), N_("a tile back or on"),
            _in(Context.REPLAY), 1),
    Binding(Action.PREVIOUS_MOVE, ("up", "b"), "", "", "", _in(Context.REPLAY)),
    Binding(Action.PAGE_UP, ("pageup",), N_("PgUp PgDn"), N_("ten events"),
            N_("ten events back or on"), _in(Context.REPLAY), 3),
    Binding(Action.PAGE_DOWN, ("pagedown",), "", "", "", _in(Context.REPLAY)),
    Binding(Action.FIRST, ("home",), "Home End", N_("start, end"), N_("to the start or the end"),
            _in(Context.REPLAY), 4),
    Binding(Action.LAST, ("end",), "", "", "", _in(Context.REPLAY)),
    Binding(Action.PLAY, (" ",), N_("Space"), N_("play"), N_("step by itself, or stop"),
            _in(Context.REPLAY), 2),
    # Learning.
    Binding(Action.LESSONS, ("t",), "t", N_("tutorial"), N_("learn the game in ten steps"),
            _in(Context.BROWSE), 3),
    Binding(Action.GO_ON, (" ",), N_("Space"), N_("go on"), N_("the next step of the lesson"),
            _TABLE, 1, _by_key),
    # At the table.
    Binding(Action.TRACKS, ("t",), "t", N_("tracks"),
            N_("tracks weakest first, or in the order R G B O Y P"),
            _TABLE | _in(Context.REPLAY), 3),
    Binding(Action.CHAT, ("c",), "c", N_("chat"), N_("write to the table"), _TALK, 4),
    Binding(Action.LOG, ("l",), "l", N_("log"), N_("everything that has happened"), _TALK, 7),
    Binding(Action.PAUSE, ("p",), "p", N_("pause clocks"),
            N_("ask to pause the clocks; they stop once everybody agrees"),
            _CLOCK, 8, _pause(PauseStep.ASK)),
    Binding(Action.PAUSE, ("p",), "p", N_("agree to pause"),
            N_("agree to pause the clocks"), _CLOCK, 2, _pause(PauseStep.AGREE)),
    Binding(Action.PAUSE, ("p",), "p", N_("no pause"),
            N_("take back that you want the clocks paused"),
            _CLOCK, 2, _pause(PauseStep.TAKE_BACK)),
    Binding(Action.PAUSE, ("p",), "p", N_("run clocks"),
            N_("let the clocks run again, for everybody"), _CLOCK, 2, _pause(PauseStep.RUN)),
    Binding(Action.SHELVE, ("z",), "z", N_("put table away"),
            N_("put the table away for another evening; every seat is kept"),
            _TABLE | _in(Context.ROOM, Context.OVER), 9, _may_shelve),
    Binding(Action.HISTORY, ("H",), "H", N_("games"), N_("games at this host, to be replayed"),
            _TALK, 0),
    Binding(Action.COMMAND, (":",), ":", N_("command"),
            N_("type a command, like :place RB D8 D9"), _BASE, 0),
    Binding(Action.SETTINGS, ("f3",), "F3", N_("settings"), N_("colours, bell, confirming"), _BASE),
    Binding(Action.MOUSE, ("m",), "m", N_("mouse"),
            N_("mouse on or off; off lets you copy text from the screen"), _BASE, 8),
    Binding(Action.HELP, ("?", "f1"), "?", N_("help"), N_("this help"), _BASE, 1),
    Binding(Action.LEAVE, ("q", "c-c"), "q", N_("leave"), N_("leave"), _TALK, 1),
    Binding(Action.LEAVE, ("q", "c-c"), "q", N_("quit"), N_("quit"), _in(Context.BROWSE), 1),
    Binding(Action.LEAVE, ("q", "escape", "c-c"), "q", N_("back"), N_("back"),
            _in(Context.REPLAY), 1),
)  # fmt: skip


def context_of(model: Model) -> Context:
    """What the keys are for at the moment."""
    if model.entry is not None:
        return Context.ENTRY
    if model.question is not None:
        return Context.QUESTION
    if model.overlay in (Overlay.SETTINGS, Overlay.NEW_TABLE):
        return Context.FORM
    if model.overlay is Overlay.HISTORY:
        return Context.LISTING
    if model.overlay is not None:
        return Context.READING
    if model.screen is Screen.REPLAY:
        return Context.REPLAY
    if model.screen is Screen.BROWSE:
        return Context.BROWSE
    if model.shelved and model.screen is not Screen.END:
        return Context.SHELVED
    if model.screen is Screen.ROOM:
        return Context.ROOM
    if model.screen is Screen.END:
        return Context.BOARD_OVER if model.show_board else Context.OVER
    view = model.view
    if view is None or model.seat is None:
        return Context.WATCHING
    if model.played_for:
        return Context.WATCHING
    if view.is_my_turn:
        return Context.CLOSING if view.phase is Phase.CLOSE else Context.PLACING
    return Context.WATCHING if view.seats[model.seat].resigned else Context.WAITING


def bindings_for(model: Model) -> list[Binding]:
    """The lines of the table that hold now, in order."""
    context = context_of(model)
    return [binding for binding in BINDINGS if context in binding.contexts and binding.when(model)]


def action_for(model: Model, key: str) -> Action | None:
    """What a key does now, None for nothing."""
    for binding in bindings_for(model):
        if key in binding.keys:
            return binding.action
    return None


def hinted(model: Model, width: int) -> list[Binding]:
    """The lines of the table for the last row: the most wanted that fit, in the table's order."""
    wanted = [binding for binding in bindings_for(model) if binding.rank]
    room = width - 2
    chosen: list[Binding] = []
    for binding in sorted(wanted, key=lambda binding: binding.rank):
        columns = len(_(binding.shown)) + 1 + len(_(binding.label)) + (2 if chosen else 0)
        if columns <= room:
            chosen.append(binding)
            room -= columns
    return [binding for binding in wanted if binding in chosen]


def key_hints(model: Model, width: int) -> list[tuple[str, str]]:
    """Keys and labels for the last row."""
    return [(_(binding.shown), _(binding.label)) for binding in hinted(model, width)]


def hint_at(model: Model, width: int, column: int) -> Binding | None:
    """Which hint of the last row lies at a column."""
    x = 1
    for binding in hinted(model, width):
        columns = len(_(binding.shown)) + 1 + len(_(binding.label))
        if x <= column < x + columns:
            return binding
        x += columns + 2
    return None
