"""Reading a crawl from disk: its pages, the states of its URLs, its counts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from honeyguide.errors import HoneyguideError, InputError
from honeyguide.fetch.base import Response
from honeyguide.frontier import State
from honeyguide.page.url import UrlRules
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance
from honeyguide.store.archive import RecordLocation, archive_files, read_answer
from honeyguide.store.checks import check_rows, check_urls
from honeyguide.store.connection import FILE, check_format, connect, database_errors
from honeyguide.store.database import PAGE_COLUMNS, PageRow
from honeyguide.store.site_repeats import SiteRepeats
from honeyguide.store.stored_page import StoredPage
from honeyguide.store.stored_topic import stored_topic
from honeyguide.store.tail import needs_repair
from honeyguide.store.whole import refresh
from honeyguide.topic import Topic

_COLUMNS = ", ".join(f"pages.{name}" for name in PageRow._fields)

_RECORD = "SELECT warc_file, warc_offset, warc_length FROM {} WHERE id = ?1 AND digest = ?2 AND same_as IS NULL"
_PAYLOAD = f"{_RECORD.format('pages')} UNION ALL {_RECORD.format('versions')}"

_REACHED = """
    WITH RECURSIVE way(id) AS (
        SELECT id FROM urls WHERE url = ? AND state = 2 UNION SELECT target FROM redirects JOIN way ON source = way.id
    )
    SELECT url FROM way JOIN urls USING (id) JOIN pages USING (id)
