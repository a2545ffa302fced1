"""`genial bot`."""

from __future__ import annotations

import click

from genial.cli.access import AccessOptions, host_options
from genial.cli.common import SecondsRange
from genial.cli.tree import GenialCommand


@click.command(cls=GenialCommand)
@click.argument("address")
@click.argument("table")
@click.option("--level", default="medium", show_default=True, help="How well it plays.")
@click.option("--name", metavar="NAME", default="", help="The bot's name. [default: its level]")
@click.option(
    "--think",
    type=SecondsRange(0, 3600),
    metavar="SECONDS",
    help="Time for one move. [default: the level's own]",
)
@host_options
def bot(
    address: str, table: str, level: str, name: str, think: float | None, access: AccessOptions
) -> int:
    """Bring a bot to TABLE at the host at ADDRESS; it ends when the table is finished."""
    from genial.bot.main import run_single
    from genial.client.session import DiskStore
    from genial.strategy.levels import UnknownLevelError

    try:
        return run_single(
            address,
            table,
            level=level,
            think=think,
            name=name,
            store=DiskStore(),
            access=access.make(),
        )
    except UnknownLevelError as error:
        raise click.UsageError(f"{error}.") from error
