"""Messages put together from serialised parts are what they would be in one go."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from genial.v1 import game_pb2
from genial.wire.joining import embedded


@given(st.binary(max_size=40_000), st.lists(st.binary(max_size=300), max_size=4))
def test_a_part_is_written_as_protobuf_writes_it(scheme: bytes, nonces: list[bytes]) -> None:
    text = scheme.hex()
    message = game_pb2.Shuffle(scheme=text, deal=3, nonces=nonces)
    parts = [
        embedded(game_pb2.Shuffle.SCHEME_FIELD_NUMBER, text.encode()) if text else b"",
        game_pb2.Shuffle(deal=3).SerializeToString(),
        *[embedded(game_pb2.Shuffle.NONCES_FIELD_NUMBER, nonce) for nonce in nonces],
    ]
    assert b"".join(parts) == message.SerializeToString()
