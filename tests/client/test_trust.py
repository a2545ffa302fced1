"""Certificates: fetched, judged, remembered; passwords only to those who are known."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import grpc
import pytest

from genial.client.errors import (
    CertificateChangedError,
    HostUnreachableError,
    IncompatibleHostError,
    PlaintextHostError,
    StorageError,
    UntrustedHostError,
    WrongFingerprintError,
)
from genial.client.fingerprints import (
    MalformedFingerprintError,
    confirms,
    in_groups,
    parse_fingerprint,
)
from genial.client.known_hosts import KnownHost, KnownHosts
from genial.client.trust import (
    Accepter,
    Access,
    FirstContact,
    Greeting,
    Trust,
    fetch_certificate,
    judge,
    may_send_password,
    meet,
    not_trusted,
    password_held_back,
)
from genial.services.certificate import HostCertificate, make_certificate

ONE = "0123456789abcdef" * 4
TWO = "fedcba9876543210" * 4
THREE = "00112233445566778899aabbccddeeff" * 2


@asynccontextmanager
async def grpc_host(
    certificate: HostCertificate | None, where: str = "127.0.0.1:0"
) -> AsyncIterator[int]:
    server = grpc.aio.server()
    if certificate is None:
        port = server.add_insecure_port(where)
    else:
        keys = [(certificate.key, certificate.chain)]
        port = server.add_secure_port(where, grpc.ssl_server_credentials(keys))
    await server.start()
    try:
        yield port
    finally:
        await server.stop(None)


@asynccontextmanager
async def tcp_host(greeting: bytes | None) -> AsyncIterator[int]:
    """Answers every connection with some bytes and hangs up; with None it stays silent."""

    over = asyncio.Event()
    answers: list[asyncio.Task[None] | None] = []

    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers.append(asyncio.current_task())
        if greeting is None:
            await over.wait()
        else:
            writer.write(greeting)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
        over.set()
        await asyncio.gather(*(task for task in answers if task))


class TestFingerprints:
    @pytest.mark.parametrize(
        "text",
        [
            ONE,
            ONE.upper(),
            ":".join(ONE[i : i + 2] for i in range(0, 64, 2)),
            f"  SHA256: {ONE}\n",
            f"sha-256={ONE.upper()}",
            " ".join(ONE[i : i + 4] for i in range(0, 64, 4)),
        ],
    )
    def test_as_people_copy_them(self, text: str) -> None:
        assert parse_fingerprint(text) == ONE

    @pytest.mark.parametrize("text", ["", "-", ONE[:-1], ONE + "0", "g" * 64, "SHA256:", "é" * 64])
    def test_anything_else_is_refused_with_what_is_wanted(self, text: str) -> None:
        with pytest.raises(MalformedFingerprintError, match="64 hexadecimal digits"):
            parse_fingerprint(text)


class TestFetching:
    async def test_the_fingerprint_is_the_hosts_own(self) -> None:
        made = make_certificate()
        async with grpc_host(made) as port:
            fetched = await fetch_certificate("127.0.0.1", port, 5)
        assert fetched.fingerprint == made.fingerprint
        assert fetched.pem == made.chain

    @pytest.mark.parametrize("host", ["::1", "localhost"])
    async def test_by_name_and_by_ipv6(self, host: str) -> None:
        made = make_certificate()
        async with grpc_host(made, "[::]:0") as port:
            assert (await fetch_certificate(host, port, 5)).fingerprint == made.fingerprint

    async def test_a_plaintext_host_is_told_apart(self) -> None:
        async with grpc_host(None) as port:
            with pytest.raises(PlaintextHostError, match="add --plaintext") as caught:
                await fetch_certificate("127.0.0.1", port, 5)
        assert f"127.0.0.1:{port}" in caught.value.sentence

    async def test_something_that_hangs_up_is_no_host(self) -> None:
        async with tcp_host(b"") as port:
            with pytest.raises(IncompatibleHostError, match="no Genial host"):
                await fetch_certificate("127.0.0.1", port, 5)

    async def test_something_that_stays_silent_is_given_up(self) -> None:
        async with tcp_host(None) as port:
            with pytest.raises(HostUnreachableError, match="Nobody answers"):
                await fetch_certificate("127.0.0.1", port, 0.2)

    async def test_nobody_there(self) -> None:
        async with tcp_host(b"") as port:
            pass
        with pytest.raises(HostUnreachableError, match=f"127.0.0.1:{port}"):
            await fetch_certificate("127.0.0.1", port, 5)


class TestJudging:
    def test_a_new_host_is_new(self) -> None:
        assert judge(ONE, where="h", typed=None, remembered=None, announced=None) is Trust.NEW

    def test_an_announcement_that_fits_vouches_for_nothing(self) -> None:
        assert judge(ONE, where="h", typed=None, remembered=None, announced=ONE) is Trust.NEW

    def test_a_remembered_one(self) -> None:
        trust = judge(ONE, where="h", typed=None, remembered=ONE, announced=None)
        assert trust is Trust.REMEMBERED

    def test_memory_counts_more_than_a_forged_announcement(self) -> None:
        trust = judge(ONE, where="h", typed=None, remembered=ONE, announced=TWO)
        assert trust is Trust.REMEMBERED

    def test_what_is_typed_overrules_all(self) -> None:
        trust = judge(ONE, where="h", typed=ONE, remembered=TWO, announced=THREE)
        assert trust is Trust.TYPED

    def test_typed_and_wrong(self) -> None:
        with pytest.raises(WrongFingerprintError, match="not the one you asked for") as caught:
            judge(ONE, where="h:1", typed=TWO, remembered=ONE, announced=ONE)
        assert ONE in caught.value.sentence
        assert TWO in caught.value.sentence
        assert "h:1" in caught.value.sentence

    def test_announced_and_wrong(self) -> None:
        with pytest.raises(WrongFingerprintError, match="does not fit its announcement"):
            judge(ONE, where="h", typed=None, remembered=None, announced=TWO)

    def test_a_change_says_how_to_accept_it(self) -> None:
        with pytest.raises(CertificateChangedError, match=f"--fingerprint {ONE}") as caught:
            judge(ONE, where="h", typed=None, remembered=TWO, announced=ONE)
        assert TWO in caught.value.sentence


def contact(shown: str = ONE, *, host_id: str = "id-1", password: bool = False) -> FirstContact:
    return FirstContact(host_id, "Ana's laptop", "10.0.0.7:7718", shown, password)


class TestMeeting:
    async def test_a_new_host_is_shown_once_and_remembered(self) -> None:
        known = KnownHosts()
        shown: list[FirstContact] = []

        async def greet(contact: FirstContact) -> Greeting:
            shown.append(contact)
            return Greeting.REMEMBER

        access = Access(greeter=greet)
        assert await meet(contact(), known, access, None) is Trust.NEW
        assert await meet(contact(), known, access, None) is Trust.REMEMBERED
        assert shown == [contact()]

    async def test_a_confirmed_host_is_trusted_at_once(self) -> None:
        async def greet(_contact: FirstContact) -> Greeting:
            return Greeting.CONFIRM

        assert await meet(contact(), KnownHosts(), Access(greeter=greet), None) is Trust.CONFIRMED

    async def test_a_refused_host_is_not_remembered(self) -> None:
        async def greet(_contact: FirstContact) -> Greeting:
            return Greeting.REFUSE

        known = KnownHosts()
        with pytest.raises(UntrustedHostError, match="nothing was sent"):
            await meet(contact(), known, Access(greeter=greet), None)
        assert known.find("id-1") is None

    async def test_a_changed_one_is_refused_until_its_fingerprint_is_typed(self) -> None:
        known = KnownHosts()
        await meet(contact(ONE), known, Access(), None)
        with pytest.raises(CertificateChangedError):
            await meet(contact(TWO), known, Access(), TWO)
        assert known.find("id-1").fingerprint == ONE  # type: ignore[union-attr]
        assert await meet(contact(TWO), known, Access(fingerprint=TWO), None) is Trust.TYPED
        assert await meet(contact(TWO), known, Access(), None) is Trust.REMEMBERED
        with pytest.raises(CertificateChangedError):
            await meet(contact(ONE), known, Access(), None)

    async def test_hosts_are_known_by_id_not_by_address(self) -> None:
        known = KnownHosts()
        await meet(contact(ONE, host_id="a"), known, Access(), None)
        assert await meet(contact(TWO, host_id="b"), known, Access(), None) is Trust.NEW

    async def test_a_wrong_announcement_leaves_no_memory(self) -> None:
        known = KnownHosts()
        with pytest.raises(WrongFingerprintError):
            await meet(contact(ONE), known, Access(), TWO)
        assert known.find("id-1") is None


class TestAcceptingAChange:
    async def met(self, known: KnownHosts, accepter: Accepter) -> Trust:
        return await meet(contact(TWO, password=True), known, Access(accepter=accepter), None)

    async def test_it_is_confirmed_and_remembered_once_somebody_says_so(self) -> None:
        known = KnownHosts()
        await meet(contact(ONE), known, Access(), None)
        asked: list[tuple[str, str]] = []

        async def yes(contact: FirstContact, before: KnownHost) -> bool:
            asked.append((before.fingerprint, contact.fingerprint))
            return True

        assert await self.met(known, yes) is Trust.CONFIRMED
        assert await self.met(known, yes) is Trust.REMEMBERED
        assert asked == [(ONE, TWO)]

    async def test_whoever_does_not_keeps_what_is_remembered(self) -> None:
        known = KnownHosts()
        await meet(contact(ONE), known, Access(), None)

        async def no(_contact: FirstContact, _before: KnownHost) -> bool:
            return False

        async def never(contact: FirstContact, _before: KnownHost) -> bool:
            raise not_trusted(contact)

        with pytest.raises(CertificateChangedError):
            await self.met(known, no)
        with pytest.raises(UntrustedHostError, match="nothing was sent"):
            await self.met(known, never)
        assert known.find("id-1").fingerprint == ONE  # type: ignore[union-attr]

    async def test_a_fingerprint_that_was_typed_before_is_not_up_for_discussion(self) -> None:
        known = KnownHosts()
        await meet(contact(ONE), known, Access(), None)

        async def yes(_contact: FirstContact, _before: KnownHost) -> bool:
            raise AssertionError("asked")

        with pytest.raises(WrongFingerprintError):
            await meet(contact(TWO), known, Access(fingerprint=THREE, accepter=yes), None)

    @pytest.mark.parametrize(
        "text", [ONE[:8], ONE[:12].upper(), f" {ONE[:4]} {ONE[4:12]} ", in_groups(ONE), ONE]
    )
    def test_the_first_group_confirms_it(self, text: str) -> None:
        assert confirms(text, ONE)

    @pytest.mark.parametrize(
        "text", ["", "y", ONE[:7], TWO[:8], ONE[8:16], ONE + "0", ONE[:8] + "0"]
    )
    def test_nothing_else_does(self, text: str) -> None:
        assert not confirms(text, ONE)


class TestMemory:
    def test_it_is_on_disk_and_private(self, tmp_path: Path) -> None:
        path = tmp_path / "state" / "known_hosts.json"
        KnownHosts(path).remember("id-1", ONE, "Ana")
        found = KnownHosts(path).find("id-1")
        assert found is not None
        assert (found.fingerprint, found.name) == (ONE, "Ana")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700

    def test_two_clients_at_once_lose_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "known_hosts.json"
        one, other = KnownHosts(path), KnownHosts(path)
        assert one.find("a") is None
        other.remember("b", TWO, "B")
        one.remember("a", ONE, "A")
        assert KnownHosts(path).find("b").fingerprint == TWO  # type: ignore[union-attr]
        assert other.find("a").fingerprint == ONE  # type: ignore[union-attr]

    def test_it_reads_as_a_person_would_expect(self, tmp_path: Path) -> None:
        path = tmp_path / "known_hosts.json"
        KnownHosts(path).remember("id-1", ONE, "Añá")
        content = json.loads(path.read_text("utf-8"))
        assert content["hosts"]["id-1"]["name"] == "Añá"
        assert content["hosts"]["id-1"]["fingerprint"] == ONE

    @pytest.mark.parametrize(
        "content",
        ["", "{", "[]", "{}", '{"hosts": []}', '{"hosts": {"a": {}}}', "\x00",
         '{"hosts": {"a": {"fingerprint": "0", "name": "", "since": "2026-01-01"}}}'],
    )  # fmt: skip
    async def test_a_damaged_list_lets_nobody_in(self, tmp_path: Path, content: str) -> None:
        path = tmp_path / "known_hosts.json"
        path.write_text(content)
        with pytest.raises(StorageError, match="damaged") as caught:
            await meet(contact(), KnownHosts(path), Access(), None)
        assert str(path) in caught.value.sentence
        assert path.read_text() == content

    def test_a_place_that_cannot_be_written_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(StorageError, match="Cannot keep"):
            KnownHosts(tmp_path / "file" / "known_hosts.json").remember("a", ONE, "A")


class TestPasswords:
    @pytest.mark.parametrize("trust", [Trust.TYPED, Trust.REMEMBERED, Trust.CONFIRMED])
    def test_they_go_to_those_who_are_known(self, trust: Trust) -> None:
        assert may_send_password(trust, "10.0.0.7")

    def test_a_new_host_gets_none(self) -> None:
        assert not may_send_password(Trust.NEW, "10.0.0.7")
        assert not may_send_password(Trust.NEW, "127.0.0.1")
        assert ONE in password_held_back("10.0.0.7:7718", ONE).sentence

    def test_without_encryption_they_do_not_leave_the_machine(self) -> None:
        assert may_send_password(None, "127.0.0.1")
        assert may_send_password(None, "::1")
        assert not may_send_password(None, "10.0.0.7")
        assert not may_send_password(None, "fe80::1%eth0")
        assert "Leave out --plaintext" in password_held_back("10.0.0.7:7718", None).sentence

    def test_they_show_in_no_repr(self) -> None:
        assert "hunter2" not in repr(Access(password="hunter2"))
