"""What several commands share: options, running, names, JSON."""

from __future__ import annotations

import asyncio
import getpass
import json
import math
import os
import re
import signal
import sys
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from genial.cli.failure import Failure
from genial.cli.streams import printable
from genial.client.text import _, language

if TYPE_CHECKING:
    from genial.engine.rules import Rules
    from genial.v1.game_pb2 import Clock as ClockMessage

Result = TypeVar("Result")
Decorated = TypeVar("Decorated", bound=Callable[..., Any])

MODES: Final = ("free", "partners", "solo")
_USUAL_PLAYERS: Final = {"free": 2, "partners": 4, "solo": 1}
PRESETS: Final = ("genial", "official")

DEFAULT_PLAYER: Final = "Player"
LONGEST_NAME: Final = 24
_NOBODY: Final = (
    *("Root", "Admin", "Administrator", "User", "Guest", "Nobody"),
    *("Ubuntu", "Debian", "Fedora", "Pi", "Vagrant"),
)
"""What systems call users of their own; nobody wants to sit at a table under such a name."""
_ESCAPE_SEQUENCE: Final = re.compile(r"\x1b(\[[0-9;]*|O).")


class SecondsRange(click.FloatRange):
    """Seconds between two bounds. `nan` is a float, but between no bounds."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number of seconds.

        Raises:
            click.BadParameter: It is no number, or beyond the bounds.
        """
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value!r} is no number of seconds.", param, ctx)
        return seconds


def game_options(function: Decorated) -> Decorated:
    """The options that say what is played; see `chosen_rules`."""
    for option in reversed(
        (
            click.option(
                "--players",
                type=click.IntRange(1, 4),
                help="Seats: 2 to 4. [default: 2; partners 4; solo 1]",
            ),
            click.option(
                "--mode",
                type=click.Choice(MODES),
                default="free",
                show_default=True,
                help="Everybody alone, two pairs, or one player.",
            ),
            click.option(
                "--preset",
                type=click.Choice(PRESETS),
                default="genial",
                show_default=True,
                help="Which reading of the exchange rule.",
            ),
        )
    ):
        function = option(function)
    return function


def table_options(function: Decorated) -> Decorated:
    """The options for how the people at a table play; with the clock as a message."""
    talk = click.option(
        "--partners-talk",
        is_flag=True,
        help="Partners may write to each other while the game runs.",
    )
    clock = click.option(
        "--clock",
        metavar="BASE+INCREMENT",
        callback=_read_clock,
        help="Time for each player, and more for each turn, like 10m+10s. [default: no clock]",
    )
    return talk(clock(function))


