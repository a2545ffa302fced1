"""The verifiable bag beside the referee's."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genial.engine.shuffle import (
    SCHEME,
    SECRET_BYTES,
    CountedBag,
    DrawMismatchError,
    HiddenOrderError,
    ShuffledBag,
    _Words,
    commitment,
    deal_key,
    nonce_hash,
    open_bag,
)
from genial.engine.tiles import FULL_SET, TILE_KINDS, Tile, copies_of
from tests.referee import shuffle

secrets = st.binary(min_size=32, max_size=32)
deals = st.tuples(secrets, st.lists(secrets, min_size=1, max_size=4))


def texts(tiles: tuple[Tile, ...]) -> list[str]:
    return [str(tile) for tile in tiles]


def test_names_of_the_scheme() -> None:
    assert SCHEME == shuffle.SCHEME == "genial-shuffle/1"
    assert SECRET_BYTES == 32


@given(secrets)
def test_commitments_and_hashes(value: bytes) -> None:
    assert commitment(value).hex() == shuffle.commitment_of(value)
    assert nonce_hash(value).hex() == shuffle.nonce_hash_of(value)
    assert commitment(value) != nonce_hash(value)


@given(deals, st.booleans(), st.lists(st.integers(0, 6), max_size=30), st.data())
def test_draws_and_exchanges_follow_the_referees_bag(
    deal: tuple[bytes, list[bytes]], chance: bool, draws: list[int], data: st.DataObject
) -> None:
    seed, nonces = deal
    ours = open_bag(deal_key(seed, nonces))
    theirs = shuffle.Bag(seed, nonces, chance=chance)
    if chance:
        seat, ours = ours.first_seat(len(nonces))
        assert seat == theirs.first_seat
    counted = CountedBag()
    held: list[Tile] = []
    for count in draws:
        drawn = ours.peek(count)
        assert texts(drawn) == theirs.draw(count)
        ours = ours.take(drawn)
        counted = counted.take(drawn)
        held += drawn
        gives_back = data.draw(st.booleans())
        if held and gives_back:
            size = min(len(held), 5)
            back, held = held[:size], held[size:]
            ours = ours.put_back(back)
            counted = counted.put_back(back)
            theirs.put_back(texts(tuple(back)))
        assert texts(ours.tiles) == theirs.tiles
        assert len(ours) == len(counted) == len(theirs.tiles) == 120 - len(held)
        assert counted.counts == tuple(map(ours.tiles.count, TILE_KINDS))


def test_a_bag_that_runs_short_gives_what_is_there() -> None:
    bag = open_bag(deal_key(bytes(32), [bytes(32)]))
    assert sorted(bag.tiles) == list(FULL_SET)
    nearly = bag.take(bag.peek(117))
    assert len(nearly.peek(6)) == len(nearly) == 3
    empty = nearly.take(nearly.peek(6))
    assert empty.peek(6) == empty.peek(0) == ()
    assert len(empty) == 0
    refilled = empty.put_back([TILE_KINDS[3], TILE_KINDS[0]])
    assert sorted(refilled.tiles) == [TILE_KINDS[0], TILE_KINDS[3]]


def test_only_the_tiles_that_come_can_be_taken() -> None:
    bag = open_bag(deal_key(bytes(32), [bytes(32)]))
    drawn = bag.peek(3)
    other = next(kind for kind in TILE_KINDS if kind != drawn[2])
    for wrong in (drawn[::-1], (*drawn[:2], other), bag.tiles[:3]):
        with pytest.raises(DrawMismatchError, match="do not follow"):
            bag.take(wrong)
    with pytest.raises(DrawMismatchError):
        bag.take(bag.peek(120) + drawn)


def test_a_counted_bag_gives_only_what_it_holds_and_keeps_its_order_to_itself() -> None:
    bag = CountedBag()
    assert len(bag) == 120
    assert bag.peek(0) == ()
    with pytest.raises(HiddenOrderError, match="hidden"):
        bag.peek(1)
    for kind in TILE_KINDS:
        assert len(bag.take([kind] * copies_of(kind))) == 120 - copies_of(kind)
        with pytest.raises(DrawMismatchError, match=f"no {kind} any more"):
            bag.take([kind] * (copies_of(kind) + 1))


@pytest.mark.parametrize("limit", [1, 2, 3, 120, 2**31 + 1, 3 * 2**30, 2**32 - 1, 2**32])
def test_words_above_the_last_whole_multiple_are_rejected(limit: int) -> None:
    key = hashlib.sha256(b"a key").digest()
    stream = shuffle.random_words(key)
    words = _Words(key, 0)
    used = 0
    for _ in range(40):
        while True:
            word = next(stream)
            used += 1
            if word < (2**32 // limit) * limit:
                break
        assert words.below(limit) == word % limit
        assert words.next == used
    if limit == 2**31 + 1:
        assert used > 60  # about every second word
    assert _Words(key, used).below(7) == words.below(7)


def test_every_part_of_the_secret_counts() -> None:
    plain = open_bag(deal_key(bytes(32), [bytes(32), bytes(32)]))
    for seed, nonces in [
        (b"\x01" + bytes(31), [bytes(32), bytes(32)]),
        (bytes(32), [bytes(31) + b"\x01", bytes(32)]),
        (bytes(32), [bytes(32), bytes(31) + b"\x01"]),
    ]:
        assert open_bag(deal_key(seed, nonces)) != plain
    assert isinstance(plain, ShuffledBag)
    assert deal_key(bytes(32), [b"\x01" * 32, bytes(32)]) != deal_key(
        bytes(32), [bytes(32), b"\x01" * 32]
    )
