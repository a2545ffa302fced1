"""What `genial play` does: starts a host beside itself, opens a table there, and plays."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from genial.cli.common import says_yes
from genial.cli.crash import log_dir
from genial.cli.failure import Failure
from genial.cli.host import default_data_dir
from genial.cli.play_terms import STOP, PlayHost, Ready, noted_running, others_play
from genial.client.lines import LineReader, say, yes
from genial.client.session import (
    Access,
    DiskStore,
    GenialError,
    HostLink,
    RefusedError,
    Session,
    connect,
    join,
)
from genial.client.text import _
from genial.engine.rules import Rules
from genial.v1.game_pb2 import Clock, SeatKind
from genial.v1.table_pb2 import FirstSeat, Table, TableOptions, TableState
from genial.wire.announcement import DEFAULT_PORT
from genial.wire.values import rules_to_message

if TYPE_CHECKING:
    from genial.client.app import OwnHost

START_SECONDS: Final = 60.0
"""A slow laptop with a cold disk may take long to import everything."""
_FAREWELL_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the person asked for.

    Attributes:
        rules_given: Options said which game; one of other rules that was left does not do.
        name_given: An option said the name; a seat of somebody else's does not do.
    """

    rules: Rules
    clock: Clock | None
    levels: tuple[str, ...]
    name: str
    port: int | None
    announce: bool
    plaintext: bool
    rules_given: bool = False
    name_given: bool = False


async def play_here(wanted: Wanted, *, screen: bool, terminal: bool) -> int:
    """Plays until the person leaves.

    Args:
        wanted: The game.
        screen: On the full screen, else in lines of text.
        terminal: Whether a person sits there, who can be asked.

    Raises:
        Failure: The host cannot be started.
    """
    store = DiskStore()
    async with AsyncExitStack() as stack:
        found = await _left_running(stack, store)
        if found is not None:
            host, link = found
        else:
            host = await stack.enter_async_context(_host_beside(wanted))
            link = await connect(f"127.0.0.1:{host.port}", store=store, access=host.access)
            await stack.enter_async_context(link)
        session = await _sit(link, wanted, may_ask=terminal)
        # Whatever goes wrong below: streams that outlive their channel crash gRPC.
        stack.push_async_callback(session.close)
        if screen:
            from genial.client import app

            await _get_ready(session)
            code = await app.run(
                session=session,
                store=store,
                name=wanted.name,
                invite=host.invite,
                quit_warning=_warning(),
                access=host.access,
            )
        else:
            code = await _play_plain(session, host.invite, terminal)
        host.stays = await _is_needed(link, session)
        if host.stays:
            say(_("The host stays until the others' game ends."))
        return code


@asynccontextmanager
async def host_on_demand(*, plaintext: bool) -> AsyncIterator[Callable[[], Awaitable[OwnHost]]]:
    """How the screen starts a host beside itself, for a table that is opened from the list.

    Afterwards the host finds out for itself whether somebody still plays there.
    """
    from genial.client.app import OwnHost

    async with AsyncExitStack() as stack:

        async def start() -> OwnHost:
            wanted = Wanted(Rules(), None, (), "", None, announce=True, plaintext=plaintext)
            host = await stack.enter_async_context(_host_beside(wanted))
            host.stays = True
            return OwnHost(f"127.0.0.1:{host.port}", host.invite, host.access)

        yield start


async def _play_plain(session: Session, invite: str, terminal: bool) -> int:
    from genial.client.plain import run_plain
    from genial.client.plain_settings import PlainSettings

    reader = LineReader()

    async def may_quit() -> bool:
        if not terminal or not _others_seated(session):
            return True
        return await yes(reader, _warning())

    say(_("A friend joins with: genial join {address}").format(address=invite))
    settings = PlainSettings(person=terminal)
    error = await run_plain(session, reader, may_quit=may_quit, settings=settings)
    if error is not None:
        raise Failure(error.sentence)
    return 0


def _warning() -> str:
    return _("Others are seated; the host stays until their game ends. Quit?")


def _others_seated(session: Session) -> bool:
    return session.table.state in (
        TableState.TABLE_STATE_DEALING,
        TableState.TABLE_STATE_ACTIVE,
    ) and any(
        seat.kind == SeatKind.SEAT_KIND_HUMAN and seat.connected and seat.seat != session.seat
        for seat in session.table.seats
    )


async def _is_needed(link: HostLink, session: Session) -> bool:
    """Whether somebody else plays at the host; the own seat may be noticed as left too late."""
    try:
        tables = await link.list_tables()
    except GenialError:
        return False
    for table in tables:
        if table.table_id == session.table_id and session.seat is not None:
            table.seats[session.seat].connected = False
    return others_play(tables)


