"""The laboratory's processes at the tests' own priority: low, they starve on a busy machine."""

from __future__ import annotations

from functools import partial

import pytest

from genial.lab import train, workers


@pytest.fixture(autouse=True)
def own_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the processes that commands start."""
    ready = partial(workers.local_workers, niceness=0)
    for module in (workers, train):
        monkeypatch.setattr(module, "local_workers", ready)
