"""Passwords that hosts and tables ask for, typed on the screen. Pure."""

from __future__ import annotations

from dataclasses import replace

from genial.client.hearing import Step
from genial.client.messages import CreateTable, GivePassword, Sit
from genial.client.model import Ask, Door, DoorKind, Entry, Model, Purpose
from genial.client.text import _


def ask_password(model: Model, door: Door) -> Model:
    """The model with the door shown: the fingerprint to be compared first, if it is new here."""
    return replace(
        model,
        door=door,
        busy=False,
        overlay=None,
        notice="",
        question=Ask.FINGERPRINT if door.fresh else None,
        entry=None if door.fresh else Entry(Purpose.PASSWORD),
    )


def compared(model: Model) -> Step:
    """The model after the person has found the fingerprint to be the host's."""
    door = model.door
    if door is None:
        return model, ()
    if door.given:
        return _gone_through(model), (GivePassword(door.certificate, ""), door.then)
    known = replace(door, fresh=False)
    return replace(model, question=None, door=known, entry=Entry(Purpose.PASSWORD)), ()


def typed(model: Model, password: str) -> Step:
    """The model after a password was typed, and what is done with it; nothing without one."""
    door = model.door
    if door is None or not password:
        return model, ()
    then = door.then
    if door.kind is DoorKind.HOST:
        return _gone_through(model), (GivePassword(door.certificate, password), then)
    assert isinstance(then, Sit | CreateTable)
    return _gone_through(model), (replace(then, password=password),)


def left(model: Model) -> Model:
    """The model after the person would rather not."""
    return replace(model, door=None, entry=None, question=None, notice=_("No password was sent."))


def _gone_through(model: Model) -> Model:
    said = _("Asking {address}").format(address=model.door.name if model.door else "")
    return replace(model, door=None, entry=None, question=None, busy=True, notice=said)
