"""How far the links of example pages can be trusted."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray


class ExampleTrust:
    """Says how likely a link of an example page leads to a relevant one, by those links whose targets are known.

    Pages of a subject tend to link to each other; pages of a kind (courses, people) do not, but hang on lists. Which of
    these a topic is shows in its own examples: of the examples that they link to, how many are positive? The trust is
    the expected share of these, with every share equally likely before any were met (a Beta distribution).
    """

    def __init__(self) -> None:
        self._positive = self._negative = 0

    def add(self, examples: NDArray[np.int8]) -> None:
        """Count what examples link to for the first time: 1 for a positive example, -1 for a negative one, else 0."""
        self._positive += int(np.count_nonzero(examples > 0))
        self._negative += int(np.count_nonzero(examples < 0))

    @property
    def value(self) -> float:
        """From 0 to 1; one half before anything is known."""
        return (self._positive + 1) / (self._positive + self._negative + 2)

    def totals(self) -> NDArray[np.float64]:
        """What was counted: the counts of several can be added up."""
        return np.array([self._positive, self._negative], np.float64)

    def add_totals(self, more: NDArray[np.float64]) -> None:
        """Add what others have counted."""
        self._positive += round(float(more[0]))
        self._negative += round(float(more[1]))

    def dump(self) -> bytes:
        """What was counted."""
        return json.dumps([self._positive, self._negative]).encode()

    def restore(self, state: bytes) -> None:
        """Take back what `dump` returned."""
        self._positive, self._negative = json.loads(state)
