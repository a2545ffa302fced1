"""Announcements, tokens, request checks, and the layer that binds servicers to gRPC."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genial.v1 import game_service_pb2
from genial.wire import requests
from genial.wire.announcement import (
    Announcement,
    MalformedAnnouncementError,
    instance_name,
)
from genial.wire.errors import GenialError, Reason
from genial.wire.metadata import (
    MalformedTokenError,
    bearer,
    bearer_secret,
    new_seat_token,
    seat_token_hash,
)
from genial.wire.serving import Call, method_name, rpc_handlers


def as_zeroconf_gives_them(properties: dict[str, str]) -> dict[bytes, bytes | None]:
    return {key.encode(): value.encode() for key, value in properties.items()}


names = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


@given(
    st.builds(
        Announcement,
        host_id=st.text("0123456789abcdef", min_size=8, max_size=32),
        name=st.text("abcdé 漢", min_size=1, max_size=60).filter(lambda name: name == name.strip()),
        fingerprint=st.none() | st.text("0123456789abcdef", min_size=64, max_size=64),
        tables=st.integers(0, 1000),
        open_seats=st.integers(0, 4000),
    )
)
def test_an_announcement_comes_back(announcement: Announcement) -> None:
    properties = announcement.to_properties()
    assert Announcement.from_properties(as_zeroconf_gives_them(properties)) == announcement


@given(names, st.text("0123456789abcdef", min_size=8, max_size=32))
def test_names_of_any_kind_can_be_announced(name: str, host_id: str) -> None:
    for key, value in Announcement(host_id, name).to_properties().items():
        assert len(f"{key}={value}".encode()) <= 255
    instance = instance_name(name, host_id)
    assert 0 < len(instance.encode()) <= 63
    assert instance.isprintable()
    assert "." not in instance
    assert instance.endswith(host_id[:8])


@given(
    st.dictionaries(
        st.sampled_from([b"v", b"id", b"name", b"fp", b"tables", b"open", b"x"]),
        st.none() | st.binary(max_size=60),
    )
)
def test_any_entries_are_an_announcement_or_malformed(
    properties: dict[bytes, bytes | None],
) -> None:
    try:
        found = Announcement.from_properties(properties)
    except MalformedAnnouncementError:
        return
    assert found.host_id
    assert found.version
    assert found.tables >= 0


def test_a_token_is_32_bytes_and_its_hash_is_of_those() -> None:
    token = new_seat_token()
    raw = base64.urlsafe_b64decode(token + "=")
    assert len(raw) == 32
    assert seat_token_hash(token) == hashlib.sha256(raw).digest()
    assert new_seat_token() != token


@pytest.mark.parametrize(
    "token", ["", "a", "a" * 42, "a" * 44, "a" * 42 + "+", "é" * 43, "\0" * 43]
)
def test_what_is_no_token(token: str) -> None:
    with pytest.raises(MalformedTokenError):
        seat_token_hash(token)


def test_the_bearers_secret() -> None:
    key, value = bearer("between us")
    assert key == "authorization"
    assert bearer_secret(value) == "between us"
    assert bearer_secret("Basic xyz") is None


class TestRequests:
    @given(st.uuids())
    def test_a_request_id_is_a_uuid(self, name: object) -> None:
        assert requests.request_id(str(name)) == str(name)
        assert requests.request_id(str(name).upper()) == str(name)

    @pytest.mark.parametrize(
        "text",
        [
            *("", "1", "{" + "1" * 34 + "}", "1" * 32, "g" * 36),
            # What `int` would read: several writings of one id, and some of none.
            *(f"{first}23e4567-e89b-12d3-a456-426614174000" for first in " +_\u0661\u212a"),
            *("1_3e4567-e89b-12d3-a456-426614174000", "1" * 8 + "-" * 28),
        ],
    )
    def test_anything_else_is_none(self, text: str) -> None:
        with pytest.raises(GenialError) as refused:
            requests.request_id(text)
        assert refused.value.metadata["field"] == "request_id"

    @given(names)
    def test_a_page_token_leads_back(self, place: str) -> None:
        if len(place.encode()) < 150:
            assert requests.page_place(requests.page_token(place)) == place

    @pytest.mark.parametrize(
        "token", ["!", "a", "/w==", "x" * 300, "Zm9v", "MTIz", "AAAAAAAAMTIz", "MTIz\n"]
    )
    def test_what_is_no_page_token(self, token: str) -> None:
        with pytest.raises(GenialError) as refused:
            requests.page_place(token)
        assert refused.value.metadata["field"] == "page_token"

    def test_pages(self) -> None:
        assert requests.page_size(0) == 50
        assert requests.page_size(200) == 200
        with pytest.raises(GenialError):
            requests.page_size(201)

    def test_secrets_and_texts_have_their_length(self) -> None:
        assert requests.secret(b"x" * 32, "nonce") == b"x" * 32
        for wrong in (b"", b"x" * 31, b"x" * 33):
            with pytest.raises(GenialError):
                requests.secret(wrong, "nonce")
        assert requests.text("abc", "name", 3) == "abc"
        with pytest.raises(GenialError) as refused:
            requests.text("abcd", "name", 3)
        assert refused.value.reason == Reason.MALFORMED


GAME_SERVICE = game_service_pb2.DESCRIPTOR.services_by_name["GameService"]


class TestServing:
    def test_methods_are_named_in_snake_case(self) -> None:
        assert [method_name(rpc.name) for rpc in GAME_SERVICE.methods][:4] == [
            "get_game",
            "list_games",
            "watch_game",
            "place_tile",
        ]

    def test_a_handler_must_be_asynchronous(self) -> None:
        class Synchronous:
            def get_game(self, request: object, call: Call) -> None: ...

        with pytest.raises(TypeError, match="GetGame"):
            rpc_handlers(GAME_SERVICE, Synchronous())

    def test_a_stream_must_be_an_async_generator(self) -> None:
        class NoGenerator:
            async def watch_game(self, request: object, call: Call) -> None: ...

        with pytest.raises(TypeError, match="WatchGame"):
            rpc_handlers(GAME_SERVICE, NoGenerator())

    def test_what_is_missing_can_still_be_bound(self) -> None:
        class Small:
            async def watch_game(self, request: object, call: Call) -> AsyncGenerator[bytes, None]:
                yield b""

        assert rpc_handlers(GAME_SERVICE, Small()) is not None
