"""The index beside the database: complete, counted once, replaced when it is not right, and never a burden."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from honeyguide.crawl.session import Session
from honeyguide.dashboard import index as module
from honeyguide.dashboard.index import FILE, WatchIndex
from honeyguide.dashboard.schema import FOUND
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.errors import HoneyguideError
from honeyguide.page.domains import registered_domain
from honeyguide.page.url import host_of
from honeyguide.store.connection import attach
from honeyguide.store.stored_topic import stored_topic

from .kit import crawl_demo, demo_topic


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """The crawl without an index, and without what another reader has left."""
    return shutil.copytree(folder, tmp_path / "bees", ignore=shutil.ignore_patterns(f"{FILE}*", "*-wal", "*-shm"))


NAMED = {
    "hosts": "SELECT hosts.name, sites.name, hosts.pages, hosts.found, duplicates, size, failed, refused, retried, "
    "waiting, promise, rest FROM hosts JOIN sites ON sites.id = site ORDER BY 1",
    "sites": "SELECT name, pages, found FROM sites ORDER BY 1",
    "pages": "SELECT seq, pages.id, name, kind, relevance, fetched, found_so_far, size_so_far FROM pages "
    "JOIN hosts ON hosts.id = host ORDER BY 1",
    "roads": "SELECT a.name, b.name, roads.pages, roads.found FROM roads JOIN sites AS a ON a.id = source "
    "JOIN sites AS b ON b.id = target ORDER BY 1, 2",
    "children": "SELECT parent, min(first), max(last) FROM children GROUP BY 1",
    "errors": "SELECT name, kind, count FROM errors JOIN hosts ON hosts.id = host ORDER BY 1, 2",
    "troubles": "SELECT troubles.id, name FROM troubles JOIN hosts ON hosts.id = host ORDER BY 1",
    "milestones": "SELECT * FROM milestones ORDER BY id",
    "words": " UNION ALL ".join(f"SELECT rowid FROM words_{kind} WHERE words_{kind} MATCH 'honey'" for kind in range(3))
    + " ORDER BY 1",
}
"""What an index says, without the numbers of hosts and sites, which depend on the order of reading."""


def content(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    with WatchIndex(folder) as index:
        index.catch_up()
        index.count_waiting()
        return {name: index.query(sql) for name, sql in NAMED.items()}


def test_it_has_the_counts_of_the_crawl(copy: Path) -> None:
    rows = content(copy)
    with closing(sqlite3.connect(copy / "crawl.sqlite")) as crawl:
        pages = crawl.execute(
            "SELECT seq, pages.id, url, relevant AND duplicate_of IS NULL, relevance, size "
            "FROM pages JOIN urls USING (id) ORDER BY seq"
        ).fetchall()
        parents = dict(crawl.execute("SELECT id, parent FROM urls"))
        urls = dict(crawl.execute("SELECT id, url FROM urls"))
        failed = crawl.execute("SELECT url FROM events WHERE kind = 'failed'").fetchall()
        waiting = crawl.execute("SELECT url FROM urls WHERE state <= 1").fetchall()
    hosts = {row[0]: row for row in rows["hosts"]}
    for name, row in hosts.items():
        own = [page for page in pages if host_of(page[2]) == name]
        assert row[1] == registered_domain(name)
        assert row[2] == len(own)
        assert row[3] == sum(page[3] for page in own)
        assert row[5] == sum(page[5] for page in own)
        assert row[6] == sum(host_of(urls[number]) == name for (number,) in failed)
        assert row[9] == sum(host_of(url) == name for (url,) in waiting)
    assert {host_of(page[2]) for page in pages} <= hosts.keys()
    assert [row[:3] for row in rows["pages"]] == [(page[0], page[1], host_of(page[2])) for page in pages]
    assert [row[6] for row in rows["pages"]] == [sum(page[3] for page in pages[: n + 1]) for n in range(len(pages))]
    assert [row[7] for row in rows["pages"]] == [sum(page[5] for page in pages[: n + 1]) for n in range(len(pages))]
    assert sum(row[3] == FOUND for row in rows["pages"]) == sum(page[3] for page in pages)
    ways = [
        (registered_domain(host_of(urls[parents[number]])), registered_domain(host_of(url)))
        for _, number, url, *_ in pages
        if parents[number] >= 0
    ]
    assert {row[:2]: row[2] for row in rows["roads"]} == {way: ways.count(way) for way in ways if way[0] != way[1]}
    found = {parent for parent in parents.values() if parent >= 0}
    own_children = {parent: [number for number, one in parents.items() if one == parent] for parent in found}
    assert rows["children"] == [(parent, min(own), max(own)) for parent, own in sorted(own_children.items())]


def test_in_small_batches_it_becomes_the_same(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = content(copy)
    other = shutil.copytree(copy, tmp_path / "other", ignore=shutil.ignore_patterns(f"{FILE}*"))
    monkeypatch.setattr(module, "_EVENTS_A_BATCH", 7)
    monkeypatch.setattr(module, "_URLS_A_BATCH", 50)
    parts = content(other)
    assert parts == whole


def test_it_follows_a_crawl_that_goes_on(copy: Path, web: DemoWeb, tmp_path: Path, folder: Path) -> None:
    before = content(copy)
    with WatchIndex(copy) as index:
        assert not index.advance()
        version = index.version
        topic = demo_topic(web, 180, stored_topic(copy).seeds)
        asyncio.run(Session(topic, copy, fetcher=lambda: DemoFetcher(web, topic.fetch), workers=0).run())
        assert index.version != version
        index.catch_up()
        assert index.share == 1.0
    after = content(copy)
    assert len(after["pages"]) == 180
    assert after["pages"][:150] == before["pages"]
    fresh = shutil.copytree(copy, tmp_path / "fresh", ignore=shutil.ignore_patterns(f"{FILE}*"))
    assert content(fresh)["pages"] == after["pages"]


def test_it_begins_anew_when_pages_were_judged_again(copy: Path, web: DemoWeb) -> None:
    found = sum(row[3] == FOUND for row in content(copy)["pages"])
    topic = demo_topic(web, 150, stored_topic(copy).seeds, relevance={"threshold": 0.9})
    crawl_demo(web, copy, topic)
    after = content(copy)
    with closing(sqlite3.connect(copy / "crawl.sqlite")) as crawl:
        ((now,),) = crawl.execute("SELECT count(*) FROM pages WHERE relevant AND duplicate_of IS NULL")
    assert now < found
    assert sum(row[3] == FOUND for row in after["pages"]) == now
    assert len(after["pages"]) == 150
    assert after == content(copy)  # once is enough


def test_it_begins_anew_when_the_events_are_others(copy: Path) -> None:
    before = content(copy)
    with closing(sqlite3.connect(copy / "crawl.sqlite")) as crawl:
        crawl.execute("UPDATE pages SET relevance = 0.125")
        crawl.execute("UPDATE events SET time = time + 1")
        crawl.commit()
    after = content(copy)
    assert {row[4] for row in after["pages"]} == {0.125}
    assert len(after["pages"]) == len(before["pages"])


def test_two_dashboards_count_everything_once(copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_EVENTS_A_BATCH", 5)
    problems: list[BaseException] = []

    def read() -> None:
        try:
            with WatchIndex(copy) as index:
                index.catch_up()
        except BaseException as error:  # noqa: BLE001 (the test shows it)
            problems.append(error)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    monkeypatch.undo()
    both = content(copy)
    alone = content(shutil.copytree(copy, tmp_path / "alone", ignore=shutil.ignore_patterns(f"{FILE}*")))
    assert both == alone


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: path.write_bytes(b"no database at all" * 1000),
        lambda path: path.write_bytes(b""),
        lambda path: _run(path, "PRAGMA user_version = 99"),
        lambda path: _run(path, "DROP TABLE hosts; CREATE VIEW hosts AS SELECT 1 AS id"),
        lambda path: _run(path, "CREATE TRIGGER t AFTER INSERT ON pages BEGIN DELETE FROM pages; END"),
    ],
)
def test_what_is_not_an_index_is_replaced(copy: Path, harm: Any) -> None:
    right = content(copy)
    harm(copy / FILE)
    assert content(copy) == right


def _run(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(sql)


def test_a_symbolic_link_is_not_written_through(copy: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("precious")
    (copy / FILE).symlink_to(elsewhere)
    with WatchIndex(copy) as index:
        index.catch_up()
        assert index.path.parent != copy
        place = index.path
    assert elsewhere.read_text() == "precious"
    assert not place.exists()


def test_the_crawl_cannot_be_written_through_it(copy: Path) -> None:
    with closing(sqlite3.connect(":memory:", uri=True)) as connection:
        attach(connection, copy / "crawl.sqlite", "crawl")
        assert connection.execute("SELECT count(*) FROM crawl.pages").fetchone() == (150,)
        for sql in ("DELETE FROM crawl.pages", "UPDATE crawl.meta SET value = 1", "DROP TABLE crawl.pages"):
            with pytest.raises(sqlite3.DatabaseError, match=r"not authorized|prohibited"):
                connection.execute(sql)


def test_the_crawl_can_commit_while_it_is_read(copy: Path) -> None:
    """A batch holds no lock that a commit needs: the writer waits for nobody."""
    with WatchIndex(copy) as index, closing(sqlite3.connect(copy / "crawl.sqlite", timeout=0)) as writer:
        index._connection.execute("BEGIN")
        index._set("touched", 1)
        assert index._single("SELECT count(*) FROM crawl.pages") == 150
        writer.execute("UPDATE meta SET value = value")
        writer.commit()
        index._connection.execute("COMMIT")


def test_a_folder_that_cannot_be_written_to(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.access
    monkeypatch.setattr(
        "os.access", lambda path, mode: False if Path(path) in (copy, copy / "crawl.sqlite") else real(path, mode)
    )
    with WatchIndex(copy) as index:
        index.catch_up()
        assert index.query("SELECT count(*) FROM pages") == [(150,)]
    assert not (copy / FILE).exists()
    (copy / "crawl.sqlite-wal").write_bytes(b"x")
    with pytest.raises(HoneyguideError, match="copy the folder"):
        WatchIndex(copy)


@pytest.fixture(autouse=True)
def _nothing_left(copy: Path) -> Iterator[None]:
    yield
    assert not list(Path("/tmp").glob("honeyguide-watch-*/watch.sqlite"))