"""


class Crawl:
    """The folder of a crawl, opened for reading. A running crawl can also be read, up to its last commit.

    Use it in a ``with`` statement, or call `close`.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, topic: Topic) -> None:
        """Use `open`."""
        self.path = path
        self.topic = topic
        self.url_rules = UrlRules(topic.urls)
        self._connection = connection
        self.repeats = SiteRepeats(self.select)
        """The blocks that are repeated on the pages of each site."""

    @classmethod
    def open(cls, path: str | Path) -> Crawl:
        """Open the folder of a crawl.

        Args:
            path: The folder, such as ``crawls/NAME``.

        Returns:
            The crawl, opened for reading.

        Raises:
            InputError: The folder contains no crawl.
            HoneyguideError: Its database is damaged or missing; the message names the remedy.
        """
        path = Path(path)
        refresh(path)
        if not (path / FILE).is_file():
            if archive_files(path):
                raise HoneyguideError(needs_repair(path, "its crawl.sqlite is missing"))
            raise InputError(str(path), "does not contain a crawl", "name the folder of a crawl, like crawls/NAME")
        connection = connect(path / FILE, read_only=True)
        try:
            check_format(connection, path / FILE)
            check_rows(connection, path / FILE)
            return cls(path, connection, stored_topic(path, plugins=False))
        except BaseException:
            connection.close()
            raise

    @cached_property
    def model(self) -> Relevance:
        """The model that scores the pages: the one trained with labels, if there is one."""
        taught = self.path / saved.TAUGHT
        return saved.load(taught if taught.is_dir() else self.path / saved.FOLDER)

    def close(self) -> None:
        """Close the database. The crawl cannot be used afterwards."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- counts and queries ----

    @cached_property
    def meta(self) -> dict[str, Any]:
        """The values of the last commit: counts, seconds, stop reason."""
        values: dict[str, Any] = dict(self.query("SELECT key, value FROM meta"))
        for name in ("errors", "refused", "listed"):
            values[name] = json.loads(values.get(name, "{}"))  # a crawl that was killed at once has no values
        return values

    @cached_property
    def states(self) -> dict[State, int]:
        """How many URLs are in each state."""
        counts = dict(self.query("SELECT state, count(*) FROM urls GROUP BY state"))
        return {state: counts.get(int(state), 0) for state in State}

    def query(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """Query the crawl's tables (see docs/crawl-folder.md).

        Args:
            sql: A SELECT statement.
            *values: The values for its placeholders.

        Returns:
            An iterator over the rows.

        Raises:
            HoneyguideError: The statement is wrong, or the database is damaged.
        """
        with database_errors(self.path / FILE):
            rows = self._connection.execute(sql, values)
        return self._checked(rows)

    def write_temporary(self, sql: str, rows: Iterable[Sequence[Any]] = ((),)) -> None:
        """Create or fill a temporary table, which is visible only to queries of this object.

        Args:
            sql: A statement about tables of the schema ``temp``.
            rows: The values for its placeholders, one sequence per execution.

        Raises:
            HoneyguideError: The statement is wrong, or the disk is full.
        """
        with database_errors(self.path / FILE):
            self._connection.execute("PRAGMA query_only=OFF")
            try:
                self._connection.executemany(sql, rows)
            finally:
                self._connection.execute("PRAGMA query_only=ON")

    def _checked(self, rows: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
        with database_errors(self.path / FILE):
            yield from rows

    def url_rows(self) -> Iterator[tuple[Any, ...]]:
        """Every URL, in the order of the numbers, as `Frontier.restore` expects them.

        Returns:
            An iterator over the rows.

        Raises:
            HoneyguideError: The database is damaged.
        """
        check_urls(self._connection, self.path / FILE)
        return self.query("SELECT url, priority, state, parent, depth, attempts FROM urls ORDER BY id")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """A context manager: all queries inside see the same commit, even if the crawl continues.

        Yields:
            Nothing.
        """
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("COMMIT")

    # ---- pages ----

    def pages(
        self, *, relevant: bool = True, duplicates: bool = False, best_first: bool = False, most: int = -1
    ) -> Iterator[StoredPage]:
        """The pages of the crawl, one at a time. By default only the relevant ones, without duplicates.

        Args:
            relevant: Only relevant pages. Otherwise all pages, duplicates included.
            duplicates: Include relevant pages that duplicate an earlier page, exactly or nearly.
            best_first: Order by relevance, highest first, instead of the order of fetching.
            most: Maximum number of pages; -1 for all.

        Returns:
            An iterator over the pages.
        """
        order = "pages.relevance DESC, pages.seq" if best_first else "pages.seq"
        return self.select(f"WHERE {chosen(relevant, duplicates)} ORDER BY {order} LIMIT ?", most)

    def count(self, *, relevant: bool = True, duplicates: bool = False) -> int:
        """Count pages.

        Args:
            relevant: As for `pages`.
            duplicates: As for `pages`.

        Returns:
            The number of pages that `pages` would return.
        """
        sql = f"SELECT count(*) FROM pages WHERE {chosen(relevant, duplicates)}"  # noqa: S608 (own text)
        ((number,),) = self.query(sql)
        return int(number)

    def page(self, url: str) -> StoredPage | None:
        """Look up a page by its URL.

        Args:
            url: The URL; it is normalised by the rules of the topic.

        Returns:
            The page, or None if it was not fetched.
        """
        canonical = self.url_rules.canonical(url)
        return next(self.select("WHERE urls.url = ? AND urls.state = 2", canonical), None)

    def numbered(self, number: int) -> StoredPage | None:
        """Look up a page by the number of its URL, the `id` in the tables.

        Args:
            number: The number.

        Returns:
            The page, or None if that URL was not fetched.
        """
        return next(self.select("WHERE pages.id = ?", number), None)

    def versions(self, page: StoredPage) -> list[StoredPage]:
        """All stored versions of a page. A page gets a new version if it has changed when it is revisited.

        Args:
            page: A page of this crawl.

        Returns:
            The versions, oldest first; all other methods return the last one.
        """
        sql = f"SELECT {PAGE_COLUMNS} FROM {{}} WHERE id = ? ORDER BY {{}}"  # noqa: S608 (own text)
        rows = [
            *self.query(sql.format("versions", "number"), page.row.id),
            *self.query(sql.format("pages", "id"), page.row.id),
        ]
        return [replace(page, row=PageRow(*row)) for row in rows]

    def newest(self, before: int | None = None, most: int = -1) -> Iterator[StoredPage]:
        """The pages of the crawl, most recently fetched first, including duplicates.

        Args:
            before: Only pages that were fetched earlier than the one with this `seq`; None for all.
            most: Maximum number of pages; -1 for all.

        Returns:
            An iterator over the pages.
        """
        last = "" if before is None else f"WHERE pages.seq < {int(before)} "
        return self.select(f"{last}ORDER BY pages.seq DESC LIMIT ?", most)

    def reached(self, url: str) -> StoredPage | None:
        """Look up the page that a URL leads to, following redirects.

        Args:
            url: The URL; it is normalised by the rules of the topic.

        Returns:
            The page, or None if it was not fetched.
        """
        found = next(self.query(_REACHED, self.url_rules.canonical(url)), None)
        return self.page(found[0]) if found else None

    def select(self, rest: str, *values: Any) -> Iterator[StoredPage]:
        """The pages selected by a query.

        Args:
            rest: The end of an SQL statement about `pages` and `urls`: ``WHERE``, ``ORDER BY`` and so on.
            *values: The values for its placeholders.

        Yields:
            One page after the other.
        """
        sql = (
            f"SELECT urls.url, urls.depth, parents.url, originals.url, {_COLUMNS} FROM pages "  # noqa: S608 (own text)
            "JOIN urls ON urls.id = pages.id LEFT JOIN urls AS parents ON parents.id = urls.parent "
            f"LEFT JOIN urls AS originals ON originals.id = pages.duplicate_of {rest}"
        )
        for url, depth, parent, original, *columns in self.query(sql, *values):
            row = PageRow(*columns)
            yield StoredPage(url, parent or "", depth, original or "", row, self)

    def answer(self, page: StoredPage) -> Response:
        """Read the response for a page from the archive. `StoredPage.stored` is the same.

        Args:
            page: A page of this crawl.

        Returns:
            The response. Its body is taken from an earlier page with the same payload, if there is one; for a page
            that was rendered in a browser it is the rendered document.

        Raises:
            HoneyguideError: The archive no longer contains the response.
        """
        row, original = page.row, page.row.rendered_spot
        if original is None and row.same_as is not None:
            found = next(self.query(_PAYLOAD, row.same_as, row.digest), None)
            if found is None:
                raise HoneyguideError(needs_repair(self.path, "a page refers to a payload that no page has"))
            original = RecordLocation(*found)
        return read_answer(self.path, row.spot, self.topic.fetch.max_body, url=page.url, original=original)


def chosen(relevant: bool, duplicates: bool) -> str:
    """The SQL condition on `pages` that selects all pages, or only relevant ones, with or without duplicates."""
    if not relevant:
        return "TRUE"
    return "pages.relevant" if duplicates else "pages.relevant AND pages.duplicate_of IS NULL"
