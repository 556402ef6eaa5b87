"""Pages that are visited again: what is asked for, what is recorded, and that nothing is lost."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from honeyguide.crawl import crawler
from honeyguide.crawl.repair import repair
from honeyguide.store.changes import changes_since
from honeyguide.store.crawl import Crawl
from honeyguide.store.export import export
from honeyguide.store.schema import (
    FIRST_TABLES,
    TABLES_WITHOUT_RENDERINGS,
    VERSION,
    WITHOUT_RENDERINGS,
    WITHOUT_VERSIONS,
)
from honeyguide.store.soundness import examine

from .kit import about, check_archive, check_tables, records, rows, topic
from .living import BEGIN, HOST, Killed, Living, LivingWeb, SetClock, pages


@pytest.fixture
def living(tmp_path: Path) -> Living:
    crawl = Living(tmp_path / "test", LivingWeb(pages(), SetClock()))
    assert crawl.crawl().tally.pages == 7
    return crawl


def results(folder: Path) -> dict[str, str]:
    """What the last visit again has found, by page."""
    sql = (
        "SELECT urls.url, detail FROM events JOIN urls ON urls.id = events.url WHERE kind = 'again' ORDER BY events.id"
    )
    return {url.removeprefix(HOST): json.loads(detail)["result"] for url, detail in rows(folder, sql)}


def profiles(folder: Path) -> list[str]:
    found = (record.get("WARC-Profile", "") for file in folder.glob("*.warc.gz") for record in records(file))
    return [profile.rpartition("/")[2] for profile in found if profile]


def test_pages_that_have_not_changed_are_asked_for_by_their_etags_and_not_sent(living: Living) -> None:
    outcome = living.again()
    assert outcome.again is not None
    assert outcome.again.visited == 7
    assert (outcome.again.changed, outcome.again.gone, outcome.again.new) == (0, 0, 0)
    assert all(request.etag for request in living.web.asked if not request.url.endswith("robots.txt"))
    assert set(results(living.folder).values()) == {"same"}
    assert profiles(living.folder) == ["server-not-modified"] * 7
    check_tables(living.folder)
    check_archive(living.folder)


def test_the_same_bytes_are_no_version_but_a_revisit_record(tmp_path: Path) -> None:
    living = Living(tmp_path / "test", LivingWeb(pages(), SetClock(), validators=False))
    living.crawl()
    assert living.again().tally.again == 7
    assert rows(living.folder, "SELECT count(*) FROM versions") == [(0,)]
    assert profiles(living.folder) == ["identical-payload-digest"] * 7
    check_archive(living.folder)


def test_last_modified_is_sent_back(tmp_path: Path) -> None:
    web = LivingWeb(pages(), SetClock(), validators=False)
    date = "Wed, 21 Oct 2015 07:28:00 GMT"
    web.headers = {f"{HOST}/1": (("Last-Modified", date),)}
    living = Living(tmp_path / "test", web)
    living.crawl()
    living.again(3000)
    assert {request.url: request.modified for request in web.asked}[f"{HOST}/1"] == date


def test_a_changed_page_has_a_new_version_and_keeps_the_old_one(living: Living) -> None:
    old = living.web.pages[f"{HOST}/1"]
    living.web.pages[f"{HOST}/1"] = about("honey bee news of today")
    outcome = living.again()
    assert outcome.again is not None
    assert outcome.again.changed == 1
    assert results(living.folder)["/1"] == "changed"
    with Crawl.open(living.folder) as crawl:
        page = crawl.page(f"{HOST}/1")
        assert page is not None
        assert "news of today" in page.full_text
        first, second = crawl.versions(page)
        assert (first.stored.body.decode(), second.stored.body) == (old, page.stored.body)
        assert first.fetched < BEGIN + 100 < second.fetched
        assert crawl.count() == 7
    check_tables(living.folder)
    check_archive(living.folder)
    # And the next time its new ETag is sent.
    living.again()
    assert results(living.folder)["/1"] == "same"


def test_other_bytes_with_the_same_words_are_no_change(living: Living) -> None:
    living.web.pages[f"{HOST}/1"] += "<!-- generated in 0.01 s -->"
    outcome = living.again()
    assert outcome.again is not None
    assert outcome.again.changed == 0
    assert results(living.folder)["/1"] == "touched"
    assert rows(living.folder, "SELECT count(*) FROM versions") == [(1,)]


def test_a_page_that_is_gone_is_recorded_and_its_text_stays(living: Living) -> None:
    del living.web.pages[f"{HOST}/2"]
    living.web.statuses[f"{HOST}/3"] = 410
    outcome = living.again()
    assert outcome.again is not None
    assert outcome.again.gone == 2
    with Crawl.open(living.folder) as crawl:
        page = crawl.page(f"{HOST}/2")
        assert page is not None
        assert "article 2" in page.full_text
    # It is looked for again after a week, and longer each time; and when it is back, it is there as before.
    living.again(6)
    assert f"{HOST}/2" not in living.web.asked_pages
    living.web.pages[f"{HOST}/2"] = pages()[f"{HOST}/2"]
    living.again(2)
    assert f"{HOST}/2" in living.web.asked_pages
    assert results(living.folder)["/2"] == "same"


def test_new_links_are_followed_and_what_waited_before_is_not(tmp_path: Path) -> None:
    living = Living(tmp_path / "test", LivingWeb(pages(), SetClock()))
    assert living.crawl(tables={"budget": {"pages": 3}}).tally.pages == 3
    waiting = rows(living.folder, "SELECT count(*) FROM urls WHERE state = 0")
    living.web.pages[f"{HOST}/"] = about("honey bee front", "/hub", "/1", "/2", "/new")
    living.web.pages[f"{HOST}/new"] = about("honey bee new", "/newer")
    living.web.pages[f"{HOST}/newer"] = about("honey bee newer")
    outcome = living.again(tables={"budget": {"pages": 100}})
    assert outcome.again is not None
    assert (outcome.again.visited, outcome.again.new) == (3, 2)
    assert outcome.stop.kind == "exhausted"
    assert rows(living.folder, "SELECT count(*) FROM urls WHERE state = 0") == waiting
    # An ordinary run then goes on with what waits.
    assert living.crawl().tally.pages == 9


def test_the_budget_of_a_run_counts_visits_and_new_pages_together(living: Living) -> None:
    outcome = living.again(tables={"budget": {"pages": 4}})
    assert outcome.stop.kind == "pages"
    assert len(living.web.asked_pages) == 4
    # The next run goes on with the others.
    before = set(living.web.asked_pages)
    living.again(0.001, tables={"budget": {"pages": 3}})
    assert not before & set(living.web.asked_pages)


def test_a_run_shares_its_requests_between_new_and_old(living: Living) -> None:
    links = [f"/n{number}" for number in range(40)]
    living.web.pages[f"{HOST}/"] = about("honey bee front", "/hub", *links)
    living.web.pages.update({f"{HOST}{link}": about(f"honey bee new {link}") for link in links})
    tables = {"revisit": {"chance": 0.0, "always": True, "share": 0.25}, "budget": {"pages": 19}}
    living.web.clock.time += 30 * 86_400
    living.web.pages[f"{HOST}/seed"] = about("honey seed", *(f"/s{number}" for number in range(40)))
    living.web.pages.update({f"{HOST}/s{number}": about(f"honey bee s {number}") for number in range(40)})
    living.web.asked.clear()
    living.make = lambda **more: topic([f"{HOST}/", f"{HOST}/seed"], **more)
    outcome = living.crawl(tables=tables)
    assert outcome.again is not None
    assert outcome.again.visited + outcome.again.new == 12
    assert 3 <= outcome.again.visited <= 4


def test_a_failure_leaves_the_page_as_it_was_and_it_is_tried_again_later(living: Living) -> None:
    living.web.failing.add(f"{HOST}/1")
    living.web.statuses[f"{HOST}/2"] = 500
    living.again()
    assert {name: results(living.folder)[name] for name in ("/1", "/2")} == {"/1": "failed", "/2": "failed"}
    assert rows(living.folder, "SELECT count(*) FROM urls WHERE state = 2") == [(7,)]
    living.web.failing.clear()
    living.web.statuses.clear()
    living.again(0.5)
    assert not {f"{HOST}/1", f"{HOST}/2"} & set(living.web.asked_pages)
    living.again(1)
    assert {f"{HOST}/1", f"{HOST}/2"} <= set(living.web.asked_pages)


def test_robots_txt_is_asked_for_again_and_obeyed(living: Living) -> None:
    living.web.pages[f"{HOST}/robots.txt"] = "User-agent: *\nDisallow: /1"
    living.again()
    asked = [request.url for request in living.web.asked]
    assert asked.count(f"{HOST}/robots.txt") == 1
    assert f"{HOST}/1" not in asked
    assert results(living.folder)["/1"] == "refused"
    with Crawl.open(living.folder) as crawl:
        assert crawl.page(f"{HOST}/1") is not None


def test_a_page_that_moves_is_followed_to_where_it_is(living: Living) -> None:
    living.web.statuses[f"{HOST}/1"] = 301
    living.web.headers[f"{HOST}/1"] = (("Location", "/one"),)
    living.web.pages[f"{HOST}/one"] = about("honey bee one")
    outcome = living.again()
    assert outcome.again is not None
    assert outcome.again.new == 1
    assert results(living.folder)["/1"] == "moved"
    with Crawl.open(living.folder) as crawl:
        gone = [change for change in changes_since(crawl, living.web.clock.time - 1) if change.kind == "gone"]
    assert [(change.url, change.target) for change in gone] == [(f"{HOST}/1", "/one")]


def test_a_copy_becomes_an_original_when_its_original_changes(tmp_path: Path) -> None:
    web = LivingWeb(pages(), SetClock(), validators=False)
    web.pages[f"{HOST}/2"] = web.pages[f"{HOST}/1"]
    living = Living(tmp_path / "test", web)
    assert living.crawl().tally.duplicates == 1
    old = web.pages[f"{HOST}/1"]
    web.pages[f"{HOST}/1"] = about("honey bee something else entirely")
    outcome = living.again()
    assert (outcome.tally.duplicates, outcome.tally.relevant) == (0, 7)
    with Crawl.open(living.folder) as crawl:
        page = crawl.page(f"{HOST}/2")
        assert page is not None
        assert page.stored.body.decode() == old  # though its record refers to the old version of the other page
        assert page.duplicate_of == ""
        assert export(crawl, "warc", tmp_path / "out.warc.gz") == 7
    assert len([one for one in records(tmp_path / "out.warc.gz") if one["WARC-Type"] == "response"]) == 7
    assert all(finding.sound for finding in examine(living.folder, full=True))
    check_tables(living.folder)
    check_archive(living.folder)
    # Back to what it was: its payload is there already.
    web.pages[f"{HOST}/1"] = old
    outcome = living.again()
    assert (outcome.tally.duplicates, outcome.tally.relevant) == (1, 6)
    with Crawl.open(living.folder) as crawl:
        page = crawl.page(f"{HOST}/1")
        assert page is not None
        assert page.stored.body.decode() == old
        assert [version.stored.body.decode() for version in crawl.versions(page)][::2] == [old, old]
    check_tables(living.folder)
    check_archive(living.folder)


def state(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """What a repair, or judging pages once more, must not change."""
    by_url = "SELECT urls.url, {} FROM {} JOIN urls ON urls.id = {} ORDER BY 1, 2"
    columns = "digest, title, words, links, relevance, relevant, warc_file, warc_offset, warc_length, round(fetched, 3)"
    return {
        "pages": rows(folder, by_url.format(f"{columns}, duplicate_of IS NULL", "pages", "pages.id")),
        "versions": rows(folder, by_url.format(f"round(replaced, 3), {columns}", "versions", "versions.id")),
        "validators": rows(folder, by_url.format("etag, modified", "validators", "page")),
        "again": rows(
            folder, by_url.format("round(events.time, 3), detail", "events", "events.url AND kind = 'again'")
        ),
        "meta": rows(
            folder, "SELECT * FROM meta WHERE key IN ('pages', 'relevant', 'again', 'changed', 'gone', 'size')"
        ),
    }


@pytest.fixture
def changed(living: Living) -> Living:
    """With some of everything that can happen to a page."""
    living.web.pages[f"{HOST}/1"] = about("honey bee news of today")
    living.web.pages[f"{HOST}/hub"] = about("honey bee hub", "/3", "/4", "/5", "/6")
    living.web.pages[f"{HOST}/6"] = about("honey bee article 6")
    del living.web.pages[f"{HOST}/2"]
    living.again()
    living.web.pages[f"{HOST}/1"] = pages()[f"{HOST}/1"]
    living.again()
    return living


def test_a_repair_finds_all_versions(changed: Living) -> None:
    before = state(changed.folder)
    assert len(before["versions"]) == 3
    (changed.folder / "crawl.sqlite").unlink()
    asyncio.run(repair(changed.folder, workers=0))
    assert state(changed.folder) == before
    check_tables(changed.folder)
    check_archive(changed.folder)
    # And it goes on from there.
    outcome = changed.again()
    assert outcome.again is not None
    assert outcome.again.changed == 0


def test_pages_that_are_judged_again_keep_their_versions(changed: Living) -> None:
    before = state(changed.folder)
    changed.crawl(tables={"relevance": {"threshold": 0.01}})
    assert state(changed.folder)["versions"] == before["versions"]
    assert state(changed.folder)["again"] == before["again"]
    assert state(changed.folder)["validators"] == before["validators"]
    with Crawl.open(changed.folder) as crawl:
        page = crawl.page(f"{HOST}/1")
        assert page is not None
        assert ["news of today" in version.full_text for version in crawl.versions(page)] == [False, True, False]


def test_what_is_new_changed_and_gone(changed: Living) -> None:
    with Crawl.open(changed.folder) as crawl:
        found = [(one.kind, one.url.removeprefix(HOST)) for one in changes_since(crawl, BEGIN + 86_400)]
        assert sorted(found) == [("changed", "/1"), ("changed", "/hub"), ("gone", "/2"), ("new", "/6")]
        late = changes_since(crawl, BEGIN + 31 * 86_400)
        (change,) = [one for one in late if one.kind != "gone"]
        assert (change.kind, change.url) == ("changed", f"{HOST}/1")
        assert change.before is not None
        assert change.before["title"] == "honey bee news of to"


@pytest.mark.parametrize("version", [WITHOUT_RENDERINGS, WITHOUT_VERSIONS])
def test_an_older_crawl_can_be_read_and_is_brought_up_to_date_when_it_is_run(living: Living, version: int) -> None:
    path = living.folder / "crawl.sqlite"
    now = path.rename(path.with_name("now.sqlite"))
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES_WITHOUT_RENDERINGS if version == WITHOUT_RENDERINGS else FIRST_TABLES)
        connection.execute("ATTACH ? AS now", (str(now),))
        for table in ("meta", "urls", "pages", "readings", "redirects", "events", "robots", "hosts", "steering"):
            columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
            connection.execute(f"INSERT INTO main.{table} SELECT {columns} FROM now.{table}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("DELETE FROM meta WHERE key IN ('again', 'changed', 'gone')")
        connection.commit()
    with Crawl.open(living.folder) as crawl:
        page = crawl.page(f"{HOST}/1")
        assert page is not None
        assert len(crawl.versions(page)) == 1
        assert list(changes_since(crawl, living.web.clock.time)) == []
    assert rows(living.folder, "PRAGMA user_version") == [(version,)]
    assert living.again().tally.again == 7
    assert not any(request.etag for request in living.web.asked)
    assert rows(living.folder, "PRAGMA user_version") == [(VERSION,)]
    check_archive(living.folder)


def test_a_run_that_is_killed_loses_nothing_and_visits_nothing_twice(
    living: Living, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by kill -9: everything after the last commit is gone, whatever was under way."""
    links = [f"/n{number}" for number in range(5)]
    living.web.pages[f"{HOST}/"] = about("honey bee front", "/hub", *links)
    living.web.pages.update({f"{HOST}{link}": about(f"honey bee new {link}") for link in links})
    monkeypatch.setattr(crawler, "COMMIT_EVERY", 0.0)
    done: list[str] = []
    for runs in range(20):
        living.web.dies_at = 4
        with suppress(Killed):
            living.again(0.0 if runs else 30.0)
            break
        seen = [url for (url,) in rows(living.folder, "SELECT url FROM events WHERE kind IN ('page', 'again')")]
        assert seen[: len(done)] == done
        done = seen
    assert 2 < runs < 19
    assert len(rows(living.folder, "SELECT DISTINCT url FROM events WHERE kind = 'again'")) == 7
    assert rows(living.folder, "SELECT count(*) FROM events WHERE kind = 'again'") == [(7,)]
    assert rows(living.folder, "SELECT count(*) FROM pages") == [(12,)]
    assert rows(living.folder, "SELECT count(*) FROM urls WHERE state <> 2") == [(0,)]
    check_tables(living.folder)
    check_archive(living.folder)
