"""`genial review`."""

from __future__ import annotations

import json
import sys

import click

from genial.cli.failure import Failure
from genial.cli.output import write_output
from genial.cli.tree import GenialCommand
from genial.client.text import _


@click.command(cls=GenialCommand)
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--svg", metavar="OUT", help="Write the curve as a picture (- is standard output).")
@click.option(
    "--theme",
    type=click.Choice(("dark", "light", "colour-blind")),
    default="dark",
    show_default=True,
    help="The picture's colours.",
)
@click.option(
    "--rollouts",
    type=click.IntRange(1, 100_000),
    metavar="N",
    help="How often each placement is tried; more is finer and slower. [default: 48]",
)
def review(file: str, as_json: bool, svg: str | None, theme: str, rollouts: int | None) -> int:
    """Look at a recorded game again: what each placement gave away, and why."""
    from genial.client.record_files import RecordFileError, open_record
    from genial.client.reviewing import review_record
    from genial.strategy.review import ROLLOUTS, Moment, Review

    try:
        opened = open_record(file)
    except RecordFileError as error:
        raise Failure(str(error)) from error
    found: Review | None = None
    with click.progressbar(
        review_record(opened.record, rollouts=rollouts or ROLLOUTS),
        length=sum(1 for _each in opened.record.events) // 2,
        file=sys.stderr,
        label=_("looking at every placement"),
    ) as steps:
        for step in steps:
            if not isinstance(step, Moment):
                found = step
    if found is None:
        raise Failure(_("{path} holds no game to look at.").format(path=file))
    if svg is not None:
        from genial.client.palette import Theme
        from genial.client.picture.review import review_svg

        write_output(svg, review_svg(found, Theme(theme)).encode())
        return 0
    if as_json:
        from genial.client.review_show import review_json

        click.echo(json.dumps(review_json(found), indent=1, ensure_ascii=False))
        return 0
    from genial.client.review_show import review_text

    click.echo(review_text(found), nl=False)
    return 0
