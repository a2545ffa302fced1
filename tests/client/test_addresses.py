from __future__ import annotations

import pytest

from genial.client import addresses
from genial.client.addresses import (
    Endpoint,
    Named,
    address_of,
    for_friends,
    parse_address,
    target,
)
from genial.client.errors import AddressError


@pytest.mark.parametrize(
    ("typed", "endpoint", "shown"),
    [
        ("192.168.1.20", Endpoint("192.168.1.20", 7718), "192.168.1.20:7718"),
        (" 192.168.1.20:1 ", Endpoint("192.168.1.20", 1), "192.168.1.20:1"),
        ("laptop.lan:99", Endpoint("laptop.lan", 99), "laptop.lan:99"),
        ("laptop.lan", Endpoint("laptop.lan", 7718), "laptop.lan:7718"),
        ("localhost", Endpoint("localhost", 7718), "localhost:7718"),
        ("::1", Endpoint("::1", 7718), "[::1]:7718"),
        ("[::1]", Endpoint("::1", 7718), "[::1]:7718"),
        ("[fe80::1%eth0]:65535", Endpoint("fe80::1%eth0", 65535), "[fe80::1%eth0]:65535"),
        ("fe80::1%eth0", Endpoint("fe80::1%eth0", 7718), "[fe80::1%eth0]:7718"),
    ],
)
def test_endpoints_and_back(typed: str, endpoint: Endpoint, shown: str) -> None:
    assert parse_address(typed) == endpoint
    assert str(endpoint) == shown
    assert parse_address(shown) == endpoint


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("kitchen", "kitchen"),
        ("93f1bc1693e444c09482e0e4be0c17ec", "93f1bc1693e444c09482e0e4be0c17ec"),
        ("Ana's kitchen", None),
        ("Ana: the kitchen", None),
        ("Küche", None),
    ],
)
def test_words_may_be_names(typed: str, host: str | None) -> None:
    assert parse_address(typed) == Named(typed, Endpoint(host, 7718) if host else None)


@pytest.mark.parametrize(
    "typed",
    [
        "", "   ", "host:", "host:0", "host:65536", "host:-1", "host:1e3", "host:٣",
        "[::1", "[]:1", "[nonsense]:1", "[::1]:", "[127.0.0.1]:1", "::1:x", "a:b:c",
        "fe80::1%eth0:7718x",
    ],
)  # fmt: skip
def test_nonsense_is_refused_with_a_sentence(typed: str) -> None:
    with pytest.raises(AddressError) as error:
        parse_address(typed)
    assert error.value.sentence.endswith((".", "7718."))


@pytest.mark.parametrize(
    ("number", "shown"),
    [("10.0.0.7", "10.0.0.7:1"), ("fd00::2", "[fd00::2]:1"), ("fe80::1%4", "[fe80::1%4]:1")],
)
def test_targets_read_back(number: str, shown: str) -> None:
    assert address_of(target(number, 1)) == shown


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("127.0.0.1:7811", "192.168.1.20:7811"),
        ("[::1]:7718", "192.168.1.20"),
        ("localhost", "192.168.1.20"),
        ("192.168.1.9:7718", "192.168.1.9"),
        ("[fe80::1%eth0]:7719", "[fe80::1%eth0]:7719"),
        ("ana", "ana"),
        ("", ""),
    ],
)
def test_a_friend_types_no_loopback_address(
    here: str, there: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        addresses, "usable_addresses", lambda: frozenset({"172.17.0.1", "192.168.1.20"})
    )
    assert for_friends(here) == there


def test_without_a_network_no_friend_can_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "usable_addresses", frozenset)
    assert for_friends("127.0.0.1:7718") == ""
