"""Crawls whose archive is compressed with Zstandard: continued, repaired, exported and replayed like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner
from warcio.archiveiterator import ArchiveIterator

from honeyguide.cli.main import app
from honeyguide.errors import InputError
from honeyguide.lab.web import open_web
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.store.archive import archive_files
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic

from .kit import PaperWeb, about, answer, check_archive, check_tables, rows, run, topic

HOST = "http://a.example"
PAGES = {f"{HOST}/{number}": about(f"honey bee page {number}", f"/{number + 1}") for number in range(9)}
KEPT = "SELECT url, digest, relevance, warc_file, warc_offset, warc_length FROM pages JOIN urls USING (id) ORDER BY seq"


def crawl(folder: Path, pages: int, compression: str = "zstd", web: PaperWeb | None = None) -> Path:
    wanted = topic([f"{HOST}/0"], budget={"pages": pages}, store={"compression": compression})
    run(wanted, folder, lambda: web or PaperWeb(PAGES))
    return folder


def told(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def names(folder: Path) -> list[str]:
    return [path.name for path in archive_files(folder)]


def targets(file: Path) -> list[tuple[str, str]]:
    """What warcio finds in a file."""
    with file.open("rb") as stream:
        return [
            (record.rec_type, record.rec_headers["WARC-Target-URI"])
            for record in ArchiveIterator(stream)
            if record.rec_type == "response"
        ]


def test_it_is_read_continued_repaired_and_found_sound(tmp_path: Path) -> None:
    folder = crawl(tmp_path / "crawl", 4)
    crawl(folder, 9)
    assert names(folder) == ["pages-00000.warc.zst"]
    check_tables(folder)
    check_archive(folder)
    with Crawl.open(folder) as read:
        assert "honey bee page 5" in read.page(f"{HOST}/5").full_text  # type: ignore[union-attr]
    assert "sound" in told("doctor", folder, "--full")
    before = rows(folder, KEPT)
    (folder / "crawl.sqlite").unlink()
    told("repair", folder)
    assert rows(folder, KEPT) == before
    assert open_web([str(folder)], UrlRules(UrlSettings())).response(f"{HOST}/7") is not None


def test_what_was_never_committed_is_cut_off(tmp_path: Path) -> None:
    folder = crawl(tmp_path / "crawl", 4)
    (archive,) = archive_files(folder)
    whole = archive.read_bytes()
    archive.write_bytes(whole + whole[-300:-20])
    crawl(folder, 9)
    check_archive(folder)
    assert len(rows(folder, KEPT)) == 9


def test_a_damaged_record_costs_itself_only(tmp_path: Path) -> None:
    folder = crawl(tmp_path / "crawl", 9)
    (archive,) = archive_files(folder)
    place = rows(folder, KEPT)[4]
    data = bytearray(archive.read_bytes())
    data[place[4] + 20 : place[4] + 40] = b"x" * 20
    archive.write_bytes(data)
    (folder / "crawl.sqlite").unlink()
    told("repair", folder)
    assert [row[0] for row in rows(folder, KEPT)] == [f"{HOST}/{number}" for number in range(9) if number != 4]


@pytest.mark.parametrize(("first", "then"), [("gzip", "zstd"), ("zstd", "gzip")])
def test_the_setting_may_change_and_holds_for_new_files(tmp_path: Path, first: str, then: str) -> None:
    folder = crawl(crawl(tmp_path / "crawl", 4, first), 9, then)
    suffix = {"gzip": "gz", "zstd": "zst"}
    assert names(folder) == [f"pages-00000.warc.{suffix[first]}", f"pages-00001.warc.{suffix[then]}"]
    check_archive(folder)
    before = rows(folder, KEPT)
    (folder / "crawl.sqlite").unlink()
    told("repair", folder)
    assert rows(folder, KEPT) == before
    told("export", folder, "--format", "warc", "--out", tmp_path / "all.warc.gz")
    assert targets(tmp_path / "all.warc.gz") == [("response", url) for url in sorted(PAGES)]


@pytest.mark.parametrize("options", [(), ("--min-relevance", "0.01"), ("--sample", "4", "--seed", "1")])
def test_exports_are_what_other_programs_read(tmp_path: Path, options: tuple[str, ...]) -> None:
    same = answer(f"{HOST}/9", PAGES[f"{HOST}/3"])
    pages = {**PAGES, f"{HOST}/8": about("honey bee page 8", "/9"), f"{HOST}/9": same}
    folders = [crawl(tmp_path / kind, 10, kind, PaperWeb(pages)) for kind in ("gzip", "zstd")]
    found = []
    for folder in folders:
        out = tmp_path / f"{folder.name}.warc.gz"
        told("export", folder, "--format", "warc", "--out", out, *options)
        told("export", folder, "--format", "jsonl", "--out", tmp_path / f"{folder.name}.jsonl", *options)
        lines = (tmp_path / f"{folder.name}.jsonl").read_text(encoding="utf-8").splitlines()
        found.append((targets(out), [json.loads(line)["text"] for line in lines]))
    assert found[0] == found[1]
    assert len(found[0][1]) == (4 if "--sample" in options else len(found[0][1])) > 0


def test_another_word_is_refused(tmp_path: Path) -> None:
    (tmp_path / "topic.toml").write_text(
        'name = "a"\nseeds = ["http://a.example/"]\nkeywords = ["honey"]\n[store]\ncompression = "zst"\n'
    )
    with pytest.raises(InputError, match=r'topic\.toml:5: compression cannot be "zst"; did you mean "zstd"\?'):
        Topic.load(tmp_path / "topic.toml")
