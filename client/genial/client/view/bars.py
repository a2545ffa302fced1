"""The first row (what this is, how the line stands) and the last (keys that work now)."""

from __future__ import annotations

from collections.abc import Sequence

from genial.client.model import Model
from genial.client.palette import Look
from genial.client.text import _
from genial.client.updates import Link
from genial.client.view.canvas import Canvas, cut, width_of


def draw_title(
    canvas: Canvas, title: str, middle: str, right: str, look: Look, *, alarm: bool = False
) -> None:
    """Row 0: the game's name, `title`, `middle` where there is room, `right` at the end.

    `alarm` turns the right end to reverse video.
    """
    canvas.fill(0, 0, canvas.width, 1, "bar")
    end = canvas.put(1, 0, "GENIAL", "strong", bold=True)
    reserved = width_of(right) + 2 + (2 if alarm else 0)
    limit = canvas.width - reserved - 1
    end = canvas.put(end + 2, 0, cut(title, limit - end - 2), "text", bold=look.ascii)
    gap = 4 if canvas.width >= 96 else 2
    if middle and end + gap + width_of(middle) <= limit:
        canvas.put(end + gap, 0, middle, "muted", bold=look.ascii)
    if alarm:
        canvas.put_right(canvas.width - 1, 0, f" {right} ", "on-strong", "strong", bold=True)
    else:
        canvas.put_right(canvas.width - 1, 0, right, "text")


def connection_text(model: Model, look: Look) -> tuple[str, bool]:
    """How the line stands, and whether that is an alarm."""
    line = model.line
    if line.link is not Link.CONNECTED:
        seconds = max(0, int(model.now - line.since))
        return _("reconnecting {seconds} s").format(seconds=seconds), True
    mark = "" if look.ascii else "◉ "
    if line.round_trip is None:
        return mark + _("connected"), False
    return mark + _("connected {milliseconds} ms").format(milliseconds=line.round_trip), False


def draw_keys(canvas: Canvas, keys: Sequence[tuple[str, str]]) -> None:
    """The last row: names of keys with what they do."""
    y = canvas.height - 1
    canvas.fill(0, y, canvas.width, 1, "bar")
    x = 1
    for key, label in keys:
        x = canvas.put(x, y, key, "strong", bold=True)
        x = canvas.put(x + 1, y, label, "text") + 2
