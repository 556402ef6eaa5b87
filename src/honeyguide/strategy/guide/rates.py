"""Mean outcomes of groups of URLs, smoothed: with few outcomes, close to the overall mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from honeyguide.strategy.queues.rows import RowStore

Floats = NDArray[np.float64]
Sums = NDArray[np.complex128]
"""The number of outcomes (the real part) and their sum (the imaginary part): as one complex number, both are looked up
and added in one step."""


class SmoothedRate:
    """Mean outcomes by number, shrunk towards the overall mean as if `weight` more outcomes had been equal to it."""

    def __init__(self, name: str, weight: float) -> None:
        self.weight = weight
        self._rows = RowStore(name, np.dtype(np.complex128))

    def add(self, number: int, outcome: float) -> None:
        """Count one more outcome for a number."""
        self._rows.add(number, complex(1, outcome))

    def correct(self, number: int, change: float) -> None:
        """Add `change` to one of the outcomes of a number."""
        self._rows.add(number, complex(0, change))

    def sums(self, numbers: NDArray[np.integer], out: Sums | None = None) -> Sums:
        """The sums for each number; written to `out`, if given."""
        return self._rows.raw(numbers, out)

    @property
    def table(self) -> Sums:
        """The sums for all numbers; the last row, which is 0, stands for all larger numbers."""
        return self._rows.table

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        return self._rows.dirty_state()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore the pieces that `dirty_state` returned."""
        self._rows.restore(state)


def earned(sums: Sums) -> Floats:
    """Optimistic estimates: the means if there had been one more outcome, of 1. They are 1 without outcomes."""
    most: Floats = (sums.imag + 1.0) / (sums.real + 1.0)
    return most
