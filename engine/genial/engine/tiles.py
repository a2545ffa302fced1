"""Symbols and tiles: what the box holds (rules, section 1)."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class MalformedTileError(ValueError):
    """A text that names no tile."""


class Symbol(IntEnum):
    """One of the six symbols; the numbers are those of a packed board (0 is a free cell)."""

    R = 1
    G = 2
    B = 3
    O = 4  # noqa: E741 - the letter of the rules
    Y = 5
    P = 6

    @property
    def letter(self) -> str:
        """The symbol's letter, as in records and commands."""
        return self.name

    @classmethod
    def from_letter(cls, letter: str) -> Symbol:
        """The symbol of a capital letter.

        Raises:
            MalformedTileError: `letter` is none of R G B O Y P.
        """
        try:
            return cls[letter]
        except KeyError:
            raise MalformedTileError(f"{letter!r} is no symbol: use R G B O Y P") from None


SYMBOLS: tuple[Symbol, ...] = tuple(Symbol)
LETTERS = "".join(symbol.letter for symbol in SYMBOLS)


class Tile(NamedTuple):
    """Two joined hexes.

    A tile on a rack is canonical (letters in the order R G B O Y P); a tile being
    placed may be turned, its first symbol then lies on the first cell. Canonical
    order of tiles is the order of the tuples.

    >>> Tile.parse("BR"), str(Tile.parse("BR"))
    (Tile.parse('RB'), 'RB')
    """

    first: Symbol
    second: Symbol

    @classmethod
    def parse(cls, text: str) -> Tile:
        """The canonical tile of two letters, in either order.

        Raises:
            MalformedTileError: `text` is not two letters out of R G B O Y P.
        """
        return cls.parse_oriented(text).canonical

    @classmethod
    def parse_oriented(cls, text: str) -> Tile:
        """The tile of two letters as they stand: the first lies on the first cell.

        Raises:
            MalformedTileError: `text` is not two letters out of R G B O Y P.
        """
        tile = _ORIENTED.get(text)
        if tile is None:
            raise MalformedTileError(
                f"{text[:20]!r} is no tile: two letters out of R G B O Y P, like RB"
            )
        return tile

    @property
    def canonical(self) -> Tile:
        """The same tile with its letters in the order R G B O Y P."""
        return self if self.first <= self.second else Tile(self.second, self.first)

    @property
    def flipped(self) -> Tile:
        """The same tile the other way round."""
        return Tile(self.second, self.first)

    @property
    def is_double(self) -> bool:
        """Whether both halves show the same symbol."""
        return self.first == self.second

    def __str__(self) -> str:
        """Two letters, as in records and commands."""
        return _TEXTS[self[0] * _ROW + self[1]]

    def __repr__(self) -> str:
        """An expression that reads back."""
        parser = "parse" if self.first <= self.second else "parse_oriented"
        return f"Tile.{parser}({str(self)!r})"


_ROW = len(SYMBOLS) + 1
_TEXTS: list[str] = [one + other for one in "-" + LETTERS for other in "-" + LETTERS]
"""Texts of tiles by their numbers: the names of an enum's members are slow to come by."""

_ORIENTED: dict[str, Tile] = {
    one.letter + other.letter: Tile(one, other) for one in SYMBOLS for other in SYMBOLS
}

TILE_KINDS: tuple[Tile, ...] = tuple(
    Tile(one, other) for one in SYMBOLS for other in SYMBOLS if one <= other
)
"""The 21 kinds in canonical order."""


def copies_of(tile: Tile) -> int:
    """How many of the 120 tiles are of this kind: 5 of each double, 6 of each other."""
    return 5 if tile.is_double else 6


FULL_SET: tuple[Tile, ...] = tuple(tile for tile in TILE_KINDS for _ in range(copies_of(tile)))
"""The 120 tiles in canonical order."""


def rack_text(tiles: tuple[Tile, ...] | list[Tile]) -> list[str]:
    """Tiles as letters, in the order given."""
    return [str(tile) for tile in tiles]
