"""How answers become bytes."""

from __future__ import annotations

import itertools

from genial.v1 import game_pb2
from genial.wire.serving import serialise


def test_equal_messages_are_equal_bytes() -> None:
    """A map has no order; yet a repeat's answer, made anew, must be the first one's bytes."""
    rows = {letter: number for number, letter in enumerate("ROYGBP", 1)}
    made = set()
    for order in itertools.permutations(rows):
        message = game_pb2.Placement()
        for letter in order:
            message.points[letter] = rows[letter]
        copy = game_pb2.Placement()
        copy.CopyFrom(message)
        made |= {serialise(message), serialise(copy)}
    assert len(made) == 1
