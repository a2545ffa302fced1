"""Rates and counts, by a clock of the test's own."""

from __future__ import annotations

import dataclasses
from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genial.services.limits import (
    LOOPBACK,
    Counter,
    Exemptions,
    Limits,
    RateLimiter,
    address_of_peer,
)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


class TestRateLimiter:
    def test_a_burst_then_the_rate(self, clock: Clock) -> None:
        limiter = RateLimiter(rate=2, burst=5, clock=clock)
        assert [limiter.take("a") for _ in range(7)] == [True] * 5 + [False] * 2
        clock.now += 0.5
        assert [limiter.take("a") for _ in range(2)] == [True, False]
        clock.now += 1.0
        assert [limiter.take("a") for _ in range(3)] == [True, True, False]

    def test_a_refusal_costs_nothing(self, clock: Clock) -> None:
        limiter = RateLimiter(rate=1, burst=1, clock=clock)
        assert limiter.take("a")
        for _ in range(100):
            assert not limiter.take("a")
        clock.now += 1.0
        assert limiter.take("a")

    def test_a_long_silence_gives_no_more_than_the_burst(self, clock: Clock) -> None:
        limiter = RateLimiter(rate=10, burst=3, clock=clock)
        clock.now += 10_000
        assert sum(limiter.take("a") for _ in range(50)) == 3

    def test_keys_do_not_share(self, clock: Clock) -> None:
        limiter = RateLimiter(rate=1, burst=1, clock=clock)
        assert limiter.take("a")
        assert limiter.take("b")
        assert not limiter.take("a")

    def test_asking_takes_nothing(self, clock: Clock) -> None:
        limiter = RateLimiter(rate=1, burst=1, clock=clock)
        assert limiter.has("a")
        assert limiter.has("a")
        assert limiter.take("a")
        assert not limiter.has("a")

    def test_many_keys_take_bounded_room(self, clock: Clock) -> None:
        limiter = RateLimiter(rate=1, burst=2, clock=clock, most_keys=10)
        for number in range(1000):
            limiter.take(number)
        assert len(limiter._full_at) <= 10

    def test_quiet_keys_are_forgotten_first(self, clock: Clock) -> None:
        limiter = RateLimiter(rate=1, burst=1, clock=clock, most_keys=3)
        limiter.take("quiet")
        clock.now += 5
        for key in "abc":
            limiter.take(key)
        assert not any(limiter.has(key) for key in "abc")

    @given(
        rate=st.integers(1, 100),
        burst=st.integers(1, 50),
        steps=st.lists(st.floats(0, 3, allow_nan=False), max_size=60),
    )
    def test_never_more_than_burst_and_rate(
        self, rate: int, burst: int, steps: list[float]
    ) -> None:
        clock = Clock()
        limiter = RateLimiter(rate, burst, clock)
        passed = 0
        for step in steps:
            clock.now += step
            passed += sum(limiter.take("a") for _ in range(5))
            assert passed <= burst + rate * (clock.now - 1000.0) + 1e-6


def test_a_counter_counts_and_gives_back() -> None:
    counter = Counter(2)
    assert [counter.take("a") for _ in range(3)] == [True, True, False]
    assert counter.take("b")
    counter.give_back("a")
    assert counter.held("a") == 1
    assert counter.take("a")
    counter.give_back("b")
    assert counter.held("b") == 0


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:10.0.0.7:5000", "10.0.0.7"),
        ("ipv6:%5B::1%5D:5000", "::1"),
        ("ipv6:[2001:db8::1]:5000", "2001:db8::1"),
        ("ipv6:%5Bfe80::1%252%5D:5000", "fe80::1%2"),
        ("ipv6:%5B::ffff:10.0.0.7%5D:5000", "10.0.0.7"),
        ("unix:/run/genial", "unix:/run/genial"),
        ("", ""),
    ],
)
def test_addresses_of_peers(peer: str, address: str) -> None:
    assert address_of_peer(peer) == address


@pytest.mark.parametrize(
    ("address", "exempt"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("10.0.0.7", False),
        ("192.168.4.4", True),
        ("fe80::1%2", False),
        ("unix:/run/genial", True),
        ("", True),
    ],
)
def test_exemptions(address: str, exempt: bool) -> None:
    limits = Limits(exempt=(*LOOPBACK, ip_network("192.168.4.0/24")))
    assert (address in Exemptions(limits.exempt)) is exempt


def test_every_limit_is_a_positive_number() -> None:
    for field in dataclasses.fields(Limits):
        if field.name != "exempt":
            assert getattr(Limits(), field.name) > 0
