"""Exports to several files in a folder, to which later exports add what is new."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from honeyguide.atomic_write import is_draft
from honeyguide.errors import InputError
from honeyguide.store.crawl import Crawl
from honeyguide.store.export import ExportFormat, ExportOptions, ExportSelection, export_shards
from honeyguide.store.export.shards import RECORD
from honeyguide.store.export.tables import write_jsonl

CrawlDemo = Callable[..., Path]


def shards(folder: Path, suffix: str = ".jsonl") -> dict[str, list[str]]:
    """The URLs in each file."""
    return {
        path.name: [json.loads(line)["url"] for line in path.read_text(encoding="utf-8").splitlines()]
        for path in sorted(folder.glob(f"pages-*{suffix}"))
    }


def add(crawl: Crawl, folder: Path, pages: int = 10, form: str = "jsonl", **options: Any) -> tuple[int, int]:
    return export_shards(crawl, form, folder, ExportOptions(**options), shard_pages=pages, add=True)


def test_files_of_so_many_pages_in_the_order_of_the_crawl(demo_crawl: Crawl, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    options = ExportOptions(relevant_only=False)
    out = tmp_path / "made" / "for it"
    assert export_shards(
        demo_crawl, "jsonl", out, options, shard_pages=30, progress=lambda *step: told.append(step)
    ) == (100, 4)
    found = shards(out)
    assert [len(urls) for urls in found.values()] == [30, 30, 30, 10]
    assert list(chain(*found.values())) == [page.url for page in demo_crawl.pages(relevant=False)]
    assert told == [(number, 100) for number in range(1, 101)]
    assert {path.name for path in out.iterdir()} == {*found, RECORD}


def test_what_is_new_is_added_and_nothing_is_rewritten(crawl_demo: CrawlDemo, tmp_path: Path) -> None:
    folder, out = tmp_path / "bees", tmp_path / "out"
    crawl_demo(folder, 40)
    with Crawl.open(folder) as crawl:
        first, files = add(crawl, out)
        assert first == crawl.count() > 10
        before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.glob("pages-*")}
        assert len(before) == files
        assert add(crawl, out) == (0, 0)
    crawl_demo(folder, 60)
    with Crawl.open(folder) as crawl:
        new, more = add(crawl, out)
        assert first + new == crawl.count() > first
        assert add(crawl, out) == (0, 0)
        urls = list(chain(*shards(out).values()))
        assert sorted(urls) == sorted(page.url for page in crawl.pages())
    assert len(shards(out)) == files + more
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in before} == before


def test_a_page_that_has_become_relevant_is_new(crawl_demo: CrawlDemo, tmp_path: Path) -> None:
    folder, out = crawl_demo(tmp_path / "bees", 30), tmp_path / "out"
    with Crawl.open(folder) as crawl:
        add(crawl, out)
        other = next(page for page in crawl.pages(relevant=False) if not page.relevant)
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database, database:
        # Judged again, and repaired: the time of a request is then that of its record, which has microseconds.
        database.execute("UPDATE pages SET relevant = 1 WHERE id = ?", (other.row.id,))
        database.execute(
            "UPDATE pages SET fetched = round(fetched, 5), seq = seq + 7 WHERE fetched % 1 BETWEEN .1 AND .9"
        )
    with Crawl.open(folder) as crawl:
        assert add(crawl, out) == (1, 1)
    assert list(shards(out).values())[-1] == [other.url]


def test_every_file_of_warc_records_is_complete_by_itself(demo_crawl: Crawl, tmp_path: Path) -> None:
    pages, files = add(demo_crawl, tmp_path / "out", 20, "warc", relevant_only=False)
    assert (pages, files) == (100, 5)
    for path in sorted((tmp_path / "out").glob("*.warc.gz")):
        with path.open("rb") as file:
            kinds = [record.rec_type for record in ArchiveIterator(file)]
        assert kinds == ["warcinfo", *["request", "response"] * 20]


class _Killed(BaseException):
    pass


@pytest.mark.parametrize("when", ["writing", "recorded"])
def test_a_crash_leaves_complete_files_only(
    demo_crawl: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    """Killed in the third file: while it is written, or when it was recorded, but has no name yet."""
    out, begun = tmp_path / "out", 0

    def write(selection: ExportSelection, file: Any) -> int:
        nonlocal begun
        begun += 1
        if begun == 3 and when == "writing":
            file.write(b"half a li")
            raise _Killed
        return write_jsonl(selection, file)

    def rename(self: Path, target: Path) -> Path:
        if target.name == "pages-00002.jsonl":
            raise _Killed
        return Path(os.fspath(shutil.move(self, target)))

    monkeypatch.setattr("honeyguide.store.export.REGISTRY.named", lambda *_: ExportFormat("jsonl", "", write))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", lambda *_, **__: None)  # a killed process clears nothing away
        if when == "recorded":
            patch.setattr(Path, "replace", rename)
        with pytest.raises(_Killed):
            add(demo_crawl, out, 10, relevant_only=False)
    assert [len(urls) for urls in shards(out).values()] == [10, 10]
    assert any(is_draft(path.name) for path in out.iterdir())
    begun = 10
    assert add(demo_crawl, out, 10, relevant_only=False) == (80, 8)
    assert list(chain(*shards(out).values())) == [page.url for page in demo_crawl.pages(relevant=False)]
    assert not any(is_draft(path.name) for path in out.iterdir())


# ---- what is refused ----


@pytest.fixture
def made(demo_crawl: Crawl, tmp_path: Path) -> Path:
    add(demo_crawl, tmp_path / "out", 3)
    return tmp_path / "out"


def test_a_folder_that_is_not_empty(demo_crawl: Crawl, made: Path, tmp_path: Path) -> None:
    problem = f"{made}: is not empty; add what is new with --since last, or export to another folder"
    with pytest.raises(InputError, match=re.escape(problem)):
        export_shards(demo_crawl, "jsonl", made, shard_pages=10)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(InputError, match=r"other: is not empty, and has no export to add to; name a folder"):
        add(demo_crawl, tmp_path / "other")
    with pytest.raises(InputError, match=r"letter.txt: is a file, and the format is written to a folder"):
        add(demo_crawl, tmp_path / "other" / "letter.txt")


@pytest.mark.parametrize(
    ("form", "options", "problem"),
    [
        ("csv", {}, r"with another format \(jsonl\); use that again"),
        ("jsonl", {"fields": ("url",)}, r"with another fields \(url, title, "),
        ("jsonl", {"language": ("en",)}, r"with another language \(the default\)"),
        ("jsonl", {"min_relevance": 0.5}, r"with another min relevance \(0.0\)"),
    ],
)
def test_an_export_with_other_options(
    demo_crawl: Crawl, made: Path, form: str, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        add(demo_crawl, made, 10, form, **options)


def test_an_export_of_another_crawl(scripted: Callable[..., Crawl], made: Path) -> None:
    with pytest.raises(InputError, match=r"with another crawl \(bees\)"):
        add(scripted({"http://a.example/": "<p>honey bee"}), made)


def test_an_export_that_is_damaged(demo_crawl: Crawl, made: Path) -> None:
    first = made / "pages-00000.jsonl"
    whole = first.read_bytes()
    first.write_bytes(whole[:-1])
    with pytest.raises(InputError, match=r"pages-00000.jsonl: is not as it was exported; restore it, or export to"):
        add(demo_crawl, made)
    first.unlink()
    with pytest.raises(InputError, match=r"pages-00000.jsonl: is missing; restore it"):
        add(demo_crawl, made)
    first.write_bytes(whole)
    (made / "pages-00099.jsonl").write_bytes(b"")
    with pytest.raises(InputError, match=r"pages-00099.jsonl: is not part of this export; move it away"):
        add(demo_crawl, made)
    (made / "pages-00099.jsonl").unlink()
    assert add(demo_crawl, made) == (0, 0)
    (made / RECORD).write_bytes(b"no database" * 1000)
    with pytest.raises(InputError, match=r"\.export\.sqlite: cannot be used: file is not a database; restore it"):
        add(demo_crawl, made)


def test_two_exports_at_once(demo_crawl: Crawl, made: Path) -> None:
    with closing(sqlite3.connect(made / RECORD, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InputError, match="another export writes to it; wait until it has finished"):
            add(demo_crawl, made)


def test_a_folder_that_cannot_be_made(demo_crawl: Crawl) -> None:
    with pytest.raises(InputError, match=r"^/proc/nope/out: cannot be written: .*; export to another folder$"):
        add(demo_crawl, Path("/proc/nope/out"))
