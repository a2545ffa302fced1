"""The full-screen client, started from what was typed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack

from genial.cli.access import AccessOptions
from genial.cli.common import player_name
from genial.cli.playing import host_on_demand
from genial.cli.seating import NothingOpen, find_place
from genial.client import app
from genial.client.lines import LineReader
from genial.client.session import DiskStore, connect, join, watch


async def join_on_screen(
    address: str | None,
    table_id: str | None,
    name: str | None,
    access: AccessOptions,
    password: str,
) -> int:
    """`genial join` at a terminal: at the table if it is plain which, else at the list."""
    if address is None and table_id is None:
        return await _at_the_list([], name, access)
    chosen, explicit = player_name(name, may_ask=True)
    async with AsyncExitStack() as stack:
        try:
            place = await find_place(
                stack, address, table_id, chosen if explicit else None, access, LineReader()
            )
        except NothingOpen:
            # What there is to watch, and the form that opens a table, are on the list.
            return await _at_the_list([] if address is None else [address], name, access)
        session = await join(place.link, place.table.table_id, name=chosen, password=password)
        return await app.run(
            session=session,
            store=place.link.store,
            invite=place.link.address,
            access=access.make(),
        )


async def _at_the_list(addresses: Sequence[str], name: str | None, access: AccessOptions) -> int:
    made = access.make()
    async with host_on_demand(plaintext=made.plaintext) as start_host:
        return await app.run(
            addresses=addresses,
            store=DiskStore(),
            name=name or "",
            access=made,
            start_host=start_host,
        )


async def watch_on_screen(address: str, table_id: str, access: AccessOptions) -> int:
    """`genial watch` at a terminal."""
    store = DiskStore()
    async with await connect(address, store=store, access=access.make()) as link:
        session = await watch(link, table_id)
        return await app.run(
            session=session, store=store, invite=link.address, access=access.make()
        )
