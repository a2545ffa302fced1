"""`genial replay`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from genial.cli.access import AccessOptions, host_options
from genial.cli.common import plain_option, run, run_client
from genial.cli.failure import Failure
from genial.cli.tree import GenialCommand
from genial.client.text import _

if TYPE_CHECKING:
    from genial.client.record_files import OpenedRecord


@click.command(cls=GenialCommand)
@click.argument("where", metavar="FILE | ADDRESS GAME")
@click.argument("game", required=False, metavar="")
@plain_option
@host_options
def replay(where: str, game: str | None, plain: bool, access: AccessOptions) -> int:
    """Step through a finished game, forwards and backwards.

    FILE is a record; with ADDRESS and GAME the record is fetched from a host. Without a
    terminal, lines of text are read and written (--plain).
    """
    from genial.client.lines import can_draw

    opened = _from_file(where) if game is None else _from_host(where, game, access)
    if can_draw() and not plain:
        from genial.client import app

        return run_client(lambda: app.run_replay(opened))
    return run_client(lambda: _replay_plain(opened))


def _from_file(path: str) -> OpenedRecord:
    from genial.client.record_files import RecordFileError, open_record

    try:
        return open_record(path)
    except RecordFileError as error:
        raise Failure(str(error)) from error


def _from_host(address: str, game: str, access: AccessOptions) -> OpenedRecord:
    from genial.client.record_files import RecordFileError, open_bytes
    from genial.client.session import connect

    async def fetch() -> bytes:
        async with await connect(address, access=access.make()) as link:
            return await link.get_record(game)

    content = run(fetch)
    try:
        return open_bytes(game, content)
    except RecordFileError as error:
        raise Failure(
            _("The host's record of this game does not stand: {reason}").format(reason=error)
        ) from error


async def _replay_plain(opened: OpenedRecord) -> int:
    from genial.client.lines import LineReader
    from genial.client.replay_plain import run_replay

    await run_replay(opened, LineReader())
    return 0
