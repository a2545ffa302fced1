"""The verifiable bag of section 9 of the rules, written from that section alone.

Nothing but `hashlib` and `hmac` is used. Secrets (the seed, the nonces) are 32 raw bytes here;
the game record writes them as 64 lower-case hexadecimal digits.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence

LETTERS = "RGBOYP"
"""The six symbols in canonical order."""

SCHEME = "genial-shuffle/1"
"""The name of this scheme, as the record's header carries it."""


def standard_tiles() -> list[str]:
    """The 120 tiles in canonical order: `RR` five times, `RG` six times, ... `PP` five times."""
    tiles: list[str] = []
    for i, first in enumerate(LETTERS):
        for second in LETTERS[i:]:
            tiles += [first + second] * (5 if first == second else 6)
    return tiles


def canonical_order(tiles: Iterable[str]) -> list[str]:
    """The tiles sorted by first letter, then second, in the order R G B O Y P."""
    return sorted(tiles, key=lambda tile: (LETTERS.index(tile[0]), LETTERS.index(tile[1])))


def commitment_of(seed: bytes) -> str:
    """What the host shows before the nonces: 64 hexadecimal digits."""
    return hashlib.sha256(b"genial-shuffle/1" + seed).hexdigest()


def nonce_hash_of(nonce: bytes) -> str:
    """What a seat shows before its nonce: 64 hexadecimal digits."""
    return hashlib.sha256(b"genial-nonce/1" + nonce).hexdigest()


def random_words(key: bytes) -> Iterator[int]:
    """The endless stream of 32-bit words that a 32-byte key gives."""
    block_number = 0
    while True:
        block = hmac.new(key, block_number.to_bytes(8, "big"), hashlib.sha256).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        block_number += 1


class Bag:
    """The bag as seed and nonces fix it.

    `tiles` is what is left, the next tile to be drawn *last*. With `chance` the first seat is
    drawn right after the first shuffle, and stands in `first_seat`; without, that is None.
    """

    def __init__(self, seed: bytes, nonces: Sequence[bytes], *, chance: bool) -> None:
        self._words = random_words(hashlib.sha256(seed + b"".join(nonces)).digest())
        self.tiles = standard_tiles()
        self._shuffle()
        self.first_seat: int | None = self._below(len(nonces)) if chance else None

    def _below(self, n: int) -> int:
        while True:
            word = next(self._words)
            if word < (2**32 // n) * n:
                return word % n

    def _shuffle(self) -> None:
        for i in range(len(self.tiles) - 1, 0, -1):
            j = self._below(i + 1)
            self.tiles[i], self.tiles[j] = self.tiles[j], self.tiles[i]

    def draw(self, count: int) -> list[str]:
        """Take up to `count` tiles, in drawing order; fewer when the bag runs out."""
        return [self.tiles.pop() for _ in range(min(count, len(self.tiles)))]

    def put_back(self, returned: Iterable[str]) -> None:
        """Append the tiles given back in an exchange, in canonical order, and shuffle it all."""
        self.tiles += canonical_order(returned)
        self._shuffle()
