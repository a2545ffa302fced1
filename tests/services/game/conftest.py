"""A host's services with one room, `game-1`, where two sit."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from genial.services.game import GameServices
from tests.services.game.hosting import hosted, room_request


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[GameServices]:
    async with hosted(tmp_path / "host.db") as running:
        await running.rooms.create_room(room_request())
        yield running
