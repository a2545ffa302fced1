"""Golden screens show times of day: everybody's clock stands in UTC."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from genial.client import finder
from tests.client.test_finder import Air


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def air(monkeypatch: pytest.MonkeyPatch) -> Air:
    """What the list finds by itself: nothing, unless a test says so."""
    air = Air()
    monkeypatch.setattr(finder, "Browser", air)
    return air
