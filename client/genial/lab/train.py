"""Makes the models of the evaluation anew: self-play, fit, again; seeded. `make train` runs it.

    python -m genial.lab.train                       every kind of game, as shipped
    python -m genial.lab.train free-2 --games 500    one kind, fewer games

Each generation plays games with the model of the generation before and fits a new network to them;
the linear part stays the frozen reference's (solitaire: the counters themselves). A tenth of the
games is held out: what the model says of those is printed and written into the model's file. Under
one seed, set of arguments and version of numpy the result is the same whatever the number of jobs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Final

import click
import numpy as np

from genial.engine.rules import Mode, Rules
from genial.lab.fit import (
    Floats,
    Samples,
    apply_linear,
    apply_network,
    fit_chances,
    fit_network,
    fit_values,
    log_loss,
    sigmoid,
)
from genial.lab.workers import Workers, cluster_workers, in_order, local_workers
from genial.strategy import models
from genial.strategy.evaluation import FEATURES, GROUPS, KNOTS, Curve, Evaluation, Model, model_key
from genial.strategy.models import reference
from genial.strategy.selfplay import Recipe, Sample, play

KINDS: Final[dict[str, tuple[Rules, int]]] = {
    model_key(rules): (rules, games)
    for rules, games in (
        (Rules(players=2), 4000),
        (Rules(players=3), 2500),
        (Rules(players=4), 2000),
        (Rules(mode=Mode.PARTNERS, players=4), 2500),
        (Rules(mode=Mode.SOLO, players=1), 4000),
    )
}
"""The kinds of game, and how many games of each a generation plays."""

_BATCH: Final = 5

_TO_THE_END: Final = 100
"""Turns that end every game: what the hand-made start says of a solitaire position is no number of
points, so its positions are played out instead."""

_TRUST: Final = ((0.3, 1.0), (0.6, 0.6), (1.0, 0.4))
"""Up to a stage (part of the cells that is free), the part of a label that is the game's own
result. The rest is what the evaluation expects a few turns later
(solitaire: what comes of it when it is played out): near the end that says less than
the result, at the beginning, where the result is mostly luck, more."""

_SOLO_START: Final = (6.0, 3.0, 1.5, 0.7, 0.3, 0.2)


@dataclass(frozen=True)
class Batch:
    """Some games to be played by one process."""

    key: str
    model: Model
    seeds: tuple[str, ...]


def first_model(key: str) -> Model:
    """The model that the first generation plays with: the reference's weights.

    In solitaire, where those say nothing, the counters themselves, the weakest most.
    """

    def widened(row: tuple[float, ...]) -> tuple[float, ...]:
        known = ("lead", "best_mine", "best_theirs", "rack", "mean_mine", "mean_theirs")
        found: list[float] = []
        for group in GROUPS:
            at = known.index(group) * 6 if group in known else None
            found += row[at : at + 6] if at is not None else [0.0] * 6
        return (*found, row[-1])

    if key.startswith(Mode.SOLO.value):
        curve = ((*_SOLO_START, *[0.0] * (FEATURES - 6)),) * len(KNOTS)
        return Model(curve, curve)

    def curve_of(rows: tuple[tuple[float, ...], ...]) -> Curve:
        w0, w1, w2 = (widened(row) for row in rows)
        return tuple(
            tuple(a + b * s + c * s * s for a, b, c in zip(w0, w1, w2, strict=True)) for s in KNOTS
        )

    return Model(curve_of(reference.I_MOVED_LAST), curve_of(reference.OPPONENT_MOVED_LAST))


def play_batch(batch: Batch) -> list[list[Sample]]:
    """Play some games; runs in a process of its own."""
    rules, _ = KINDS[batch.key]
    evaluation = Evaluation(rules, batch.model)
    solo = rules.mode is Mode.SOLO
    recipe = Recipe(rules, turns=_TO_THE_END) if solo else Recipe(rules)
    return [play(recipe, evaluation, random.Random(seed)) for seed in batch.seeds]


def batches(key: str, model: Model, generation: int, games: int, seed: int) -> Iterator[Batch]:
    """The games of one generation, a seed each."""
    for start in range(0, games, _BATCH):
        numbers = range(start, min(games, start + _BATCH))
        seeds = tuple(f"{seed}/{key}/{generation}/{number}" for number in numbers)
        yield Batch(key, model, seeds)


def gather(
    workers: Workers, key: str, model: Model, generation: int, games: int, seed: int
) -> list[list[Sample]]:
    """Play a generation's games on all jobs, with a progress bar."""
    work = list(batches(key, model, generation, games, seed))
    played: list[list[Sample]] = []
    label = f"{key}, generation {generation + 1}"
    stream = in_order(play_batch, work, workers)
    with click.progressbar(stream, length=len(work), label=label) as done:
        for games_of_batch in done:
            played += games_of_batch
    return played


