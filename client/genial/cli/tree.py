"""The tree of commands, none of which is imported before it is named."""

from __future__ import annotations

import copy
import importlib
import inspect
from collections.abc import Iterator
from typing import Any, Final

import click

from genial.client.languages import gettext_follows
from genial.client.text import _

_COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "play": ("genial.cli.play", "Play on this laptop: a host, bots, and your own client."),
    "learn": ("genial.cli.learn", "Learn the game in ten short steps."),
    "join": ("genial.cli.join", "Take a seat at a host on the network."),
    "watch": ("genial.cli.watch", "Watch a table without taking a seat."),
    "host": ("genial.cli.host", "Host tables for the network, without a screen."),
    "backup": ("genial.cli.backup", "Copy everything that a host keeps, while it runs."),
    "restore": ("genial.cli.backup", "Put a backup of a host back."),
    "hosts": ("genial.cli.hosts", "List the hosts on this network."),
    "doctor": ("genial.cli.doctor", "Say what keeps hosts from being found, and what to do."),
    "create": ("genial.cli.create", "Open a table at a host, without sitting down."),
    "tables": ("genial.cli.tables", "List the tables of a host."),
    "games": ("genial.cli.games", "List the games of a host, running and finished."),
    "bot": ("genial.cli.bot", "Bring a bot to a table, in a process of its own."),
    "arena": ("genial.cli.arena", "Let bots play bots, and say who is how strong."),
    "replay": ("genial.cli.replay", "Step through a finished game, forwards and backwards."),
    "review": ("genial.cli.review", "Look at a recorded game again: what was given away, and why."),
    "bundle": ("genial.cli.bundle", "Put all that an installation needs into one file."),
    "record": ("genial.cli.record", "Fetch, check and show records of games."),
}
"""Name of a command: the module whose attribute of that name it is, and what it does."""

_CLIENTS: Final = frozenset(("play", "learn", "join", "watch", "replay"))
"""Commands that run for as long as somebody plays, and take as little memory as they can."""


def help_messages() -> Iterator[str]:
    """Everything that the help of all commands says, for the catalogues."""
    yield from (about for _module, about in _COMMANDS.values())
    commands = [genial, *map(_command, _COMMANDS)]
    for command in commands:
        if isinstance(command, GenialGroup):
            commands += command.commands.values()
        yield from _paragraphs(command.help or "")
        for param in command.params:
            if isinstance(param, click.Option) and param.help:
                yield param.help


def _command(name: str) -> click.Command:
    module = importlib.import_module(_COMMANDS[name][0])
    command = getattr(module, name)
    if not isinstance(command, click.Command):
        raise TypeError(f"{name} of {module.__name__} is no command")
    return command


def _paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help that are sentences, each on a line; not those that are shown
    as they stand.
    """
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph and not paragraph.startswith("\b"):
            yield " ".join(paragraph.split())


def _translated(text: str) -> str:
    shown: list[str] = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        sentences = paragraph if paragraph.startswith("\b") else " ".join(paragraph.split())
        shown.append(_(sentences))
    return "\n\n".join(shown)


class PlacesMixin(click.Command):
    """Says below each help where data, settings and logs live, and all in the person's language."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """As click's own; what it says meanwhile, help and refusals, comes in the language."""
        with gettext_follows():
            return super().make_context(info_name, args, parent, **extra)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click's own."""
        shown = copy.copy(self)
        shown.help = _translated(self.help or "")
        super(PlacesMixin, shown).format_help_text(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click's own."""
        rows: list[tuple[str, str]] = []
        for param in self.get_params(ctx):
            if not isinstance(param, click.Option):
                continue
            shown = copy.copy(param)
            if shown.help:
                shown.help = _(shown.help)
            row = shown.get_help_record(ctx)
            if row is not None:
                rows.append(row)
        with formatter.section(_("Options")):
            formatter.write_dl(rows)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Adds the places, asked for only now because finding them takes time."""
        super().format_epilog(ctx, formatter)
        import platformdirs

        places = [
            (_("data"), platformdirs.user_data_dir("genial", appauthor=False)),
            (_("settings"), platformdirs.user_config_dir("genial", appauthor=False)),
            (_("seats held"), platformdirs.user_state_dir("genial", appauthor=False)),
            (_("logs"), platformdirs.user_log_dir("genial", appauthor=False)),
        ]
        with formatter.section(_("Where things live")):
            formatter.write_dl(places)


class GenialCommand(PlacesMixin, click.Command):
    """A command of `genial`."""


class GenialGroup(PlacesMixin, click.Group):
    """A group of commands of `genial`."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click's own."""
        rows = [
            (name, _(next(_paragraphs(command.help or ""), "")))
            for name, command in self.commands.items()
        ]
        with formatter.section(_("Commands")):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Names the commands that there are when one is unknown."""
        name, known = args[0], self.list_commands(ctx)
        if not name.startswith("-") and name not in known:
            said = _("There is no command {name}; there are: {commands}.")
            ctx.fail(said.format(name=repr(name[:40]), commands=", ".join(known)))
        return super().resolve_command(ctx, args)


class LazyGroup(GenialGroup):
    """A group that imports a command when it is run, and none for its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the list above."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the command's module."""
        if cmd_name not in _COMMANDS:
            return None
        if cmd_name in _CLIENTS:
            importlib.import_module("genial.client.lean")
        return _command(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists what is said here, without importing anything."""
        with formatter.section(_("Commands")):
            formatter.write_dl([(name, _(about)) for name, (_module, about) in _COMMANDS.items()])


def _show_version(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from genial.wire.version import VERSION

        click.echo(f"genial {VERSION}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version and stop.",
)
def genial(**_options: Any) -> None:
    """Genial, the hex tile game (Ingenious), for a room full of laptops.

    `genial play` starts a game against a bot at once. A friend on the same network types
    `genial join`.

    ADDRESS is a host's name or number (192.168.1.20), with a port if it is not 7718
    (192.168.1.20:7718, [fe80::1%eth0]:7718), the host's id, or the name that it announces.

    Exit codes: 0 done, 1 the thing asked for failed, 2 wrong usage.
    """
