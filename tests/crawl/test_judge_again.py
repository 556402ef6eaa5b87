"""A crawl that goes on with another threshold or model: its pages are judged again, and none is fetched again."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import uvloop

from honeyguide.crawl.repair import repair
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.fetch.base import Failure
from honeyguide.page.parse import Page, parse
from honeyguide.relevance import saved
from honeyguide.store.crawl import Crawl
from honeyguide.store.replacement import REPLACEMENT
from honeyguide.topic import Topic

from .kit import PaperWeb, about, answer, check_archive, check_tables, rows, run, topic

HOST = "http://a.example"
ODD = ("/moved", "/gone", "/closed/x", "/broken")
BUDGET = {"pages": 22}
TABLES = {
    "urls": "SELECT * FROM urls ORDER BY id",
    "pages": "SELECT * FROM pages ORDER BY id",
    "readings": "SELECT * FROM readings ORDER BY page",
    "redirects": "SELECT * FROM redirects ORDER BY source",
    "events": "SELECT time, kind, url, detail FROM events WHERE kind NOT IN ('judged', 'start', 'stop') ORDER BY id",
    "robots": "SELECT * FROM robots ORDER BY origin",
    "steering": "SELECT * FROM steering ORDER BY name",
    "meta": "SELECT * FROM meta WHERE key NOT IN ('committed', 'seconds', 'run_seconds') ORDER BY key",
}


def web() -> PaperWeb:
    """Pages more and less about honey, and all that can happen to a URL besides."""
    pages: dict[str, Any] = {
        f"{HOST}/": about("honey bee hive", *(f"/{number}" for number in range(10)), *ODD),
        f"{HOST}/robots.txt": answer(f"{HOST}/robots.txt", "User-agent: *\nDisallow: /closed/"),
        f"{HOST}/moved": answer(f"{HOST}/moved", "", ("Location", "/arrived"), status=301),
        f"{HOST}/arrived": about("honey arrived"),
        f"{HOST}/copy": about("honey honey honey page 1", "/copy", "/b-1"),
        f"{HOST}/hidden": f'<meta name="robots" content="noindex">{about("honey bee hidden")}',
        f"{HOST}/broken": Failure(f"{HOST}/broken", "reset", "reset by peer", transient=True),
        f"{HOST}/map.xml": f"<urlset>{''.join(f'<loc>{HOST}/{name}</loc>' for name in ('s', 't', 'u.pdf'))}</urlset>",
        f"{HOST}/s": about("bee by sitemap"),
        f"{HOST}/t": about("honey by sitemap", "/far"),
    }
    for number in range(10):
        words = " ".join(["honey"] * number + [f"page{number}"] + ["other"] * (10 - number))
        pages[f"{HOST}/{number}"] = about(words, f"/b-{number}", "/copy", "/hidden", "/10")
        pages[f"{HOST}/b-{number}"] = about(f"{'bee' if number % 2 else 'rock'} behind {number}", f"/c-{number}")
    pages[f"{HOST}/10"] = pages[f"{HOST}/9"]  # the same bytes
    return PaperWeb(pages)


def wanted(**tables: Any) -> Topic:
    return topic([f"{HOST}/", f"{HOST}/map.xml"], **{"budget": BUDGET, "scope": {"max_depth": 3}, **tables})


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that is not finished."""
    folder = tmp_path_factory.mktemp("crawled") / "test"
    assert run(wanted(), folder, web).tally.pages == BUDGET["pages"]
    kinds = {kind for (kind,) in rows(folder, "SELECT kind FROM events")}
    assert {"page", "redirect", "failed", "refused", "retry", "listing"} <= kinds
    return folder


@pytest.fixture
def folder(crawled: Path, tmp_path: Path) -> Path:
    return shutil.copytree(crawled, tmp_path / "test")


def tables(folder: Path) -> dict[str, Any]:
    return {name: rows(folder, sql) for name, sql in TABLES.items()}


def again(folder: Path, fetcher: PaperWeb, **changed: Any) -> CrawlResult:
    """Run once more, with other settings and without a larger budget."""
    return run(wanted(**changed), folder, lambda: fetcher)


def relevant(folder: Path) -> set[str]:
    with Crawl.open(folder) as crawl:
        return {page.url for page in crawl.pages()}


