"""What `why`, `urls`, the summary and the report say of URLs: fetched, failed, refused, waiting, dropped."""

from __future__ import annotations

import gzip
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
import uvloop

from honeyguide.cli.main import main
from honeyguide.cli.run import summarise
from honeyguide.cli.why import why
from honeyguide.crawl.repair import repair
from honeyguide.crawl.session import CrawlResult
from honeyguide.errors import InputError
from honeyguide.fetch.base import Request, Response
from honeyguide.store.crawl import Crawl
from honeyguide.store.report import write_report
from honeyguide.store.url_list import STATES, count_urls

from .kit import PaperWeb, about, answer, check_tables, rows, run, topic, typed

HOME = "http://a.example/"
OUTSIDE = "http://deny.example/"
DATE = r"on \d+ \w+ \d{4}, \d\d:\d\d UTC"

MENU = (
    *(f"{HOME}{name}" for name in ("hidden", "paper.zip", "copy", "later", "forbidden-later", "x/x/x/x/x")),
    *(f"{OUTSIDE}{number}" for number in range(5)),
)
FRONT = about("honey bee", *MENU) + '<a rel="nofollow" href="/paid">ad</a>'


def moved(to: str) -> Callable[[Request, int], Response]:
    return lambda request, _time: answer(request.url, "", ("Location", to), status=302)


WEB: dict[str, Any] = {
    f"{HOME}robots.txt": "User-agent: *\nDisallow: /forbidden",
    HOME: FRONT,
    f"{HOME}copy": FRONT,
    f"{HOME}doc": typed("application/zip"),
    f"{HOME}round": moved("/and-round"),
    f"{HOME}and-round": moved("/round"),
    f"{HOME}old": moved(HOME),
    f"{HOME}deep": about("wax", f"{HOME}deeper"),
    f"{HOME}deeper": about("more wax", f"{HOME}deepest"),
    f"{HOME}away": about("comb", f"{HOME}leaves"),
    f"{HOME}leaves": moved(f"{OUTSIDE}inn"),
}
# What leads to "leaves" and "deeper" comes first, so that these have their turn; the links of the front page have not.
SEEDS = [f"{HOME}{name}" for name in ("away", "deep", "nowhere", "forbidden", "doc", "round", "old", "", "copy")]


