"""The tables of crawl.sqlite. Users query them: names and meanings are part of the public interface."""

VERSION = 5

WITHOUT_VERSIONS = 4
"""The format before pages were visited again: it lacks the tables of `VERSION_TABLES`, and is the same otherwise."""

WITHOUT_RENDERINGS = 3
"""The format before pages were rendered: it also lacks the last three columns of `pages`."""

_PAGE_COLUMNS = """
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
    priority REAL NOT NULL,  -- of its URL when it was taken
    signature BLOB NOT NULL,  -- for near-duplicates; empty = text too short to compare
    duplicate_of INTEGER,  -- the earlier page that it duplicates, exactly or nearly
    digest BLOB NOT NULL,  -- SHA-1 of the body as sent
    same_as INTEGER,  -- the earlier page whose payload is stored for this one too
    truncated TEXT NOT NULL,
    warc_file INTEGER NOT NULL,
    warc_offset INTEGER NOT NULL,
    warc_length INTEGER NOT NULL,
    rendered_file INTEGER,  -- where the document is that a browser has made of the page; NULL if it was read as sent
    rendered_offset INTEGER,
    rendered_length INTEGER
);"""

_VERSION_TABLES = f"""
-- Earlier versions of pages, whose newest is in pages, in the order in which they were replaced.
CREATE TABLE versions (
    number INTEGER PRIMARY KEY,
    replaced REAL NOT NULL,  -- when the next version was fetched
    id INTEGER NOT NULL,  -- of its URL{_PAGE_COLUMNS}

-- What pages can be asked by whether they have changed, as they sent it; one row per page that sent any.
CREATE TABLE validators (
    page INTEGER PRIMARY KEY,
    etag TEXT NOT NULL,
    modified TEXT NOT NULL
);
"""

VERSION_TABLES = _VERSION_TABLES + "CREATE INDEX versions_of ON versions (id);"
"""What format 5 added."""

VERSION_TABLES_FOR_READERS = _VERSION_TABLES.replace("CREATE TABLE", "CREATE TEMP TABLE")
"""The same for a connection that reads an older file."""

FIRST_TABLES = f"""
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value
) WITHOUT ROWID;

-- Every URL ever found, in the order of discovery. state: 0 waiting, 1 in flight, 2 done, 3 failed, 4 refused,
-- 5 elsewhere: it belongs to another shard of the crawl.
CREATE TABLE urls (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    priority REAL NOT NULL,
    state INTEGER NOT NULL,
    parent INTEGER NOT NULL,  -- the URL it was first found on; -1 for a seed
    depth INTEGER NOT NULL,
    attempts INTEGER NOT NULL
);

-- For looking up fetched pages by URL: WHERE url = ? AND state = 2. An index of all URLs would take as much space as
-- the table and make a crawl a third slower, for URLs that are hardly ever queried; this one costs a percent of either.
CREATE INDEX urls_done ON urls (url) WHERE state = 2;

-- Every page fetched and read, in the order in which they were first fetched (seq); each as it was fetched last.
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,  -- of its URL{_PAGE_COLUMNS}

-- Links that were not followed: counts by reason (JSON), one row per page that has any.
CREATE TABLE readings (
    page INTEGER PRIMARY KEY,
    left_out TEXT NOT NULL
);

CREATE TABLE redirects (
    source INTEGER PRIMARY KEY,
    target INTEGER NOT NULL,
    hops INTEGER NOT NULL
);

-- Events, one row per fetch (and a few others): kind, the URL concerned, and details (JSON).
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
    status INTEGER NOT NULL,  -- 0 = no response
    body BLOB NOT NULL
) WITHOUT ROWID;

-- Hosts that must not be contacted for longer than their delay.
CREATE TABLE hosts (
    name TEXT PRIMARY KEY,
    not_before REAL NOT NULL
) WITHOUT ROWID;

-- State of the strategy other than the priorities, by name.
CREATE TABLE steering (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;

CREATE VIEW found AS
    SELECT urls.url, pages.title, pages.relevance, urls.depth, parents.url AS parent, pages.fetched, pages.seq
    FROM pages JOIN urls USING (id) LEFT JOIN urls AS parents ON parents.id = urls.parent
    WHERE pages.relevant AND pages.duplicate_of IS NULL
    ORDER BY pages.relevance DESC;
"""  # noqa: S608 (own text)

SCHEMA = FIRST_TABLES + VERSION_TABLES

_RENDERED = FIRST_TABLES[FIRST_TABLES.index(",\n    rendered_file") : FIRST_TABLES.index("\n);\n\n-- Links")]
TABLES_WITHOUT_RENDERINGS = FIRST_TABLES.replace(_RENDERED, "")
"""All tables of the first format that can be read."""

_PAGES = FIRST_TABLES[FIRST_TABLES.index("CREATE TABLE pages") : FIRST_TABLES.index("-- Links that were not")]
_FOUND = FIRST_TABLES[FIRST_TABLES.index("CREATE VIEW found") :]
ADD_RENDERINGS = f"""
    DROP VIEW found;
    ALTER TABLE pages RENAME TO earlier_pages;
    {_PAGES}
    INSERT INTO pages SELECT *, NULL, NULL, NULL FROM earlier_pages;
    DROP TABLE earlier_pages;
    {_FOUND}
"""  # noqa: S608 (own text)
"""Makes the tables of `WITHOUT_VERSIONS` of those of `WITHOUT_RENDERINGS`."""

RENDERINGS_FOR_READERS = """
    CREATE TEMP VIEW pages AS
    SELECT *, NULL AS rendered_file, NULL AS rendered_offset, NULL AS rendered_length FROM main.pages;
"""
"""The same for a connection that reads an older file."""

SHARD_TABLES = """
-- What other shards have not acknowledged yet: links, redirects and the like, numbered for each receiver.
CREATE TABLE outbox (
    receiver TEXT NOT NULL,
    seq INTEGER NOT NULL,
    item BLOB NOT NULL,
    PRIMARY KEY (receiver, seq)
) WITHOUT ROWID;

-- For each other shard the number of the last item that was written for it, and of the last one that came from it.
CREATE TABLE channels (
    shard TEXT PRIMARY KEY,
    sent INTEGER NOT NULL,
    received INTEGER NOT NULL
) WITHOUT ROWID;

-- How often the shard was started.
CREATE TABLE lives (
    number INTEGER PRIMARY KEY
);
"""
"""The further tables of a shard."""

WHOLE_TABLES = """
-- Which URL of which shard each one is.
CREATE TABLE shard_urls (
    shard TEXT NOT NULL,
    number INTEGER NOT NULL,  -- its id there
    id INTEGER NOT NULL,
    PRIMARY KEY (shard, number)
) WITHOUT ROWID;

-- How far the tables of each shard have been read.
CREATE TABLE shard_progress (
    shard TEXT NOT NULL,
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (shard, name)
) WITHOUT ROWID;
"""
"""The further tables of a crawl on several machines: its crawl.sqlite is put together from those of the shards."""
