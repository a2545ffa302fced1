"""`genial learn`."""

from __future__ import annotations

import click

from genial.cli.common import plain_option, run_client
from genial.cli.failure import Failure
from genial.cli.tree import GenialCommand


@click.command(cls=GenialCommand)
@plain_option
def learn(plain: bool) -> int:
    """Learn the game in ten short steps, against an opponent who follows a script.

    It takes a terminal and a few minutes, and no network.
    """
    from genial.client.lines import can_draw
    from genial.client.text import _

    if plain or not can_draw():
        raise Failure(_("The tutorial needs a full screen; the command rules tells the rules."))

    from genial.client import app

    return run_client(app.run_lessons)
