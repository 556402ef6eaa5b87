"""What tests of whole crawls share: a web written on paper, quick topics, and a look at what a crawl left behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import uvloop
from benchmarks.reliability.aftermath import check_archive, check_tables, copied, records, rows, tables
from benchmarks.reliability.crawlers import Crawlers, crawlers_in

from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.fetch.base import Failure, Headers, Request, Response
from honeyguide.topic import Topic

__all__ = [
    "HTML",
    "QUICK",
    "Crawlers",
    "PaperWeb",
    "about",
    "answer",
    "check_archive",
    "check_tables",
    "copied",
    "crawlers_in",
    "html",
    "records",
    "rows",
    "run",
    "tables",
    "topic",
    "typed",
]

HTML: Headers = (("Content-Type", "text/html; charset=utf-8"),)
QUICK = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "backoff": 0.0}


def html(text: str, *links: str) -> str:
    """A page that says something and links somewhere."""
    anchors = "".join(f'<p><a href="{link}">on</a></p>' for link in links)
    return f"<!DOCTYPE html><title>{text[:20]}</title><p>{text}</p>{anchors}"


def about(words: str, *links: str) -> str:
    """A page long enough to have a fingerprint of its own, whose words are `words` and a few of its own."""
    own = " ".join(f"filler{crc32(f'{words} {links} {place}'.encode())}" for place in range(40))
    return html(f"{words} {own}", *links)


class PaperWeb:
    """A fetcher whose web is a mapping from URL to page, answer or failure; what is not in it is 404.

    A value is the HTML of a page, or what a fetcher returns, or a function that makes it of the request and of how
    often the URL was asked for, this time included.
    """

    def __init__(self, pages: Mapping[str, Any]) -> None:
        self.pages = pages
        self.asked: list[str] = []

    @property
    def asked_pages(self) -> list[str]:
        """What was asked for, robots.txt left out, in order."""
        return [url for url in self.asked if not url.endswith("/robots.txt")]

    async def fetch(self, request: Request) -> Response | Failure:
        self.asked.append(request.url)
        found = self.pages.get(request.url, answer(request.url, b"", status=404))
        if callable(found):
            found = found(request, self.asked.count(request.url))
        return answer(request.url, found) if isinstance(found, str | bytes) else found

    async def close(self) -> None:
        pass


def answer(url: str, body: str | bytes, *extra: tuple[str, str], status: int = 200, reason: str = "") -> Response:
    """An answer as it would come from a server."""
    raw = body.encode() if isinstance(body, str) else body
    return Response(url, status, reason, (*HTML, *extra), raw, raw, (("User-Agent", "test"),), started=1.7e9)


def typed(kind: str, body: str | bytes = "") -> Callable[[Request, int], Response]:
    """An answer that is no page by its type, as a fetcher gives it."""

    def respond(request: Request, _time: int) -> Response:
        response = answer(request.url, body if request.reads(kind) else "")
        response.headers = (("Content-Type", kind),)
        response.skipped = "type"
        return response

    return respond


def topic(seeds: list[str] | tuple[str, ...], keywords: str = "honey, bee", **tables: Any) -> Topic:
    """A topic without delays and with one connection, unless the tables say otherwise."""
    fetch = {**QUICK, "connections": 1, **tables.pop("fetch", {})}
    return Topic.make(name="test", seeds=seeds, keywords=keywords, fetch=fetch, **tables)


def run(wanted: Topic, folder: Path, fetcher: Callable[[], Any], workers: int = 0, **options: Any) -> CrawlResult:
    """Crawl, with whatever answers for the web; quicker without workers, and what a test has replaced is in effect."""
    session = Session(wanted, folder, fetcher=fetcher, workers=workers, **options)
    outcome: CrawlResult = uvloop.run(session.run())
    return outcome
