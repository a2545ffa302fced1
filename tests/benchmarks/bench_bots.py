"""What thinking bots do to their host."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from time import perf_counter

from genial.client.session import Access, GameChanged, connect, watch
from genial.services.host import Host
from genial.services.settings import HostSettings
from genial.v1.game_pb2 import LEAVING_BOT, MODE_FREE, PRESET_GENIAL, Rules
from genial.v1.table_pb2 import TableOptions
from tests.benchmarks.run import Bench

_STEP = 0.005
_SECONDS = 6.0


async def lateness(seconds: float) -> float:
    """The 99th percentile of how late this event loop wakes up, in seconds."""
    late: list[float] = []
    ends = perf_counter() + seconds
    while (due := perf_counter() + _STEP) < ends:
        await asyncio.sleep(_STEP)
        late.append(perf_counter() - due)
    return sorted(late)[int(0.99 * len(late))]


async def _ratio(folder: Path) -> float:
    host = Host(HostSettings(folder, bind="127.0.0.1", port=0, announce=False, plaintext=True))
    try:
        ready = await host.start()
        address = f"127.0.0.1:{ready.port}"
        link = await connect(address, access=Access(plaintext=True))
        idle = await lateness(_SECONDS)
        rules = Rules(preset=PRESET_GENIAL, mode=MODE_FREE, players=4, leaving=LEAVING_BOT)
        options = TableOptions(rules=rules)
        table = await link.create_table(options, bot_levels=["expert"] * 4)
        session = await watch(link, table.table_id)
        async for update in session.updates():
            if isinstance(update, GameChanged) and update.revision > 6:
                break
        thinking = await lateness(_SECONDS)
        if session.game is None or session.game.view.is_over:
            raise RuntimeError("the game ended while the lateness was measured")
        await session.close()
        await link.close()
    finally:
        await host.close()
    return thinking / idle


def lateness_ratio() -> float:
    """Event-loop lateness of a host while four experts think, over that of an idle one; p99."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_ratio(Path(folder)))


BENCHES = [
    Bench(
        "thinking-bots",
        "the host's event-loop lateness (p99), four experts thinking over idle",
        2,
        False,
        lateness_ratio,
    ),
]
