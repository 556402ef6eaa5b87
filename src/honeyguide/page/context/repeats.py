"""URLs that are linked several times on a page: which of their contexts counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.spans import Spans, spans_of


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
        """One score per URL: the best of its links (001)."""
        best = np.full(len(self.urls), -np.inf)
        np.maximum.at(best, self.of_link, scores)
        return best


def repeats(urls: Sequence[str]) -> Repeats:
    """Group links by URL."""
    places: dict[str, int] = {}
    of_link = [places.setdefault(url, len(places)) for url in urls]
    return Repeats(list(places), np.array(of_link, np.intp))


def joined(tokens: NDArray[np.uint32], contexts: Spans, found: Repeats) -> tuple[NDArray[np.uint32], Spans]:
    """Each URL's contexts as one text (000): the concatenated tokens of all contexts, and one span per URL.

    Where contexts of one URL overlap (two links in one paragraph), each word counts once.
    """
    sizes = np.zeros(len(found.urls), np.int32)
    pieces: list[NDArray[np.uint32]] = []
    url, reached = -1, 0
    for link in np.lexsort((contexts[:, 0], found.of_link)).tolist():
        if found.of_link[link] != url:
            url, reached = int(found.of_link[link]), 0
        first, last = max(int(contexts[link, 0]), reached), int(contexts[link, 1])
        if first < last:
            pieces.append(tokens[first:last])
            sizes[url] += last - first
            reached = last
    ends = np.cumsum(sizes, dtype=np.int32)
    return np.concatenate([tokens[:0], *pieces]), spans_of(ends - sizes, ends)
