"""`genial arena`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from genial.cli.common import SecondsRange, chosen_rules, game_options
from genial.cli.failure import Failure
from genial.cli.tree import GenialCommand
from genial.client.text import _


@click.command(cls=GenialCommand)
@click.argument("levels", nargs=-1, required=True, metavar="LEVEL...")
@game_options
@click.option(
    "--games",
    type=click.IntRange(1, 1_000_000),
    help="How many, rounded up to whole deals. [default: 100]",
)
@click.option("--until-sure", is_flag=True, help="Play until it is sure who is better.")
@click.option("--seed", type=int, default=1, show_default=True, help="Deals follow from it.")
@click.option("--jobs", type=click.IntRange(1, 1024), help="Games at once. [default: all cores]")
@click.option(
    "--think",
    type=SecondsRange(0, 3600, min_open=True),
    metavar="SECONDS",
    help="Time for one move. [default: each level's own]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option(
    "--records",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep the record of every game there.",
)
@click.option("--cluster", metavar="ADDRESS", help="Play on a Dask cluster (genial-lan[cluster]).")
def arena(
    levels: tuple[str, ...],
    players: int | None,
    mode: str,
    preset: str,
    games: int | None,
    until_sure: bool,
    seed: int,
    jobs: int | None,
    think: float | None,
    as_json: bool,
    records: Path | None,
    cluster: str | None,
) -> int:
    """Let bots play bots, and say who is how strong.

    As many LEVELs as seats play each other; with fewer the last one takes the seats that are
    left, with more every choice of them plays. Every deal is played once for each rotation of
    the seats.
    """
    from genial.lab.arena import MOST_GAMES, Standing, run
    from genial.lab.workers import ClusterError, cluster_workers, local_workers
    from genial.strategy.arena import ArenaError, line_ups
    from genial.strategy.levels import UnknownLevelError

    if games is not None and until_sure:
        raise click.UsageError(_("Use --games or --until-sure, not both."))
    try:
        rules = chosen_rules(players, mode, preset)
        line_ups(levels, rules)
    except (ArenaError, UnknownLevelError) as error:
        raise click.UsageError(f"{error}.") from error
    count = None if until_sure else games or 100
    try:
        workers = local_workers(jobs) if cluster is None else cluster_workers(cluster)
        with click.progressbar(
            length=count or MOST_GAMES, file=sys.stderr, hidden=not sys.stderr.isatty()
        ) as bar:

            def told(standing: Standing) -> None:
                bar.update(1)

            standing = run(
                levels,
                rules,
                workers,
                games=count,
                seed=seed,
                seconds=think,
                records=records,
                told=told,
            )
    except (OSError, ClusterError) as error:
        raise Failure(f"{error}.") from error
    click.echo(json.dumps(standing.as_json(), indent=1) if as_json else standing.as_text())
    return 0
