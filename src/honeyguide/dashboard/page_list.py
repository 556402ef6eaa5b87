"""Lists of pages: searched, filtered, in one of two orders, and paged by key, so that every part costs the same."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from heapq import nlargest
from typing import Final, NamedTuple

from honeyguide.dashboard.schema import ALL_KINDS, DUPLICATE, FOUND, OTHER, words_of
from honeyguide.dashboard.source import CrawlSource

PAGE_SIZE: Final = 50
NEWEST, BEST = "newest", "best"
KINDS: Final = {"relevant": (FOUND,), "other": (OTHER,), "duplicates": (DUPLICATE,), "all": ALL_KINDS}
"""The filters by relevance, and the kinds of pages that each lets through."""
MOST_SORTED: Final = 5000
"""Matches of a search that are put in order: the newest of them."""

_MOST_WORDS = 12
_HAS_WORD = re.compile(r"\w")
_LAST = 1 << 62


class ListedPage(NamedTuple):
    """A page in a list."""

    seq: int
    id: int
    url: str
    title: str
    relevance: float
    kind: int
    fetched: float
    host: int
    size: int
    depth: int


@dataclass(frozen=True, slots=True)
class PageFilter:
    """Which pages are listed, and from where on."""

    words: str = ""
    """Words of titles and URLs, all of which must occur; an asterisk at the end of one stands for any ending."""
    show: str = "all"
    """One of `KINDS`."""
    host: int = 0
    """The number of a host in the index; 0 for all."""
    site: int = 0
    order: str = NEWEST
    after: tuple[float, int] | None = None
    """Relevance and seq of the last page of the previous part."""

    def following(self, page: ListedPage) -> PageFilter:
        """The filter for what comes after a page."""
        return replace(self, after=(page.relevance, page.seq))


@dataclass(frozen=True, slots=True)
class PagePart:
    """A part of a list."""

    pages: list[ListedPage]
    next: PageFilter | None
    """For the following part; None if this is the last one."""
    is_capped: bool = False
    """Whether only the newest `MOST_SORTED` matches were put in order."""


def list_pages(source: CrawlSource, chosen: PageFilter, size: int = PAGE_SIZE) -> PagePart:
    """A part of the pages that a filter lets through."""
    match = _match(chosen)
    capped = False
    if chosen.order == BEST and not _words(chosen.words) and not chosen.site:
        keys = _best(source, chosen, size + 1)
    elif chosen.order == BEST:
        keys, capped = _best_matches(source, match, chosen, size + 1)
    elif match or chosen.show != "all":
        last = chosen.after[1] if chosen.after else _LAST
        keys = _newest(source, match, chosen.show, last, size + 1)
    else:
        last = chosen.after[1] if chosen.after else _LAST
        keys = [
            seq
            for (seq,) in source.query("SELECT seq FROM pages WHERE seq < ? ORDER BY seq DESC LIMIT ?", last, size + 1)
        ]
    pages = pages_numbered(source, keys[:size])
    more = chosen.following(pages[-1]) if len(keys) > size and pages else None
    return PagePart(pages, more, capped)


def newest_pages(source: CrawlSource, after: int, most: int) -> list[ListedPage]:
    """The newest pages fetched after the one with the number `after` in the order of fetching; newest first."""
    rows = source.query("SELECT seq FROM pages WHERE seq > ? ORDER BY seq DESC LIMIT ?", after, most)
    return pages_numbered(source, [seq for (seq,) in rows])


def pages_numbered(source: CrawlSource, keys: list[int]) -> list[ListedPage]:
    """The pages with some numbers in the order of fetching; any that are missing are left out."""
    sql = (
        "SELECT indexed.seq, indexed.id, substr(urls.url, 1, 5000), substr(pages.title, 1, 500), "
        "pages.relevance, indexed.kind, "
        "pages.fetched, indexed.host, pages.size, urls.depth FROM json_each(?) AS wanted "
        "CROSS JOIN main.pages AS indexed ON indexed.seq = wanted.value "
        "JOIN crawl.pages AS pages ON pages.id = indexed.id JOIN crawl.urls AS urls ON urls.id = indexed.id "
        "ORDER BY wanted.key"
    )
    return [ListedPage(*row) for row in source.query(sql, json.dumps(keys))]


def _best(source: CrawlSource, chosen: PageFilter, most: int) -> list[int]:
    """The best pages of all or of a host: for each kind a range of an index, and the ranges are merged."""
    found: list[tuple[float, int]] = []
    host, values = ("host = ? AND ", (chosen.host,)) if chosen.host else ("", ())
    relevance, seq = chosen.after or (2.0, _LAST)
    for kind in KINDS[chosen.show]:
        sql = (
            f"SELECT relevance, seq FROM pages WHERE {host}kind = ? AND (relevance, seq) < (?, ?) "  # noqa: S608
            "ORDER BY relevance DESC, seq DESC LIMIT ?"
        )
        found += source.query(sql, *values, kind, relevance, seq, most)
    return [number for _, number in nlargest(most, found)]


def _newest(source: CrawlSource, match: str, show: str, last: int, most: int) -> list[int]:
    """The newest pages before `last` that match, of the kinds that are shown: a look-up for each kind."""
    found: list[int] = []
    for table in map(words_of, KINDS[show]):
        condition, values = (f"{table} MATCH ? AND ", (match,)) if match else ("", ())
        sql = f"SELECT rowid FROM {table} WHERE {condition}rowid < ? ORDER BY rowid DESC LIMIT ?"  # noqa: S608 (own)
        found += [seq for (seq,) in source.query(sql, *values, last, most)]
    return nlargest(most, found)


def _best_matches(source: CrawlSource, match: str, chosen: PageFilter, most: int) -> tuple[list[int], bool]:
    newest = _newest(source, match, chosen.show, _LAST, MOST_SORTED + 1)
    sql = "SELECT relevance, seq FROM json_each(?) AS wanted CROSS JOIN pages ON pages.seq = wanted.value"
    rows = source.query(sql, json.dumps(newest))
    before = chosen.after or (2.0, _LAST)
    best = nlargest(most, ((relevance, seq) for relevance, seq in rows[:MOST_SORTED] if (relevance, seq) < before))
    return [seq for _, seq in best], len(rows) > MOST_SORTED


def _match(chosen: PageFilter) -> str:
    """The filter, but for kinds, as a query for FTS5; "" if it lets all through. Words are quoted: no operators."""
    parts = [f"{{title url}} : ({' AND '.join(words)})"] if (words := _words(chosen.words)) else []
    if chosen.host:
        parts.append(f'tags : "h{chosen.host:d}"')
    if chosen.site:
        parts.append(f'tags : "s{chosen.site:d}"')
    return " AND ".join(parts)


def _words(text: str) -> list[str]:
    words = []
    for word in text.replace("\0", " ").split()[:_MOST_WORDS]:
        if _HAS_WORD.search(word):
            quoted = word.rstrip("*").replace('"', '""')
            words.append(f'"{quoted}"{" *" if word.endswith("*") else ""}')
    return words
