"""The line to one host: who it is, its tables and games, and the way to a seat."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from typing import Any, Final, Protocol, Self, TypeVar, cast

import grpc

from genial.client.addresses import Endpoint, address_of, parse_address, socket_addresses
from genial.client.channel import UnaryCall, call, new_request_id
from genial.client.errors import (
    AddressError,
    GenialError,
    HostUnreachableError,
    IncompatibleHostError,
    StorageError,
    UnsearchableError,
)
from genial.client.moving import MovingChannel
from genial.client.reach import Reached, reach
from genial.client.seeking import Seeker
from genial.client.store import HeldSeat, MemoryStore, Store
from genial.client.streams import follow
from genial.client.text import _
from genial.client.trust import Access
from genial.client.updates import ConnectionChanged, Link
from genial.client.versions import explained, passed_over, who_is_older
from genial.client.whereabouts import Whereabouts
from genial.v1 import bot_service_pb2, game_service_pb2, history_service_pb2, lobby_service_pb2
from genial.v1.bot_service_pb2_grpc import BotServiceStub
from genial.v1.game_service_pb2_grpc import GameServiceStub
from genial.v1.history_service_pb2_grpc import HistoryServiceStub
from genial.v1.lobby_service_pb2_grpc import LobbyServiceStub
from genial.v1.table_pb2 import Host, Table, TableOptions

Request = TypeVar("Request")
Response = TypeVar("Response")
Message = TypeVar("Message")

CONNECT_SECONDS: Final = 5.0
_SHORTCUT_SECONDS: Final = 1.5
"""For a host that is sought by its id, at the places where it was before."""
_PAGE_SIZE: Final = 200


class HostLink:
    """The line to one host; any number of sessions may share it.

    When the host goes silent the line looks for it elsewhere, by its id, and goes on there.

    Attributes:
        host: What the host said about itself when the link was made.
        address: What was answered at last, as it can be typed again.
        fingerprint: Of its certificate; None without encryption.
        store: Where tokens and receipts are kept.
    """

    def __init__(self, reached: Reached, store: Store, seeker: Seeker | None = None) -> None:
        """Takes over an open channel; use `connect`.

        Args:
            reached: The host.
            store: See above.
            seeker: Finds the host again when it goes silent; None: it is waited for where it was.
        """
        self.host = reached.host
        self.address = address_of(reached.target)
        self.fingerprint = reached.fingerprint
        self.store = store
        self._channel = MovingChannel(reached.channel)
        self._seeker = seeker
        self._seeking: asyncio.Task[None] | None = None
        self._silent = False
        channel = cast(grpc.aio.Channel, self._channel)
        self.lobby = LobbyServiceStub(channel)
        self.games = GameServiceStub(channel)
        self.bots = BotServiceStub(channel)
        self.history = HistoryServiceStub(channel)

    async def __aenter__(self) -> Self:
        """For `async with await connect(…) as link`."""
        return self

    async def __aexit__(self, *_exception: object) -> None:
        """Closes the line."""
        await self.close()

    def stay(self) -> None:
        """Looks nowhere else for the host from now on."""
        self._seeker = None

    # --- calls and streams --------------------------------------------------------------

    async def call(
        self,
        method: UnaryCall[Request, Response],
        request: Request,
        *,
        token: str | None = None,
    ) -> Response:
        """As `channel.call`; where a difference of versions may be at fault, the error says so.

        Raises:
            GenialError: The host refused, or does not answer.
        """
        try:
            return await call(method, request, token=token)
        except GenialError as error:
            raise explained(error, self.host) from error

    async def follow(
        self,
        open_stream: Callable[[], grpc.aio.UnaryStreamCall[Any, Message]],
        on_line: Callable[[GenialError | None], None],
    ) -> AsyncGenerator[Message]:
        """As `streams.follow`; while the line is lost, the host is looked for elsewhere, too.

        Raises:
            GenialError: The host refused the stream.
        """

        def told(failure: GenialError | None) -> None:
            self._silent = failure is not None
            if self._silent and self._seeker is not None and self._seeking is None:
                self._seeking = asyncio.create_task(self._seek(self._seeker), name="seek host")
            on_line(failure)

        try:
            async with aclosing(follow(open_stream, told)) as messages:
                async for message in messages:
                    yield message
        except GenialError as error:
            raise explained(error, self.host) from error

    async def _seek(self, seeker: Seeker) -> None:
        try:
            async with aclosing(seeker.attempts()) as attempts:
                async for reached in attempts:
                    if not self._silent:
                        await reached.channel.close()
                        return
                    # Also where it answers at the old address: the channel there waits longer.
                    self.address = address_of(reached.target)
                    self.host = reached.host
                    self._channel.move(reached.channel)
                    return
        finally:
            self._seeking = None

    # --- what there is ------------------------------------------------------------------

    async def get_host(self) -> Host:
        """What the host says about itself now."""
        answer = await self.call(self.lobby.GetHost, lobby_service_pb2.GetHostRequest())
        return answer.host

    async def create_table(
        self,
        options: TableOptions,
        *,
        name: str = "",
        bot_levels: Sequence[str] = (),
        password: str = "",
    ) -> Table:
        """Opens a table without sitting down; bots sit from the last seat downwards.

        Raises:
            IncompatibleHostError: The host is older, and has passed over some of the options.
            GenialError: The host refused.
        """
        request = lobby_service_pb2.CreateTableRequest(
            request_id=new_request_id(),
            name=name,
            options=options,
            bot_levels=bot_levels,
            password=password,
        )
        answer = await self.call(self.lobby.CreateTable, request)
        missing = passed_over(options, answer.table.options)
        if missing and who_is_older(self.host.software):
            raise IncompatibleHostError(
                "OPTIONS_PASSED_OVER",
                code=grpc.StatusCode.UNIMPLEMENTED,
                sentence=_("The table was opened, but without {options}. {advice}").format(
                    options=", ".join(missing), advice=who_is_older(self.host.software)
                ),
            )
        return answer.table

    async def list_tables(self) -> list[Table]:
        """Every table that the host shows."""

        async def page(token: str) -> tuple[Iterable[Table], str]:
            answer = await self.call(
                self.lobby.ListTables,
                lobby_service_pb2.ListTablesRequest(page_size=_PAGE_SIZE, page_token=token),
            )
            return answer.tables, answer.next_page_token

        return await _all_pages(page)

    async def watch_tables(self) -> AsyncGenerator[list[Table] | ConnectionChanged]:
        """Every table now, and again after each change; says when the line is lost or back."""
        changes: list[ConnectionChanged] = []

        def on_line(failure: GenialError | None) -> None:
            link = Link.CONNECTED if failure is None else Link.RECONNECTING
            sentence = "" if failure is None else failure.sentence
            changes.append(ConnectionChanged(link, sentence, time.monotonic()))
            woken.set()

        woken = asyncio.Event()
        latest: list[list[Table]] = []

        async def read() -> None:
            opened = self.follow(
                lambda: self.lobby.WatchTables(lobby_service_pb2.WatchTablesRequest()), on_line
            )
            async with aclosing(opened) as messages:
                async for message in messages:
                    if not message.HasField("closing"):
                        latest[:] = [list(message.tables)]
                        woken.set()

        reader = asyncio.create_task(read())
        reader.add_done_callback(lambda _task: woken.set())
        try:
            while True:
                await woken.wait()
                woken.clear()
                while changes:
                    yield changes.pop(0)
                while latest:
                    yield latest.pop()
                if reader.done():
                    reader.result()
                    return
        finally:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)

    async def get_table(self, table_id: str) -> Table:
        """One table.

        Raises:
            NotFoundError: The host has none of that id.
        """
        request = lobby_service_pb2.GetTableRequest(table_id=table_id)
        answer = await self.call(self.lobby.GetTable, request)
        return answer.table

    async def list_games(self) -> list[game_service_pb2.GameSummary]:
        """Games running and finished."""

        async def page(token: str) -> tuple[Iterable[game_service_pb2.GameSummary], str]:
            answer = await self.call(
                self.games.ListGames,
                game_service_pb2.ListGamesRequest(page_size=_PAGE_SIZE, page_token=token),
            )
            return answer.games, answer.next_page_token

        return await _all_pages(page)

    async def list_bot_levels(self) -> list[bot_service_pb2.BotLevel]:
        """The levels of bots that this host can seat."""

        async def page(token: str) -> tuple[Iterable[bot_service_pb2.BotLevel], str]:
            answer = await self.call(
                self.bots.ListBotLevels,
                bot_service_pb2.ListBotLevelsRequest(page_size=_PAGE_SIZE, page_token=token),
            )
            return answer.levels, answer.next_page_token

        return await _all_pages(page)

    async def get_record(self, game_id: str) -> bytes:
        """The record of a finished game: UTF-8 JSON Lines.

        Raises:
            RefusedError: GAME_RUNNING, as long as it does.
            NotFoundError: There is no such game.
        """
        request = history_service_pb2.GetRecordRequest(game_id=game_id)
        answer = await self.call(self.history.GetRecord, request)
        return answer.record

    def seats_held(self) -> list[HeldSeat]:
        """Seats at this host that a stored token may still hold, to offer going back to."""
        return self.store.held_seats(self.host.host_id)

    async def close(self) -> None:
        """Closes the line; sessions on it must have been closed before."""
        if self._seeking is not None:
            self._seeking.cancel()
            await asyncio.gather(self._seeking, return_exceptions=True)
        await self._channel.close()


class LinkMaker(Protocol):
    """How `connect` is called; screens take one, so that tests can give another."""

    def __call__(
        self, address: str, *, store: Store | None = None, announced: str | None = None
    ) -> Awaitable[HostLink]:
        """See `connect`."""


async def connect(
    address: str,
    *,
    store: Store | None = None,
    timeout: float = CONNECT_SECONDS,
    access: Access | None = None,
    announced: str | None = None,
) -> HostLink:
    """Connects to a host and asks who it is.

    Args:
        address: `host`, `host:port`, `[v6]:port`, a host's id or its announced name.
        store: Where tokens and receipts are kept, and where hosts have answered before; None: in
            memory alone. `DiskStore()` is the user's own.
        timeout: Seconds until nobody answering is an error.
        access: Encryption, password, and who shows a host that is new; None: encrypted, without
            a password, and new hosts are remembered.
        announced: The fingerprint that the host announces, if it was found by that.

    Raises:
        AddressError: The address makes no sense, or nobody goes by it.
        HostUnreachableError: Nobody answers there.
        IncompatibleHostError: Somebody answers who speaks something else.
        TrustError: The host is not to be trusted, in one of the ways of `errors`.
    """
    where = parse_address(address)
    store = store or MemoryStore()
    access = access or Access()
    known = access.known or store.known_hosts
    places = access.places or store.whereabouts
    if isinstance(where, Endpoint):
        targets = await socket_addresses(where)
        worked = places.of(str(where))
        reached = await reach(
            targets,
            address,
            access=access,
            known=known,
            timeout=timeout,
            announced=announced,
            worked=worked,
        )
        _note(places, reached, str(where))
        return HostLink(reached, store, _seeker(reached, access, store, targets))
    remembered = known.find(where.text)
    before = places.of(where.text)
    if before and remembered is not None:
        # An id that we know, at a place that we know: mDNS need not even work.
        try:
            reached = await reach(
                before,
                address,
                access=access,
                known=known,
                timeout=_SHORTCUT_SECONDS,
                host_id=where.text,
            )
        except (HostUnreachableError, IncompatibleHostError):
            before = ()
        else:
            _note(places, reached)
            return HostLink(reached, store, _seeker(reached, access, store, before))
    targets, found_fingerprint = await _targets_of_name(
        where.text, where.endpoint, None if remembered is None else remembered.fingerprint
    )
    reached = await reach(
        targets,
        address,
        access=access,
        known=known,
        timeout=timeout,
        announced=announced or found_fingerprint,
        worked=before,
    )
    _note(places, reached)
    return HostLink(reached, store, _seeker(reached, access, store, targets))


def _note(places: Whereabouts, reached: Reached, *keys: str) -> None:
    try:
        places.note(reached.target, reached.host.host_id, *keys)
    except StorageError:
        return  # It only saves time; whatever else is kept there will tell of a full disk.


def _seeker(
    reached: Reached, access: Access, store: Store, targets: Sequence[str]
) -> Seeker | None:
    known, places = access.known or store.known_hosts, access.places or store.whereabouts
    return Seeker.of(reached, access, known, places, targets)


async def _targets_of_name(
    text: str, endpoint: Endpoint | None, fingerprint: str | None
) -> tuple[list[str], str | None]:
    """Addresses, and the fingerprint that is announced with them."""
    # zeroconf is large, and most people never look for a host by its name.
    from genial.client.browse import find_host

    unsearchable = None
    try:
        found = await find_host(text, fingerprint=fingerprint)
    except UnsearchableError as error:
        found, unsearchable = None, error
    if found is not None:
        return list(found.targets), found.fingerprint
    if endpoint is not None:
        try:
            return await socket_addresses(endpoint), None
        except AddressError:
            pass  # The sentences below tell of both kinds of names.
    if unsearchable is not None:
        raise unsearchable
    raise AddressError(
        _(
            "No host answers to {name}: none on this network announces that id or name, and no"
            " computer is known by it. `genial hosts` lists what there is; an address like"
            " 192.168.1.20:7718 always works."
        ).format(name=text)
    )


Item = TypeVar("Item")


async def _all_pages(page: Callable[[str], Awaitable[tuple[Iterable[Item], str]]]) -> list[Item]:
    items: list[Item] = []
    token = ""
    while True:
        more, token = await page(token)
        items.extend(more)
        if not token:
            return items
