"""Which pages of a crawl the report shows and reads: chosen in one pass over all pages, in bounded memory."""

from __future__ import annotations

import heapq
from collections.abc import Collection
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

BEST = 30
"""How many of the most relevant pages are shown."""
NEAR = 10
"""How many pages are shown on each side of the threshold."""
SAMPLE = 50
"""How many of the relevant pages are drawn for checking precision."""
TERM_PAGES = 150
"""How many relevant pages, and how many others, the terms are counted in."""

_SEED = b"honeyguide report"


class PageScore(NamedTuple):
    """A page as the pass over all pages sees it."""

    number: int
    url: str
    relevance: float
    relevant: bool
    duplicate: bool


class Smallest:
    """Keeps the entries with the smallest keys; of equal keys those that came first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._count = 0
        self._heap: list[tuple[float, int, int]] = []

    def add(self, key: float, number: int) -> None:
        """Offer an entry."""
        self._count -= 1
        entry = (-key, self._count, number)
        if len(self._heap) < self._size:
            heapq.heappush(self._heap, entry)
        elif entry > self._heap[0]:
            heapq.heapreplace(self._heap, entry)

    @property
    def numbers(self) -> list[int]:
        """The kept entries, smallest key first."""
        return [number for _, _, number in sorted(self._heap, reverse=True)]


@dataclass(slots=True)
class Selection:
    """The pages to show and to read, by their numbers. Duplicates are never among them.

    A page is drawn by a hash of its URL. So a sample is random, but the same every time, and when pages are added or
    judged again, most of it stays, so that existing marks remain useful.
    """

    threshold: float
    learnt: Collection[str] = ()
    """URLs of pages whose labels the model has learnt from: they say nothing about its precision."""
    best: Smallest = field(default_factory=lambda: Smallest(BEST))
    above: Smallest = field(default_factory=lambda: Smallest(NEAR))
    """At the threshold or above it, nearest first."""
    below: Smallest = field(default_factory=lambda: Smallest(NEAR))
    """Below the threshold, nearest first."""
    sample: Smallest = field(default_factory=lambda: Smallest(SAMPLE))
    """Of the relevant pages."""
    drawn_from: int = 0
    """How many pages the sample was drawn from."""
    relevant: Smallest = field(default_factory=lambda: Smallest(TERM_PAGES))
    others: Smallest = field(default_factory=lambda: Smallest(TERM_PAGES))

    def add(self, page: PageScore) -> None:
        """Offer a page."""
        if page.duplicate:
            return
        distance = page.relevance - self.threshold
        if distance >= 0:
            self.above.add(distance, page.number)
        elif page.relevance > 0:
            self.below.add(-distance, page.number)
        lot = _lot(page.url)
        if not page.relevant:
            self.others.add(lot, page.number)
            return
        self.best.add(-page.relevance, page.number)
        self.relevant.add(lot, page.number)
        if page.url not in self.learnt:
            self.drawn_from += 1
            self.sample.add(lot, page.number)


def _lot(url: str) -> int:
    """A number that is evenly distributed over URLs, and that no page can choose without trying many addresses."""
    return int.from_bytes(blake2b(url.encode("utf-8", "replace"), digest_size=6, key=_SEED).digest())
