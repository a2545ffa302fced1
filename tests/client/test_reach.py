"""Reaching a host: what is pinned, whom the password is sent to, what is said of failures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import grpc
import pytest

from genial.client.errors import (
    CertificateChangedError,
    EncryptedHostError,
    HostUnreachableError,
    PasswordHeldBackError,
    PasswordNeededError,
    PlaintextHostError,
    WrongFingerprintError,
)
from genial.client.known_hosts import KnownHost
from genial.client.link import HostLink, connect
from genial.client.store import MemoryStore
from genial.client.trust import Access, FirstContact, Greeting
from genial.services.certificate import HostCertificate, make_certificate
from genial.v1 import lobby_service_pb2, table_pb2
from genial.wire.metadata import HOST_PASSWORD, host_password_entry
from genial.wire.serving import Call, rpc_handlers

WORD = "mellon äöü"
OTHER = "0" * 64


@dataclass
class Host:
    """Answers the lobby's simplest calls, and notes what was sent along with them."""

    password_required: bool = False
    host_id: str = "host-1"
    sent: dict[str, str | None] = field(default_factory=dict)

    def _note(self, rpc: str, call: Call) -> None:
        self.sent[rpc] = call.metadata.get(HOST_PASSWORD)

    async def get_host(
        self, request: lobby_service_pb2.GetHostRequest, call: Call
    ) -> lobby_service_pb2.GetHostResponse:
        self._note("GetHost", call)
        host = table_pb2.Host(
            host_id=self.host_id,
            name="Ana\x1b[2J",
            protocol="v1",
            password_required=self.password_required,
        )
        return lobby_service_pb2.GetHostResponse(host=host)

    async def list_tables(
        self, request: lobby_service_pb2.ListTablesRequest, call: Call
    ) -> lobby_service_pb2.ListTablesResponse:
        self._note("ListTables", call)
        return lobby_service_pb2.ListTablesResponse()

    async def watch_tables(
        self, request: lobby_service_pb2.WatchTablesRequest, call: Call
    ) -> AsyncIterator[lobby_service_pb2.WatchTablesResponse]:
        self._note("WatchTables", call)
        yield lobby_service_pb2.WatchTablesResponse()
        await asyncio.Event().wait()


@asynccontextmanager
async def served(
    host: Host, certificate: HostCertificate | None, port: int = 0
) -> AsyncIterator[str]:
    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    service = lobby_service_pb2.DESCRIPTOR.services_by_name["LobbyService"]
    server.add_generic_rpc_handlers([rpc_handlers(service, host)])
    where = f"127.0.0.1:{port}"
    if certificate is None:
        bound = server.add_insecure_port(where)
    else:
        keys = [(certificate.key, certificate.chain)]
        bound = server.add_secure_port(where, grpc.ssl_server_credentials(keys))
    await server.start()
    try:
        yield f"127.0.0.1:{bound}"
    finally:
        await server.stop(None)


@asynccontextmanager
async def deaf_at_first(address: str, connections: int = 1) -> AsyncIterator[str]:
    """A way to an address on which the first connections come to nothing, as over a bad cable."""
    taken = 0

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass  # Either end may leave first.
        finally:
            writer.close()

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal taken
        taken += 1
        if taken <= connections:
            await reader.read()
            writer.close()
            return
        host, _, port = address.rpartition(":")
        there, back = await asyncio.open_connection(host, int(port))
        await asyncio.gather(pass_on(reader, back), pass_on(there, writer))

    async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    assert taken > connections


@pytest.fixture
def certificate() -> HostCertificate:
    return make_certificate()


async def use(link: HostLink) -> None:
    """One unary call and one stream."""
    async with link:
        await link.list_tables()
        changes = link.watch_tables()
        async for _change in changes:
            break
        await changes.aclose()


async def test_the_channel_is_encrypted_and_says_by_what(certificate: HostCertificate) -> None:
    host = Host()
    async with served(host, certificate) as address:
        link = await connect(address)
        assert link.fingerprint == certificate.fingerprint
        await use(link)
    assert host.sent == {"GetHost": None, "ListTables": None, "WatchTables": None}


async def test_a_name_that_would_clear_the_screen_does_not(certificate: HostCertificate) -> None:
    seen: list[FirstContact] = []

    async def greet(contact: FirstContact) -> Greeting:
        seen.append(contact)
        return Greeting.REMEMBER

    async with served(Host(), certificate) as address:
        async with await connect(address, access=Access(greeter=greet)):
            pass
        assert seen == [FirstContact("host-1", "Ana[2J", address, certificate.fingerprint, False)]


async def test_an_announced_fingerprint_must_fit(certificate: HostCertificate) -> None:
    host = Host()
    async with served(host, certificate) as address:
        with pytest.raises(WrongFingerprintError, match="does not fit its announcement"):
            await connect(address, announced=OTHER)
        async with await connect(address, announced=certificate.fingerprint):
            pass


