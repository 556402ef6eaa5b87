"""Keeps watch.sqlite up to date with crawl.sqlite, in batches, from what the crawl has appended since the last one."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Self
from zlib import crc32

from honeyguide.dashboard.index_sql import (
    ADD_PAGES,
    ADD_TROUBLES,
    CHILDREN,
    FILL_BATCH,
    MILESTONES,
    RESTS,
    TROUBLES,
)
from honeyguide.dashboard.schema import ALL_KINDS, SCHEMA, TABLES, VERSION, host_in, words_of
from honeyguide.errors import HoneyguideError
from honeyguide.page.domains import registered_domain
from honeyguide.store.connection import COMPANIONS, attach, database_errors
from honeyguide.store.connection import FILE as CRAWL
from honeyguide.store.whole import refresh

FILE = "watch.sqlite"

_EVENTS_A_BATCH = 20_000
_URLS_A_BATCH = 200_000
_CHANGES_EVERYTHING = (
    "judged",
    "judged again",
    "versions",
)  # after these events, rows that were read before have changed
_OBJECTS = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name"


class CrawlFile:
    """The identity of a crawl's database at a certain time."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / CRAWL
        self._inode = self._path.stat().st_ino

    @property
    def is_replaced(self) -> bool:
        """Whether the crawl has another database now, for example after a repair."""
        try:
            return self._path.stat().st_ino != self._inode
        except OSError:
            return True


class WatchIndex:
    """The writer of watch.sqlite. Several of them, of several processes, may work on the same file in turns.

    Every batch is one transaction, which begins by locking the file and reading how far it is; so each row of the crawl
    is counted once. The crawl's database is only read, for the length of a batch.
    """

    def __init__(self, folder: Path) -> None:
        """Open or make the index of a crawl: in its folder or, where that cannot be written to, in a temporary one.

        A file that is not the index of this version is replaced.
        """
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self.path = folder / FILE
        if not os.access(folder, os.W_OK) or self.path.is_symlink():
            self._temporary = tempfile.TemporaryDirectory(prefix="honeyguide-watch-")
            self.path = Path(self._temporary.name, FILE)
        self._folder = folder
        refresh(folder, priorities=False)  # a crawl on several machines may not have a database of its own yet
        self._crawl_file = CrawlFile(folder)
        try:
            self._connection = _with_crawl(_opened(self.path), folder)
        except BaseException:
            self._remove_temporary()
            raise
        columns = "seq INTEGER PRIMARY KEY, id, host, kind, relevance, fetched, size, title, url, parent"
        self._connection.execute(f"CREATE TEMP TABLE batch ({columns})")
        self._connection.execute("CREATE TEMP TABLE troubled (id INTEGER PRIMARY KEY, host, kind, reason)")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and delete it if it is a temporary one."""
        self._connection.close()
        self._remove_temporary()

    def _remove_temporary(self) -> None:
        if self._temporary is not None:
            self._temporary.cleanup()

    def advance(self) -> bool:
        """Read one batch. Returns whether there may be more to read immediately."""
        refresh(self._folder, priorities=False)
        with database_errors(self.path):
            # The first statement writes to this file alone: BEGIN IMMEDIATE would lock the crawl's database, too.
            self._connection.execute("BEGIN")
            try:
                self._set("touched", 1)
                self._start_over_if_changed()
                more = self._read_events() | self._read_urls()
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise
        return more

    def catch_up(self) -> None:
        """Read everything."""
        while self.advance():
            pass

    @property
    def share(self) -> float:
        """The share of the crawl's events and URLs that have been read, from 0 to 1."""
        read = self._get("events") + self._get("urls")
        all_of_it = self._newest("events") + self._newest("urls")
        return min(read / all_of_it, 1.0) if all_of_it > 0 else 1.0

    @property
    def is_outdated(self) -> bool:
        """Whether the crawl has another database now, for example after a repair: then this must be opened anew."""
        return self._crawl_file.is_replaced

    @property
    def version(self) -> int:
        """A number that changes with every commit of the crawl."""
        return int(self._single("PRAGMA crawl.data_version"))

    def _start_over_if_changed(self) -> None:
        """Start over if the crawl no longer has the rows that were read, after a repair or if all were judged again."""
        last, checked, newest = self._get("events"), self._get("checked"), self._newest("events")
        if last:
            kinds = ", ".join(map(repr, _CHANGES_EVERYTHING))
            sql = f"SELECT count(*) FROM crawl.events WHERE id > ? AND kind IN ({kinds})"  # noqa: S608 (own text)
            if newest < last or self._stamp(last) != self._get("stamp") or self._single(sql, checked):
                for table in TABLES:
                    self._connection.execute(f"DELETE FROM {table}")  # noqa: S608 (own name)
                for name in map(words_of, ALL_KINDS):
                    self._connection.execute(f"INSERT INTO {name} ({name}) VALUES ('delete-all')")  # noqa: S608
        if newest != checked:
            self._set("checked", newest)

    def _read_events(self) -> bool:
        last, run = self._get("events"), self._connection.execute
        end = min(last + _EVENTS_A_BATCH, self._newest("events"))
        if end <= last:
            return False
        run("DELETE FROM temp.batch")
        run("DELETE FROM temp.troubled")
        run(FILL_BATCH, (last, end))
        run(TROUBLES, (last, end))
        run(
            "INSERT OR IGNORE INTO hosts (name) SELECT host FROM temp.batch UNION SELECT parent FROM temp.batch "
            "WHERE parent IS NOT NULL UNION SELECT host FROM temp.troubled"
        )
        self._name_sites()
        for sql in (*ADD_PAGES, *ADD_TROUBLES):
            run(sql)
        run(RESTS, (last, end))
        run(MILESTONES, (last, end))
        self._name_sites()
        self._set("events", end)
        self._set("stamp", self._stamp(end))
        return end < self._newest("events")

    def _read_urls(self) -> bool:
        first = self._get("urls")
        end = min(first + _URLS_A_BATCH, self._newest("urls") + 1)
        if end <= first:
            return False
        self._connection.execute(CHILDREN, (first, end))
        self._set("urls", end)
        return end <= self._newest("urls")

    def _name_sites(self) -> None:
        for host, name in self._connection.execute("SELECT id, name FROM hosts WHERE site IS NULL").fetchall():
            site = registered_domain(name)
            self._connection.execute("INSERT OR IGNORE INTO sites (name) VALUES (?)", (site,))
            self._connection.execute(
                "UPDATE hosts SET site = (SELECT id FROM sites WHERE name = ?) WHERE id = ?", (site, host)
            )

    def _newest(self, table: str) -> int:
        return int(self._single(f"SELECT coalesce(max(id), -1) FROM crawl.{table}"))  # noqa: S608 (own name)

    def _stamp(self, event: int) -> int:
        """A number that identifies an event; it differs in a repaired crawl."""
        found = self._connection.execute("SELECT time, kind, url FROM crawl.events WHERE id = ?", (event,)).fetchone()
        return crc32(repr(found).encode())

    def _get(self, key: str) -> int:
        found = self._connection.execute("SELECT value FROM progress WHERE key = ?", (key,)).fetchone()
        return 0 if found is None else int(found[0])

    def _set(self, key: str, value: int) -> None:
        self._connection.execute("INSERT OR REPLACE INTO progress VALUES (?, ?)", (key, value))

    def _single(self, sql: str, *values: Any) -> Any:
        (value,) = self._connection.execute(sql, values).fetchone()
        return value

    # ---- periodic counts ----

    def count_waiting(self) -> None:
        """Count the waiting URLs of each host, in one pass over all URLs of the crawl."""
        host = host_in("url")
        sql = f"SELECT {host}, count(*), max(priority) FROM crawl.urls WHERE state <= 1 GROUP BY 1"  # noqa: S608
        with database_errors(self.path):
            counted = self._connection.execute(sql).fetchall()
            self._connection.execute("BEGIN")
            self._connection.execute("UPDATE hosts SET waiting = 0, promise = 0 WHERE waiting > 0")
            self._connection.executemany(
                "INSERT INTO hosts (name, waiting, promise) VALUES (?, ?, ?) "
                "ON CONFLICT (name) DO UPDATE SET waiting = excluded.waiting, promise = excluded.promise",
                counted,
            )
            self._name_sites()
            self._connection.execute("COMMIT")

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of a query on the index, or on the tables of the crawl as ``crawl.table``."""
        with database_errors(self.path):
            return self._connection.execute(sql, values).fetchall()


def open_index(path: Path, folder: Path) -> sqlite3.Connection:
    """Open an index for reading, with the crawl's own tables as ``crawl.table``."""
    with database_errors(path):
        connection = _with_crawl(_connect(path), folder)
        connection.execute("PRAGMA query_only=ON")
    return connection


