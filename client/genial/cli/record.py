"""`genial record fetch|check|show`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from genial.cli.common import host_options, run, warn
from genial.cli.failure import Failure
from genial.cli.tree import GenialCommand


@click.group()
def record() -> None:
    """Fetch, check and show records of games."""


@record.command(cls=GenialCommand)
@click.argument("address")
@click.argument("game")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write it. [default: standard output]",
)
@host_options
def fetch(address: str, game: str, output: str | None, plaintext: bool) -> int:
    """Get the record of the finished GAME from the host at ADDRESS."""
    from genial.client.session import connect

    async def get() -> bytes:
        async with await connect(address) as link:
            return await link.get_record(game)

    content = run(get)
    if output is None or output == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
        return 0
    try:
        Path(output).write_bytes(content)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Failure(f"The record cannot be written to {output}: {reason}.") from error
    return 0


@record.command(cls=GenialCommand)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
def check(files: tuple[str, ...]) -> int:
    """Verify records down to the shuffle, from the files alone.

    One line for each: `ok FILE verified`, `ok FILE consistent, not verifiable`, or
    `FILE:LINE: what is wrong`. Exits 1 if any is faulty.
    """
    from genial.client.record_files import check_files, check_sentence
    from genial.engine.record import Verdict

    faulty = False
    for path, judgement in zip(files, check_files(files), strict=True):
        print(check_sentence(path, judgement))
        faulty = faulty or judgement.verdict is Verdict.FAULTY
    return 1 if faulty else 0


@record.command(cls=GenialCommand)
@click.argument("file")
def show(file: str) -> int:
    """Print the game of a record as text, with the board."""
    from genial.client.record_files import RecordFileError, open_record
    from genial.client.record_show import show_game
    from genial.client.replay import Replay

    try:
        opened = open_record(file)
    except RecordFileError as error:
        raise Failure(str(error)) from error
    if opened.reason:
        warn(f"{opened.verdict.value}: {opened.reason}.")
    print(show_game(opened, Replay.of(opened.record)), end="")
    return 0
