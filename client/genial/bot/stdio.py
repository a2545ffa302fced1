"""Many seats in one process, commanded by JSON lines on standard input."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Final

from genial.bot.player import Outcome, Style, play_seat
from genial.bot.protocol import (
    MalformedLineError,
    ReleaseCommand,
    SeatCommand,
    done_report,
    parse_command,
    ready_report,
    seated_report,
)
from genial.bot.thinker import Thinker
from genial.client.session import (
    Access,
    GenialError,
    HostLink,
    HostUnreachableError,
    MemoryStore,
    NotFoundError,
    SeatError,
    connect,
    join,
)
from genial.strategy.levels import UnknownLevelError, level_named

_RETRY_SECONDS: Final = 1.0
"""Between two tries to reach a host; it goes on until the command is taken back."""

_log = logging.getLogger(__name__)

Place = tuple[str, int]
"""Table id and seat."""


class SeatKeeper:
    """Plays the seats that it is told to, each in a task of its own."""

    def __init__(self, thinker: Thinker, report: Callable[[str], None], pause: float) -> None:
        """Reports go to `report`, a line at a time; `pause` as in `Style`."""
        self._thinker = thinker
        self._report = report
        self._pause = pause
        self._seats: dict[Place, asyncio.Task[None]] = {}
        self._links: dict[str, asyncio.Task[HostLink]] = {}

    async def obey(self, command: SeatCommand | ReleaseCommand) -> None:
        """Carry out one command."""
        place = (command.table_id, command.seat)
        held = self._seats.pop(place, None)
        if held is not None:
            held.cancel()
            await asyncio.gather(held, return_exceptions=True)
        if isinstance(command, SeatCommand):
            task = asyncio.create_task(self._play(command))
            self._seats[place] = task
            task.add_done_callback(lambda _task: self._forget(place, task))
        elif held is not None:
            self._report(done_report(*place, "released"))

    async def close(self) -> None:
        """Leave every seat as a lost connection would."""
        tasks = list(self._seats.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _forget(self, place: Place, task: asyncio.Task[None]) -> None:
        if self._seats.get(place) is task:
            del self._seats[place]
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("seat %s of table %s", place[1], place[0], exc_info=error)
            self._report(done_report(*place, Outcome.FAILED, f"a fault of the bot: {error!r}"))

    async def _play(self, command: SeatCommand) -> None:
        place = (command.table_id, command.seat)
        try:
            level_named(command.level)
        except UnknownLevelError as error:
            self._report(done_report(*place, Outcome.FAILED, f"{error}"))
            return
        while True:
            try:
                link = await self._link(command)
                session = await join(
                    link,
                    command.table_id,
                    name=command.name,
                    seat=command.seat,
                    token=command.token,
                    bot_level=command.level,
                    keep_records=False,
                )
                break
            except HostUnreachableError as error:
                _log.info("%s", error.sentence)
                self._links.pop(command.address, None)
                await asyncio.sleep(_RETRY_SECONDS)
            except (SeatError, NotFoundError) as error:
                self._report(done_report(*place, Outcome.LOST, error.sentence))
                return
            except GenialError as error:
                self._report(done_report(*place, Outcome.FAILED, error.sentence))
                return
        self._report(seated_report(*place))
        done = await play_seat(session, Style(command.level, pause=self._pause), self._thinker)
        self._report(done_report(*place, done.outcome, done.message))

    async def _link(self, command: SeatCommand) -> HostLink:
        """The line to a host, shared by all its seats."""
        opening = self._links.get(command.address)
        if opening is None or (opening.done() and opening.exception() is not None):
            access = Access(
                plaintext=not command.fingerprint,
                fingerprint=command.fingerprint or None,
                password=command.password or None,
            )
            opening = asyncio.create_task(
                connect(command.address, store=MemoryStore(), access=access)
            )
            self._links[command.address] = opening
        # One seat that is released must not cancel the line of the others.
        return await asyncio.shield(opening)


async def serve(
    lines: asyncio.Queue[str | None], report: Callable[[str], None], *, pause: float
) -> None:
    """Obey command lines until None comes."""
    thinker = Thinker()
    keeper = SeatKeeper(thinker, report, pause)
    warming = asyncio.create_task(thinker.warm_up())
    report(ready_report())
    try:
        while (line := await lines.get()) is not None:
            try:
                command = parse_command(line)
            except MalformedLineError as error:
                _log.warning("ignored: %s", error)
                continue
            if command is not None:
                await keeper.obey(command)
    finally:
        await asyncio.gather(warming, return_exceptions=True)
        await keeper.close()
        thinker.close()


def write_report(line: str) -> None:
    """One report to standard output, at once."""
    sys.stdout.write(line)
    sys.stdout.flush()


def run(source: Iterable[str] | None = None, *, pause: float) -> None:
    """Serve standard input (or another source of lines) until it ends."""

    async def main() -> None:
        lines: asyncio.Queue[str | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def read() -> None:
            # A thread, since Windows cannot wait for pipes in the event loop.
            for line in source if source is not None else sys.stdin:
                if line.strip():
                    loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, None)

        threading.Thread(target=read, daemon=True).start()
        await serve(lines, write_report, pause=pause)

    asyncio.run(main())
