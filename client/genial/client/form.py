"""Forms: the settings, and a new table with all its options. Pure.

A form is a list of fields; each has choices, and left or right takes another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from genial.client.palette import Depth, Theme
from genial.client.settings import Settings
from genial.client.text import _, ngettext
from genial.client.view.words import level_word, mode_word, preset_word
from genial.engine.rules import Mode, Preset
from genial.v1 import game_pb2
from genial.v1.table_pb2 import TableOptions


@dataclass(frozen=True, slots=True)
class Choice:
    """One value that a field can have, and its words."""

    value: Any
    words: str


@dataclass(frozen=True, slots=True)
class Field:
    """One line of a form.

    Attributes:
        key: Which attribute of the value it sets.
        label: What it is about.
        choices: All values, in order.
        help: What the choice means, in a sentence.
    """

    key: str
    label: str
    choices: tuple[Choice, ...]
    help: str


NAME: Final = "name"
"""The one field of a table that is typed."""


@dataclass(frozen=True, slots=True)
class TableForm:
    """What is chosen for a new table; see rules.md for what it means.

    Attributes:
        where: Address of the host; empty: one that is started on this laptop.
        name: Of the table; empty: after who opens it.
        clock: Base and increment in seconds, None without a clock.
        first: 0 who opens the table, 1 chance.
        games: In the match; 0 is open-ended.
        bots: How many seats bots take, at `level`.
        password: Whether one will be asked for.
    """

    where: str = ""
    name: str = ""
    mode: Mode = Mode.FREE
    players: int = 2
    bots: int = 0
    level: str = "medium"
    preset: Preset = Preset.GENIAL
    first: int = 0
    clock: tuple[int, int] | None = None
    games: int = 0
    leaving_bot: bool = True
    hints: bool = True
    spectators: bool = True
    partners_talk: bool = False
    password: bool = False

    def options(self) -> TableOptions:
        """As the contract wants it."""
        options = TableOptions()
        options.rules.players = self.players
        options.rules.mode = {
            Mode.FREE: game_pb2.MODE_FREE,
            Mode.PARTNERS: game_pb2.MODE_PARTNERS,
            Mode.SOLO: game_pb2.MODE_SOLO,
        }[self.mode]
        options.rules.preset = (
            game_pb2.PRESET_OFFICIAL if self.preset is Preset.OFFICIAL else game_pb2.PRESET_GENIAL
        )
        options.rules.leaving = game_pb2.LEAVING_BOT if self.leaving_bot else game_pb2.LEAVING_SKIP
        options.rules.partners_talk = self.mode is Mode.PARTNERS and self.partners_talk
        if self.first:
            options.first.chance = True
        else:
            options.first.named = 0
        if self.clock is not None:
            options.clock.base.seconds, options.clock.increment.seconds = self.clock
        options.games = self.games
        options.hints_forbidden = not self.hints
        options.spectators_forbidden = not self.spectators
        return options

    def bot_levels(self) -> tuple[str, ...]:
        """The levels of the bots to be seated."""
        return (self.level,) * min(self.bots, self.players - 1)


_CLOCKS: Final = (None, (180, 3), (300, 5), (600, 10), (1200, 10))
_PLAYERS: Final = {Mode.FREE: (2, 3, 4), Mode.PARTNERS: (4,), Mode.SOLO: (1,)}


def _yes_no(key: str, label: str, help_text: str) -> Field:
    return Field(key, label, (Choice(True, _("yes")), Choice(False, _("no"))), help_text)


def _clock_words(clock: tuple[int, int] | None) -> str:
    if clock is None:
        return _("none")
    return _("{minutes} min + {seconds} s a move").format(minutes=clock[0] // 60, seconds=clock[1])


def table_fields(
    form: TableForm,
    levels: Sequence[str],
    hosts: Sequence[tuple[str, str]] = (),
    name: str = "",
) -> list[Field]:
    """The fields of a new table; those that mean nothing with the rest are left out.

    Args:
        form: What is chosen so far.
        levels: Levels of bots that the host offers.
        hosts: Address and name of each host that can be chosen.
        name: What the table is called if nobody says otherwise.
    """
    fields = []
    if len(hosts) > 1:
        fields.append(
            Field(
                "where",
                _("host"),
                tuple(Choice(address, name) for address, name in hosts),
                _("Whose laptop holds the table; it has to stay on until the end."),
            )
        )
    fields += [
        Field(
            NAME,
            _("name"),
            (Choice("", name),),
            _("What the table is called; left or right lets you type it."),
        ),
        Field(
            "mode",
            _("game"),
            tuple(Choice(mode, mode_word(mode)) for mode in Mode),
            _("Free for all, two against two, or alone for the best result."),
        ),
    ]
    if form.mode is Mode.FREE:
        fields.append(
            Field(
                "players",
                _("players"),
                tuple(Choice(count, str(count)) for count in _PLAYERS[Mode.FREE]),
                _("The board grows with the players."),
            )
        )
    if form.players > 1:
        fields.append(
            Field(
                "bots",
                _("bots"),
                tuple(
                    Choice(count, str(count) if count else _("none"))
                    for count in range(form.players)
                ),
                _("Bots take the last seats; the others wait for your friends."),
            )
        )
        if form.bots:
            fields.append(
                Field(
                    "level",
                    _("their level"),
                    tuple(Choice(level, level_word(level)) for level in levels),
                    _("How well the bots play."),
                )
            )
        fields.append(
            Field(
                "preset",
                _("exchange"),
                tuple(Choice(preset, preset_word(preset)) for preset in Preset),
                _("genial: also when none of your tiles would score. official: as published."),
            )
        )
        fields.append(
            Field(
                "first",
                _("first"),
                (Choice(0, _("you")), Choice(1, _("by chance"))),
                _("Who begins the first game; then the first seat moves on."),
            )
        )
        fields.append(
            Field(
                "clock",
                _("clock"),
                tuple(Choice(clock, _clock_words(clock)) for clock in _CLOCKS),
                _("Time to think for the whole game, and what each move adds."),
            )
        )
        fields.append(
            Field(
                "games",
                _("match"),
                tuple(
                    Choice(
                        count,
                        ngettext("{count} game", "{count} games", count).format(count=count)
                        if count
                        else _("open end"),
                    )
                    for count in (0, 1, 3, 5)
                ),
                _("How many games make the match."),
            )
        )
        fields.append(
            Field(
                "leaving_bot",
                _("leaving"),
                (
                    Choice(True, _("a bot plays on")),
                    Choice(False, _("turns are skipped")),
                ),
                _("What happens when somebody is away for too long."),
            )
        )
    if form.mode is Mode.PARTNERS:
        fields.append(
            _yes_no(
                "partners_talk",
                _("talking"),
                _("Whether chat stays open during the game, so that partners can talk."),
            )
        )
    fields.append(
        _yes_no(
            "hints",
            _("hints"),
            _("Best spots and heat maps. Only honest clients obey: off is a promise."),
        )
    )
    fields.append(
        _yes_no("spectators", _("watching"), _("Whether people without a seat may watch."))
    )
    fields.append(
        _yes_no(
            "password",
            _("password"),
            _("Whether friends need a password to sit down; you are asked for it next."),
        )
    )
    return fields


def settings_fields(settings: Settings) -> list[Field]:
    """The fields of the settings."""
    return [
        Field(
            "theme",
            _("theme"),
            tuple(
                Choice(theme, words)
                for theme, words in (
                    (Theme.DARK, _("dark")),
                    (Theme.LIGHT, _("light")),
                    (Theme.COLOUR_BLIND, _("colour-blind safe")),
                    (Theme.MONO, _("one colour")),
                    (Theme.ASCII, _("ASCII, no colour")),
                )
            ),
            _("How everything looks; you see it at once."),
        ),
        Field(
            "colours",
            _("colours"),
            tuple(
                Choice(value, words)
                for value, words in (
                    ("auto", _("as the terminal says")),
                    (Depth.TRUE.value, _("true colour")),
                    (Depth.XTERM.value, "256"),
                    (Depth.ANSI.value, "16"),
                    (Depth.NONE.value, _("none")),
                )
            ),
            _("How many colours the terminal can show."),
        ),
        _yes_no(
            "shapes",
            _("shapes"),
            _("The symbols' shapes on large boards; not every font has them."),
        ),
        Field(
            "language",
            _("language"),
            (
                Choice("", _("as the system")),
                Choice("en", "English"),
                Choice("es", "Español"),
                Choice("de", "Deutsch"),
            ),
            _("Takes effect at once."),
        ),
        _yes_no("confirm", _("confirm"), _("Ask once more before a tile is placed.")),
        _yes_no("auto_refill", _("refill"), _("Refill by itself when there is nothing to choose.")),
        _yes_no("bell", _("bell"), _("Ring when it is your turn.")),
        _yes_no("animation", _("calls"), _("Show the call when a counter is full.")),
        Field(
            "speed",
            _("speed"),
            (
                Choice(4, _("fast")),
                Choice(8, _("normal")),
                Choice(15, _("slow")),
                Choice(30, _("very slow")),
            ),
            _("How long calls stay, and how fast a replay plays by itself."),
        ),
        _yes_no("mouse", _("mouse"), _("Off lets you copy text from the screen with it.")),
        Field(
            "weakest_first",
            _("tracks"),
            (Choice(True, _("weakest first")), Choice(False, "R G B O Y P")),
            _("In which order the counters stand."),
        ),
    ]


def value_words(fields: Field, value: object) -> str:
    """The words for a field's value."""
    for choice in fields.choices:
        if choice.value == value:
            return choice.words
    return str(value)


def stepped(field: Field, value: object, step: int) -> Any:
    """The value after so many steps through a field's choices, round and round."""
    values = [choice.value for choice in field.choices]
    at = values.index(value) if value in values else 0
    return values[(at + step) % len(values)]


def change_table(form: TableForm, field: Field, step: int) -> TableForm:
    """A table form with another value in one field, and the rest made to fit."""
    value = stepped(field, getattr(form, field.key), step)
    form = replace(form, **{field.key: value})
    players = _PLAYERS[form.mode]
    if form.players not in players:
        form = replace(form, players=players[0])
    return replace(form, bots=min(form.bots, form.players - 1))


def change_settings(settings: Settings, field: Field, step: int) -> Settings:
    """Settings with another value in one field."""
    return replace(settings, **{field.key: stepped(field, getattr(settings, field.key), step)})
