"""A table described: who sits where, what was agreed."""

from __future__ import annotations

from collections.abc import Sequence

from genial.client.palette import Look
from genial.client.sentences import table_name
from genial.client.text import _, ngettext
from genial.client.view.canvas import Canvas, cut
from genial.client.view.words import level_word, mode_word, preset_word
from genial.engine.rules import Mode, Preset
from genial.v1 import game_pb2
from genial.v1.table_pb2 import (
    TABLE_STATE_ABANDONED,
    TABLE_STATE_ACTIVE,
    TABLE_STATE_DEALING,
    TABLE_STATE_FINISHED,
    TABLE_STATE_OPEN,
    TABLE_STATE_SHELVED,
    Table,
    TableSeat,
)

_MODES = {
    game_pb2.MODE_PARTNERS: Mode.PARTNERS,
    game_pb2.MODE_SOLO: Mode.SOLO,
}


def is_open(seat: TableSeat) -> bool:
    """Whether nobody sits there."""
    return seat.kind in (game_pb2.SEAT_KIND_OPEN, game_pb2.SEAT_KIND_UNSPECIFIED)


def seats_words(table: Table) -> str:
    """Who sits there, then how many seats are free: `Ana, Max, 2 free`."""
    words: list[str] = []
    free = 0
    for seat in table.seats:
        if is_open(seat):
            free += 1
        else:
            words.append(seat.name or _("bot"))
    if free:
        words.append(ngettext("{count} free", "{count} free", free).format(count=free))
    return ", ".join(words)


def now_word(table: Table) -> str:
    """What goes on at the table, in a word or two."""
    match table.state:
        case s if s == TABLE_STATE_OPEN:
            return _("waiting")
        case s if s == TABLE_STATE_DEALING:
            return _("dealing")
        case s if s == TABLE_STATE_ACTIVE:
            return _("tile {number}").format(number=table.placements)
        case s if s == TABLE_STATE_SHELVED:
            return _("put away")
        case s if s in (TABLE_STATE_FINISHED, TABLE_STATE_ABANDONED):
            return _("over")
    return ""


def rules_words(table: Table) -> str:
    """`4 players, free for all, rules genial`."""
    rules = table.options.rules
    players = ngettext("{count} player", "{count} players", rules.players).format(
        count=rules.players
    )
    mode = mode_word(_MODES.get(rules.mode, Mode.FREE))
    preset = preset_word(
        Preset.OFFICIAL if rules.preset == game_pb2.PRESET_OFFICIAL else Preset.GENIAL
    )
    words = [players, mode, preset]
    if table.options.has_password:
        words.append(_("with a password"))
    return ", ".join(words)


def clock_words(table: Table) -> str:
    """`10 min + 10 s a move`, or none."""
    if not table.options.HasField("clock"):
        return _("none")
    clock = table.options.clock
    minutes, seconds = divmod(clock.base.seconds, 60)
    base = _("{count} min").format(count=minutes) if not seconds else f"{minutes}:{seconds:02}"
    if clock.increment.seconds:
        return _("{base} + {increment} s a move").format(
            base=base, increment=clock.increment.seconds
        )
    return base


def leaving_words(table: Table) -> str:
    """What happens when somebody leaves."""
    if table.options.rules.leaving == game_pb2.LEAVING_SKIP:
        return _("their turns are skipped")
    return _("a bot plays on")


def seat_words(seat: TableSeat) -> str:
    """What there is to say of a taken seat."""
    words: list[str] = []
    if seat.creator:
        words.append(_("host"))
    if seat.kind == game_pb2.SEAT_KIND_BOT:
        words.append(_("bot, {level}").format(level=level_word(seat.level or "medium")))
    elif seat.HasField("away_since") and not seat.connected:
        words.append(_("away"))
    if seat.ready and seat.kind != game_pb2.SEAT_KIND_BOT:
        words.append(_("ready"))
    return ", ".join(words)


def table_facts(table: Table, address: str = "") -> list[tuple[str, str]]:
    """What was agreed, as label and value; without an address that is left out."""
    watching = ngettext("{count} person", "{count} people", table.watchers).format(
        count=table.watchers
    )
    facts = [(_("clock"), clock_words(table)), (_("leaving"), leaving_words(table))]
    if table.options.games:
        facts.append(
            (
                _("match"),
                ngettext("{count} game", "{count} games", table.options.games).format(
                    count=table.options.games
                ),
            )
        )
    facts.append((_("watching"), watching))
    if address:
        facts.append((_("address"), address))
    return facts


def draw_table_details(
    canvas: Canvas, x: int, y: int, table: Table, address: str, look: Look
) -> None:
    """A panel of 78 columns by 7 rows from (x, y)."""
    canvas.fill(x, y, 78, 7, "panel")
    end = canvas.put(x + 2, y, cut(table_name(table.name), 30), "strong", bold=True)
    canvas.put(end + 2, y, cut(rules_words(table), x + 78 - end - 2), "muted")
    draw_seats(canvas, x + 2, y + 2, table.seats, None)
    free_shown = False
    for number, seat in enumerate(table.seats):
        if is_open(seat) and not free_shown and table.state == TABLE_STATE_OPEN:
            canvas.put(x + 11, y + 2 + number, _("Enter sits you here"), "text", bold=True)
            free_shown = True
    for number, (label, value) in enumerate(table_facts(table, address)[-4:]):
        canvas.put(x + 40, y + 2 + number, cut(label, 9), "muted")
        canvas.put(x + 50, y + 2 + number, cut(value, 27), "text")


def draw_seats(canvas: Canvas, x: int, y: int, seats: Sequence[TableSeat], own: int | None) -> None:
    """A row a seat: number, name, what there is to say of it."""
    for number, seat in enumerate(seats):
        row = y + number
        # The own row lies on a selected ground, where muted text is too weak.
        fg = "text" if number == own else "muted"
        canvas.put(x, row, str(number + 1), fg)
        if is_open(seat):
            canvas.put(x + 3, row, _("free"), "muted")
            continue
        words = seat_words(seat)
        if number == own:
            words = ", ".join(word for word in (_("you"), words) if word)
        end = canvas.put(x + 3, row, cut(seat.name, 20), "text", bold=True)
        canvas.put(max(end + 2, x + 9), row, cut(words, x + 36 - max(end + 2, x + 9)), fg)
