"""One walk over the pages of a crawl, in the order they were fetched: all that its charts and tables show."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from honeyguide.page.url import host_of
from honeyguide.store.crawl import Crawl

RECENT = 100
"""Pages over which the recent harvest is counted."""
MOST_POINTS = 400
"""A curve has no more, however long the crawl: more could not be seen."""
BINS = 100
"""Equal parts into which relevance, from 0 to 1, is counted."""


@dataclass(frozen=True)
class Truth:
    """What is known beforehand about a web: which of its pages are relevant, and how many there are."""

    relevant: frozenset[str] | Callable[[str], bool]
    total: int

    def holds(self, url: str) -> bool:
        """Whether the page is relevant."""
        return self.relevant(url) if callable(self.relevant) else url in self.relevant


class HarvestPoint(NamedTuple):
    """How things stood after so many pages."""

    pages: int
    found: int
    recent: int | None
    """Relevant pages among the last `RECENT`; None before there were as many."""
    true: int
    """Pages that are relevant in truth; 0 when that is not known."""


@dataclass(slots=True)
class HostCount:
    """What came from a host."""

    pages: int = 0
    found: int = 0


@dataclass(slots=True)
class CrawlStatistics:
    """Counts of a whole crawl. Only the hosts take more memory for a longer crawl."""

    pages: int = 0
    found: int = 0
    duplicates: int = 0
    true: int = 0
    curve: list[HarvestPoint] = field(default_factory=list)
    hosts: dict[str, HostCount] = field(default_factory=dict)
    zeros: int = 0
    """Pages without a single word of the topic; no part of `scores`."""
    scores: list[list[int]] = field(default_factory=lambda: [[0, 0] for _ in range(BINS)])
    """A row a bin: pages that do not count as found, pages that do."""


def survey(crawl: Crawl, truth: Truth | None = None) -> CrawlStatistics:
    """Walk over the pages once."""
    done = CrawlStatistics()
    wanted = _sampled(crawl.count(relevant=False))
    recent: deque[bool] = deque(maxlen=RECENT)
    in_recent = 0
    sql = (
        "SELECT urls.url, pages.relevance, pages.relevant, pages.duplicate_of IS NOT NULL "
        "FROM pages JOIN urls USING (id) ORDER BY pages.seq"
    )
    for url, relevance, relevant, duplicate in crawl.query(sql):
        found = bool(relevant and not duplicate)
        done.pages += 1
        done.found += found
        done.duplicates += duplicate
        done.true += truth is not None and truth.holds(url)
        if len(recent) == RECENT:
            in_recent -= recent[0]
        recent.append(found)
        in_recent += found
        _count(done, url, relevance, found)
        if done.pages in wanted:
            full = len(recent) == RECENT
            done.curve.append(HarvestPoint(done.pages, done.found, in_recent if full else None, done.true))
    return done


def _sampled(pages: int) -> frozenset[int]:
    """After which pages a curve has a point: the first, the last, and evenly between."""
    points = min(pages, MOST_POINTS)
    return frozenset({1, *(-(-pages * number // points) for number in range(1, points + 1))} if points else ())


def _count(done: CrawlStatistics, url: str, relevance: float, found: bool) -> None:
    host = done.hosts.setdefault(host_of(url), HostCount())
    host.pages += 1
    host.found += found
    if relevance > 0:
        done.scores[min(int(relevance * BINS), BINS - 1)][found] += 1
    else:
        done.zeros += 1
