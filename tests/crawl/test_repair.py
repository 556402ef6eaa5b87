"""`honeyguide repair`: the database is rebuilt from the archive, and the crawl goes on as if nothing had happened."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import uvloop

from honeyguide.cli.main import main
from honeyguide.crawl.repair import RepairResult, repair
from honeyguide.demo import DemoWeb, faults
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.store.archive import Archive, file_name
from honeyguide.store.command_effects import read_effects
from honeyguide.store.commands import Command
from honeyguide.store.crawl import Crawl
from honeyguide.store.inbox import send
from honeyguide.teaching.labels import read_labels
from honeyguide.topic import Topic

from . import test_lessons as school
from .kit import PaperWeb, about, answer, check_archive, check_tables, rows, run, topic

A = "http://a.example"
B = "http://b.example"

PAGES = (
    "SELECT url, seq, status, content_type, size, title, language, words, links, relevance, relevant, pages.priority, "
    "signature, duplicate_of, digest, same_as, truncated, warc_file, warc_offset, warc_length, round(fetched, 3) "
    "FROM pages JOIN urls USING (id) ORDER BY seq"
)
URLS = "SELECT * FROM urls ORDER BY id"
REST = ("SELECT * FROM redirects", "SELECT * FROM readings", "SELECT origin, status, body FROM robots")
LEARNT = "SELECT * FROM steering"
COUNTS = (
    "SELECT key, value FROM meta WHERE key NOT IN ('seconds', 'run_seconds', 'committed', 'stop', 'stop_text') "
    "ORDER BY key"
)


def rebuilt(folder: Path) -> RepairResult:
    return uvloop.run(repair(folder, workers=0))


def everything(folder: Path) -> dict[str, list[Any]]:
    return {sql: rows(folder, sql) for sql in (PAGES, URLS, *REST, LEARNT, COUNTS)}


def busy_once(request: Request, times: int) -> Response:
    if times == 1:
        return answer(request.url, "", status=503, reason="Busy")
    return answer(request.url, about("honey again"))


WEB = {
    f"{A}/robots.txt": "User-agent: *\nDisallow: /private",
    f"{B}/robots.txt": answer(f"{B}/robots.txt", "", ("Location", f"{A}/rules"), status=301),
    f"{A}/rules": "User-agent: *\nDisallow:",
    f"{A}/": about("honey bee", "/moved", "/missing", "/busy", "/copy", f"{B}/"),
    f"{A}/moved": answer(f"{A}/moved", "", ("Location", "/target"), status=302),
    f"{A}/target": about("bee bee"),
    f"{A}/busy": busy_once,
    f"{A}/copy": about("honey bee", "/moved", "/missing", "/busy", "/copy", f"{B}/"),
    f"{B}/": about("wax", f"{A}/target"),
}


def crawl_paper(folder: Path, **tables: Any) -> PaperWeb:
    web = PaperWeb(WEB)
    run(topic([f"{A}/"], **tables), folder, lambda: web)
    return web


@pytest.mark.parametrize("strategy", ["guide", "breadth-first", "opic"])
def test_what_was_answered_comes_back(tmp_path: Path, strategy: str) -> None:
    folder = tmp_path / "crawl"
    crawl_paper(folder, strategy={"name": strategy})
    before = everything(folder)
    (folder / "crawl.sqlite").unlink()
    found = rebuilt(folder)
    assert everything(folder) == before
    assert (found.files, found.lost, found.set_aside) == (1, 0, None)
    assert crawl_paper(folder, strategy={"name": strategy}).asked == []
    check_tables(folder)
    check_archive(folder)


def test_what_was_never_answered_waits_again(tmp_path: Path) -> None:
    lost = Failure(f"{A}/lost", "dns", "no such name", transient=False)
    web = {**WEB, f"{A}/": about("honey bee", "/private/x", "/lost"), f"{A}/lost": lost}
    wanted, folder, first, again = topic([f"{A}/"]), tmp_path / "crawl", PaperWeb(web), PaperWeb(web)
    run(wanted, folder, lambda: first)
    before = everything(folder)
    (folder / "crawl.sqlite").unlink()
    rebuilt(folder)
    waiting = "SELECT url FROM urls WHERE state = 0 ORDER BY id"
    assert rows(folder, waiting) == [(f"{A}/private/x",), (f"{A}/lost",)]
    run(wanted, folder, lambda: again)
    assert again.asked_pages == [f"{A}/lost"]
    assert [everything(folder)[sql] for sql in (PAGES, URLS, *REST)] == [before[sql] for sql in (PAGES, URLS, *REST)]
    check_tables(folder)


def test_a_demo_crawl_with_its_bad_sides_comes_back(tmp_path: Path) -> None:
    web, subject = DemoWeb(pages=300, page_kb=1.0), "beekeeping"
    bad = [fault.url for fault in faults() if fault.name in {"status-404", "redirect-chain", "encoding-gzip"}]
    seeds, keywords = [*web.seeds(subject), *bad], ", ".join(web.keywords(subject))
    wanted = topic(seeds, keywords, budget={"pages": 30})
    folder = tmp_path / "crawl"
    run(wanted, folder, lambda: DemoFetcher(web, wanted.fetch))
    before = everything(folder)
    (folder / "crawl.sqlite").unlink()
    rebuilt(folder)
    assert everything(folder)[PAGES] == before[PAGES]
    states = "SELECT url, state, parent, depth FROM urls WHERE state = 2 ORDER BY id"
    assert rows(folder, states) == [row[1:2] + row[3:6] for row in before[URLS] if row[3] == 2]
    check_tables(folder)
    ended = run(
        topic(wanted.seeds, ", ".join(web.keywords(subject)), budget={"pages": 35}), folder, lambda: DemoFetcher(web)
    )
    assert ended.tally.pages == 35
    check_tables(folder)
    check_archive(folder)


def told_crawl(folder: Path) -> None:
    """A crawl that was told something in its first run."""
    run(topic([f"{A}/"], "honey", budget={"pages": 1}), folder, lambda: PaperWeb(WEB))
    for words in ("block b.example", "keywords wax", f"seed {A}/target", "budget pages=2", f"label {A}/ no"):
        name, *arguments = words.split()
        send(folder, Command(name, tuple(arguments)), by="test")
    run(topic([f"{A}/"], "honey", budget={"pages": 1}), folder, lambda: PaperWeb(WEB))


@pytest.mark.parametrize("is_readable", [True, False])
def test_what_the_crawl_was_told_stays(tmp_path: Path, is_readable: bool) -> None:
    told_crawl(tmp_path)
    before = read_effects(tmp_path)
    assert (before.blocked, before.keywords) == (("b.example",), ("wax",))
    if is_readable:
        (tmp_path / "told.json").unlink()
    else:
        (tmp_path / "crawl.sqlite").unlink()
    rebuilt(tmp_path)
    assert read_effects(tmp_path) == before
    assert [one.relevant for one in read_labels(tmp_path).values()] == [False]
    assert rows(tmp_path, "SELECT value FROM meta WHERE key = 'lesson_open'") == [(2,)]
    web = PaperWeb(WEB)
    wanted = topic([f"{A}/"], "honey", budget={"pages": 1})
    outcome = run(wanted, tmp_path, lambda: web)
    assert outcome.tally.pages == 2  # as it was told
    assert not [url for url in web.asked if url.startswith(B)]
    kept = Topic.load(tmp_path / "topic.toml")
    assert (kept.keywords, kept.budget.pages) == (("honey", "wax"), 2)
    assert f"{A}/target" in kept.seeds
    send(tmp_path, Command("budget", ("pages=0",)), by="test")
    run(wanted, tmp_path, lambda: web)
    assert not [url for url in web.asked if url.startswith(B)]
    assert "blocked" in str(rows(tmp_path, "SELECT value FROM meta WHERE key = 'refused'"))
    check_tables(tmp_path)


def test_after_a_repair_told_keywords_and_labels_are_learnt_again(tmp_path: Path) -> None:
    school.crawl(tmp_path, len(school.FETCHED))
    school.tell(tmp_path, "keywords", "hive, queen, nectar")
    school.crawl(tmp_path, len(school.FETCHED) + 1, lessons=1)
    before = school.relevances(tmp_path)
    (tmp_path / "crawl.sqlite").unlink()
    rebuilt(tmp_path)
    assert school.relevances(tmp_path) != before
    school.crawl(tmp_path, len(school.FETCHED) + 2, lessons=1)
    after = school.relevances(tmp_path)
    assert {url: after[url] for url in before} == pytest.approx(before)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"blocked": [1]}', '{"seeds": ["x"]}', '{"other": []}'])
def test_a_copy_that_says_something_else_is_refused(tmp_path: Path, text: str) -> None:
    crawl_paper(tmp_path)
    (tmp_path / "crawl.sqlite").unlink()
    (tmp_path / "told.json").write_text(text)
    with pytest.raises(InputError, match=r"told\.json: is not a valid record of commands"):
        rebuilt(tmp_path)
    assert not (tmp_path / "crawl.sqlite").exists()


def test_what_is_left_over_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    crawl_paper(folder)
    before = everything(folder)[PAGES]
    database, archive = folder / "crawl.sqlite", folder / file_name(0)
    kept = {database.name: database.read_bytes()[:5000], archive.name: archive.read_bytes()}
    database.write_bytes(kept[database.name])
    with archive.open("ab") as file:
        file.write(kept[archive.name][:100])  # the beginning of a record
    found = rebuilt(folder)
    assert found.set_aside == folder / "crawl.sqlite.set-aside-1"
    assert found.set_aside.read_bytes() == kept[database.name]
    assert archive.read_bytes() == kept[archive.name]
    assert everything(folder)[PAGES] == before
    names = {path.name for path in folder.iterdir()}
    assert f"{file_name(0)}.set-aside-1" in names
    assert not any(name.endswith(".part") for name in names)


def test_what_is_damaged_in_the_archive_costs_itself_alone(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    crawl_paper(folder)
    ((offset, length),) = rows(
        folder, "SELECT warc_offset, warc_length FROM pages JOIN urls USING (id) WHERE url = ?", f"{A}/target"
    )
    damaged = bytearray((folder / file_name(0)).read_bytes())
    damaged[offset + 20 : offset + length - 20] = bytes(length - 40)
    (folder / file_name(0)).write_bytes(damaged)
    pages = {url for (url,) in rows(folder, "SELECT url FROM pages JOIN urls USING (id)")}
    (folder / "crawl.sqlite").unlink()
    found = rebuilt(folder)
    assert found.lost == 1
    assert {url for (url,) in rows(folder, "SELECT url FROM pages JOIN urls USING (id)")} == pages - {f"{A}/target"}
    web = PaperWeb(WEB)
    run(topic([f"{A}/"]), folder, lambda: web)
    assert web.asked_pages == [f"{A}/target"]
    with Crawl.open(folder) as crawl:
        assert all(page.text for page in crawl.pages(relevant=False))


def test_without_an_archive_or_a_topic_there_is_nothing_to_repair(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not contain the archive of a crawl"):
        rebuilt(tmp_path)
    folder = tmp_path / "crawl"
    crawl_paper(folder)
    (folder / "topic.toml").unlink()
    with pytest.raises(InputError, match=r"there is no file .*topic\.toml"):
        rebuilt(folder)


# ---- nothing that may be data is destroyed ----


def emptied(folder: Path) -> None:
    (folder / "crawl.sqlite").write_bytes(b"")


def deleted(folder: Path) -> None:
    (folder / "crawl.sqlite").unlink()


def overwritten(folder: Path) -> None:
    (folder / "crawl.sqlite").write_bytes(b"something else " * 1000)


def torn(folder: Path) -> None:
    data = bytearray((folder / "crawl.sqlite").read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    (folder / "crawl.sqlite").write_bytes(data)


def from_a_backup(folder: Path) -> None:
    """A database from before the last page."""
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database, database:
        database.execute(
            "UPDATE meta SET value = (SELECT warc_offset FROM pages ORDER BY seq DESC) WHERE key = 'warc_end'"
        )


def read_all(folder: Path) -> None:
    with Crawl.open(folder) as crawl:
        for page in crawl.pages(relevant=False):
            assert page.text


@pytest.mark.parametrize("damage", [emptied, deleted, overwritten, torn, from_a_backup])
def test_a_crawl_that_lost_its_database_stops_with_the_remedy(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    folder = tmp_path / "crawl"
    crawl_paper(folder)
    before = everything(folder)[PAGES]
    damage(folder)
    there = {path.name: path.read_bytes() for path in folder.glob("pages-*")}
    with pytest.raises(HoneyguideError, match=f"honeyguide repair {folder}$"):
        crawl_paper(folder)
    assert {path.name: path.read_bytes() for path in folder.glob("pages-*")} == there
    rebuilt(folder)
    assert everything(folder)[PAGES] == before
    assert crawl_paper(folder).asked_pages == []


@pytest.mark.parametrize("damage", [emptied, deleted, overwritten, torn])
def test_so_does_reading_it(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    folder = tmp_path / "crawl"
    crawl_paper(folder)
    damage(folder)
    with pytest.raises(HoneyguideError, match=f"honeyguide repair {folder}$"):
        read_all(folder)


def test_bytes_that_are_no_record_are_set_aside(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    crawl_paper(folder)
    archive = folder / file_name(0)
    before = archive.read_bytes()
    archive.write_bytes(before + b"notes of the owner")
    (folder / file_name(7)).write_bytes(b"of another crawl")
    crawl_paper(folder)
    assert archive.read_bytes() == before
    assert (folder / f"{file_name(0)}.set-aside-1").read_bytes() == b"notes of the owner"
    assert (folder / f"{file_name(7)}.set-aside-1").read_bytes() == b"of another crawl"


def test_what_an_interrupted_run_left_behind_is_cut(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    crawl_paper(folder)
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database, database:
        database.execute("UPDATE meta SET value = '' WHERE key = 'stop'")
    archive = folder / file_name(0)
    before = archive.read_bytes()
    tail = Archive(folder, 0, len(before))
    tail.write(answer(f"{A}/late", about("honey")), bytes(20))
    tail.close()
    crawl_paper(folder)
    assert archive.read_bytes() == before
    check_archive(folder)


def test_work_of_an_hour_is_not_what_an_interrupted_run_left_behind(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    crawl_paper(folder)
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database, database:
        database.execute("UPDATE meta SET value = '' WHERE key = 'stop'")
        database.execute("UPDATE meta SET value = ? WHERE key = 'committed'", (1.7e9 - 3600,))
    archive = folder / file_name(0)
    tail = Archive(folder, 0, archive.stat().st_size)
    tail.write(answer(f"{A}/late", about("honey")), bytes(20))
    tail.close()
    before = archive.read_bytes()
    with pytest.raises(HoneyguideError, match=r"responses that crawl.sqlite does not know of; .*honeyguide repair"):
        crawl_paper(folder)
    assert archive.read_bytes() == before
    assert rebuilt(folder).tally.pages == 6


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "crawl"
    crawl_paper(folder)
    emptied(folder)
    asked = [["report", folder], ["repair", folder], ["report", folder], ["export", folder], ["why", folder, f"{B}/"]]
    codes = []
    for arguments in asked:
        monkeypatch.setattr(sys, "argv", ["honeyguide", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        codes.append(ended.value.code)
    assert codes == [1, 0, 0, 0, 0]
    said = capsys.readouterr()
    assert "crawl.sqlite: is empty; restore the file, or rebuild it from the archive: honeyguide repair" in said.err
    assert "5 pages, 2 relevant, and 7 URLs rebuilt from 1 WARC file" in said.out
    assert f"the database that was there is now {folder}/crawl.sqlite.set-aside-1" in said.out
