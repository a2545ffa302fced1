"""The ways to start a bot process."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys

from genial.bot import stdio
from genial.bot.player import Done, Outcome, Style, play_seat
from genial.bot.thinker import Thinker
from genial.client.session import Access, GenialError, Store, connect, join
from genial.strategy.levels import DEFAULT, SHOWN, level_named


async def play_single(
    address: str,
    table_id: str,
    *,
    level: str = DEFAULT,
    think: float | None = None,
    name: str = "",
    store: Store | None = None,
    access: Access | None = None,
) -> Done:
    """Take a seat of one table and play it until the table is finished.

    Args:
        address: As typed: `host`, `host:port`, a host's id or its announced name.
        table_id: Which table.
        level: Name of the level.
        think: Seconds to think about a move; None: the level's own.
        name: The bot's name at the table; empty: its level, capitalised.
        store: Where the seat's token is kept, so that a bot started again gets its seat
            back; None: nowhere.
        access: How the host is reached; see `connect`.

    Raises:
        GenialError: The host or the seat cannot be had.
        UnknownLevelError: There is no such level.
    """
    level_named(level)
    link = await connect(address, store=store, access=access)
    thinker = Thinker(workers=1)
    try:
        warming = asyncio.create_task(thinker.warm_up())
        session = await join(
            link,
            table_id,
            name=name or level.replace("/", " ").capitalize(),
            bot_level=level,
            keep_records=False,
        )
        await warming
        return await play_seat(session, Style(level, think), thinker)
    finally:
        thinker.close()
        await link.close()


def run_single(
    address: str,
    table_id: str,
    *,
    level: str = DEFAULT,
    think: float | None = None,
    name: str = "",
    store: Store | None = None,
    access: Access | None = None,
) -> int:
    """`genial bot`: as `play_single`, with its own event loop.

    Returns:
        The exit code: 0 when the table is finished, else 1 (one line on standard error says
        why).

    Raises:
        UnknownLevelError: There is no such level (a usage error, for the caller to word).
    """
    try:
        done = asyncio.run(
            play_single(
                address,
                table_id,
                level=level,
                think=think,
                name=name,
                store=store,
                access=access,
            )
        )
    except GenialError as error:
        done = Done(Outcome.FAILED, error.sentence)
    except KeyboardInterrupt:
        return 1
    if done.outcome is Outcome.FINISHED:
        return 0
    print(f"genial bot: {done.message}", file=sys.stderr)
    return 1


def levels_json() -> str:
    """The levels for people as one JSON document: name and description of each."""
    return json.dumps(
        [{"level": level.name, "description": level.description} for level in SHOWN],
        ensure_ascii=False,
    )


def main() -> int:
    """`python -m genial.bot`, as the bots service starts it; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m genial.bot", description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--stdio", action="store_true", help="obey commands on standard input")
    what.add_argument("--levels", action="store_true", help="print the levels as JSON and stop")
    parser.add_argument(
        "--pause",
        type=float,
        default=Style(DEFAULT).pause,
        help="seconds that a move takes at least while people play (default: %(default)s)",
    )
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    if options.levels:
        print(levels_json())
        return 0
    stdio.run(pause=options.pause)
    return 0
