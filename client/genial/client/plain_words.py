"""What the commands of the plain clients have in common: answers, and lines that are none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from genial.client.text import _


class Quit(Exception):
    """The person wants to go."""


class UsageError(ValueError):
    """A line that is no command; its text is a sentence."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a line is answered with.

    Attributes:
        lines: Sentences, in order; empty where the answer comes as an update.
        misunderstood: Whether the line was no command as it stands, so that whoever is due
            is due still and hears it again.
    """

    lines: Sequence[str] = ()
    misunderstood: bool = False


Command = Callable[[str], Awaitable[Answer]]
"""A command by what stands behind its word.

Raises:
    UsageError: That makes no sense.
    Quit: It means to go.
    GenialError: The host refuses, or does not answer.
"""


def number_of_lines(text: str, default: int, most: int) -> int:
    """How many lines are wanted; `default` where nothing is said, never more than `most`.

    Raises:
        UsageError: The text is no number, or 0.
    """
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text)):
        raise UsageError(_("{text} is not a number of lines.").format(text=text[:40]))
    return min(int(text), most)


def split_comment(line: str) -> tuple[str, str]:
    """Word and rest of a typed line, without its comment; both empty where nothing is left."""
    word, *rest = line.partition("#")[0].split(maxsplit=1) or [""]
    return word, rest[0].strip() if rest else ""