def _with_crawl(connection: sqlite3.Connection, folder: Path) -> sqlite3.Connection:
    """The connection to an index, from which the tables of the crawl can be read, too, as ``crawl.table``."""
    try:
        attach(connection, folder / CRAWL, "crawl")
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=rwc"
    return sqlite3.connect(uri, uri=True, isolation_level=None, cached_statements=256, timeout=30.0)


def _opened(path: Path) -> sqlite3.Connection:
    """Open an index for writing. One that is damaged, of another version or not ours is replaced."""
    for _ in range(3):
        connection = _connect(path)
        try:
            if _prepare(connection):
                return connection
            connection.close()
            _delete(path)
        except sqlite3.OperationalError as error:
            connection.close()
            if "no such module" in str(error):
                problem = "the SQLite of this Python has no full-text search (FTS5)"
                raise HoneyguideError(f"{problem}; use another build of Python") from None
            if "already exists" not in str(error):  # then another process has just made it
                raise HoneyguideError(f"{path}: cannot be written: {error}") from error
        except sqlite3.DatabaseError:
            connection.close()
            _delete(path)
    raise HoneyguideError(f"{path}: cannot be replaced; delete it")


def _prepare(connection: sqlite3.Connection) -> bool:
    """Make the tables if there are none. Returns whether they are those of this version."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
    return _is_ours(connection)


def _is_ours(connection: sqlite3.Connection) -> bool:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        return False
    made = sqlite3.connect(":memory:")
    try:
        made.executescript(SCHEMA)
        ours: list[tuple[str, ...]] = made.execute(_OBJECTS).fetchall()
        return ours == connection.execute(_OBJECTS).fetchall()
    finally:
        made.close()


def _delete(path: Path) -> None:
    for suffix in ("", *COMPANIONS):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
