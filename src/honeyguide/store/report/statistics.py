"""The statistics that the report shows, from one pass over the pages of a crawl in the order of fetching."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from honeyguide.page.url import host_of
from honeyguide.store.crawl import Crawl

RECENT = 100
"""Number of pages over which the recent harvest rate is computed."""
MOST_POINTS = 400
"""Maximum number of points of a curve, however long the crawl: more would not be visible."""
BINS = 100
"""Number of equal bins for relevance, from 0 to 1."""


@dataclass(frozen=True)
class Truth:
    """The ground truth of a web: which of its pages are relevant, and how many there are."""

    relevant: frozenset[str] | Callable[[str], bool]
    total: int

    def holds(self, url: str) -> bool:
        """Whether the page is relevant."""
        return self.relevant(url) if callable(self.relevant) else url in self.relevant


class HarvestPoint(NamedTuple):
    """The counts after a number of pages."""

    pages: int
    found: int
    recent: int | None
    """Relevant pages among the last `RECENT`; None before there were that many."""
    true: int
    """Pages that are relevant by the ground truth; 0 when that is not known."""


@dataclass(slots=True)
class HostCount:
    """The counts of a host, or of a folder."""

    pages: int = 0
    found: int = 0


@dataclass(slots=True)
class CrawlStatistics:
    """Counts of a whole crawl. Only `hosts` grows with the length of the crawl."""

    pages: int = 0
    found: int = 0
    duplicates: int = 0
    true: int = 0
    curve: list[HarvestPoint] = field(default_factory=list)
    hosts: dict[str, HostCount] = field(default_factory=dict)
    zeros: int = 0
    """Pages with score 0, without a single word of the topic; not included in `scores`."""
    scores: list[list[int]] = field(default_factory=lambda: [[0, 0] for _ in range(BINS)])
    """One row per bin: the number of pages that do not count as found, and of those that do."""


def survey(crawl: Crawl, truth: Truth | None = None) -> CrawlStatistics:
    """Compute the statistics of a crawl in one pass over its pages."""
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


def folders(crawl: Crawl) -> dict[str, HostCount]:
    """The counts of each folder at the top of a site, such as ``/articles/``; "/" for the pages that are in none."""
    counts: dict[str, HostCount] = {}
    sql = "SELECT urls.url, pages.relevant AND pages.duplicate_of IS NULL FROM pages JOIN urls USING (id)"
    for url, found in crawl.query(sql):
        _, _, path = url.partition("://")[2].partition("?")[0].partition("/")
        folder, slash, _ = path.partition("/")
        count = counts.setdefault(f"/{folder}/" if slash else "/", HostCount())
        count.pages += 1
        count.found += found
    return counts


def _sampled(pages: int) -> frozenset[int]:
    """The numbers of pages at which a curve has a point: the first, the last, and evenly spaced ones between."""
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
