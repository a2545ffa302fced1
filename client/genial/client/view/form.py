"""A form: a line for each field, the chosen one with what it means."""

from __future__ import annotations

from collections.abc import Sequence

from genial.client.form import Field, settings_fields, table_fields, value_words
from genial.client.model import Model, Overlay
from genial.client.palette import Look
from genial.client.text import _
from genial.client.view.canvas import Canvas, cut, wrap

VALUE_X = 22
FIRST_ROW = 4


def form_fields(model: Model) -> list[Field]:
    """The lines of the form that is open."""
    if model.overlay is Overlay.SETTINGS:
        return settings_fields(model.settings)
    hosts = hosts_to_choose(model)
    return table_fields(model.form, model.levels, hosts, usual_name(model))


def usual_name(model: Model) -> str:
    """What a table of ours is called if we say nothing else."""
    return _("{name}'s table").format(name=model.settings.name)


def hosts_to_choose(model: Model) -> list[tuple[str, str]]:
    """Address and name of each host where a table can be opened; this laptop comes last.

    Hosts of the same name are told apart by their address.
    """
    hosts: dict[str, str] = {}
    for row in model.browse.rows:
        if row.reachable:
            hosts.setdefault(row.address, row.host_name)
    names = list(hosts.values())
    hosts = {
        address: name if names.count(name) == 1 else f"{name} ({address})"
        for address, name in hosts.items()
    }
    if model.can_host:
        hosts[""] = _("this laptop")
    return list(hosts.items())


def draw_form(
    canvas: Canvas, title: str, fields: Sequence[Field], value: object, chosen: int, look: Look
) -> None:
    """All rows between the first and the last; `chosen` counts fields from 0."""
    canvas.fill(0, 1, canvas.width, canvas.height - 2, "panel")
    ox = (canvas.width - 80) // 2
    canvas.put(ox + 4, 2, title, "muted", bold=True)
    chosen = min(chosen, len(fields) - 1)
    left, right = ("<", ">") if look.ascii else ("‹", "›")
    for number, field in enumerate(fields):
        y = FIRST_ROW + number
        words = cut(value_words(field, getattr(value, field.key)), 40)
        if number == chosen:
            canvas.fill(ox + 3, y, 74, 1, "sel")
            canvas.put(ox + 4, y, ">" if look.ascii else "▸", "strong", bold=True)
            end = canvas.put(ox + VALUE_X + 2, y, words, "strong", bold=True)
            canvas.put(ox + VALUE_X, y, left, "strong", bold=True)
            canvas.put(end + 1, y, right, "strong", bold=True)
        else:
            canvas.put(ox + VALUE_X + 2, y, words, "text")
        canvas.put(
            ox + 6, y, cut(field.label, VALUE_X - 7), "text" if number == chosen else "muted"
        )
    for number, line in enumerate(wrap(fields[chosen].help, 72)):
        canvas.put(ox + 6, 5 + len(fields) + number, line, "text")
