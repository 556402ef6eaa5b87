"""Pages that attack whoever looks at them: script in titles and URLs, links of other schemes, endless titles."""

from __future__ import annotations

import asyncio
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from honeyguide.crawl.session import Session
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.topic import Topic

from .kit import QUICK, Browser, dashboard

SCRIPT = '<script>alert("own")</script>'
START = "https://hostile.example/"
NEXT = "https://hostile.example/%22%3E%3Cscript%3Ealert(1)%3C/script%3E?q='onload='x"
PAGE = f"""<!DOCTYPE html><title>honey &lt;script&gt;alert("own")&lt;/script&gt;
&quot;&gt;&lt;img src=x onerror=alert(1)&gt;'</title>
<p>honey bee &lt;script&gt;alert("text")&lt;/script&gt; <b>bold</b></p>
<a href="{NEXT}">{SCRIPT.replace("<", "&lt;")}</a>
<a href="javascript:alert(1)">javascript honey</a> <a href="data:text/html,x">data</a>
<a href=" jAvAsCrIpT:alert(2)">x</a>
"""
LONG = 10_000_000


class HostileWeb:
    async def fetch(self, request: Request) -> Response | Failure:
        status, body = (404, b"") if request.url.endswith("/robots.txt") else (200, PAGE.encode())
        headers = (("Content-Type", "text/html"),)
        return Response(request.url, status, "", headers, body, body, (("User-Agent", "test"),), started=1.7e9)

    async def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "crawl"
    topic = Topic.make(name="hostile", seeds=[START], keywords=["honey", SCRIPT], fetch=QUICK)
    asyncio.run(Session(topic, folder, fetcher=HostileWeb, workers=0).run())
    return folder


@pytest.fixture(scope="module")
def browser(crawled: Path) -> Iterator[Browser]:
    with dashboard(crawled) as found:
        yield found


def views(browser: Browser) -> Iterator[tuple[str, str]]:
    for path in (
        "/",
        "/pages",
        "/pages?q=honey",
        "/hosts",
        "/host/1",
        "/waiting",
        "/seeds",
        "/map",
        "/page/0",
        "/page/1",
    ):
        answer = browser.get(path)
        assert answer.status == 200, path
        yield path, answer.text
    search = "%3Cscript%3Ealert(1)%3C/script%3E%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E"
    yield "search", browser.get(f"/pages?q={search}").text
    yield "host", browser.get(f"/pages?host={search}").text
    yield "nowhere", browser.get(f"/{search}").text


def test_nothing_of_a_page_becomes_markup(browser: Browser) -> None:
    from selectolax.lexbor import LexborHTMLParser

    for path, text in views(browser):
        tree = LexborHTMLParser(text)
        assert [script.attributes for script in tree.css("script")] == [{"src": "/static/dashboard.js", "defer": ""}], (
            path
        )
        assert not tree.css("img, iframe, object, embed, style, base, meta[http-equiv], b"), path
        for node in tree.css("*"):
            names = {name for name in node.attributes if name.startswith("on") or name in {"style", "srcdoc"}}
            assert not names, (path, node.tag, names)


def test_links_lead_to_the_dashboard_or_to_web_pages_that_learn_nothing(browser: Browser) -> None:
    from selectolax.lexbor import LexborHTMLParser

    seen = set()
    for path, text in views(browser):
        for node in LexborHTMLParser(text).css("[href], [src], [action]"):
            address = node.attributes.get("href") or node.attributes.get("src") or node.attributes.get("action") or ""
            if address.startswith(("http://", "https://")):
                assert {"noreferrer", "noopener"} <= set((node.attributes.get("rel") or "").split()), (path, address)
                seen.add(address)
            else:
                assert re.match(r"/(?!/)|#|data:,$", address), (path, address)
    assert START in seen
    assert any(address.startswith("https://hostile.example/%22%3E") for address in seen)


def test_the_page_view_shows_the_text_as_text(browser: Browser) -> None:
    words = browser.get("/page/0").words
    assert 'alert("text")' in words
    assert "javascript:" not in words


@pytest.fixture
def endless(crawled: Path, tmp_path: Path) -> Path:
    """The crawl with a title, a URL and other texts that no crawl would write."""
    folder = shutil.copytree(crawled, tmp_path / "crawl")
    for old in folder.glob("watch.sqlite*"):
        old.unlink()
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database:
        long = "<b>" + "title " * (LONG // 6)
        database.execute("UPDATE pages SET title = ?, content_type = ?, truncated = ?", (long, long, long))
        database.execute("UPDATE urls SET url = url || ? WHERE id = 1", ("x" * LONG,))
        database.execute("INSERT INTO events (time, kind, url, detail) VALUES (1.7e9, 'start', NULL, ?)", ("[" * LONG,))
        database.execute("INSERT INTO events (time, kind, url, detail) VALUES (1.7e9, 'failed', 1, '{\"kind\": \"x')")
        database.execute("INSERT INTO events (time, kind, url, detail) VALUES (1.7e9, 'host rests', NULL, 'no')")
        database.commit()
    return folder


def test_endless_texts_are_cut(endless: Path) -> None:
    with dashboard(endless) as browser:
        for path in (
            "/",
            "/pages",
            "/pages?q=title",
            "/hosts",
            "/host/1",
            "/waiting",
            "/seeds",
            "/map",
            "/page/0",
            "/page/1",
        ):
            answer = browser.get(path)
            assert answer.status == 200, path
            assert len(answer.text) < 100_000, path
            assert not answer.tree.css("b")


def test_an_endless_search_is_cut(browser: Browser) -> None:
    answer = browser.get("/pages?q=" + "honey+" * 1000)
    assert answer.status == 200
    assert len(answer.text) < 20_000
