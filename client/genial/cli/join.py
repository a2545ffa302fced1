"""`genial join`."""

from __future__ import annotations

from pathlib import Path

import click

from genial.cli.access import (
    AccessOptions,
    host_options,
    table_password,
    table_password_option,
)
from genial.cli.common import name_option, plain_option, player_name, run_client
from genial.cli.failure import Failure
from genial.cli.tree import GenialCommand


@click.command(cls=GenialCommand)
@click.argument("address", required=False)
@click.option("--table", metavar="T", help="The table's id. [default: the one that is open]")
@name_option
@table_password_option("The table's password, in the first line of FILE.")
@plain_option
@host_options
def join(
    address: str | None,
    table: str | None,
    name: str | None,
    table_password_file: Path | None,
    plain: bool,
    access: AccessOptions,
) -> int:
    """Take a seat at the host at ADDRESS; without one, at a host on this network.

    If you held a seat there, you go back to it. Without a terminal, lines of text are read
    and written (--plain); the line `> your turn` then says that a move is due.
    """
    from genial.client.lines import are_terminals, can_draw

    terminal = are_terminals()
    password = table_password(table_password_file)
    if can_draw() and not plain:
        from genial.cli.screen import join_on_screen

        return run_client(lambda: join_on_screen(address, table, name, access, password))
    chosen, explicit = player_name(name, may_ask=terminal)
    return run_client(
        lambda: _join_plain(address, table, chosen, explicit, access, terminal, password)
    )


async def _join_plain(
    address: str | None,
    table_id: str | None,
    name: str,
    explicit: bool,
    access: AccessOptions,
    terminal: bool,
    password: str,
) -> int:
    from contextlib import AsyncExitStack

    from genial.cli.seating import find_place
    from genial.client.lines import LineReader
    from genial.client.plain import run_plain
    from genial.client.session import join as take_seat

    reader = LineReader()
    async with AsyncExitStack() as stack:
        place = await find_place(
            stack,
            address,
            table_id,
            name if explicit else None,
            access,
            reader if terminal else None,
        )
        session = await take_seat(place.link, place.table.table_id, name=name, password=password)
        error = await run_plain(session, reader)
    if error is not None:
        raise Failure(error.sentence)
    return 0
