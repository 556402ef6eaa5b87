"""Online Bayesian ridge regression around a prior, computed from running sums."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin

Floats = NDArray[np.float64]


class BayesianRidge:
    """Predicts outcomes from features, given the outcomes so far and the prior weights.

    Minimises Σ (y - w·x - b)² + `stiffness` · |w - prior|²: with few outcomes, the prior dominates. Outcomes may be
    corrected later (`correct`), when more is known about the pages behind a page. `deviation` is the standard deviation
    of a prediction: large where features differ from those of the outcomes so far.
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
        self._squares = 0.0
        self._weight = 0.0
        self.count = 0
        """Number of outcomes so far."""
        self.weights = prior.copy()
        self.offset = 0.0
        self.root = np.zeros((size, size))
        """The root of the covariance of the weights: an upper triangular matrix."""

    @property
    def centre(self) -> Floats | None:
        """The mean of the features; None before the first outcome."""
        return self._sums / self._weight if self._weight else None

    @property
    def mean(self) -> float:
        """The mean of the outcomes; 0 before the first one."""
        return self._outcomes / self._weight if self._weight else 0.0

    def learn(self, features: Floats, outcome: float, weight: float = 1.0) -> None:
        """Add an outcome. It takes effect with `fit`."""
        _add_outcome(self._products, self._with_outcome, self._sums, features, outcome, weight)
        self._outcomes += weight * outcome
        self._squares += weight * outcome * outcome
        self._weight += weight
        self.count += 1

    def correct(self, features: Floats, before: float, after: float) -> None:
        """Replace the outcome `before` that was learnt with these features by `after`."""
        self._with_outcome += features * (after - before)
        self._outcomes += after - before
        self._squares += after * after - before * before

    def fit(self) -> None:
        """Solve for the weights; does nothing while there are too few outcomes."""
        if self.count < self._fewest:
            return
        mean, outcome = self._sums / self._weight, self.mean
        spread = self._products - self._weight * np.outer(mean, mean)
        covariance = self._with_outcome - self._weight * mean * outcome
        stiff = spread.copy()
        stiff.flat[:: len(mean) + 1] += self._stiffness
        self.weights = np.linalg.solve(stiff, covariance + self._stiffness * self._prior).astype(np.float64)
        self.offset = float(outcome - mean @ self.weights)
        left = self._squares - self._weight * outcome**2 - 2 * self.weights @ covariance
        noise = max(float(left + self.weights @ spread @ self.weights), 0.0) / self._weight
        self.root = np.linalg.cholesky(np.linalg.inv(stiff)).T * np.sqrt(noise)

    def predict(self, features: Floats) -> Floats:
        """One prediction per row."""
        predicted: Floats = features @ self.weights + self.offset
        return predicted

    def deviation(self, features: Floats) -> Floats:
        """The standard deviation of each prediction; 0 before the first outcome."""
        centre = self.centre
        if centre is None:
            return np.zeros(len(features))
        apart = (features - centre) @ self.root.T
        deviations: Floats = np.sqrt(np.einsum("ij,ij->i", apart, apart))
        return deviations

    def parts(self, features: Floats) -> Floats:
        """The contribution of each feature, relative to the mean outcome, or to 0 before the first fit."""
        mean = self._sums / self._weight if self.count >= self._fewest else np.zeros(len(features))
        parts: Floats = (features - mean) * self.weights
        return parts

    @property
    def size(self) -> int:
        """The length of `totals`."""
        return len(self._prior) ** 2 + 2 * len(self._prior) + 4

    def totals(self) -> Floats:
        """The sums over all outcomes, which can be added up over several models."""
        last = [self._outcomes, self._squares, self._weight, self.count]
        return np.concatenate([self._products.ravel(), self._with_outcome, self._sums, last])

    def add_totals(self, more: Floats) -> None:
        """Add the sums over other outcomes. They take effect with `fit`."""
        size = len(self._prior)
        self._products += more[: size * size].reshape(size, size)
        self._with_outcome += more[size * size : size * (size + 1)]
        self._sums += more[size * (size + 1) : size * (size + 2)]
        outcomes, squares, weight, count = more[-4:].tolist()
        self._outcomes += outcomes
        self._squares += squares
        self._weight += weight
        self.count += round(count)

    def dump(self) -> bytes:
        """The complete state, without loss of precision."""
        arrays = (self._products, self.root, self._with_outcome, self._sums, self.weights)
        numbers = json.dumps([self._outcomes, self._squares, self._weight, self.count, self.offset]).encode()
        return b"".join([len(numbers).to_bytes(4, "little"), numbers, *(array.tobytes() for array in arrays)])

    def restore(self, state: bytes) -> None:
        """Restore a state that `dump` returned."""
        end = 4 + int.from_bytes(state[:4], "little")
        self._outcomes, self._squares, self._weight, self.count, self.offset = json.loads(state[4:end])
        size = len(self._prior)
        values = np.frombuffer(state[end:])
        squares = values[: 2 * size * size].reshape(2, size, size)
        self._products, self.root = squares[0].copy(), squares[1].copy()
        self._with_outcome, self._sums, self.weights = (part.copy() for part in np.split(values[2 * size * size :], 3))


@twin("promises")
def _add_outcome(
    products: Floats, with_outcome: Floats, sums: Floats, features: Floats, outcome: float, weight: float
) -> None:
    """Add an outcome to the sums."""
    weighted = features * weight
    products += weighted[:, None] * features
    with_outcome += weighted * outcome
    sums += weighted
