"""What can be seen of tables: lists, single tables, streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final, Protocol

from genial.services.limits import Limits
from genial.services.lobby.lobby import ListWatcher, Lobby
from genial.services.lobby.messages import chat_to_message
from genial.services.lobby.passwords import TablePasswords
from genial.services.lobby.runtime import RunningTable, Watcher
from genial.services.lobby.table import Table
from genial.v1 import lobby_service_pb2 as pb
from genial.v1 import table_pb2
from genial.wire import requests
from genial.wire.errors import GenialError, Reason, bad_token, malformed
from genial.wire.metadata import SEAT_TOKEN, WATCHER, MalformedTokenError, seat_token_hash
from genial.wire.serving import Call

_LIST_PAUSE: Final = 0.25
"""Seconds between two messages of a WatchTables stream, at least."""


class HostDescriber(Protocol):
    """Who can say what the host is called."""

    def describe(self) -> table_pb2.Host:
        """The host, without what the lobby knows itself."""
        ...


class LookingHandler:
    """The rpcs that change nothing; `LobbyHandler` adds the others."""

    def __init__(self, lobby: Lobby, host: HostDescriber, limits: Limits) -> None:
        """`lobby` must be started before the first call."""
        self._lobby = lobby
        self._host = host
        self._passwords = TablePasswords(limits, lambda: lobby.now() / 1000)

    def running(self, table_id: str) -> RunningTable:
        """The table of a request.

        Raises:
            GenialError: MALFORMED, UNKNOWN_TABLE.
        """
        return self._lobby.table(requests.identifier(table_id, "table_id"))

    async def get_host(self, request: pb.GetHostRequest, call: Call) -> pb.GetHostResponse:
        """Who this host is."""
        host = self._host.describe()
        host.tables = self._lobby.live_tables
        host.open_seats = self._lobby.open_seats
        host.draining = self._lobby.settings.draining
        return pb.GetHostResponse(host=host)

    async def list_tables(self, request: pb.ListTablesRequest, call: Call) -> pb.ListTablesResponse:
        """All tables, oldest first, in pages."""
        size = requests.page_size(request.page_size)
        place = _place(requests.page_place(request.page_token))
        rest = [
            running
            for running in self._lobby.tables
            if (running.table.created_at, running.table.table_id) > place
        ]
        page = rest[:size]
        response = pb.ListTablesResponse(tables=[running.brief_message() for running in page])
        if len(rest) > size:
            last = page[-1].table
            response.next_page_token = requests.page_token(f"{last.created_at} {last.table_id}")
        return response

    async def watch_tables(
        self, request: pb.WatchTablesRequest, call: Call
    ) -> AsyncIterator[pb.WatchTablesResponse]:
        """The whole list now and after each change, at most a few times a second."""
        watcher = ListWatcher()
        self._lobby.list_watchers[watcher] = None
        try:
            while self._lobby.closing is None:
                watcher.awake.clear()
                yield self._lobby.list_message()
                await asyncio.sleep(_LIST_PAUSE)
                await watcher.awake.wait()
            yield pb.WatchTablesResponse(closing=self._lobby.closing)
        finally:
            self._lobby.list_watchers.pop(watcher, None)

    async def get_table(self, request: pb.GetTableRequest, call: Call) -> pb.GetTableResponse:
        """One table; with a token also which seat it holds."""
        running = self.running(request.table_id)
        return pb.GetTableResponse(table=running.message_for(token_hash_of(call)))

    async def watch_table(
        self, request: pb.WatchTableRequest, call: Call
    ) -> AsyncIterator[pb.WatchTableResponse]:
        """The table now and after each change, with the chat; a seat's stream is its presence."""
        running = self.running(request.table_id)
        token_hash = token_hash_of(call)
        check_may_watch(running.table, token_hash)
        if token_hash is None:
            self._passwords.check(request.password, running.table.password_hash, call)
        limit = self._lobby.settings.most_watchers
        if token_hash is None and running.spectators >= limit:
            raise GenialError(Reason.TOO_MANY_WATCHERS, limit=limit)
        watcher = Watcher(token_hash, call.metadata.get(WATCHER, ""))
        running.add_watcher(watcher)
        if token_hash is not None:
            self._lobby.presence_changed(running, token_hash)
        try:
            chat, version = request.after_chat, 0
            while not watcher.superseded and self._lobby.closing is None:
                watcher.awake.clear()
                check_may_watch(running.table, token_hash)
                if running.table.version != version or running.last_chat > chat or not version:
                    version = running.table.version
                    yield _seen(running, token_hash, chat)
                    chat = max(chat, running.last_chat)
                await watcher.awake.wait()
            if watcher.superseded:
                yield pb.WatchTableResponse(superseded=True)
            else:
                yield pb.WatchTableResponse(closing=self._lobby.closing)
        finally:
            gone = running.remove_watcher(watcher)
            if gone and token_hash is not None:
                self._lobby.presence_changed(running, token_hash)


def check_may_watch(table: Table, token_hash: bytes | None) -> None:
    """Lets seats and the creator watch, and spectators where they may.

    Raises:
        GenialError: BAD_SEAT_TOKEN, SPECTATORS_FORBIDDEN.
    """
    if token_hash is not None:
        known = table.seat_of(token_hash) or table.seat_played_by(token_hash)
        if known is not None or table.is_creator(token_hash):
            return
        raise GenialError(Reason.BAD_SEAT_TOKEN)
    if table.options.spectators_forbidden:
        raise GenialError(Reason.SPECTATORS_FORBIDDEN)


def token_hash_of(call: Call) -> bytes | None:
    """The hash of the caller's seat token, if it sends one.

    Raises:
        GenialError: BAD_SEAT_TOKEN, when it is no token.
    """
    token = call.metadata.get(SEAT_TOKEN)
    if token is None:
        return None
    try:
        return seat_token_hash(token)
    except MalformedTokenError as fault:
        raise bad_token(SEAT_TOKEN, fault) from None


def _seen(
    running: RunningTable, token_hash: bytes | None, after_chat: int
) -> pb.WatchTableResponse:
    lines = list(running.chat_after(after_chat))
    return pb.WatchTableResponse(
        table=running.message_for(token_hash),
        chat=[chat_to_message(line) for line in lines],
        chat_gap=bool(lines) and lines[0].number > after_chat + 1,
    )


def _place(text: str) -> tuple[int, str]:
    if not text:
        return (-1, "")
    created_at, _, table_id = text.partition(" ")
    if not (created_at.isascii() and created_at.isdigit()):
        raise malformed("page_token", "must be the next_page_token of the page before")
    return int(created_at), table_id
