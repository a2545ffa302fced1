"""`genial record fetch|check|show`."""

from __future__ import annotations

import click

from genial.cli.access import AccessOptions, host_options
from genial.cli.common import run
from genial.cli.failure import Failure
from genial.cli.output import write_output
from genial.cli.tree import GenialCommand, GenialGroup


@click.group(cls=GenialGroup)
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
def fetch(address: str, game: str, output: str | None, access: AccessOptions) -> int:
    """Get the record of the finished GAME from the host at ADDRESS."""
    from genial.client.session import connect

    async def get() -> bytes:
        async with await connect(address, access=access.make()) as link:
            return await link.get_record(game)

    content = run(get)
    write_output("-" if output is None else output, content)
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
@click.option(
    "--after",
    type=click.IntRange(min=0),
    metavar="N",
    help="The position after event N instead of the whole game; 0 is the start.",
)
@click.option(
    "--svg",
    metavar="OUT",
    help="Write a picture instead: the board, and the race of the tracks (- is standard output).",
)
@click.option(
    "--theme",
    type=click.Choice(("dark", "light", "colour-blind")),
    default="dark",
    show_default=True,
    help="The picture's colours.",
)
def show(file: str, after: int | None, svg: str | None, theme: str) -> int:
    """Print the game of a record as text, with the board, or draw it."""
    from genial.client.record_files import RecordFileError, open_record
    from genial.client.replay import NoSuchEventError, Replay

    try:
        opened = open_record(file)
        game = Replay.of(opened.record)
        at = None if after is None else game.place_of(after)
    except (RecordFileError, NoSuchEventError) as error:
        raise Failure(str(error)) from error
    if svg is not None:
        from genial.client.palette import Theme
        from genial.client.picture.record import record_svg

        write_output(svg, record_svg(opened, game, at, Theme(theme)).encode())
        return 0
    from genial.client.record_show import show_game, show_position

    text = show_game(opened, game) if at is None else show_position(game, at)
    print(text, end="")
    return 0
