"""Hosts that encrypt, as processes, and what the tests of this folder ask of them."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from genial.client.channel import new_request_id, open_channel
from genial.client.trust import fetch_certificate
from genial.engine.rules import Rules
from genial.v1 import lobby_service_pb2, table_pb2
from genial.v1.game_service_pb2_grpc import GameServiceStub
from genial.v1.lobby_service_pb2_grpc import LobbyServiceStub
from genial.wire.metadata import SEAT_TOKEN
from genial.wire.values import rules_to_message
from tests.e2e.processes import HostProcess

Metadata = tuple[tuple[str, str], ...]

HIDDEN = ("--bind", "127.0.0.1", "--no-announce")


@asynccontextmanager
async def encrypted_host(
    home: Path,
    *options: str | Path,
    port: int = 0,
    variables: Mapping[str, str] | None = None,
    binding: tuple[str, ...] = HIDDEN,
) -> AsyncIterator[HostProcess]:
    """A host with TLS; its data stays in `home` from one to the next."""
    host = await HostProcess.start(
        "host",
        *binding,
        *("--port", str(port), "--name", "Cellar", "--data", home / "data"),
        *options,
        home=home,
        variables=variables,
    )
    try:
        await host.until_ready()
        yield host
    finally:
        await host.stop()


class Line:
    """Raw stubs over a pinned channel, for what no honest client does."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.channel = channel
        self.lobby = LobbyServiceStub(channel)
        self.games = GameServiceStub(channel)

    async def watched(self, method: Any, request: Any, token: str | None = None) -> Any:
        """The first message of a stream; the stream goes on."""
        stream = method(request, metadata=seat(token))
        return stream, await stream.read()


def seat(token: str | None) -> Metadata:
    return () if token is None else ((SEAT_TOKEN, token),)


@asynccontextmanager
async def line_to(host: HostProcess) -> AsyncIterator[Line]:
    certificate = await fetch_certificate("127.0.0.1", host.port, 10)
    async with open_channel(f"ipv4:127.0.0.1:{host.port}", certificate) as channel:
        yield Line(channel)


async def bots_finish_a_game(host: HostProcess, metadata: Metadata = ()) -> None:
    """A table of two bots is played to its end: the host keeps serving."""
    async with line_to(host) as line, asyncio.timeout(120):
        request = lobby_service_pb2.CreateTableRequest(
            request_id=new_request_id(),
            options=options_of(Rules(players=2)),
            bot_levels=["medium", "medium"],
        )
        made = await line.lobby.CreateTable(request, metadata=metadata)
        watched = line.lobby.WatchTable(
            lobby_service_pb2.WatchTableRequest(table_id=made.table.table_id), metadata=metadata
        )
        async for message in watched:
            if message.table.state == table_pb2.TABLE_STATE_FINISHED:
                watched.cancel()
                return
        raise AssertionError("the table's stream ended")


def options_of(rules: Rules, **options: Any) -> table_pb2.TableOptions:
    return table_pb2.TableOptions(
        rules=rules_to_message(rules), first=table_pb2.FirstSeat(named=0), **options
    )


async def tls_connection(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection that has shaken hands and says nothing more."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    return await asyncio.open_connection("127.0.0.1", port, ssl=context)
