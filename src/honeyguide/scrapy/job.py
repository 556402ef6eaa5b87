"""The state of a crawl with a JOBDIR on disk: pending requests, known URLs, and the state of the strategy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from honeyguide.errors import HoneyguideError, InputError
from honeyguide.frontier import Row
from honeyguide.scrapy.links import ChangedUrls, ReadPage

FILE = "scheduler.sqlite"

_VERSION = 1
_SCHEMA = f"""
CREATE TABLE requests (
    number INTEGER PRIMARY KEY, slot TEXT NOT NULL, priority INTEGER NOT NULL, url INTEGER NOT NULL,
    promise REAL NOT NULL, content BLOB NOT NULL
);
CREATE TABLE urls (
    number INTEGER PRIMARY KEY, url TEXT NOT NULL, promise REAL NOT NULL, state INTEGER NOT NULL,
    parent INTEGER NOT NULL, depth INTEGER NOT NULL, attempts INTEGER NOT NULL
);
CREATE TABLE pages (number INTEGER PRIMARY KEY, url INTEGER NOT NULL, relevance REAL NOT NULL, sample BLOB NOT NULL);
CREATE TABLE learnt (name TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE made_by (strategy TEXT NOT NULL);
PRAGMA user_version = {_VERSION};
"""


class StoredRequest(NamedTuple):
    """A pending request, without its content."""

    number: int
    slot: str
    priority: int
    url: int
    promise: float


class JobStore:
    """A database in the folder of a job.

    A request is in it from when it is scheduled until it has left the downloader: one that is in progress when the
    process is killed is made again by the next run. What was found and learnt is saved from time to time, and may be a
    little older: the requests do not depend on it.
    """

    def __init__(self, folder: Path, strategy: str) -> None:
        """Open or create the database of a folder. Raises `InputError` if it is invalid or has other settings."""
        path = folder / FILE
        self.is_new = not path.exists()
        self._connection = sqlite3.connect(path)
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            if self.is_new:
                self._connection.executescript(_SCHEMA)
                self._connection.execute("INSERT INTO made_by VALUES (?)", (strategy,))
                self._connection.commit()
            _check(self._connection, path, strategy)
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise HoneyguideError(f"{path}: {error}; delete the folder to begin again") from error
        except InputError:
            self._connection.close()
            raise

    # ---- requests ----

    def requests(self) -> Iterator[StoredRequest]:
        """The requests that were pending or in progress when the last run ended, in the order of their numbers."""
        query = "SELECT number, slot, priority, url, promise FROM requests ORDER BY number"
        return map(StoredRequest._make, self._connection.execute(query))

    def add(self, request: StoredRequest, content: bytes) -> None:
        """Store a request."""
        self._connection.execute("INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?)", (*request, content))

    def content(self, number: int) -> bytes:
        """The content of a request."""
        ((content,),) = self._connection.execute("SELECT content FROM requests WHERE number = ?", (number,))
        return bytes(content)

    def remove(self, number: int) -> None:
        """Delete a request that is finished."""
        self._connection.execute("DELETE FROM requests WHERE number = ?", (number,))

    # ---- URLs and strategy ----

    def urls(self) -> Iterator[Row]:
        """The rows of all URLs, in the order of their numbers."""
        query = "SELECT url, promise, state, parent, depth, attempts FROM urls ORDER BY number"
        return iter(self._connection.execute(query))

    def pages(self) -> Iterator[ReadPage]:
        """All pages, in the order in which they were read."""
        query = "SELECT url, relevance, sample FROM pages ORDER BY number"
        return map(ReadPage._make, self._connection.execute(query))

    def learnt(self) -> dict[str, bytes]:
        """The state of the strategy."""
        return dict(self._connection.execute("SELECT name, content FROM learnt"))

    def save(self, urls: ChangedUrls, pages: Iterable[ReadPage], learnt: Iterable[tuple[str, bytes]]) -> None:
        """Save the changes. The state of the strategy refers to the URLs, so both are written in one transaction."""
        execute = self._connection.executemany
        execute("INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?)", urls.new)
        execute("UPDATE urls SET promise = ?, state = ?, attempts = ? WHERE number = ?", urls.changed)
        execute("INSERT INTO pages (url, relevance, sample) VALUES (?, ?, ?)", pages)
        execute("INSERT OR REPLACE INTO learnt VALUES (?, ?)", learnt)

    def commit(self) -> None:
        """Make all changes so far survive the end of the process."""
        self._connection.commit()

    def close(self) -> None:
        """Commit and close."""
        self._connection.commit()
        self._connection.close()


def _check(connection: sqlite3.Connection, path: Path, strategy: str) -> None:
    ((version,),) = connection.execute("PRAGMA user_version")
    if version != _VERSION:
        raise InputError(str(path), "was made by another version of honeyguide", "delete the folder to begin again")
    ((made_by,),) = connection.execute("SELECT strategy FROM made_by")
    if made_by != strategy:
        raise InputError(
            str(path), f"was made with the strategy {made_by}", f"use that instead of {strategy}, or another JOBDIR"
        )
