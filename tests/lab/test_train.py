"""Training on a small scale: seeded, the same on any number of jobs, and it learns."""

from __future__ import annotations

from pathlib import Path

import click.testing
import numpy as np

from genial.engine.rules import Rules
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
from genial.lab.train import main
from genial.strategy.evaluation import FEATURES, KNOTS, Evaluation, Model


def samples(weights: Floats, rows: int, chances: bool) -> Samples:
    rng = np.random.default_rng(1)
    features = np.hstack([rng.normal(size=(rows, FEATURES - 1)), np.ones((rows, 1))])
    stage = rng.uniform(size=rows)
    logits = features @ weights
    label = (rng.uniform(size=rows) < sigmoid(logits)) if chances else logits
    side = rng.uniform(size=rows) < 0.5
    return Samples(features, stage, side, label.astype(float), np.arange(rows))


def truth() -> Floats:
    found: Floats = np.zeros(FEATURES)
    found[:4], found[-1] = (1.5, -1.0, 0.7, 0.2), 0.5
    return found


def test_logistic_regression_finds_the_weights_that_made_the_data() -> None:
    found = fit_chances(samples(truth(), 12_000, True), l2=0.1)
    assert found.shape == (len(KNOTS), FEATURES)
    assert np.abs(found[2:] - truth()).max() < 0.4


def test_least_squares_finds_the_weights_that_made_the_data() -> None:
    found = fit_values(samples(truth(), 8_000, False), l2=1e-6)
    assert np.abs(found - truth()).max() < 1e-3


def test_the_network_learns_what_no_linear_model_can() -> None:
    data = samples(truth(), 8_000, False)
    bent = Samples(
        data.features,
        data.stage,
        data.mine_last,
        np.tanh(3 * data.features[:, 0]) * data.features[:, 1],
        data.game,
    )
    network = fit_network(bent, 1, chances=False, epochs=60)
    linear = fit_values(bent)
    off = apply_network(network, bent) - bent.label
    flat = apply_linear(linear, linear, bent) - bent.label
    assert np.mean(off**2) < 0.6 * np.mean(flat**2)


def test_the_network_says_in_play_what_it_said_in_training() -> None:
    rules = Rules(players=2)
    data = samples(truth(), 400, True)
    network = fit_network(data, 1, chances=True, epochs=2)
    curve = tuple(tuple([0.0] * FEATURES) for _ in KNOTS)
    evaluation = Evaluation(rules, Model(curve, curve, network))
    free = np.array([round(85 * stage) for stage in data.stage])
    exact = Samples(data.features, free / 85, data.mine_last, data.label, data.game)
    said = apply_network(network, exact)
    for row in range(0, 400, 7):
        features = [float(feature) for feature in data.features[row]]
        score = evaluation.score(features, bool(data.mine_last[row]), int(free[row]))
        assert abs(score - said[row]) < 1e-6


def test_log_loss_of_known_chances() -> None:
    assert abs(log_loss(np.array([0.5, 0.5]), np.array([1.0, 0.0])) - np.log(2)) < 1e-12
    assert log_loss(np.array([1.0, 0.0]), np.array([1.0, 0.0])) < 1e-6


def train(out: Path, *arguments: str) -> tuple[str, str]:
    done = click.testing.CliRunner().invoke(main, [*arguments, "--out", str(out)])
    assert done.exit_code == 0, done.output
    (module,) = out.iterdir()
    return module.read_text(encoding="utf-8"), done.output


def test_models_are_the_same_on_any_number_of_jobs(tmp_path: Path) -> None:
    small = ("solo-1", "--games", "10", "--generations", "2", "--seed", "5")
    one, told = train(tmp_path / "one", *small, "--jobs", "1")
    two, _ = train(tmp_path / "two", *small, "--jobs", "2")
    assert one == two
    assert "held-out" in one
    assert "mean square error" in told
    namespace: dict[str, object] = {}
    exec(one, namespace)
    curve = namespace["MINE_LAST"]
    assert isinstance(curve, tuple)
    assert len(curve) == len(KNOTS)
    assert isinstance(namespace["NETWORK"], tuple)


def test_a_model_for_two_says_how_it_was_made(tmp_path: Path) -> None:
    text, _ = train(tmp_path, "free-2", "--games", "10", "--generations", "1", "--jobs", "1")
    assert "seed 2010" in text
    assert "log loss" in text
