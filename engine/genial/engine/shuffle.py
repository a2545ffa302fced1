"""The verifiable bag (rules, section 9): seed and nonces in, a drawing order out."""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from genial.engine.tiles import FULL_SET, TILE_KINDS, Tile, copies_of

SCHEME: Final = "genial-shuffle/1"
_NONCE_SCHEME: Final = b"genial-nonce/1"
SECRET_BYTES: Final = 32
"""Length of seeds, nonces and their hashes."""

_WORDS: Final = struct.Struct(">8I")
_WORDS_PER_BLOCK: Final = 8
_WORD_RANGE: Final = 1 << 32


class DrawMismatchError(ValueError):
    """Tiles said to be drawn that the bag does not give."""


class HiddenOrderError(LookupError):
    """The order of this bag is not known, so nobody can look what comes next."""


def commitment(seed: bytes) -> bytes:
    """What the host shows before any nonce: SHA-256 over the scheme and its seed."""
    return hashlib.sha256(SCHEME.encode() + seed).digest()


def nonce_hash(nonce: bytes) -> bytes:
    """What a seat sends before it reveals its nonce."""
    return hashlib.sha256(_NONCE_SCHEME + nonce).digest()


def deal_key(seed: bytes, nonces: Iterable[bytes]) -> bytes:
    """The key of all random words of a deal: seed, then the nonces in seat order."""
    return hashlib.sha256(seed + b"".join(nonces)).digest()


class _Words:
    """The random words of a key, from a given word on."""

    def __init__(self, key: bytes, start: int) -> None:
        self._key = key
        self.next = start
        self._block: tuple[int, ...] = ()
        self._block_number = -1

    def below(self, limit: int) -> int:
        """The next word reduced to 0..limit-1 without bias."""
        accepted = _WORD_RANGE // limit * limit
        while True:
            number, place = divmod(self.next, _WORDS_PER_BLOCK)
            if number != self._block_number:
                digest = hmac.digest(self._key, number.to_bytes(8, "big"), "sha256")
                self._block = _WORDS.unpack(digest)
                self._block_number = number
            self.next += 1
            word = self._block[place]
            if word < accepted:
                return word % limit

    def shuffle(self, tiles: list[Tile]) -> None:
        """Fisher-Yates in place, from the last position down."""
        for i in range(len(tiles) - 1, 0, -1):
            j = self.below(i + 1)
            tiles[i], tiles[j] = tiles[j], tiles[i]


@dataclass(frozen=True, slots=True)
class ShuffledBag:
    """A bag whose order is known: draws come from the end of `tiles`.

    Attributes:
        tiles: What is inside, the next draw last.
        key: The deal's key.
        next_word: How many random words are used up.
    """

    tiles: tuple[Tile, ...]
    key: bytes
    next_word: int

    def __len__(self) -> int:
        """Tiles inside."""
        return len(self.tiles)

    def peek(self, count: int) -> tuple[Tile, ...]:
        """The next draws in drawing order; fewer where the bag is short."""
        return self.tiles[: -count - 1 : -1] if count else ()

    def take(self, drawn: Sequence[Tile]) -> ShuffledBag:
        """The bag after these draws.

        Raises:
            DrawMismatchError: The bag gives other tiles.
        """
        if self.peek(len(drawn)) != tuple(drawn):
            raise DrawMismatchError("these tiles do not follow from the shuffle")
        return ShuffledBag(self.tiles[: len(self.tiles) - len(drawn)], self.key, self.next_word)

    def put_back(self, tiles: Iterable[Tile]) -> ShuffledBag:
        """The bag after an exchange: tiles appended in canonical order, all shuffled again."""
        together = [*self.tiles, *sorted(tiles)]
        words = _Words(self.key, self.next_word)
        words.shuffle(together)
        return ShuffledBag(tuple(together), self.key, words.next)

    def first_seat(self, players: int) -> tuple[int, ShuffledBag]:
        """The first seat by chance, and the bag with that word used up."""
        words = _Words(self.key, self.next_word)
        seat = words.below(players)
        return seat, ShuffledBag(self.tiles, self.key, words.next)


_KIND_NUMBER: Final = {tile: number for number, tile in enumerate(TILE_KINDS)}


@dataclass(frozen=True, slots=True)
class CountedBag:
    """A bag of which only the contents are known, as for a reader without the seed.

    Attributes:
        counts: How many of each of the 21 kinds are inside, in canonical order.
    """

    counts: tuple[int, ...] = tuple(copies_of(tile) for tile in TILE_KINDS)

    def __len__(self) -> int:
        """Tiles inside."""
        return sum(self.counts)

    def peek(self, count: int) -> tuple[Tile, ...]:
        """Nobody knows.

        Raises:
            HiddenOrderError: Unless `count` is 0.
        """
        if count:
            raise HiddenOrderError("the order of this bag is hidden")
        return ()

    def take(self, drawn: Sequence[Tile]) -> CountedBag:
        """The bag without these tiles.

        Raises:
            DrawMismatchError: It does not hold them.
        """
        counts = list(self.counts)
        for tile in drawn:
            kind = _KIND_NUMBER[tile]
            if not counts[kind]:
                raise DrawMismatchError(f"the bag holds no {tile} any more")
            counts[kind] -= 1
        return CountedBag(tuple(counts))

    def put_back(self, tiles: Iterable[Tile]) -> CountedBag:
        """The bag with these tiles in it again."""
        counts = list(self.counts)
        for tile in tiles:
            counts[_KIND_NUMBER[tile]] += 1
        return CountedBag(tuple(counts))


Bag = ShuffledBag | CountedBag


@lru_cache(maxsize=8)
def open_bag(key: bytes) -> ShuffledBag:
    """The 120 tiles shuffled by a deal's key; a game is begun, gone back over and judged by it."""
    tiles = list(FULL_SET)
    words = _Words(key, 0)
    words.shuffle(tiles)
    return ShuffledBag(tuple(tiles), key, words.next)
