"""The value network of TRES: a small perceptron in numpy, trained by Adam."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_HIDDEN = (30, 15)  # units of the two hidden layers
_LEAK = 0.1  # slope of the leaky ReLU below 0
_RATE, _CLIP = 1e-3, 1.0  # Adam's learning rate; each component of a gradient is clipped to this
_DECAY, _SQUARED_DECAY, _TINY = 0.9, 0.999, 1e-7  # of Adam's running means


class Network:
    """Q(s, a) of rows of features: two hidden layers of leaky ReLUs, and a linear output.

    Deterministic, given the seed and the training steps.
    """

    def __init__(self, features: int, seed: int) -> None:
        sizes = (features, *_HIDDEN, 1)
        self._shapes = list(pairwise(sizes))
        dice = np.random.default_rng(seed)
        parts = []
        for before, after in self._shapes:
            most = np.sqrt(6 / (before + after))  # Glorot
            parts += [dice.uniform(-most, most, before * after), np.zeros(after)]
        self.weights: Floats = np.concatenate(parts)
        """All weights and offsets, layer by layer."""
        self._mean, self._square = np.zeros_like(self.weights), np.zeros_like(self.weights)
        self._steps = 0

    def values(self, rows: Floats, weights: Floats | None = None) -> Floats:
        """The value of each row, with the current weights or with others."""
        return self._layers(rows, self.weights if weights is None else weights)[-1][:, 0]

    def fit(self, rows: Floats, targets: Floats) -> None:
        """One step of Adam down the gradient of the mean squared error."""
        layers = self._layers(rows, self.weights)
        slopes = 2 * (layers[-1] - targets[:, None]) / len(rows)
        gradient = np.empty_like(self.weights)
        parts, parts_of_gradient = list(self._parts(self.weights)), list(self._parts(gradient))
        for place in reversed(range(len(parts))):
            matrix, offset = parts_of_gradient[place]
            np.dot(layers[place].T, slopes, out=matrix)
            offset[:] = slopes.sum(axis=0)
            if place:
                slopes = slopes @ parts[place][0].T * np.where(layers[place] > 0, 1.0, _LEAK)
        np.clip(gradient, -_CLIP, _CLIP, out=gradient)
        self._descend(gradient)

    def _descend(self, gradient: Floats) -> None:
        self._steps += 1
        self._mean += (1 - _DECAY) * (gradient - self._mean)
        self._square += (1 - _SQUARED_DECAY) * (gradient**2 - self._square)
        rate = _RATE * np.sqrt(1 - _SQUARED_DECAY**self._steps) / (1 - _DECAY**self._steps)
        self.weights -= rate * self._mean / (np.sqrt(self._square) + _TINY)

    def _layers(self, rows: Floats, weights: Floats) -> list[Floats]:
        """The rows, and the output of each layer."""
        layers = [rows]
        *hidden, last = self._parts(weights)
        for matrix, offset in hidden:
            sums = layers[-1] @ matrix + offset
            layers.append(np.where(sums > 0, sums, _LEAK * sums))
        layers.append(layers[-1] @ last[0] + last[1])
        return layers

    def _parts(self, weights: Floats) -> Iterator[tuple[Floats, Floats]]:
        """The matrix and the offsets of each layer, as views."""
        first = 0
        for before, after in self._shapes:
            middle = first + before * after
            yield weights[first:middle].reshape(before, after), weights[middle : middle + after]
            first = middle + after

    # ---- state ----

    def dump(self) -> bytes:
        """The complete state."""
        return np.concatenate((self.weights, self._mean, self._square, [self._steps])).tobytes()

    def restore(self, dumped: bytes) -> None:
        """Restore what `dump` returned."""
        *parts, steps = np.split(np.frombuffer(dumped).copy(), np.cumsum([len(self.weights)] * 3))
        self.weights, self._mean, self._square = parts
        self._steps = int(steps[0])
