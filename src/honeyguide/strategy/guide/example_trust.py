"""How far the links of example pages can be trusted."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray


class ExampleTrust:
    """Estimates the probability that a link of an example page leads to a relevant page, from links to known targets.

    Pages about a subject tend to link to each other; pages of a kind (courses, people) do not, but are linked from
    lists. The examples show which of the two a topic is: of the examples that they link to, how many are positive? The
    trust is the expected value of that share, given a uniform prior (a Beta distribution).
    """

    def __init__(self) -> None:
        self._positive = self._negative = 0

    def add(self, examples: NDArray[np.int8]) -> None:
        """Count new targets of links from examples: 1 for a positive example, -1 for a negative one, else 0."""
        self._positive += int(np.count_nonzero(examples > 0))
        self._negative += int(np.count_nonzero(examples < 0))

    @property
    def value(self) -> float:
        """The trust, from 0 to 1; one half before anything is counted."""
        return (self._positive + 1) / (self._positive + self._negative + 2)

    @property
    def size(self) -> int:
        """The length of `totals`."""
        return 2

    def totals(self) -> NDArray[np.float64]:
        """The counts, which can be added up over several instances."""
        return np.array([self._positive, self._negative], np.float64)

    def add_totals(self, more: NDArray[np.float64]) -> None:
        """Add the counts of others."""
        self._positive += round(float(more[0]))
        self._negative += round(float(more[1]))

    def dump(self) -> bytes:
        """The counts, serialised."""
        return json.dumps([self._positive, self._negative]).encode()

    def restore(self, state: bytes) -> None:
        """Restore what `dump` returned."""
        self._positive, self._negative = json.loads(state)
