"""From what was typed to a seat: which host, which table, under which name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from genial.cli.access import AccessOptions
from genial.cli.common import typed_answer
from genial.cli.failure import Failure
from genial.client.errors import CertificateChangedError
from genial.client.lines import say
from genial.client.session import (
    DiskStore,
    GenialError,
    HostLink,
    HostUnreachableError,
    IncompatibleHostError,
    NotFoundError,
    Store,
    TrustError,
    connect,
)
from genial.client.text import _
from genial.v1.game_pb2 import SeatKind
from genial.v1.table_pb2 import Table, TableState

if TYPE_CHECKING:
    from genial.client.found import FoundHost

_OVER: Final = (TableState.TABLE_STATE_FINISHED, TableState.TABLE_STATE_ABANDONED)


class NothingOpen(Failure):
    """The hosts were reached, and none of their tables has a seat to take."""


class Place:
    """A table at a host, to sit down at."""

    def __init__(self, link: HostLink, table: Table, held: bool) -> None:
        """`held`: whether a seat there is ours already."""
        self.link = link
        self.table = table
        self.held = held


class SeveralOpen(Failure):
    """There are several tables to choose from, and nobody to ask."""


async def find_place(
    stack: AsyncExitStack,
    address: str | None,
    table_id: str | None,
    name: str | None,
    access: AccessOptions,
    *,
    may_ask: bool,
) -> Place:
    """The table to sit down at: as asked for, or the only one that there is.

    Args:
        stack: Keeps the links open.
        address: As typed; None: look around.
        table_id: As typed; None: a held seat, else an open one.
        name: The name that was typed, if any: held seats of other names do not count.
        access: How to reach hosts.
        may_ask: Whether somebody sits at a terminal, to be asked which of several.

    Raises:
        NothingOpen: There is none.
        SeveralOpen: There are too many to choose from.
        GenialError: The host cannot be had.
    """
    store = DiskStore()
    if address is not None:
        links = [
            await stack.enter_async_context(
                await connect(address, store=store, access=access.make())
            )
        ]
    else:
        links = await _links_around(stack, store, access)
    if table_id is not None:
        return await _table_of(links, table_id)
    places = [place for link in links for place in await _places(link, name)]
    held = [place for place in places if place.held]
    choice = held or places
    if not choice:
        raise NothingOpen(_nothing_open(address, links))
    if len(choice) == 1:
        return choice[0]
    if not may_ask:
        raise SeveralOpen(
            _("Several tables have an open seat; say which with --table: {tables}").format(
                tables="; ".join(f"{place.table.table_id} ({_where(place)})" for place in choice)
            )
        )
    return _ask_which(choice)


async def _links_around(
    stack: AsyncExitStack, store: Store, access: AccessOptions
) -> list[HostLink]:
    # Whoever types an address needs nothing of what looks around, a large part of all.
    from genial.client.around import look_around

    found, problem = await look_around()
    links: list[HostLink] = []
    unusable: list[tuple[FoundHost, GenialError]] = []
    # Asked about a changed certificate is only who cannot do without that host.
    quiet = replace(access.make(), accepter=None)
    for host in found:
        if not host.reachable:
            continue
        try:
            link = await connect(
                host.address, store=store, access=quiet, announced=host.fingerprint
            )
        except HostUnreachableError:
            continue  # It went away meanwhile, which is what most of these do.
        except (TrustError, IncompatibleHostError) as error:
            # One that cannot be trusted or understood must not keep anybody from the others.
            unusable.append((host, error))
            continue
        links.append(await stack.enter_async_context(link))
    if unusable and not links:
        first, why = unusable[0]
        if not isinstance(why, CertificateChangedError):
            raise why
        link = await connect(first.address, store=store, access=access.make())
        links.append(await stack.enter_async_context(link))
    silent = [host for host in found if not host.reachable]
    if silent and not links:
        where = "; ".join(f"{host.name} ({', '.join(host.addresses)})" for host in silent)
        raise Failure(
            _(
                "No host answers; announced on this network, but silent: {hosts}. They were"
                " switched off, or a firewall on their laptop closes the port: `genial doctor`"
                " there says more."
            ).format(hosts=where)
        )
    if not links:
        raise Failure(
            problem
            or _(
                "No host was found on this network. Start one with `genial play` or `genial"
                " host`, or type its address: genial join ADDRESS. `genial doctor` says what may"
                " be wrong."
            )
        )
    return links


async def _table_of(links: Sequence[HostLink], table_id: str) -> Place:
    """The table of that id, at whichever host it is.

    Raises:
        Failure: None of several hosts has it.
        GenialError: The one host that there is says why not.
    """
    asked = await asyncio.gather(
        *(link.get_table(table_id) for link in links), return_exceptions=True
    )
    for link, answer in zip(links, asked, strict=True):
        if isinstance(answer, Table):
            return Place(link, answer, held=False)
    for answer in asked:
        if isinstance(answer, BaseException) and not isinstance(answer, NotFoundError):
            raise answer
    if len(links) == 1 and isinstance(asked[0], BaseException):
        raise asked[0]
    raise Failure(
        _(
            "None of the {count} hosts here has a table {table}: {hosts}. `genial tables ADDRESS`"
            " lists those of one host."
        ).format(
            count=len(links),
            table=table_id,
            hosts=", ".join(f"{link.host.name} ({link.address})" for link in links),
        )
    )


async def _places(link: HostLink, name: str | None) -> list[Place]:
    held = {
        seat.table_id for seat in link.seats_held() if not seat.in_use and name in (None, seat.name)
    }
    return [
        Place(link, table, table.table_id in held)
        for table in await link.list_tables()
        if table.state not in _OVER and (table.table_id in held or _has_open_seat(table))
    ]


def _has_open_seat(table: Table) -> bool:
    return (
        table.state == TableState.TABLE_STATE_OPEN
        and not table.seats_locked
        and any(seat.kind == SeatKind.SEAT_KIND_OPEN for seat in table.seats)
    )


def _nothing_open(address: str | None, links: Sequence[HostLink]) -> str:
    where = address or ", ".join(link.address for link in links)
    return _(
        "No table with an open seat at {where}; open one with: genial create {address}"
    ).format(where=where, address=links[0].address)


def _where(place: Place) -> str:
    return f"{place.table.name}, {place.link.host.name}, {place.link.address}"


def _described(place: Place) -> str:
    """A table to choose, for listening: its name first, no ids."""
    # Belongs to the screen, and is loaded for whoever is asked.
    from genial.client.view.seats import now_word, rules_words, seats_words

    table = place.table
    words = [table.name, seats_words(table), now_word(table), rules_words(table)]
    return ", ".join([*words, place.link.host.name])


def _ask_which(places: Sequence[Place]) -> Place:
    for number, place in enumerate(places, 1):
        say(f"{number}: {_described(place)}")
    while True:
        try:
            text = typed_answer(_("Which table? Type its number.")).strip()
        except click.Abort as error:
            raise Failure(_("No table was chosen.")) from error
        if text.isascii() and text.isdigit() and 1 <= int(text) <= len(places):
            return places[int(text) - 1]
        say(_("That is no number from 1 to {count}.").format(count=len(places)))
