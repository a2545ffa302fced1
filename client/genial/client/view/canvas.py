"""A character grid: what a terminal holds, before it has colours.

Each place has one character, one foreground role, one background role, bold and
underline. Views write into it; `fragments` and `text` read it.
"""

from __future__ import annotations

import unicodedata
from typing import Final, NamedTuple

from wcwidth import wcwidth

from genial.client.palette import Look

_REPLACEMENT: Final = "?"


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
        blank = Ink("text", bg)
        self._chars = [[" "] * width for _ in range(height)]
        self._inks = [[blank] * width for _ in range(height)]

    def fill(self, x: int, y: int, width: int, height: int, bg: str) -> None:
        """Blank a rectangle on the background role `bg`."""
        ink = Ink("text", bg)
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
        for char in text:
            columns = 1 if plain else max(0, wcwidth(char))
            if columns == 0:
                if inside and 0 < x <= self.width:
                    chars[x - 2 if x > 1 and not chars[x - 1] else x - 1] += char
                continue
            if inside and x >= 0 and x + columns <= self.width:
                ink = Ink(fg, inks[x].bg if bg is None else bg, bold, underline)
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
                row[column] = row[column]._replace(underline=True)

    def char(self, x: int, y: int) -> str:
        """The character at a place of the grid; empty in a wide character's second half."""
        return self._chars[y][x]

    def ink(self, x: int, y: int) -> Ink:
        """How the character at a place of the grid is written."""
        return self._inks[y][x]

    def text(self) -> str:
        """All rows as plain text, trailing blanks cut, one newline after each."""
        return "".join("".join(row).rstrip() + "\n" for row in self._chars)

    def runs(self, y: int) -> list[tuple[Ink, str]]:
        """Row `y` as runs of equal ink."""
        runs: list[tuple[Ink, str]] = []
        chars, inks = self._chars[y], self._inks[y]
        start, current = 0, inks[0] if inks else None
        for x, ink in enumerate(inks):
            if ink is not current and ink != current:
                assert current is not None
                runs.append((current, "".join(chars[start:x])))
                start, current = x, ink
        if current is not None:
            runs.append((current, "".join(chars[start:])))
        return runs

    def fragments(self, y: int, look: Look) -> list[tuple[str, str]]:
        """Row `y` as prompt_toolkit fragments: style string and text."""
        return [(look.style(*ink), text) for ink, text in self.runs(y)]
