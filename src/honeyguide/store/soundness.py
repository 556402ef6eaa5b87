"""Checks the stored data of a crawl, read-only: its database, and the records that its rows point at."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from honeyguide.document import words
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.store.archive import RecordLocation, archive_files, read_answer, record_file
from honeyguide.store.checks import check_rows, check_urls
from honeyguide.store.connection import FILE, check_format, connect, database_errors, repairable
from honeyguide.store.folder import is_running
from honeyguide.store.shards import databases
from honeyguide.store.stored_topic import stored_topic
from honeyguide.store.tail import needs_repair, unrecorded
from honeyguide.warc.write import payload_digest

SAMPLE: Final = 200
"""Number of records that are read by default."""

_LEAST_DISK: Final = 100 << 20
_PAGES: Final = (
    "SELECT urls.url, pages.size, pages.digest, pages.warc_file, pages.warc_offset, pages.warc_length, "
    "first.warc_file, first.warc_offset, first.warc_length "
    "FROM pages JOIN urls USING (id) LEFT JOIN (SELECT id, digest, warc_file, warc_offset, warc_length FROM pages "
    "WHERE same_as IS NULL UNION ALL SELECT id, digest, warc_file, warc_offset, warc_length FROM versions "
    "WHERE same_as IS NULL) AS first ON first.id = pages.same_as AND first.digest = pages.digest "
    "WHERE pages.seq % ? = 0 OR pages.seq = (SELECT max(seq) FROM pages) ORDER BY pages.warc_file, pages.warc_offset"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check."""

    check: str
    sound: bool
    text: str
    """The finding; if there is a problem, also its place and the remedy."""


def examine(
    folder: Path, *, full: bool = False, progress: Callable[[int, int], None] = lambda _done, _total: None
) -> Iterator[Finding]:
    """Check a crawl, and each of its shards, if it has any.

    Args:
        folder: The folder of the crawl. It may be running.
        full: Whether to read all records of the archive, instead of about 200 of them, from the first to the last.
        progress: Called with the number of records read so far, and their total.

    Yields:
        What each check has found.

    Raises:
        InputError: The folder contains no crawl.
    """
    shards = databases(folder)
    if not shards and not (folder / FILE).is_file() and not archive_files(folder):
        raise InputError(str(folder), "does not contain a crawl", "name the folder of a crawl, like crawls/NAME")
    yield Finding("lock", True, "a process is running" if is_running(folder) else "no process is running")
    yield _checked("topic", lambda: _topic(folder))
    for place in [path for _, path in shards] or [folder]:
        name = f" of shard {place.name}" if shards else ""
        database = _checked(f"database{name}", partial(_database, place))
        yield database
        if database.sound:
            yield _checked(f"archive{name}", partial(_archive, place, full, progress))
            yield _checked(f"tail{name}", partial(_tail, place))
    free = shutil.disk_usage(folder).free
    enough = free >= _LEAST_DISK
    yield Finding("disk", enough, f"{words.size(free)} free" + ("" if enough else "; free some disk space"))


def _checked(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, True, check())
    except HoneyguideError as error:
        return Finding(name, False, str(error))


def _topic(folder: Path) -> str:
    topic = stored_topic(folder, plugins=False)
    return f"{topic.name}, strategy {topic.strategy.name}"


def _database(folder: Path) -> str:
    path = folder / FILE
    if not path.is_file():
        raise HoneyguideError(needs_repair(folder, "its crawl.sqlite is missing"))
    with closing(connect(path, read_only=True)) as connection, database_errors(path):
        check_format(connection, path)
        problems = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
        if problems != ["ok"]:
            raise HoneyguideError(repairable(path, f"is damaged ({'; '.join(map(str, problems))})".replace("\n", " ")))
        check_rows(connection, path)
        check_urls(connection, path)
        ((pages, urls),) = connection.execute("SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM urls)")
    return f"sound: {words.pages(pages)}, {words.count(urls)} URLs"


def _archive(folder: Path, full: bool, progress: Callable[[int, int], None]) -> str:
    """Read the records of pages, and compare what they contain with what was received."""
    limit = stored_topic(folder, plugins=False).fetch.max_body
    path = folder / FILE
    with closing(connect(path, read_only=True)) as connection, database_errors(path):
        ((pages,),) = connection.execute("SELECT count(*) FROM pages")
        rows = connection.execute(_PAGES, (1 if full else max(1, pages // SAMPLE),)).fetchall()
    for done, row in enumerate(rows):
        progress(done, len(rows))
        _read(folder, row, limit)
    progress(len(rows), len(rows))
    files = len(archive_files(folder))
    which = "all" if len(rows) == pages else f"{words.count(len(rows))} of"
    more = "" if len(rows) == pages else " (--full reads all of them)"
    where = f"{files} WARC file{'s' if files != 1 else ''}"
    return f"{which} {words.count(pages)} pages are as they were received, in {where}{more}"


def _read(folder: Path, row: tuple[Any, ...], limit: int) -> None:
    url, size, digest, *places = row
    spot, first = RecordLocation(*places[:3]), RecordLocation(*places[3:]) if places[3] is not None else None
    answer = read_answer(folder, spot, max(size, limit), url=url, original=first)
    if payload_digest(answer) != digest:
        file = record_file(folder, (first or spot).file)
        problem = f"the response for {url} is not what was received, at byte {(first or spot).offset}"
        raise HoneyguideError(f"{file}: {problem}; restore the original file of this crawl")


def _tail(folder: Path) -> str:
    path = folder / FILE
    with closing(connect(path, read_only=True)) as connection, database_errors(path):
        meta = dict(connection.execute("SELECT key, value FROM meta"))
    if is_running(folder):
        return "is being written"
    answers, is_usual = unrecorded(folder, meta)
    if not is_usual:
        raise HoneyguideError(needs_repair(folder, "the archive contains responses that crawl.sqlite does not know of"))
    if answers:
        return f"{words.count(answers)} responses of an interrupted run, to be fetched again when the crawl continues"
    return "nothing after the last commit"
