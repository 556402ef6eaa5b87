"""crawl.sqlite: the append-only log of a crawl, and the tables that users query."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from honeyguide.errors import HoneyguideError
from honeyguide.frontier import DirtyRows, Row
from honeyguide.store.schema import SCHEMA, VERSION

FILE = "crawl.sqlite"


class PageRow(NamedTuple):
    """A row of `pages`, field by field."""

    id: int
    seq: int
    fetched: float
    elapsed: float
    status: int
    content_type: str
    size: int
    title: str
    language: str
    words: int
    links: int
    relevance: float
    relevant: bool
    priority: float
    signature: bytes
    duplicate_of: int | None
    digest: bytes
    same_as: int | None
    truncated: str
    warc_file: int
    warc_offset: int
    warc_length: int


_COLUMNS = PageRow._fields
_INSERT_PAGE = f"INSERT INTO pages ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608 (own column names)


class Database:
    """The only writer of the database. Rows are collected in memory; `commit` writes them in one transaction.

    The file never contains a partial commit: after a crash it has everything up to some commit, and nothing after it.
    """

    def __init__(self, path: Path) -> None:
        self._connection = connect(path)
        if is_blank(self._connection, path):
            # Empty rather than missing: a crash may have happened between creating the file and filling it.
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
        check_version(self._connection, path)
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._pages: list[PageRow] = []
        self._readings: list[tuple[int, str]] = []
        self._redirects: list[tuple[int, int, int]] = []
        self._events: list[tuple[float, str, int | None, str]] = []
        self._robots: dict[str, tuple[str, float, int, bytes]] = {}
        self._hosts: dict[str, float] = {}

    # ---- recording ----

    def page(self, row: PageRow, left_out: Mapping[str, int]) -> None:
        """Record a page."""
        self._pages.append(row)
        if left_out:
            self._readings.append((row.id, json.dumps(left_out, sort_keys=True)))

    def redirect(self, source: int, target: int, hops: int) -> None:
        """Record that one URL redirects to another."""
        self._redirects.append((source, target, hops))

    def event(self, time: float, kind: str, url: int | None, /, **detail: Any) -> None:
        """Record an event."""
        text = json.dumps(detail, ensure_ascii=False) if detail else "{}"
        # What servers send may contain bytes that are not valid text; SQLite accepts only valid text.
        self._events.append((time, kind, url, text.encode("utf-8", "replace").decode("utf-8")))

    def robots(self, origin: str, fetched: float, status: int, body: bytes) -> None:
        """Record the content of a robots.txt."""
        self._robots[origin] = (origin, fetched, status, body)

    def host(self, name: str, not_before: float) -> None:
        """Record that a host must not be contacted before a time."""
        self._hosts[name] = not_before

    def commit(self, urls: DirtyRows, meta: Mapping[str, Any], steering: Iterable[tuple[str, bytes]] = ()) -> None:
        """Write all that was recorded, the new and changed URLs, `meta` and the strategy's state in one transaction."""
        run = self._connection.executemany
        self._connection.execute("BEGIN IMMEDIATE")
        run("INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?)", urls.new)
        run("UPDATE urls SET priority = ?, state = ?, attempts = ? WHERE id = ?", urls.changed)
        run(_INSERT_PAGE, self._pages)
        run("INSERT INTO readings VALUES (?, ?)", self._readings)
        run("INSERT OR REPLACE INTO redirects VALUES (?, ?, ?)", self._redirects)
        run("INSERT INTO events (time, kind, url, detail) VALUES (?, ?, ?, ?)", self._events)
        run("INSERT OR REPLACE INTO robots VALUES (?, ?, ?, ?)", self._robots.values())
        run("INSERT OR REPLACE INTO hosts VALUES (?, ?)", self._hosts.items())
        run("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
        run("INSERT OR REPLACE INTO steering VALUES (?, ?)", steering)
        self._connection.execute("COMMIT")
        for written in (self._pages, self._readings, self._redirects, self._events, self._robots, self._hosts):
            written.clear()

    def close(self) -> None:
        """Close the file. What was not committed is lost."""
        self._connection.close()

    # ---- reading back ----

    def query(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a query on what has been committed."""
        return self._connection.execute(sql, values)

    def meta(self) -> dict[str, Any]:
        """The values of the last commit."""
        return dict(self._connection.execute("SELECT key, value FROM meta").fetchall())

    def rows(self) -> Iterator[Row]:
        """Every URL, in the order of the numbers, as `Frontier.restore` expects them."""
        return self._connection.execute("SELECT url, priority, state, parent, depth, attempts FROM urls ORDER BY id")


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a crawl database; transactions are begun and ended explicitly.

    A reader with write access to the folder opens the file in read-write mode with `query_only`: only then does SQLite
    delete its auxiliary files when the last reader closes the database.
    """
    mode = "rwc"
    if read_only:
        mode = "rw" if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK) else "ro"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    try:
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, cached_statements=256)
    except sqlite3.Error as error:
        raise HoneyguideError(f"{path}: cannot be opened: {error}") from None
    if read_only:
        connection.execute("PRAGMA query_only=ON")
    return connection


def is_blank(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether a database is empty."""
    return _single(connection, path, "SELECT count(*) FROM sqlite_master") == 0


def check_version(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `HoneyguideError` for a file that is not a crawl database of this version."""
    version = _single(connection, path, "PRAGMA user_version")
    if version != VERSION:
        raise HoneyguideError(
            f"{path}: was written by another version (format {version}; this version reads {VERSION})"
        )


def _single(connection: sqlite3.Connection, path: Path, sql: str) -> int:
    try:
        with closing(connection.execute(sql)) as cursor:
            value: int = cursor.fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise HoneyguideError(f"{path}: is not a crawl database: {error}") from None
    return value
