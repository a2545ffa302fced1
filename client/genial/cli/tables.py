"""`genial tables`."""

from __future__ import annotations

import click

from genial.cli.access import AccessOptions, host_options
from genial.cli.common import print_json, run
from genial.cli.tree import GenialCommand
from genial.client.text import _


@click.command(cls=GenialCommand)
@click.argument("address")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@host_options
def tables(address: str, as_json: bool, access: AccessOptions) -> int:
    """List the tables of the host at ADDRESS.

    \b
    With --json: [{"table_id", "name", "state", "mode", "preset", "players",
    "seats": [{"seat", "name", "kind", "connected"}], "game_id"}]; state is one of open,
    dealing, active, shelved, finished, abandoned; kind one of open, human, bot.
    """
    from genial.cli.documents import table_document, table_line
    from genial.client.session import connect
    from genial.v1.table_pb2 import Table

    async def fetch() -> list[Table]:
        async with await connect(address, access=access.make()) as link:
            return await link.list_tables()

    found = run(fetch)
    if as_json:
        print_json([table_document(table) for table in found])
        return 0
    if not found:
        print(_("This host has no tables; `genial create` opens one."))
    for table in found:
        print(table_line(table))
    return 0
