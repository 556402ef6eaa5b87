"""Scaling scores to what is usual in this crawl, so that the scores of any relevance model can be weighed alike."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin

Floats = NDArray[np.float64]

_LOW, _HIGH = -3.0, 5.0  # standard deviations beyond which more makes no difference
_LEAST_VARIANCE = 1e-8  # below which a column counts as constant


class RunningScaler:
    """Mean and standard deviation of some columns, over all rows so far."""

    def __init__(self, columns: int, scaled: Sequence[int]) -> None:
        """Set up without any rows.

        Args:
            columns: How many columns the rows have.
            scaled: What is to be scaled: for each value, the column whose mean and deviation it is scaled by.
        """
        self._scaled = list(scaled)
        self._count = 0.0
        self._sums = np.zeros(columns)
        self._squares = np.zeros(columns)
        self.means = np.zeros(len(self._scaled))
        """What is taken from each value: the mean of its column. Always the same array."""
        self.scales = np.zeros(len(self._scaled))
        """What it is then multiplied by: one over the standard deviation of its column, 0 for a constant. Likewise."""
        self._measures()

    def add(self, rows: NDArray[np.float32]) -> None:
        """Take in more rows."""
        self._count += len(rows)
        sums, squares = _column_sums(rows)
        self._sums += sums
        self._squares += squares
        self._measures()

    def _measures(self) -> None:
        """Compute what values are scaled by."""
        # In plain Python: numpy would take longer for so few columns.
        count = self._count or 1.0
        sums, squares = self._sums.tolist(), self._squares.tolist()
        means, scales = [], []
        for column in self._scaled:
            mean = sums[column] / count
            variance = squares[column] / count - mean * mean
            means.append(mean)
            scales.append(0.0 if variance < _LEAST_VARIANCE else 1 / sqrt(variance))
        self.means[:], self.scales[:] = means, scales

    def scale(self, values: Floats) -> None:
        """Replace values by how many standard deviations they are above their means, within bounds.

        That is 0 for columns that are constant so far, and for all before the first row.

        Args:
            values: One row for each entry of `scaled`.
        """
        values -= self.means[:, None]
        values *= self.scales[:, None]
        np.maximum(values, _LOW, out=values)
        np.minimum(values, _HIGH, out=values)

    @property
    def size(self) -> int:
        """How many numbers `totals` has."""
        return 1 + 2 * len(self._sums)

    def totals(self) -> Floats:
        """The sums over all rows: those of several scalers can be added up."""
        return np.concatenate([[self._count], self._sums, self._squares])

    def add_totals(self, more: Floats) -> None:
        """Add the sums over other rows."""
        self._count += float(more[0])
        sums, squares = np.split(more[1:], 2)
        self._sums += sums
        self._squares += squares
        self._measures()

    def dump(self) -> bytes:
        """The whole state, exactly."""
        return self.totals().tobytes()

    def restore(self, state: bytes) -> None:
        """Go back to a state that `dump` returned."""
        values = np.frombuffer(state)
        self._count = float(values[0])
        self._sums, self._squares = (part.copy() for part in np.split(values[1:], 2))
        self._measures()


@twin("promises")
def _column_sums(rows: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """The sum of each column, and that of its squares, row by row."""
    wide = rows.astype(np.float64)
    return np.add.reduce(wide, axis=0), np.add.reduce(wide * wide, axis=0)
