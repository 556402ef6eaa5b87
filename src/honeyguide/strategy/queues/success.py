"""How well things of a kind have turned out so far: with few of them, nearly as well as anything."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Success:
    """Mean outcomes by number, drawn towards the usual one as if `weight` more of that had been seen."""

    def __init__(self, weight: float) -> None:
        self._weight = weight
        self._counts = np.zeros(64)
        self._sums = np.zeros(64)

    def add(self, number: int, outcome: float) -> None:
        """One more outcome."""
        while number >= len(self._counts):
            self._counts = np.concatenate([self._counts, np.zeros(len(self._counts))])
            self._sums = np.concatenate([self._sums, np.zeros(len(self._sums))])
        self._counts[number] += 1
        self._sums[number] += outcome

    def rates(self, numbers: NDArray[np.intp], usual: float) -> NDArray[np.float64]:
        """The mean of each; the usual one for what was never seen."""
        seen = np.minimum(numbers, len(self._counts) - 1)
        is_there = numbers < len(self._counts)
        counts = np.where(is_there, self._counts[seen], 0.0)
        sums = np.where(is_there, self._sums[seen], 0.0)
        return (sums + self._weight * usual) / (counts + self._weight)
