"""Why a crawl fetched a page, or did not: the path from a seed to it, and the events on the path."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from honeyguide.errors import HoneyguideError, InputError
from honeyguide.frontier import NO_PARENT, State
from honeyguide.store.connection import FILE, repairable
from honeyguide.store.crawl import Crawl
from honeyguide.store.url_events import FOUND_LISTING, UrlEvent, last_events_of, parse_detail
from honeyguide.topic.seeds import spelled_out


@dataclass(frozen=True, slots=True)
class PathStep:
    """A URL on the path to a page."""

    number: int
    url: str
    state: State
    priority: float
    """Its priority when it was taken, or its current one while it waits."""
    relevance: float | None
    """Its relevance score; None when it was not read."""
    title: str
    redirected: bool
    """Whether the previous step led here by a redirect instead of a link."""
    last_event: UrlEvent | None
    """Its last event; None if there is none."""


def canonical_urls(crawl: Crawl, text: str) -> list[str]:
    """The canonical URLs that a user may mean, with or without a scheme. Raises `InputError` for anything but a URL."""
    found = [url for each in spelled_out(text) if (url := crawl.url_rules.canonical(each)) is not None]
    if not found:
        raise InputError(text or "URL", "is not an address on the web", "write it as https://example.org/page")
    return found


def find_url(crawl: Crawl, urls: Sequence[str]) -> int | None:
    """The number of the first of some canonical URLs that the crawl has found; None if it has found none."""
    # The index covers fetched URLs only; the whole table is scanned only for a URL that was not fetched.
    for condition in ("state = 2", "state <> 2"):
        for url in urls:
            found = next(crawl.query(f"SELECT id FROM urls WHERE url = ? AND {condition}", url), None)  # noqa: S608
            if found is not None:
                return int(found[0])
    return None


def path_to(crawl: Crawl, url: str) -> list[PathStep]:
    """The steps from a seed to a URL, in any spelling. Raises `InputError` for a URL that the crawl has not found."""
    number = find_url(crawl, canonical_urls(crawl, url))
    if number is None:
        raise InputError(url, f"was not found in {crawl.path}", "check its spelling, or continue the crawl")
    return path_of(crawl, number)


def path_of(crawl: Crawl, number: int, *, with_events: bool = True) -> list[PathStep]:
    """The steps from a seed to a URL, by its number.

    Finding the last event of each step takes a few tenths of a second per million events, and can be skipped.
    """
    rows = []
    sql = (
        "SELECT urls.id, url, state, urls.priority, parent, pages.relevance, pages.title, "
        "EXISTS (SELECT 1 FROM redirects WHERE source = parent AND target = urls.id) "
        "FROM urls LEFT JOIN pages USING (id) WHERE urls.id = ?"
    )
    while number != NO_PARENT:
        (row,) = crawl.query(sql, number)
        url, parent = row[1], row[4]
        if not isinstance(parent, int) or not NO_PARENT <= parent < number:  # a parent is found before its children
            raise HoneyguideError(repairable(crawl.path / FILE, f"the parent of {url} is not what a crawl writes"))
        rows.append(row)
        number = parent
    last_events = last_events_of(crawl.query, [row[0] for row in rows]) if with_events else {}
    return [
        PathStep(number, url, State(state), priority, relevance, title or "", bool(redirected), last_events.get(number))
        for number, url, state, priority, _, relevance, title, redirected in reversed(rows)
    ]


def listed_by(crawl: Crawl, number: int) -> tuple[str, str]:
    """The sitemap or feed that listed a seed, and its form; empty texts if the user gave the seed."""
    sql = "SELECT urls.url, detail FROM events JOIN urls ON urls.id = events.url WHERE kind = 'listing'"
    for url, text in crawl.query(sql):
        detail = parse_detail(text)
        first, new = detail.get("first"), detail.get("new")
        if isinstance(first, int) and isinstance(new, int) and first <= number < first + new:
            return url, str(detail.get("form"))
    return "", ""


def named_by(crawl: Crawl, number: int) -> tuple[str, str]:
    """The host that refers to a sitemap or feed, and where it does; empty texts for any other URL."""
    sql = "SELECT detail FROM events WHERE kind = ? AND url = ?"
    for (text,) in crawl.query(sql, FOUND_LISTING, number):
        detail = parse_detail(text)
        return str(detail.get("host")), str(detail.get("by"))
    return "", ""


def similar_urls(crawl: Crawl, urls: Sequence[str]) -> list[str]:
    """URLs that the crawl has found and that differ from some others only in scheme, ``www.`` or a slash at the end."""
    wanted: set[str] = set()
    for url in urls:
        rest = url.partition("://")[2].removeprefix("www.")
        ends = (rest, rest.removesuffix("/"), f"{rest}/")
        wanted |= {f"{scheme}://{www}{end}" for scheme in ("https", "http") for www in ("", "www.") for end in ends}
    sql = "SELECT url FROM urls WHERE url IN (SELECT value FROM json_each(?)) ORDER BY state = 2 DESC, id"
    return [url for (url,) in crawl.query(sql, json.dumps(sorted(wanted)))]
