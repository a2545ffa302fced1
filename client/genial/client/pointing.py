"""The mouse: which thing lies under it, and what that means. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from genial.client import playing
from genial.client.hearing import Step
from genial.client.keys import Action, Context, context_of, hint_at
from genial.client.messages import Button, Mouse
from genial.client.model import Model
from genial.client.view.browse import row_at
from genial.client.view.form import FIRST_ROW, form_fields
from genial.client.view.geometry import (
    MIN_HEIGHT,
    MIN_WIDTH,
    LargeGrid,
    block_left,
    board_grid,
)
from genial.client.view.history import game_at
from genial.client.view.rack import slot_at_large, slot_at_small
from genial.client.view.small import RACK_X, RACK_Y

_LISTS = (Context.READING, Context.BROWSE, Context.FORM, Context.LISTING)

Press = Callable[[Model, Action, str], Step]


def point(model: Model, mouse: Mouse, press: Press) -> Step:
    """The model after the mouse; a click does what the key for it would do (`press`)."""
    if not model.settings.mouse or model.width < MIN_WIDTH or model.height < MIN_HEIGHT:
        return model, ()
    context = context_of(model)
    if mouse.button is Button.DOWN and mouse.y == model.height - 1:
        binding = hint_at(model, model.width, mouse.x)
        return (model, ()) if binding is None else press(model, binding.action, binding.keys[0])
    wheel = {Button.WHEEL_UP: -1, Button.WHEEL_DOWN: 1}.get(mouse.button)
    if wheel is not None and context in _LISTS:
        return press(model, Action.UP if wheel < 0 else Action.DOWN, "")
    if wheel is not None and context is Context.REPLAY:
        return press(model, Action.LEFT if wheel < 0 else Action.RIGHT, "")
    if context is Context.BROWSE and mouse.button is Button.DOWN:
        return _browse(model, mouse, press)
    if context is Context.FORM and mouse.button is Button.DOWN:
        return _form(model, mouse, press)
    if context is Context.LISTING and mouse.button is Button.DOWN:
        return _listing(model, mouse, press)
    if context in (Context.PLACING, Context.WAITING):
        return _hand(model, mouse, wheel, context, press)
    return model, ()


def _browse(model: Model, mouse: Mouse, press: Press) -> Step:
    """A click chooses a table, a second one sits down; the seat that is held goes back."""
    browse = model.browse
    if browse.held and mouse.y in (2, 3):
        return press(model, Action.GO_BACK, "g")
    row = row_at(browse, model.height, mouse.y) if browse.rows or browse.held else None
    if row is None:
        return model, ()
    if row == browse.selected:
        return press(model, Action.SIT, "enter")
    return replace(model, browse=replace(browse, selected=row)), ()


def _form(model: Model, mouse: Mouse, press: Press) -> Step:
    """A click chooses a line, another one changes it."""
    line = mouse.y - FIRST_ROW
    if not 0 <= line < len(form_fields(model)):
        return model, ()
    if line == model.scroll:
        return press(model, Action.RIGHT, "right")
    return replace(model, scroll=line), ()


def _listing(model: Model, mouse: Mouse, press: Press) -> Step:
    """A click chooses a game, another one replays it."""
    game = game_at(len(model.history or ()), model.scroll, model.height, mouse.y)
    if game is None:
        return model, ()
    if game == model.scroll:
        return press(model, Action.REPLAY, "enter")
    return replace(model, scroll=game), ()


def _hand(model: Model, mouse: Mouse, wheel: int | None, context: Context, press: Press) -> Step:
    view = model.view
    if view is None:
        return model, ()
    if wheel is not None:
        return press(model, Action.TURN if wheel > 0 else Action.TURN_BACK, "")
    grid = board_grid(view.rules.zone.radius, model.width, model.height)
    if grid is None:
        return model, ()
    if mouse.button is Button.DOWN:
        if isinstance(grid, LargeGrid):
            slot = slot_at_large(0, model.height - 8, mouse.x, mouse.y)
        else:
            slot = slot_at_small(block_left(model.width) + RACK_X, RACK_Y, mouse.x, mouse.y)
        if slot is not None and slot < len(model.hand.slots):
            if slot == model.hand.chosen:
                return press(model, Action.TURN, "")
            return press(model, Action.CHOOSE, str(slot + 1))
    cell = grid.cell_at(mouse.x, mouse.y)
    if cell is None or model.hand.tile is None:
        return model, ()
    if mouse.button is Button.DOWN and cell in model.hand.cells and context is Context.PLACING:
        return press(model, Action.PLACE, "")
    if cell == model.hand.anchor or (mouse.button is Button.MOVE and model.hand.fixed):
        return model, ()
    return replace(model, hand=playing.lie_at(model.hand, cell, view.rules.zone)), ()
