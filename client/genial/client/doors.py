"""What has to be typed before something goes on: passwords, and the first group of a
fingerprint that takes another's place. Pure.
"""

from __future__ import annotations

from dataclasses import replace

from genial.client.fingerprints import confirms
from genial.client.hearing import Step
from genial.client.messages import AcceptCertificate, CreateTable, GivePassword, Sit
from genial.client.model import Ask, Door, DoorKind, Entry, Model, Purpose
from genial.client.text import _


def stand_at(model: Model, door: Door) -> Model:
    """The model with the door shown: the fingerprint to be compared first, if it is new here."""
    purpose = Purpose.FINGERPRINT if door.kind is DoorKind.CHANGED else Purpose.PASSWORD
    return replace(
        model,
        door=door,
        busy=False,
        overlay=None,
        notice="",
        question=Ask.FINGERPRINT if door.fresh else None,
        entry=None if door.fresh else Entry(purpose),
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


def typed(model: Model, text: str) -> Step:
    """The model after something was typed, and what is done with it; nothing for nothing."""
    door = model.door
    if door is None or not text:
        return model, ()
    then = door.then
    match door.kind:
        case DoorKind.HOST:
            return _gone_through(model), (GivePassword(door.certificate, text), then)
        case DoorKind.CHANGED:
            if confirms(text, door.certificate):
                accepted = AcceptCertificate(door.host_id, door.certificate)
                return _gone_through(model), (accepted, then)
            wrong = _("That is not how the new fingerprint begins; compare it once more.")
            return stand_at(model, replace(door, wrong=wrong)), ()
    assert isinstance(then, Sit | CreateTable)
    return _gone_through(model), (replace(then, password=text),)


def left(model: Model) -> Model:
    """The model after the person would rather not."""
    said = _("No password was sent.")
    if model.door is not None and model.door.kind is DoorKind.CHANGED:
        said = _("It was not accepted, and nothing was sent.")
    return replace(model, door=None, entry=None, question=None, notice=said)


def _gone_through(model: Model) -> Model:
    said = _("Asking {address}").format(address=model.door.name if model.door else "")
    return replace(model, door=None, entry=None, question=None, busy=True, notice=said)
