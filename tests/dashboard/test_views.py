"""What the views show: the figures of the crawl, every page, host and seed, and nothing that leads nowhere."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from honeyguide.crawl.explain import explain_url
from honeyguide.dashboard.reader_process import ReaderProcess
from honeyguide.dashboard.status import curve_of, status_of
from honeyguide.demo import DemoWeb
from honeyguide.document.words import size
from honeyguide.store.crawl import Crawl
from honeyguide.store.report.statistics import survey

from .kit import SUBJECT, Browser, crawl_demo, dashboard, demo_topic, opened


def figures(browser: Browser) -> dict[str, str]:
    tree = browser.get("/").tree
    names = [node.text() for node in tree.css(".figures dt")]
    return dict(zip(names, [node.text() for node in tree.css(".figures dd")], strict=True))


def test_the_figures_are_those_of_the_crawl(browser: Browser, folder: Path, web: DemoWeb) -> None:
    shown = figures(browser)
    with Crawl.open(folder) as crawl:
        done, meta, states = survey(crawl), crawl.meta, crawl.states
        targets = set(web.relevant_urls(SUBJECT))
        hits = sum(page.url in targets for page in crawl.pages(relevant=False))
    assert shown["pages fetched"] == "150"
    assert shown["relevant"] == str(done.found)
    assert shown["harvest overall"] == f"{done.found / 150:.1%}"
    last = done.curve[-1].recent
    assert last is not None
    assert shown["harvest at the end"] == f"{last / 100:.1%}"
    assert shown[f"recall of {len(targets)} targets"] == f"{hits / len(targets):.1%}"
    assert shown["received per relevant page"] == size(meta["size"] / done.found)
    assert shown["URLs waiting"] == f"{sum(states[state] for state in list(states)[:2]):,}"
    assert shown["URLs failed"] == str(list(states.values())[3])
    words = browser.get("/").words
    assert "Ended: The budget of 150 pages is used up." in words
    for title in ("Harvest over pages", "Pages over time", "Recall over pages", "Pages as they come", "Best hosts"):
        assert title in words


def test_the_curve_is_that_of_the_report(folder: Path) -> None:
    with opened(folder) as source, Crawl.open(folder) as crawl:
        mine = [point[:3] for point in curve_of(source)]
        assert mine == [(point.pages, point.found, point.recent) for point in survey(crawl).curve]
        seconds = [point.seconds for point in curve_of(source)]
        assert seconds == sorted(seconds)
        assert 0 <= seconds[-1] <= crawl.meta["seconds"] + 1


def test_pauses_between_runs_are_no_time_of_crawling(web: DemoWeb, tmp_path: Path) -> None:
    for pages in (20, 40):
        crawl_demo(web, tmp_path / "bees", demo_topic(web, pages))
        _later(tmp_path / "bees", 5000.0 if pages == 20 else 0.0)
    with opened(tmp_path / "bees") as source:
        assert source.one("SELECT count(*) FROM milestones WHERE kind = 'start'") == (2,)
        assert curve_of(source)[-1].seconds < 100


def _later(folder: Path, seconds: float) -> None:
    """Put back everything that has happened."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database:
        database.execute("UPDATE events SET time = time - ?", (seconds,))
        database.execute("UPDATE pages SET fetched = fetched - ?", (seconds,))
        database.commit()


def test_every_link_within_the_dashboard_leads_somewhere(browser: Browser) -> None:
    ahead, seen = ["/"], {"/"}
    pages = 0
    while ahead:
        path = ahead.pop()
        answer = browser.get(path)
        assert answer.status == 200, path
        for node in answer.tree.css("a[href]"):
            link = (node.attributes["href"] or "").partition("#")[0]
            is_page = link.startswith("/page/")
            pages += is_page and link not in seen
            if link.startswith("/") and link not in seen and not (is_page and pages > 5) and "after=" not in link:
                seen.add(link)
                ahead.append(link)
    assert len(seen) > 50
    kinds = {re.sub(r"\d+|\?.*", "", path) for path in seen}
    assert kinds == {"/", "/pages", "/page/", "/hosts", "/host/", "/waiting", "/seeds", "/map"}


def test_the_parts_of_a_list_are_linked(browser: Browser) -> None:
    path, titles = "/pages?order=best", 0
    while path:
        tree = browser.get(path).tree
        titles += len(tree.css(".rows li"))
        following = tree.css_first("a[rel=next]")
        path = (following.attributes["href"] or "") if following else ""
    assert titles == 150


def test_a_page_is_shown_with_its_blocks_scores_and_ways(browser: Browser, folder: Path) -> None:
    with Crawl.open(folder) as crawl:
        page = next(one for one in crawl.pages(best_first=True) if one.depth > 1)
        text = page.page.text
        parent = crawl.page(page.parent)
        evidence = explain_url(crawl, page.url)
        links = page.page.links.url
    answer = browser.get(f"/page/{page.row.id}")
    words = answer.words
    assert page.title in words
    shown = " ".join(" ".join(node.text(separator=" ").split()) for node in answer.tree.css(".block"))
    for line in text.split("\n"):
        assert line in shown
    assert len(answer.tree.css(".block .score")) == len(answer.tree.css(".block")) > 1
    assert f"promised {page.row.priority:.3f}" in words
    assert parent is not None
    assert answer.tree.css_first(f".path a[href='/page/{parent.row.id}']") is not None
    for name, part in evidence[:3]:
        assert name in words
        assert f"{part:+.3f}" in words
    hrefs = {node.attributes["href"] for node in answer.tree.css("a[href]")}
    assert hrefs >= set(links) - {page.url}