def _read_clock(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> ClockMessage | None:
    from genial.wire.values import Clock, MalformedClockError, clock_to_message

    if value is None:
        return None
    try:
        return clock_to_message(Clock.parse(value))
    except MalformedClockError as error:
        raise click.BadParameter(f"{error}.") from error


def chosen_rules(
    players: int | None,
    mode: str,
    preset: str,
    leaving: str = "bot",
    *,
    partners_talk: bool = False,
) -> Rules:
    """The rules of `game_options`.

    Raises:
        click.UsageError: They do not go together.
    """
    from genial.engine.rules import InvalidRulesError, Leaving, Mode, Preset, Rules

    if partners_talk and mode != "partners":
        raise click.UsageError(_("--partners-talk is for --mode partners."))
    try:
        return Rules(
            preset=Preset(preset),
            mode=Mode(mode),
            players=_USUAL_PLAYERS[mode] if players is None else players,
            leaving=Leaving(leaving),
            partners_talk=partners_talk if mode == "partners" else None,
        )
    except InvalidRulesError as error:
        raise click.UsageError(f"{error}.") from error


def plain_option(function: Decorated) -> Decorated:
    """The options for lines of text, and for the language; that one is chosen here and now."""
    speaking = click.option(
        "--language",
        type=click.Choice(("en", "es", "de")),
        expose_value=False,
        callback=_speak,
        help="English, Spanish or German. [default: the settings, else the system's]",
    )
    plain = click.option("--plain", is_flag=True, help="Lines of text instead of a full screen.")
    return speaking(plain(function))


def _speak(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Says everything from now on in the language asked for."""
    from genial.client.languages import speak
    from genial.client.places import settings_path
    from genial.client.settings import load_settings

    if value is not None:
        os.environ["GENIAL_LANGUAGE"] = value
    # What is wrong with the settings is told where they are used.
    settings, _problems = load_settings(settings_path())
    speak(settings.language)
    # Also to what is wrong with the options after this one, see `gettext_follows`.
    os.environ["LANGUAGE"] = language()


def name_option(function: Decorated) -> Decorated:
    """The option for one's own name."""
    return click.option(
        "--name", metavar="NAME", help="Your name at the table; remembered when it is asked."
    )(function)


def parse_levels(text: str | None) -> list[str]:
    """The levels of `LEVEL,LEVEL`; none for `none` or nothing."""
    levels = [level.strip() for level in (text or "").split(",") if level.strip()]
    return [] if levels == ["none"] else levels


def run(main: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Runs a command's coroutine; what the client tells becomes the command's failure.

    Raises:
        Failure: A `GenialError` was raised inside.
    """
    from genial.wire.errors import GenialError

    try:
        return asyncio.run(main())
    except GenialError as error:
        raise Failure(error.sentence) from error


def run_client(main: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """As `run`, for clients that people leave by Ctrl-C: that is no failure.

    The seat stays theirs, as after a lost connection.
    """
    try:
        return run(main)
    except KeyboardInterrupt:
        return 0


def typed_answer(
    question: str, *, suggested: str = "", hidden: bool = False, err: bool = False
) -> str:
    """What a person types at the terminal, before anything else reads there (a `LineReader`).

    Args:
        question: To be shown.
        suggested: What Enter alone means, shown if there is any.
        hidden: Whether what is typed stays unseen.
        err: Whether to ask on standard error.

    Raises:
        click.Abort: Ctrl-C, or the end of the input.
    """
    # An event loop that waits for this line would keep the first Ctrl-C for afterwards.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        answer: str = click.prompt(
            question,
            default=suggested,
            show_default=bool(suggested),
            hide_input=hidden,
            err=err,
        )
    finally:
        signal.signal(signal.SIGINT, before)
    return answer


def says_yes(question: str, *, err: bool = False) -> bool:
    """Asks a person at the terminal, as `typed_answer` does; Enter alone is no."""
    from genial.client.lines import is_yes

    # click's own `confirm` takes y and n alone, whatever the language.
    return is_yes(typed_answer(f"{question} [{_('y')}/N]", err=err))


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    print(json.dumps(document, ensure_ascii=False, indent=2), flush=True)


def warn(sentence: str) -> None:
    """One line on standard error."""
    print(printable(f"genial: {' '.join(sentence.split())}"), file=sys.stderr, flush=True)


def is_unknown() -> bool:
    """Whether nobody has given a name on this laptop yet: somebody who is new, most likely."""
    from genial.client.places import settings_path
    from genial.client.settings import load_settings

    return not load_settings(settings_path())[0].name


def player_name(given: str | None, *, may_ask: bool) -> tuple[str, bool]:
    """The name to sit down under, and whether the person chose it just now.

    Asked for once and remembered; without anybody to ask, the system's name for the user.

    Args:
        given: By option.
        may_ask: Whether somebody sits at a terminal.
    """
    from genial.client.errors import StorageError
    from genial.client.places import settings_path
    from genial.client.settings import load_settings, save_settings
    from genial.client.text import printable

    if given is not None:
        if not given.strip():
            raise click.UsageError(_("A name needs at least one letter."))
        return given.strip(), True
    settings, problems = load_settings(settings_path())
    for problem in problems:
        warn(problem)
    if settings.name:
        return settings.name, False
    if not may_ask:
        return _user_name(), False
    suggested = _user_name()
    known = suggested != DEFAULT_PLAYER
    typed = typed_answer(_("Your name"), suggested=suggested if known else "")
    # An arrow key at a prompt of this kind types an escape sequence.
    kept = _ESCAPE_SEQUENCE.sub("", typed).strip()
    asked = printable(kept, LONGEST_NAME) if kept else suggested if known else _("Player")
    try:
        save_settings(replace(settings, name=asked), settings_path())
    except StorageError as error:
        warn(error.sentence)
    return asked, False


def _user_name() -> str:
    """The system's name for the user, as far as it is a person's."""
    try:
        name = getpass.getuser().capitalize()
    except (KeyError, OSError, ImportError):
        return DEFAULT_PLAYER
    usable = name and name.isprintable() and name not in _NOBODY
    return name if usable else DEFAULT_PLAYER
