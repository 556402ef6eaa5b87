"""The crawl as the views read it: its own database and the index, through connections that cannot write."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from honeyguide.dashboard.index import CrawlFile, open_index
from honeyguide.errors import HoneyguideError
from honeyguide.store.connection import FILE, connect, database_errors
from honeyguide.store.crawl import Crawl
from honeyguide.store.stored_topic import stored_topic

_LONGEST = 5.0  # seconds that a view may take: a search may be for a word that every page has
_STEPS = 50_000  # of SQLite between two looks at the clock


def unchecked_crawl(folder: Path) -> Crawl:
    """A crawl whose rows were checked before: `Crawl.open` looks at all of them, which takes seconds for millions."""
    return Crawl(folder, connect(folder / FILE, read_only=True), stored_topic(folder, plugins=False))


class SlowQueryError(HoneyguideError):
    """A view took too long and was given up."""


class CrawlSource:
    """A crawl and its index, opened for reading. Belongs to the thread that has made it."""

    def __init__(self, folder: Path, index: Path) -> None:
        self.folder = folder
        self.crawl = unchecked_crawl(folder)
        self._crawl_file = CrawlFile(folder)
        self._deadline = 0.0
        try:
            self._connection = open_index(index, folder)
        except BaseException:
            self.crawl.close()
            raise
        self._connection.set_progress_handler(lambda: time.monotonic() > self._deadline, _STEPS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close both databases."""
        self._connection.close()
        self.crawl.close()

    @property
    def is_replaced(self) -> bool:
        """Whether the crawl has another database by now, as after a repair."""
        return self._crawl_file.is_replaced

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of a query on the index, or on the tables of the crawl as ``crawl.table``.

        Raises `SlowQueryError` when it takes more than a few seconds.
        """
        self._deadline = time.monotonic() + _LONGEST
        with database_errors(self.folder / FILE):
            try:
                return self._connection.execute(sql, values).fetchall()
            except sqlite3.OperationalError:  # the progress handler interrupts it
                if time.monotonic() > self._deadline:
                    raise SlowQueryError("this takes too long; use rarer words, or fewer of them") from None
                raise

    def one(self, sql: str, *values: Any) -> Sequence[Any]:
        """The first row of a query; empty if there is none."""
        rows = self.query(sql, *values)
        return rows[0] if rows else ()

    def meta(self) -> dict[str, Any]:
        """The values of the crawl's last commit."""
        return dict(self.query("SELECT key, value FROM crawl.meta"))
