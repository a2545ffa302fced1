"""`genial games`."""

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
def games(address: str, as_json: bool, access: AccessOptions) -> int:
    """List the games of the host at ADDRESS, running and finished.

    \b
    With --json: [{"game_id", "table_id", "state", "started_at", "ended_at", "ranking"}];
    state is one of running, finished, abandoned; ended_at and ranking are null while it
    runs.
    """
    from genial.cli.documents import game_document, game_line
    from genial.client.session import connect
    from genial.v1.game_service_pb2 import GameSummary

    async def fetch() -> list[GameSummary]:
        async with await connect(address, access=access.make()) as link:
            return await link.list_games()

    found = run(fetch)
    if as_json:
        print_json([game_document(game) for game in found])
        return 0
    if not found:
        print(_("No game has been played here yet."))
    for game in found:
        print(game_line(game))
    return 0