def test_a_threshold_changes_what_is_relevant_and_nothing_is_asked_for(folder: Path) -> None:
    before, scores = relevant(folder), dict(rows(folder, "SELECT id, relevance FROM pages"))
    silent = web()
    outcome = again(folder, silent, relevance={"threshold": 0.6})
    assert silent.asked == []
    assert relevant(folder) < before
    assert outcome.tally.relevant == len(relevant(folder))
    assert dict(rows(folder, "SELECT id, relevance FROM pages")) == scores
    assert all(row == (score >= 0.6) for score, row in rows(folder, "SELECT relevance, relevant FROM pages"))
    assert Topic.load(folder / "topic.toml").relevance.threshold == 0.6
    assert saved.load(folder / saved.FOLDER).threshold == 0.6
    assert rows(folder, "SELECT detail FROM events WHERE kind = 'judged'") == [
        ('{"changed": ["relevance.threshold"], "threshold": 0.6}',)
    ]
    assert not (folder / REPLACEMENT).exists()
    check_tables(folder)
    check_archive(folder)
    assert "/hidden" not in str(relevant(folder))


@pytest.mark.parametrize("workers", [0, 1])
def test_there_and_back_again_everything_is_as_it_was(folder: Path, workers: int) -> None:
    """The strategy's state and the priorities, too: they are those of a crawl that was judged so from the beginning."""
    before = tables(folder)
    run(wanted(relevance={"threshold": 0.9}), folder, web, workers=workers)
    assert tables(folder)["steering"] != before["steering"]
    run(wanted(), folder, web)
    assert tables(folder) == before


def test_it_goes_on_as_if_it_had_been_judged_so_from_the_beginning(folder: Path) -> None:
    other, fetched = {"threshold": 0.6}, web()
    more = run(wanted(relevance=other, budget={"pages": 0}), folder, lambda: fetched)
    assert more.stop.kind == "exhausted"
    assert fetched.asked_pages
    done = {url for (url,) in rows(folder, "SELECT url FROM urls WHERE id IN (SELECT id FROM pages WHERE seq < 22)")}
    assert done.isdisjoint(fetched.asked_pages)
    check_tables(folder)
    # And what was rebuilt from the archive agrees with it.
    before = rows(folder, "SELECT url, relevance, relevant FROM pages JOIN urls USING (id) ORDER BY url")
    (folder / "crawl.sqlite").unlink()
    asyncio.run(repair(folder, workers=0))
    assert rows(folder, "SELECT url, relevance, relevant FROM pages JOIN urls USING (id) ORDER BY url") == before


def test_another_model_scores_all_pages(folder: Path) -> None:
    scores = rows(folder, "SELECT relevance FROM pages")
    silent = web()
    outcome = again(folder, silent, relevance={"idf": "known"}, terms={"content": ["rock"]})
    assert silent.asked == []
    assert outcome.tally.pages == len(scores)
    assert rows(folder, "SELECT relevance FROM pages") != scores


def test_a_model_that_learns_from_the_first_pages_learns_from_them_again(tmp_path: Path) -> None:
    learning = {"idf": "crawl"}
    run(wanted(relevance=learning), tmp_path, web)
    before = tables(tmp_path)
    run(wanted(relevance={**learning, "threshold": 0.9}), tmp_path, web)
    run(wanted(relevance=learning), tmp_path, web)
    assert tables(tmp_path) == before


def test_a_crawl_keeps_its_subject(folder: Path) -> None:
    before = tables(folder)
    for changed in ({"keywords": "granite"}, {"strategy": {"name": "breadth-first"}}):
        with pytest.raises(InputError, match="was crawled with other settings for"):
            again(folder, web(), **changed)
    assert tables(folder) == before


# ---- what can go wrong ----


@pytest.fixture
def moments(monkeypatch: pytest.MonkeyPatch, folder: Path, tmp_path: Path) -> Callable[[], list[Path]]:
    """Runs a change of the threshold; what a kill would leave behind, before each renaming and deletion."""
    left: list[Path] = []

    seen: list[set[str]] = []

    def look() -> None:
        names = {str(path.relative_to(folder)) for path in folder.rglob("*")}
        if names not in seen[-1:]:
            seen.append(names)
            left.append(shutil.copytree(folder, tmp_path / f"left-{len(left)}" / "test"))

    def watched(step: Callable[..., Any]) -> Callable[..., Any]:
        def around(*arguments: Any, **options: Any) -> Any:
            look()
            return step(*arguments, **options)

        return around

    def change() -> list[Path]:
        session = Session(wanted(relevance={"threshold": 0.6}), folder, fetcher=web, workers=0)
        session.on_judged = lambda done, _: look() if done == 7 else None
        with monkeypatch.context() as patched:
            patched.setattr(Path, "rename", watched(Path.rename))
            patched.setattr(Path, "replace", watched(Path.replace))
            patched.setattr("honeyguide.store.replacement.shutil.rmtree", watched(shutil.rmtree))
            uvloop.run(session.run())
        return left

    return change


