"""Makes the models of the evaluation anew: self-play, fit, again; seeded. `make train` runs it.

    python -m genial.lab.train                       every kind of game, as shipped
    python -m genial.lab.train free-2 --games 500    one kind, fewer games

Each generation plays games with the model of the generation before (the first one with the frozen
reference's weights) and fits a new model. A tenth of the games is held out: what the model says of
those is printed and written into the model's file. Under one seed, set of arguments and version of
numpy the result is the same whatever the number of jobs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
import numpy as np

from genial.engine.rules import Mode, Rules
from genial.lab.fit import Samples, fit_chances, fit_values, log_loss, sigmoid
from genial.lab.workers import Workers, cluster_workers, in_order, local_workers
from genial.strategy import models
from genial.strategy.evaluation import FEATURES, GROUPS, Curve, Evaluation, Model, model_key
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

_BATCH: Final = 20
_TRUST: Final = (0.6, 0.4, 0.3)
"""By generation (the last one goes on), the part of a label that is the game's own result; the
rest is what the evaluation expects a few turns later, which gains trust as it improves."""

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
        rest = tuple([0.0] * (FEATURES - 6))
        nothing = tuple([0.0] * FEATURES)
        curve = ((*_SOLO_START, *rest), nothing, nothing)
        return Model(curve, curve)
    mine, theirs = reference.I_MOVED_LAST, reference.OPPONENT_MOVED_LAST
    return Model(
        (widened(mine[0]), widened(mine[1]), widened(mine[2])),
        (widened(theirs[0]), widened(theirs[1]), widened(theirs[2])),
    )


def play_batch(batch: Batch) -> list[list[Sample]]:
    """Play some games; runs in a process of its own."""
    rules, _ = KINDS[batch.key]
    evaluation = Evaluation(rules, batch.model)
    recipe = Recipe(rules)
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


def to_samples(played: list[list[Sample]], mine_last: bool, at_start: int, trust: float) -> Samples:
    """The samples of one side of the turn as arrays."""
    rows = [
        (number, sample)
        for number, game in enumerate(played)
        for sample in game
        if sample.mine_last == mine_last
    ]
    return Samples(
        np.array([sample.features for _, sample in rows]).reshape(len(rows), FEATURES),
        np.array([sample.free / at_start for _, sample in rows]),
        np.array([trust * sample.result + (1 - trust) * sample.ahead for _, sample in rows]),
        np.array([number for number, _ in rows], dtype=np.int64),
    )


def fit_model(played: list[list[Sample]], rules: Rules, trust: float) -> tuple[Model, str]:
    """A model fitted to nine tenths of the games, and a line on how it does on the others."""
    at_start = len(rules.zone.indices) - 6
    solo = rules.mode is Mode.SOLO
    curves: list[Curve] = []
    told = []
    for mine_last in (True, False):
        samples = to_samples(played, mine_last, at_start, trust)
        results = to_samples(played, mine_last, at_start, 1.0).label
        if not len(samples.label):
            # Alone at the table one always moved last.
            curves.append(curves[0])
            continue
        held_out = samples.game % 10 == 0
        fit = fit_values if solo else fit_chances
        weights = fit(samples.part(~held_out))
        w0, w1, w2 = weights.reshape(3, FEATURES).tolist()
        curves.append((tuple(w0), tuple(w1), tuple(w2)))
        said = samples.part(held_out).design() @ weights
        ended = results[held_out]
        if solo:
            told.append(f"mean square error {np.mean((said - ended) ** 2):.3f}")
            told.append(f"of the mean alone {np.var(ended):.3f}")
        else:
            told.append(f"log loss {log_loss(sigmoid(said), ended):.4f}")
    return Model(curves[0], curves[1]), ", ".join(told)


def train(
    workers: Workers, key: str, games: int, generations: int, seed: int
) -> tuple[Model, list[str]]:
    """Train one kind of game; returns the model and a line for each generation."""
    rules, _ = KINDS[key]
    model = first_model(key)
    lines = []
    for generation in range(generations):
        trust = _TRUST[min(generation, len(_TRUST) - 1)]
        played = gather(workers, key, model, generation, games, seed)
        model, told = fit_model(played, rules, trust)
        lines.append(
            f"generation {generation + 1}: {games} games, on the results of held-out games: {told}"
        )
        click.echo(f"  {lines[-1]}")
    return model, lines


def module_text(key: str, model: Model, how: list[str]) -> str:
    """The Python module that ships a model."""
    text = f'"""Weights of the evaluation for {key}, made by `make train`.\n\n'
    text += "".join(f"{line}\n" for line in how)
    text += '"""\n\nfrom typing import Final\n\n# fmt: off\n'
    for name, curve in (("MINE_LAST", model.mine_last), ("THEIRS_LAST", model.theirs_last)):
        for number, row in enumerate(curve):
            text += f"_{name}_W{number}: Final = (\n"
            line = "   "
            for weight in row:
                number_text = f" {weight:.5g},"
                if len(line) + len(number_text) > 99:
                    text += line + "\n"
                    line = "   "
                line += number_text
            text += f"{line}\n)\n"
        text += f"{name}: Final = (_{name}_W0, _{name}_W1, _{name}_W2)\n\n"
    return text.rstrip() + "\n"


@click.command()
@click.argument("kinds", nargs=-1, type=click.Choice(sorted(KINDS)))
@click.option("--games", type=click.IntRange(20), help="Games a generation (default: by kind).")
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
            how = [f"How: seed {seed}; reference weights to begin with.", *lines]
            path = out / f"{key.replace('-', '_')}.py"
            path.write_text(module_text(key, model, how), encoding="utf-8")
            click.echo(f"  {path.name} written")


if __name__ == "__main__":
    main()
