"""The oracle: a crawl that knows every page and every link, as a reference for strategies.

The order with the largest area under target recall cannot be computed for a real web (it contains the Steiner tree
problem, which is NP-hard), so the oracle is greedy. Its complete rule:

1. If a target is among the pages it can fetch, it fetches it. This is never worse than any other step: moving a target
   that can be fetched to the front puts it k places earlier and at most k other targets one place later.
2. Otherwise it considers the shortest paths over unfetched pages and takes the one that opens the most new targets per
   page on it that is not a target; a path opens the targets that can be fetched after it through targets alone, and no
   more of them count than the budget allows. It fetches the first page of that path and then decides again.
3. Of equally rich paths it takes the shortest, then the one whose first page opens the most targets, then the one whose
   first page links to unknown pages that open the most, then to the most of these pages, then the one found
   first. It ends when the budget is spent or when no target can be reached with the rest of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_Promise = tuple[int, int, int]

_UNKNOWN, _KNOWN, _FETCHED = 0, 1, 2


def oracle(indptr: Ints, indices: Ints, seeds: Iterable[int], targets: Iterable[int], budget: int) -> list[int]:
    """The pages in the order in which the oracle fetches them, at most `budget`.

    The links of page p are `indices[indptr[p]:indptr[p + 1]]`, in the order of the page. A page can be fetched when it
    is a seed or a fetched page links to it. Seeds that lead to no target and unreachable targets are left out.
    """
    links = [list(dict.fromkeys(indices[a:b].tolist())) for a, b in pairwise(indptr)]
    seeds = list(dict.fromkeys(seeds))
    reached = _reached(links, seeds)
    # Unreachable pages lose their links, so that they do not open targets.
    web = _Web([others if page in reached else [] for page, others in enumerate(links)], sorted(set(targets) & reached))
    return _Crawl(web, seeds, budget).run()


class _Web:
    """The static part: for every page, the targets that it opens, as one bit per target."""

    def __init__(self, links: list[list[int]], targets: list[int]) -> None:
        self.links = links
        self.bit = {target: 1 << number for number, target in enumerate(targets)}
        reach = self._reach()
        self.opens = [0] * len(links)
        """The targets that can be fetched after a page through targets alone; a target includes itself."""
        for page, others in enumerate(links):
            for other in others:
                if other in reach:
                    self.opens[page] |= reach[other]
        for target, bits in reach.items():
            self.opens[target] = bits

    def _reach(self) -> dict[int, int]:
        """A target and all targets that can be reached from it through targets alone."""
        inner = {target: [other for other in self.links[target] if other in self.bit] for target in self.bit}
        sources: dict[int, list[int]] = {target: [] for target in inner}
        for target, others in inner.items():
            for other in others:
                sources[other].append(target)
        reach = dict(self.bit)
        changed = deque(inner)
        while changed:
            target = changed.popleft()
            for source in sources[target]:
                if reach[source] | reach[target] != reach[source]:
                    reach[source] |= reach[target]
                    changed.append(source)
        return reach


@dataclass(frozen=True)
class _Way:
    """`pages` that are not targets have to be fetched, the first of them `first`, to open `opened` targets."""

    first: int
    pages: int
    opened: int

    def is_richer(self, other: _Way) -> bool:
        return self.opened * other.pages > other.opened * self.pages


class _Ranks:
    """Pages by the number of targets that they open. That number only decreases, so pages are re-ranked lazily."""

    def __init__(self, worth: Callable[[int], int]) -> None:
        self._worth = worth
        self._pages: list[list[int]] = []

    def add(self, page: int) -> None:
        worth = self._worth(page)
        self._pages.extend([] for _ in range(worth + 1 - len(self._pages)))
        self._pages[worth].append(page)

    def best(self) -> tuple[int, list[int]]:
        """The highest value and the pages that have it; pages with the value 0 are dropped."""
        while len(self._pages) > 1:
            rank = len(self._pages) - 1
            pages = self._pages[rank]
            self._pages[rank] = []
            for page in pages:
                self._pages[self._worth(page)].append(page)
            if self._pages[rank]:
                return rank, self._pages[rank]
            self._pages.pop()
        self._pages.clear()
        return 0, []


class _Crawl:
    def __init__(self, web: _Web, seeds: list[int], budget: int) -> None:
        self._web = web
        self._budget = budget
        self._state = bytearray(len(web.links))
        self._left = sum(web.bit.values())
        self._order: list[int] = []
        self._targets: deque[int] = deque()
        """Targets that can be fetched."""
        self._unknown = _Ranks(lambda page: self._worth(page, _UNKNOWN))
        self._known = _Ranks(lambda page: self._worth(page, _KNOWN))
        """Pages that can be fetched and are not targets."""
        self._frontier_pages: dict[int, list[int]] = {}
        """Those of them that link to unknown pages, with these pages."""
        self._number: dict[int, int] = {}
        for page, opened in enumerate(web.opens):
            if opened and page not in web.bit:
                self._unknown.add(page)
        self._find(seeds)

    def run(self) -> list[int]:
        while len(self._order) < self._budget:
            if self._targets:
                self._fetch(self._targets.popleft())
                continue
            way = self._richest_way(self._budget - len(self._order))
            if way.opened <= 0:
                break
            self._fetch(way.first)
        return self._order

    def _worth(self, page: int, state: int) -> int:
        return self._gain(self._web.opens[page]) if self._state[page] == state else 0

    def _gain(self, opened: int) -> int:
        return (opened & self._left).bit_count()

    def _fetch(self, page: int) -> None:
        self._order.append(page)
        self._state[page] = _FETCHED
        self._left &= ~self._web.bit.get(page, 0)
        self._frontier_pages.pop(page, None)
        self._find(self._web.links[page])

    def _find(self, pages: list[int]) -> None:
        for page in pages:
            if self._state[page] == _UNKNOWN:
                self._state[page] = _KNOWN
                if page in self._web.bit:
                    self._targets.append(page)
                    continue
                self._number[page] = len(self._number)
                self._frontier_pages[page] = self._web.links[page]
                self._known.add(page)

    def _richest_way(self, room: int) -> _Way:
        opened, pages = self._known.best()
        way = _Way(-1, 1, 0)
        if opened:
            first = max(pages, key=lambda page: (self._promise(page), -self._number[page]))
            way = _Way(first, 1, min(opened, room - 1))
        # A way is at most as rich as the richest page on it: look farther only for a page that is worth it.
        return self._farther(way, room) if self._unknown.best()[0] > opened else way

    def _promise(self, page: int) -> _Promise:
        """The targets that it opens, those that the unknown pages it links to open, and the number of these pages."""
        unknown = [other for other in self._frontier_pages.get(page, ()) if self._state[other] == _UNKNOWN]
        opened = 0
        for other in unknown:
            opened |= self._web.opens[other]
        own = self._web.opens[page]
        return self._gain(own), self._gain(opened & ~own), len(unknown)

    def _farther(self, best: _Way, room: int) -> _Way:
        """The richest way of two pages or more that are no targets, if it is richer than `best`.

        Breadth-first by the number of such pages. Each page keeps one way to it: of the shortest ones the one that
        opens the most, then the one with the most promise.
        """
        promise = {page: self._promise(page) for page in self._refreshed_rim()}
        opened = {page: self._web.opens[page] & self._left for page in promise}
        first = {page: page for page in promise}
        level, steps, total = list(promise), 1, self._left.bit_count()
        while level:
            steps += 1
            if not _Way(-1, steps, min(total, room - steps)).is_richer(best):
                break
            level = self._next_level(level, opened, first, promise)
            if level:
                page = max(level, key=lambda page: (min(opened[page].bit_count(), room - steps), promise[first[page]]))
                way = _Way(first[page], steps, min(opened[page].bit_count(), room - steps))
                best = way if way.is_richer(best) else best
        return best

    def _refreshed_rim(self) -> list[int]:
        """The pages that can be fetched and link to unknown pages, in the order in which they were found."""
        for page, others in list(self._frontier_pages.items()):
            unknown = [other for other in others if self._state[other] == _UNKNOWN]
            if unknown:
                self._frontier_pages[page] = unknown
            else:
                del self._frontier_pages[page]
        return list(self._frontier_pages)

    def _next_level(
        self, level: list[int], opened: dict[int, int], first: dict[int, int], promise: dict[int, _Promise]
    ) -> list[int]:
        """The unknown pages one page farther than `level`; the ways to them are added to `opened` and `first`."""
        found: dict[int, tuple[int, _Promise]] = {}
        # Best first, since a target, which costs the way nothing, passes on the way that reaches it first.
        queue = deque(sorted(level, key=lambda page: (opened[page].bit_count(), promise[first[page]]), reverse=True))
        while queue:
            page = queue.popleft()
            for other in self._frontier_pages.get(page, self._web.links[page]):
                if self._state[other] != _UNKNOWN or (other in opened and other not in found):
                    continue
                if other in self._web.bit:
                    opened[other], first[other] = opened[page], first[page]
                    queue.appendleft(other)
                    continue
                together = opened[page] | (self._web.opens[other] & self._left)
                rank = (together.bit_count(), promise[first[page]])
                if other not in found or rank > found[other]:
                    opened[other], first[other], found[other] = together, first[page], rank
        return list(found)


def _reached(links: list[list[int]], seeds: list[int]) -> set[int]:
    seen = set(seeds)
    queue = list(seeds)
    while queue:
        new = [other for other in links[queue.pop()] if other not in seen]
        seen.update(new)
        queue.extend(new)
    return seen
