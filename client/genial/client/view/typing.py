"""The line in which text is being typed, with the terminal's own cursor in it."""

from __future__ import annotations

from genial.client.model import Entry, Purpose
from genial.client.palette import Look
from genial.client.text import N_, _
from genial.client.view.canvas import Canvas, cut, width_of

_LABELS = {
    Purpose.ADDRESS: N_("address"),
    Purpose.NAME: N_("your name"),
    Purpose.CHAT: N_("say"),
    Purpose.COMMAND: ":",
    Purpose.PASSWORD: N_("password"),
    Purpose.FINGERPRINT: N_("first group"),
    Purpose.TABLE: N_("name"),
}


def entry_label(purpose: Purpose) -> str:
    """What is being typed."""
    return _(_LABELS[purpose])


def draw_entry(
    canvas: Canvas, x: int, y: int, width: int, entry: Entry, look: Look, *, label: bool = True
) -> None:
    """A field of `width` columns from (x, y); long text scrolls with the cursor."""
    if label:
        end = canvas.put(x, y, entry_label(entry.purpose) + " ", "muted")
        width -= end - x
        x = end
    canvas.fill(x, y, width, 1, "sel")
    canvas.put(x, y, ">", "strong", bold=True)
    room = width - 3
    start = 0
    text = "*" * len(entry.text) if entry.purpose is Purpose.PASSWORD else entry.text
    while width_of(text[start : entry.cursor]) >= room:
        start += 1
    canvas.put(x + 2, y, cut(text[start:], room), "text")
    canvas.cursor = (x + 2 + width_of(text[start : entry.cursor]), y)
