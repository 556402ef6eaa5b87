"""The tables of watch.sqlite: what the dashboard derives from crawl.sqlite, so that every view is a few index look-ups.

It is a cache that belongs to the dashboard alone: the crawl never reads or writes it, and it can be deleted.
"""

from __future__ import annotations

from typing import Final

VERSION: Final = 2

OTHER, DUPLICATE, FOUND = 0, 1, 2
"""Kinds of pages: not relevant; relevant, but a duplicate; relevant and new."""

ALL_KINDS: Final = (OTHER, DUPLICATE, FOUND)

_TABLES = """
-- How far crawl.sqlite has been read.
CREATE TABLE progress (
    key TEXT PRIMARY KEY,
    value
) WITHOUT ROWID;

-- Registered domains.
CREATE TABLE sites (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    pages INTEGER NOT NULL DEFAULT 0,
    found INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sites_found ON sites (found, pages);

CREATE TABLE hosts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    site INTEGER,
    pages INTEGER NOT NULL DEFAULT 0,
    found INTEGER NOT NULL DEFAULT 0,
    duplicates INTEGER NOT NULL DEFAULT 0,
    size INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,  -- URLs that were given up
    refused INTEGER NOT NULL DEFAULT 0,
    retried INTEGER NOT NULL DEFAULT 0,  -- attempts that failed and were repeated
    waiting INTEGER NOT NULL DEFAULT 0,
    promise REAL NOT NULL DEFAULT 0,  -- of the best URL that waits
    rest TEXT NOT NULL DEFAULT ''  -- why it last had to rest
);
CREATE INDEX hosts_found ON hosts (found, pages, id);
CREATE INDEX hosts_pages ON hosts (pages, id);
CREATE INDEX hosts_waiting ON hosts (waiting, pages, id);
CREATE INDEX hosts_failed ON hosts (failed, pages, id);
CREATE INDEX hosts_site ON hosts (site);

-- Pages in the order of fetching. found_so_far and size_so_far include this page.
CREATE TABLE pages (
    seq INTEGER PRIMARY KEY,
    id INTEGER NOT NULL,
    host INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    relevance REAL NOT NULL,
    fetched REAL NOT NULL,
    found_so_far INTEGER NOT NULL,
    size_so_far INTEGER NOT NULL
);
CREATE INDEX pages_best ON pages (kind, relevance, seq);
CREATE INDEX pages_of_host ON pages (host, kind, relevance, seq);

-- Which pages led from one site to another: as the page on which a fetched page was first found.
CREATE TABLE roads (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    pages INTEGER NOT NULL,
    found INTEGER NOT NULL,
    PRIMARY KEY (source, target)
) WITHOUT ROWID;

-- The URLs first found on a page have numbers in these ranges, among others.
CREATE TABLE children (
    parent INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (parent, first)
) WITHOUT ROWID;

CREATE TABLE errors (
    host INTEGER NOT NULL,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (host, kind)
) WITHOUT ROWID;

-- Events of URLs that failed or were refused, by host; id is that of the event.
CREATE TABLE troubles (
    id INTEGER PRIMARY KEY,
    host INTEGER NOT NULL
);
CREATE INDEX troubles_of_host ON troubles (host, id);

-- Events that concern the whole crawl, and those of sitemaps and feeds; id is that of the event.
CREATE TABLE milestones (
    id INTEGER PRIMARY KEY,
    time REAL NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL,
    before REAL  -- the time of the event before it
);

"""

# rowid is pages.seq. tags: host and site of the page, so that these filters are part of the look-up. There is a table
# for each kind: words that are frequent, but not among pages of one kind, are not looked for among the others.
_WORDS = "CREATE VIRTUAL TABLE {} USING fts5(title, url, tags, content='', tokenize='unicode61 remove_diacritics 2');\n"


def words_of(kind: int) -> str:
    """The name of the table in which words of pages of a kind are looked up."""
    return f"words_{kind:d}"


SCHEMA: Final = _TABLES + "".join(_WORDS.format(words_of(kind)) for kind in ALL_KINDS)

TABLES: Final = ("progress", "sites", "hosts", "pages", "roads", "children", "errors", "troubles", "milestones")
"""All tables except those of words, whose rows are deleted differently."""


def host_in(url: str) -> str:
    """SQL for the host in a column with a canonical URL, as `honeyguide.page.url.host_of` returns it."""
    rest = f"substr({url}, instr({url}, '://') + 3)"
    return f"substr({rest}, 1, instr({rest} || '/', '/') - 1)"
