"""How well things of a kind have turned out so far: with few of them, nearly as well as anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.queues.rows import Rows

Floats = NDArray[np.float64]

_SUMS = np.dtype([("count", np.float64), ("sum", np.float64)])


class Success:
    """Mean outcomes by number, drawn towards the usual one as if `weight` more of that had been seen."""

    def __init__(self, name: str, weight: float) -> None:
        self._weight = weight
        self._rows = Rows(name, _SUMS)

    def add(self, numbers: NDArray[np.intp], outcome: float) -> None:
        """One more outcome of each of some different things."""
        rows = self._rows[numbers]
        rows["count"] += 1
        rows["sum"] += outcome
        self._rows[numbers] = rows

    def rates(self, numbers: NDArray[np.integer], usual: float) -> Floats:
        """The mean of each; the usual one for what was never seen. Of a row of numbers, that of all of them."""
        rows = self._rows.seen(numbers)
        count, outcomes = rows["count"], rows["sum"]
        if numbers.ndim > 1:
            count, outcomes = count.sum(axis=1), outcomes.sum(axis=1)
        rates: Floats = (outcomes + self._weight * usual) / (count + self._weight)
        return rates

    def changed(self) -> Iterator[tuple[str, bytes]]:
        """What changed since the last call."""
        return self._rows.changed()

    def restore(self, kept: Mapping[str, bytes]) -> None:
        """What was kept."""
        self._rows.restore(kept)
