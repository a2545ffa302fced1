"""`genial watch`."""

from __future__ import annotations

import click

from genial.cli.access import AccessOptions, host_options, with_typed_password
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
    from genial.client.errors import PasswordNeededError
    from genial.client.lines import LineReader, are_terminals
    from genial.client.plain import run_plain
    from genial.client.plain_settings import PlainSettings
    from genial.client.session import connect
    from genial.client.session import watch as watch_table

    terminal = are_terminals()
    try:
        link = await connect(address, access=access.make())
    except PasswordNeededError as error:
        if not terminal:
            raise
        link = await connect(address, access=with_typed_password(access, error).make())
    async with link:
        session = await watch_table(link, table_id)
        ended = await run_plain(session, LineReader(), settings=PlainSettings(person=terminal))
    if ended is not None:
        raise Failure(ended.sentence)
    return 0
