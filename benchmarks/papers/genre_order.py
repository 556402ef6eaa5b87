"""FCrawl (002, Algorithm 1) on a web whose links and scores are known, to see what its silent parts decide.

The paper does not say which of equal scores goes first, nor whose siblings a page has that several pages link to. The
crawler of this project has a parameter for the first, and takes the page where a URL was first met. Both can be
otherwise here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Links(NamedTuple):
    """Which page links to which, as `honeyguide.lab.web_graph.WebGraph` has it."""

    indptr: Ints
    indices: Ints

    def of(self, page: int) -> list[int]:
        """The pages that a page links to, in its order."""
        found: list[int] = self.indices[self.indptr[page] : self.indptr[page + 1]].tolist()
        return found


class Policy(NamedTuple):
    """Which waiting URLs get the score of a page: its children, its siblings; if it is above a threshold."""

    children: bool
    siblings: bool
    above: float = -np.inf


CHANGE = 0.20

POLICIES = {
    "PS": Policy(children=True, siblings=False),
    "FS-1": Policy(children=False, siblings=True),
    "FS-2": Policy(children=False, siblings=True, above=CHANGE),
    "PFS-1": Policy(children=True, siblings=True),
    "PFS-2": Policy(children=True, siblings=True, above=CHANGE),
}
"""Section 4.4."""


FIRST, LAST = "first", "last"

Ties = str | np.random.Generator
"""Which of equal scores goes first: the first in, the last in, or one drawn at random."""


class Queue:
    """The waiting pages. Of equal scores the one with the lower key goes first: its place, or a number drawn for it."""

    def __init__(self, ties: Ties) -> None:
        self._ties = ties
        self._keys: dict[int, float] = {}
        self._scores: dict[int, float] = {}
        self._heap: list[tuple[float, float, int]] = []

    def met(self, page: int) -> bool:
        """Whether a page waits, or has waited."""
        return page in self._keys

    def add(self, page: int, score: float) -> None:
        """A page that was never met."""
        place = len(self._keys)
        if isinstance(self._ties, str):
            self._keys[page] = place if self._ties == FIRST else -place
        else:
            self._keys[page] = float(self._ties.random())
        self._scores[page] = np.nan
        self.change([page], score)

    def change(self, pages: Sequence[int], score: float) -> None:
        """Overwrite the scores of those that wait."""
        for page in pages:
            if page in self._scores and self._scores[page] != score:
                self._scores[page] = score
                heappush(self._heap, (-score, self._keys[page], page))

    def __iter__(self) -> Iterator[int]:
        """Take the best, until none waits."""
        while self._heap:
            negative, _, page = heappop(self._heap)
            if self._scores.get(page) == -negative:
                del self._scores[page]
                yield page


def fcrawl(
    links: Links,
    scores: Floats,
    seeds: Sequence[int],
    policy: Policy,
    *,
    ties: Ties = FIRST,
    every_parent: bool = False,
) -> list[int]:
    """The order in which pages are fetched.

    The siblings of a page are what the page where it was first met links to; with `every_parent` what any page links to
    that was fetched and links to it.
    """
    queue = Queue(ties)
    parents: dict[int, list[int]] = {}
    order = []
    for seed in seeds:
        queue.add(seed, 1.0)
    fixed = frozenset(seeds)  # seeds keep their score, and have no siblings
    for page in queue:
        order.append(page)
        score = float(scores[page])
        changes = score > policy.above
        if changes and policy.siblings and page not in fixed:
            for parent in parents[page] if every_parent else parents[page][:1]:
                queue.change([one for one in links.of(parent) if parents[one][0] == parent or every_parent], score)
        promise = score if changes and policy.children else 0.0
        for child in links.of(page):
            parents.setdefault(child, []).append(page)
            if not queue.met(child):
                queue.add(child, promise)
            elif changes and policy.children and child not in fixed:
                queue.change([child], promise)
    return order
