"""Which new URLs a frontier accepts when it is nearly full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.frontier.frontier import Frontier
from honeyguide.frontier.record import State

Floats = NDArray[np.float64]

_FILLING: Final = 0.75  # of the limit: below this every URL is accepted
_SHARE: Final = 8  # the new URLs of one page take an eighth of the room that is left, at most
_REMEMBERED: Final = 4096  # scores of latest new URLs that others are compared with


class Admission:
    """Accepts the best of the new URLs as a frontier fills up, and none beyond its limit.

    What waits is never dropped, for URLs keep their numbers, and finding the worst would take a scan. Instead a new URL
    has to be better than most that were met recently: the fuller the frontier, the better. And one page gets only a
    part of the room that is left, so that there is always some for better links on later pages.

    Whoever offers links asks first. Seeds, and what URLs redirect to, are offered without asking.
    """

    def __init__(self, frontier: Frontier, most: int) -> None:
        """`most` is the number of URLs that may wait; 0 for no limit."""
        self._frontier = frontier
        self._most = most
        self._recent = np.zeros(0)

    def accepted(self, urls: Sequence[str], scores: Floats) -> NDArray[np.bool_] | None:
        """Which of the distinct links of a page may be offered; None for all of them. Known URLs always may.

        Args:
            urls: Canonical URLs.
            scores: What each is worth, as far as can be told from the page alone.
        """
        if self.has_room(len(urls)):
            return None
        waiting = self._frontier.count(State.WAITING)
        is_new = self.are_new(urls)
        is_accepted = ~is_new
        new = np.flatnonzero(is_new)
        is_accepted[new[self._best(scores[new], waiting)]] = True
        return is_accepted

    def has_room(self, count: int) -> bool:
        """Whether so many links may be offered, whatever they are worth."""
        return not self._most or self._frontier.count(State.WAITING) + count <= _FILLING * self._most

    def are_new(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Which of some URLs the frontier does not know."""
        find = self._frontier.urls.find
        return np.array([find(url) is None for url in urls], np.bool_)

    def _best(self, scores: Floats, waiting: int) -> NDArray[np.intp]:
        """The places of the new URLs that are good enough, and as many of them as there is room for."""
        recent = self._recent
        self._recent = np.concatenate([scores, recent])[:_REMEMBERED]
        fill = min((waiting / self._most - _FILLING) / (1 - _FILLING), 1.0)
        good = np.arange(len(scores))
        if fill > 0 and len(recent):
            good = np.flatnonzero(scores > np.quantile(recent, fill))
        room = max(self._most - waiting, 0)
        best: NDArray[np.intp] = good[np.argsort(-scores[good], kind="stable")]
        return best[: -(-room // _SHARE)]
