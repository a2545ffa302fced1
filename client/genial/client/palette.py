"""Colours: themes as tables of roles, and how many colours a terminal has.

The views name *roles* ("panel", "fill.R"); a theme says what colour a role has. So a
screen can be tested without colours, and every theme draws the same characters.

Every colour is given three times: exact, as an entry of the xterm 256 palette (chosen
so that the six symbols stay apart, see docs/decisions.md), and as one of the terminal's
own 16.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from genial.engine.tiles import LETTERS


class Depth(StrEnum):
    """How many colours the terminal shows."""

    TRUE = "true"
    XTERM = "256"
    ANSI = "16"
    NONE = "none"


class Theme(StrEnum):
    """A look that the player can choose."""

    DARK = "dark"
    LIGHT = "light"
    COLOUR_BLIND = "colour-blind"
    MONO = "mono"
    ASCII = "ascii"


class Colour(NamedTuple):
    """One colour: `#rrggbb`, index in the xterm palette, prompt_toolkit's name in the 16."""

    exact: str
    xterm: int
    ansi: str


INK: Final = Colour("#0b0d10", 232, "ansiblack")
WHITE: Final = Colour("#ffffff", 231, "ansiwhite")


def fill_role(symbol: int) -> str:
    """The role of a symbol's own colour; `symbol` is 1..6."""
    return "fill." + LETTERS[symbol - 1]


def ink_role(symbol: int) -> str:
    """The role of text on a symbol's colour; `symbol` is 1..6."""
    return "ink." + LETTERS[symbol - 1]


def _symbols(*rows: tuple[str, int, str, Colour]) -> dict[str, Colour]:
    """Fill and ink roles of the six symbols, in the order R G B O Y P."""
    roles: dict[str, Colour] = {}
    for letter, (exact, xterm, ansi, ink) in zip(LETTERS, rows, strict=True):
        roles["fill." + letter] = Colour(exact, xterm, ansi)
        roles["ink." + letter] = ink
    return roles


# `faint` is for what cannot be used now, `trough` for the empty part of a bar.
_DARK_GREYS: Final[dict[str, Colour]] = {
    "bg": Colour("#0b0d12", 232, "ansiblack"),
    "panel": Colour("#161b23", 234, "ansiblack"),
    "bar": Colour("#222a36", 235, "ansibrightblack"),
    "sel": Colour("#3a4657", 238, "ansibrightblack"),
    "trough": Colour("#272e39", 236, "ansiblack"),
    "text": Colour("#d9dee7", 253, "ansiwhite"),
    "muted": Colour("#a9b4c3", 249, "ansigray"),
    "edge": Colour("#8b97a8", 246, "ansigray"),
    "faint": Colour("#7f8b9c", 245, "ansigray"),
    "cell5": Colour("#2c3440", 237, "ansiblack"),
    "cell6": Colour("#252c37", 236, "ansiblack"),
    "cell7": Colour("#1f252f", 235, "ansiblack"),
    "dot": Colour("#6d7990", 243, "ansigray"),
    "name": Colour("#95a1b4", 248, "ansigray"),
    "strong": WHITE,
    "on-strong": INK,
}
_DARK_SYMBOLS: Final = _symbols(
    ("#e93454", 197, "ansired", INK),
    ("#6fdfa8", 115, "ansigreen", INK),
    ("#5a79d5", 68, "ansibrightblue", INK),
    ("#f49327", 208, "ansiyellow", INK),
    ("#fbea3c", 227, "ansibrightyellow", INK),
    ("#d8a4ed", 183, "ansibrightmagenta", INK),
)
_LIGHT_GREYS: Final[dict[str, Colour]] = {
    "bg": Colour("#faf8f3", 231, "ansiwhite"),
    "panel": Colour("#efebe1", 255, "ansiwhite"),
    "bar": Colour("#ddd7c9", 253, "ansigray"),
    "sel": Colour("#c9c1af", 251, "ansigray"),
    "trough": Colour("#ded8ca", 253, "ansigray"),
    "text": Colour("#23272e", 235, "ansiblack"),
    "muted": Colour("#4d535b", 239, "ansiblack"),
    "edge": Colour("#605e57", 241, "ansiblack"),
    "faint": Colour("#6a6860", 242, "ansibrightblack"),
    "cell5": Colour("#d6cfbf", 252, "ansigray"),
    "cell6": Colour("#ded8ca", 253, "ansigray"),
    "cell7": Colour("#e5e0d4", 254, "ansigray"),
    "dot": Colour("#77746a", 243, "ansibrightblack"),
    "name": Colour("#55585c", 239, "ansiblack"),
    "strong": Colour("#0f1216", 233, "ansiblack"),
    "on-strong": WHITE,
}
_LIGHT_SYMBOLS: Final = _symbols(
    ("#bf092a", 124, "ansired", WHITE),
    ("#31a484", 37, "ansigreen", INK),
    ("#232e9e", 19, "ansiblue", WHITE),
    ("#f8880f", 208, "ansiyellow", INK),
    ("#fff13a", 227, "ansibrightyellow", INK),
    ("#ab71cf", 135, "ansibrightmagenta", INK),
)
_SAFE_SYMBOLS: Final = _symbols(
    ("#a3033b", 88, "ansired", WHITE),
    ("#26d7ac", 43, "ansibrightcyan", INK),
    ("#2d42c0", 21, "ansiblue", WHITE),
    ("#f97e19", 202, "ansiyellow", INK),
    ("#fdff21", 226, "ansibrightyellow", INK),
    ("#bf92ff", 177, "ansibrightmagenta", INK),
)
# One light grey for all six: the letter alone tells them apart, as reverse video would.
_MONO_SYMBOLS: Final = _symbols(*[("#d9dee7", 253, "ansigray", INK)] * 6)
# No backgrounds at all; what is bold is said by the views.
_ASCII_ROLES: Final[dict[str, Colour]] = {
    role: Colour("#000000", 16, "ansiblack")
    if role in {"bg", "panel", "bar", "sel", "trough", "strong", "cell5", "cell6", "cell7"}
    or role.startswith("fill.")
    else Colour("#d0d0d0", 252, "ansigray")
    for role in (*_DARK_GREYS, *_DARK_SYMBOLS)
}

