"""`genial play`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from genial.cli.common import (
    chosen_rules,
    game_options,
    is_unknown,
    name_option,
    parse_levels,
    plain_option,
    player_name,
    run_client,
    says_yes,
    table_options,
)
from genial.cli.tree import GenialCommand
from genial.client.text import _

if TYPE_CHECKING:
    from genial.v1.game_pb2 import Clock

DEFAULT_BOTS = "medium"


@click.command(cls=GenialCommand)
@game_options
@click.option(
    "--bots",
    metavar="LEVEL,…",
    help="Bots to seat, or none; seats left open are for friends. [default: medium]",
)
@table_options
@name_option
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    metavar="P",
    help="Where friends connect to. [default: 7718, or a free one if that is busy]",
)
@click.option("--no-announce", is_flag=True, help="Do not announce the game on the network.")
@plain_option
@click.option("--plaintext", is_flag=True, help="Without encryption.")
def play(
    players: int | None,
    mode: str,
    preset: str,
    bots: str | None,
    partners_talk: bool,
    clock: Clock | None,
    name: str | None,
    port: int | None,
    no_announce: bool,
    plain: bool,
    plaintext: bool,
) -> int:
    """Play on this laptop: a host, bots, and your own client, all at once.

    Without options: a game for two against a bot, which begins right away. Friends on the
    same network join with `genial join`. If friends are seated when you quit, you are asked
    first, and the host stays until their game ends. A game that you left goes on, unless the
    options say another game or another name.
    """
    from genial.cli.learn import teach
    from genial.cli.playing import Wanted, play_here
    from genial.client.lines import are_terminals, can_draw, say

    rules = chosen_rules(players, mode, preset, partners_talk=partners_talk)
    levels = parse_levels(DEFAULT_BOTS if bots is None and rules.players > 1 else bots)
    if len(levels) >= rules.players and levels:
        raise click.UsageError(
            _(
                "{bots} bots leave no seat for you among {seats}; `genial create` opens a table"
                " for bots alone."
            ).format(bots=len(levels), seats=rules.players)
        )
    terminal = are_terminals()
    screen = can_draw() and not plain
    first_time = name is None and is_unknown()
    chosen, named = player_name(name, may_ask=terminal)
    if first_time and screen and _wants_lessons():
        teach(plain=False)
    elif first_time and terminal:
        say(_("New to the game? genial learn --plain teaches it in ten short lessons."))
    wanted = Wanted(
        rules,
        clock,
        tuple(levels),
        chosen,
        port,
        not no_announce,
        plaintext,
        rules_given=players is not None or mode != "free" or preset != "genial",
        name_given=named,
    )
    return run_client(lambda: play_here(wanted, screen=screen, terminal=terminal))


def _wants_lessons() -> bool:
    return says_yes(_("New to the game? Ten short lessons first"))
