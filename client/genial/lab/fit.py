"""Fitting the evaluation to samples of self-play; needs numpy (extra `train`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

L2: Final = 3.0
_STEPS: Final = 12


@dataclass(frozen=True)
class Samples:
    """Samples of one kind, a row each.

    Attributes:
        features: As `evaluation.features` gives them.
        stage: Part of the cells that is free.
        label: What to predict.
        game: Which game each row is from, so that held-out games are whole.
    """

    features: Floats
    stage: Floats
    label: Floats
    game: NDArray[np.int64]

    def part(self, chosen: NDArray[np.bool_]) -> Samples:
        """The rows that are chosen."""
        return Samples(
            self.features[chosen], self.stage[chosen], self.label[chosen], self.game[chosen]
        )

    def design(self) -> Floats:
        """Features, features * s, features * s * s, side by side."""
        s = self.stage[:, None]
        return np.hstack([self.features, self.features * s, self.features * s * s])


def sigmoid(logits: Floats) -> Floats:
    """1 / (1 + exp(-x)) without overflow."""
    found: Floats = 0.5 * (1 + np.tanh(0.5 * logits))
    return found


def log_loss(chance: Floats, label: Floats) -> float:
    """Mean cross-entropy in nats; labels may be fractions."""
    chance = np.clip(chance, 1e-9, 1 - 1e-9)
    return float(-np.mean(label * np.log(chance) + (1 - label) * np.log(1 - chance)))


def fit_chances(samples: Samples, l2: float = L2) -> Floats:
    """Logistic regression by Newton's method; returns the weights w0, w1, w2 end to end."""
    design = samples.design()
    weights: Floats = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = sigmoid(design @ weights)
        slope = design.T @ (samples.label - chance) - l2 * weights
        spread = np.maximum(chance * (1 - chance), 1e-6)
        bend = (design * spread[:, None]).T @ design
        bend[np.diag_indices_from(bend)] += l2
        step: Floats = np.linalg.solve(bend, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def fit_values(samples: Samples, l2: float = L2) -> Floats:
    """Least squares with the same penalty, for solitaire's lowest counter."""
    design = samples.design()
    bend = design.T @ design
    bend[np.diag_indices_from(bend)] += l2
    solved: Floats = np.linalg.solve(bend, design.T @ samples.label)
    return solved
