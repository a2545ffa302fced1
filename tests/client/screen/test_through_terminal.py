"""What a terminal really shows, screen after screen: only what has changed is sent to it."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from genial.client.languages import LANGUAGES, speak
from genial.client.model import Model
from genial.client.settings import Settings
from genial.client.view.draw import draw

from .fake import FakeTable
from .gallery import gallery
from .terminal import Hands, sitting


def expected(hands: Hands) -> list[str]:
    """The rows of the player's model, as a terminal shows them."""
    model = hands.player.model
    width, height = hands.terminal.screen.columns, hands.terminal.screen.lines
    speak(model.settings.language)
    canvas = draw(model, width, height, hands.player.look)
    rows = canvas.text().split("\n")[:height]
    return [row.ljust(width) for row in rows]


async def show(hands: Hands, model: Model) -> None:
    """Have a model shown, and compare the whole terminal with it."""
    app = hands.player._app
    assert app is not None
    hands.player.model = model
    app.invalidate()

    def same() -> bool:
        return [row.ljust(hands.terminal.screen.columns) for row in shown()] == expected(hands)

    def shown() -> list[str]:
        # pyte keeps an empty string behind a wide character; a canvas does, too.
        return [row.rstrip() for row in hands.terminal.screen.display]

    await hands.until(same, "the terminal shows something else")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 50)])
async def test_every_screen_after_every_other(
    tmp_path: Path, language: str, size: tuple[int, int]
) -> None:
    settings = Settings(name="Ana", language=language, colours="256", bell=False)
    models = [replace(picture.model, settings=settings) for picture in gallery()]
    random.Random(f"{language}{size}").shuffle(models)
    table = FakeTable()
    async with sitting(
        table.as_session(), tmp_path, width=size[0], height=size[1], settings=settings
    ) as hands:
        await hands.until(lambda: hands.player.model.table is not None)
        for model in models:
            # A clock that runs would change the screen meanwhile.
            await show(hands, replace(model, width=size[0], height=size[1], celebration=None))


async def test_styles_arrive_too(tmp_path: Path) -> None:
    table = FakeTable()
    settings = Settings(name="Ana", colours="true")
    async with sitting(table.as_session(), tmp_path, settings=settings) as hands:
        await hands.until(lambda: hands.player.model.table is not None)
        for picture in list(gallery())[:12]:
            model = replace(picture.model, settings=settings, celebration=None, flash=None)
            await show(hands, model)
            canvas = draw(hands.player.model, 80, 24, hands.player.look)
            look = hands.player.look
            for y in range(24):
                for x in range(80):
                    ink = canvas.ink(x, y)
                    place = hands.terminal.screen.buffer[y][x]
                    assert f"#{place.bg}" == look.colour(ink.bg), (picture.name, x, y)
                    if canvas.char(x, y) != " ":
                        assert f"#{place.fg}" == look.colour(ink.fg)
                        assert place.bold == ink.bold
                        assert place.underscore == ink.underline
