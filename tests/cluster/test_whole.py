"""A crawl on several machines is read like one on a single machine."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner
from warcio.archiveiterator import ArchiveIterator

from honeyguide.cli.main import app
from honeyguide.crawl.explain import explain_url
from honeyguide.dashboard.index import WatchIndex
from honeyguide.errors import HoneyguideError
from honeyguide.frontier import State
from honeyguide.store.crawl import Crawl
from honeyguide.store.export import ExportOptions, export, export_formats, export_shards
from honeyguide.store.status import status_of
from honeyguide.store.url_list import count_urls, list_urls
from honeyguide.store.why import path_to
from honeyguide.testing.web import SmallWeb, linked_pages

from .kit import run_alone, run_cluster, topic_of

SEEDS = ["http://bees.example/", "http://hives.example/"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same web crawled by one machine and by three."""
    one, many = tmp_path_factory.mktemp("one") / "crawl", tmp_path_factory.mktemp("many") / "crawl"
    web = SmallWeb(linked_pages())
    # With a model that does not learn from the first pages, as on one machine it would.
    topic = topic_of(SEEDS, fetch={"robots": False}, budget={"pages": 0}, relevance={"model": "vsm"})
    run_alone(topic, one, lambda: web)
    asyncio.run(run_cluster(topic, many, lambda: web, 3))
    return one, many


def test_pages_urls_and_counts_are_the_same(folders: tuple[Path, Path]) -> None:
    with Crawl.open(folders[0]) as one, Crawl.open(folders[1]) as many:
        assert {page.url: page.text for page in one.pages(relevant=False)} == {
            page.url: page.text for page in many.pages(relevant=False)
        }
        assert one.states == many.states
        assert not many.states[State.ELSEWHERE]
        for name in ("pages", "relevant", "size", "answers"):
            assert one.meta[name] == many.meta[name], name
        for state in ("done", "failed"):
            assert count_urls(one, state) == count_urls(many, state)
            assert {url.url for url in list_urls(one, state)} == {url.url for url in list_urls(many, state)}
        redirects = "SELECT a.url, b.url FROM redirects JOIN urls a ON a.id = source JOIN urls b ON b.id = target"
        assert set(one.query(redirects)) == set(many.query(redirects))
        assert len(list(many.url_rows())) == sum(many.states.values())  # checked as for a single machine
    assert status_of(folders[1]).pages == status_of(folders[0]).pages


def test_the_way_to_a_page_leads_through_all_shards(folders: tuple[Path, Path]) -> None:
    with Crawl.open(folders[1]) as many:
        ways = [path_to(many, page.url) for page in many.pages(relevant=False)]
        assert all(way[0].url in SEEDS for way in ways)
        assert any(len({step.url.split("/")[2] for step in way}) > 1 for way in ways)


def test_reading_again_changes_nothing(folders: tuple[Path, Path]) -> None:
    def rows() -> list[object]:
        with Crawl.open(folders[1]) as many:
            tables = ("urls", "pages", "events", "redirects", "readings")
            return [row for table in tables for row in many.query(f"SELECT * FROM {table}")]

    assert rows() == rows()


def test_every_command_works_on_the_whole(folders: tuple[Path, Path], tmp_path: Path) -> None:
    folder = str(folders[1])
    run = CliRunner().invoke
    with Crawl.open(folders[1]) as many:
        url = next(page.url for page in many.pages(relevant=False) if page.depth > 1)
        count, relevant = many.count(relevant=False), many.count()
    for command in (
        ["status", folder],
        ["urls", folder, "--state", "done"],
        ["why", folder, url],
        ["report", folder],
        ["export", folder, "--format", "jsonl", "--out", str(tmp_path / "pages.jsonl")],
        ["export", folder, "--format", "warc", "--all", "--out", str(tmp_path / "pages.warc.gz")],
        ["tell", folder, "block", "other.example"],
    ):
        result = run(app, command)
        assert result.exit_code == 0, (command, result.output, result.exception)
    assert len((tmp_path / "pages.jsonl").read_text().splitlines()) == relevant
    with (tmp_path / "pages.warc.gz").open("rb") as file:
        records = [one for one in ArchiveIterator(file) if one.rec_type in {"response", "revisit"}]
    assert len(records) == count


def test_the_shard_whose_database_is_damaged_is_named(folders: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    shutil.copytree(folders[1], folder)
    (folder / "crawl.sqlite").unlink(missing_ok=True)  # it is made anew
    damaged = folder / "shards" / "01" / "crawl.sqlite"
    with closing(sqlite3.connect(damaged)) as connection:
        ((page, size),) = connection.execute(
            "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_master WHERE name = 'urls'"
        )
    with damaged.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(bytes(size))
    with pytest.raises(HoneyguideError, match=r"shards/01/crawl\.sqlite: is damaged"):
        Crawl.open(folder)


def test_the_dashboard_counts_the_pages_of_all_shards(folders: tuple[Path, Path]) -> None:
    with WatchIndex(folders[1]) as index:
        index.catch_up()
        ((pages,),) = index.query("SELECT count(*) FROM pages")
    assert pages == status_of(folders[1]).pages


def test_what_a_strategy_knows_of_a_url_is_found_in_its_shard(folders: tuple[Path, Path]) -> None:
    with Crawl.open(folders[1]) as many:
        deep = [page.url for page in many.pages(relevant=False) if page.depth > 1]
        assert any(explain_url(many, url) for url in deep)


@pytest.mark.parametrize("form", export_formats())
def test_exports_are_those_of_one_machine(folders: tuple[Path, Path], tmp_path: Path, form: str) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("wacz")
    options = ExportOptions(relevant_only=False)
    many = shutil.copytree(folders[1], tmp_path / "many")
    with Crawl.open(folders[0]) as one, Crawl.open(many) as whole:
        pages = one.count(relevant=False)
        assert export(one, form, tmp_path / "one", options) == export(whole, form, tmp_path / "out", options) == pages
        assert export_shards(whole, form, tmp_path / "folder", options, shard_pages=2)[0] == pages
    (many / "crawl.sqlite").unlink()  # put together anew, it may have the pages in another order
    with Crawl.open(many) as whole:
        assert export_shards(whole, form, tmp_path / "folder", options, shard_pages=2, add=True) == (0, 0)
