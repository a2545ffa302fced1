"""The staggered race, its memory, and what is said when nobody answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import pytest

from genial.client.errors import (
    GenialError,
    HostUnreachableError,
    IncompatibleHostError,
    WrongFingerprintError,
)
from genial.client.found import likeliest_first
from genial.client.known_hosts import KnownHosts
from genial.client.link import connect
from genial.client.race import in_order, race
from genial.client.reach import reach
from genial.client.store import DiskStore
from genial.client.unreached import Outcome, nobody, outcome_of
from genial.client.whereabouts import Whereabouts
from tests.client.fakehost import PLAIN, FakeHost

V4 = [f"ipv4:10.0.0.{n}:7718" for n in (1, 2, 3)]
V6 = [f"ipv6:[fd00::{n}]:7718" for n in (1, 2)]


def test_families_take_turns_and_what_worked_goes_first() -> None:
    assert in_order([*V4, *V6]) == [V4[0], V6[0], V4[1], V6[1], V4[2]]
    assert in_order([*V6, *V4]) == [V6[0], V4[0], V6[1], V4[1], V4[2]]
    assert in_order([*V4, *V6], [V6[1], V4[2]])[:2] == [V6[1], V4[2]]
    assert in_order(V4, ["ipv4:10.9.9.9:1"]) == V4
    assert in_order([V4[0], V4[0]], [V4[0], V4[0]]) == [V4[0]]
    assert in_order([]) == []


def test_addresses_in_a_network_of_ours_come_first() -> None:
    addresses = ["10.8.0.2", "fe80::1%2", "2001:db8::1", "192.168.1.5", "10.8.0.2"]
    assert likeliest_first(addresses, lambda text: text.startswith("192.")) == (
        "192.168.1.5",
        "10.8.0.2",
        "2001:db8::1",
        "fe80::1%2",
    )
    assert len(likeliest_first(f"10.1.{n // 250}.{n % 250}" for n in range(1000))) == 16


async def test_a_silent_address_does_not_hold_up_the_next() -> None:
    started: list[str] = []
    ended: list[str] = []

    def attempt(name: str, answer: str | None) -> Callable[[], Awaitable[str]]:
        async def run() -> str:
            started.append(name)
            try:
                if answer is None:
                    await asyncio.Event().wait()
                return str(answer)
            finally:
                ended.append(name)

        return run

    attempts = [attempt("dead", None), attempt("slow", None), attempt("live", "yes")]
    assert await race(attempts, stagger=0.01) == "yes"
    assert started == ["dead", "slow", "live"]
    # Nothing of the others is left behind.
    assert sorted(ended) == ["dead", "live", "slow"]


async def test_a_refusal_starts_the_next_at_once_and_all_failures_are_kept() -> None:
    def failing(number: int) -> Callable[[], Awaitable[str]]:
        async def run() -> str:
            raise ConnectionError(number)

        return run

    async with asyncio.timeout(5):
        with pytest.raises(BaseExceptionGroup) as group:
            await race([failing(n) for n in range(3)], stagger=3600)
    assert [error.args[0] for error in group.value.exceptions] == [0, 1, 2]


async def test_what_a_loser_brings_too_late_is_disposed_of() -> None:
    at_the_line = asyncio.Barrier(2)
    disposed: list[int] = []

    async def answer(number: int) -> int:
        # Both cross it in the same round of the event loop.
        await at_the_line.wait()
        return number

    async def dispose(number: int) -> None:
        disposed.append(number)

    async with asyncio.timeout(5):
        won = await race([lambda: answer(1), lambda: answer(2)], stagger=0.01, late=dispose)
    assert [won, *disposed] in ([1, 2], [2, 1])


def test_whereabouts_are_kept_newest_first_and_bounded(tmp_path: Path) -> None:
    path = tmp_path / "whereabouts.json"
    places = Whereabouts(path)
    for target in (*V4, *V6):
        places.note(target, "host")
    assert Whereabouts(path).of("HOST") == (V6[1], V6[0], V4[2], V4[1])
    places.note(V4[2], "host", "kitchen:7718")
    assert Whereabouts(path).of("host")[0] == V4[2]
    assert Whereabouts(path).of("kitchen:7718") == (V4[2],)
    for number in range(250):
        places.note(V4[0], f"key {number}")
    assert len(json.loads(path.read_text())["places"]) == 200
    assert Whereabouts(path).of("key 249") == (V4[0],)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"places": 7}', '{"places": {"host": [7]}}'])
def test_damaged_whereabouts_count_as_none(tmp_path: Path, content: str) -> None:
    path = tmp_path / "whereabouts.json"
    path.write_text(content)
    assert Whereabouts(path).of("host") == ()
    Whereabouts(path).note(V4[0], "host")
    assert Whereabouts(path).of("host") == (V4[0],)


async def test_a_host_that_answered_is_remembered_by_id_and_address(tmp_path: Path) -> None:
    host = FakeHost()
    await host.start()
    store = DiskStore(tmp_path / "state", tmp_path / "data")
    async with await connect(host.address, store=store, access=PLAIN) as link:
        expected = (f"ipv4:{host.address}",)
        assert store.whereabouts.of(link.host.host_id) == expected
        assert store.whereabouts.of(host.address) == expected
    await host.stop()


async def test_another_host_at_a_remembered_place_is_not_the_one_asked_for() -> None:
    host = FakeHost()
    await host.start()
    with pytest.raises(IncompatibleHostError, match="Another host answers"):
        await reach(
            [f"ipv4:{host.address}"],
            "somebody",
            access=PLAIN,
            known=KnownHosts(),
            timeout=5,
            host_id="somebody",
        )
    await host.stop()


def unreachable(detail: str) -> HostUnreachableError:
    return HostUnreachableError("UNREACHABLE", code=grpc.StatusCode.UNAVAILABLE, detail=detail)


def test_the_error_lists_every_address_and_what_came_of_it() -> None:
    tried = ["192.168.1.20:7718", "10.8.0.2:7718", "[fe80::1%2]:7718"]
    failures = [
        unreachable("Connection refused"),
        unreachable("timeout"),
        unreachable("Network is unreachable"),
    ]
    error = nobody(failures, tried, "Kitchen")
    assert isinstance(error, HostUnreachableError)
    assert "192.168.1.20:7718: nobody listens there" in error.sentence
    assert "10.8.0.2:7718: no answer" in error.sentence
    assert "[fe80::1%2]:7718: no way there from here" in error.sentence
    assert "`genial doctor Kitchen`" in error.sentence
    # Somebody else's certificate is more telling than any silence.
    other = WrongFingerprintError("not the one you asked for")
    assert nobody([*failures, other], [*tried, "x"], "Kitchen") is other


@pytest.mark.parametrize(
    ("failure", "outcome"),
    [
        (unreachable("Connection refused"), Outcome.REFUSED),
        (unreachable("No route to host"), Outcome.NO_WAY),
        (unreachable("timeout"), Outcome.SILENT),
        (unreachable("Socket closed"), Outcome.NO_HOST),
        (IncompatibleHostError("NOT_A_HOST"), Outcome.NO_HOST),
        (IncompatibleHostError("OTHER_HOST"), Outcome.OTHER_HOST),
    ],
)
def test_outcomes(failure: GenialError, outcome: Outcome) -> None:
    assert outcome_of(failure) is outcome
