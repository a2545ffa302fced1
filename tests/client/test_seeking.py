"""Looking for a host that has gone silent: where, how often, and who is taken for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any, cast

import grpc
import pytest

from genial.client import browse, seeking
from genial.client.errors import (
    AmbiguousNameError,
    GenialError,
    HostUnreachableError,
    StorageError,
    WrongFingerprintError,
)
from genial.client.found import FoundHost
from genial.client.known_hosts import KnownHosts
from genial.client.reach import Reached
from genial.client.seeking import Seeker
from genial.client.trust import Access
from genial.client.whereabouts import Whereabouts
from genial.v1.table_pb2 import Host

HOST = "9f3c" * 8
PRINT = "5b0e" * 16
BEFORE = "ipv4:10.0.0.1:7718"
MET = "ipv4:10.0.0.2:7718"
ANNOUNCED = "ipv4:10.0.0.3:7718"


class Network:
    """Who is announced and who answers, in place of the real one; notes what was asked."""

    def __init__(self) -> None:
        self.announced: FoundHost | Exception | None = None
        self.answers: list[Reached | Exception] = []
        self.pauses: list[float] = []
        self.looked_for: list[tuple[str, str | None]] = []
        self.tried: list[list[str]] = []
        self.asked: dict[str, Any] = {}

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await asyncio.sleep(0)

    async def find_host(self, text: str, *, fingerprint: str | None = None) -> FoundHost | None:
        self.looked_for.append((text, fingerprint))
        if isinstance(self.announced, Exception):
            raise self.announced
        return self.announced

    async def reach(self, targets: Sequence[str], address: str, **asked: Any) -> Reached:
        self.tried.append(list(targets))
        self.asked = asked
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> Network:
    network = Network()
    monkeypatch.setattr(seeking, "asyncio", SimpleNamespace(sleep=network.sleep))
    monkeypatch.setattr(seeking, "reach", network.reach)
    monkeypatch.setattr(browse, "find_host", network.find_host)
    return network


def reached(target: str, fingerprint: str | None = PRINT) -> Reached:
    return Reached(cast(grpc.aio.Channel, None), target, Host(host_id=HOST), fingerprint, None)


def seeker(places: Whereabouts | None = None, access: Access | None = None) -> Seeker:
    found = Seeker.of(
        reached(BEFORE), access or Access(), KnownHosts(), places or Whereabouts(), [BEFORE]
    )
    assert found is not None
    return found


def announced(address: str = "10.0.0.3") -> FoundHost:
    return FoundHost(HOST, "Kitchen", (address,), 7718, PRINT, 0, 0, "v1")


def silent() -> GenialError:
    return HostUnreachableError("UNREACHABLE", sentence="Nobody answers.")


async def first(sought: Seeker) -> Reached:
    async with asyncio.timeout(20), aclosing(sought.attempts()) as attempts:
        async for each in attempts:
            return each
    raise AssertionError("attempts never end by themselves")


@pytest.mark.parametrize("target", ["ipv4:127.0.0.1:7718", "ipv4:127.8.9.1:1", "ipv6:[::1]:7718"])
def test_a_host_on_this_machine_does_not_move(target: str) -> None:
    given = (Access(), KnownHosts(), Whereabouts(), [target])
    assert Seeker.of(reached(target), *given) is None


@pytest.mark.parametrize("target", [BEFORE, "ipv6:[fe80::1%252]:7718", "ipv6:[fd00::1]:7718"])
def test_any_other_may_and_is_known_by_its_id_and_certificate(target: str) -> None:
    access = Access(fingerprint="typed", password="secret")
    found = Seeker.of(reached(target), access, KnownHosts(), Whereabouts(), [target, MET])
    assert found is not None
    assert found.host_id == HOST
    assert found.access.fingerprint == PRINT
    assert found.access.password == "secret"
    assert found.targets == (target, MET)


async def test_asked_is_where_it_is_announced_then_where_it_was(network: Network) -> None:
    places = Whereabouts()
    places.note(MET, HOST)
    network.announced = announced()
    network.answers = [reached(ANNOUNCED)]
    found = await first(seeker(places))
    assert found.target == ANNOUNCED
    assert network.tried == [[ANNOUNCED, MET, BEFORE]]
    assert network.looked_for == [(HOST, PRINT)]
    # Whoever answers there has to be the same host, with the same certificate.
    assert network.asked["host_id"] == HOST
    assert network.asked["access"].fingerprint == PRINT
    # And the next time begins there.
    assert places.of(HOST) == (ANNOUNCED, MET)


async def test_it_is_looked_for_again_and_again_ever_more_rarely(network: Network) -> None:
    impostor = WrongFingerprintError("Another certificate.")
    network.answers = [silent(), impostor, silent(), silent(), silent(), reached(BEFORE)]
    await first(seeker())
    assert network.tried == [[BEFORE]] * 6
    assert network.pauses == [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


async def test_others_that_call_themselves_by_its_id_leave_its_old_addresses(
    network: Network,
) -> None:
    network.announced = AmbiguousNameError(HOST, ("a", "b"))
    network.answers = [reached(BEFORE)]
    assert (await first(seeker())).target == BEFORE
    assert network.tried == [[BEFORE]]


async def test_a_full_disk_keeps_nobody_from_going_back(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Whereabouts()

    def full(target: str, *keys: str) -> None:
        raise StorageError("The disk is full.")

    monkeypatch.setattr(places, "note", full)
    network.answers = [reached(BEFORE)]
    assert (await first(seeker(places))).target == BEFORE


async def test_found_once_it_is_offered_again_at_every_further_time(network: Network) -> None:
    network.answers = [reached(BEFORE), silent(), reached(MET)]
    targets = []
    async with asyncio.timeout(20), aclosing(seeker().attempts()) as attempts:
        async for each in attempts:
            targets.append(each.target)
            if len(targets) == 2:
                break
    assert targets == [BEFORE, MET]
    # Where it answered the first time is known by then.
    assert network.tried[1:] == [[BEFORE, BEFORE]] * 2


async def test_a_fault_of_our_own_is_not_taken_for_silence(network: Network) -> None:
    network.answers = [TypeError("a fault in the program")]
    with pytest.raises(TypeError, match="a fault in the program"):
        await first(seeker())
