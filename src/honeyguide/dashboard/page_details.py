"""The details of one page from the databases: how it was reached, and where it led."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from honeyguide.dashboard.source import CrawlSource
from honeyguide.frontier import State
from honeyguide.store.stored_page import StoredPage
from honeyguide.store.url_events import parse_detail
from honeyguide.store.why import PathStep, path_of

_MOST_CHILDREN = 2000  # URLs first found on a page that are counted
_SHOWN_CHILDREN = 20


class ChildUrl(NamedTuple):
    """A URL that was first found on a page."""

    id: int
    url: str
    state: int
    priority: float
    title: str
    relevance: float | None
    relevant: int | None


@dataclass(frozen=True, slots=True)
class PageDetails:
    """A page, the path to it, and the pages that it led to."""

    page: StoredPage
    path: list[PathStep]
    listing: tuple[str, str]
    """The sitemap or feed that listed the first step, and its form; empty texts if there is none."""
    children: list[ChildUrl]
    """The URLs first found on it: fetched ones first, then those that promise most."""
    counts: dict[State, int]
    """How many there are, by state."""
    relevant_children: int
    left_out: dict[str, int]
    urls: int
    """The number of URLs in the crawl."""
    previous: int | None
    following: int | None
    """The numbers of the pages fetched before and after it."""


def page_details(source: CrawlSource, number: int) -> PageDetails | None:
    """The details of a page, by the number of its URL; None if there is no such page."""
    page = source.crawl.numbered(number)
    if page is None:
        return None
    path = path_of(source.crawl, number, with_events=False)
    children = _children(source, number)
    counts = {state: sum(child.state == state for child in children) for state in State}
    ordered = sorted(children, key=lambda child: (child.relevance is None, -(child.relevance or 0.0), -child.priority))
    left_out = source.one("SELECT left_out FROM crawl.readings WHERE page = ?", number)
    (urls,) = source.one("SELECT coalesce(max(id), -1) + 1 FROM crawl.urls")
    return PageDetails(
        page=page,
        path=path,
        listing=_listing(source, path[0].number),
        children=ordered[:_SHOWN_CHILDREN],
        counts=counts,
        relevant_children=sum(bool(child.relevant) for child in children),
        left_out={
            key: count for key, count in parse_detail(left_out[0] if left_out else "").items() if isinstance(count, int)
        },
        urls=urls,
        previous=_neighbour(source, page.row.seq - 1),
        following=_neighbour(source, page.row.seq + 1),
    )


def _children(source: CrawlSource, number: int) -> list[ChildUrl]:
    sql = (
        "SELECT u.id, substr(u.url, 1, 5000), u.state, u.priority, coalesce(substr(p.title, 1, 500), ''), "
        "p.relevance, p.relevant "
        "FROM children AS c CROSS JOIN crawl.urls AS u ON u.id BETWEEN c.first AND c.last AND u.parent = c.parent "
        "LEFT JOIN crawl.pages AS p ON p.id = u.id WHERE c.parent = ? LIMIT ?"
    )
    return [ChildUrl(*row) for row in source.query(sql, number, _MOST_CHILDREN)]


def _listing(source: CrawlSource, number: int) -> tuple[str, str]:
    """The sitemap or feed that listed a seed: as `store.why.listed_by`, without looking at all events."""
    sql = (
        "SELECT u.url, m.detail FROM milestones AS m JOIN crawl.events AS e ON e.id = m.id "
        "JOIN crawl.urls AS u ON u.id = e.url WHERE m.kind = 'listing'"
    )
    for url, text in source.query(sql):
        detail = parse_detail(text)
        first, new = detail.get("first"), detail.get("new")
        if isinstance(first, int) and isinstance(new, int) and first <= number < first + new:
            return url, str(detail.get("form"))
    return "", ""


def _neighbour(source: CrawlSource, seq: int) -> int | None:
    found = source.one("SELECT id FROM pages WHERE seq = ?", seq)
    return found[0] if found else None


def fetched_links(source: CrawlSource, urls: Iterable[str]) -> dict[str, tuple[int, float]]:
    """The number and the relevance of each of some URLs that is a page of the crawl."""
    sql = (
        "SELECT u.url, u.id, p.relevance FROM json_each(?) AS wanted CROSS JOIN crawl.urls AS u "
        "ON u.url = wanted.value AND u.state = 2 JOIN crawl.pages AS p ON p.id = u.id"
    )
    return {url: (number, relevance) for url, number, relevance in source.query(sql, json.dumps([*urls]))}
