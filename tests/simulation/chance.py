"""Chance that can be repeated: every secret and every id of a run follows from its seed."""

from __future__ import annotations

import base64
import random
import secrets
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock


class Chance:
    """Sources of chance, one for each purpose, so that none disturbs another."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def source(self, purpose: str) -> random.Random:
        """The same again for the same purpose of the same seed."""
        return random.Random(f"{self._seed}/{purpose}")


@contextmanager
def repeatable(chance: Chance) -> Iterator[None]:
    """While entered, what the program takes from the operating system comes from `chance`."""
    source = chance.source("the operating system")

    def token_bytes(count: int | None = None) -> bytes:
        return source.randbytes(count or 32)

    def token_urlsafe(count: int | None = None) -> str:
        return base64.urlsafe_b64encode(token_bytes(count)).rstrip(b"=").decode()

    def uuid4() -> uuid.UUID:
        return uuid.UUID(bytes=source.randbytes(16), version=4)

    with (
        mock.patch.object(secrets, "token_bytes", token_bytes),
        mock.patch.object(secrets, "token_urlsafe", token_urlsafe),
        mock.patch.object(uuid, "uuid4", uuid4),
    ):
        yield
