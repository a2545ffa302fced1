"""A way for one machine's calls to come from another address: everything is passed on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def relay(port: int, source: str) -> AsyncIterator[int]:
    """Passes connections on to a port of 127.0.0.1, from `source` (127.0.0.2, say)."""
    writers: set[asyncio.StreamWriter] = set()
    passing: set[asyncio.Task[None] | None] = set()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        passing.add(asyncio.current_task())
        writers.add(writer)
        with suppress(OSError):
            far_reader, far_writer = await asyncio.open_connection(
                "127.0.0.1", port, local_addr=(source, 0)
            )
            writers.add(far_writer)
            await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))
        writer.close()

    server = await asyncio.start_server(pass_on, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for writer in writers:
            writer.transport.abort()
        await asyncio.gather(*(task for task in passing if task), return_exceptions=True)
