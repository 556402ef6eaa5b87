"""`honeyguide doctor crawls/NAME`: what is wrong with a crawl is found, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from collections import namedtuple
from contextlib import closing
from pathlib import Path

import pytest

from honeyguide.cli.main import main
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.store.folder import lock_folder
from honeyguide.store.soundness import examine

from .kit import run, topic

WEB = DemoWeb(pages=300)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound") / "crawl"
    wanted = topic(WEB.seeds("beekeeping"), ", ".join(WEB.keywords("beekeeping")), budget={"pages": 40})
    run(wanted, folder, lambda: DemoFetcher(WEB))
    return folder


@pytest.fixture
def crawl(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "crawl"))


def doctor(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["honeyguide", "doctor", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def unsound(folder: Path, *, full: bool = True) -> dict[str, str]:
    return {one.check: one.text for one in examine(folder, full=full) if not one.sound}


def change(folder: Path, sql: str) -> None:
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as connection:
        connection.execute(sql)
        connection.commit()


def test_a_sound_crawl(crawl: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in crawl.rglob("*") if path.is_file()}
    assert doctor(monkeypatch, str(crawl), "--quiet") == 0
    said = capsys.readouterr().out
    assert "all 40 pages are as they were received" in said
    assert said.endswith(f"{crawl} is sound\n")
    assert {path: path.read_bytes() for path in crawl.rglob("*") if path.is_file()} == before


def test_findings_for_programs(
    crawl: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (crawl / "topic.toml").write_text("keywords = [")
    assert doctor(monkeypatch, str(crawl), "--json", "--quiet") == 1
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["crawl"] == str(crawl)
    assert not found["sound"]
    assert next(check["check"] for check in found["checks"] if not check["sound"]) == "topic"
    assert said.err.startswith("honeyguide: topic: ")
    assert said.err.count("\n") == 1


def test_every_damaged_record_is_found_if_all_are_read(crawl: Path) -> None:
    (archive,) = crawl.glob("*.warc.gz")
    content = bytearray(archive.read_bytes())
    with closing(sqlite3.connect(crawl / "crawl.sqlite")) as connection:
        sql = "SELECT warc_offset, warc_length FROM pages WHERE same_as IS NULL ORDER BY seq LIMIT 3"
        offset, length = connection.execute(sql).fetchall()[2]
    content[offset + length // 2] ^= 0xFF
    archive.write_bytes(content)
    found = unsound(crawl)
    assert list(found) == ["archive"]
    assert str(archive) in found["archive"]
    assert "restore the original file" in found["archive"]


def test_an_answer_that_is_not_the_one_received_is_found(crawl: Path) -> None:
    """The record is a proper one, but that of another page."""
    change(crawl, "UPDATE pages SET (warc_offset, warc_length) = (SELECT warc_offset, warc_length FROM pages p "
                  "WHERE p.seq <> pages.seq AND p.digest <> pages.digest LIMIT 1) WHERE seq = 7")  # fmt: skip
    assert "is not what was received" in unsound(crawl)["archive"]


def test_an_archive_that_was_cut_is_found_without_reading_all(crawl: Path) -> None:
    (archive,) = crawl.glob("*.warc.gz")
    with archive.open("r+b") as file:
        file.truncate(archive.stat().st_size - 10)
    assert "it is shorter" in unsound(crawl, full=False)["archive"]


def test_a_sample_goes_from_the_first_to_the_last(crawl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.store.soundness.SAMPLE", 10)
    said = {one.check: one.text for one in examine(crawl)}["archive"]
    assert said.startswith("11 of 40 pages")
    assert "--full" in said


@pytest.mark.parametrize("page", [1, 2])
def test_a_damaged_database_is_to_be_repaired(crawl: Path, page: int) -> None:
    path = crawl / "crawl.sqlite"
    content = bytearray(path.read_bytes())
    content[4096 * page : 4096 * page + 400] = b"\xa5" * 400
    path.write_bytes(content)
    found = unsound(crawl)
    assert list(found) == ["database"]
    assert f"honeyguide repair {crawl}" in found["database"]


def test_a_missing_database_is_to_be_repaired(crawl: Path) -> None:
    (crawl / "crawl.sqlite").unlink()
    assert "crawl.sqlite is missing" in unsound(crawl)["database"]


def test_rows_that_no_crawl_writes_are_found(crawl: Path) -> None:
    change(crawl, "UPDATE pages SET relevance = 7 WHERE seq = 3")
    assert "a row of pages" in unsound(crawl)["database"]


def test_answers_that_the_database_does_not_know_of_are_found(crawl: Path) -> None:
    change(crawl, "UPDATE meta SET value = 0 WHERE key = 'warc_end'")
    assert f"honeyguide repair {crawl}" in unsound(crawl)["tail"]


def test_a_crawl_that_is_running_is_looked_at(crawl: Path) -> None:
    lock = lock_folder(crawl)
    try:
        found = {one.check: one for one in examine(crawl)}
    finally:
        os.close(lock)
    assert found["lock"].text == "a process is running"
    assert all(one.sound for one in found.values())


def test_a_full_disk_is_named(crawl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")  # noqa: PYI024
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**9, 10**9 - 1000, 1000))
    assert "free some disk space" in unsound(crawl)["disk"]


def test_a_folder_without_a_crawl_is_wrong_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert doctor(monkeypatch, str(tmp_path)) == 2
    assert "does not contain a crawl" in capsys.readouterr().err
