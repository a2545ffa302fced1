"""The list of hosts and tables on the network, and what to do when it is empty."""

from __future__ import annotations

from genial.client.model import Browse, Model, Purpose, TableRow
from genial.client.palette import Look, fill_role, ink_role
from genial.client.sentences import table_name
from genial.client.text import N_, _, ngettext
from genial.client.view.bars import draw_title
from genial.client.view.board import SHAPES, hexagon
from genial.client.view.canvas import Canvas, cut, width_of, wrap
from genial.client.view.seats import draw_table_details, now_word, seats_words
from genial.client.view.typing import draw_entry
from genial.engine.tiles import SYMBOLS
from genial.v1.table_pb2 import TABLE_STATE_OPEN

DETAIL_ROWS = 7
_CHECKS_SHOWN = 4
_TYPED_BELOW = (Purpose.NAME, Purpose.COMMAND)
_QUESTIONS = (
    (N_("Is anyone hosting?"), N_("One of you types: genial play")),
    (N_("Same network?"), N_("Guest Wi-Fi keeps laptops apart.")),
    (N_("A firewall?"), N_("Allow Genial on the host's laptop.")),
    (N_("VPN on?"), N_("Turn it off on both laptops.")),
)


def draw_browse(canvas: Canvas, model: Model, look: Look) -> None:
    """All but the last row."""
    browse = model.browse
    if browse.hosts:
        right = ngettext(
            "{count} host, still looking", "{count} hosts, still looking", browse.hosts
        ).format(count=browse.hosts)
    else:
        right = _("no hosts yet, still looking")
    draw_title(canvas, _("tables on this network"), "", right, look)
    if browse.rows or browse.held:
        _list(canvas, model, browse, look)
    else:
        _empty(canvas, model, browse, look)


def _empty(canvas: Canvas, model: Model, browse: Browse, look: Look) -> None:
    ox, oy = (canvas.width - 80) // 2, (canvas.height - 24) // 2
    for number, symbol in enumerate(SYMBOLS):
        x = ox + 22 + 6 * number
        hexagon(canvas, x, oy + 2, fill_role(symbol), look)
        canvas.put(x + 2, oy + 3, symbol.letter, ink_role(symbol), bold=True)
        if look.shapes and not look.ascii:
            canvas.put(x + 2, oy + 4, SHAPES[symbol], ink_role(symbol))
    _centre(
        canvas,
        oy + 6,
        browse.problem or _("Nobody on this network has a table open yet."),
        "strong",
        True,
    )
    seconds = max(0, int(model.now - browse.since))
    _centre(
        canvas,
        oy + 7,
        ngettext(
            "Looking for {count} second. A table shows up here by itself.",
            "Looking for {count} seconds. A table shows up here by itself.",
            seconds,
        ).format(count=seconds),
        "muted",
        False,
    )
    canvas.fill(ox + 9, oy + 9, 62, 9, "panel")
    canvas.put(ox + 11, oy + 9, _("WHAT TO CHECK"), "muted", bold=True)
    # What was found out about this computer's network goes before what people can only ask.
    found = [(each.title, each.hint) for each in browse.findings]
    checks = [*found, *((_(question), _(answer)) for question, answer in _QUESTIONS)]
    checks = checks[:_CHECKS_SHOWN]
    column = ox + max(34, 16 + max(width_of(question) for question, _answer in checks))
    for number, (question, answer) in enumerate(checks):
        y = oy + 11 + number
        fg = "strong" if number < len(found) else "text"
        canvas.put(ox + 11, y, str(number + 1), "muted")
        canvas.put(ox + 14, y, question, fg, bold=True)
        canvas.put(column, y, cut(answer, ox + 71 - column), "text")
    end = canvas.put(ox + 11, oy + 16, _("Or start one yourself:"), "muted")
    end = canvas.put(end + 1, oy + 16, " n ", "on-strong", "strong", True)
    canvas.put(
        end + 1, oy + 16, cut(_("opens a table for your friends"), ox + 71 - end - 1), "text"
    )
    _address(canvas, model, ox + 9, oy + 19, ox + 70, _("shown in the host's title bar"), look)
    if model.entry is not None and model.entry.purpose in _TYPED_BELOW:
        draw_entry(canvas, ox + 9, oy + 21, 61, model.entry, look)
    elif model.notice:
        _centre(canvas, oy + 21, model.notice, "strong", True)
    else:
        _centre(
            canvas,
            oy + 21,
            _("Enter connects to it. The list keeps filling meanwhile."),
            "muted",
            False,
        )


