"""A look at what a crawl left behind: is it whole, and does it say the same everywhere?"""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from base64 import b32encode
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from fastwarc.warc import ArchiveIterator, WarcRecordType

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

from honeyguide.crawl.repair import repair
from honeyguide.store.archive import archive_file, archive_files


@contextmanager
def tables(folder: Path) -> Iterator[sqlite3.Connection]:
    """The database of a crawl, for queries."""
    uri = f"{(folder / 'crawl.sqlite').absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        yield connection


def rows(folder: Path, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    with tables(folder) as connection:
        return connection.execute(sql, values).fetchall()


def copied(folder: Path, to: Path) -> Path:
    """The database as it lies there, copied, so that looking at it after a crash repairs nothing."""
    to.mkdir(parents=True)
    for file in folder.glob("crawl.sqlite*"):
        shutil.copy(file, to)
    return to


_JUDGED = "SELECT url, relevance, relevant FROM pages JOIN urls USING (id) ORDER BY seq"


def misjudged(folder: Path) -> list[tuple[Any, ...]]:
    """Pages whose relevance is not what follows from the archive: a model may have learnt from the pages before them.

    Which model judges a page depends on the pages that were stored before it, in their order, and on nothing else: not
    on when the crawl was interrupted, nor on what was under way. Returns the page, what it was judged to be, and what
    it should be.
    """
    with tempfile.TemporaryDirectory() as place:
        copy = shutil.copytree(folder, Path(place) / folder.name)
        asyncio.run(repair(copy, workers=0))
        pairs = zip(rows(folder, _JUDGED), rows(copy, _JUDGED), strict=True)
        return [(*there, *then) for there, then in pairs if there != then]


def check_tables(folder: Path) -> None:
    """The database is whole, holds nothing twice, and its counts are those of its rows."""
    with tables(folder) as connection:
        query = connection.execute
        assert query("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert query("SELECT url FROM urls GROUP BY url HAVING count(*) > 1").fetchall() == []
        (urls, last) = query("SELECT count(*), max(id) FROM urls").fetchone()
        assert urls == last + 1
        numbers = [number for (number,) in query("SELECT seq FROM pages ORDER BY seq")]
        assert numbers == list(range(len(numbers)))
        assert query("SELECT count(*) FROM pages JOIN urls USING (id) WHERE state != 2").fetchone() == (0,)
        meta = dict(query("SELECT key, value FROM meta"))
        assert _recounted(connection) == {name: meta[name] for name in ("pages", "relevant", "duplicates", "best")}
        assert _refusals(connection) == json.loads(meta["refused"])
        errors = json.loads(meta["errors"])
        errors.pop("robots", None)  # these leave no event of their own
        assert _errors(connection) == errors
        events = Counter(kind for (kind,) in query("SELECT kind FROM events"))
        assert events["page"] == meta["pages"]


def _recounted(connection: sqlite3.Connection) -> dict[str, Any]:
    sql = (
        "SELECT count(*), coalesce(sum(relevant AND duplicate_of IS NULL), 0), count(duplicate_of), "
        "coalesce(max(relevance), 0.0) FROM pages"
    )
    names = ("pages", "relevant", "duplicates", "best")
    return dict(zip(names, connection.execute(sql).fetchone(), strict=True))


def _refusals(connection: sqlite3.Connection) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for (left_out,) in connection.execute("SELECT left_out FROM readings"):
        counts.update(json.loads(left_out))
    joined = "events JOIN urls ON urls.id = events.url WHERE kind = 'refused'"
    sql = f"SELECT DISTINCT urls.id, json_extract(detail, '$.reason'), state FROM {joined}"
    for _, reason, state in connection.execute(sql):
        counts[reason] += reason != "blocked" or state == 4  # those that were unblocked count no longer
    return dict(counts)


def _errors(connection: sqlite3.Connection) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for (detail,) in connection.execute("SELECT detail FROM events WHERE kind IN ('failed', 'retry')"):
        counts[json.loads(detail)["kind"]] += 1
    return dict(counts)


def check_archive(folder: Path) -> None:
    """The archive is valid by `warcio check`, and every page's record is where its row says, with its digest."""
    files = archive_files(folder)
    # Without brotli, whose present form warcio 1.7 cannot use: such bodies are checked as they came.
    program = "import sys; sys.modules['brotli'] = None; from warcio.cli import main; main()"
    with tempfile.TemporaryDirectory() as place:
        plain = [_without_zstd(file, Path(place)) for file in files]
        command = [sys.executable, "-c", program, "check", *map(str, plain)]
        checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    sql = "SELECT url, digest, same_as, warc_file, warc_offset, warc_length FROM pages JOIN urls USING (id)"
    ends: Counter[int] = Counter()
    for url, digest, same_as, file, offset, length in rows(folder, sql):
        packed = _bytes(archive_file(folder, file), offset, length)
        (record,) = ArchiveIterator(io.BytesIO(packed), verify_digests=same_as is None)
        assert record.headers["WARC-Target-URI"] == url
        assert record.headers["WARC-Payload-Digest"] == f"sha1:{b32encode(digest).decode()}"
        assert (record.record_type == WarcRecordType.revisit) == (same_as is not None)
        ends[file] = max(ends[file], offset + length)
    meta = dict(rows(folder, "SELECT key, value FROM meta"))
    assert files[-1] == archive_file(folder, meta["warc_file"])
    assert files[-1].stat().st_size == meta["warc_end"] >= ends[meta["warc_file"]]
    # Each answer is there once: what was written and not recorded before a crash is gone.
    sql = "SELECT count(*) FROM events WHERE kind = 'refused' AND json_extract(detail, '$.type') IS NOT NULL"
    ((skipped,),) = rows(folder, sql)
    kinds = Counter(record["WARC-Type"] for file in files for record in records(file))
    assert kinds["request"] == kinds["response"] + kinds["revisit"] == meta["answers"] - skipped
    assert kinds["warcinfo"] == len(files)


def records(file: Path, offset: int = 0, length: int = -1) -> list[dict[str, str]]:
    """The headers of the records in a WARC file; the first alone when only its place is known."""
    found = [dict(record.headers.items()) for record in ArchiveIterator(io.BytesIO(_bytes(file, offset, length)))]
    return found[:1] if offset else found


def _bytes(file: Path, offset: int = 0, length: int = -1) -> bytes:
    """Bytes of a WARC file; decompressed if they are frames of Zstandard, which other programs do not read yet."""
    with file.open("rb") as stream:
        stream.seek(offset)
        data = stream.read(length)
    return zstd.decompress(data) if file.suffix == ".zst" else data


def _without_zstd(file: Path, place: Path) -> Path:
    if file.suffix != ".zst":
        return file
    plain = place / file.stem
    plain.write_bytes(_bytes(file))
    return plain
