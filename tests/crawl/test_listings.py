"""Sitemaps and feeds that sites name: when they are read, what they lead to, and that none of them does harm."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import uvloop

from honeyguide.cli.status import status
from honeyguide.cli.why import why
from honeyguide.crawl.listings import MOST_OF_HOST
from honeyguide.crawl.repair import repair
from honeyguide.demo import DemoWeb
from honeyguide.demo.faulty import listings as wrong
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Response
from honeyguide.store.crawl import Crawl
from honeyguide.store.report import write_report
from honeyguide.store.status import status_of
from honeyguide.strategy.listed import MOST_OFFERED
from honeyguide.strategy.registry import recipes
from honeyguide.topic import Topic

from .kit import PaperWeb, about, answer, check_tables, rows, run, topic, typed

A, B = "http://a.example", "http://b.example"
LISTED = "SELECT url, json_extract(detail, '$.form') FROM events WHERE kind = 'listing'"


def sitemap(*urls: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


def index(*urls: str) -> str:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>"


def robots(host: str, *sitemaps: str) -> Response:
    lines = "".join(f"Sitemap: {url}\n" for url in sitemaps)
    return answer(f"{host}/robots.txt", f"User-agent: *\nDisallow: /closed/\n\n{lines}")


def site(host: str, words: str, count: int = 6) -> dict[str, Any]:
    """Pages about something, each of which leads to the next."""
    pages: dict[str, Any] = {f"{host}/{n}": about(f"{words} {n}", f"/{n + 1}") for n in range(1, count)}
    return {f"{host}/": about(f"{words} home", "/1"), **pages, f"{host}/{count}": about(f"{words} last")}


def both() -> PaperWeb:
    """A host about honey and one about rocks; each has a page that only its sitemap lists."""
    pages = {**site(A, "honey bee"), **site(B, "rock")}
    pages |= {f"{A}/robots.txt": robots(A, f"{A}/map.xml"), f"{B}/robots.txt": robots(B, f"{B}/map.xml")}
    pages |= {f"{A}/map.xml": typed("application/xml", sitemap(f"{A}/1", f"{A}/hidden-honey"))}
    pages |= {f"{B}/map.xml": typed("application/xml", sitemap(f"{B}/hidden-rock"))}
    pages |= {f"{A}/hidden-honey": about("honey bee hidden"), f"{B}/hidden-rock": about("rock hidden")}
    return PaperWeb(pages)


def said_by(capsys: pytest.CaptureFixture[str], command: Callable[..., None], *arguments: Any) -> str:
    capsys.readouterr()
    command(*arguments)
    return capsys.readouterr().out


def wanted(*seeds: str, sitemaps: str = "auto", strategy: str = "best-first", **tables: Any) -> Topic:
    scope = {"sitemaps": sitemaps, **tables.pop("scope", {})}
    return topic(seeds, strategy={"name": strategy}, scope=scope, **tables)


@pytest.mark.parametrize("strategy", ["best-first", "guide"])
def test_a_sitemap_is_read_when_its_site_is_relevant_or_nothing_else_waits(tmp_path: Path, strategy: str) -> None:
    web = both()
    run(wanted(f"{A}/", f"{B}/", strategy=strategy), tmp_path / "auto", lambda: web)
    asked = web.asked_pages
    assert set(asked) == {url for url in web.pages if not url.endswith("robots.txt")}
    assert asked.index(f"{A}/2") < asked.index(f"{A}/map.xml") < asked.index(f"{B}/map.xml")
    assert max(asked.index(f"{B}/{number}") for number in range(1, 7)) < asked.index(f"{B}/map.xml")

    silent = both()
    run(wanted(f"{A}/", f"{B}/", strategy=strategy, sitemaps="never"), tmp_path / "never", lambda: silent)
    assert not {url for url in silent.asked if url.endswith(".xml")}

    eager = both()
    run(wanted(f"{A}/", f"{B}/", strategy=strategy, sitemaps="always"), tmp_path / "always", lambda: eager)
    assert eager.asked_pages.index(f"{B}/map.xml") < eager.asked_pages.index(f"{B}/6")


def test_what_came_of_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "crawl"
    result = run(wanted(f"{A}/", f"{B}/"), folder, both)
    assert result.tally.listed == {"urls": 2, "pages": 2, "relevant": 1}
    assert status_of(folder).listed == {"urls": 2, "pages": 2, "relevant": 1}
    assert "2 URLs, 2 fetched, 1 relevant" in said_by(capsys, status, folder)
    with Crawl.open(folder) as crawl:
        assert "2 URLs, 2 fetched, 1 relevant" in write_report(crawl).read_text()
    said = said_by(capsys, why, folder, f"{A}/hidden-honey")
    assert f"\nfrom the sitemap {A}/map.xml of a.example\n" in said
    assert f"{A}/map.xml\n    listed  promised" in said
    assert "it is a sitemap of 2 URLs (new and followed: 1)" in said_by(capsys, why, folder, f"{A}/map.xml")
    check_tables(folder)


def test_what_waits_says_what_it_waits_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "crawl"
    run(wanted(f"{A}/", f"{B}/", budget={"pages": 4}), folder, both)
    said = said_by(capsys, why, folder, f"{B}/map.xml")
    assert "a sitemap or feed of b.example, named by its robots.txt" in said
    assert "waiting to be read until enough pages of its site are relevant, or nothing better is waiting" in said
    assert "-1000" not in said


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("strategy", ["best-first", "guide"])
def test_a_crawl_in_several_runs_is_the_same(tmp_path: Path, strategy: str, workers: int) -> None:
    topic_ = wanted(f"{A}/", f"{B}/", strategy=strategy)
    whole, parts = both(), both()
    run(topic_, tmp_path / "whole", lambda: whole)
    for pages in (3, 6, 9, 0):
        run(topic_.with_settings(budget={"pages": pages}), tmp_path / "parts", lambda: parts, workers)
    assert parts.asked_pages == whole.asked_pages
    for sql in (LISTED, "SELECT url, parent, depth FROM urls"):
        assert rows(tmp_path / "parts", sql) == rows(tmp_path / "whole", sql)
    assert status_of(tmp_path / "parts").listed == status_of(tmp_path / "whole").listed


def test_repair_and_another_threshold_keep_what_was_listed(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    topic_ = wanted(f"{A}/", f"{B}/", budget={"pages": 10})
    run(topic_, folder, both)
    urls, listed = rows(folder, "SELECT url, depth FROM urls"), rows(folder, LISTED)
    uvloop.run(repair(folder, workers=0))
    assert rows(folder, "SELECT url, depth FROM urls") == urls
    assert rows(folder, LISTED) == listed
    web = both()
    again = run(topic_.with_settings(relevance={"threshold": 0.3}), folder, lambda: web)
    assert web.asked == []
    assert sorted(rows(folder, "SELECT url, depth FROM urls")) == sorted(urls)
    assert again.tally.listed["urls"] == 1
    check_tables(folder)


def test_a_sitemap_lists_its_own_host_unless_another_ones_robots_names_it(tmp_path: Path) -> None:
    own, shared = "http://own.example", "http://maps.example"
    pages = {**site(A, "honey bee"), **site(B, "honey hive")}
    pages |= {f"{A}/robots.txt": robots(A, f"{A}/map.xml", f"{shared}/all.xml")}
    pages |= {f"{B}/robots.txt": robots(B, f"{shared}/all.xml")}
    pages |= {f"{A}/map.xml": typed("text/xml", sitemap(f"{A}/x", f"{B}/not-named", f"{own}/not-named"))}
    pages |= {f"{shared}/all.xml": typed("text/xml", sitemap(f"{A}/y", f"{B}/y", f"{own}/y"))}
    web = PaperWeb(pages | {url: about(f"honey {url}") for url in (f"{A}/x", f"{A}/y", f"{B}/y")})
    result = run(wanted(f"{A}/", f"{B}/"), tmp_path / "crawl", lambda: web)
    assert {f"{A}/x", f"{A}/y", f"{B}/y"} <= set(web.asked)
    assert not {url for url in web.asked if "not-named" in url or url.startswith(own)}
    assert result.tally.refused["host"] == 3


def test_feeds_are_found_in_the_head_of_pages_and_met_as_pages(tmp_path: Path) -> None:
    head = '<link rel="alternate" type="application/atom+xml" href="/atom"><link rel="sitemap" href="/map.txt">'
    home = about("honey home", "/1", "/rss").replace("<title>", f"{head}<title>")
    rss = f"<rss><channel><item><title>About honey</title><link>{B}/post</link></item></channel></rss>"
    pages = site(A, "honey bee", 9) | {f"{A}/": home}
    pages |= {f"{A}/rss": typed("application/rss+xml", rss), f"{B}/post": about("honey post")}
    atom = "<feed><entry><title>Honey</title><link href='/entry'/><summary>bees</summary></entry></feed>"
    pages |= {f"{A}/atom": typed("application/atom+xml", atom), f"{A}/entry": about("honey entry")}
    pages |= {f"{A}/map.txt": typed("text/plain", f"{A}/line\n{A}/1\n"), f"{A}/line": about("honey line")}
    pages |= {f"{A}/other": typed("text/xml", "<data/>")}
    web = PaperWeb(pages)
    folder = tmp_path / "crawl"
    result = run(wanted(f"{A}/"), folder, lambda: web)
    assert {f"{B}/post", f"{A}/entry", f"{A}/line"} <= set(web.asked)
    assert result.tally.pages == 10 + 3  # a listing is no page
    assert {form for _, form in rows(folder, LISTED)} == {"feed", "sitemap"}
    never = PaperWeb(pages)
    refused = run(wanted(f"{A}/", sitemaps="never"), tmp_path / "never", lambda: never).tally.refused
    assert refused["type"] == 1
    assert not {f"{A}/atom", f"{A}/map.txt"} & set(never.asked)


def test_titles_of_a_feed_are_the_words_of_its_links(tmp_path: Path) -> None:
    items = [("rock", "/p1"), ("honey bee hive", "/p2"), ("rock", "/p3")]
    feed = "".join(f"<item><title>{title}</title><link>{path}</link></item>" for title, path in items)
    web = PaperWeb({f"{A}/": about("honey", "/feed"), f"{A}/feed": typed("text/xml", f"<rss>{feed}</rss>")})
    run(wanted(f"{A}/", strategy="guide"), tmp_path / "crawl", lambda: web)
    assert web.asked_pages[2] == f"{A}/p2"


def test_a_site_with_many_sitemaps_is_asked_for_no_more_than_it_earns(tmp_path: Path) -> None:
    maps = {f"{A}/m{n}.xml": typed("text/xml", sitemap(f"{A}/listed-{n}")) for n in range(MOST_OF_HOST + 30)}
    pages = site(A, "honey bee", 12) | {f"{A}/robots.txt": robots(A, f"{A}/all.xml")} | maps
    pages |= {f"{A}/all.xml": typed("text/xml", index(f"{A}/all.xml", *maps))}
    pages |= {f"{A}/listed-{n}": about(f"honey listed {n}") for n in range(200)}
    web = PaperWeb(pages)
    result = run(wanted(f"{A}/", budget={"pages": 12}), tmp_path / "crawl", lambda: web)
    assert len([url for url in web.asked if url.endswith(".xml")]) <= 1 + 12 // 3
    web = PaperWeb(pages)
    result = run(wanted(f"{A}/"), tmp_path / "whole", lambda: web)
    assert len([url for url in web.asked if url.endswith(".xml")]) == MOST_OF_HOST
    assert result.tally.refused["listings"] == len(maps) - MOST_OF_HOST + 1


def test_of_a_long_sitemap_the_best_are_followed(tmp_path: Path) -> None:
    urls = [f"{A}/rock/{number}" for number in range(MOST_OFFERED + 50)]
    urls[-1] = f"{A}/honey-bee"
    body = gzip.compress(sitemap(*urls).encode())
    pages: dict[str, Any] = {f"{A}/": about("honey"), f"{A}/robots.txt": robots(A, f"{A}/map.xml.gz")}
    pages |= {f"{A}/map.xml.gz": typed("application/x-gzip", body), f"{A}/honey-bee": about("honey bee")}
    web = PaperWeb(pages)
    result = run(wanted(f"{A}/", strategy="guide", budget={"pages": 2}), tmp_path / "crawl", lambda: web)
    assert web.asked_pages[2] == f"{A}/honey-bee"
    assert result.tally.refused["listed"] == 50
    assert result.tally.listed["urls"] == MOST_OFFERED


def test_breadth_first_stays_breadth_first(tmp_path: Path) -> None:
    pages: dict[str, Any] = {f"{A}/": about("rock", "/way"), f"{A}/way": about("rock way", "/1", "/2", "/3")}
    pages |= {f"{A}/{number}": about(f"honey bee {number}") for number in (1, 2, 3)}
    pages |= {f"{A}/robots.txt": robots(A, f"{A}/map.xml"), f"{A}/map.xml": typed("text/xml", sitemap(f"{A}/hidden"))}
    web = PaperWeb({**pages, f"{A}/hidden": about("honey bee hidden")})
    run(wanted(f"{A}/", strategy="breadth-first"), tmp_path / "crawl", lambda: web)
    assert web.asked_pages == [f"{A}/{name}" for name in ("", "way", "1", "2", "3", "map.xml", "hidden")]


def test_newer_and_more_important_pages_come_first_among_equals(tmp_path: Path) -> None:
    says = {"c": "<lastmod>2020-01-01</lastmod>", "b": "<lastmod>2024-01-01</lastmod>", "a": "<priority>0.9</priority>"}
    body = f"<urlset>{''.join(f'<url><loc>{A}/{name}</loc>{text}</url>' for name, text in says.items())}</urlset>"
    pages = {f"{A}/": about("honey"), f"{A}/robots.txt": robots(A, f"{A}/map.xml")}
    web = PaperWeb(pages | {f"{A}/map.xml": typed("text/xml", body)})
    run(wanted(f"{A}/", strategy="breadth-first"), tmp_path / "crawl", lambda: web)
    assert web.asked_pages[2:] == [f"{A}/a", f"{A}/b", f"{A}/c"]


def test_they_respect_robots_and_scope_and_lead_through_redirects(tmp_path: Path) -> None:
    pages = site(A, "honey bee", 12)
    pages |= {f"{A}/robots.txt": robots(A, f"{A}/closed/map.xml", f"{A}/moved.xml", "http://deny.example/map.xml")}
    pages |= {f"{A}/moved.xml": answer(f"{A}/moved.xml", "", ("Location", "/new.xml"), status=301)}
    pages |= {f"{A}/new.xml": typed("text/xml", sitemap(f"{A}/found", f"{A}/picture.png", f"{A}/closed/page"))}
    web = PaperWeb(pages | {f"{A}/found": about("honey found")})
    topic_ = wanted(f"{A}/", scope={"deny_domains": ["deny.example"]})
    run(topic_, tmp_path / "crawl", lambda: web)
    assert f"{A}/found" in web.asked
    assert not {url for url in web.asked if "closed" in url or "deny" in url or "png" in url}
    deep = PaperWeb(web.pages)
    run(topic_.with_settings(scope={"max_depth": 1}), tmp_path / "deep", lambda: deep)
    assert not {url for url in deep.asked if url.endswith(".xml")}


@pytest.mark.parametrize("strategy", [name for name, recipe in recipes().items() if recipe.follows])
def test_every_strategy_follows_them(tmp_path: Path, strategy: str) -> None:
    web = both()
    topic_ = wanted(f"{A}/", strategy=strategy, sitemaps="always", relevance={"model": "vsm"})
    run(topic_, tmp_path / "crawl", lambda: web)
    assert f"{A}/map.xml" in web.asked
    assert f"{A}/hidden-honey" in web.asked


def test_wrong_ones_cost_little_and_nothing_is_lost(tmp_path: Path) -> None:
    web, folder = DemoWeb(pages=100, listings=True), tmp_path / "crawl"
    topic_ = wanted(wrong.START, sitemaps="always", budget={"pages": 40})
    result = run(topic_, folder, lambda: DemoFetcher(web, topic_.fetch), workers=1)
    urls = dict(rows(folder, "SELECT url, state FROM urls"))
    assert result.tally.pages == 40
    assert wrong.FOREIGN not in urls
    assert not {url for url in urls if "/i/" in url and int(url.rpartition("/")[2]) >= 50_000}
    listed = {
        url.rpartition("/")[2]: (json.loads(detail)["form"], json.loads(detail)["urls"])
        for url, detail in rows(
            folder, "SELECT urls.url, detail FROM events JOIN urls ON urls.id = events.url WHERE kind = 'listing'"
        )
    }
    assert set(wrong.NAMES) - {"empty.xml", "page.xml"} <= listed.keys()
    assert listed["entities.xml"] == ("sitemap", 2)
    assert listed["bomb.xml.gz"] == ("sitemap", 0)
    assert 2000 < listed["cut.xml.gz"][1] < 5000
    assert listed["itself.xml"] == ("sitemap index", 3)
    assert max(count for _, count in listed.values()) <= 50_000
    assert result.tally.errors == {}
    check_tables(folder)
