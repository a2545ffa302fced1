"""The panel in which a host or a table asks for its password, or another certificate for a yes."""

from __future__ import annotations

from typing import Final

from genial.client.fingerprints import change_explained, in_groups
from genial.client.model import Door, DoorKind, Model
from genial.client.palette import Look
from genial.client.sentences import table_name
from genial.client.text import _
from genial.client.view.canvas import Canvas, cut, wrap
from genial.client.view.typing import draw_entry

ROWS: Final = 7


def draw_door(canvas: Canvas, model: Model, door: Door, look: Look) -> None:
    """The rows above the last: who asks, the fingerprint to be compared, what is typed."""
    if door.kind is DoorKind.CHANGED:
        _draw_change(canvas, model, door, look)
        return
    ox = (canvas.width - 80) // 2
    top = canvas.height - 1 - ROWS
    canvas.fill(0, top, canvas.width, ROWS, "panel")
    canvas.put(ox + 2, top + 1, cut(_heading(door), 76), "strong", bold=True)
    lines = wrap(door.wrong, 76)[:2] if door.wrong else []
    if door.fresh:
        lines = [
            _("It is new here, and its certificate has this fingerprint:"),
            in_groups(door.certificate),
        ]
    for number, line in enumerate(lines):
        canvas.put(ox + 2, top + 2 + number, line, "text")
    if not door.fresh:
        canvas.put(ox + 2, top + 4, cut(_explained(door), 76), "muted")
    if model.entry is not None:
        draw_entry(canvas, ox + 2, canvas.height - 2, 50, model.entry, look)


def _draw_change(canvas: Canvas, model: Model, door: Door, look: Look) -> None:
    """As many rows as it takes: what has changed, both fingerprints, how to accept the new one."""
    heading, *explained = change_explained(door.name, door.address, door.before, door.certificate)
    how = _("To accept it, type the first group of the new one. Esc refuses it.")
    lines = [(cut(heading, 76), "strong")]
    lines += [(line, "text") for text in explained for line in wrap(text, 76)]
    lines += [(cut(door.wrong, 76), "strong"), (cut(how, 76), "muted")]
    ox = (canvas.width - 80) // 2
    bottom = canvas.height - 2
    top = bottom - len(lines)
    canvas.fill(0, top - 1, canvas.width, len(lines) + 2, "panel")
    for number, (line, fg) in enumerate(lines):
        canvas.put(ox + 2, top + number, line, fg, bold=fg == "strong")
    if model.entry is not None:
        draw_entry(canvas, ox + 2, bottom, 50, model.entry, look)


def _heading(door: Door) -> str:
    match door.kind:
        case DoorKind.HOST:
            return _("The host {name} asks for a password.").format(name=door.name)
        case DoorKind.TABLE:
            return _("The table {name} asks for a password.").format(name=table_name(door.name))
        case DoorKind.NEW_TABLE:
            return _("A password for the new table: friends need it to sit down.")
        case DoorKind.CHANGED:
            raise AssertionError(door)


def _explained(door: Door) -> str:
    if door.kind is DoorKind.NEW_TABLE:
        return _("It is not shown while you type. Esc leaves it, and no table is opened.")
    return _("It is not shown while you type. Esc leaves it, and nothing is sent.")
