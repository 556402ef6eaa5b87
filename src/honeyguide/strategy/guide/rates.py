"""How well things of a kind have turned out so far: with few outcomes, close to the overall mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.queues.rows import RowStore

Floats = NDArray[np.float64]
Sums = NDArray[np.complex128]
"""How many outcomes there were (the real part) and their sum (the imaginary part): as one number, both are looked up
and added up in one step."""


class SmoothedRate:
    """Mean outcomes by number, shrunk towards the usual one as if `weight` further outcomes had been usual."""

    def __init__(self, name: str, weight: float) -> None:
        self.weight = weight
        self._rows = RowStore(name, np.dtype(np.complex128))

    def add(self, number: int, outcome: float) -> None:
        """Count one more outcome for a number."""
        self._rows.add(number, complex(1, outcome))

    def correct(self, number: int, change: float) -> None:
        """One of the outcomes of a number turned out to be larger by so much."""
        self._rows.add(number, complex(0, change))

    def sums(self, numbers: NDArray[np.integer], out: Sums | None = None) -> Sums:
        """The outcomes of each number so far; with `out`, they are written there."""
        return self._rows.raw(numbers, out)

    @property
    def table(self) -> Sums:
        """The outcomes of all numbers so far, by number; the last row, which is 0, stands for all further ones."""
        return self._rows.table

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        return self._rows.dirty_state()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Take back the pieces that `dirty_state` gave."""
        self._rows.restore(state)


def earned(sums: Sums) -> Floats:
    """The most that outcomes make likely: the mean if there had been one more, a good one. 1 without outcomes."""
    most: Floats = (sums.imag + 1.0) / (sums.real + 1.0)
    return most
