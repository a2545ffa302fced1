"""`genial learn`."""

from __future__ import annotations

import click

from genial.cli.common import plain_option, run_client
from genial.cli.tree import GenialCommand


@click.command(cls=GenialCommand)
@plain_option
def learn(plain: bool) -> int:
    """Learn the game in ten short steps, against an opponent who follows a script.

    It takes a few minutes and no network.
    """
    from genial.client.lines import can_draw

    return teach(plain=plain or not can_draw())


def teach(*, plain: bool) -> int:
    """Runs the lessons, in lines of text or on the full screen; returns the exit code."""
    if plain:
        return run_client(_learn_plain)

    from genial.client import app

    return run_client(app.run_lessons)


async def _learn_plain() -> int:
    from genial.client.lines import LineReader, are_terminals
    from genial.client.places import settings_path
    from genial.client.plain_lessons import run_plain_lessons
    from genial.client.plain_settings import PlainSettings
    from genial.client.settings import load_settings

    name = load_settings(settings_path())[0].name
    await run_plain_lessons(LineReader(), PlainSettings(person=are_terminals()), name)
    return 0
