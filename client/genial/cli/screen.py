"""The full-screen client, started from what was typed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace

from genial.cli.access import AccessOptions
from genial.cli.common import player_name
from genial.cli.playing import host_on_demand
from genial.cli.seating import NothingOpen, SeveralOpen, find_place
from genial.client import app
from genial.client.errors import CertificateChangedError
from genial.client.messages import Sit
from genial.client.session import (
    Access,
    DiskStore,
    GenialError,
    PasswordNeededError,
    RefusedError,
    connect,
    join,
    watch,
)
from genial.client.trust import FirstContact, Greeting
from genial.wire.errors import Reason


@dataclass(frozen=True)
class _Noting(AccessOptions):
    """Notes which hosts are met for the first time, with nobody comparing fingerprints."""

    met: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, access: AccessOptions) -> _Noting:
        """The same options."""
        return cls(access.plaintext, access.fingerprint, access.password_file)

    def make(self) -> Access:
        """See `AccessOptions.make`."""
        made = super().make()

        async def greet(contact: FirstContact) -> Greeting:
            said = await made.greeter(contact)
            if said is Greeting.REMEMBER:
                self.met.append(contact.fingerprint)
            return said

        # The screen asks for itself whether a changed certificate is to be accepted.
        return replace(made, greeter=greet, accepter=None)


async def join_on_screen(
    address: str | None,
    table_id: str | None,
    name: str | None,
    access: AccessOptions,
    password: str,
) -> int:
    """`genial join` at a terminal: at the table if it is plain which, else at the list.

    There tables can be chosen, watched and opened, and passwords and other certificates are
    asked about.
    """
    noting = _Noting.of(access)
    addresses = [] if address is None else [address]
    if address is None and table_id is None:
        return await _at_the_list(addresses, name, noting)
    chosen, explicit = player_name(name, may_ask=True)
    first: Sit | None = None
    async with AsyncExitStack() as stack:
        try:
            place = await find_place(
                stack, address, table_id, chosen if explicit else None, noting, may_ask=False
            )
            table = place.table
            first = Sit(place.link.address, table.table_id, chosen, table.name, password)
            session = await join(place.link, table.table_id, name=chosen, password=password)
        except (NothingOpen, SeveralOpen, PasswordNeededError, CertificateChangedError):
            session = None
        except RefusedError as error:
            if not _is_about_a_password(error):
                raise
            session = None
        if session is not None:
            return await app.run(
                session=session,
                store=place.link.store,
                invite=place.link.address,
                access=noting.make(),
            )
    return await _at_the_list(addresses, name, noting, first)


def _is_about_a_password(error: GenialError) -> bool:
    return error.reason in (Reason.BAD_TABLE_PASSWORD, Reason.BAD_HOST_PASSWORD)


async def _at_the_list(
    addresses: Sequence[str], name: str | None, access: _Noting, first: Sit | None = None
) -> int:
    made = access.make()
    async with host_on_demand(plaintext=made.plaintext) as start_host:
        return await app.run(
            addresses=addresses,
            first=first,
            store=DiskStore(),
            name=name or "",
            access=made,
            strangers=access.met,
            start_host=start_host,
        )


async def watch_on_screen(address: str, table_id: str, access: AccessOptions) -> int:
    """`genial watch` at a terminal; at a host about which something is asked, from the list."""
    noting = _Noting.of(access)
    store = DiskStore()
    try:
        link = await connect(address, store=store, access=noting.make())
    except (PasswordNeededError, CertificateChangedError):
        return await _at_the_list([address], None, noting)
    async with link:
        session = await watch(link, table_id)
        return await app.run(
            session=session, store=store, invite=link.address, access=noting.make()
        )
