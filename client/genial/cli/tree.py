"""The tree of commands, none of which is imported before it is named."""

from __future__ import annotations

import importlib
from typing import Any, Final

import click

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


class PlacesMixin(click.Command):
    """Says below each help where data, settings and logs live."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Adds the places, asked for only now because finding them takes time."""
        super().format_epilog(ctx, formatter)
        import platformdirs

        places = [
            ("data", platformdirs.user_data_dir("genial", appauthor=False)),
            ("settings", platformdirs.user_config_dir("genial", appauthor=False)),
            ("seats held", platformdirs.user_state_dir("genial", appauthor=False)),
            ("logs", platformdirs.user_log_dir("genial", appauthor=False)),
        ]
        with formatter.section("Where things live"):
            formatter.write_dl(places)


class GenialCommand(PlacesMixin, click.Command):
    """A command of `genial`."""


class LazyGroup(PlacesMixin, click.Group):
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
        module = importlib.import_module(_COMMANDS[cmd_name][0])
        command = getattr(module, cmd_name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{cmd_name} of {module.__name__} is no command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists what is said here, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_module, about) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Names the commands that there are when one is unknown."""
        name = args[0]
        if not name.startswith("-") and name not in _COMMANDS:
            ctx.fail(f"There is no command {name[:40]!r}; there are {', '.join(_COMMANDS)}.")
        return super().resolve_command(ctx, args)


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
