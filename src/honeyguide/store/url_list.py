"""The URLs of a crawl by state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from honeyguide.store.crawl import Crawl
from honeyguide.store.url_events import PAGE, RETRY, UrlEvent, parse_detail

STATES: Final = ("waiting", "done", "failed", "refused")

_ENDED: Final = {"done": 2, "failed": 3, "refused": 4}  # a URL in flight when a run ended waits again
_ENDS = """
    SELECT urls.url, events.time, events.kind, events.detail, pages.relevance
    FROM events JOIN urls ON urls.id = events.url LEFT JOIN pages ON pages.id = urls.id
    WHERE urls.state = ? AND events.id IN (
        SELECT max(id) FROM events WHERE kind IN ('page', 'redirect', 'listing', 'failed', 'refused') GROUP BY url
    )
    ORDER BY events.id
"""
_WAITING = """
    SELECT urls.url, urls.priority, tried.time, tried.detail
    FROM urls LEFT JOIN (
        SELECT url, max(id), time, detail FROM events WHERE kind = 'retry' GROUP BY url
    ) AS tried ON tried.url = urls.id AND urls.attempts > 0
    WHERE urls.state <= 1 ORDER BY urls.priority DESC, urls.id
"""


class ListedUrl(NamedTuple):
    """A URL with the reason for its state."""

    url: str
    reason: str
    """The reason by which such URLs are counted: "404", "dns", "robots", "page"; "" for a waiting URL."""
    text: str
    """The reason in words."""


def list_urls(crawl: Crawl, state: str) -> Iterator[ListedUrl]:
    """The URLs in one of `STATES`: waiting URLs in the order of their promises, others in the order of their events."""
    if state == "waiting":
        for url, promise, time, detail in crawl.query(_WAITING):
            tried = UrlEvent(time, RETRY, parse_detail(detail)) if time is not None else None
            text = f"promised {promise:.3f}"
            yield ListedUrl(url, tried.reason if tried else "", f"{text}; {tried.text}" if tried else text)
        return
    for url, time, kind, detail, relevance in crawl.query(_ENDS, _ENDED[state]):
        last_event = UrlEvent(time, kind, parse_detail(detail))
        is_page = kind == PAGE and relevance is not None
        yield ListedUrl(url, last_event.reason, f"relevance {relevance:.3f}" if is_page else last_event.text)


def count_urls(crawl: Crawl, state: str) -> Counter[str]:
    """How many URLs are in a state, by reason."""
    return Counter(one.reason for one in list_urls(crawl, state))
