"""The links of several pages, combined so that they can be looked up and scored together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, count

import numpy as np
from numpy.typing import NDArray


class JoinedLinks:
    """The distinct URLs that some pages link to, in the order of their first occurrence."""

    def __init__(self, pages: Sequence[Sequence[str]]) -> None:
        """`pages` has the links of each page: at least one, and distinct."""
        self.urls = list(dict.fromkeys(chain.from_iterable(pages)))
        place = dict(zip(self.urls, count(), strict=False)).__getitem__
        self.places = [np.fromiter(map(place, urls), np.intp, len(urls)) for urls in pages]
        """By page, the indices of its links in `urls`."""

    def counts(self, which: NDArray[np.bool_]) -> list[int]:
        """How many of the selected URLs occur first on each page."""
        met_so_far = list(accumulate((int(places.max()) + 1 for places in self.places), max))
        before: NDArray[np.intp] = np.concatenate(([0], np.cumsum(which)))
        return np.diff(before[[0, *met_so_far]]).tolist()  # type: ignore[no-any-return]
