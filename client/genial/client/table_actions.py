"""What the keys of the list of tables and of the table before the game do. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from genial.client.doors import stand_at
from genial.client.form import (
    TableForm,
)
from genial.client.hearing import Step
from genial.client.keys import Action, PauseStep, pause_step
from genial.client.messages import (
    AskLevels,
    Connect,
    CreateTable,
    PauseClocks,
    Rematch,
    RemoveBot,
    Resume,
    SeatBot,
    SetReady,
    Sit,
    StartGame,
    TakeBack,
    Watch,
)
from genial.client.model import Ask, Door, DoorKind, Entry, Model, Overlay, Purpose
from genial.client.text import _
from genial.client.view.form import hosts_to_choose, usual_name
from genial.v1 import game_pb2

BREATH_SECONDS: Final = 0.5
"""After the end of a game, before which no key asks for the next one."""


def enter_text(purpose: Purpose, text: str = "") -> Callable[[Model, str], Step]:
    """An action that opens a line to be typed for a purpose, with `text` in it already."""

    def enter(model: Model, key: str) -> Step:
        start = model.settings.name if purpose is Purpose.NAME else text
        entry = Entry(purpose, start, len(start))
        unread = 0 if purpose is Purpose.CHAT else model.unread
        return replace(model, entry=entry, unread=unread, pending=""), ()

    return enter


def _name_first(model: Model, action: Action) -> Step:
    """The name is asked for, once; then the action goes on."""
    asked, effects = enter_text(Purpose.NAME)(model, "")
    return replace(asked, pending=action), effects


def _sit(model: Model, key: str) -> Step:
    row = model.browse.chosen
    if row is None or model.busy:
        return model, ()
    if not model.settings.name:
        return _name_first(model, Action.SIT)
    if row.table is None:
        if row.locked or row.changed:
            said = _("Asking {address}").format(address=row.host_name)
            return replace(model, busy=True, notice=said), (Connect(row.address),)
        if not row.reachable:
            silent = _("This host does not answer; wait or choose another.")
            return replace(model, notice=row.note or silent), ()
        return _new_table(model, key)
    names = {(seat.host_id, seat.table_id): seat.name for seat in model.browse.held}
    name = names.get((row.host_id, row.table.table_id), model.settings.name)
    sit = Sit(row.address, row.table.table_id, name, row.table.name)
    return replace(model, busy=True, notice=_("Taking a seat")), (sit,)


def _watch(model: Model, key: str) -> Step:
    row = model.browse.chosen
    if row is None or row.table is None or model.busy:
        return model, ()
    return replace(model, busy=True), (Watch(row.address, row.table.table_id),)


def _go_back(model: Model, key: str) -> Step:
    if not model.browse.held or model.busy:
        return model, ()
    held = model.browse.held[0]
    sit = Sit(held.address, held.table_id, held.name, held.table_name)
    return replace(model, busy=True), (sit,)


def _address(model: Model, key: str) -> Step:
    """The address field opens with the digit that was typed, if it was one."""
    return enter_text(Purpose.ADDRESS, key if key in "0123456789[" else "")(model, key)


def _new_table(model: Model, key: str) -> Step:
    hosts = [address for address, _name in hosts_to_choose(model)]
    if not hosts:
        return replace(
            model, notice=_("There is no host to open a table at; `genial play` starts one.")
        ), ()
    if not model.settings.name:
        return _name_first(model, Action.NEW_TABLE)
    row = model.browse.chosen
    where = row.address if row is not None and row.address in hosts else hosts[0]
    form = replace(model.form, where=where)
    opened = replace(model, overlay=Overlay.NEW_TABLE, scroll=0, form=form)
    return opened, (AskLevels(where),) if where else ()


def create(model: Model) -> Step:
    """The model after the form of a new table is done, and the table to be opened."""
    if model.busy:
        return model, ()
    form = model.form
    name = form.name or usual_name(model)
    create = CreateTable(
        form.where, name, form.options(), form.bot_levels(), model.settings.name, ready=False
    )
    if form.password:
        return stand_at(model, Door(DoorKind.NEW_TABLE, name, create)), ()
    said = "" if form.where else _("Starting a host on this laptop")
    return replace(model, busy=True, overlay=None, notice=said), (create,)


def _play_bot(model: Model, key: str) -> Step:
    if model.busy:
        return model, ()
    player = model.settings.name or _("Player")
    options = TableForm().options()
    create = CreateTable("", _("{name}'s table").format(name=player), options, ("medium",), player)
    said = _("Starting a host on this laptop")
    return replace(model, busy=True, notice=said), (create,)


def _ready(model: Model, key: str) -> Step:
    table, seat = model.table, model.seat
    if table is None or seat is None or seat >= len(table.seats):
        return model, ()
    return model, (SetReady(not table.seats[seat].ready),)


def _take_back(model: Model, key: str) -> Step:
    return model, (TakeBack(),)


def _start(model: Model, key: str) -> Step:
    return model, (StartGame(),)


def _add_bot(model: Model, key: str) -> Step:
    return model, (SeatBot(),)


def _remove_bot(model: Model, key: str) -> Step:
    table = model.table
    if table is not None:
        for seat in reversed(table.seats):
            if seat.kind == game_pb2.SEAT_KIND_BOT:
                return model, (RemoveBot(seat.seat),)
    return replace(model, notice=_("There is no bot at this table.")), ()


def _shelve(model: Model, key: str) -> Step:
    return replace(model, question=Ask.SHELVE), ()


def _resume(model: Model, key: str) -> Step:
    return model, (Resume(),)


def _pause(model: Model, key: str) -> Step:
    return model, (PauseClocks(pause_step(model) in (PauseStep.ASK, PauseStep.AGREE)),)


def _rematch(model: Model, key: str) -> Step:
    if model.now - model.heard < BREATH_SECONDS:
        # The Enter of a turn that the game's end has overtaken is no wish for another game.
        return model, ()
    return model, (Rematch(),)


TABLE_ACTIONS: Final[dict[Action, Callable[[Model, str], Step]]] = {
    Action.SIT: _sit,
    Action.WATCH: _watch,
    Action.NEW_TABLE: _new_table,
    Action.PLAY_BOT: _play_bot,
    Action.GO_BACK: _go_back,
    Action.ADDRESS: _address,
    Action.READY: _ready,
    Action.ADD_BOT: _add_bot,
    Action.REMOVE_BOT: _remove_bot,
    Action.START: _start,
    Action.TAKE_BACK: _take_back,
    Action.REMATCH: _rematch,
    Action.SHELVE: _shelve,
    Action.RESUME: _resume,
    Action.PAUSE: _pause,
}
