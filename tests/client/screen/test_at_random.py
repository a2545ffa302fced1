"""Keys, clicks and news at random, on every screen: nothing fails, and nothing is hidden."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from genial.client import messages as m
from genial.client import text
from genial.client.languages import LANGUAGES, catalogue
from genial.client.model import Model
from genial.client.palette import Look, Theme
from genial.client.update import next_wake, update
from genial.client.view.draw import draw
from genial.client.view.geometry import MIN_HEIGHT, MIN_WIDTH

from .gallery import gallery

PICTURES = list(gallery())
KEYS = [
    *"abcdefghijklmnopqrstuvwxyzRHL:?*!123456 []0.",
    *("left", "right", "up", "down", "enter", "escape", "tab", "s-tab", "backspace", "delete"),
    *("home", "end", "pageup", "pagedown", "f1", "f2", "f3", "c-a", "c-c", "c-e", "c-u", "c-w"),
]
SIZES = [(80, 24), (96, 32), (100, 30), (120, 40), (160, 50), (40, 10), (0, 0)]
LIVES = 30
LENGTH = 25


def something(chance: random.Random, model: Model) -> m.Message:
    """What may happen next."""
    other = chance.choice(PICTURES).model
    events: list[m.Message] = [
        m.Key(chance.choice(KEYS)),
        m.Mouse(
            chance.choice(list(m.Button)),
            chance.randrange(max(1, model.width)),
            chance.randrange(max(1, model.height)),
        ),
        m.Resized(*chance.choice(SIZES)),
        m.Pasted("hällo wörld\nand more"),
        m.Tick(model.now + 3 * chance.random()),
        m.Failed("It did not come about. " * 9),
        m.Answered(3),
        m.HostsSeen(other.browse.rows, other.browse.hosts),
        m.SeatsHeld(other.browse.held),
        m.Seated("10.0.0.4", other.table, other.seat),
        m.Unseated("Good night."),
        m.GamesKnown(other.history or ()),
    ]
    return chance.choices(events, [75, 15, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1])[0]


def hidden(model: Model) -> str:
    """What should be on the screen and is not; empty when nothing is missing."""
    canvas = draw(model, model.width, model.height, Look())
    if model.width < MIN_WIDTH or model.height < MIN_HEIGHT:
        return ""
    shown = canvas.text()
    if model.entry is not None:
        return "" if canvas.cursor is not None else f"what is typed: {model.entry}"
    if model.question is not None:
        return "" if " y / n" in shown else f"what is asked: {model.question}"
    missing = [word for word in model.notice.split() if word not in shown]
    return f"of {model.notice!r}: {missing}" if missing and model.door is None else ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_happens_nothing_fails_and_nothing_is_hidden(language: str) -> None:
    chance = random.Random(language)
    text.install(catalogue(language))
    try:
        for _life in range(LIVES):
            picture = chance.choice(PICTURES)
            model = replace(picture.model, width=picture.width, height=picture.height)
            past: list[m.Message] = []
            for _step in range(LENGTH):
                past.append(something(chance, model))
                model, _effects = update(model, past[-1])
                next_wake(model)
                assert not hidden(model), (picture.name, past[-6:], model.screen, model.overlay)
            draw(model, model.width, model.height, Look(chance.choice(list(Theme))))
    finally:
        text.install(None)
