"""A step of the tutorial: which one, and what to do."""

from __future__ import annotations

from genial.client.lessons import LESSONS
from genial.client.model import Model
from genial.client.text import _
from genial.client.view.canvas import Canvas, width_of, wrap


def draw_lesson(canvas: Canvas, x: int, y: int, width: int, height: int, model: Model) -> None:
    """The present step in a box; text that does not fit is cut off at its end."""
    if model.lesson is None:
        return
    canvas.fill(x, y, width, height, "sel")
    lesson = LESSONS[min(model.lesson, len(LESSONS) - 1)]
    number = f"{model.lesson + 1}/{len(LESSONS)}"
    canvas.put(x + 1, y, number, "strong", bold=True)
    left = x + 2 + width_of(number) + 1
    for row, line in enumerate(wrap(_(lesson.text), x + width - 1 - left)[:height]):
        canvas.put(left, y + row, line, "text")
