"""A crawl's folder that somebody else prepared: it can be refused or read, but it harms nothing outside it."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import sqlite3
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from honeyguide.cli.main import main
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.lab.webs.archive import ArchiveWeb
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance import saved
from honeyguide.store.archive import file_name
from honeyguide.store.crawl import Crawl
from honeyguide.warc.part import Part

Command = Callable[..., tuple[int, str]]
SECRET = b"keys to the house"


@pytest.fixture
def folder(demo_folder: Path, tmp_path: Path) -> Path:
    """A crawl that may be changed."""
    return Path(shutil.copytree(demo_folder, tmp_path / "crawls" / "bees"))


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A file elsewhere, which must stay as it is."""
    path = tmp_path / "outside"
    path.write_bytes(SECRET)
    yield path
    assert path.read_bytes() == SECRET


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command: its exit code, and what it said on standard error."""

    def run(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["honeyguide", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        assert isinstance(code, int)
        return code, capsys.readouterr().err

    return run


def change(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database, database:
        for statement in statements:
            database.execute(statement)


def one_line(said: str) -> bool:
    return said.startswith("honeyguide: ") and said.count("\n") == 1


def a_page(folder: Path) -> str:
    with Crawl.open(folder) as crawl:
        return next(page.url for page in crawl.pages() if page.parent)


# ---- links to somewhere else ----


@pytest.mark.parametrize("name", ["report.html", "report.html.part", ".report.html.part"])
def test_a_report_is_not_written_through_a_link(folder: Path, outside: Path, command: Command, name: str) -> None:
    (folder / name).symlink_to(outside)
    assert command("report", folder) == (0, "")
    assert (folder / "report.html").read_bytes().startswith(b"<!DOCTYPE html>")
    assert not (folder / "report.html").is_symlink()


@pytest.mark.parametrize("name", ["export.jsonl", "export.jsonl.part"])
def test_neither_is_an_export(folder: Path, outside: Path, command: Command, name: str) -> None:
    (folder / name).symlink_to(outside)
    assert command("export", folder)[0] == 0
    assert json.loads((folder / "export.jsonl").read_bytes().split(b"\n")[0])


def test_a_pipe_in_place_of_a_report_is_replaced(folder: Path, command: Command) -> None:
    os.mkfifo(folder / "report.html")
    assert command("report", folder) == (0, "")
    assert (folder / "report.html").is_file()


@pytest.mark.parametrize("name", ["topic.toml.new", "topic.toml.part", "errors.log"])
def test_a_crawl_ignores_links_that_it_has_no_use_for(
    folder: Path, outside: Path, crawl_demo: Callable[..., Path], name: str
) -> None:
    (folder / name).symlink_to(outside)
    with Crawl.open(folder) as crawl:
        seeds, pages = crawl.topic.seeds, crawl.meta["pages"]
    crawl_demo(folder, pages + 1, seeds=seeds)


@pytest.mark.parametrize("name", [".lock", "crawl.sqlite", "crawl.sqlite-wal", file_name(0)])
def test_a_crawl_does_not_write_through_a_link(
    folder: Path, outside: Path, crawl_demo: Callable[..., Path], name: str
) -> None:
    with Crawl.open(folder) as crawl:
        seeds, pages = crawl.topic.seeds, crawl.meta["pages"]
    if name == file_name(0):
        (folder / name).replace(folder.parent / "archive")
        (folder / name).symlink_to(folder.parent / "archive")
        change(folder, "UPDATE meta SET value = '' WHERE key = 'stop'")
    elif name == "crawl.sqlite":
        (folder / name).replace(folder.parent / "database")
        (folder / name).symlink_to(folder.parent / "database")
    else:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(outside)
    elsewhere = {path.name: path.read_bytes() for path in folder.parent.iterdir() if path.is_file()}
    with pytest.raises(HoneyguideError, match="is a symbolic link, and is not written to"):
        crawl_demo(folder, pages + 1, seeds=seeds)
    assert {path.name: path.read_bytes() for path in folder.parent.iterdir() if path.is_file()} == elsewhere


def test_archives_may_be_read_through_links(folder: Path, command: Command) -> None:
    (folder / file_name(0)).replace(folder.parent / "archive")
    (folder / file_name(0)).symlink_to(folder.parent / "archive")
    assert command("export", folder)[0] == 0


def test_a_lock_that_is_a_pipe_is_refused(folder: Path, crawl_demo: Callable[..., Path]) -> None:
    with Crawl.open(folder) as crawl:
        seeds = crawl.topic.seeds
    (folder / ".lock").unlink()
    os.mkfifo(folder / ".lock")
    with pytest.raises(HoneyguideError, match="is not a regular file"):
        crawl_demo(folder, 200, seeds=seeds)


def test_a_topic_that_is_a_pipe_is_refused(folder: Path, command: Command) -> None:
    (folder / "topic.toml").unlink()
    os.mkfifo(folder / "topic.toml")
    code, said = command("report", folder)
    assert code == 2
    assert "topic.toml: is not a file" in said


# ---- the database ----

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"


@pytest.mark.parametrize("asked", [["report"], ["export"], ["why", "http://a.example/"]])
@pytest.mark.parametrize(
    "statements",
    [
        ["DROP VIEW found", f"CREATE VIEW found AS {ENDLESS}"],
        ["ALTER TABLE events RENAME TO was", f"CREATE VIEW events AS SELECT x AS time, x AS kind FROM ({ENDLESS})"],
        ["CREATE TRIGGER more AFTER INSERT ON urls BEGIN DELETE FROM pages; END"],
        ["CREATE TABLE more (a)"],
    ],
    ids=["another view", "a view for a table", "a trigger", "another table"],
)
def test_tables_that_are_not_ours_are_refused(
    folder: Path, command: Command, asked: list[str], statements: list[str]
) -> None:
    change(folder, *statements)
    code, said = command(asked[0], folder, *asked[1:])
    assert code == 1
    assert one_line(said)
    assert "its tables are not those of a crawl" in said


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE urls SET url = x'00ff' WHERE id = (SELECT id FROM pages)",
        "UPDATE pages SET title = 7.5e300, relevance = 'high'",
        "UPDATE pages SET relevance = 1e300",
        "UPDATE pages SET fetched = 1e300",
        "UPDATE pages SET warc_file = '../../../etc/passwd'",
        "UPDATE pages SET warc_length = -5",
        "UPDATE pages SET same_as = 99999",
        "UPDATE events SET time = 'noon'",
        "UPDATE meta SET value = '[1' WHERE key = 'errors'",
        "UPDATE meta SET value = '{\"a\": []}' WHERE key = 'refused'",
        "UPDATE meta SET value = 'many' WHERE key = 'seconds'",
        "UPDATE meta SET value = '../..' WHERE key = 'warc_file'",
        "UPDATE meta SET value = '[]' WHERE key = 'told'",
        "UPDATE meta SET value = '{\"seeds\": [\"file:///etc/passwd\"]}' WHERE key = 'told'",
        "UPDATE meta SET value = '{\"limits\": {\"pages\": [1, -1]}}' WHERE key = 'told'",
    ],
)
def test_rows_that_no_crawl_writes_are_refused(folder: Path, command: Command, statement: str) -> None:
    url = a_page(folder)
    change(folder, statement)
    for asked in (["report", folder], ["export", folder, "--all", "--format", "warc"], ["why", folder, url]):
        code, said = command(*asked)
        assert (code, one_line(said)) == (1, True), said
        assert "is not what a crawl writes" in said


def test_a_cycle_of_parents_is_refused(folder: Path, command: Command) -> None:
    url = a_page(folder)
    change(folder, "UPDATE urls SET parent = id")
    code, said = command("why", folder, url)
    assert (code, one_line(said)) == (1, True)
    assert "is not what a crawl writes" in said


def test_a_crawl_with_such_rows_does_not_go_on(folder: Path, crawl_demo: Callable[..., Path]) -> None:
    with Crawl.open(folder) as crawl:
        seeds = crawl.topic.seeds
    change(folder, "UPDATE urls SET parent = id + 1 WHERE id = 3")
    with pytest.raises(
        HoneyguideError, match=f"a row of urls is not what a crawl writes; .* honeyguide repair {folder}"
    ):
        crawl_demo(folder, 200, seeds=seeds)


# ---- bombs ----


def bomb(size: int) -> bytes:
    """A record that unpacks to a thousand times its size: `size` bytes."""
    head = f"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: {size}\r\n\r\nHTTP/1.1 200 OK\r\n\r\n".encode()
    return gzip.compress(head + bytes(size), 9)


def test_a_record_that_unpacks_to_gigabytes_takes_no_gigabytes(
    folder: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("honeyguide.store.export.warc._LARGEST_RECORD", 5_000_000)
    packed = bomb(60_000_000)
    with (folder / file_name(0)).open("ab") as file:
        start = file.tell()
        file.write(packed)
    place = f"warc_offset = {start}, warc_length = {len(packed)}"
    change(
        folder,
        f"UPDATE pages SET relevant = 0, {place} WHERE id = (SELECT id FROM pages WHERE relevant = 0)",
        f"UPDATE pages SET same_as = (SELECT id FROM pages WHERE warc_offset = {start}) "
        "WHERE id = (SELECT id FROM pages WHERE relevant AND duplicate_of IS NULL)",
    )
    tracemalloc.start()
    command("export", folder, "--format", "warc", "--out", tmp_path / "out")
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 40_000_000  # bytes


def test_a_packed_web_that_unpacks_to_gigabytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("honeyguide.lab.webs.parts._USUAL", 10_000_000)
    record = b"WARC/1.1\r\nWARC-Type: metadata\r\nContent-Length: 9999980\r\n\r\n" + bytes(9_999_980) + b"\r\n\r\n"
    path = tmp_path / "web.warc.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(3):
            file.write(record)
    with pytest.raises(InputError, match=r"its [\d,]+ bytes decompress to more than 10,000,000"):
        ArchiveWeb.open("web", [Part.whole(path)], UrlRules(UrlSettings()), lambda _done, _total: None)
    assert [path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_a_length_of_a_thousand_digits_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "web.warc"
    path.write_bytes(b"WARC/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n")
    with pytest.raises(InputError, match="is not a WARC file, or is damaged"):
        ArchiveWeb.open("web", [Part.whole(path)], UrlRules(UrlSettings()), lambda _done, _total: None)


# ---- the model ----


def rewritten(folder: Path, **parts: Any) -> None:
    """The model's file with other parts, and the digest that belongs to them."""
    path = folder / "model" / saved.FILE
    content = json.loads(path.read_text()) | parts
    content["digest"] = saved._digest({name: content[name] for name in ("about", "arrays", "model")})
    path.write_text(json.dumps(content))


