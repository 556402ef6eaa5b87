"""What tests of whole crawls share: a web written on paper, quick topics, and a look at what a crawl left behind."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from base64 import b32encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

import uvloop
from fastwarc.warc import ArchiveIterator, WarcRecordType

from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.fetch.base import Failure, Headers, Request, Response
from honeyguide.store.archive import file_name
from honeyguide.topic import Topic

HTML: Headers = (("Content-Type", "text/html; charset=utf-8"),)
QUICK = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "backoff": 0.0}


def html(text: str, *links: str) -> str:
    """A page that says something and links somewhere."""
    anchors = "".join(f'<p><a href="{link}">on</a></p>' for link in links)
    return f"<!DOCTYPE html><title>{text[:20]}</title><p>{text}</p>{anchors}"


def about(words: str, *links: str) -> str:
    """A page long enough to have a fingerprint of its own, whose words are `words` and a few of its own."""
    own = " ".join(f"filler{crc32(f'{words} {links} {place}'.encode())}" for place in range(40))
    return html(f"{words} {own}", *links)


class PaperWeb:
    """A fetcher whose web is a mapping from URL to page, answer or failure; what is not in it is 404.

    A value is the HTML of a page, or what a fetcher returns, or a function that makes it of the request and of how
    often the URL was asked for, this time included.
    """

    def __init__(self, pages: Mapping[str, Any]) -> None:
        self.pages = pages
        self.asked: list[str] = []

    @property
    def asked_pages(self) -> list[str]:
        """What was asked for, robots.txt left out, in order."""
        return [url for url in self.asked if not url.endswith("/robots.txt")]

    async def fetch(self, request: Request) -> Response | Failure:
        self.asked.append(request.url)
        found = self.pages.get(request.url, answer(request.url, b"", status=404))
        if callable(found):
            found = found(request, self.asked.count(request.url))
        return answer(request.url, found) if isinstance(found, str | bytes) else found

    async def close(self) -> None:
        pass


def answer(url: str, body: str | bytes, *extra: tuple[str, str], status: int = 200, reason: str = "") -> Response:
    """An answer as it would come from a server."""
    raw = body.encode() if isinstance(body, str) else body
    return Response(url, status, reason, (*HTML, *extra), raw, raw, (("User-Agent", "test"),), started=1.7e9)


def topic(seeds: list[str] | tuple[str, ...], keywords: str = "honey, bee", **tables: Any) -> Topic:
    """A topic without delays and with one connection, unless the tables say otherwise."""
    fetch = {**QUICK, "connections": 1, **tables.pop("fetch", {})}
    return Topic.make(name="test", seeds=seeds, keywords=keywords, fetch=fetch, **tables)


def run(wanted: Topic, folder: Path, fetcher: Callable[[], Any], workers: int = 0, **options: Any) -> CrawlResult:
    """Crawl, with whatever answers for the web; quicker without workers, and what a test has replaced is in effect."""
    session = Session(wanted, folder, fetcher=fetcher, workers=workers, **options)
    outcome: CrawlResult = uvloop.run(session.run())
    return outcome


# ---- crawlers that can be killed ----


class Crawlers:
    """The driver: starts one crawler at a time, in a process that can be killed."""

    def __init__(self, driver: subprocess.Popen[str], folder: Path) -> None:
        assert driver.stdin is not None
        assert driver.stdout is not None
        self._asks, self._tells = driver.stdin, driver.stdout
        self._said = folder / "said"

    def start(self, out: str, *more: str, workers: int = 0, ignoring: int = 0) -> int:
        """Start a crawler, which ignores a signal; returns its process number."""
        arguments = ["crawl", "topic.toml", "--out", out, "--quiet", "--workers", str(workers), *more]
        print(json.dumps([ignoring, *arguments]), file=self._asks, flush=True)
        return int(self._tells.readline())

    def wait(self) -> tuple[int, str]:
        """Until it has ended: its exit code and what it said."""
        return int(self._tells.readline()), self.said()

    def said(self) -> str:
        """What it has said so far."""
        return self._said.read_text()

    def finish(self, out: str, workers: int = 0) -> None:
        """Crawl until nothing is left."""
        self.start(out, workers=workers)
        code, said = self.wait()
        assert code == 0, said
        assert "nothing left to fetch" in said

    def kill(self, pid: int) -> None:
        """End a crawler without a warning, and see that this is what ended it."""
        os.kill(pid, signal.SIGKILL)
        code, said = self.wait()
        assert code == -signal.SIGKILL, f"it ended before it could be killed: {said}"


@contextmanager
def crawlers_in(folder: Path) -> Iterator[Crawlers]:
    """A driver that works in a folder, where ``topic.toml`` is what is crawled."""
    driver = [sys.executable, str(Path(__file__).with_name("driver.py"))]
    with subprocess.Popen(driver, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Crawlers(process, folder)


# ---- what a crawl left behind ----


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
    for (detail,) in connection.execute("SELECT detail FROM events WHERE kind = 'refused'"):
        counts[json.loads(detail)["reason"]] += 1
    return dict(counts)


def _errors(connection: sqlite3.Connection) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for (detail,) in connection.execute("SELECT detail FROM events WHERE kind IN ('failed', 'retry')"):
        counts[json.loads(detail)["kind"]] += 1
    return dict(counts)


def check_archive(folder: Path) -> None:
    """The archive is valid by `warcio check`, and every page's record is where its row says, with its digest."""
    files = sorted(folder.glob("pages-*.warc.gz"))
    # Without brotli, whose present form warcio 1.7 cannot use: such bodies are checked as they came.
    program = "import sys; sys.modules['brotli'] = None; from warcio.cli import main; main()"
    command = [sys.executable, "-c", program, "check", *map(str, files)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    sql = "SELECT url, digest, same_as, warc_file, warc_offset, warc_length FROM pages JOIN urls USING (id)"
    ends: Counter[int] = Counter()
    for url, digest, same_as, file, offset, length in rows(folder, sql):
        with (folder / file_name(file)).open("rb") as stream:
            stream.seek(offset)
            (record,) = ArchiveIterator(io.BytesIO(stream.read(length)), verify_digests=same_as is None)
            assert record.headers["WARC-Target-URI"] == url
            assert record.headers["WARC-Payload-Digest"] == f"sha1:{b32encode(digest).decode()}"
            assert (record.record_type == WarcRecordType.revisit) == (same_as is not None)
        ends[file] = max(ends[file], offset + length)
    meta = dict(rows(folder, "SELECT key, value FROM meta"))
    assert files[-1].name == file_name(meta["warc_file"])
    assert files[-1].stat().st_size == meta["warc_end"] >= ends[meta["warc_file"]]
    # Each answer is there once: what was written and not recorded before a crash is gone.
    sql = "SELECT count(*) FROM events WHERE kind = 'refused' AND json_extract(detail, '$.type') IS NOT NULL"
    ((skipped,),) = rows(folder, sql)
    kinds = Counter(record["WARC-Type"] for file in files for record in records(file))
    assert kinds["request"] == kinds["response"] + kinds["revisit"] == meta["answers"] - skipped
    assert kinds["warcinfo"] == len(files)


def records(file: Path, offset: int = 0, length: int = -1) -> list[dict[str, str]]:
    """The headers of the records in a WARC file; the first alone when only its place is known."""
    with file.open("rb") as stream:
        stream.seek(offset)
        found = [dict(record.headers.items()) for record in ArchiveIterator(io.BytesIO(stream.read(length)))]
    return found[:1] if offset else found
