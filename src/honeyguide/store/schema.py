"""The tables of crawl.sqlite. Users query them: names and meanings are part of the interface."""

VERSION = 3

SCHEMA = """
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value
) WITHOUT ROWID;

-- Every URL ever met, in the order of discovery. state: 0 waiting, 1 in flight, 2 done, 3 failed, 4 refused.
CREATE TABLE urls (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    priority REAL NOT NULL,
    state INTEGER NOT NULL,
    parent INTEGER NOT NULL,  -- the URL it was first found on; -1 for a seed
    depth INTEGER NOT NULL,
    attempts INTEGER NOT NULL
);

-- Finds what was fetched by its URL: WHERE url = ? AND state = 2. An index of all URLs would take as much room as the
-- table and make a crawl a third slower, for URLs that hardly anybody asks for; this one takes a percent of either.
CREATE INDEX urls_done ON urls (url) WHERE state = 2;

-- Every page fetched and read, in the order it happened (seq).
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,  -- of its URL
    seq INTEGER NOT NULL,
    fetched REAL NOT NULL,  -- Unix time
    elapsed REAL NOT NULL,
    status INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL,  -- of the body, as sent
    title TEXT NOT NULL,
    language TEXT NOT NULL,
    words INTEGER NOT NULL,
    links INTEGER NOT NULL,
    relevance REAL NOT NULL,
    relevant INTEGER NOT NULL,
    priority REAL NOT NULL,  -- what it promised when it was taken
    signature BLOB NOT NULL,  -- for near-duplicates; empty = too short to tell
    duplicate_of INTEGER,  -- the earlier page it repeats, nearly or wholly
    digest BLOB NOT NULL,  -- SHA-1 of the body as sent
    same_as INTEGER,  -- the earlier page whose payload is stored for this one too
    truncated TEXT NOT NULL,
    warc_file INTEGER NOT NULL,
    warc_offset INTEGER NOT NULL,
    warc_length INTEGER NOT NULL
);

-- What a page's links came to: counts by reason of those that were not followed (JSON), a row a page that has any.
CREATE TABLE readings (
    page INTEGER PRIMARY KEY,
    left_out TEXT NOT NULL
);

CREATE TABLE redirects (
    source INTEGER PRIMARY KEY,
    target INTEGER NOT NULL,
    hops INTEGER NOT NULL
);

-- What happened, a row a fetch (and a few more): kind, the URL it happened to, and what is worth saying.
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    time REAL NOT NULL,
    kind TEXT NOT NULL,
    url INTEGER,
    detail TEXT NOT NULL
);

CREATE TABLE robots (
    origin TEXT PRIMARY KEY,
    fetched REAL NOT NULL,
    status INTEGER NOT NULL,  -- 0 = no answer
    body BLOB NOT NULL
) WITHOUT ROWID;

-- Hosts that have to be left alone for longer than their delay.
CREATE TABLE hosts (
    name TEXT PRIMARY KEY,
    not_before REAL NOT NULL
) WITHOUT ROWID;

-- What the strategy remembers beyond the priorities, by name.
CREATE TABLE steering (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;

CREATE VIEW found AS
    SELECT urls.url, pages.title, pages.relevance, urls.depth, parents.url AS parent, pages.fetched, pages.seq
    FROM pages JOIN urls USING (id) LEFT JOIN urls AS parents ON parents.id = urls.parent
    WHERE pages.relevant AND pages.duplicate_of IS NULL
    ORDER BY pages.relevance DESC;
"""