def to_samples(played: list[list[Sample]], rules: Rules) -> tuple[Samples, Floats]:
    """Games as arrays; the labels mix results and what was expected, the results come beside.

    Args:
        played: Games, each a list of samples.
        rules: What was played.
    """
    rows = [(number, sample) for number, game in enumerate(played) for sample in game]
    at_start = len(rules.zone.indices) - 6
    stage = np.array([sample.free / at_start for _, sample in rows])
    result = np.array([sample.result for _, sample in rows])
    ahead = np.array([sample.ahead for _, sample in rows])
    trust = np.select([stage < until for until, _ in _TRUST], [part for _, part in _TRUST], 0.4)
    samples = Samples(
        np.array([sample.features for _, sample in rows]),
        stage,
        np.array([sample.mine_last for _, sample in rows], dtype=np.bool_),
        trust * result + (1 - trust) * ahead,
        np.array([number for number, _ in rows], dtype=np.int64),
    )
    return samples, result


def fit_model(samples: Samples, result: Floats, solo: bool, seed: int) -> tuple[Model, str]:
    """A model fitted to nine tenths of the games, and a line on how it does on the others."""
    held_out = samples.game % 10 == 0
    taken = samples.part(~held_out)
    fit = fit_values if solo else fit_chances
    mine = fit(taken.part(taken.mine_last))
    # Alone at the table one always moved last.
    theirs = mine if solo else fit(taken.part(~taken.mine_last))
    network = fit_network(taken, seed, chances=not solo)
    rest, ended = samples.part(held_out), result[held_out]
    linear, said = apply_linear(mine, theirs, rest), apply_network(network, rest)
    if solo:
        told = (
            f"mean square error {np.mean((said - ended) ** 2):.3f}"
            f" (linear {np.mean((linear - ended) ** 2):.3f}, their variance {np.var(ended):.3f})"
        )
    else:
        told = (
            f"log loss {log_loss(sigmoid(said), ended):.4f}"
            f" (linear {log_loss(sigmoid(linear), ended):.4f})"
        )
    curves = [tuple(tuple(row) for row in rows.tolist()) for rows in (mine, theirs)]
    return Model(curves[0], curves[1], network), told


def train(
    workers: Workers, key: str, games: int, generations: int, seed: int
) -> tuple[Model, list[str]]:
    """Train one kind of game; returns the model and a line for each generation."""
    rules, _ = KINDS[key]
    model = first_model(key)
    lines = []
    solo = rules.mode is Mode.SOLO
    # Nothing that a solitaire network says enters its games or labels: more of it is more games.
    for generation in range(1 if solo else generations):
        played = gather(workers, key, model, generation, games, seed)
        samples, result = to_samples(played, rules)
        fitted, told = fit_model(samples, result, solo, seed + generation)
        # Placements of one position are told apart no better by a linear part that is fitted to
        # results (docs/strength.md), so that part stays what it was.
        model = Model(model.mine_last, model.theirs_last, fitted.network)
        lines.append(
            f"generation {generation + 1}: {games} games, on the results of held-out games: {told}"
        )
        click.echo(f"  {lines[-1]}")
    return model, lines


def module_text(key: str, model: Model, how: list[str]) -> str:
    """The Python module that ships a model."""
    text = f'"""Weights of the evaluation for {key}, made by `make train`.\n\n'
    text += "".join(f"{fill(line, 98)}\n" for line in how)
    text += '"""\n\nfrom typing import Final\n\n# fmt: off\n'
    for name, curve in (("MINE_LAST", model.mine_last), ("THEIRS_LAST", model.theirs_last)):
        text += f"{name}: Final = (\n{''.join(_row(row) for row in curve)})\n"
    net = model.network
    if net is None:
        return text + "NETWORK: Final = None\n"
    text += f"NETWORK: Final = (\n    (\n{''.join(_row(row) for row in net.hidden)}    ),\n"
    text += "".join(_row(row) for row in (net.biases, net.out, net.past))
    return text + f"    {net.bias:.5g},\n)\n"


def _row(weights: Sequence[float]) -> str:
    text, line = "    (\n", "       "
    for weight in weights:
        number = f" {weight:.5g},"
        if len(line) + len(number) > 99:
            text += line + "\n"
            line = "       "
        line += number
    return f"{text}{line}\n    ),\n"


@click.command()
@click.argument("kinds", nargs=-1, type=click.Choice(sorted(KINDS)))
@click.option("--games", type=click.IntRange(10), help="Games a generation (default: by kind).")
@click.option("--generations", type=click.IntRange(1), default=3, show_default=True)
@click.option("--seed", type=int, default=2010, show_default=True)
@click.option("--jobs", type=click.IntRange(1), help="Processes (default: all cores).")
@click.option("--cluster", metavar="ADDRESS", help="Play on a Dask cluster.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(models.__file__).parent,
    help="Folder for the models (default: where they are shipped from).",
)
def main(
    kinds: tuple[str, ...],
    games: int | None,
    generations: int,
    seed: int,
    jobs: int | None,
    cluster: str | None,
    out: Path,
) -> None:
    """Train the evaluation of some KINDS of game (all without one)."""
    out.mkdir(parents=True, exist_ok=True)
    with local_workers(jobs) if cluster is None else cluster_workers(cluster) as workers:
        for key in kinds or tuple(KINDS):
            count = games or KINDS[key][1]
            model, lines = train(workers, key, count, generations, seed)
            how = [f"Linear part: as at the start. Network: self-play, seed {seed};", *lines]
            path = out / f"{key.replace('-', '_')}.py"
            path.write_text(module_text(key, model, how), encoding="utf-8")
            click.echo(f"  {path.name} written")


if __name__ == "__main__":
    main()
