"""Copies are recorded as such: the same payload, and nearly the same text, also over several runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from honeyguide.store.crawl import Crawl

from .kit import PaperWeb, about, run, topic

HOME = "http://home.example/"
FIRST, SAME, NEAR, OTHER = (f"{HOME}{name}" for name in ("first", "same", "near", "other"))
TEXT = about("honey of the bee")
PAGES = {
    HOME: about("honey and bee, all of it", FIRST, SAME, NEAR, OTHER),
    FIRST: TEXT,
    SAME: TEXT,
    NEAR: TEXT.replace("</p>", " printed</p>", 1),
    OTHER: about("bee and hive, something else"),
}


@pytest.mark.parametrize("runs", [1, 5])
def test_duplicates_are_recorded_with_the_page_they_repeat(tmp_path: Path, runs: int) -> None:
    for pages in range(1, len(PAGES) + 1) if runs > 1 else (0,):
        run(
            topic([HOME], strategy={"name": "breadth-first"}, budget={"pages": pages}),
            tmp_path / "c",
            lambda: PaperWeb(PAGES),
        )
    with Crawl.open(tmp_path / "c") as crawl:
        found = {page.url: page.duplicate_of for page in crawl.pages(relevant=False)}
        assert found == {HOME: "", FIRST: "", SAME: FIRST, NEAR: FIRST, OTHER: ""}
        assert crawl.count(relevant=False) == len(PAGES)
        assert {page.url: page.text for page in crawl.pages(relevant=False)}[SAME].startswith("honey of the bee")


def test_a_payload_is_archived_once(tmp_path: Path) -> None:
    run(topic([HOME]), tmp_path / "c", lambda: PaperWeb(PAGES))
    revisits = []
    for file in (tmp_path / "c").glob("*.warc.gz"):
        with file.open("rb") as stream:
            found = (record.headers for record in ArchiveIterator(stream, record_types=WarcRecordType.revisit))
            revisits += [(head["WARC-Target-URI"], head["WARC-Refers-To-Target-URI"]) for head in found]
    assert revisits == [(SAME, FIRST)]
