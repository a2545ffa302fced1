"""Themes: symbols stay apart for every eye, text can be read, terminals are recognised."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from colorspacious import cspace_convert, deltaE

from genial.client.palette import (
    ROLES,
    Colour,
    Depth,
    Look,
    Theme,
    detect_depth,
    shows_marks,
    xterm_rgb,
)
from genial.client.view.draw import draw
from genial.engine.tiles import LETTERS

from .gallery import gallery

Rgb = tuple[float, float, float]
COLOURED = (Theme.DARK, Theme.LIGHT, Theme.COLOUR_BLIND)
VISIONS = (None, "deuteranomaly", "protanomaly", "tritanomaly")
# Least distance (CAM02-UCS) of any two symbols that is asked for: all eyes, each dichromacy.
LEAST = {
    Theme.DARK: (27.0, 15.0),
    Theme.LIGHT: (32.0, 20.0),
    Theme.COLOUR_BLIND: (36.0, 24.0),
}


def exact(colour: Colour) -> Rgb:
    red, green, blue = (int(colour.exact[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def of_256(colour: Colour) -> Rgb:
    red, green, blue = xterm_rgb(colour.xterm)
    return red / 255, green / 255, blue / 255


def seen_as(colour: Rgb, vision: str | None) -> Rgb:
    """What a colour looks like with full severity of a colour vision deficiency."""
    if vision is None:
        return colour
    space = {"name": "sRGB1+CVD", "cvd_type": vision, "severity": 100}
    red, green, blue = (min(1.0, max(0.0, part)) for part in cspace_convert(colour, space, "sRGB1"))
    return red, green, blue


def contrast(one: Rgb, other: Rgb) -> float:
    """WCAG 2 contrast ratio."""

    def luminance(colour: Rgb) -> float:
        linear = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", COLOURED)
@pytest.mark.parametrize("depth", [exact, of_256])
@pytest.mark.parametrize("vision", VISIONS)
def test_every_pair_of_symbols_stays_apart(
    theme: Theme, depth: Callable[[Colour], Rgb], vision: str | None
) -> None:
    least = LEAST[theme][0 if vision is None else 1]
    fills = [depth(ROLES[theme]["fill." + letter]) for letter in LETTERS]
    for one, other in itertools.combinations(fills, 2):
        distance = deltaE(seen_as(one, vision), seen_as(other, vision), input_space="sRGB1")
        assert distance >= least


@pytest.mark.parametrize("theme", [theme for theme in Theme if theme is not Theme.ASCII])
def test_all_text_can_be_read(theme: Theme) -> None:
    """Every foreground on every background that it is really used on, 4.5:1 at least."""
    used: set[tuple[str, str]] = set()
    for picture in gallery():
        canvas = draw(picture.model, picture.width, picture.height, Look(theme))
        for y in range(canvas.height):
            for ink, text in canvas.runs(y):
                letters = [char for char in text if char.isalnum() or char in "[]()?*:.,>+"]
                if letters:
                    used.add((ink.fg, ink.bg))
    assert ("ink.R", "fill.R") in used
    for fg, bg in used:
        assert contrast(exact(ROLES[theme][fg]), exact(ROLES[theme][bg])) >= 4.5, (fg, bg)
        # The nearest entries of 256 are a little off for greys.
        assert contrast(of_256(ROLES[theme][fg]), of_256(ROLES[theme][bg])) >= 4.2, (fg, bg)


def test_all_themes_have_all_roles() -> None:
    roles = {frozenset(table) for table in ROLES.values()}
    assert len(roles) == 1


def test_256_colours_arrive_as_chosen() -> None:
    """prompt_toolkit's own search finds exactly the entry that the theme names."""
    from prompt_toolkit.output.vt100 import _256ColorCache

    cache = _256ColorCache()
    for theme in Theme:
        look = Look(theme, Depth.XTERM)
        for role, colour in ROLES[theme].items():
            text = look.colour(role)
            rgb = tuple(int(text[at : at + 2], 16) for at in (1, 3, 5))
            assert cache[rgb] == colour.xterm  # type: ignore[index]


@pytest.mark.parametrize(
    ("environment", "depth"),
    [
        ({"TERM": "xterm-256color"}, Depth.XTERM),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, Depth.TRUE),
        ({"TERM": "screen", "COLORTERM": "24bit"}, Depth.TRUE),
        ({"TERM": "xterm-direct"}, Depth.TRUE),
        ({"TERM": "tmux-256color"}, Depth.XTERM),
        ({"TERM": "xterm"}, Depth.ANSI),
        ({"TERM": "linux"}, Depth.ANSI),
        ({"TERM": "vt100"}, Depth.NONE),
        ({"TERM": "dumb"}, Depth.NONE),
        ({}, Depth.NONE),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, Depth.NONE),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, Depth.XTERM),
    ],
)
def test_terminals_are_recognised(environment: dict[str, str], depth: Depth) -> None:
    assert detect_depth(environment) is depth


def test_windows_has_all_colours() -> None:
    assert detect_depth({}, windows=True) is Depth.TRUE


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [("utf-8", True), ("UTF-8", True), ("ascii", False), ("latin-1", False), (None, False)],
)
def test_marks_are_shown_where_the_terminal_can(encoding: str | None, shown: bool) -> None:
    assert shows_marks(encoding) is shown


def test_an_encoding_that_nobody_knows_shows_none() -> None:
    assert not shows_marks("klingon")
