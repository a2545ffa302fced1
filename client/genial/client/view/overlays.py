"""What lies over a screen: help, the whole log, rules, settings, questions, the call."""

from __future__ import annotations

from collections.abc import Sequence

from genial.client.commands import HELP
from genial.client.keys import bindings_for
from genial.client.model import Ask, Celebration, Model, Overlay, Screen
from genial.client.palette import Look, fill_role, ink_role
from genial.client.text import N_, _
from genial.client.view.canvas import Canvas, cut, width_of, wrap
from genial.client.view.door import draw_door
from genial.client.view.form import draw_form, form_fields
from genial.client.view.history import draw_history
from genial.client.view.log import log_lines
from genial.client.view.notice import draw_long_notice
from genial.client.view.rules import rules_lines
from genial.client.view.spans import Span, put_spans
from genial.client.view.typing import draw_entry
from genial.engine.moves import Phase

_QUESTIONS = {
    Ask.LEAVE_GAME: N_("Leave the game? Your seat stays yours; start Genial again to come back."),
    Ask.LEAVE_TABLE: N_("Leave the table and give up your seat?"),
    Ask.QUIT: N_("Quit Genial?"),
    Ask.RESIGN: N_("Resign? You take no more turns in this game."),
    Ask.EXCHANGE: N_("Show your rack to everybody and draw a new one? That ends your turn."),
    Ask.FINGERPRINT: N_("Does the host itself show the same fingerprint?"),
    Ask.SHELVE: N_("Put the table away for another evening? Its game and every seat are kept."),
    Ask.END_GAME: N_("Propose to end the game as it stands?"),
}


def draw_overlay(canvas: Canvas, model: Model, look: Look) -> None:
    """Whatever lies over the screen, if anything does; the last row stays free."""
    match model.overlay:
        case Overlay.HELP:
            lines = help_lines(model, canvas.width - 8)
            _page(canvas, _("KEYS THAT WORK NOW"), lines, model.scroll)
        case Overlay.LOG:
            lines = log_lines(model, canvas.width - 8, look)
            _page(canvas, _("LOG AND CHAT"), lines, model.scroll)
        case Overlay.REVIEW:
            _page(canvas, _("REVIEW"), _wrapped(model.review, canvas.width - 8), model.scroll)
        case Overlay.HISTORY:
            draw_history(canvas, model.history, model.scroll, look)
        case Overlay.RULES:
            _page(canvas, _("THE RULES"), rules_lines(canvas.width - 8), model.scroll)
        case Overlay.SETTINGS:
            draw_form(
                canvas,
                _("SETTINGS"),
                form_fields(model),
                model.settings,
                model.scroll,
                look,
            )
        case Overlay.NEW_TABLE:
            draw_form(
                canvas,
                _("A NEW TABLE"),
                form_fields(model),
                model.form,
                model.scroll,
                look,
            )
            if model.entry is not None:
                ox = (canvas.width - 80) // 2
                draw_entry(canvas, ox + 4, canvas.height - 2, 60, model.entry, look)
    if model.question is None and model.door is None:
        draw_long_notice(canvas, model)
    if model.door is not None:
        draw_door(canvas, model, model.door, look)
    if model.question is not None:
        question = (
            model.quit_warning
            if (model.question is Ask.QUIT and model.quit_warning)
            else _(_QUESTIONS[model.question])
        )
        _band(canvas, f"{question}  y / n")
    elif model.celebration is not None and not _is_done(model, model.celebration):
        _call(canvas, model.celebration)


def _is_done(model: Model, celebration: Celebration) -> bool:
    """Whether the player was faster than the call: what it asks for has been done."""
    view = model.view
    return celebration.own and view is not None and view.phase is not Phase.BONUS


def _call(canvas: Canvas, celebration: Celebration) -> None:
    """The program makes the call: spaced letters, the colours that are full, what follows."""
    y = canvas.height - 2
    canvas.fill(0, y, canvas.width, 1, "strong")
    call = _("Genial!").upper()
    end = canvas.put(2, y, " ".join(call), "on-strong", "strong", True) + 2
    for symbol in celebration.symbols:
        end = canvas.put(end, y, f" {symbol.letter} ", ink_role(symbol), fill_role(symbol), True)
        end += 1
    said = (
        _("is full: place another tile at once")
        if celebration.own
        else _("is full: {name} places another tile").format(name=celebration.name)
    )
    canvas.put(end + 1, y, cut(said, canvas.width - end - 2), "on-strong", "strong", True)


def _wrapped(lines: Sequence[str], width: int) -> list[list[Span]]:
    """Lines of text, broken where they are too long; what is indented stays so."""
    shown: list[list[Span]] = []
    for line in lines:
        indent = len(line) - len(line.lstrip())
        for number, part in enumerate(wrap(line, width - indent - 2)):
            lead = " " * (indent if number == 0 else indent + 2)
            shown.append([Span(lead + part, "muted" if indent else "text", bold=not indent)])
    return shown


def _page(canvas: Canvas, title: str, lines: list[list[Span]], scroll: int) -> None:
    canvas.fill(0, 1, canvas.width, canvas.height - 2, "panel")
    canvas.put(4, 1, title, "muted", bold=True)
    room = canvas.height - 4
    start = max(0, min(scroll, len(lines) - room))
    for number, line in enumerate(lines[start : start + room]):
        put_spans(canvas, 4, 3 + number, line, canvas.width - 4)
    if len(lines) > room:
        where = f"{start + 1}-{min(len(lines), start + room)} / {len(lines)}"
        canvas.put_right(canvas.width - 4, 1, where, "muted")


def _band(canvas: Canvas, text: str) -> None:
    """One line in reverse video across the row above the keys."""
    y = canvas.height - 2
    canvas.fill(0, y, canvas.width, 1, "strong")
    canvas.put(1, y, cut(text, canvas.width - 2), "on-strong", "strong", True)


def help_lines(model: Model, width: int) -> list[list[Span]]:
    """The keys of the screen below, with what they do; then what can only be typed.

    Explanations that need more than `width` columns go on below themselves.
    """
    from dataclasses import replace

    lines: list[list[Span]] = []
    for binding in bindings_for(replace(model, overlay=None)):
        if binding.shown and binding.help:
            lines += _explained(_(binding.shown), _(binding.help), 10, width)
    typed = [(f":{words}", said) for words, said, screens in HELP if model.screen in screens]
    if typed and (model.seat is not None or model.screen is Screen.REPLAY):
        lines += [[], [Span(_("COMMANDS, TYPED AFTER :"), "muted", bold=True)]]
        for words, said in typed:
            lines += _explained(words, _(said), 12, width)
    return lines


def _explained(shown: str, said: str, indent: int, width: int) -> list[list[Span]]:
    """A key or command in its column, and what it does beside it."""
    column = max(indent, width_of(shown) + 1)
    first, *more = wrap(said, width - column)
    head = Span(shown + " " * (column - width_of(shown)), "strong", bold=True)
    return [[head, Span(first, "text")], *([Span(" " * column + line, "text")] for line in more)]
