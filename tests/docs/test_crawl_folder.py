"""docs/crawl-folder.md describes every table, column, index, value and kind of event of crawl.sqlite."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.store.schema import SCHEMA, SHARD_TABLES, VERSION, WHOLE_TABLES
from honeyguide.topic import Topic

SOURCES = Path(__file__).parents[2] / "src" / "honeyguide" / "crawl"
TEXT = (Path(__file__).parents[2] / "docs" / "crawl-folder.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `(\w+)`[^\n]*\n(.*?)(?=^##)", TEXT, re.MULTILINE | re.DOTALL))


def listed(text: str, head: str) -> list[str]:
    """The first cells of the table whose head begins so."""
    (table,) = re.findall(rf"^\| {head} \|[^\n]*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    return re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA + SHARD_TABLES + WHOLE_TABLES)
        yield connection


def test_every_table_and_column(database: sqlite3.Connection) -> None:
    tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")]
    assert set(SECTIONS) == set(tables)
    for name in tables:
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({name})")]
        assert listed(SECTIONS[name], "column") == columns, name


def test_every_index_and_the_version(database: sqlite3.Connection) -> None:
    for (index,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"):
        assert f"`{index}`" in TEXT
    assert f"`PRAGMA user_version` is {VERSION}" in TEXT


def test_every_file_and_every_value(tmp_path: Path) -> None:
    web = DemoWeb(pages=300, page_kb=1.0)
    subject = web.subjects[0]
    topic = Topic.make(
        name="bees",
        seeds=web.seeds(subject),
        keywords=web.keywords(subject),
        budget={"pages": 5},
        fetch={"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0},
    )
    folder = tmp_path / "bees"
    asyncio.run(Session(topic, folder, fetcher=lambda: DemoFetcher(web), workers=0).run())
    for path in folder.iterdir():
        assert re.search(rf"^      {re.escape(path.name)}/? ", TEXT, re.MULTILINE), path.name
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database:
        keys = {key for (key,) in database.execute("SELECT key FROM meta")}
    assert set(listed(SECTIONS["meta"], "key")) == keys


def test_every_kind_of_event() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py"))
    kinds = set(re.findall(r"\.event\([^\"\n]*\"([a-z ]+)\"", code))
    (row,) = re.findall(r"^\| `kind` \|(.*)\|$", SECTIONS["events"], re.MULTILINE)
    assert set(re.findall(r"`([^`]+)`", row)) == kinds


def test_every_reason_to_stop() -> None:
    code = (SOURCES / "budget.py").read_text(encoding="utf-8")
    (documented,) = re.findall(r"Why a crawl ended.*?kind: str\n(.*?)\"\"\"\n", code, re.DOTALL)
    (row,) = re.findall(r"^\| `stop` \|(.*)\|$", SECTIONS["meta"], re.MULTILINE)
    assert re.findall(r"`([^`]+)`", row) == re.findall(r"\"(\w+)\"", documented)
