"""The table before the game: seats, who is ready, chat, how to begin."""

from __future__ import annotations

from genial.client.model import Model
from genial.client.palette import Look
from genial.client.sentences import table_name
from genial.client.text import _, ngettext
from genial.client.updates import DealStep
from genial.client.view.canvas import Canvas, cut, wrap
from genial.client.view.game import draw_table_title
from genial.client.view.log import draw_stream
from genial.client.view.seats import draw_seats, is_open, rules_words, table_facts
from genial.client.view.typing import draw_entry
from genial.v1.table_pb2 import TABLE_STATE_DEALING


def draw_room(canvas: Canvas, model: Model, look: Look) -> None:
    """All but the last row."""
    draw_table_title(canvas, model, look)
    table = model.table
    ox = (canvas.width - 80) // 2
    if table is None:
        canvas.put(ox + 2, 3, _("Connecting to the table"), "text")
        if model.entry is not None:
            draw_entry(canvas, ox + 2, canvas.height - 2, 76, model.entry, look)
        else:
            canvas.put(ox + 2, canvas.height - 2, cut(model.notice, 76), "strong", bold=True)
        return
    free = sum(is_open(seat) for seat in table.seats)
    canvas.put(ox + 2, 2, cut(_headline(model), 76), "strong", bold=True)
    for number, line in enumerate(wrap(_advice(model, free), 76)[:2]):
        canvas.put(ox + 2, 3 + number, line, "muted")
    canvas.fill(ox + 1, 5, 78, 8, "panel")
    end = canvas.put(ox + 3, 5, cut(table_name(table.name), 30), "strong", bold=True)
    canvas.put(end + 2, 5, cut(rules_words(table), ox + 79 - end - 2), "muted")
    if model.seat is not None:
        canvas.fill(ox + 1, 7 + model.seat, 39, 1, "sel")
    draw_seats(canvas, ox + 3, 7, table.seats, model.seat)
    for number, (label, value) in enumerate(table_facts(table, model.address)[-5:]):
        canvas.put(ox + 41, 7 + number, cut(label, 9), "muted")
        canvas.put(ox + 51, 7 + number, cut(value, 27), "text")
    if model.invite:
        end = canvas.put(ox + 3, 12, _("A friend joins with:"), "muted")
        canvas.put(end + 1, 12, f"genial join {model.invite}", "text", bold=True)
    canvas.put(ox + 2, 14, _("CHAT"), "muted", bold=True)
    last = canvas.height - 2
    draw_stream(canvas, ox + 2, 15, 76, last - 16, model, look)
    if model.entry is not None:
        draw_entry(canvas, ox + 2, last, 76, model.entry, look)
    elif model.notice:
        canvas.put(ox + 2, last, cut(model.notice, 76), "strong", bold=True)
    else:
        end = canvas.put(ox + 2, last, ">", "strong", bold=True)
        canvas.put(end + 1, last, _("c to write to the table"), "muted")


def _headline(model: Model) -> str:
    table = model.table
    assert table is not None
    if table.state == TABLE_STATE_DEALING:
        return _("The tiles are being shuffled.")
    if model.shelved:
        return _("This table is put away.")
    if model.seat is None:
        return _("You are watching this table.")
    if model.seat < len(table.seats) and table.seats[model.seat].ready:
        return _("You are ready.")
    return _("You have a seat. Enter says that you are ready.")


def _advice(model: Model, free: int) -> str:
    table = model.table
    assert table is not None
    if table.state == TABLE_STATE_DEALING:
        step = model.deal.step if model.deal is not None else None
        if step is DealStep.VOID:
            return _("Somebody did not answer in time; it is done again.")
        return _("Everybody takes part in it, so that nobody can choose the deal.")
    if model.shelved:
        if model.seat is None:
            return _("Its players take it out again; until then every seat is kept.")
        return _("Enter takes it out again; until then every seat is kept.")
    if free:
        return ngettext(
            "{count} seat is free. The game begins when it is taken and all are ready.",
            "{count} seats are free. The game begins when they are taken and all are ready.",
            free,
        ).format(count=free)
    waiting = [seat.name for seat in table.seats if not seat.ready and not is_open(seat)]
    if waiting:
        return _("Waiting for: {names}").format(names=", ".join(waiting))
    return _("The game begins.")
