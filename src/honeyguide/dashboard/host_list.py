"""Hosts and sites: their pages, waiting URLs, failures, and the reasons for their rests."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from honeyguide.dashboard.source import CrawlSource
from honeyguide.fetch.robots import read_robots

PAGE_SIZE: Final = 50
ORDERS: Final[Mapping[str, str]] = MappingProxyType(
    {"found": "relevant pages", "pages": "pages", "waiting": "URLs waiting", "failed": "URLs failed"}
)
"""The columns by which hosts are sorted, with their counts."""
_COLUMNS = "id, name, site, pages, found, duplicates, size, failed, refused, retried, waiting, promise, rest"
_MOST_ROBOTS = 100_000  # bytes of a robots.txt that are read for its delay


HostKey = tuple[int, int, int]
"""Where a part of a list ends: what it is ordered by, pages, and the number of the last host."""


class HostRow(NamedTuple):
    """The counts of a host."""

    id: int
    name: str
    site: int
    pages: int
    found: int
    duplicates: int
    size: int
    failed: int
    refused: int
    retried: int
    waiting: int
    promise: float
    rest: str


@dataclass(frozen=True, slots=True)
class ListedHost:
    """A host in a list."""

    row: HostRow
    delay: float
    """Seconds between two requests: from the settings, or from its robots.txt."""
    rests_until: float
    """0 if it does not rest."""
    errors: Mapping[str, int]
    """Failed requests by kind."""


class HostTrouble(NamedTuple):
    """A URL of a host that failed, was refused or was put off."""

    time: float
    kind: str
    detail: str
    url: str


def list_hosts(
    source: CrawlSource, order: str, after: HostKey | None = None, size: int = PAGE_SIZE
) -> tuple[list[ListedHost], HostKey | None]:
    """A part of the hosts, those with most first, and the key of the following part; None if this is the last."""
    assert order in ORDERS
    key = (order, "pages", "id") if order != "pages" else ("pages", "id")
    last = after or (1 << 62, 1 << 62, 1 << 62)
    sql = (
        f"SELECT {_COLUMNS} FROM hosts WHERE ({', '.join(key)}) < ({', '.join('?' * len(key))}) "  # noqa: S608 (own names)
        f"ORDER BY {', '.join(f'{name} DESC' for name in key)} LIMIT ?"
    )
    rows = [HostRow(*row) for row in source.query(sql, *last[-len(key) :], size + 1)]
    shown = rows[:size]
    following = (getattr(shown[-1], order), shown[-1].pages, shown[-1].id) if len(rows) > size else None
    return _detailed(source, shown), following


def host_numbered(source: CrawlSource, number: int) -> ListedHost | None:
    """A host by its number in the index."""
    rows = source.query(f"SELECT {_COLUMNS} FROM hosts WHERE id = ?", number)  # noqa: S608 (own names)
    return _detailed(source, [HostRow(*row) for row in rows])[0] if rows else None


def host_number(source: CrawlSource, name: str) -> int:
    """The number of a host in the index; 0 if it is not there."""
    found = source.one("SELECT id FROM hosts WHERE name = ?", name)
    return found[0] if found else 0


def site_number(source: CrawlSource, name: str) -> int:
    """The number of a registered domain in the index; 0 if it is not there."""
    found = source.one("SELECT id FROM sites WHERE name = ?", name)
    return found[0] if found else 0


def troubles_of(source: CrawlSource, host: int, most: int = 20) -> list[HostTrouble]:
    """The last failures of a host, latest first."""
    sql = (
        "SELECT e.time, e.kind, substr(e.detail, 1, 10000), substr(u.url, 1, 5000) "
        "FROM troubles AS t JOIN crawl.events AS e ON e.id = t.id "
        "JOIN crawl.urls AS u ON u.id = e.url WHERE t.host = ? ORDER BY t.id DESC LIMIT ?"
    )
    return [HostTrouble(*row) for row in source.query(sql, host, most)]


def _detailed(source: CrawlSource, rows: list[HostRow]) -> list[ListedHost]:
    names, numbers = json.dumps([row.name for row in rows]), json.dumps([row.id for row in rows])
    sql = "SELECT name, not_before FROM crawl.hosts WHERE name IN (SELECT value FROM json_each(?)) AND not_before > ?"
    rests = dict(source.query(sql, names, time.time()))
    errors: dict[int, dict[str, int]] = {}
    sql = "SELECT host, kind, count FROM errors WHERE host IN (SELECT value FROM json_each(?)) ORDER BY count DESC"
    for host, kind, count in source.query(sql, numbers):
        errors.setdefault(host, {})[kind] = count
    return [ListedHost(row, _delay(source, row.name), rests.get(row.name, 0.0), errors.get(row.id, {})) for row in rows]


def _delay(source: CrawlSource, host: str) -> float:
    settings = source.crawl.topic.fetch
    delays = [settings.delay]
    for scheme in ("http", "https") if settings.robots else ():
        sql = f"SELECT status, substr(body, 1, {_MOST_ROBOTS}) FROM crawl.robots WHERE origin = ?"  # noqa: S608
        for status, body in source.query(sql, f"{scheme}://{host}"):
            asked = _crawl_delay(status, body, settings.agent)
            delays.append(min(asked, settings.max_crawl_delay))
    return max(delays)


@lru_cache(maxsize=1024)
def _crawl_delay(status: int, body: bytes, agent: str) -> float:
    return read_robots(status, body, agent).crawl_delay or 0.0
