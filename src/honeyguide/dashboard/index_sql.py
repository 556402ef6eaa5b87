"""The statements that bring watch.sqlite up to date: ?1 and ?2 are the events, or URLs, between which they read.

Pages and troubles of a batch are collected in temporary tables first, ``batch`` and ``troubled``, by the names of their
hosts; the other statements add them to the counts.
"""
# ruff: noqa: S608 (the statements are made of our own texts)

from __future__ import annotations

from honeyguide.dashboard.schema import ALL_KINDS, DUPLICATE, FOUND, OTHER, host_in, words_of

_LONGEST_TITLE, _LONGEST_URL = 500, 2000  # characters that can be searched
_LONGEST_DETAIL = 10_000
_OF_URLS = "('page', 'redirect', 'retry', 'failed', 'refused', 'robots', 'host rests')"

_KIND = f"CASE WHEN NOT p.relevant THEN {OTHER} WHEN p.duplicate_of IS NOT NULL THEN {DUPLICATE} ELSE {FOUND} END"
_DETAIL = "CASE WHEN json_valid(e.detail) THEN json_extract(e.detail, '$.{}') END"

FILL_BATCH = f"""
    INSERT OR IGNORE INTO temp.batch
    SELECT p.seq, p.id, {host_in("u.url")}, {_KIND}, p.relevance, p.fetched, p.size,
        substr(p.title, 1, {_LONGEST_TITLE}), substr(u.url, 1, {_LONGEST_URL}), {host_in("parent.url")}
    FROM crawl.events AS e JOIN crawl.pages AS p ON p.id = e.url JOIN crawl.urls AS u ON u.id = p.id
        LEFT JOIN crawl.urls AS parent ON parent.id = u.parent
    WHERE e.id > ?1 AND e.id <= ?2 AND e.kind = 'page'
"""

ADD_PAGES = (
    # The hosts and sites are known by now.
    f"""INSERT INTO hosts (name, pages, found, duplicates, size)
        SELECT host, count(*), sum(kind = {FOUND}), sum(kind = {DUPLICATE}), sum(size)
        FROM temp.batch WHERE TRUE GROUP BY host
        ON CONFLICT (name) DO UPDATE SET pages = pages + excluded.pages, found = found + excluded.found,
            duplicates = duplicates + excluded.duplicates, size = size + excluded.size""",
    f"""UPDATE sites SET pages = sites.pages + new.pages, found = sites.found + new.found FROM (
            SELECT hosts.site, count(*) AS pages, sum(kind = {FOUND}) AS found
            FROM temp.batch JOIN hosts ON hosts.name = host GROUP BY 1
        ) AS new WHERE sites.id = new.site""",
    f"""INSERT OR REPLACE INTO pages
        SELECT seq, batch.id, hosts.id, kind, relevance, fetched,
            coalesce((SELECT found_so_far FROM pages ORDER BY seq DESC LIMIT 1), 0)
                + sum(kind = {FOUND}) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING),
            coalesce((SELECT size_so_far FROM pages ORDER BY seq DESC LIMIT 1), 0)
                + sum(batch.size) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING)
        FROM temp.batch JOIN hosts ON hosts.name = host ORDER BY seq""",
    *(
        f"""INSERT INTO {words_of(kind)} (rowid, title, url, tags)
        SELECT seq, title, url, 'h' || hosts.id || ' s' || hosts.site
        FROM temp.batch JOIN hosts ON hosts.name = host WHERE kind = {kind} ORDER BY seq"""
        for kind in ALL_KINDS
    ),
    f"""INSERT INTO roads
        SELECT sources.site, hosts.site, count(*), sum(kind = {FOUND})
        FROM temp.batch JOIN hosts ON hosts.name = host JOIN hosts AS sources ON sources.name = parent
        WHERE sources.site <> hosts.site GROUP BY 1, 2
        ON CONFLICT (source, target) DO UPDATE SET pages = pages + excluded.pages, found = found + excluded.found""",
)

TROUBLES = f"""
    INSERT OR IGNORE INTO temp.troubled
    SELECT e.id, {host_in("u.url")}, e.kind, coalesce({_DETAIL.format("kind")}, '')
    FROM crawl.events AS e JOIN crawl.urls AS u ON u.id = e.url
    WHERE e.id > ?1 AND e.id <= ?2 AND e.kind IN ('failed', 'retry', 'refused')
"""

ADD_TROUBLES = (
    "INSERT OR IGNORE INTO troubles SELECT troubled.id, hosts.id FROM temp.troubled JOIN hosts ON hosts.name = host",
    """INSERT INTO errors
        SELECT hosts.id, reason, count(*) FROM temp.troubled JOIN hosts ON hosts.name = host
        WHERE kind <> 'refused' GROUP BY 1, 2
        ON CONFLICT (host, kind) DO UPDATE SET count = count + excluded.count""",
    """INSERT INTO hosts (name, failed, refused, retried)
        SELECT host, sum(kind = 'failed'), sum(kind = 'refused'), sum(kind = 'retry') FROM temp.troubled
        WHERE TRUE GROUP BY host
        ON CONFLICT (name) DO UPDATE SET failed = failed + excluded.failed, refused = refused + excluded.refused,
            retried = retried + excluded.retried""",
)

RESTS = f"""
    INSERT INTO hosts (name, rest)
    SELECT host, rest FROM (
        SELECT {_DETAIL.format("host")} AS host, coalesce({_DETAIL.format("reason")}, '') AS rest, max(e.id)
        FROM crawl.events AS e WHERE e.id > ?1 AND e.id <= ?2 AND e.kind = 'host rests' GROUP BY 1
    ) WHERE typeof(host) = 'text'
    ON CONFLICT (name) DO UPDATE SET rest = excluded.rest
"""

MILESTONES = f"""
    INSERT OR IGNORE INTO milestones
    SELECT e.id, e.time, e.kind, substr(e.detail, 1, {_LONGEST_DETAIL}),
        (SELECT time FROM crawl.events WHERE id < e.id ORDER BY id DESC LIMIT 1)
    FROM crawl.events AS e WHERE e.id > ?1 AND e.id <= ?2 AND e.kind NOT IN {_OF_URLS}
"""

CHILDREN = """
    INSERT OR IGNORE INTO children
    SELECT parent, min(id), max(id) FROM crawl.urls WHERE id >= ?1 AND id < ?2 AND parent >= 0 GROUP BY parent
"""
