"""The full-screen client: the prompt_toolkit application around model, update and view.

    code = await run(session=session, invite="192.168.1.20")   # at a table
    code = await run(store=DiskStore())                        # at the list of tables

Everything belongs to the `Player` object: any number may live in one process and one
event loop, each with its own input and output.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from genial.client.asking import opened_message
from genial.client.doorkeeper import HostStarter, OwnHost
from genial.client.lesson_table import LessonTable
from genial.client.messages import Sit
from genial.client.player import Player
from genial.client.session import Session
from genial.client.settings import Settings
from genial.client.store import Store
from genial.client.trust import Access

if TYPE_CHECKING:
    from genial.client.record_files import OpenedRecord


__all__ = ["HostStarter", "OwnHost", "Player", "opened_message", "run", "run_replay"]


async def run(
    *,
    session: Session | None = None,
    addresses: Sequence[str] = (),
    first: Sit | None = None,
    store: Store | None = None,
    settings: Settings | None = None,
    settings_file: Path | None = None,
    name: str = "",
    invite: str = "",
    quit_warning: str = "",
    access: Access | None = None,
    strangers: Collection[str] = (),
    start_host: HostStarter | None = None,
    input: Input | None = None,
    output: Output | None = None,
) -> int:
    """Play on the full screen until the player leaves.

    Args:
        session: The table to sit at (or watch); None: the list of tables comes first.
        addresses: Hosts to ask for their tables at once, besides those that are found.
        first: The seat to take at once from the list, as far as passwords allow.
        store: Where seats are remembered; None: in memory alone.
        settings: How to look and behave; None: as saved in `settings_file`.
        settings_file: Where settings are kept; None: the user's own file.
        name: The player's name for this time; empty: as in the settings.
        invite: The address that a friend types; empty if unknown.
        quit_warning: A question to be asked before leaving (a host that would stay behind).
        access: How hosts are reached; one that is new is shown here, whatever it says.
        strangers: Certificates of hosts that were met a moment ago, not compared by anybody.
        start_host: Starts a host on this laptop for a table that is opened here; None:
            tables can be opened at hosts of the network only.
        input: Where keys come from; None: standard input.
        output: Where the screen goes; None: standard output.

    Returns:
        The exit code: 0.

    Raises:
        GenialError: The table that was given has ended, with the reason.
        Exception: A fault of our own; the terminal is as it was before.
    """
    player = Player(
        store=store,
        settings=settings,
        settings_file=settings_file,
        name=name,
        invite=invite,
        quit_warning=quit_warning,
        access=access,
        strangers=strangers,
        start_host=start_host,
        input=input,
        output=output,
    )
    with _ended_by_signals(player):
        return await player.run(session, addresses, first)


async def run_replay(
    opened: OpenedRecord,
    *,
    settings: Settings | None = None,
    settings_file: Path | None = None,
    input: Input | None = None,
    output: Output | None = None,
) -> int:
    """Step through a record on the full screen until the player leaves; see `run`."""
    player = Player(settings=settings, settings_file=settings_file, input=input, output=output)
    with _ended_by_signals(player):
        return await player.run_replay(opened)


async def run_lessons() -> int:
    """The tutorial on the full screen until the player leaves; see `run`."""
    player = Player()
    with _ended_by_signals(player):
        return await player.run(LessonTable(player.model.settings.name))


@contextmanager
def _ended_by_signals(player: Player) -> Iterator[None]:
    """While inside, SIGTERM and SIGHUP end the player in order, with the terminal restored."""
    loop = asyncio.get_running_loop()
    added: list[int] = []
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, player.stop)
        except (NotImplementedError, RuntimeError, ValueError):
            # Not on Windows, nor outside of the main thread: there nobody sends them.
            continue
        added.append(number)
    try:
        yield
    finally:
        for number in added:
            loop.remove_signal_handler(number)