def huge_array(folder: Path) -> None:
    array = bytearray(saved._npy(np.zeros(10)))
    array = array.replace(b"(10,), }" + b" " * 12, b"(99999999999999,), }")
    (folder / "model" / "0.npy").write_bytes(array)
    rewritten(folder, arrays=[hashlib.sha256(array).hexdigest()])


def pickled_array(folder: Path) -> None:
    np.save(folder / "model" / "0.npy", np.array([{}], dtype=object), allow_pickle=True)
    digest = hashlib.sha256((folder / "model" / "0.npy").read_bytes()).hexdigest()
    rewritten(folder, arrays=[digest])


def endless_array(folder: Path) -> None:
    (folder / "model" / "0.npy").unlink(missing_ok=True)
    os.mkfifo(folder / "model" / "0.npy")
    rewritten(folder, arrays=["0" * 64])


@pytest.mark.parametrize(
    "spoil",
    [
        huge_array,
        pickled_array,
        endless_array,
        lambda folder: rewritten(folder, arrays=7),
        lambda folder: rewritten(folder, model={"dataclass": "subprocess:Popen", "fields": {"args": "true"}}),
        lambda folder: rewritten(folder, model={"dataclass": "honeyguide.fetch.base:Request", "fields": {"url": ""}}),
        lambda folder: (folder / "model" / saved.FILE).write_text("[" * 100_000),
    ],
    ids=["huge array", "pickle", "pipe", "no arrays", "no dataclass", "no model", "nested"],
)
def test_a_hostile_model_is_refused_in_one_line(folder: Path, command: Command, spoil: Callable[[Path], None]) -> None:
    spoil(folder)
    code, said = command("report", folder)
    assert (code, one_line(said)) == (2, True), said
