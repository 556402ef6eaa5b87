"""An online model that weighs evidence: ridge regression around a prior, with running sums alone."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Weighing:
    """Predicts a number from features, as the outcomes so far suggest, and as the prior says where they say little.

    Minimises Σ (y - w·x - b)² + `stiffness` · |w - prior|²: with few outcomes the prior decides. Outcomes may be
    corrected later (`correct`), when what lies behind a page has come to light.
    """

    def __init__(self, prior: Floats, stiffness: float, fewest: int) -> None:
        size = len(prior)
        self._prior = prior
        self._stiffness = stiffness
        self._fewest = fewest
        self._products = np.zeros((size, size))
        self._with_outcome = np.zeros(size)
        self._sums = np.zeros(size)
        self._outcomes = 0.0
        self._count = 0
        self.weights = prior.copy()
        self.offset = 0.0

    @property
    def count(self) -> int:
        """Outcomes so far."""
        return self._count

    @property
    def mean(self) -> float:
        """Of the outcomes."""
        return self._outcomes / self._count if self._count else 0.0

    def learn(self, features: Floats, outcome: float) -> None:
        """One more outcome. `fit` makes use of it."""
        self._products += np.outer(features, features)
        self._with_outcome += features * outcome
        self._sums += features
        self._outcomes += outcome
        self._count += 1

    def correct(self, features: Floats, by: float) -> None:
        """An outcome that was learnt with these features is `by` higher."""
        self._with_outcome += features * by
        self._outcomes += by

    def fit(self) -> None:
        """Find the weights anew."""
        if self._count < self._fewest:
            return
        mean, outcome = self._sums / self._count, self._outcomes / self._count
        spread = self._products - self._count * np.outer(mean, mean)
        together = self._with_outcome - self._count * mean * outcome
        spread.flat[:: len(mean) + 1] += self._stiffness
        weights: Floats = np.linalg.solve(spread, together + self._stiffness * self._prior).astype(np.float64)
        self.weights = weights
        self.offset = float(outcome - mean @ self.weights)

    def predict(self, features: Floats) -> Floats:
        """A number a row."""
        predicted: Floats = features @ self.weights + self.offset
        return predicted

    def kept(self) -> bytes:
        """All of it, exactly."""
        arrays = (self._products, self._with_outcome, self._sums, self.weights)
        numbers = json.dumps([self._outcomes, self._count, self.offset]).encode()
        return b"".join([len(numbers).to_bytes(4, "little"), numbers, *(array.tobytes() for array in arrays)])

    def restore(self, kept: bytes) -> None:
        """As it was when it was kept."""
        end = 4 + int.from_bytes(kept[:4], "little")
        self._outcomes, self._count, self.offset = json.loads(kept[4:end])
        size = len(self._prior)
        values = np.frombuffer(kept[end:])
        self._products = values[: size * size].reshape(size, size).copy()
        self._with_outcome, self._sums, self.weights = (part.copy() for part in np.split(values[size * size :], 3))
