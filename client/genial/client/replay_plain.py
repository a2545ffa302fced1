"""A recorded game stepped through in lines of text: `genial replay … --plain`.

One fact a line, as in the plain client: `next`, `back`, `jump 42`, `play`, `board`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Final, Protocol

from genial.client.board_text import board_sentences
from genial.client.lines import say
from genial.client.plain_words import Quit, UsageError, split_comment
from genial.client.record_files import OpenedRecord
from genial.client.record_show import board_lines, rules_sentence, verdict_sentence
from genial.client.replay import NoSuchEventError, Position, Replay
from genial.client.review_show import review_text
from genial.client.reviewing import review_record
from genial.client.sentences import (
    bag_sentence,
    end_sentences,
    score_sentences,
    tiles_text,
    turn_sentence,
)
from genial.client.text import N_, _, ngettext
from genial.engine.view import PlayerView
from genial.strategy.review import Review

PLAY_SECONDS: Final = 1.5
MOST_SECONDS: Final = 60.0
_NOTHING: Final = "\n"
"""No line that can be typed: the time is up."""

_HELP: Final = (
    ("next [N]", N_("the next event, or N of them; an empty line does the same")),
    ("back [N]", N_("one event back, or N")),
    ("move", N_("on to the next tile that is placed")),
    ("jump N", N_("to the position after event N; 0 is the start")),
    ("start", N_("back to the start")),
    ("end", N_("on to the end")),
    ("play [SECONDS]", N_("step by itself, so many seconds between events")),
    ("stop", N_("end playing by itself")),
    ("where", N_("where you are, and the event that led there")),
    ("board", N_("the board, row by row")),
    ("draw", N_("the board drawn with letters")),
    ("racks", N_("everybody's tiles")),
    ("scores", N_("all tracks")),
    ("turn", N_("what is due, and from whom")),
    ("result", N_("how the game ended")),
    ("review", N_("what each placement gave away, and why; takes a few seconds")),
    ("quit", N_("leave")),
)


class Lines(Protocol):
    """Where commands come from; `lines.LineReader` is one."""

    def lines(self) -> AsyncIterator[str]:
        """Each line without its end, until the input ends."""


async def run_replay(opened: OpenedRecord, reader: Lines) -> None:
    """Steps through a record until the input ends or somebody quits."""
    await PlainReplay(opened).run(reader)


class PlainReplay:
    """One record, and where in it the reader is."""

    def __init__(self, opened: OpenedRecord, *, beside: bool = False) -> None:
        """Starts where the racks are dealt: before that there is nothing to see.

        Args:
            opened: The record.
            beside: Whether a table goes on meanwhile; then nothing plays by itself, and
                nothing is reviewed, for which the table would have to wait.
        """
        self._opened = opened
        self._replay = Replay.of(opened.record)
        self._at = self._replay.dealt
        self._play: float | None = None
        self._review_asked = False
        self._words: dict[str, Callable[[str], Iterable[str]]] = {
            "": self._next,
            "help": self._help,
            "?": self._help,
            "next": self._next,
            "back": self._back,
            "move": self._move,
            "jump": self._jump,
            "start": lambda rest: self._go(self._replay.start),
            "end": lambda rest: self._go(self._replay.end),
            "play": self._start_playing,
            "stop": self._stop,
            "where": lambda rest: self._where(),
            "board": lambda rest: board_sentences(self._position.game.board),
            "draw": self._draw,
            "racks": self._racks,
            "rack": self._racks,
            "scores": lambda rest: score_sentences(self._view),
            "turn": lambda rest: [turn_sentence(self._view), bag_sentence(self._view)],
            "result": self._result,
            "review": self._review,
            "quit": self._quit,
        }
        self._beside = beside
        if beside:
            for word in ("play", "stop", "review"):
                del self._words[word]

    async def run(self, reader: Lines) -> None:
        """See `run_replay`."""
        for sentence in self.introduction():
            say(sentence)
        typed: asyncio.Queue[str | None] = asyncio.Queue()
        pump = asyncio.create_task(_pump(reader, typed))
        # What is typed while it plays by itself waits for its turn; None: the input has ended.
        waiting: deque[str | None] = deque()
        try:
            while True:
                if self._play is not None:
                    line = await self._typed_in_time(typed, self._play)
                    if line is _NOTHING:
                        self._step_by_itself()
                        continue
                    if line is None or _word(line) not in ("stop", "quit"):
                        waiting.append(line)
                        continue
                else:
                    line = waiting.popleft() if waiting else await typed.get()
                if line is None:
                    return
                for answer in self.obey(line):
                    say(answer)
                if self._review_asked:
                    self._review_asked = False
                    for answer in await self._reviewed():
                        say(answer)
        except Quit:
            return
        finally:
            pump.cancel()
            await asyncio.gather(pump, return_exceptions=True)

    async def _reviewed(self) -> list[str]:
        # Nothing else waits here, so it needs no process of its own; but Ctrl-C has to be heard.
        for step in review_record(self._opened.record):
            if isinstance(step, Review):
                return review_text(step).splitlines()
            await asyncio.sleep(0)
        return []

    async def _typed_in_time(self, typed: asyncio.Queue[str | None], seconds: float) -> str | None:
        try:
            async with asyncio.timeout(seconds):
                return await typed.get()
        except TimeoutError:
            return _NOTHING

    def _step_by_itself(self) -> None:
        for line in self._next(""):
            say(line)
        if self._at == self._replay.end:
            self._play = None

    # --- commands --------------------------------------------------------------------

    def introduction(self) -> list[str]:
        """What is said before the first command."""
        header = self._replay.record.header
        names = ", ".join(seat.name for seat in header.seats)
        count = self._replay.last_n
        return [
            _("A game of {names}: {rules}.").format(names=names, rules=rules_sentence(header)),
            verdict_sentence(self._opened),
            ngettext(
                "{count} event. Type next for each of them, or help.",
                "{count} events. Type next for each of them, or help.",
                count,
            ).format(count=count),
            *self._where(),
        ]

    def obey(self, line: str) -> list[str]:
        """The answer to a command, a fact a line.

        Raises:
            Quit: It says to go.
        """
        text = line.partition("#")[0].strip()
        if not text and line.strip():
            return []
        word, rest = split_comment(text)
        command = self._words.get(word.casefold())
        if command is None:
            return [_("{word} is no command; help lists them all.").format(word=word[:40])]
        try:
            return list(command(rest))
        except (UsageError, NoSuchEventError) as error:
            return [str(error)]

    def _help(self, rest: str) -> list[str]:
        return [
            f"{usage}: {_(meaning)}" for usage, meaning in _HELP if usage.split()[0] in self._words
        ]

    def _next(self, rest: str) -> list[str]:
        said: list[str] = []
        for _step in range(_count(rest)):
            if self._at == self._replay.end:
                return [*said, _("This is the end of the game.")]
            self._at = self._replay.forward(self._at)
            said += self._where()
        return said

    def _back(self, rest: str) -> list[str]:
        if self._at == self._replay.start:
            return [_("This is the start of the game.")]
        return self._go(max(self._replay.start, self._at - _count(rest)))

    def _move(self, rest: str) -> list[str]:
        if self._at == self._replay.end:
            return [_("This is the end of the game.")]
        return self._go(self._replay.next_move(self._at))

    def _jump(self, rest: str) -> list[str]:
        if not (rest.isascii() and rest.isdigit() and len(rest) <= 9):
            raise UsageError(_("Say to which event, like: jump 42"))
        return self._go(self._replay.place_of(int(rest)))

    def _go(self, at: int) -> list[str]:
        self._at = at
        return self._where()

    def _where(self) -> list[str]:
        if self._at == self._replay.start:
            return [_("The start: nothing is dealt yet.")]
        number = self._position.n
        return [f"{number}: {sentence}" for sentence in self._replay.sentences(self._at)]

    def _start_playing(self, rest: str) -> list[str]:
        seconds = PLAY_SECONDS
        if rest:
            try:
                seconds = float(rest)
            except ValueError:
                seconds = -1.0
            if not 0 <= seconds <= MOST_SECONDS:
                raise UsageError(
                    _("Say how many seconds, 0 to {most}, like: play 2").format(
                        most=int(MOST_SECONDS)
                    )
                )
        if self._at == self._replay.end:
            return [_("This is the end of the game.")]
        self._play = seconds
        return []

    def _review(self, rest: str) -> list[str]:
        self._review_asked = True
        return []

    def _stop(self, rest: str) -> list[str]:
        self._play = None
        return [_("Stopped.")]

    def _draw(self, rest: str) -> list[str]:
        return board_lines(self._position.game.board, self._position.last_placed)

    def _racks(self, rest: str) -> list[str]:
        return [
            _("{name} has {tiles}.").format(name=seat.name, tiles=tiles_text(rack))
            for seat, rack in zip(self._view.seats, self._position.racks, strict=True)
        ]

    def _result(self, rest: str) -> list[str]:
        view = self._replay.view(self._replay.end)
        if view.ended is None:
            return [_("The record breaks off before the end of the game.")]
        return end_sentences(view.ended, view)

    def _quit(self, rest: str) -> list[str]:
        raise Quit

    @property
    def _position(self) -> Position:
        return self._replay.positions[self._at]

    @property
    def _view(self) -> PlayerView:
        return self._replay.view(self._at)


async def _pump(reader: Lines, typed: asyncio.Queue[str | None]) -> None:
    async for line in reader.lines():
        typed.put_nowait(line)
    typed.put_nowait(None)


def _word(line: str) -> str:
    return split_comment(line)[0].casefold()


def _count(text: str) -> int:
    if not text:
        return 1
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text)):
        raise UsageError(_("{text} is not a number of events.").format(text=text[:40]))
    return int(text)
