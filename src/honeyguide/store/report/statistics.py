"""The statistics that the report shows, from one pass over the pages of a crawl in the order of fetching."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from honeyguide.page.url import host_of
from honeyguide.store.crawl import Crawl
from honeyguide.store.report.selection import PageScore, Selection

RECENT = 100
"""Number of pages over which the recent harvest rate is computed."""
MOST_POINTS = 400
"""Maximum number of points of a curve, however long the crawl: more would not be visible."""
BINS = 100
"""Number of equal bins for relevance, from 0 to 1."""

_STEP = 20_000  # pages after which progress is reported


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
    """The counts of a host, a site or a folder."""

    pages: int = 0
    found: int = 0
    failed: int = 0
    """URLs that were given up."""

    def add(self, other: HostCount) -> None:
        """Add the counts of another one."""
        self.pages += other.pages
        self.found += other.found
        self.failed += other.failed


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


def survey(
    crawl: Crawl,
    truth: Truth | None = None,
    selection: Selection | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CrawlStatistics:
    """Compute the statistics of a crawl in one pass over its pages, each of which is offered to the `selection`."""
    done = CrawlStatistics()
    total = crawl.count(relevant=False)
    wanted = _sampled(total)
    recent: deque[bool] = deque(maxlen=RECENT)
    in_recent = 0
    sql = (
        "SELECT pages.id, urls.url, pages.relevance, pages.relevant, pages.duplicate_of IS NOT NULL "
        "FROM pages JOIN urls USING (id) ORDER BY pages.seq"
    )
    for number, url, relevance, relevant, duplicate in crawl.query(sql):
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
        if selection is not None:
            selection.add(PageScore(number, url, relevance, bool(relevant), bool(duplicate)))
        if progress is not None and done.pages % _STEP == 0:
            progress(done.pages, total)
        if done.pages in wanted:
            full = len(recent) == RECENT
            done.curve.append(HarvestPoint(done.pages, done.found, in_recent if full else None, done.true))
    return done


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
