"""Stepping through a record on the screen. Pure; the positions are those of `replay`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from genial.client.hearing import calls_of
from genial.client.model import Hand, Logged, Model, Play, Reel
from genial.client.text import _
from genial.client.updates import GameChanged
from genial.engine.moves import Placed
from genial.engine.view import project
from genial.v1 import game_pb2

LOG_SHOWN: Final = 60
"""Events before the place that are listed beside the board."""
PAGE: Final = 10


def go(model: Model, at: int) -> Model:
    """At another place, kept within the record; playing by itself goes on from there."""
    reel = model.reel
    if reel is None:
        return model
    at = max(reel.replay.start, min(reel.replay.end, at))
    due = reel.due
    if due is not None:
        due = None if at == reel.replay.end else model.now + pause(model)
    return replace(model, reel=replace(reel, at=at, due=due))


def pause(model: Model) -> float:
    """Seconds between two events that are played by themselves."""
    return model.settings.speed / 8


def play_or_stop(model: Model) -> Model:
    """Playing by itself from now on, or not any more; from the start again at the end."""
    reel = model.reel
    if reel is None:
        return model
    if reel.due is not None:
        return replace(model, reel=replace(reel, due=None))
    at = reel.replay.dealt if reel.at == reel.replay.end else reel.at
    return replace(model, reel=replace(reel, at=at, due=model.now + pause(model)))


def step_by_itself(model: Model) -> Model:
    """One event on, if that is due by now."""
    reel = model.reel
    if reel is None or reel.due is None or reel.due > model.now:
        return model
    return go(model, reel.replay.forward(reel.at))


def shown(model: Model, reel: Reel) -> Model:
    """The model as the game screen draws it: the position, as everybody may see it now.

    The game is over, so the rack of whoever is to move is no secret any more.
    """
    position = reel.replay.positions[reel.at]
    view = reel.replay.view(reel.at)
    game = GameChanged("", position.n, view, (), False, game_pb2.GameView())
    placed = position.led is not None and isinstance(position.led.event, Placed)
    mover = position.game.turn
    if placed and position.game.last_mover is not None:
        mover = position.game.last_mover
    rack = position.racks[mover]
    return replace(
        model,
        game=game,
        table=None,
        seat=None,
        invite="",
        hand=Hand(tuple(rack)),
        log=_log(reel),
        since_turn=(),
        heat=False,
        unread=0,
    )


def _log(reel: Reel) -> tuple[Logged, ...]:
    entries: list[Logged] = []
    for position in reel.replay.positions[max(1, reel.at - LOG_SHOWN) : reel.at + 1]:
        led = position.led
        if led is None:
            continue
        event = project(led.event, None)
        seat = getattr(event, "seat", None)
        name = position.game.seats[seat].name if seat is not None else ""
        calls = calls_of(event, position.game.rules) if isinstance(event, Placed) else 0
        entries.append(Play(led.n, event, name, None, calls))
    return tuple(entries)


def whose_rack(reel: Reel) -> str:
    """The name over the rack that is shown."""
    position = reel.replay.positions[reel.at]
    mover = position.game.turn
    led = position.led
    if led is not None and isinstance(led.event, Placed):
        mover = led.event.seat
    return _("{name}'s rack").format(name=position.game.seats[mover].name)