async def _left_running(stack: AsyncExitStack, store: DiskStore) -> tuple[_Beside, HostLink] | None:
    """A host of before that runs on, with a game that is ours to go back to.

    It stays for the others' game, or has not noticed yet that our client is gone.
    """
    for ready in noted_running(default_data_dir("play")):
        host = _Beside(ready)
        try:
            link = await connect(f"127.0.0.1:{ready.port}", store=store, access=host.access)
            await stack.enter_async_context(link)
            if link.host.host_id == ready.host_id and await _own_game(link) is not None:
                return host, link
        except GenialError:
            continue  # It has ended since, or something else listens there now.
    return None


async def _own_game(
    link: HostLink, wanted: Wanted | None = None, state: int = TableState.TABLE_STATE_ACTIVE
) -> tuple[str, str] | None:
    """The table of a running game that we have a seat in, and our name there; None: none.

    One that is not what is wanted does not count; `wanted` None: any. With another `state`, a
    table in that state.
    """
    held = {
        seat.table_id: seat.name
        for seat in link.seats_held()
        if not seat.in_use and (wanted is None or not wanted.name_given or seat.name == wanted.name)
    }
    rules = None
    if wanted is not None and wanted.rules_given:
        rules = rules_to_message(wanted.rules)
    for table in await link.list_tables():
        if rules is not None and table.options.rules != rules:
            continue
        if table.table_id in held and table.state == state:
            return table.table_id, held[table.table_id]
    return None


async def _sit(link: HostLink, wanted: Wanted, *, may_ask: bool) -> Session:
    """Back to a game that was left, to a table put away if the person likes, or at a new one."""
    own = await _own_game(link, wanted)
    if own is None:
        own = await _own_game(link, wanted, TableState.TABLE_STATE_SHELVED)
        question = _("You have a table that was put away. Go on there?")
        # A script cannot be asked, and a table put away waits for its people's word.
        if own is not None and not (may_ask and says_yes(question)):
            own = None
    if own is not None:
        table_id, name = own
        return await join(link, table_id, name=name)
    options = TableOptions(
        rules=rules_to_message(wanted.rules), first=FirstSeat(named=0), clock=wanted.clock
    )
    opened: Table = await link.create_table(options, bot_levels=wanted.levels)
    return await join(link, opened.table_id, name=wanted.name, seat=0)


async def _get_ready(session: Session) -> None:
    if session.table.state != TableState.TABLE_STATE_OPEN:
        return
    try:
        await session.set_ready()
    except RefusedError:
        # The game has begun meanwhile, which is what was wanted.
        if session.table.state == TableState.TABLE_STATE_OPEN:
            raise


def _shortened(address: str) -> str:
    """Without the usual port, which nobody needs to type."""
    return address.removesuffix(f":{DEFAULT_PORT}")


class _Beside:
    """A host in a process of its own.

    Attributes:
        port: Where it listens on this machine.
        invite: What friends type.
        access: How the client reaches it.
        stays: Whether it is to stay when the client goes, for the others' game.
    """

    def __init__(self, ready: Ready) -> None:
        self.port = ready.port
        self.invite = _shortened(ready.address)
        self.access = Access(plaintext=ready.fingerprint is None, fingerprint=ready.fingerprint)
        self.stays = False


@asynccontextmanager
async def _host_beside(wanted: Wanted) -> AsyncIterator[_Beside]:
    """Starts the host and, unless it is to stay, ends it.

    A fault in between leaves it to find out for itself whether it is still needed.

    Raises:
        Failure: It cannot be started.
    """
    arguments = PlayHost(
        name="",
        port=wanted.port,
        announce=wanted.announce,
        plaintext=wanted.plaintext,
        data=str(default_data_dir("play")),
        log=str(log_dir() / "play-host.log"),
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "genial.cli.play_host",
        arguments.to_argument(),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        # Ctrl-C and a closed terminal window are for the client alone; the host follows
        # the end of its input.
        start_new_session=sys.platform != "win32",
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )
    assert process.stdin is not None
    try:
        beside = _Beside(await _first_words(process, arguments.log))
        yield beside
        if not beside.stays:
            process.stdin.write(STOP)
    finally:
        process.stdin.close()
    if not beside.stays:
        await _wait_or_kill(process)


async def _first_words(process: asyncio.subprocess.Process, log: str) -> Ready:
    assert process.stdout is not None
    line = b""
    try:
        async with asyncio.timeout(START_SECONDS):
            line = await process.stdout.readline()
        return Ready.of_text(line)
    except (TimeoutError, ValueError):
        raise Failure(
            _problem(line) or _("The host did not start; {log} tells why.").format(log=log)
        ) from None


def _problem(line: bytes) -> str:
    """What a host says instead of being ready; empty when it said nothing."""
    try:
        told = json.loads(line)
    except ValueError:
        return ""
    return str(told.get("error", "")) if isinstance(told, dict) else ""


async def _wait_or_kill(process: asyncio.subprocess.Process) -> None:
    try:
        async with asyncio.timeout(_FAREWELL_SECONDS):
            await process.wait()
    except TimeoutError:
        # It may end by itself at this very moment.
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
