"""The results of the seeds of a crawl: which gave no page, and why; which are sitemaps or feeds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from honeyguide.store.url_events import (
    FAILED,
    LISTING,
    REFUSED,
    RETRY,
    Query,
    UrlEvent,
    last_events_of,
    last_redirect,
    parse_detail,
)

_LATER = "the next run will try it again"


@dataclass(frozen=True, slots=True)
class SeedResult:
    """A seed that gave no page, or is a sitemap or feed."""

    url: str
    is_bad: bool
    """Whether it gave no page."""
    text: str
    """The reason, or the kind of listing."""


def seed_results(query: Query, seeds: Mapping[str, int]) -> tuple[SeedResult, ...]:
    """The seeds that gave no page, and those that are sitemaps or feeds, in order.

    `seeds` are the numbers of the seeds by URL. One whose turn has not come yet is not mentioned.
    """
    ends = {url: last_redirect(query, number) for url, number in seeds.items()}
    asked = json.dumps([end for end, _ in ends.values()])
    pages = {page for (page,) in query("SELECT id FROM pages WHERE id IN (SELECT value FROM json_each(?))", asked)}
    missing = {end for end, _ in ends.values()} - pages
    if not missing:
        return ()
    last_events = last_events_of(query, missing)
    found = []
    for url, (end, is_circle) in ends.items():
        if end in pages:
            continue
        last_event = last_events.get(end)
        text = "it is part of a redirect loop" if is_circle else _text(query, end, last_event)
        if text and not is_circle and end != seeds[url]:
            ((target,),) = query("SELECT url FROM urls WHERE id = ?", end)
            text = f"it redirects to {target}: {text}"
        if text:
            is_list = last_event is not None and last_event.kind == LISTING and last_event.get("urls") != "0"
            found.append(SeedResult(url, not is_list, text))
    return tuple(found)


def _text(query: Query, number: int, last_event: UrlEvent | None) -> str:
    """Why a URL gave no page; "" if it is still waiting."""
    if last_event is None:
        return _robots_text(query, number)
    if last_event.kind == RETRY:
        return f"{last_event.text}; {_LATER}"
    return last_event.text if last_event.kind in {FAILED, REFUSED, LISTING} else ""


def _robots_text(query: Query, number: int) -> str:
    """Why a URL has never been requested: an unavailable robots.txt."""
    sql = "SELECT detail FROM events WHERE kind = 'robots' AND url = ? ORDER BY id DESC LIMIT 1"
    status = parse_detail(next(query(sql, number), ("",))[0]).get("status", 200)
    if isinstance(status, int) and (status == 429 or not 0 < status < 500):
        said = f"status {status}" if status else "no response"
        return f"its robots.txt cannot be fetched ({said}), so its host is not crawled; {_LATER}"
    return ""
