"""crawl.sqlite: the append-only log of a crawl, and the tables that users query."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from honeyguide.frontier import DirtyRows, Row
from honeyguide.store.archive import RecordLocation
from honeyguide.store.checks import check_rows, check_urls
from honeyguide.store.connection import check_format, connect, database_errors, is_blank, is_busy, upgrade
from honeyguide.store.schema import SCHEMA, VERSION


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
    rendered_file: int | None = None
    rendered_offset: int | None = None
    rendered_length: int | None = None

    @property
    def spot(self) -> RecordLocation:
        """Where its record is in the archive."""
        return RecordLocation(self.warc_file, self.warc_offset, self.warc_length)

    @property
    def rendered_spot(self) -> RecordLocation | None:
        """The location of the document rendered by a browser; None if the page was read as sent."""
        if self.rendered_file is None or self.rendered_offset is None or self.rendered_length is None:
            return None
        return RecordLocation(self.rendered_file, self.rendered_offset, self.rendered_length)


Statement = tuple[str, Iterable[Sequence[Any]]]
"""An SQL statement and the rows that it is executed with."""

_COLUMNS = PageRow._fields
PAGE_COLUMNS = ", ".join(PageRow._fields)
"""The columns of `pages`, which `versions` also has."""

_INSERT_VERSION = f"INSERT INTO versions (replaced, {PAGE_COLUMNS}) VALUES (?, {', '.join('?' * len(_COLUMNS))})"  # noqa: S608
_INSERT_PAGE = f"INSERT INTO pages ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608 (own column names)


class Database:
    """The only writer of the database. Rows are collected in memory; `commit` writes them in one transaction.

    The file never contains a partial commit: after a crash it has everything up to some commit, and nothing after it.
    """

    def __init__(self, path: Path, more_tables: str = "") -> None:
        """Open or create a database; `more_tables` are statements that create further tables."""
        self._path = path
        self._schema = SCHEMA + more_tables
        self._connection = connect(path)
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise
        self._pages: list[PageRow] = []
        self._replaced: dict[int, PageRow] = {}
        self._versions: list[tuple[Any, ...]] = []
        self._validators: dict[int, tuple[int, str, str]] = {}
        self._copies: dict[int, int | None] = {}
        self._readings: list[tuple[int, str]] = []
        self._redirects: list[tuple[int, int, int]] = []
        self._events: list[tuple[float, str, int | None, str]] = []
        self._robots: dict[str, tuple[str, float, int, bytes]] = {}
        self._hosts: dict[str, float] = {}
        self._judged: dict[int, tuple[float, bool]] = {}

    def _prepare(self) -> None:
        connection, path = self._connection, self._path
        with database_errors(path):
            # FULL: a commit is on disk when it returns, even in WAL mode, and not only at the next checkpoint.
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA journal_mode=WAL")
            if is_blank(connection, path):
                # Empty rather than missing: a crash may have happened between creating the file and filling it.
                connection.executescript(f"BEGIN; {self._schema} PRAGMA user_version={VERSION}; COMMIT;")
        upgrade(connection, path)
        check_format(connection, path)
        check_urls(connection, path)
        check_rows(connection, path)

    # ---- recording ----

    def page(self, row: PageRow, left_out: Mapping[str, int]) -> None:
        """Record a page."""
        self._pages.append(row)
        self.left_out(row.id, left_out)

    def version(self, before: PageRow, row: PageRow, left_out: Mapping[str, int]) -> dict[str, int]:
        """Record a new version of a changed page, and keep the row `before`.

        Returns the old counts of links that were not followed, which are no longer recorded.
        """
        found = self._connection.execute("SELECT left_out FROM readings WHERE page = ?", (row.id,)).fetchone()
        self.earlier_version(row.fetched, before)
        self._judged.pop(row.id, None)  # an earlier change that is not written yet
        self._copies.pop(row.id, None)
        self._replaced[row.id] = row
        self._readings.append((row.id, json.dumps(left_out, sort_keys=True)))
        counts: dict[str, int] = json.loads(found[0]) if found else {}
        return counts

    def earlier_version(self, replaced: float, row: PageRow) -> None:
        """Record an earlier version of a page, and when it was replaced."""
        self._versions.append((replaced, *row))

    def validators(self, number: int, etag: str, modified: str) -> None:
        """Record the validators of a page."""
        self._validators[number] = (number, etag, modified)

    def duplicate(self, number: int, original: int | None) -> None:
        """Record that a page now duplicates a different page, or none."""
        self._copies[number] = original

    def stored_page(self, number: int) -> PageRow | None:
        """The row of a page, including uncommitted changes; None if it was not fetched."""
        row = self._replaced.get(number) or next((row for row in self._pages if row.id == number), None)
        if row is None:
            sql = f"SELECT {PAGE_COLUMNS} FROM pages WHERE id = ?"  # noqa: S608 (own column names)
            found = self._connection.execute(sql, (number,)).fetchone()
            row = None if found is None else PageRow(*found)
        if row is not None and number in self._judged:
            relevance, relevant = self._judged[number]
            row = row._replace(relevance=relevance, relevant=relevant)
        if row is not None and number in self._copies:
            row = row._replace(duplicate_of=self._copies[number])
        return row

    def stored_validators(self, number: int) -> tuple[str, str]:
        """The recorded validators of a page; empty texts if there are none."""
        if number in self._validators:
            return self._validators[number][1:]
        sql = "SELECT etag, modified FROM validators WHERE page = ?"
        return self._connection.execute(sql, (number,)).fetchone() or ("", "")

    def judged_again(self, number: int, relevance: float, *, relevant: bool) -> tuple[bool, bool]:
        """Change the row of a page. Returns whether it was relevant, and whether it is a duplicate."""
        sql = "SELECT relevant, duplicate_of IS NOT NULL FROM pages WHERE id = ?"
        found = self._connection.execute(sql, (number,)).fetchone()
        before, duplicate = found if found is not None else (False, False)
        if number in self._judged:
            before = self._judged[number][1]
        self._judged[number] = (relevance, relevant)
        return bool(before), bool(duplicate)

    def left_out(self, number: int, counts: Mapping[str, int]) -> None:
        """Record how many links of a page, or URLs of a sitemap or feed, are not followed, by reason."""
        if counts:
            self._readings.append((number, json.dumps(counts, sort_keys=True)))

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

    def begin(self, patience: float) -> bool:
        """Begin a commit. Returns False if another program has locked the file, for at least `patience` seconds."""
        if not self._connection.in_transaction:
            self._connection.execute(f"PRAGMA busy_timeout={int(1000 * patience)}")
            try:
                self._connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    raise
                return False
        return True

    def commit(
        self,
        urls: DirtyRows,
        meta: Mapping[str, Any],
        steering: Iterable[tuple[str, bytes]] = (),
        more: Iterable[Statement] = (),
    ) -> None:
        """Write all records, the new and changed URLs, `meta` and the strategy's state in one transaction.

        With `more`, these statements are part of it.

        The transaction is the one that `begin` has begun; without it, this waits for other programs itself.
        """
        run = self._connection.executemany
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")
        run("INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?)", urls.new)
        run("UPDATE urls SET priority = ?, state = ?, attempts = ? WHERE id = ?", urls.changed)
        run(_INSERT_PAGE, self._pages)
        run(_INSERT_PAGE.replace("INSERT", "REPLACE", 1), self._replaced.values())
        judged = ((*values, number) for number, values in self._judged.items())
        run("UPDATE pages SET relevance = ?, relevant = ? WHERE id = ?", judged)
        run("UPDATE pages SET duplicate_of = ? WHERE id = ?", ((copy, number) for number, copy in self._copies.items()))
        run(_INSERT_VERSION, self._versions)
        run("INSERT OR REPLACE INTO validators VALUES (?, ?, ?)", self._validators.values())
        run("INSERT OR REPLACE INTO readings VALUES (?, ?)", self._readings)
        run("INSERT OR REPLACE INTO redirects VALUES (?, ?, ?)", self._redirects)
        run("INSERT INTO events (time, kind, url, detail) VALUES (?, ?, ?, ?)", self._events)
        run("INSERT OR REPLACE INTO robots VALUES (?, ?, ?, ?)", self._robots.values())
        run("INSERT OR REPLACE INTO hosts VALUES (?, ?)", self._hosts.items())
        run("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta.items())
        run("INSERT OR REPLACE INTO steering VALUES (?, ?)", steering)
        for sql, rows in more:
            run(sql, rows)
        self._connection.execute("COMMIT")
        for rows in (self._pages, self._versions, self._readings, self._redirects, self._events):
            rows.clear()
        for values in (self._replaced, self._validators, self._copies, self._robots, self._hosts, self._judged):
            values.clear()

    def close(self) -> None:
        """Close the file. Uncommitted data is lost."""
        self._connection.close()

    # ---- reading back ----

    def query(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a query on committed data."""
        return self._connection.execute(sql, values)

    def meta(self) -> dict[str, Any]:
        """The values of the last commit."""
        return dict(self._connection.execute("SELECT key, value FROM meta").fetchall())

    def rows(self) -> Iterator[Row]:
        """Every URL, in the order of the numbers, as `Frontier.restore` expects them."""
        return self._connection.execute("SELECT url, priority, state, parent, depth, attempts FROM urls ORDER BY id")
