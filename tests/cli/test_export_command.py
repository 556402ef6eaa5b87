"""``honeyguide export``: where it writes, and what it refuses."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb, faults
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.topic import Topic

from .kit import Command


@pytest.fixture(scope="module")
def gone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of a page that is not there: nothing is exported, but everything is checked."""
    folder = tmp_path_factory.mktemp("crawls") / "bees"
    seeds = [fault.url for fault in faults() if fault.name == "status-404"]
    topic = Topic.make(name="bees", seeds=seeds, keywords=["honey"])
    session = Session(topic, folder, fetcher=lambda: DemoFetcher(DemoWeb(pages=100), topic.fetch), workers=0)
    asyncio.run(session.run())
    return folder


@pytest.fixture
def crawled(honeyguide: Command, gone: Path, tmp_path: Path) -> Path:
    shutil.copytree(gone, tmp_path / "crawls" / "bees")
    return Path("crawls/bees")


def test_where_it_is_written(honeyguide: Command, crawled: Path) -> None:
    pytest.importorskip("pyarrow")
    said = honeyguide("export", str(crawled), "--format", "parquet")
    assert (said.code, said.out) == (0, "0 pages written to 0 files in crawls/bees/export-parquet\n")
    assert honeyguide("export", str(crawled), "--format", "parquet", "--since", "last").code == 0
    assert [path.name for path in (crawled / "export-parquet").iterdir()] == [".export.sqlite"]
    for arguments, file in (
        (["--out", "bees.parquet"], Path("bees.parquet")),
        (["--shard", "0"], crawled / "export.parquet"),
    ):
        said = honeyguide("export", str(crawled), "--format", "parquet", *arguments)
        assert (said.code, said.out) == (0, f"0 pages written to {file}\n")
        assert file.read_bytes().startswith(b"PAR1")
    said = honeyguide("export", str(crawled), "--shard", "10", "--out", "lines", "--since", "last")
    assert said.out == "0 pages written to 0 files in lines\n"
    assert honeyguide("export", str(crawled), "--out", "-", "--sample", "10%", "--language", "DE, en").out == ""


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("--language xx", '--language: "xx" is not the code of a language; write codes such as "en", "de" or "ja"'),
        ("--language german", '--language: "german" is not the code of a language; write "de"'),
        ("--sample 0", "--sample: '0' is not a sample size; give a number of pages, like 1000, or a share, like 10%"),
        ("--min-relevance 2", "--min-relevance: 2.0 is not a relevance score; give 0 to 1, like 0.5"),
        ("--dedup some", "--dedup: there is no 'some'; use near or exact or none"),
        ("--since May", "--since: 'May' is not a time; write it as 2026-05-31 or 2026-05-31T08:00, or last"),
        ("--since last", "--since: last adds files to a folder; set the number of pages per file, like --shard 50000"),
        ("--shard 5 --since last --sample 9", "--sample: a number of pages does not grow with a crawl; give a share"),
        ("--shard -1", "--shard: -1 is not a number of pages; give 1 or more, or 0 for one file"),
        ("--shard 5 --out -", "--shard: standard output is one stream; name a folder with --out"),
        ("--shard 5 --out .", ".: is not empty; add what is new with --since last, or export to another folder"),
        ("--format warc --no-text", "--no-text: does not apply to the format warc; use it with jsonl, csv, parquet or"),
    ],
)
def test_what_is_refused(honeyguide: Command, crawled: Path, arguments: str, problem: str) -> None:
    said = honeyguide("export", str(crawled), *arguments.split())
    assert said.code == 2
    assert said.err.startswith(f"honeyguide: {problem}")
    assert said.err.count("\n") == 1
    assert not [*crawled.glob("export*"), *Path().glob("export*")]


def test_a_previous_export_that_is_damaged(honeyguide: Command, crawled: Path) -> None:
    add = ["export", str(crawled), "--shard", "5", "--out", "lines", "--since", "last"]
    honeyguide(*add)
    Path("lines/.export.sqlite").write_text(json.dumps(["no", "database"]) * 99, encoding="utf-8")
    said = honeyguide(*add)
    assert said.code == 2
    assert said.err.startswith(
        "honeyguide: lines/.export.sqlite: cannot be used: file is not a database; restore it, or"
    )
