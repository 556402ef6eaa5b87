"""The links of several pages, to be looked up and judged together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, count

import numpy as np
from numpy.typing import NDArray


class JoinedLinks:
    """Each URL that some pages link to once, in the order in which the pages, one after the other, link to it."""

    def __init__(self, pages: Sequence[Sequence[str]]) -> None:
        """`pages` are the links of each, at least one, and distinct."""
        self.urls = list(dict.fromkeys(chain.from_iterable(pages)))
        place = dict(zip(self.urls, count(), strict=False)).__getitem__
        self.places = [np.fromiter(map(place, urls), np.intp, len(urls)) for urls in pages]
        """By page, which of the URLs it links to."""

    def counts(self, which: NDArray[np.bool_]) -> list[int]:
        """How many of some of the URLs were met on each page for the first time: they follow each other in `urls`."""
        met = list(accumulate((int(places.max()) + 1 for places in self.places), max))
        before: NDArray[np.intp] = np.concatenate(([0], np.cumsum(which)))
        return np.diff(before[[0, *met]]).tolist()  # type: ignore[no-any-return]
