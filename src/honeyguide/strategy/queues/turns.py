"""Waiting URLs in rotation, a few at a time, so that a queue can re-score all of them without a scan."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.frontier import Frontier, State


class Turns:
    """Cycles through the URLs of a frontier."""

    def __init__(self, most: int) -> None:
        """It looks at `most` URLs at a time."""
        self._most = most
        self.next = 0
        """The next URL to look at, which is its only state."""

    def waiting(self, frontier: Frontier) -> NDArray[np.intp]:
        """The waiting URLs, without seeds, among the next ones: few, or none."""
        urls, every = frontier.urls, len(frontier)
        numbers = np.arange(self.next, min(self.next + self._most, every))
        self.next = int(numbers[-1] + 1) % every
        is_open = (urls.states(numbers) == State.WAITING) & (urls.depths(numbers) > 0)
        return numbers.compress(is_open)
