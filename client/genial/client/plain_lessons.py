"""The tutorial in lines of text: the ten steps of `lessons`, by commands instead of keys.

It plays at a `LessonTable`, so that every command answers as it does at a real one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from genial.client.errors import GenialError
from genial.client.lesson_table import LessonTable
from genial.client.lines import LineReader, say
from genial.client.plain_commands import HELP, Commands
from genial.client.plain_settings import PlainSettings
from genial.client.plain_words import Quit, split_comment
from genial.client.sentences import event_sentences, standing_sentences, turn_sentence
from genial.client.session import GameChanged, Session
from genial.client.text import N_, _
from genial.engine.moves import Placed
from genial.engine.rules import stops_reached
from genial.engine.view import SeenEvent, SeenExchanged

_USED: Final = frozenset(
    ("board", "rack", "scores", "turn", "since", "moves", "heat", "try", "place", "refill")
) | {"exchange", "race", "log", "rules", "#"}
"""Commands of a real table that mean something here."""
_OWN: Final = (
    ("again", N_("hear what there is to do once more")),
    ("skip", N_("go on to the next step")),
    ("quit", N_("leave the lessons")),
)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One step.

    Attributes:
        text: What there is to know and to do; translated where it is said.
        word: The command that is to be tried; empty: something has to happen.
        done: Whether one of the learner's own events is what has to happen.
        fresh: Whether it begins with a position of its own.
    """

    text: str
    word: str = ""
    done: Callable[[SeenEvent], bool] = lambda event: False
    fresh: bool = False


def _placed(least: int = 0) -> Callable[[SeenEvent], bool]:
    return lambda event: isinstance(event, Placed) and sum(event.points) >= least


def _exchanged(event: SeenEvent) -> bool:
    return isinstance(event, SeenExchanged)


def _called(event: SeenEvent) -> bool:
    if not isinstance(event, Placed):
        return False
    before = [after - points for points, after in zip(event.points, event.track, strict=True)]
    return stops_reached(before, event.track, 18) > 0


LESSONS: Final[tuple[Lesson, ...]] = (
    Lesson(
        N_(
            "You have six tiles. Each has two halves, and each half shows one of six symbols: "
            "R, G, B, O, Y, P. Type rack to hear yours."
        ),
        "rack",
    ),
    Lesson(
        N_(
            "The board is a hexagon. Its rows have letters, the cells in a row have numbers. "
            "Type board to hear what lies where."
        ),
        "board",
    ),
    Lesson(
        N_(
            "Your first tile must touch a printed start symbol. Type moves to hear your best "
            "placements: a tile, the cell of its first half, the cell of its second, and what "
            "it earns."
        ),
        "moves",
    ),
    Lesson(
        N_(
            "try tells what any placement would earn, before you make it. Now place a tile: "
            "type one of the lines that moves gave you, like place RB D8 D9."
        ),
        done=_placed(),
    ),
    Lesson(
        N_(
            "You draw a new tile by typing refill, and Max moves. Then type scores: everybody "
            "has six counters, and at the end only the weakest counts."
        ),
        "scores",
    ),
    Lesson(
        N_(
            "Later in the game. Each half scores along five lines of like symbols. Place a tile "
            "that earns 4 points or more; moves finds it."
        ),
        done=_placed(4),
        fresh=True,
    ),
    Lesson(
        N_(
            "You have placed a tile, and none of yours shows your weakest colour. Then you may "
            "show them all and take six new ones instead of refilling. Type exchange."
        ),
        done=_exchanged,
        fresh=True,
    ),
    Lesson(
        N_(
            "Near the end. A counter stops at 18, and filling one gives you another tile at "
            "once. Your purple counter, P, is nearly there: fill it. moves lists what earns P."
        ),
        done=_called,
        fresh=True,
    ),
    Lesson(N_("Genial! Place the other tile right away, before drawing."), done=_placed()),
    Lesson(
        N_(
            "The board is full. Sorted from the weakest, compared from the left, the first "
            "difference decides. That is all. Type quit, and genial play begins a real game."
        ),
    ),
)


async def run_plain_lessons(reader: LineReader, settings: PlainSettings, name: str = "") -> None:
    """Teaches until the input ends or the learner leaves."""
    await PlainLessons(settings, name).run(reader)


class PlainLessons:
    """A learner at the scripted table, and the step that is being learned."""

    def __init__(self, settings: PlainSettings, name: str = "") -> None:
        """Sits down; without a name the learner is called Ana."""
        self._table = LessonTable(name)
        # A lesson table has all of a session that the commands used here ask for.
        self._commands = Commands(cast(Session, self._table), None, settings)
        self._step = 0

    async def run(self, reader: LineReader) -> None:
        """See `run_plain_lessons`."""
        say(_("Ten short lessons. help lists the commands, skip goes on, quit leaves."))
        self._hear()
        self._begin()
        try:
            async for line in reader.lines():
                await self._obey(line)
        except Quit:
            return
        finally:
            self._commands.advice.close()

    async def _obey(self, line: str) -> None:
        word, rest = split_comment(line)
        word = word.casefold()
        if not word:
            return
        if word in ("help", "?"):
            self._help()
            return
        if word == "again":
            say(self._text())
            return
        if word == "skip":
            self._go_on()
            return
        if word != "quit" and word not in _USED:
            say(_("{word} is nothing for the lessons; help lists what is.").format(word=word[:40]))
            return
        try:
            answer = await self._commands.obey(f"{word} {rest}")
        except GenialError as error:
            say(error.sentence)
            return
        for said in answer.lines:
            say(said)
        lesson = LESSONS[self._step]
        events = self._hear()
        if (lesson.word == word and not answer.misunderstood) or any(map(lesson.done, events)):
            self._go_on()

    def _hear(self) -> list[SeenEvent]:
        """Tells what has happened; the learner's own part of it."""
        own: list[SeenEvent] = []
        for update in self._table.heard():
            if not isinstance(update, GameChanged):
                continue
            self._commands.take_game(update)
            told = [
                said
                for numbered in update.events
                for said in event_sentences(numbered.event, update.view)
            ]
            for said in told or standing_sentences(update.view):
                self._commands.facts.remember(said)
                say(said)
            own += [each.event for each in update.events if getattr(each.event, "seat", 1) == 0]
            if told and update.view.is_my_turn:
                say(turn_sentence(update.view))
        return own

    def _go_on(self) -> None:
        if self._step + 1 == len(LESSONS):
            raise Quit
        self._step += 1
        self._begin()

    def _begin(self) -> None:
        if LESSONS[self._step].fresh:
            self._table.begin(self._step)
            self._hear()
        say(self._text())

    def _text(self) -> str:
        return _("Step {number} of {count}. {text}").format(
            number=self._step + 1, count=len(LESSONS), text=_(LESSONS[self._step].text)
        )

    def _help(self) -> None:
        say(self._text())
        for usage, meaning in (*_OWN, *HELP):
            word = usage.split()[0]
            if word in _USED or (usage, meaning) in _OWN:
                say(f"{usage}: {_(meaning)}")
