"""The host behind `genial play`, in a process of its own.

    python -m genial.cli.play_host SETTINGS      SETTINGS: see `PlayHost`, as JSON

Tells one JSON object on standard output when it accepts calls: see `Ready`; or
{"error": sentence}. Its standard input is a pipe from the player's client: a line `stop`
ends it; once the pipe ends without that, it stays for exactly as long as somebody else
still plays at one of its tables.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from genial.cli.play_terms import (
    STOP,
    UNDER_WAY,
    PlayHost,
    Ready,
    data_folders,
    note_running,
    others_play,
    owner_is_back,
)
from genial.client.session import Access, GenialError, connect
from genial.services.config import LogConfig
from genial.services.host import HostReady, run_host
from genial.services.logs import set_up
from genial.services.settings import HostError, HostSettings
from genial.services.store import DatabaseBusyError
from genial.wire.announcement import DEFAULT_PORT

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 2.0
"""Between two looks at who still plays."""
ABSENCE_SECONDS: Final = 20.0
"""How long nobody may be connected before the host ends: a line may be lost for a while."""


def main() -> int:
    """Runs the host; returns the exit code."""
    wanted = PlayHost(**json.loads(sys.argv[1]))
    try:
        set_up(LogConfig(file=Path(wanted.log)))
        asyncio.run(_run(wanted))
    except HostError as error:
        return _failed(str(error))
    except OSError as error:
        # Of the log or the data: there may be nowhere else to tell it.
        log.exception("the host has failed")
        place = f": {error.filename}" if error.filename else ""
        return _failed(f"The host did not start: {error.strerror}{place}.")
    return 0


def _failed(sentence: str) -> int:
    print(json.dumps({"error": sentence}), flush=True)
    return 1


async def _run(wanted: PlayHost) -> None:
    stop = asyncio.Event()
    keepers: list[asyncio.Task[None]] = []

    def accepts(data: Path, host: HostReady) -> None:
        ready = Ready(host.host_id, host.port, host.address, host.fingerprint)
        try:
            note_running(data, ready)
        except OSError as error:
            log.warning("a client that crashes will not find its way back: %s", error)
        print(ready.to_text(), flush=True)
        keepers.append(asyncio.create_task(_stay_while_needed(host, stop)))

    settings = HostSettings(
        data=Path(wanted.data),
        name=wanted.name,
        port=DEFAULT_PORT if wanted.port is None else wanted.port,
        announce=wanted.announce,
        plaintext=wanted.plaintext,
        returning=False,
    )
    try:
        await _run_somewhere(settings, accepts, stop, may_move=wanted.port is None)
    finally:
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)


async def _run_somewhere(
    settings: HostSettings,
    accepts: Callable[[Path, HostReady], None],
    stop: asyncio.Event,
    *,
    may_move: bool,
) -> None:
    """Runs the host, with other data if a host of ours still uses these, or on a free port."""
    folders = iter(data_folders(settings.data))
    data = next(folders)
    while True:
        settings = replace(settings, data=data)
        try:
            await run_host(settings, partial(accepts, data), stop=stop)
        except HostError as error:
            busy = isinstance(error.__cause__, DatabaseBusyError)
            other = next(folders, None) if busy else None
            if other is not None:
                data = other
            elif may_move and settings.port and not busy:
                settings = replace(settings, port=0)
            else:
                raise
        else:
            note_running(data, None)
            return


async def _stay_while_needed(host: HostReady, stop: asyncio.Event) -> None:
    """Ends the host once the client is gone and nobody else plays here any more."""
    try:
        if await _last_words() != STOP:
            await _others_done(host)
    finally:
        # Whatever goes wrong in looking: a host that nobody knows of must not run for ever.
        stop.set()


async def _others_done(host: HostReady) -> None:
    """Returns once nobody is connected to a game under way, nor its owner to a table."""
    loop = asyncio.get_running_loop()
    needed = loop.time()
    access = Access(plaintext=host.fingerprint is None, fingerprint=host.fingerprint)
    try:
        async with await connect(f"127.0.0.1:{host.port}", access=access) as link:
            while loop.time() - needed < ABSENCE_SECONDS:
                # First of all, the own client's line has to be noticed as gone.
                await asyncio.sleep(LOOK_SECONDS)
                tables = await link.list_tables()
                if owner_is_back(tables) or others_play(tables):
                    needed = loop.time()
                elif not any(table.state in UNDER_WAY for table in tables):
                    break
    except GenialError:
        pass  # A host that does not answer itself is of no use to anybody either.


async def _last_words() -> bytes:
    """Everything that comes by standard input until it ends; a `stop` ends it at once."""
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[bytes] = loop.create_future()

    def read() -> None:
        words = b""
        try:
            while words != STOP and (chunk := os.read(0, 1024)):
                words += chunk
        except OSError:
            pass  # A pipe that broke has ended as well.
        try:
            loop.call_soon_threadsafe(_resolve, heard, words)
        except RuntimeError:
            return  # The host has ended before.

    threading.Thread(target=read, name="standard input", daemon=True).start()
    return await heard


def _resolve(future: asyncio.Future[bytes], value: bytes) -> None:
    if not future.done():
        future.set_result(value)


if __name__ == "__main__":
    sys.exit(main())
