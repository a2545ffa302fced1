"""Keys pressed on a model, and what its screen says then."""

from __future__ import annotations

from genial.client import messages as m
from genial.client.model import Model
from genial.client.palette import Look
from genial.client.update import update
from genial.client.view.draw import draw


def press(model: Model, *keys: str) -> tuple[Model, list[m.Effect]]:
    """The model after these keys, and every effect that they had."""
    effects: list[m.Effect] = []
    for key in keys:
        model, more = update(model, m.Key(key))
        effects.extend(more)
    return model, effects


def text_of(model: Model) -> str:
    """The small screen, without its styles."""
    return draw(model, 80, 24, Look()).text()
