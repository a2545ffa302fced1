"""A host of games in a process of its own, with an rpc that does nothing beside it.

python -m tests.benchmarks.game_host FOLDER     prints its port, ends with its standard input
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import grpc

from tests.services.game.hosting import hosted

EMPTY = "/bench.Nothing/Empty"


async def _empty(request: bytes, context: object) -> bytes:
    return b""


async def main() -> None:
    async with hosted(Path(sys.argv[1]) / "host.db") as services:
        server = grpc.aio.server()
        empty: dict[str, Any] = {"Empty": grpc.unary_unary_rpc_method_handler(_empty)}
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


if __name__ == "__main__":
    asyncio.run(main())
