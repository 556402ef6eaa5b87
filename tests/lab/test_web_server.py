"""A virtual web behind a proxy: what a client gets, and a crawl over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import aiohttp
import pytest

from honeyguide.crawl.session import Session
from honeyguide.lab.server import WebServer
from honeyguide.lab.web import VirtualWeb, open_web
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.proxy import ServedRequest
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic

from .warcs import HTML, Record, page, redirect, write

RULES = UrlRules(UrlSettings())
HOME, SAFE, OLD, NEW = "http://a.example/", "https://b.example/", "http://c.example/", "https://c.example/"
LINKS = b"""<title>bees</title><p>All of https://b.example/ about bees, honey and hives:
<a href="https://b.example/">bees</a> <a href = 'HTTPS://c.example/'>hives</a> <a href=https://d.example/>gone</a>"""


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VirtualWeb:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    headers = (*HTML, ("Strict-Transport-Security", "max-age=9"), ("X-Name", "caf\u00e9 \u2615"), ("ETag", '"1"'))
    records = [
        Record(HOME, LINKS, headers=headers),
        page(SAFE, "safe bees and honey"),
        redirect(OLD, "https://c.example/"),  # to its own https, which here would be itself
        page(NEW, "hives of bees"),
        redirect("https://a.example/moved", "https://b.example/"),
        Record("http://a.example/plain", b'"https://b.example/"', headers=(("Content-Type", "text/plain"),)),
    ]
    return open_web([str(write(tmp_path / "w.warc.gz", records))], RULES)


def ask(web: VirtualWeb, urls: Sequence[str], method: str = "GET") -> list[tuple[int, dict[str, str], bytes]]:
    """What a client gets through the proxy."""

    async def whole() -> list[tuple[int, dict[str, str], bytes]]:
        server = WebServer(web, RULES)
        await server.start()
        got = []
        try:
            async with aiohttp.ClientSession() as session:
                for url in urls:
                    async with session.request(method, url, proxy=server.address, allow_redirects=False) as response:
                        headers = {name.lower(): value for name, value in response.headers.items()}
                        got.append((response.status, headers, await response.read()))
        finally:
            await server.stop()
        return got

    return asyncio.run(whole())


def test_links_to_https_are_written_as_http_and_texts_stay(web: VirtualWeb) -> None:
    ((status, headers, body),) = ask(web, [HOME])
    assert status == 200
    assert b'href="http://b.example/"' in body
    assert b"href = 'http://c.example/'" in body
    assert b"href=http://d.example/>" in body
    assert b"All of https://b.example/ about" in body
    assert headers["content-length"] == str(len(body))
    assert headers["etag"] == '"1"'
    assert headers["x-name"] == "caf\u00e9 \u2615"
    assert "strict-transport-security" not in headers


def test_what_is_no_html_is_sent_as_it_is(web: VirtualWeb) -> None:
    ((_, _, body),) = ask(web, ["http://a.example/plain"])
    assert body == b'"https://b.example/"'


def test_pages_of_https_answer_under_http(web: VirtualWeb) -> None:
    (safe, moved, old) = ask(web, ["http://b.example/", "http://a.example/moved", OLD])
    assert b"safe bees" in safe[2]
    assert (moved[0], moved[1]["location"]) == (301, "http://b.example/")
    assert (old[0], b"hives" in old[2]) == (200, True)  # and no redirect to itself


def test_all_else_is_not_found(web: VirtualWeb) -> None:
    urls = ["http://a.example/nothing", "http://nowhere.example/", "http://a.example/robots.txt"]
    assert [status for status, _, _ in ask(web, urls)] == [404, 404, 404]


def test_a_head_has_no_body(web: VirtualWeb) -> None:
    ((status, headers, body),) = ask(web, ["http://b.example/"], "HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) > 0


def test_a_crawl_over_http_gets_what_the_web_has(web: VirtualWeb, tmp_path: Path) -> None:
    log: list[ServedRequest] = []

    async def crawl() -> None:
        server = WebServer(web, RULES, log=log)
        await server.start()
        topic = Topic.make(
            name="bees",
            seeds=[HOME],
            keywords=["bees", "honey"],
            fetch={
                "proxy": server.address,
                "allow_networks": ["127.0.0.0/8"],
                "delay": 0.0,
                "domain_delay": 0.0,
                "ip_delay": 0.0,
                "retries": 0,
            },
        )
        try:
            await Session(topic, tmp_path / "bees", workers=0).run()
        finally:
            await server.stop()

    asyncio.run(crawl())
    with Crawl.open(tmp_path / "bees") as found:
        assert sorted(stored.url for stored in found.pages(relevant=False)) == [HOME, "http://b.example/", OLD]
    visited = {(visit.host, visit.target): visit.status for visit in log}
    assert visited["b.example", "/"] == 200
    assert visited["d.example", "/"] == 404
    assert visited["a.example", "/robots.txt"] == 404
