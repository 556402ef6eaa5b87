"""Which links of a page were not followed, and why, determined by reading the stored page again.

Storing every such link would take more space than the pages themselves, and most of them are repeated on every page of
a site. So only counts are stored (the table `readings`), and the links are found by giving the same bytes to the same
reader. That is exact, unless the settings of the scope were changed between two runs, or, for strategies that drop
links, the model has learnt since.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from honeyguide.crawl.readers import reader_config
from honeyguide.errors import HoneyguideError
from honeyguide.page.scope import Scope
from honeyguide.page.url import origin_of
from honeyguide.store.crawl import Crawl
from honeyguide.store.stored_page import StoredPage
from honeyguide.store.url_events import parse_detail
from honeyguide.strategy.reading import Document, Reader

_BY_THE_FRONTIER = ("max_depth", "full")  # reasons that depend on the state of the frontier


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The links of a page that were not followed."""

    counts: Mapping[str, int]
    """The number of links by reason, when the page was fetched."""
    urls: Mapping[str, Sequence[str]]
    """The links by reason, according to the current settings."""
    noindex: bool
    """Whether the page asks not to be indexed."""
    foreign: bool
    """Whether the page is in a language that the scope excludes, according to the current settings."""

    @property
    def has_changed(self) -> bool:
        """Whether other links would be left out now, since the scope or the model has changed."""
        return any(
            len(self.urls.get(reason, ())) != self.counts.get(reason, 0)
            for reason in self.counts.keys() | self.urls.keys()
            if reason not in _BY_THE_FRONTIER
        )

    def reason(self, url: str) -> str:
        """Why a URL was not followed from this page; "" if it was."""
        return next((reason for reason, urls in self.urls.items() if url in urls), "")


@dataclass(frozen=True, slots=True)
class Mention:
    """A link, or a redirect, to a URL that was not followed."""

    page: str
    """The page where it was found."""
    reason: str
    redirects: bool = False
    """Whether the page redirects there, instead of linking to it."""


def left_out_of(crawl: Crawl, page: StoredPage) -> LeftOut:
    """The links of a page that were not followed. Raises `PluginError` when the strategy or the model fails."""
    counts: dict[str, int] = {}
    for (text,) in crawl.query("SELECT left_out FROM readings WHERE page = ?", page.row.id):
        counts = {reason: count for reason, count in parse_detail(text).items() if isinstance(count, int)}
    reading, urls = Reader(reader_config(crawl.topic, crawl.model)).explain(Document.of(page.stored))
    found = {reason: list(dict.fromkeys(each)) for reason, each in urls.items()}
    for reason in _BY_THE_FRONTIER:
        if reason in counts:  # then the links left out are those that the crawl does not know
            found[reason] = _unknown(crawl, reading.links.urls)
    return LeftOut(counts, found, reading.noindex, reading.foreign)


def _unknown(crawl: Crawl, urls: Sequence[str]) -> list[str]:
    sql = "SELECT url FROM urls WHERE url IN (SELECT value FROM json_each(?))"
    known = {url for (url,) in crawl.query(sql, json.dumps([*urls]))}
    return [url for url in urls if url not in known]


def find_mention(
    crawl: Crawl, urls: Sequence[str], most: int | None, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> tuple[Mention | None, int, int]:
    """Find where a crawl found a URL, in one of several spellings, that it did not follow.

    Pages are read again until a mention is found, those of the same site first, at most `most` of them. Returns the
    mention, the number of pages read, and the number of all pages with links that were not followed.
    """
    sql = (
        "SELECT urls.url, json_extract(detail, '$.reason') FROM events JOIN urls ON urls.id = events.url "
        "WHERE kind = 'refused' AND json_extract(detail, '$.target') IN (SELECT value FROM json_each(?))"
    )
    for source, reason in crawl.query(sql, json.dumps([*urls])):
        return Mention(source, reason, redirects=True), 0, 0
    site = f"{origin_of(urls[0])}/"
    pages = [
        url
        for (url,) in crawl.query(
            "SELECT url FROM readings JOIN urls ON urls.id = page JOIN pages ON pages.id = page "
            "ORDER BY substr(url, 1, ?) = ? DESC, pages.seq",
            len(site),
            site,
        )
    ]
    searched = pages if most is None else pages[:most]
    for done, url in enumerate(searched):
        progress(done, len(searched))
        with suppress(HoneyguideError):  # a page that is missing from the archive or cannot be read
            page = crawl.page(url)
            if page is not None and (linked := set(page.page.links.url).intersection(urls)):
                return Mention(url, left_out_of(crawl, page).reason(linked.pop())), done + 1, len(pages)
    return None, len(searched), len(pages)


def scope_refusal(crawl: Crawl, url: str) -> str:
    """Why the current scope of a crawl does not allow a canonical URL; "" if it does."""
    return Scope(crawl.topic.scope).refusal(url)
