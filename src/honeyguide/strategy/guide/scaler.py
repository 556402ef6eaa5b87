"""Standardises scores over the crawl, so that the scores of any relevance model can be weighted alike."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from honeyguide.kernel import twin

Floats = NDArray[np.float64]

_LOW, _HIGH = -3.0, 5.0  # bounds, in standard deviations
_LEAST_VARIANCE = 1e-8  # below this, a column counts as constant


class RunningScaler:
    """Mean and standard deviation of some columns, over all rows so far."""

    def __init__(self, columns: int, scaled: Sequence[int]) -> None:
        """Set up without any rows.

        Args:
            columns: The number of columns of the rows.
            scaled: For each value to be scaled, the column whose mean and deviation it is scaled by.
        """
        self._scaled = list(scaled)
        self._count = 0.0
        self._sums = np.zeros(columns)
        self._squares = np.zeros(columns)
        self.means = np.zeros(len(self._scaled))
        """The mean that is subtracted from each value. Always the same array."""
        self.scales = np.zeros(len(self._scaled))
        """The factor that it is then multiplied by: 1 / standard deviation, 0 for a constant. Always the same array."""
        self._update_scales()

    def add(self, rows: NDArray[np.float32]) -> None:
        """Add rows."""
        self._count += len(rows)
        sums, squares = _column_sums(rows)
        self._sums += sums
        self._squares += squares
        self._update_scales()

    def _update_scales(self) -> None:
        """Compute `means` and `scales`."""
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
        """Replace values by their distance from the mean in standard deviations, within bounds.

        The result is 0 for columns that have been constant so far, and for all columns before the first row.

        Args:
            values: One row for each entry of `scaled`.
        """
        values -= self.means[:, None]
        values *= self.scales[:, None]
        np.maximum(values, _LOW, out=values)
        np.minimum(values, _HIGH, out=values)

    @property
    def size(self) -> int:
        """The length of `totals`."""
        return 1 + 2 * len(self._sums)

    def totals(self) -> Floats:
        """The sums over all rows, which can be added up over several scalers."""
        return np.concatenate([[self._count], self._sums, self._squares])

    def add_totals(self, more: Floats) -> None:
        """Add the sums over other rows."""
        self._count += float(more[0])
        sums, squares = np.split(more[1:], 2)
        self._sums += sums
        self._squares += squares
        self._update_scales()

    def dump(self) -> bytes:
        """The complete state, without loss of precision."""
        return self.totals().tobytes()

    def restore(self, state: bytes) -> None:
        """Restore a state that `dump` returned."""
        values = np.frombuffer(state)
        self._count = float(values[0])
        self._sums, self._squares = (part.copy() for part in np.split(values[1:], 2))
        self._update_scales()


@twin("promises")
def _column_sums(rows: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """The sum of each column, and the sum of its squares, added row by row."""
    wide = rows.astype(np.float64)
    return np.add.reduce(wide, axis=0), np.add.reduce(wide * wide, axis=0)
