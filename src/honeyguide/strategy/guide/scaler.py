"""Scaling scores to what is usual in this crawl, so that the scores of any relevance model can be weighed alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LOW, _HIGH = -3.0, 5.0  # standard deviations beyond which more makes no difference
_FLAT = 1e-4  # a standard deviation below which a column counts as constant


class RunningScaler:
    """Mean and standard deviation of some columns, over all rows so far."""

    def __init__(self, columns: int) -> None:
        self._count = 0.0
        self._sums = np.zeros(columns)
        self._squares = np.zeros(columns)
        self._mean_and_scale: tuple[Floats, Floats] | None = None  # made from the sums when they are needed

    def add(self, rows: Floats) -> None:
        """Take in more rows."""
        self._count += len(rows)
        self._sums += rows.sum(axis=0)
        self._squares += (rows * rows).sum(axis=0)
        self._mean_and_scale = None

    def scaled(self, rows: Floats, columns: Sequence[int]) -> Floats:
        """How many standard deviations above the mean each value is, within bounds.

        Args:
            rows: Values, one column for each of `columns`.
            columns: Which column's mean and deviation each of them is scaled by.

        Returns:
            An array of the same shape; 0 in columns that are constant so far, and everywhere before the first row.
        """
        if not self._count:
            return np.zeros(rows.shape)
        if self._mean_and_scale is None:
            mean = self._sums / self._count
            deviation = np.sqrt(np.maximum(self._squares / self._count - mean * mean, 0.0))
            self._mean_and_scale = mean, np.where(deviation < _FLAT, 0.0, 1 / np.maximum(deviation, _FLAT))
        mean, scale = self._mean_and_scale
        scaled: Floats = np.minimum(np.maximum((rows - mean[columns]) * scale[columns], _LOW), _HIGH)
        return scaled

    def dump(self) -> bytes:
        """The whole state, exactly."""
        return np.concatenate([[self._count], self._sums, self._squares]).tobytes()

    def restore(self, state: bytes) -> None:
        """Go back to a state that `dump` returned."""
        values = np.frombuffer(state)
        self._count = float(values[0])
        self._sums, self._squares = (part.copy() for part in np.split(values[1:], 2))
        self._mean_and_scale = None
