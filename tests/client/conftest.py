"""What the tests of the client share."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.client.fakehost import FakeHost


@pytest.fixture
async def host() -> AsyncIterator[FakeHost]:
    """An honest host in this process."""
    host = FakeHost()
    await host.start()
    yield host
    await host.stop()