def _centre(canvas: Canvas, y: int, text: str, fg: str, bold: bool) -> None:
    text = cut(text, canvas.width - 2)
    canvas.put((canvas.width - width_of(text)) // 2, y, text, fg, bold=bold)


def _address(
    canvas: Canvas, model: Model, x: int, y: int, right: int, hint: str, look: Look
) -> None:
    end = canvas.put(x, y, _("or type an address"), "text") + 1
    if model.entry is not None and model.entry.purpose is Purpose.ADDRESS:
        draw_entry(canvas, end, y, right - end, model.entry, look, label=False)
        return
    canvas.fill(end, y, right - end, 1, "sel")
    canvas.put(end, y, ">", "strong", bold=True)
    canvas.put(end + 2, y, cut(hint, right - end - 2), "text")


def _list(canvas: Canvas, model: Model, browse: Browse, look: Look) -> None:
    ox, width = (canvas.width - 80) // 2, canvas.width
    top = list_top(browse)
    if browse.held:
        held = browse.held[0]
        canvas.fill(ox + 1, 2, 78, 2, "sel")
        said = (
            _("You have a seat at a table that is put away.")
            if held.shelved
            else _("You have a seat in a running game.")
        )
        canvas.put(ox + 2, 2, said, "strong", bold=True)
        where = table_name(held.table_name)
        if held.seat is not None:
            where = _("{table}, seat {seat}").format(table=where, seat=held.seat + 1)
        if held.shelved:
            template = _("{place}: go back and take it out again.")
        elif held.by_bot:
            template = _("{place}: a bot is holding your place.")
        else:
            template = _("{place}: your place is free.")
        canvas.put(ox + 2, 3, cut(template.format(place=where), 62), "text")
        canvas.put_right(ox + 78, 3, "g " + _("go back"), "strong", bold=True)
    for x, title in ((3, _("TABLE")), (21, _("HOST")), (36, _("SEATS")), (66, _("NOW"))):
        canvas.put(ox + x, top, title, "muted", bold=True)
    start, room = shown_rows(browse, canvas.height)
    for number, row in enumerate(browse.rows[start : start + room]):
        _row(canvas, ox, top + 1 + number, row, start + number == browse.selected, model, look)
    y = canvas.height - 12
    chosen = browse.chosen
    if chosen is not None and chosen.table is not None:
        draw_table_details(canvas, ox + 1, y, chosen.table, chosen.address, look)
    elif chosen is not None and chosen.note:
        # Its row has room for the beginning alone.
        note = chosen.note
        if chosen.locked:
            note = _("This host asks for a password; Enter lets you type it.")
        elif chosen.changed:
            note = _("This host shows another certificate than before; Enter says what to do.")
        for number, line in enumerate(wrap(note, 76)[:DETAIL_ROWS]):
            canvas.put(ox + 3, y + number, line, "text")
    _address(canvas, model, ox + 2, canvas.height - 4, ox + 52, _("192.168.1.20 or a name"), look)
    if model.entry is not None and model.entry.purpose in _TYPED_BELOW:
        draw_entry(canvas, ox + 2, canvas.height - 2, 76, model.entry, look)
    elif model.notice:
        canvas.put(ox + 2, canvas.height - 2, cut(model.notice, width - 4), "strong", bold=True)
    elif model.settings.name:
        end = canvas.put(ox + 2, canvas.height - 2, _("You play as"), "muted")
        end = canvas.put(end + 1, canvas.height - 2, model.settings.name, "text", bold=True)
        canvas.put(end + 2, canvas.height - 2, _("F2 changes it"), "muted")


def list_top(browse: Browse) -> int:
    """The row of the list's titles: a seat to go back to comes before it."""
    return 5 if browse.held else 2


def shown_rows(browse: Browse, height: int) -> tuple[int, int]:
    """The first row of the list that is shown, and how many can be."""
    room = max(1, height - 14 - list_top(browse))
    return max(0, min(browse.selected - room // 2, len(browse.rows) - room)), room


def row_at(browse: Browse, height: int, y: int) -> int | None:
    """Which row of the list lies on a row of the screen."""
    start, room = shown_rows(browse, height)
    number = y - list_top(browse) - 1
    if 0 <= number < room and start + number < len(browse.rows):
        return start + number
    return None


def _row(
    canvas: Canvas, ox: int, y: int, row: TableRow, chosen: bool, model: Model, look: Look
) -> None:
    if chosen:
        canvas.fill(ox + 1, y, 78, 1, "sel")
        canvas.put(ox + 1, y, ">" if look.ascii else "▸", "strong", bold=True)
    usable = row.reachable and row.table is not None
    fg = "text" if usable or chosen else "faint"
    table = row.table
    name = table_name(table.name) if table is not None else _("(no table yet)")
    if table is None and not row.reachable:
        name = f"({row.host_name})"
    canvas.put(ox + 3, y, cut(name, 17), fg, bold=chosen)
    canvas.put(ox + 21, y, cut(row.host_name, 14), fg)
    if row.locked:
        canvas.put(ox + 36, y, cut(_("asks for a password: Enter"), 43), fg)
    elif row.changed:
        canvas.put(ox + 36, y, cut(_("another certificate: Enter"), 43), fg)
    elif row.note:
        canvas.put(ox + 36, y, cut(row.note, 43), fg)
    elif not row.reachable:
        since = model.now if row.silent_since is None else row.silent_since
        seconds = max(0, int(model.now - since))
        silent = _("no answer for {seconds} s").format(seconds=seconds)
        canvas.put(ox + 36, y, cut(silent, 28), fg)
        canvas.put(ox + 66, y, cut(_("unreachable"), 13), fg)
    elif table is not None:
        canvas.put(ox + 36, y, cut(seats_words(table), 29), fg)
        waiting = table.state == TABLE_STATE_OPEN
        canvas.put(ox + 66, y, cut(now_word(table), 13), fg, bold=waiting)
    else:
        canvas.put(ox + 36, y, cut(_("n opens one there"), 29), fg)
