"""An export in several files, to which later exports add more.

The folder has the files, and `.export.sqlite`, which says which pages they have. A file is recorded just before it gets
its name: so one that has its name is complete and recorded, and a last one that is recorded without being there was
never finished. No program that reads the folder sees the other two: their names begin with a dot.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from honeyguide.atomic_write import is_draft, output_file
from honeyguide.errors import InputError
from honeyguide.store.crawl import Crawl
from honeyguide.store.export.choose import PageKey
from honeyguide.store.export.formats import ExportFormat
from honeyguide.store.export.options import ExportOptions
from honeyguide.store.export.selection import ExportSelection, Progress

RECORD = ".export.sqlite"
_VERSION = 1
_SCHEMA = f"""
    BEGIN;
    CREATE TABLE about (value TEXT NOT NULL);
    CREATE TABLE files (number INTEGER PRIMARY KEY, size INTEGER NOT NULL);
    CREATE TABLE pages (
        url TEXT NOT NULL, fetched INTEGER NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (url, fetched)
    ) WITHOUT ROWID;
    PRAGMA user_version={_VERSION};
    COMMIT;
"""
_ANOTHER = "export to another folder"


class ShardFolder:
    """The folder of an export, which is locked while this is open, so that no other process adds to it."""

    def __init__(self, path: Path, form: ExportFormat, options: ExportOptions, record: sqlite3.Connection) -> None:
        """Use `open`."""
        self._path = path
        self._form = form
        self._options = options
        self._record = record

    @classmethod
    @contextmanager
    def open(
        cls, path: Path, form: ExportFormat, crawl: str, options: ExportOptions, *, add: bool
    ) -> Iterator[ShardFolder]:
        """Open a folder, which is made if it is not there; with `add`, one that has an export with the same options.

        Raises `InputError` if it cannot be used, before anything in it has changed.
        """
        about = _about(form, crawl, options)
        there = _contents(path)
        if there and not (add and RECORD in there):
            remedy = (
                "name a folder that is empty or new" if add else f"add what is new with --since last, or {_ANOTHER}"
            )
            raise InputError(str(path), "is not empty" + (", and has no export to add to" if add else ""), remedy)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(str(path), f"cannot be written: {error.strerror}", _ANOTHER) from None
        with _errors(path), closing(_connect(path / RECORD)) as record:
            if not record.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                record.executescript(_SCHEMA)
                record.execute("INSERT INTO about VALUES (?)", (json.dumps(about),))
            folder = cls(path, form, options, record)
            folder._check(about)
            yield folder

    def _check(self, about: dict[str, object]) -> None:
        """Refuse an export that is another one, or not as it was left; clear away what was never finished."""
        ((version,),) = self._record.execute("PRAGMA user_version")
        if version != _VERSION:
            raise InputError(str(self._path), "was exported by another version of honeyguide", _ANOTHER)
        ((text,),) = self._record.execute("SELECT value FROM about")
        for name, before in json.loads(text).items():
            if before != about.get(name):
                problem = f"was exported with another {name.replace('_', ' ')} ({_shown(before)})"
                raise InputError(str(self._path), problem, f"use that again, or {_ANOTHER}")
        files = dict(self._record.execute("SELECT number, size FROM files ORDER BY number"))
        last = max(files, default=-1)
        if last >= 0 and not self._file(last).exists():
            self._record.execute("BEGIN")
            self._record.execute("DELETE FROM pages WHERE file = ?", (last,))
            self._record.execute("DELETE FROM files WHERE number = ?", (last,))
            self._record.execute("COMMIT")
            files.pop(last)
        for number, size in files.items():
            file = self._file(number)
            if not file.is_file() or file.stat().st_size != size:
                problem = "is missing" if not file.exists() else "is not as it was exported"
                raise InputError(str(file), problem, f"restore it, or {_ANOTHER}")
        known = {RECORD, *(self._file(number).name for number in files)}
        for entry in self._path.iterdir():
            if is_draft(entry.name) and entry.is_file():
                entry.unlink(missing_ok=True)  # left by a killed export: we have the lock
            elif entry.name.endswith(self._form.file_suffix) and entry.name not in known:
                raise InputError(str(entry), "is not part of this export", f"move it away, or {_ANOTHER}")

    def _file(self, number: int) -> Path:
        return self._path / f"pages-{number:05}{self._form.file_suffix}"

    def exported(self) -> Iterator[PageKey]:
        """The pages that the files have."""
        return self._record.execute("SELECT url, fetched FROM pages")

    def write(self, crawl: Crawl, shard_pages: int, progress: Progress) -> tuple[int, int]:
        """Write the chosen pages to further files. Returns the numbers of pages and of files."""
        total = ExportSelection(crawl, self._options).count()
        ((number,),) = self._record.execute("SELECT coalesce(max(number) + 1, 0) FROM files").fetchall()
        pages = files = 0
        for first, last in _slices(crawl, shard_pages):
            selection = ExportSelection(crawl, self._options, beside=self._path, places=(first, last))
            due = selection.count()

            def report(done: int, of: int, before: int = pages, due: int = due) -> None:
                progress(before + due * done // max(of, 1), total)

            with output_file(self._file(number), durable=True, streams=False) as file:
                self._form.write(replace(selection, progress=report), file)
                file.flush()
                self._remember(crawl, selection, number, file.tell())
            pages, files, number = pages + due, files + 1, number + 1
        return pages, files

    def _remember(self, crawl: Crawl, selection: ExportSelection, number: int, size: int) -> None:
        """Record a file that is about to get its name."""
        sql = f"SELECT url, CAST(fetched AS INTEGER), ? FROM pages JOIN urls USING (id) WHERE {selection.condition}"  # noqa: S608
        with _errors(self._path):
            self._record.execute("BEGIN")
            self._record.execute("INSERT INTO files VALUES (?, ?)", (number, size))
            self._record.executemany("INSERT INTO pages VALUES (?, ?, ?)", crawl.query(sql, number))
            self._record.execute("COMMIT")


def _slices(crawl: Crawl, size: int) -> Iterator[tuple[int, int]]:
    """The first and last positions of consecutive slices of the chosen pages."""
    after = -1
    sql = (
        "SELECT min(place), max(place) FROM (SELECT place FROM temp.chosen WHERE place > ? ORDER BY place LIMIT ?) "
        "HAVING count(*) > 0"
    )
    while found := next(crawl.query(sql, after, size), None):
        yield found
        after = found[1]


def _contents(path: Path) -> set[str]:
    try:
        return {entry.name for entry in path.iterdir()}
    except FileNotFoundError:
        return set()
    except NotADirectoryError:
        problem = "is a file, and the format is written to a folder of files"
        raise InputError(str(path), problem, f"{_ANOTHER}, or to one file with --shard 0") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}", _ANOTHER) from None


def _connect(path: Path) -> sqlite3.Connection:
    if path.is_symlink():
        raise InputError(str(path), "is a symbolic link", _ANOTHER)
    record = sqlite3.connect(path, isolation_level=None, timeout=0)
    try:
        record.execute("PRAGMA locking_mode=EXCLUSIVE")
        record.execute("PRAGMA synchronous=FULL")
        record.execute("BEGIN EXCLUSIVE")
        record.execute("COMMIT")
    except BaseException:
        record.close()
        raise
    return record


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into an `InputError`: the record is damaged or locked."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            raise InputError(str(path), "another export writes to it", "wait until it has finished") from None
        raise InputError(str(path / RECORD), f"cannot be used: {error}", f"restore it, or {_ANOTHER}") from None


def _about(form: ExportFormat, crawl: str, options: ExportOptions) -> dict[str, object]:
    """What all files of an export have in common, as JSON has it."""
    values: dict[str, object] = json.loads(json.dumps(asdict(options)))
    return {"crawl": crawl, "format": form.name, **values}


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "the default"
    return "the default" if value in {"", None} else str(value)
