"""Fitting the evaluation to samples of self-play; needs numpy (extra `train`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from genial.strategy.evaluation import KNOTS, LATE, RANKS
from genial.strategy.network import Network

Floats = NDArray[np.floating[Any]]

L2: Final = 0.3
"""The linear model's penalty: half of it times the sum of the squared weights."""

_STEPS: Final = 12

HIDDEN: Final = 16
_DECAY: Final = 1e-3
_RATE: Final = 2e-3
_BATCH: Final = 256
_EPOCHS: Final = 14


@dataclass(frozen=True)
class Samples:
    """Samples of one kind of game, a row each.

    Attributes:
        features: As `evaluation.features` gives them.
        stage: Part of the cells that is free.
        mine_last: Whether the team made the last turn.
        label: What to predict.
        game: Which game each row is from, so that held-out games are whole.
    """

    features: Floats
    stage: Floats
    mine_last: NDArray[np.bool_]
    label: Floats
    game: NDArray[np.int64]

    def part(self, chosen: NDArray[np.bool_]) -> Samples:
        """The rows that are chosen."""
        return Samples(
            self.features[chosen],
            self.stage[chosen],
            self.mine_last[chosen],
            self.label[chosen],
            self.game[chosen],
        )

    def design(self) -> Floats:
        """Features times what each of `KNOTS` counts at the row's stage, side by side."""
        knots = np.array(KNOTS)
        above = np.clip(np.searchsorted(knots, self.stage), 1, len(knots) - 1)
        part = (self.stage - knots[above - 1]) / (knots[above] - knots[above - 1])
        counts = np.zeros((len(self.stage), len(knots)))
        rows = np.arange(len(self.stage))
        counts[rows, above - 1] = 1 - part
        counts[rows, above] = part
        spread: Floats = counts[:, :, None] * self.features[:, None, :]
        return spread.reshape(len(self.stage), -1)

    def inputs(self) -> Floats:
        """The network's inputs, as `evaluation.network_inputs` makes them."""
        late = np.maximum(0.0, 1.0 - self.stage / LATE)[:, None]
        stage = self.stage[:, None]
        return np.hstack(
            [
                self.features,
                stage,
                stage * stage,
                self.mine_last[:, None].astype(float),
                late * self.features[:, : 2 * RANKS],
            ]
        )


def sigmoid(logits: Floats) -> Floats:
    """1 / (1 + exp(-x)) without overflow."""
    found: Floats = 0.5 * (1 + np.tanh(0.5 * logits))
    return found


def log_loss(chance: Floats, label: Floats) -> float:
    """Mean cross-entropy in nats; labels may be fractions."""
    chance = np.clip(chance, 1e-9, 1 - 1e-9)
    return float(-np.mean(label * np.log(chance) + (1 - label) * np.log(1 - chance)))


def fit_chances(samples: Samples, l2: float = L2) -> Floats:
    """Logistic regression by Newton's method; returns a row of weights for each knot."""
    design = samples.design()
    weights: Floats = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = sigmoid(design @ weights)
        slope = design.T @ (samples.label - chance) - l2 * weights
        spread = np.maximum(chance * (1 - chance), 1e-6)
        bend = (design * spread[:, None]).T @ design
        bend[np.diag_indices_from(bend)] += l2
        step: Floats = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-6:
            break
    return weights.reshape(len(KNOTS), -1)


def fit_values(samples: Samples, l2: float = L2) -> Floats:
    """Least squares with the same penalty, for solitaire's lowest counter."""
    design = samples.design()
    bend = design.T @ design
    bend[np.diag_indices_from(bend)] += l2
    solved: Floats = np.linalg.solve(bend, design.T @ samples.label)
    return solved.reshape(len(KNOTS), -1)


def fit_network(samples: Samples, seed: int, *, chances: bool, epochs: int = _EPOCHS) -> Network:
    """The network, by Adam with a cosine rate; cross-entropy for chances, else squares."""
    rng = np.random.default_rng(seed)
    inputs = samples.inputs()
    middle, spread = inputs.mean(axis=0), inputs.std(axis=0) + 1e-6
    inputs = (inputs - middle) / spread
    count = inputs.shape[1]
    centre = 0.0 if chances else float(samples.label.mean())
    parameters: list[Floats] = [
        rng.normal(size=(count, HIDDEN)) / np.sqrt(count),
        np.zeros(HIDDEN),
        0.3 * rng.normal(size=HIDDEN) / np.sqrt(HIDDEN),
        np.zeros(count),
        np.array([centre]),
    ]
    first = [np.zeros_like(one) for one in parameters]
    second = [np.zeros_like(one) for one in parameters]
    order = np.arange(len(inputs))
    steps = 0
    for epoch in range(epochs):
        rng.shuffle(order)
        rate = _RATE * 0.5 * (1 + np.cos(np.pi * epoch / epochs))
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            taken = inputs[rows]
            hidden = np.tanh(taken @ parameters[0] + parameters[1])
            said = hidden @ parameters[2] + taken @ parameters[3] + parameters[4]
            off = ((sigmoid(said) if chances else said) - samples.label[rows]) / len(rows)
            back = np.outer(off, parameters[2]) * (1 - hidden * hidden)
            slopes = [
                taken.T @ back + _DECAY * parameters[0],
                back.sum(axis=0),
                hidden.T @ off + _DECAY * parameters[2],
                taken.T @ off + _DECAY * parameters[3],
                np.array([off.sum()]),
            ]
            steps += 1
            for number, slope in enumerate(slopes):
                first[number] = 0.9 * first[number] + 0.1 * slope
                second[number] = 0.999 * second[number] + 0.001 * slope * slope
                lean = first[number] / (1 - 0.9**steps)
                size = np.sqrt(second[number] / (1 - 0.999**steps)) + 1e-8
                parameters[number] = parameters[number] - rate * lean / size
    # The inputs' scale goes into the weights, so that playing needs no scaling.
    weights = parameters[0] / spread[:, None]
    past = parameters[3] / spread
    return Network(
        tuple(tuple(row) for row in weights.T.tolist()),
        tuple((parameters[1] - middle @ weights).tolist()),
        tuple(parameters[2].tolist()),
        tuple(past.tolist()),
        float(parameters[4][0] - middle @ past),
    )


def apply_network(network: Network, samples: Samples) -> Floats:
    """What the network says of samples, before any sigmoid."""
    inputs = samples.inputs()
    hidden = np.tanh(inputs @ np.array(network.hidden).T + np.array(network.biases))
    said: Floats = hidden @ np.array(network.out) + inputs @ np.array(network.past) + network.bias
    return said


def apply_linear(mine_last: Floats, theirs_last: Floats, samples: Samples) -> Floats:
    """What the linear model says of samples; a row of weights for each knot and side."""
    design = samples.design()
    sides = [design @ rows.reshape(-1) for rows in (theirs_last, mine_last)]
    said: Floats = np.where(samples.mine_last, sides[1], sides[0])
    return said
