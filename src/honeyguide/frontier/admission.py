"""Which new URLs a frontier accepts when it is nearly full."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.frontier.frontier import Frontier
from honeyguide.frontier.record import State

Floats = NDArray[np.float64]

_ALWAYS_BELOW: Final = 0.75  # fraction of the limit below which every URL is accepted
_SHARE: Final = 8  # the new URLs of one page take at most an eighth of the free space
_HISTORY: Final = 4096  # scores of recent new URLs to compare with


class Admission:
    """Accepts the best of the new URLs as a frontier fills up, and none beyond its limit.

    Waiting URLs are never dropped, since URLs keep their numbers, and finding the worst would take a scan. Instead, a
    new URL has to be better than most recent ones, and the more so the fuller the frontier is. One page gets only a
    fraction of the free space, so that there is always some for better links on later pages.

    Callers ask before they offer links. Seeds and the targets of redirects are offered without asking.
    """

    def __init__(self, frontier: Frontier, most: int) -> None:
        """`most` is the number of URLs that may wait; 0 for no limit."""
        self._frontier = frontier
        self._limit = most
        self._recent = np.zeros(0)

    def accepted(self, urls: Sequence[str], scores: Floats) -> NDArray[np.bool_] | None:
        """Which of the distinct links of a page may be offered; None for all of them. Known URLs always may.

        Args:
            urls: Canonical URLs.
            scores: The estimated value of each, from the page alone.
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
        """Whether `count` links may be offered regardless of their scores."""
        return not self._limit or self._frontier.count(State.WAITING) + count <= _ALWAYS_BELOW * self._limit

    def are_new(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Which of these URLs the frontier does not know."""
        find = self._frontier.urls.find
        return np.array([find(url) is None for url in urls], np.bool_)

    def _best(self, scores: Floats, waiting: int) -> NDArray[np.intp]:
        """The indices of the new URLs that are good enough, best first, no more than there is space for."""
        recent = self._recent
        self._recent = np.concatenate([scores, recent])[:_HISTORY]
        fill = min((waiting / self._limit - _ALWAYS_BELOW) / (1 - _ALWAYS_BELOW), 1.0)
        good = np.arange(len(scores))
        if fill > 0 and len(recent):
            good = np.flatnonzero(scores > np.quantile(recent, fill))
        room = max(self._limit - waiting, 0)
        best: NDArray[np.intp] = good[np.argsort(-scores[good], kind="stable")]
        return best[: -(-room // _SHARE)]