async def test_who_is_not_the_one_typed_is_not_even_asked(certificate: HostCertificate) -> None:
    host = Host(password_required=True)
    async with served(host, certificate) as address:
        access = Access(fingerprint=OTHER, password=WORD)
        with pytest.raises(WrongFingerprintError):
            await connect(address, access=access)
    assert host.sent == {}


async def test_the_password_goes_with_every_call_to_who_is_known(
    certificate: HostCertificate,
) -> None:
    _key, sent = host_password_entry(WORD)
    store = MemoryStore()
    host = Host(password_required=True)
    async with served(host, certificate) as address:
        with pytest.raises(PasswordNeededError, match="--password-file"):
            await connect(address)
        with pytest.raises(PasswordHeldBackError, match=certificate.fingerprint):
            await connect(address, store=store, access=Access(password=WORD))
        assert set(host.sent.values()) == {None}
        await use(await connect(address, store=store, access=Access(password=WORD)))
        assert host.sent == {"GetHost": None, "ListTables": sent, "WatchTables": sent}


async def test_a_confirmed_host_gets_it_at_once(certificate: HostCertificate) -> None:
    async def greet(contact: FirstContact) -> Greeting:
        assert contact.password_waits
        return Greeting.CONFIRM

    host = Host(password_required=True)
    async with served(host, certificate) as address:
        await use(await connect(address, access=Access(password=WORD, greeter=greet)))
    assert host.sent["ListTables"] is not None


async def test_a_host_that_wants_none_gets_none(certificate: HostCertificate) -> None:
    host = Host()
    async with served(host, certificate) as address:
        access = Access(password=WORD, fingerprint=certificate.fingerprint)
        await use(await connect(address, access=access))
    assert set(host.sent.values()) == {None}


async def test_encrypted_and_plain_are_told_apart(certificate: HostCertificate) -> None:
    async with served(Host(), certificate) as address:
        with pytest.raises(EncryptedHostError, match="leave out --plaintext"):
            await connect(address, access=Access(plaintext=True))
    async with served(Host(), None) as address:
        with pytest.raises(PlaintextHostError, match="add --plaintext"):
            await connect(address)
        link = await connect(address, access=Access(plaintext=True))
        assert link.fingerprint is None
        await use(link)


async def test_a_changed_certificate_ends_what_was_going_on(certificate: HostCertificate) -> None:
    store = MemoryStore()
    async with served(Host(), certificate) as address:
        link = await connect(address, store=store)
        changes = link.watch_tables()
        await anext(changes)
    port = int(address.rpartition(":")[2])
    async with served(Host(), make_certificate(), port):

        async def watch_on() -> None:
            async for _change in changes:
                pass

        with pytest.raises(CertificateChangedError, match="connect again"):
            await asyncio.wait_for(watch_on(), 30)
        await link.close()
        with pytest.raises(CertificateChangedError, match="--fingerprint"):
            await connect(address, store=store)


async def test_a_changed_host_gets_the_password_only_once_it_is_accepted(
    certificate: HostCertificate,
) -> None:
    _key, sent = host_password_entry(WORD)
    store = MemoryStore()
    async with served(Host(), certificate) as address, await connect(address, store=store):
        pass
    host = Host(password_required=True)

    async def accept(contact: FirstContact, before: KnownHost) -> bool:
        assert (contact.password_waits, before.fingerprint) == (True, certificate.fingerprint)
        assert host.sent == {"GetHost": None}
        return True

    async with served(host, make_certificate()) as address:
        with pytest.raises(CertificateChangedError):
            await connect(address, store=store, access=Access(password=WORD))
        assert host.sent == {"GetHost": None}
        access = Access(password=WORD, accepter=accept)
        await use(await connect(address, store=store, access=access))
        assert host.sent == {"GetHost": None, "ListTables": sent, "WatchTables": sent}


async def test_a_host_whose_first_answer_gets_lost_is_asked_again() -> None:
    async with served(Host(), None) as behind, deaf_at_first(behind) as address:
        await use(await connect(address, access=Access(plaintext=True)))


async def test_the_same_certificate_at_another_id_is_another_host(
    certificate: HostCertificate,
) -> None:
    """Ids are remembered one by one, so a copied certificate vouches for nobody else."""
    store = MemoryStore()
    async with served(Host(), certificate) as address, await connect(address, store=store):
        pass
    host = Host(password_required=True, host_id="host-2")
    async with served(host, certificate) as address:
        with pytest.raises(PasswordHeldBackError):
            await connect(address, store=store, access=Access(password=WORD))


async def test_nobody_there(unused_tcp_port: int) -> None:
    for access in (Access(), Access(plaintext=True)):
        with pytest.raises(HostUnreachableError, match="No host listens"):
            await connect(f"127.0.0.1:{unused_tcp_port}", access=access)
