"""A host of games in a process of its own, with rpcs beside it that do nothing.

python -m tests.services.game.host_process FOLDER     prints its port, ends with its standard input
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from tests.services.game.hosting import hosted

EMPTY = "/bench.Nothing/Empty"
STREAM = "/bench.Nothing/Stream"
"""Sends back what it was asked with, once, and then stands for good."""


async def _empty(request: bytes, context: object) -> bytes:
    return b""


async def _stream(request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
    await context.write(request)
    await asyncio.Event().wait()


async def main() -> None:
    async with hosted(Path(sys.argv[1]) / "host.db") as services:
        server = grpc.aio.server()
        empty: dict[str, Any] = {
            "Empty": grpc.unary_unary_rpc_method_handler(_empty),
            "Stream": grpc.unary_stream_rpc_method_handler(_stream),
        }
        server.add_generic_rpc_handlers(
            [
                *services.rpc_handlers(),
                grpc.method_handlers_generic_handler("bench.Nothing", empty),
            ]
        )
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        print(port, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        await server.stop(None)


@asynccontextmanager
async def in_a_process(folder: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, int]]:
    """Runs such a host on a folder; its process and its port."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.services.game.host_process",
        str(folder),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process, int(await process.stdout.readline())
    finally:
        process.stdin.close()
        await process.wait()


if __name__ == "__main__":
    asyncio.run(main())
