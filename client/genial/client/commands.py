"""The command line within the screen: `:place RB D8 D9`. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from genial.client import replaying
from genial.client.hearing import Step
from genial.client.keys import Action
from genial.client.messages import (
    Exchange,
    Kick,
    LockSeats,
    PauseClocks,
    Place,
    ProposeEnd,
    Refill,
    Rematch,
    RemoveBot,
    Resume,
    Say,
    SeatBot,
    SetReady,
    StartGame,
    TakeBack,
)
from genial.client.model import Ask, Model, Overlay, Screen
from genial.client.sentences import refused_sentence
from genial.client.text import N_, _
from genial.engine.board import MalformedCellError, parse_cell
from genial.engine.tiles import MalformedTileError, Tile

AT_TABLE: Final = frozenset({Screen.ROOM, Screen.GAME, Screen.END})
BETWEEN: Final = frozenset({Screen.ROOM, Screen.END})

COMMANDS = (
    *("place", "exchange", "refill", "say", "ready", "start", "bots", "remove", "kick", "lock"),
    *("unlock", "rematch", "resign", "end", "pause", "continue", "shelve", "resume"),
    *("back", "leave", "jump", "log", "help", "quit"),
)
"""What can be typed; never translated."""

HELP: Final[tuple[tuple[str, str, frozenset[Screen]], ...]] = (
    ("resign", N_("give the game up; you take no more turns"), frozenset({Screen.GAME})),
    (
        "end",
        N_("propose to end the game as it stands, or agree; `end no` takes it back"),
        frozenset({Screen.GAME}),
    ),
    ("leave", N_("leave the table and give up your seat"), AT_TABLE),
    ("bots hard", N_("a bot of that level takes a free seat"), BETWEEN),
    ("remove 2", N_("the bot on that seat leaves"), BETWEEN),
    ("kick 2", N_("take that seat from whoever sits there; for who opened the table"), AT_TABLE),
    ("lock", N_("nobody else may sit down; `unlock` lets them again"), AT_TABLE),
    ("jump 42", N_("to an event, by its number"), frozenset({Screen.REPLAY})),
)
"""What has no key of its own: how it is typed (never translated), what it does, and where."""

Press = Callable[[Model, Action, str], Step]


def run_command(model: Model, text: str, press: Press) -> Step:
    """The model after a typed command (without the colon); wrong input costs nothing."""
    word, _space, rest = text.strip().lstrip(":").partition(" ")
    rest = rest.strip()
    match word.lower():
        case "place":
            return _place(model, rest.split())
        case "exchange":
            return _closing(model, exchange=True)
        case "refill":
            return _closing(model, exchange=False)
        case "say" if rest:
            return model, (Say(rest),)
        case "ready":
            return model, (SetReady(True),)
        case "start":
            return model, (StartGame(),)
        case "bots":
            levels = [level.strip() for level in rest.split(",") if level.strip()]
            return model, tuple(SeatBot(level) for level in levels or [""])
        case "rematch":
            return model, (Rematch(),)
        case "kick" if _number(rest):
            return model, (Kick(int(rest) - 1),)
        case "remove" if _number(rest):
            return model, (RemoveBot(int(rest) - 1),)
        case "lock" | "unlock":
            return model, (LockSeats(word.lower() == "lock"),)
        case "resign":
            return replace(model, question=Ask.RESIGN), ()
        case "end":
            return model, (ProposeEnd(rest != "no"),)
        case "pause" | "continue":
            return model, (PauseClocks(word.lower() == "pause"),)
        case "shelve":
            return replace(model, question=Ask.SHELVE), ()
        case "resume":
            return model, (Resume(),)
        case "back" if model.played_for:
            return model, (TakeBack(),)
        case "leave":
            return replace(model, question=Ask.LEAVE_TABLE), ()
        case "jump" if model.reel is not None:
            return _jump(model, rest), ()
        case "help":
            return replace(model, overlay=Overlay.HELP, scroll=0), ()
        case "log":
            return replace(model, overlay=Overlay.LOG, scroll=10**6), ()
        case "quit" | "q":
            return press(model, Action.LEAVE, "")
        case _:
            known = ", ".join(COMMANDS)
            return replace(
                model,
                notice=_("There is no command {word}; there are: {commands}.").format(
                    word=word[:20], commands=known
                ),
            ), ()


def _place(model: Model, words: list[str]) -> Step:
    view = model.view
    if view is None or model.seat is None:
        return replace(model, notice=_("There is no game to place in.")), ()
    if len(words) != 3:
        return replace(model, notice=_("Type it like this: place RB D8 D9")), ()
    try:
        tile = Tile.parse_oriented(words[0].upper())
        cells = (parse_cell(words[1]), parse_cell(words[2]))
    except MalformedTileError:
        return replace(
            model, notice=_("{text} is no tile: two letters, like RB.").format(text=words[0][:20])
        ), ()
    except MalformedCellError as error:
        return replace(
            model,
            notice=_("{text} is no cell: a row A to O and a number, like H8.").format(
                text=error.text[:20]
            ),
        ), ()
    refused = view.refusal_for(tile, cells)
    if refused is not None:
        return replace(model, notice=refused_sentence(refused)), ()
    return replace(model, busy=True), (Place(tile, cells),)


def _number(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text) < 10


def _closing(model: Model, *, exchange: bool) -> Step:
    view = model.view
    if view is None or view.viewer is None:
        return replace(model, notice=_("There is no turn of yours to end.")), ()
    refused = view.exchange_refusal() if exchange else view.refill_refusal()
    if refused is not None:
        return replace(model, notice=refused_sentence(refused)), ()
    return replace(model, busy=True), (Exchange() if exchange else Refill(),)


def _jump(model: Model, number: str) -> Model:
    reel = model.reel
    assert reel is not None
    if not (number.isascii() and number.isdigit() and len(number) < 7):
        return replace(model, notice=_("Type it like this: jump 42"))
    # Loaded already, with the record that is shown.
    from genial.client.replay import NoSuchEventError

    try:
        return replaying.go(model, reel.replay.place_of(int(number)))
    except NoSuchEventError as error:
        return replace(model, notice=str(error))
