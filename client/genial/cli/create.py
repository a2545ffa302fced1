"""`genial create`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from genial.cli.access import (
    AccessOptions,
    host_options,
    table_password,
    table_password_option,
)
from genial.cli.common import (
    chosen_rules,
    game_options,
    parse_levels,
    print_json,
    run,
    table_options,
)
from genial.cli.tree import GenialCommand
from genial.client.text import _

if TYPE_CHECKING:
    from genial.v1.game_pb2 import Clock
    from genial.v1.table_pb2 import FirstSeat


@click.command(cls=GenialCommand)
@click.argument("address")
@game_options
@click.option("--bots", metavar="LEVEL,…", help="Bots to seat, from the last seat downwards.")
@click.option(
    "--first",
    metavar="SEAT|chance",
    default="0",
    show_default=True,
    help="Who begins the first game: a seat, counted from 0, or chance.",
)
@click.option(
    "--leaving",
    type=click.Choice(("bot", "skip")),
    default="bot",
    show_default=True,
    help="What becomes of who stays away: a bot plays on, or they are skipped.",
)
@table_options
@click.option(
    "--games",
    type=click.IntRange(0, 99),
    default=0,
    metavar="N",
    help="Games in the match; 0: as long as everybody wants a rematch. [default: 0]",
)
@click.option(
    "--no-hints",
    is_flag=True,
    help="Honest clients then show neither best placements nor hints; a dishonest one still can.",
)
@click.option("--no-spectators", is_flag=True, help="Nobody without a seat may watch.")
@click.option("--name", metavar="NAME", default="", help="What the table is called.")
@table_password_option("Who sits down has to know the password in the first line of FILE.")
@click.option("--json", "as_json", is_flag=True, help='One JSON document: {"table_id"}.')
@host_options
def create(
    address: str,
    players: int | None,
    mode: str,
    preset: str,
    bots: str | None,
    first: str,
    leaving: str,
    partners_talk: bool,
    clock: Clock | None,
    games: int,
    no_hints: bool,
    no_spectators: bool,
    name: str,
    table_password_file: Path | None,
    as_json: bool,
    access: AccessOptions,
) -> int:
    """Open a table at the host at ADDRESS, without sitting down, and print its id.

    A table whose seats are all bots starts by itself.
    """
    from genial.client.session import connect
    from genial.v1.table_pb2 import Table, TableOptions
    from genial.wire.values import rules_to_message

    rules = chosen_rules(players, mode, preset, leaving, partners_talk=partners_talk)
    levels = parse_levels(bots)
    password = table_password(table_password_file)
    if len(levels) > rules.players:
        raise click.UsageError(
            _("{bots} bots do not fit on {seats} seats.").format(
                bots=len(levels), seats=rules.players
            )
        )
    options = TableOptions(
        rules=rules_to_message(rules),
        first=_first_seat(first, rules.players),
        clock=clock,
        games=games,
        hints_forbidden=no_hints,
        spectators_forbidden=no_spectators,
    )

    async def open_table() -> Table:
        async with await connect(address, access=access.make()) as link:
            return await link.create_table(options, name=name, bot_levels=levels, password=password)

    table = run(open_table)
    if as_json:
        print_json({"table_id": table.table_id})
    else:
        print(table.table_id)
    return 0


def _first_seat(text: str, players: int) -> FirstSeat:
    from genial.v1.table_pb2 import FirstSeat

    if text.casefold() == "chance":
        return FirstSeat(chance=True)
    if not (text.isascii() and text.isdigit() and len(text) == 1 and int(text) < players):
        raise click.UsageError(
            _("--first is a seat from 0 to {last}, or chance.").format(last=players - 1)
        )
    return FirstSeat(named=int(text))
