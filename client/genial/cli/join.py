"""`genial join`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from genial.cli.access import (
    AccessOptions,
    hidden_answer,
    host_options,
    table_password,
    table_password_option,
    with_typed_password,
)
from genial.cli.common import name_option, plain_option, player_name, run_client
from genial.cli.failure import Failure
from genial.cli.tree import GenialCommand
from genial.client.text import _

if TYPE_CHECKING:
    from genial.cli.seating import Place
    from genial.client.session import Session


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
    from genial.client.errors import PasswordNeededError
    from genial.client.lines import LineReader
    from genial.client.plain import run_plain
    from genial.client.plain_settings import PlainSettings

    reader = LineReader()
    wanted = name if explicit else None
    async with AsyncExitStack() as stack:
        try:
            place = await find_place(stack, address, table_id, wanted, access, may_ask=terminal)
        except PasswordNeededError as error:
            if not terminal:
                raise
            access = with_typed_password(access, error)
            place = await find_place(stack, address, table_id, wanted, access, may_ask=terminal)
        session = await _take_seat(place, name, password, terminal)
        settings = PlainSettings(person=terminal)
        ended = await run_plain(session, reader, settings=settings)
    if ended is not None:
        raise Failure(ended.sentence)
    return 0


async def _take_seat(place: Place, name: str, password: str, terminal: bool) -> Session:
    """A seat at the table, with the password that it asks for, if there is anybody to ask."""
    from genial.client.session import RefusedError, join
    from genial.wire.errors import Reason

    while True:
        try:
            return await join(place.link, place.table.table_id, name=name, password=password)
        except RefusedError as error:
            if error.reason != Reason.BAD_TABLE_PASSWORD:
                raise
            asks = _("{name} asks for a password.").format(name=place.table.name)
            said = error.sentence if password else asks
            if not terminal:
                how = _("Give it with --table-password-file FILE.")
                raise Failure(f"{said} {how}") from error
            password = hidden_answer(said)
            if not password:
                raise
