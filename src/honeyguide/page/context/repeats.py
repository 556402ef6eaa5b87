"""URLs that are linked several times on a page: which of their contexts is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans


@dataclass(frozen=True, slots=True)
class Repeats:
    """The distinct URLs of some links in order of first appearance, and the URL of each link."""

    urls: list[str]
    of_link: NDArray[np.intp]
    """For each link, the index of its URL in `urls`."""

    def first(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """One score per URL: that of its first link (003)."""
        _, places = np.unique(self.of_link, return_index=True)
        return scores[places]

    def max(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """One score per URL: the best of its links (001).

        Scores may be a matrix with a row for each of several texts; then so is the result.
        """
        if len(self.of_link) == len(self.urls):
            return scores
        order = self.of_link.argsort(kind="stable")
        starts = self.of_link.take(order).searchsorted(np.arange(len(self.urls)))
        best: NDArray[np.float64] = np.maximum.reduceat(scores.take(order, axis=-1), starts, axis=-1)
        return best


def repeats(urls: Sequence[str]) -> Repeats:
    """Group links by URL."""
    places: dict[str, int] = {}
    of_link = [places.setdefault(url, len(places)) for url in urls]
    return Repeats(list(places), np.array(of_link, np.intp))


def joined(contexts: Spans, found: Repeats) -> list[list[tuple[int, int]]]:
    """Each URL's contexts as one text (000): the spans it consists of, in page order, none if it has no words.

    Where contexts of one URL overlap (two links in one paragraph), each word counts once; those that overlap or touch
    are one span.
    """
    pieces: list[list[tuple[int, int]]] = [[] for _ in found.urls]
    order = np.lexsort((contexts[:, 0], found.of_link))
    for url, (first, last) in zip(found.of_link[order].tolist(), contexts[order].tolist(), strict=True):
        own = pieces[url]
        if first >= last:
            continue
        if own and first <= own[-1][1]:
            own[-1] = (own[-1][0], max(own[-1][1], last))
        else:
            own.append((first, last))
    return pieces
