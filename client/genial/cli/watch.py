"""`genial watch`."""

from __future__ import annotations

import click

from genial.cli.access import AccessOptions, host_options
from genial.cli.common import plain_option, run_client
from genial.cli.failure import Failure
from genial.cli.tree import GenialCommand


@click.command(cls=GenialCommand)
@click.argument("address")
@click.argument("table")
@plain_option
@host_options
def watch(address: str, table: str, plain: bool, access: AccessOptions) -> int:
    """Watch TABLE at the host at ADDRESS without taking a seat."""
    from genial.client.lines import can_draw

    if can_draw() and not plain:
        from genial.cli.screen import watch_on_screen

        return run_client(lambda: watch_on_screen(address, table, access))
    return run_client(lambda: _watch_plain(address, table, access))


async def _watch_plain(address: str, table_id: str, access: AccessOptions) -> int:
    from genial.client.lines import LineReader
    from genial.client.plain import run_plain
    from genial.client.session import connect
    from genial.client.session import watch as watch_table

    async with await connect(address, access=access.make()) as link:
        session = await watch_table(link, table_id)
        error = await run_plain(session, LineReader())
    if error is not None:
        raise Failure(error.sentence)
    return 0
