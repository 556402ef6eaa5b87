"""What is usual for a number, and how far it strays: so that all kinds of scores can be told in one unit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LOW, _HIGH = -3.0, 5.0  # deviations beyond which more makes no difference
_FLAT = 1e-4  # a deviation below which there is none


class Spread:
    """Mean and deviation of some columns, over all rows so far."""

    def __init__(self, columns: int) -> None:
        self._count = 0.0
        self._sums = np.zeros(columns)
        self._squares = np.zeros(columns)
        self._usual: tuple[Floats, Floats] | None = None  # mean and one over the deviation, until there is more

    def add(self, rows: Floats) -> None:
        """Some more rows."""
        self._count += len(rows)
        self._sums += rows.sum(axis=0)
        self._squares += (rows * rows).sum(axis=0)
        self._usual = None

    def measured(self, rows: Floats, columns: Sequence[int]) -> Floats:
        """How many deviations above the mean each number of some columns is, within bounds.

        0 where a column is always the same.
        """
        if not self._count:
            return np.zeros(rows.shape)
        if self._usual is None:
            mean = self._sums / self._count
            deviation = np.sqrt(np.maximum(self._squares / self._count - mean * mean, 0.0))
            self._usual = mean, np.where(deviation < _FLAT, 0.0, 1 / np.maximum(deviation, _FLAT))
        mean, scale = self._usual
        measured: Floats = np.minimum(np.maximum((rows - mean[columns]) * scale[columns], _LOW), _HIGH)
        return measured

    def kept(self) -> bytes:
        """All of it, exactly."""
        return np.concatenate([[self._count], self._sums, self._squares]).tobytes()

    def restore(self, kept: bytes) -> None:
        """As it was when it was kept."""
        values = np.frombuffer(kept)
        self._count = float(values[0])
        self._sums, self._squares = (part.copy() for part in np.split(values[1:], 2))
        self._usual = None
