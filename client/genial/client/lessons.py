"""The tutorial: ten steps against a scripted opponent, each with what to do and when it is done.

Pure: `LessonTable` (in `lesson_table`) plays the game that the steps speak of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from genial.client.hearing import calls_of
from genial.client.model import Model, Play
from genial.client.text import N_
from genial.engine.moves import Placed
from genial.engine.view import SeenExchanged

Goal = Callable[[Model, Model], bool]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One step.

    Attributes:
        text: What there is to know and to do; translated where it is shown.
        goal: Whether it was done by what led from one model to the next.
        by_key: Whether the space bar goes on.
        fresh: Whether it begins with a position of its own (see `lesson_table`).
    """

    text: str
    goal: Goal
    by_key: bool = False
    fresh: bool = False


def _never(before: Model, after: Model) -> bool:
    return False


def _chose(before: Model, after: Model) -> bool:
    return before.hand.chosen != after.hand.chosen and before.view is after.view


def _moved(before: Model, after: Model) -> bool:
    return before.view is after.view and before.hand.anchor != after.hand.anchor


def _turned(before: Model, after: Model) -> bool:
    return before.hand.anchor == after.hand.anchor and before.hand.direction != after.hand.direction


def _new_plays(before: Model, after: Model) -> list[Play]:
    """Our own plays since the model before."""
    view = after.view
    seat = None if view is None else view.viewer
    return [
        entry
        for entry in after.log[len(before.log) :]
        if isinstance(entry, Play) and getattr(entry.event, "seat", None) == seat
    ]


def _placed(least: int = 0) -> Goal:
    def goal(before: Model, after: Model) -> bool:
        return any(
            isinstance(play.event, Placed) and sum(play.event.points) >= least
            for play in _new_plays(before, after)
        )

    return goal


def _exchanged(before: Model, after: Model) -> bool:
    return any(isinstance(play.event, SeenExchanged) for play in _new_plays(before, after))


def _called(before: Model, after: Model) -> bool:
    view = after.view
    return view is not None and any(
        isinstance(play.event, Placed) and calls_of(play.event, view.rules) > 0
        for play in _new_plays(before, after)
    )


LESSONS: Final[tuple[Lesson, ...]] = (
    Lesson(
        N_("Your six tiles lie on the rack. Each has two halves. Choose another one: keys 1 to 6."),
        _chose,
    ),
    Lesson(
        N_("The tile in white brackets is yours. Move it with the arrows; y u b n go diagonally."),
        _moved,
    ),
    Lesson(N_("r turns it about its first half. Turn it."), _turned),
    Lesson(
        N_(
            "The first tile must touch a printed start symbol, on a cell with o. What it earns "
            "stands at the left; * shows the best spot. Enter places it."
        ),
        _placed(),
    ),
    Lesson(
        N_(
            "Max has placed the tile in pointed brackets. Your counters stand weakest first: at "
            "the end only the weakest counts. Space goes on."
        ),
        _never,
        by_key=True,
    ),
    Lesson(
        N_(
            "Later in the game. Each half scores along five lines of like symbols, underlined "
            "while you look. Place a tile that earns 4 points or more."
        ),
        _placed(4),
        fresh=True,
    ),
    Lesson(
        N_(
            "After placing you draw. But no tile of yours shows your weakest colour: then you may "
            "show them all and take six new ones. Press x, then y."
        ),
        _exchanged,
        fresh=True,
    ),
    Lesson(
        N_(
            "Near the end. A counter stops at 18, and filling one gives you another tile at once. "
            "Your purple counter is nearly there: fill it (* helps)."
        ),
        _called,
        fresh=True,
    ),
    Lesson(N_("Genial! Place the other tile right away, before drawing."), _placed()),
    Lesson(
        N_(
            "The board is full. Sorted from the weakest, compared from the left: the first "
            "difference decides. That is all; q leaves, and a real game waits."
        ),
        _never,
    ),
)


def watch_lesson(before: Model, after: Model) -> Model:
    """The model with the next step, if the present one is done."""
    step = after.lesson
    if step is None or before.lesson != step or step >= len(LESSONS):
        return after
    if LESSONS[step].goal(before, after):
        return replace(after, lesson=step + 1)
    return after


def go_on(model: Model) -> Model:
    """The next step, where the space bar is waited for."""
    step = model.lesson
    if step is None or not LESSONS[step].by_key:
        return model
    return replace(model, lesson=step + 1)
