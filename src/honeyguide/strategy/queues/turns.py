"""Waiting URLs in turns, a few at a time, so that a queue can re-score all of them without ever scanning them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.frontier import Frontier, State


class Turns:
    """Goes round and round through the URLs of a frontier."""

    def __init__(self, most: int) -> None:
        """Of `most` URLs at a time it gives those that wait."""
        self._most = most
        self.next = 0
        """The URL that is looked at next: its state."""

    def waiting(self, frontier: Frontier) -> NDArray[np.intp]:
        """The next URLs that wait, without seeds: few, or none."""
        urls, every = frontier.urls, len(frontier)
        numbers = np.arange(self.next, min(self.next + self._most, every))
        self.next = int(numbers[-1] + 1) % every
        is_open = (urls.states(numbers) == State.WAITING) & (urls.depths(numbers) > 0)
        return numbers.compress(is_open)
