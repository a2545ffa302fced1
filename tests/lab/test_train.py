"""Training on a small scale: seeded, the same on any number of jobs, and it learns."""

from __future__ import annotations

from pathlib import Path

import click.testing
import numpy as np

from genial.lab.fit import Samples, fit_chances, fit_values, log_loss, sigmoid
from genial.lab.train import main


def samples(weights: np.ndarray, rows: int, chances: bool) -> Samples:
    rng = np.random.default_rng(1)
    features = np.hstack([rng.normal(size=(rows, len(weights) - 1)), np.ones((rows, 1))])
    stage = rng.uniform(size=rows)
    logits = features @ weights
    label = (rng.uniform(size=rows) < sigmoid(logits)) if chances else logits
    return Samples(features, stage, label.astype(float), np.arange(rows))


def test_logistic_regression_finds_the_weights_that_made_the_data() -> None:
    truth = np.array([1.5, -1.0, 0.0, 0.5])
    found = fit_chances(samples(truth, 40_000, True), l2=0.1).reshape(3, 4)
    for stage in (0.2, 0.8):
        at_stage = found[0] + found[1] * stage + found[2] * stage * stage
        assert np.abs(at_stage - truth).max() < 0.15


def test_least_squares_finds_the_weights_that_made_the_data() -> None:
    truth = np.array([1.5, -1.0, 0.0, 0.5])
    found = fit_values(samples(truth, 2_000, False), l2=1e-6).reshape(3, 4)
    assert np.abs(found[0] - truth).max() < 1e-3
    assert np.abs(found[1:]).max() < 1e-2


def test_log_loss_of_known_chances() -> None:
    assert abs(log_loss(np.array([0.5, 0.5]), np.array([1.0, 0.0])) - np.log(2)) < 1e-12
    assert log_loss(np.array([1.0, 0.0]), np.array([1.0, 0.0])) < 1e-6


def train(out: Path, *arguments: str) -> tuple[str, str]:
    done = click.testing.CliRunner().invoke(main, [*arguments, "--out", str(out)])
    assert done.exit_code == 0, done.output
    (module,) = out.iterdir()
    return module.read_text(encoding="utf-8"), done.output


def test_models_are_the_same_on_any_number_of_jobs(tmp_path: Path) -> None:
    small = ("solo-1", "--games", "20", "--generations", "2", "--seed", "5")
    one, told = train(tmp_path / "one", *small, "--jobs", "1")
    two, _ = train(tmp_path / "two", *small, "--jobs", "2")
    assert one == two
    assert "held-out" in one
    assert "mean square error" in told
    namespace: dict[str, object] = {}
    exec(one, namespace)
    curve = namespace["MINE_LAST"]
    assert isinstance(curve, tuple)
    assert len(curve) == 3


def test_a_model_for_two_says_how_it_was_made(tmp_path: Path) -> None:
    text, _ = train(tmp_path, "free-2", "--games", "20", "--generations", "1", "--jobs", "1")
    assert "seed 2010" in text
    assert "log loss" in text
