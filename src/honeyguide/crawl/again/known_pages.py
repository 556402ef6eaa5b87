"""The pages of earlier runs that can be revisited, with the results of earlier visits."""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final

from honeyguide.crawl.again.change_model import ChangeModel, PageKind, kind_of
from honeyguide.frontier import Frontier
from honeyguide.store.url_events import Query, parse_detail

DAY: Final = 86_400.0

SAME: Final = "same"
TOUCHED: Final = "touched"
CHANGED: Final = "changed"
GONE: Final = "gone"
MOVED: Final = "moved"
FAILED: Final = "failed"
REFUSED: Final = "refused"
"""The results of a visit: the page is the same; has other bytes, but the same text and links; has changed; is gone;
redirects; could not be fetched; may no longer be requested."""

_ALIVE = frozenset((SAME, TOUCHED, CHANGED))
_LEAST_AGE = 120.0  # seconds: a dynamic page is modified at the time of every request
_PAGES = """
    SELECT pages.id, urls.url, words, links, relevance, relevant, duplicate_of IS NOT NULL, fetched, etag, modified
    FROM pages JOIN urls USING (id) LEFT JOIN validators ON validators.page = pages.id
"""
_BEHIND = """
    SELECT urls.parent, count(*), sum(pages.relevant AND pages.duplicate_of IS NULL) FROM pages JOIN urls USING (id)
    WHERE urls.parent >= 0 GROUP BY 1
"""
_VISITS = "SELECT url, time, kind, detail FROM events WHERE kind IN ('page', 'again') ORDER BY id"


@dataclass(slots=True)
class KnownPage:
    """A page that can be revisited."""

    number: int
    host: int
    site: str
    kind: PageKind
    relevance: float
    """Relative to the threshold."""
    relevant: bool
    """Whether it is relevant and not a duplicate."""
    visited: float
    """The last time at which its copy was known to be current."""
    followed: int = 0
    """Number of fetched pages that were first found on it ..."""
    found: int = 0
    """... and how many of them are relevant."""
    changes: int = 0
    """Number of visits that found it changed ..."""
    brought: int = 0
    """... and number of new links that they found."""
    tried: float = 0.0
    """Time of the last failed attempt ..."""
    failures: int = 0
    """... and number of consecutive failures."""
    is_gone: bool = False

    def learn(self, result: str, time: float, model: ChangeModel, detail: dict[str, Any]) -> None:
        """Learn from a visit at `time`."""
        if result not in _ALIVE:
            self.tried, self.failures = time, self.failures + 1
            self.is_gone = self.is_gone or result in (GONE, MOVED)
            return
        days = max(time - self.visited, 1.0) / DAY
        quiet = detail.get("quiet")
        if result == CHANGED:
            ago = quiet / DAY if isinstance(quiet, int | float) and 0 <= quiet <= days * DAY else None
            model.changed(self.number, self.site, self.kind, days, ago)
            self.changes += 1
            new = detail.get("new")
            self.brought += new if isinstance(new, int) else 0
        else:
            model.same(self.number, self.site, self.kind, days)
        self.visited, self.failures, self.is_gone = time, 0, False


def known_pages(query: Query, frontier: Frontier, threshold: float, model: ChangeModel) -> dict[int, KnownPage]:
    """All pages of a crawl by number, including the results of earlier visits, which `model` also learns from."""
    pages: dict[int, KnownPage] = {}
    modified: dict[int, str] = {}
    urls, hosts = frontier.urls, frontier.hosts
    for number, url, words, links, relevance, relevant, is_copy, fetched, _etag, date in query(_PAGES):
        host = urls.host(number)
        share, found = share_of(relevance, threshold), bool(relevant) and not is_copy
        kind = kind_of(url, words, links)
        pages[number] = KnownPage(number, host, hosts.domain(host), kind, share, found, fetched)
        if date:
            modified[number] = date
    for parent, followed, relevant in query(_BEHIND):
        if parent in pages:
            pages[parent].followed, pages[parent].found = followed, relevant
    for number, time, what, detail in query(_VISITS):
        page = pages.get(number)
        if page is None:
            continue
        if what == "page":
            page.visited = time
        else:
            seen = parse_detail(detail)
            page.learn(str(seen.get("result", "")), time, model, seen)
    for number, date in modified.items():
        page = pages[number]
        age = page.visited - _seconds(date, page.visited)
        if not page.changes and age >= _LEAST_AGE:  # visits are more informative
            model.changed(number, page.site, page.kind, age / DAY, age / DAY)
    return pages


def first_new(query: Query) -> int:
    """The number of the first URL found by the revisits since the last ordinary run.

    If the last run was an ordinary one, the number that the next new URL will get.
    """
    ((first,),) = query("SELECT count(*) FROM urls")
    for (detail,) in query("SELECT detail FROM events WHERE kind = 'start' ORDER BY id DESC"):
        known = parse_detail(detail).get("again")
        if not isinstance(known, int):
            break
        first = min(first, known)
    return int(first)


def share_of(relevance: float, threshold: float) -> float:
    """The relevance of a page relative to the threshold."""
    return relevance / threshold if threshold > 0 else 1.0


def quiet_since(modified: str, visited: float, now: float) -> float | None:
    """Seconds from the last change to the visit, by Last-Modified; None if that is missing or implausible."""
    time = _seconds(modified, now)
    return now - time if visited < time <= now - _LEAST_AGE else None


def _seconds(date: str, default: float) -> float:
    try:
        return parsedate_to_datetime(date).timestamp() if date else default
    except (ValueError, TypeError, OverflowError):
        return default