ROLES: Final[Mapping[Theme, Mapping[str, Colour]]] = {
    Theme.DARK: _DARK_GREYS | _DARK_SYMBOLS,
    Theme.LIGHT: _LIGHT_GREYS | _LIGHT_SYMBOLS,
    Theme.COLOUR_BLIND: _DARK_GREYS | _SAFE_SYMBOLS,
    Theme.MONO: _DARK_GREYS | _MONO_SYMBOLS,
    Theme.ASCII: _ASCII_ROLES,
}
"""What colour each role has, theme by theme; all themes have the same roles."""

_REVERSED: Final = frozenset({"strong", "bar", *(fill_role(symbol) for symbol in range(1, 7))})


def xterm_rgb(index: int) -> tuple[int, int, int]:
    """Red, green and blue (0..255) of an entry 16..255 of the xterm palette."""
    if index >= 232:
        level = 8 + 10 * (index - 232)
        return level, level, level
    red, rest = divmod(index - 16, 36)
    green, blue = divmod(rest, 6)
    levels = (0, 95, 135, 175, 215, 255)
    return levels[red], levels[green], levels[blue]


@dataclass(frozen=True, slots=True)
class Look:
    """How a screen is to be drawn on one terminal.

    Attributes:
        theme: The chosen theme.
        depth: The colours that the terminal has.
        shapes: Whether the symbols' shapes are drawn under the letters (size L): not
            every font has them.
    """

    theme: Theme = Theme.DARK
    depth: Depth = Depth.TRUE
    shapes: bool = True

    @property
    def ascii(self) -> bool:
        """Whether only ASCII characters may be drawn."""
        return self.theme is Theme.ASCII

    @property
    def fills(self) -> bool:
        """Whether backgrounds show: without them marks and letters must do."""
        return self.theme is not Theme.ASCII and self.depth is not Depth.NONE

    def colour(self, role: str) -> str:
        """The colour of a role, as prompt_toolkit writes it, at this depth.

        Raises:
            KeyError: There is no such role.
        """
        colour = ROLES[self.theme][role]
        match self.depth:
            case Depth.TRUE:
                return colour.exact
            case Depth.XTERM:
                # prompt_toolkit takes the nearest entry; for an entry's own colour that is itself.
                return "#{:02x}{:02x}{:02x}".format(*xterm_rgb(colour.xterm))
            case Depth.ANSI:
                return colour.ansi
            case Depth.NONE:
                return ""

    def style(self, fg: str, bg: str, bold: bool, underline: bool) -> str:
        """A prompt_toolkit style string for one character.

        Without colours, fills and bars become reverse video; marks, bold and underline stay.
        """
        return _style(self, fg, bg, bold, underline)


@cache
def _style(look: Look, fg: str, bg: str, bold: bool, underline: bool) -> str:
    parts: list[str] = []
    if look.theme is not Theme.ASCII:
        if look.depth is Depth.NONE:
            if bg in _REVERSED:
                parts.append("reverse")
        else:
            parts.append(f"fg:{look.colour(fg)} bg:{look.colour(bg)}")
    if bold:
        parts.append("bold")
    if underline:
        parts.append("underline")
    return " ".join(parts)


_MARKS: Final = "∙‹›▸◉▟"


def shows_marks(encoding: str | None) -> bool:
    """Whether a terminal of this encoding takes the marks of the board; those of ASCII it does."""
    try:
        _MARKS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def detect_depth(environment: Mapping[str, str], *, windows: bool = False) -> Depth:
    """How many colours a terminal has, by what it says in its environment.

    `environment` holds variables such as TERM, COLORTERM and NO_COLOR; with `windows`
    true the console is one of Windows 10 or later, which has them all.
    """
    if environment.get("NO_COLOR"):
        return Depth.NONE
    if environment.get("COLORTERM", "").lower() in {"truecolor", "24bit"}:
        return Depth.TRUE
    term = environment.get("TERM", "").lower()
    if term.endswith("-direct") or "WT_SESSION" in environment:
        return Depth.TRUE
    if "256" in term:
        return Depth.XTERM
    if windows:
        return Depth.TRUE
    if term in {"", "dumb", "unknown"} or term.startswith(("vt1", "vt2")) or term.endswith("-m"):
        return Depth.NONE
    # xterm, screen, linux, rxvt, cygwin without a number: sixteen is what all of them have.
    return Depth.ANSI