class Said(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> CrawlResult:
    """A crawl that stops before some of its URLs have their turn."""
    wanted = topic(
        SEEDS,
        scope={"deny_domains": ["deny.example"], "max_depth": 1},
        budget={"pages": 5},
        strategy={"name": "breadth-first"},
    )
    return run(wanted, tmp_path_factory.mktemp("crawls") / "bees", lambda: PaperWeb(WEB))


@pytest.fixture
def honeyguide(
    crawled: CrawlResult, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """Runs a command on the crawl."""

    def command(name: str, *arguments: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["honeyguide", name, str(crawled.folder), *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        code = left.value.code
        return Said(code if isinstance(code, int) else 0, *capfd.readouterr())

    return command


Command = Callable[..., Said]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("a.example/nowhere", rf"failed {DATE}: status 404 Not Found\n"),
        ("http://a.example/forbidden", rf"refused {DATE}: disallowed by robots.txt\n"),
        ("a.example/doc", rf"refused {DATE}: its content type, application/zip, is not one of those that are read"),
        ("a.example/round", rf"answered {DATE}: it redirects to {HOME}and-round \(status 302\)\n.* redirect loop"),
        ("a.example/old", rf"answered {DATE}: it redirects to {HOME} \(status 302\)\nthere, {HOME} is done\n"),
        ("a.example/leaves", rf"it redirects to {OUTSIDE}inn, which is not followed: outside the domains of the scope"),
        ("a.example", rf"seed .*relevance 0\.\d+  {HOME}\n\nfetched {DATE} \(status 200, text/html, .*\): relevant\n"),
        ("a.example/copy", rf"a duplicate, which is not counted: it has exactly the same content as {HOME}\n"),
        (
            "a.example/later",
            r"waiting to be fetched, with a promise of .*\nnumber \d of \d of all waiting URLs, number \d of",
        ),
        ("a.example/later", r"held back: the crawl has ended: the budget of 5 pages is used up\n"),
        ("a.example/forbidden-later", r"held back: robots.txt disallows it: it will be refused when its turn comes\n"),
        # met, but none of the crawl's URLs
        (
            "a.example/paper.zip",
            rf"found, but not followed: not a page, by its file type .*\n{HOME}(copy)? links to it",
        ),
        ("http://a.example/paid", r"found, but not followed: marked nofollow by the page\n"),
        ("a.example/x/x/x/x/x", r"found, but not followed: repeated path segments, as in a crawler trap"),
        ("deny.example/3", r"found, but not followed: outside the domains of the scope"),
        ("a.example/deepest", rf"found, but not followed: too many links from a seed .*\n{HOME}deeper links to it\n"),
        ("deny.example/inn", rf"found, but not followed: outside the domains of .*\n{HOME}leaves redirects to it\n"),
    ],
)
def test_why_says_what_became_of_a_url_and_why(honeyguide: Command, url: str, said: str) -> None:
    code, out, err = honeyguide("why", url)
    assert (code, err) == (0, "")
    assert re.search(said, out), out


def test_which_links_of_a_page_were_dropped_is_counted_by_reason(honeyguide: Command) -> None:
    out = honeyguide("why", HOME).out
    assert "\n4 of its links were followed, 8 were not:\n" in out
    links = [f"{'':>12}{OUTSIDE}{number}\n" for number in range(5)]
    head = "         5  outside the domains of the scope (scope.allow_domains, deny_domains)\n"
    assert f"{head}{''.join(links[:3])}{'':>12}and 2 more; --all lists them\n" in out
    assert f"         1  marked nofollow by the page\n{'':>12}{HOME}paid\n" in out
    assert f"{head}{''.join(links)}" in honeyguide("why", HOME, "--all").out


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (
            "https://a.example/later/",
            f"nor among the links not followed on 3 pages; did you mean {HOME}later?",
        ),
        ("http://b.example/", "3 pages; check its spelling, or continue the crawl"),
        (f"{OUTSIDE}9", "it would not be followed: outside the domains of the scope"),
        ("mailto:bees@a.example", "is not an address on the web; write it as https://"),
    ],
)
def test_a_url_that_was_not_met(honeyguide: Command, url: str, said: str) -> None:
    code, out, err = honeyguide("why", url)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_urls_are_listed_by_state_and_reason(honeyguide: Command) -> None:
    assert honeyguide("urls", "--state", "failed").out == f"404       {HOME}nowhere  status 404 Not Found\n"
    refused = honeyguide("urls", "--state", "refused").out.splitlines()
    assert [line.split()[:2] for line in refused] == [["robots", f"{HOME}forbidden"], ["type", f"{HOME}doc"]]
    only = honeyguide("urls", "--state", "refused", "--reason", "type").out
    assert only.startswith(f"type      {HOME}doc  its content type, application/zip")
    done = honeyguide("urls", "--state", "done", "--reason", "domain").out
    assert done.startswith(f"domain    {HOME}leaves  it redirects to {OUTSIDE}inn")
    waiting = honeyguide("urls", "--state", "waiting").out.splitlines()
    assert {line.split()[1] for line in waiting} >= {f"{HOME}later", f"{HOME}forbidden-later"}
    assert len(honeyguide("urls", "--state", "waiting", "--most", "1").out.splitlines()) == 1
    counts = honeyguide("urls").out
    assert re.search(r"^failed +1\n  404 +1  status 404 Not Found\n", counts, re.MULTILINE)
    assert honeyguide("urls", "--state", "failed", "--reason", "dns") == (
        2,
        "",
        "honeyguide: --reason: no URL is failed because of 'dns'; reasons in this crawl: 404\n",
    )
    assert "choose waiting, done, failed or refused" in honeyguide("urls", "--state", "lost").err


