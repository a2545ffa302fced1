"""What lies over a screen: help, the whole log, rules, settings, questions, the call."""

from __future__ import annotations

from genial.client.model import Ask, Celebration, Model, Overlay
from genial.client.palette import Look, fill_role, ink_role
from genial.client.text import N_, _
from genial.client.view.canvas import Canvas, cut, wrap
from genial.client.view.door import draw_door
from genial.client.view.form import draw_form, form_fields
from genial.client.view.history import draw_history
from genial.client.view.notice import draw_long_notice
from genial.client.view.page import draw_page
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
        case Overlay.HISTORY:
            draw_history(canvas, model.history, model.scroll, look)
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
        case _:
            draw_page(canvas, model, look)
    if model.question is None and model.door is None and draw_long_notice(canvas, model):
        # The answer to a key goes before a call that all have heard.
        return
    if model.door is not None:
        draw_door(canvas, model, model.door, look)
    if model.question is not None:
        question = (
            model.quit_warning
            if (model.question is Ask.QUIT and model.quit_warning)
            else _(_QUESTIONS[model.question])
        )
        _band(canvas, question, "  y / n")
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


def _band(canvas: Canvas, text: str, answers: str) -> None:
    """In reverse video across the row above the keys, and more rows where one does not do."""
    *lines, last = wrap(text, canvas.width - 2 - len(answers))
    lines.append(last + answers)
    top = canvas.height - 1 - len(lines)
    canvas.fill(0, top, canvas.width, len(lines), "strong")
    for number, line in enumerate(lines):
        canvas.put(1, top + number, line, "on-strong", "strong", True)