def test_what_a_page_led_to(browser: Browser, folder: Path) -> None:
    with Crawl.open(folder) as crawl:
        ((parent, count, done, found),) = crawl.query(
            "SELECT u.parent, count(*), sum(u.state = 2), sum(coalesce(p.relevant, 0)) FROM urls AS u "
            "LEFT JOIN pages AS p USING (id) WHERE u.parent >= 0 GROUP BY 1 ORDER BY 2 DESC LIMIT 1"
        )
    words = browser.get(f"/page/{parent}").words
    assert f"{count} URLs were first found here; {done} fetched, {found} of them relevant" in words


def test_a_page_that_the_archive_has_lost_is_still_shown(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "bees")
    (copy / "pages-00000.warc.gz").unlink()
    with dashboard(copy) as browser:
        answer = browser.get("/page/0")
    assert answer.status == 200
    assert "The page cannot be read again" in answer.words
    assert "How it was reached" in answer.words


def test_the_seeds_and_what_became_of_them(browser: Browser, folder: Path) -> None:
    with Crawl.open(folder) as crawl:
        seeds = crawl.topic.seeds
    answer = browser.get("/seeds")
    shown = [node.text() for node in answer.tree.css(".rows .title")]
    assert shown == list(seeds)
    assert "status 404 Not Found" in answer.words
    assert "disallowed by robots.txt" in answer.words
    assert "read: " in answer.words


def test_what_waits(browser: Browser, folder: Path) -> None:
    with Crawl.open(folder) as crawl:
        ((best, count),) = crawl.query("SELECT max(priority), count(*) FROM urls WHERE state <= 1")
    answer = browser.get("/waiting")
    assert f"{count:,} URLs wait" in answer.words
    assert f"{best:.3f}" in answer.words
    assert len(answer.tree.css("svg.plot rect.found")) == 20
    bars = [
        int(re.findall(r"([\d,]+) URLs", node.text())[0].replace(",", ""))
        for node in answer.tree.css("rect.found title")
    ]
    assert sum(bars) == count


def test_hosts_with_their_errors(browser: Browser, folder: Path) -> None:
    with opened(folder) as source:
        host, name = source.one("SELECT id, name FROM hosts WHERE failed > 0 ORDER BY failed DESC LIMIT 1")
    words = browser.get(f"/host/{host}").words
    assert name in words
    assert "status 404" in words
    assert "What went wrong last" in words
    assert name in browser.get("/hosts?order=failed").words


def test_the_map(browser: Browser, folder: Path) -> None:
    answer = browser.get("/map")
    assert answer.text == browser.get("/map").text
    with opened(folder) as source:
        ((sites,),) = source.query("SELECT count(*) FROM sites WHERE pages > 0")
    assert len(answer.tree.css("svg.map circle")) == min(sites, 60)
    assert answer.tree.css("svg.map line.road")


def test_a_crawl_that_runs_is_said_to_run(folder: Path, tmp_path: Path) -> None:
    from honeyguide.store.folder import lock_folder

    copy = shutil.copytree(folder, tmp_path / "bees")
    with opened(copy) as source:
        assert not status_of(source).is_running
        lock = lock_folder(copy)
        try:
            assert status_of(source).is_running
        finally:
            import os

            os.close(lock)


def test_an_empty_crawl_has_all_views(tmp_path: Path, web: DemoWeb) -> None:
    from honeyguide.relevance import saved
    from honeyguide.relevance.models import make_model
    from honeyguide.store.database import Database
    from honeyguide.store.folder import CrawlFolder
    from honeyguide.topic.material import material_of

    topic = demo_topic(web, 10)
    own = CrawlFolder(tmp_path / "new", topic)
    own.settle_in()
    own.leave()
    saved.save(make_model(material_of(topic)), tmp_path / "new" / saved.FOLDER)
    Database(tmp_path / "new" / "crawl.sqlite").close()
    with dashboard(tmp_path / "new") as browser:
        for path in ("/", "/pages", "/hosts", "/waiting", "/seeds", "/map"):
            assert browser.get(path).status == 200, path
        assert "It has not begun to fetch pages." in browser.get("/").words


def test_a_page_that_takes_too_long_to_read_costs_only_its_view(folder: Path) -> None:
    import asyncio

    from honeyguide.crawl.worker_process import ReadingLimits
    from honeyguide.errors import HoneyguideError

    async def ask() -> tuple[str, object]:
        process = ReaderProcess(folder, ReadingLimits(seconds=0.0001))
        try:
            try:
                await process.ask("read", 0)
                said = ""
            except HoneyguideError as error:
                said = str(error)
            process._limits = ReadingLimits()
            return said, await process.ask("read", 0)
        finally:
            await process.close()

    said, reading = asyncio.run(ask())
    assert "took longer" in said
    assert getattr(reading, "blocks", None)
