"""The database: everything of a commit or nothing of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from honeyguide.errors import HoneyguideError
from honeyguide.frontier import Frontier, State
from honeyguide.store.connection import FILE, database_errors
from honeyguide.store.database import Database, PageRow
from honeyguide.store.schema import VERSION


def row(number: int, **more: Any) -> PageRow:
    values: dict[str, Any] = {
        "id": number, "seq": number, "fetched": 1.7e9, "elapsed": 0.1, "status": 200, "content_type": "text/html",
        "size": 8, "title": "Honig für alle", "language": "de", "words": 3, "links": 0, "relevance": 0.5,
        "relevant": True, "priority": 1.0, "signature": b"\x00\xff" * 32, "duplicate_of": None, "digest": bytes(20),
        "same_as": None, "truncated": "", "warc_file": 0, "warc_offset": 0, "warc_length": 10,
    }  # fmt: skip
    return PageRow(**{**values, **more})


def asked(path: Path, sql: str) -> list[tuple[Any, ...]]:
    """What somebody else sees of the database at this moment."""
    with closing(sqlite3.connect(path / FILE)) as connection:
        return connection.execute(sql).fetchall()


def note_all(database: Database, frontier: Frontier, host: str) -> None:
    """One of everything."""
    page = frontier.offer(f"http://{host}/", 1.0)
    other = frontier.offer(f"http://{host}/other", 0.5, page, 1)
    database.page(row(page), {"domain": 2})
    database.redirect(page, other, 1)
    database.event(1.7e9, "page", page, note="ja")
    database.robots(f"http://{host}", 1.7e9, 200, b"User-agent: *")
    database.host(host, 1.8e9)


TABLES = ("urls", "pages", "readings", "redirects", "events", "robots", "hosts", "meta")


def counts(path: Path) -> dict[str, int]:
    return {table: asked(path, f"SELECT count(*) FROM {table}")[0][0] for table in TABLES}


def test_nothing_is_there_before_a_commit_and_everything_after(tmp_path: Path) -> None:
    frontier, database = Frontier(), Database(tmp_path / FILE)
    note_all(database, frontier, "a.example")
    assert set(counts(tmp_path).values()) == {0}
    database.commit(frontier.dirty_rows(), {"pages": 1})
    assert counts(tmp_path) == {"urls": 2} | dict.fromkeys(TABLES[1:], 1)
    database.commit(frontier.dirty_rows(), {"pages": 1})
    assert counts(tmp_path) == {"urls": 2} | dict.fromkeys(TABLES[1:], 1)
    database.close()


def test_a_commit_that_fails_leaves_nothing_of_itself(tmp_path: Path) -> None:
    frontier, database = Frontier(), Database(tmp_path / FILE)
    note_all(database, frontier, "a.example")
    database.commit(frontier.dirty_rows(), {"pages": 1})
    before = counts(tmp_path)
    note_all(database, frontier, "b.example")
    database.page(row(0), {})  # a second page of one URL, which cannot be
    with pytest.raises(sqlite3.IntegrityError):
        database.commit(frontier.dirty_rows(), {"pages": 3})
    database.close()
    assert counts(tmp_path) == before
    assert asked(tmp_path, "SELECT value FROM meta") == [(1,)]


def test_what_was_noted_and_not_committed_is_lost(tmp_path: Path) -> None:
    frontier, database = Frontier(), Database(tmp_path / FILE)
    note_all(database, frontier, "a.example")
    database.close()
    assert set(counts(tmp_path).values()) == {0}


def test_urls_are_written_once_and_again_when_they_change(tmp_path: Path) -> None:
    frontier, database = Frontier(), Database(tmp_path / FILE)
    first, second = (frontier.offer(f"http://{host}.example/", 0.5) for host in "ab")
    database.commit(frontier.dirty_rows(), {})
    (taken,) = frontier.take(0.0)
    frontier.settle(taken, State.DONE, 0.0)
    frontier.change(second, 0.75)
    third = frontier.offer("http://c.example/", 0.25, first, 1)
    database.commit(frontier.dirty_rows(), {})
    assert list(database.rows()) == [
        ("http://a.example/", 0.5, State.DONE, -1, 0, 0),
        ("http://b.example/", 0.75, State.WAITING, -1, 0, 0),
        ("http://c.example/", 0.25, State.WAITING, first, 1, 0),
    ]
    again = Frontier()
    again.restore(database.rows())
    assert [again.urls.state(number) for number in (first, second, third)] == [State.DONE, State.WAITING, State.WAITING]
    assert [again.urls.url(number) for number in again.take(0.0, 2)] == ["http://b.example/", "http://c.example/"]
    database.close()


def test_a_page_comes_back_as_it_was_noted(tmp_path: Path) -> None:
    frontier, database = Frontier(), Database(tmp_path / FILE)
    number = frontier.offer("http://a.example/", 1.0)
    page = row(number, title="\x00 <title> 蜂 '\"", duplicate_of=None, truncated="length")
    database.page(page, {})
    database.commit(frontier.dirty_rows(), {})
    ((*values,),) = database.query("SELECT * FROM pages")
    assert PageRow(*values) == page
    database.close()


def test_details_that_are_no_text_are_noted_all_the_same(tmp_path: Path) -> None:
    frontier, database = Frontier(), Database(tmp_path / FILE)
    database.event(1.7e9, "failed", None, detail="N\udce3o", also="grün")
    database.commit(frontier.dirty_rows(), {})
    assert asked(tmp_path, "SELECT detail FROM events") == [('{"detail": "N?o", "also": "grün"}',)]
    database.close()


def test_values_of_the_last_commit_are_the_ones_that_count(tmp_path: Path) -> None:
    frontier, database = Frontier(), Database(tmp_path / FILE)
    assert database.meta() == {}
    database.commit(frontier.dirty_rows(), {"pages": 1, "stop": ""})
    database.commit(frontier.dirty_rows(), {"pages": 2, "stop": "pages"})
    database.close()
    database = Database(tmp_path / FILE)
    assert database.meta() == {"pages": 2, "stop": "pages"}
    database.close()


def test_a_file_that_was_made_and_never_filled_is_filled(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    Database(tmp_path / FILE).close()
    assert asked(tmp_path, "PRAGMA user_version") == [(VERSION,)]


def test_a_file_of_another_version_is_refused(tmp_path: Path) -> None:
    Database(tmp_path / FILE).close()
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(HoneyguideError, match="was written by another version"):
        Database(tmp_path / FILE)


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("not a database at all, but long enough to be taken for one " * 20)
    with pytest.raises(HoneyguideError, match=r"is damaged .*honeyguide repair"):
        Database(tmp_path / FILE)


def test_a_disk_without_room_is_said_to_be_full(tmp_path: Path) -> None:
    path = tmp_path / FILE
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA max_page_count = 1")
        problem = r"crawl\.sqlite: cannot be written: database or disk is full; free some disk space and run"
        with pytest.raises(HoneyguideError, match=problem), database_errors(path):
            connection.execute("CREATE TABLE pages (id INTEGER)")
