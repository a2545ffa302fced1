"""A character grid: what a terminal holds, before it has colours.

Each place has one character, one foreground role, one background role, bold and
underline. Views write into it; `fragments` and `text` read it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

from wcwidth import wcwidth

from genial.client.palette import Look

_REPLACEMENT: Final = "?"


# As kept in the grid: plain tuples are made and compared several times faster.
_Ink = tuple[str, str, bool, bool]


class Ink(NamedTuple):
    """How one character is written: roles of the palette, bold, underline."""

    fg: str
    bg: str
    bold: bool = False
    underline: bool = False


def clean(text: str) -> str:
    """`text` on one line without anything that moves the cursor or hides.

    Controls become `?`; format characters (zero width, direction marks, joiners) and
    variation selectors go, so that widths can be added up character by character.
    """
    if text.isascii() and text.isprintable():
        return text
    kept: list[str] = []
    for char in text:
        category = unicodedata.category(char)
        if category in {"Cc", "Zl", "Zp", "Cs"}:
            kept.append(" " if char in "\t\n\r" else _REPLACEMENT)
        elif category == "Cf" or "\ufe00" <= char <= "\ufe0f":
            continue
        elif category == "Co" or wcwidth(char) < 0:
            kept.append(_REPLACEMENT)
        else:
            kept.append(char)
    return "".join(kept)


def width_of(text: str) -> int:
    """Columns that cleaned `text` takes."""
    return len(text) if text.isascii() else sum(max(0, wcwidth(char)) for char in text)


def cut(text: str, columns: int) -> str:
    """Cleaned `text`, shortened to at most `columns` columns (not characters)."""
    text = clean(text)
    if width_of(text) <= columns:
        return text
    used = 0
    for position, char in enumerate(text):
        used += max(0, wcwidth(char))
        if used > columns:
            return text[:position]
    return text


def fit(text: str, columns: int) -> str:
    """Cleaned `text` cut or filled up with blanks to exactly `columns` columns."""
    shortened = cut(text, columns)
    return shortened + " " * (columns - width_of(shortened))


def wrap(text: str, columns: int) -> list[str]:
    """Cleaned `text` broken at spaces into lines of at most `columns` columns; never empty."""
    lines: list[str] = []
    line = ""
    for word in clean(text).split():
        while width_of(word) > columns:
            if line:
                lines.append(line)
                line = ""
            head = cut(word, columns) or word[0]
            lines.append(head)
            word = word[len(head) :]
        if not word:
            continue
        joined = f"{line} {word}" if line else word
        if width_of(joined) <= columns:
            line = joined
        else:
            lines.append(line)
            line = word
    if line or not lines:
        lines.append(line)
    return lines


class Canvas:
    """A grid of `width` by `height` characters, all blank on `bg` at first.

    Writing outside of the grid is cut off silently: a window can be any size.
    """

    __slots__ = ("_chars", "_inks", "_wide", "cursor", "height", "width")

    def __init__(self, width: int, height: int, bg: str = "bg") -> None:
        self.width = width
        self.height = height
        # Where the terminal's cursor belongs (x, y); None hides it.
        self.cursor: tuple[int, int] | None = None
        # Whether any character takes two columns: then writing may cut one in half.
        self._wide = False
        blank: _Ink = ("text", bg, False, False)
        self._chars = [[" "] * width for _ in range(height)]
        self._inks = [[blank] * width for _ in range(height)]

    def fill(self, x: int, y: int, width: int, height: int, bg: str) -> None:
        """Blank a rectangle on the background role `bg`."""
        ink: _Ink = ("text", bg, False, False)
        left, right = max(0, x), min(self.width, x + width)
        for row in range(max(0, y), min(self.height, y + height)):
            self._mend(row, left, right)
            self._chars[row][left:right] = " " * max(0, right - left)
            self._inks[row][left:right] = [ink] * max(0, right - left)

    def put(
        self,
        x: int,
        y: int,
        text: str,
        fg: str = "text",
        bg: str | None = None,
        bold: bool = False,
        underline: bool = False,
    ) -> int:
        """Write cleaned `text` from column `x` of row `y`; None keeps each background.

        Returns:
            The column after the text, written or not.
        """
        plain = text.isascii() and text.isprintable()
        if not plain:
            text = clean(text)
        inside = 0 <= y < self.height
        chars = self._chars[y] if inside else []
        inks = self._inks[y] if inside else []
        if plain and inside and x >= 0 and x + len(text) <= self.width:
            right = x + len(text)
            self._mend(y, x, right)
            chars[x:right] = text
            if bg is None:
                # One ink for a whole piece of text: a large screen has ten thousand places.
                under = inks[x:right]
                ground = under[0][1] if under else ""
                ink = (fg, ground, bold, underline)
                inks[x:right] = [
                    ink if each[1] is ground else (fg, each[1], bold, underline) for each in under
                ]
            else:
                inks[x:right] = [(fg, bg, bold, underline)] * len(text)
            return right
        for char in text:
            columns = 1 if plain else max(0, wcwidth(char))
            if columns == 0:
                if inside and 0 < x <= self.width:
                    chars[x - 2 if x > 1 and not chars[x - 1] else x - 1] += char
                continue
            if inside and x >= 0 and x + columns <= self.width:
                ink = (fg, inks[x][1] if bg is None else bg, bold, underline)
                self._mend(y, x, x + columns)
                chars[x] = char
                inks[x] = ink
                if columns == 2:
                    self._wide = True
                    chars[x + 1] = ""
                    inks[x + 1] = ink
            x += columns
        return x

    def _mend(self, y: int, left: int, right: int) -> None:
        """Blank what is left of a wide character of which `left`..`right` covers one half."""
        if not self._wide or left >= right:
            return
        chars = self._chars[y]
        if left > 0 and chars[left] == "":
            chars[left - 1] = " "
        if right < self.width and chars[right] == "":
            chars[right] = " "

    def put_right(
        self,
        right: int,
        y: int,
        text: str,
        fg: str = "text",
        bg: str | None = None,
        bold: bool = False,
    ) -> int:
        """Write `text` so that it ends before column `right`; returns its first column."""
        x = right - width_of(clean(text))
        self.put(x, y, text, fg, bg, bold)
        return x

    def underline(self, x: int, y: int, width: int) -> None:
        """Underline `width` characters from (x, y), keeping all else."""
        if 0 <= y < self.height:
            row = self._inks[y]
            for column in range(max(0, x), min(self.width, x + width)):
                fg, bg, bold, _underline = row[column]
                row[column] = (fg, bg, bold, True)

    def char(self, x: int, y: int) -> str:
        """The character at a place of the grid; empty in a wide character's second half."""
        return self._chars[y][x]

    def ink(self, x: int, y: int) -> Ink:
        """How the character at a place of the grid is written."""
        return Ink(*self._inks[y][x])

    def text(self) -> str:
        """All rows as plain text, trailing blanks cut, one newline after each."""
        return "".join("".join(row).rstrip() + "\n" for row in self._chars)

    def runs(self, y: int) -> list[tuple[Ink, str]]:
        """Row `y` as runs of equal ink."""
        return [(Ink(*ink), text) for ink, text in self._runs(y)]

    def _runs(self, y: int) -> list[tuple[_Ink, str]]:
        runs: list[tuple[_Ink, str]] = []
        chars, inks = self._chars[y], self._inks[y]
        start = 0
        for x in range(1, len(inks) + 1):
            if x == len(inks) or (inks[x] is not inks[start] and inks[x] != inks[start]):
                runs.append((inks[start], "".join(chars[start:x])))
                start = x
        return runs

    def fragments(self, y: int, look: Look) -> list[tuple[str, str]]:
        """Row `y` as prompt_toolkit fragments: style string and text."""
        return [(look.style(*ink), text) for ink, text in self._runs(y)]

    def cells(self, y: int, look: Look) -> list[tuple[str, str]]:
        """Row `y` place by place: character (empty after a wide one) and style string."""
        style = look.style
        return [
            (char, style(*ink)) for char, ink in zip(self._chars[y], self._inks[y], strict=True)
        ]

    def same_row(self, other: Canvas, y: int) -> bool:
        """Whether row `y` is the same in another canvas of the same size."""
        return self._chars[y] == other._chars[y] and self._inks[y] == other._inks[y]

    def patches(self) -> tuple[Patch, ...]:
        """What was drawn, as a piece of each row from its first to its last place that is
        not blank on `bg`; for `paste`.
        """
        blank: _Ink = ("text", "bg", False, False)
        found: list[Patch] = []
        for y, (chars, inks) in enumerate(zip(self._chars, self._inks, strict=True)):
            drawn = [
                x
                for x, (char, ink) in enumerate(zip(chars, inks, strict=True))
                if char != " " or ink != blank
            ]
            if drawn:
                left, right = drawn[0], drawn[-1] + 1
                found.append((y, left, chars[left:right], inks[left:right]))
        return tuple(found)

    def paste(self, patches: Iterable[Patch]) -> None:
        """Put pieces of a canvas of the same size where they were."""
        for y, left, chars, inks in patches:
            self._chars[y][left : left + len(chars)] = chars
            self._inks[y][left : left + len(inks)] = inks


Patch = tuple[int, int, list[str], list[_Ink]]
"""Row, column, characters and inks of a piece of a canvas."""