def test_killed_at_any_moment_the_next_run_completes_it(
    moments: Callable[[], list[Path]], folder: Path, tmp_path: Path
) -> None:
    left = moments()
    expected = tables(folder)
    assert sum((place / REPLACEMENT).exists() for place in left) >= 4
    for place in left:
        silent = web()
        again(place, silent, relevance={"threshold": 0.6})
        assert silent.asked == []
        assert tables(place) == expected, place
        assert not list(place.glob(f"{REPLACEMENT}*"))
    # Run with the settings that the folder has, it is all old or all new, and never something in between.
    for place in left:
        topic_now = Topic.load(place / "topic.toml")
        assert saved.load(place / saved.FOLDER).threshold == (topic_now.relevance.threshold or 0.15)


def test_what_was_begun_is_completed_even_by_a_repair(moments: Callable[[], list[Path]], folder: Path) -> None:
    pending = next(place for place in moments() if (place / REPLACEMENT).exists())
    asyncio.run(repair(pending, workers=0))
    assert relevant(pending) == relevant(folder)
    assert not (pending / REPLACEMENT).exists()


def test_stopped_or_failed_in_the_middle_nothing_has_changed(folder: Path) -> None:
    names, before = {path.name for path in folder.iterdir()}, tables(folder)
    session = Session(wanted(relevance={"threshold": 0.6}), folder, fetcher=web, workers=0)
    session.on_judged = lambda done, _: session.request_stop() if done == 5 else None
    outcome = uvloop.run(session.run())
    assert (outcome.stop.kind, outcome.tally.pages) == ("interrupted", BUDGET["pages"])
    archive = folder / "pages-00000.warc.gz"
    whole = archive.read_bytes()
    archive.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(HoneyguideError, match="shorter than when it was written"):
        again(folder, web(), relevance={"threshold": 0.6})
    assert tables(folder) == before
    assert Topic.load(folder / "topic.toml").relevance.threshold == 0.0
    assert {path.name for path in folder.iterdir()} <= names


def test_a_page_that_can_no_longer_be_read_fails_and_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choosy(html: str, url: str, *arguments: Any, **options: Any) -> Page:
        if url == f"{HOST}/9":
            raise ValueError("too much for this model")
        return parse(html, url, *arguments, **options)

    (before,) = rows(folder, "SELECT count(*) FROM pages")
    with monkeypatch.context() as patched:
        patched.setattr("honeyguide.strategy.reading.parse", choosy)
        outcome = again(folder, web(), relevance={"threshold": 0.6}, budget={"pages": before[0] - 1})
    assert outcome.tally.pages == before[0] - 1
    assert (f"{HOST}/9", 3) in rows(folder, "SELECT url, state FROM urls")
    assert "too much for this model" in str(rows(folder, "SELECT detail FROM events WHERE kind = 'failed'"))
    check_tables(folder)


def test_another_program_in_the_database_is_waited_for_or_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.store.connection._PATIENCE", 0.0)
    session = Session(wanted(relevance={"threshold": 0.6}), folder, fetcher=web, workers=0)
    with closing(sqlite3.connect(folder / "crawl.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(HoneyguideError, match="database is locked; end the program that uses it"):
            uvloop.run(session.run())
    assert (folder / REPLACEMENT).is_dir()
    again(folder, web(), relevance={"threshold": 0.6})
    assert not (folder / REPLACEMENT).exists()
    assert saved.load(folder / saved.FOLDER).threshold == 0.6


def test_what_stands_in_the_way_is_not_followed(folder: Path, tmp_path: Path) -> None:
    (folder / REPLACEMENT).symlink_to(tmp_path)
    with pytest.raises(HoneyguideError, match="is not a folder that honeyguide has made"):
        again(folder, web())
    assert tmp_path.is_dir()
