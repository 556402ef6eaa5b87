"""How well things of a kind have turned out so far: with few outcomes, close to the overall mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.queues.rows import RowStore

Floats = NDArray[np.float64]

_SUMS = np.dtype([("count", np.float64), ("sum", np.float64)])


class SmoothedRate:
    """Mean outcomes by number, shrunk towards the usual one as if `weight` further outcomes had been usual."""

    def __init__(self, name: str, weight: float) -> None:
        self._weight = weight
        self._rows = RowStore(name, _SUMS)

    def add(self, numbers: NDArray[np.intp], outcome: float) -> None:
        """Count one more outcome for each of some distinct numbers."""
        rows = self._rows[numbers]
        rows["count"] += 1
        rows["sum"] += outcome
        self._rows[numbers] = rows

    def rates(self, numbers: NDArray[np.integer], usual: float) -> Floats:
        """The smoothed mean of each number; `usual` for one without outcomes.

        Args:
            numbers: One number per entry; or a matrix, whose rows are pooled, one rate per row.
            usual: The mean that rates are shrunk towards.

        Returns:
            One rate per entry or row.
        """
        rows = self._rows.seen(numbers)
        count, outcomes = rows["count"], rows["sum"]
        if numbers.ndim > 1:
            count, outcomes = count.sum(axis=1), outcomes.sum(axis=1)
        rates: Floats = (outcomes + self._weight * usual) / (count + self._weight)
        return rates

    def earned(self, numbers: NDArray[np.integer]) -> Floats:
        """The most that the outcomes so far make likely: the mean if there had been one more, a good one.

        Args:
            numbers: A matrix, whose rows are pooled.

        Returns:
            One value per row; 1 without outcomes.
        """
        rows = self._rows.seen(numbers)
        earned: Floats = (rows["sum"].sum(axis=1) + 1.0) / (rows["count"].sum(axis=1) + 1.0)
        return earned

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        return self._rows.dirty_state()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Take back the pieces that `dirty_state` gave."""
        self._rows.restore(state)
