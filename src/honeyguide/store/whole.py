"""The crawl.sqlite of a crawl on several machines, which is merged incrementally from those of its shards.

It has the same tables as that of a crawl on one machine, so that whatever reads a crawl can read this one. URLs get
numbers of their own, in an order in which parents come before their children. What was read once is not read again, but
for the URLs that wait, whose priorities change all the time.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from honeyguide.frontier import NO_PARENT, State
from honeyguide.store.archive import number_elsewhere
from honeyguide.store.connection import COMPANIONS, FILE, check_format, connect, database_errors, is_blank, upgrade
from honeyguide.store.database import PageRow
from honeyguide.store.schema import SCHEMA, VERSION, WHOLE_TABLES
from honeyguide.store.shards import databases, read_layout, shard_folder
from honeyguide.store.tally import COUNTED

_PAGE = ", ".join(PageRow._fields)
_NEW_PAGE = f"INSERT INTO pages ({_PAGE}) VALUES ({', '.join('?' * len(PageRow._fields))})"  # noqa: S608 (own names)
_NEW_VERSION = f"INSERT INTO versions (replaced, {_PAGE}) VALUES (?, {', '.join('?' * len(PageRow._fields))})"  # noqa: S608
_SUMS: Final = ("pages", "relevant", "duplicates", "size", "answers", "waiting", "again", "changed", "gone")
_LARGEST: Final = ("seconds", "run_seconds", "best", "committed", "paused", "lesson_open")
_OF_ONE: Final = ("start", "stop", "taught", "model")  # events that all shards have in common: one copy is enough
_JUDGED: Final = ("judged", "judged again", "again")  # events that change rows of pages
_ROUNDS: Final = 5
_TABLES: Final = (
    "meta", "urls", "pages", "versions", "validators", "readings", "redirects", "events", "robots", "hosts",
)  # fmt: skip
_ELSEWHERE: Final = int(State.ELSEWHERE)


def refresh(folder: Path, *, priorities: bool = True) -> None:
    """Update the database of a crawl from its shards, if it has any.

    Several processes may do so at the same time: one waits for the other. Where the folder cannot be written to, the
    database stays as it is. Without `priorities`, those of URLs that wait may be out of date.

    Raises `HoneyguideError` when a database cannot be read.
    """
    shards = databases(folder)
    if not shards or not os.access(folder, os.W_OK):
        return
    with closing(_opened(folder / FILE)) as connection, database_errors(folder / FILE):
        whole = _Whole(connection, shards)
        whole.run("BEGIN IMMEDIATE")
        try:
            if whole.is_outdated():
                whole.read(priorities=priorities)
            whole.run("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                whole.run("ROLLBACK")
            raise


def _opened(path: Path) -> sqlite3.Connection:
    """Open the database; one that is that of a single machine, from before there were shards, is replaced."""
    for _ in range(2):
        connection = connect(path)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            if is_blank(connection, path):
                tables = f"{SCHEMA} {WHOLE_TABLES} PRAGMA user_version={VERSION};"
                with suppress(sqlite3.OperationalError):  # another process has just created them
                    connection.executescript(f"BEGIN IMMEDIATE; {tables} COMMIT;")
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            upgrade(connection, path)
            check_format(connection, path)
            if any(connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'shard_urls'")):
                return connection
        except BaseException:
            connection.close()
            raise
        connection.close()
        for suffix in ("", *COMPANIONS):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    raise AssertionError("it was just made")


class _Whole:
    """The database of the whole crawl, during one refresh."""

    def __init__(self, connection: sqlite3.Connection, shards: list[tuple[str, Path]]) -> None:
        self.run = connection.execute
        self.run_all = connection.executemany
        self.first = shards[0][0]
        self._shards = [_Shard(self, name, path) for name, path in shards]

    def is_outdated(self) -> bool:
        """Whether a shard has committed since the last refresh, or the set of shards has changed."""
        known = {name for (name,) in self.run("SELECT DISTINCT shard FROM shard_progress")}
        if known - {shard.name for shard in self._shards}:
            for table in _TABLES:
                self.run(f"DELETE FROM {table}")  # noqa: S608 (own name)
            self.run("DELETE FROM shard_urls")
            self.run("DELETE FROM shard_progress")
        return any(shard.is_outdated() for shard in self._shards)

    def read(self, *, priorities: bool) -> None:
        """Read the new rows of all shards."""
        shards = self._shards
        for _ in range(_ROUNDS):
            # A page whose links have arrived in one shard is in another shard, but its row may not have been read yet.
            with _snapshots(shards):
                for shard in shards:
                    shard.read_changed(priorities=priorities)
                while any([shard.read_urls() for shard in shards]):
                    pass
                self._read_pages()
                self._read_events()
                for shard in shards:
                    shard.read_rest()
                self._write_meta()
            if not any(shard.is_blocked for shard in shards):
                return
        with _snapshots(shards):
            for shard in shards:
                shard.read_urls(orphans=True)

    def _read_pages(self) -> None:
        rows = [row for shard in self._shards for row in shard.new_pages()]
        ((last,),) = self.run("SELECT coalesce(max(seq), -1) FROM pages")
        rows.sort(key=lambda row: row.fetched)
        self.run_all(_NEW_PAGE, [row._replace(seq=last + 1 + place) for place, row in enumerate(rows)])
        versions = sorted(version for shard in self._shards for version in shard.new_versions())
        self.run_all(_NEW_VERSION, [(replaced, *row) for replaced, row in versions])

    def _read_events(self) -> None:
        rows = sorted(row for shard in self._shards for row in shard.new_events())
        self.run_all("INSERT INTO events (time, kind, url, detail) VALUES (?, ?, ?, ?)", rows)

    def _write_meta(self) -> None:
        metas = [dict(shard.query("SELECT key, value FROM meta")) for shard in self._shards]
        metas = [meta for meta in metas if meta]
        if not metas:
            return
        values: dict[str, Any] = {name: sum(meta.get(name, 0) for meta in metas) for name in _SUMS}
        values |= {name: max(meta.get(name, 0) for meta in metas) for name in _LARGEST}
        for name in COUNTED:
            total = sum((Counter(json.loads(meta.get(name, "{}"))) for meta in metas), Counter[str]())
            values[name] = json.dumps(total)
        values["told"] = metas[0].get("told", "{}")
        stops = [(meta.get("stop", ""), meta.get("stop_text", "")) for meta in metas]
        others = [stop for stop in stops if stop[0] in {"failed", "interrupted"}]
        stop, text = ("", "") if not all(stop for stop, _ in stops) else (others or stops)[0]
        values |= {"stop": stop, "stop_text": text}
        self.run_all("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())


class _Shard:
    """A shard that is being read into the database of the whole crawl."""

    def __init__(self, whole: _Whole, name: str, folder: Path) -> None:
        self.name = name
        self.is_blocked = False
        """Whether there is a URL whose parent was not read yet."""
        self.folder = folder
        self._whole = whole
        self._connection: sqlite3.Connection | None = None
        self._numbers: dict[int, int] = {}
        self._touched: list[int] = []

    def query(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        assert self._connection is not None
        with database_errors(self.folder / FILE):
            yield from self._connection.execute(sql, values)

    def begin(self) -> None:
        if self._connection is None:
            self._connection = connect(self.folder / FILE, read_only=True)
            check_format(self._connection, self.folder / FILE)
        self._connection.execute("BEGIN")
        self.is_blocked = False

    def end(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def is_outdated(self) -> bool:
        with _snapshots([self]):
            found = next(self.query("SELECT value FROM meta WHERE key = 'committed'"), (0.0,))
            return bool(round(1e6 * found[0]) != self._get("committed"))

    # ---- numbers ----

    def number(self, local: int) -> int | None:
        """The number of a URL in the whole crawl; None if it is not known there yet."""
        found = self._numbers.get(local)
        if found is not None:
            return found
        sql = "SELECT id FROM shard_urls WHERE shard = ? AND number = ?"
        row = self._whole.run(sql, (self.name, local)).fetchone()
        if row is None:  # perhaps a page of another shard
            ((url, state),) = self.query("SELECT url, state FROM urls WHERE id = ?", local)
            if state == _ELSEWHERE:
                row = self._whole.run("SELECT id FROM urls WHERE url = ? AND state = 2", (url,)).fetchone()
        if row is not None:
            self._numbers[local] = row[0]
        return None if row is None else int(row[0])

    def _get(self, name: str) -> int:
        sql = "SELECT value FROM shard_progress WHERE shard = ? AND name = ?"
        found = self._whole.run(sql, (self.name, name)).fetchone()
        return 0 if found is None else int(found[0])

    def _set(self, name: str, value: int) -> None:
        self._whole.run("INSERT OR REPLACE INTO shard_progress VALUES (?, ?, ?)", (self.name, name, value))

    # ---- URLs ----

    def read_changed(self, *, priorities: bool) -> None:
        """Update the URLs with new events; with `priorities`, also all waiting URLs."""
        sql = "SELECT DISTINCT url FROM events WHERE id > ? AND url IS NOT NULL"
        self._touched = [number for (number,) in self.query(sql, self._get("events"))]
        self._update(self._of("SELECT id, priority, state, attempts FROM urls WHERE id"))
        if priorities:
            sql = "SELECT id, priority, state, attempts FROM urls WHERE state <= 1 AND id < ?"
            self._update(self.query(sql, self._get("urls")))

    def _update(self, rows: Iterable[tuple[Any, ...]]) -> None:
        numbered = ((self.number(number), *rest) for number, *rest in rows if rest[1] != _ELSEWHERE)
        self._whole.run_all(
            "UPDATE urls SET priority = ?, state = ?, attempts = ? WHERE id = ?",
            [(*rest, number) for number, *rest in numbered if number is not None],
        )

    def _of(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query for the URLs with new events."""
        return self.query(f"{sql} IN (SELECT value FROM json_each(?))", json.dumps(self._touched))  # noqa: S608

    def read_urls(self, *, orphans: bool = False) -> bool:
        """Read the new URLs whose parents are known; with `orphans`, all. Returns whether there were any."""
        first = done = self._get("urls")
        ((number,),) = self._whole.run("SELECT coalesce(max(id), -1) + 1 FROM urls").fetchall()
        rows, pairs = [], []
        self.is_blocked = False
        sql = "SELECT id, url, priority, state, parent, depth, attempts FROM urls WHERE id >= ? ORDER BY id"
        for local, url, priority, state, parent, depth, attempts in self.query(sql, first):
            if state != _ELSEWHERE:
                found = NO_PARENT if parent == NO_PARENT else self.number(parent)
                if found is None and not orphans:
                    self.is_blocked = True
                    break
                parent = NO_PARENT if found is None else found  # noqa: PLW2901 (its number in the whole crawl)
                self._numbers[local] = number
                rows.append((number, url, priority, state, parent, depth, attempts))
                pairs.append((self.name, local, number))
                number += 1
            done = local + 1
        self._whole.run_all("INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        self._whole.run_all("INSERT INTO shard_urls VALUES (?, ?, ?)", pairs)
        self._set("urls", done)
        return done > first

    # ---- pages and events ----

    def new_pages(self) -> list[PageRow]:
        """The pages that were not read yet, with the numbers of the whole crawl."""
        first, last, found = self._get("pages"), self._get("pages"), []
        for values in self.query(f"SELECT {_PAGE} FROM pages WHERE seq >= ? ORDER BY seq", first):  # noqa: S608
            row = PageRow(*values)
            number = self.number(row.id)
            if number is None:
                break
            found.append(self._in_whole(row, number))
            last = row.seq + 1
        self._set("pages", last)
        return found

    def _in_whole(self, row: PageRow, number: int) -> PageRow:
        """A row of the shard with the numbers of the whole crawl."""
        rendered = row.rendered_file
        return row._replace(
            id=number,
            warc_file=number_elsewhere(self.name, row.warc_file),
            duplicate_of=None if row.duplicate_of is None else self.number(row.duplicate_of),
            same_as=None if row.same_as is None else self.number(row.same_as),
            rendered_file=None if rendered is None else number_elsewhere(self.name, rendered),
        )

    def new_versions(self) -> list[tuple[float, PageRow]]:
        """The earlier versions of pages that were not read yet, and when each was replaced.

        Their pages, which have changed, are read anew.
        """
        last, found = self._get("versions"), []
        changed: dict[int, tuple[int, int]] = {}  # pages: their numbers in the whole crawl, and their places
        sql = f"SELECT number, replaced, {_PAGE} FROM versions WHERE number > ? ORDER BY number"  # noqa: S608
        for version, replaced, *values in self.query(sql, last):
            row = PageRow(*values)
            number = self.number(row.id)
            page = self._whole.run("SELECT id, seq FROM pages WHERE id = ?", (number,)).fetchone()
            if page is None:
                break
            changed[row.id] = page
            found.append((replaced, self._in_whole(row, page[0])))
            last = version
        for local, (number, seq) in changed.items():
            ((*values,),) = self.query(f"SELECT {_PAGE} FROM pages WHERE id = ?", local)  # noqa: S608
            row = self._in_whole(PageRow(*values), number)._replace(seq=seq)
            self._whole.run(_NEW_PAGE.replace("INSERT", "REPLACE", 1), row)
        self._set("versions", last)
        return found

    def new_events(self) -> list[tuple[float, str, int | None, str]]:
        """The events that were not read yet. Those of URLs that are not known yet end it."""
        last, found = self._get("events"), []
        is_first = self.name == self._whole.first
        judged = False
        sql = "SELECT id, time, kind, url, detail FROM events WHERE id > ? ORDER BY id"
        for event, time, kind, url, detail in self.query(sql, last):
            number = None if url is None else self.number(url)
            if url is not None and number is None and not self._is_elsewhere(url):
                break
            judged = judged or kind in _JUDGED
            if kind == "listing":
                about = json.loads(detail)
                detail = json.dumps({**about, "first": self.number(about.get("first", 0)) or 0})  # noqa: PLW2901
            if is_first or kind not in _OF_ONE:
                found.append((time, kind, number, detail))
            last = event
        self._set("events", last)
        if judged:
            rows = list(self.query("SELECT relevance, relevant, duplicate_of, id FROM pages"))
            numbered = [
                (relevance, relevant, None if copy is None else self.number(copy), self.number(number))
                for relevance, relevant, copy, number in rows
            ]
            sql = "UPDATE pages SET relevance = ?, relevant = ?, duplicate_of = ? WHERE id = ?"
            self._whole.run_all(sql, numbered)
        return found

    def _is_elsewhere(self, local: int) -> bool:
        ((state,),) = self.query("SELECT state FROM urls WHERE id = ?", local)
        return bool(state == _ELSEWHERE)

    def read_rest(self) -> None:
        """Read the small tables."""
        run_all = self._whole.run_all
        touched = self._of("SELECT page, left_out FROM readings WHERE page")
        readings = ((self.number(page), text) for page, text in touched)
        run_all("INSERT OR REPLACE INTO readings VALUES (?, ?)", [row for row in readings if row[0] is not None])
        validators = self._of("SELECT page, etag, modified FROM validators WHERE page")
        numbered = ((self.number(page), *rest) for page, *rest in validators)
        run_all("INSERT OR REPLACE INTO validators VALUES (?, ?, ?)", [row for row in numbered if row[0] is not None])
        redirects = self.query("SELECT source, target, hops FROM redirects")
        both = ((self.number(source), self.number(target), hops) for source, target, hops in redirects)
        run_all("INSERT OR REPLACE INTO redirects VALUES (?, ?, ?)", [row for row in both if None not in row])
        run_all("INSERT OR REPLACE INTO robots VALUES (?, ?, ?, ?)", self.query("SELECT * FROM robots"))
        run_all("INSERT OR REPLACE INTO hosts VALUES (?, ?)", self.query("SELECT * FROM hosts"))
        committed = next(self.query("SELECT value FROM meta WHERE key = 'committed'"), (0.0,))[0]
        self._set("committed", 0 if self.is_blocked else round(1e6 * committed))


@contextmanager
def _snapshots(shards: list[_Shard]) -> Iterator[None]:
    """All queries inside see one commit of each shard."""
    try:
        for shard in shards:
            shard.begin()
        yield
    finally:
        for shard in shards:
            shard.end()


def folder_of(folder: Path, query: Callable[..., Iterator[tuple[Any, ...]]], url: str) -> Path:
    """The folder that has what a strategy knows of a canonical URL: that of its shard, or of the crawl.

    `query` queries the database of the crawl, which was refreshed.
    """
    if read_layout(folder).shards:
        for (name,) in query("SELECT shard FROM urls JOIN shard_urls USING (id) WHERE url = ?", url):
            return shard_folder(folder, name)
    return folder