def test_the_summary_and_the_report_name_the_seeds_without_a_page(
    crawled: CrawlResult, honeyguide: Command, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bad = {seed.url: seed.text for seed in crawled.seeds if seed.is_bad}
    assert list(bad) == [f"{HOME}{name}" for name in ("nowhere", "forbidden", "doc", "round")]
    summarise(crawled)
    out = capfd.readouterr().out
    assert [f"seed {url}: {text}" for url, text in bad.items() if f"seed {url}: {text}\n" not in out] == []
    assert "1 URL failed: status 404 (1)\n" in out
    assert f"honeyguide urls {crawled.folder} --state failed\n" in out
    honeyguide("report", "-o", str(tmp_path / "report.html"))
    report = (tmp_path / "report.html").read_text()
    head = 'data-head="What happened" class="text"'
    assert [url for url, text in bad.items() if f"<td>{url}</td><td {head}>{text}</td>" not in report] == []


def test_a_seed_that_waits_is_no_bad_seed_unless_it_failed_before(tmp_path: Path) -> None:
    web = PaperWeb({f"{HOME}later": answer(f"{HOME}later", "", status=503), f"{HOME}fine": about("honey bee")})
    wanted = topic([f"{HOME}later", f"{HOME}fine", f"{HOME}never"], budget={"pages": 1}, fetch={"backoff": 50.0})
    (seed,) = run(wanted, tmp_path / "crawl", lambda: web).seeds
    said = "attempt 1 failed: status 503 Service Unavailable; the next run will try it again"
    assert (seed.url, seed.is_bad, seed.text) == (f"{HOME}later", True, said)


def test_what_holds_a_url_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    busy = answer("http://b.example/", "", ("Retry-After", "3600"), status=503)
    web = {
        HOME: about("honey bee", f"{HOME}next"),
        "http://b.example/": busy,
        "http://c.example/robots.txt": answer("http://c.example/robots.txt", "", status=500),
        "http://d.example/robots.txt": "User-agent: *\nCrawl-delay: 2",
    }
    seeds = [HOME, "http://b.example/", "http://c.example/", "http://d.example/"]
    wanted = topic(seeds, scope={"pages_per_host": 1}, fetch={"patience": 0.0})
    folder = run(wanted, tmp_path / "crawl", lambda: PaperWeb(web)).folder
    for url, said in {
        f"{HOME}next": ("its host has had as many pages as a host may have: 1 (scope.pages_per_host)",),
        "b.example": ("its host is not contacted before ", ": Retry-After", "attempt 1 failed: status 503"),
        "c.example": ("the robots.txt of its host could not be fetched (status 500)",),
        "d.example": ("its host wants 2 s between two requests (Crawl-delay)",),
    }.items():
        why(folder, url)
        out = capsys.readouterr().out
        assert [each for each in said if each not in out] == [], out


def test_the_place_of_a_url_among_equals_is_the_strategys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    links = [f"{HOME}{number}" for number in range(5)]
    for ties, places in (("first", [1, 2, 3, 4, 5]), ("last", [5, 4, 3, 2, 1])):
        wanted = topic(
            [HOME], strategy={"name": f"genre(ties={ties})"}, relevance={"model": "vsm"}, budget={"pages": 1}
        )
        folder = run(wanted, tmp_path / ties, lambda: PaperWeb({HOME: about("stone", *links)})).folder
        for url, place in zip(links, places, strict=True):
            why(folder, url)
            assert f"number {place} of 5 of all waiting URLs, number {place} of 5 on its" in capsys.readouterr().out


def test_a_crawl_by_cash_says_how_important_a_page_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # home hands 1 on: a and b have 1/2 each. a, which has no links, hands its half to b, the only one that waits. Of
    # history and cash, 1 + 1/2 + 1, home has 0.4, a 0.2 and b 0.4.
    web = {HOME: about("honey", f"{HOME}a", f"{HOME}b"), f"{HOME}a": about("bee"), f"{HOME}b": about("bee hive")}
    wanted = topic([HOME], strategy={"name": "opic(n=1, dangling=spread)"}, budget={"pages": 2})
    folder = run(wanted, tmp_path / "crawl", lambda: PaperWeb(web)).folder
    for url, said in ((HOME, "0.4000"), (f"{HOME}a", "0.2000"), (f"{HOME}b", "0.4000")):
        why(folder, url)
        assert f"importance by links {said} (of all pages together: 1)" in capsys.readouterr().out


def test_a_folder_of_somebody_else_does_no_harm(crawled: CrawlResult, tmp_path: Path) -> None:
    folder = shutil.copytree(crawled.folder, tmp_path / "copy")
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database, database:
        database.execute("UPDATE events SET detail = '[1]'")
        database.execute("INSERT INTO events SELECT NULL, 1.0, 'listing', 0, '{\"first\": \"x\"}'")
        database.execute('UPDATE readings SET left_out = \'{"domain": [], "type": 1}\'')
        database.execute("INSERT INTO hosts VALUES ('a.example', 1e300)")
    for url in (HOME, f"{HOME}later", f"{HOME}nowhere", f"{HOME}round"):
        why(folder, url)
    with pytest.raises(InputError):
        why(folder, f"{HOME}unknown")
    with Crawl.open(folder) as opened:
        assert all(count_urls(opened, state) for state in STATES)
        write_report(opened)


# ---- sitemaps and feeds ----

POSTS = "http://b.example/posts/"
LISTS: dict[str, Any] = {
    f"{HOME}index.xml": typed(
        "application/xml",
        f"<sitemapindex><sitemap><loc>{HOME}1.xml.gz</loc></sitemap><sitemap><loc>/index.xml</loc></sitemap>"
        f"<sitemap><loc>{OUTSIDE}2.xml</loc></sitemap></sitemapindex>",
    ),
    f"{HOME}1.xml.gz": moved("/2.xml.gz"),
    f"{HOME}2.xml.gz": typed(
        "application/octet-stream",
        gzip.compress(f"<urlset><loc>{HOME}page</loc><loc>{HOME}picture.png</loc><loc>/other</loc></urlset>".encode()),
    ),
    f"{HOME}feed": typed("application/rss+xml", f"<rss><item><link>{POSTS}1</link></item></rss>"),
    f"{HOME}feed.html": f"<?xml version='1.0'?><feed><entry><link href='{POSTS}2'/></entry></feed>",
    f"{HOME}data.xml": typed("text/xml", "<data><loc>http://a.example/no</loc></data>"),
    f"{HOME}page": about("honey bee", f"{HOME}linked.xml"),
    f"{HOME}other": about("honey comb", f"{HOME}linked"),
    f"{HOME}linked": typed("application/xml", "<data/>"),
    f"{POSTS}1": about("honey post"),
    f"{POSTS}2": about("bee post"),
}


def test_a_sitemap_or_feed_among_the_seeds_is_followed(tmp_path: Path) -> None:
    folder, web = tmp_path / "crawl", PaperWeb(LISTS)
    wanted = topic(
        [f"{HOME}{name}" for name in ("index.xml", "feed", "feed.html", "data.xml")],
        scope={"deny_domains": ["deny.example"]},
    )
    first = run(wanted.with_settings(budget={"pages": 1}), folder, lambda: web)
    assert [(seed.url.removeprefix(HOME), seed.is_bad) for seed in first.seeds][:2] == [
        ("index.xml", False),
        ("feed", False),
    ]
    result = run(wanted, folder, lambda: web)  # a second run knows what may be a sitemap, too
    pages = {f"{HOME}page", f"{HOME}other", f"{POSTS}1", f"{POSTS}2"}
    lists = {f"{HOME}{name}" for name in ("index.xml", "1.xml.gz", "2.xml.gz", "feed", "feed.html", "data.xml")}
    assert sorted(web.asked_pages) == sorted(pages | lists | {f"{HOME}linked"})
    assert result.tally.pages == len(pages)
    assert result.tally.refused == {"type": 4, "domain": 1}  # picture.png, linked.xml, data.xml, linked; 2.xml
    assert {seed.url: seed.text for seed in result.seeds} == {
        f"{HOME}index.xml": "it is a sitemap index of 3 URLs (followed like seeds: 1)",
        f"{HOME}feed": "it is a feed of 1 URL (followed like seeds: 1)",
        f"{HOME}feed.html": "it is a feed of 1 URL (followed like seeds: 1)",
        f"{HOME}data.xml": "its content type, text/xml, is not one of those that are read (fetch.types)",
    }
    check_tables(folder)
    before = rows(folder, "SELECT url, parent, depth FROM urls")
    uvloop.run(repair(folder, workers=0))
    assert rows(folder, "SELECT url, parent, depth FROM urls") == before
    check_tables(folder)


def test_sitemaps_of_sitemaps_come_to_an_end(tmp_path: Path) -> None:
    def respond(request: Request, _time: int) -> Response:
        deeper = "".join(f"<loc>{request.url}{number}/</loc>" for number in range(3))
        return typed("text/xml", f"<sitemapindex>{deeper}</sitemapindex>")(request, 1)

    class Endless(dict[str, Any]):
        def get(self, url: str, default: Any = None) -> Any:
            return default if url.endswith("robots.txt") else respond

    result = run(topic([HOME]), tmp_path / "crawl", lambda: PaperWeb(Endless()))
    assert (result.tally.pages, result.tally.refused) == (0, {"listings": 27})
    with pytest.raises(typer.Exit) as left:
        summarise(result)
    assert left.value.exit_code == 1
