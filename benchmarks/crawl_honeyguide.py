"""Honeyguide under measurement: ``python -m benchmarks.crawl_honeyguide WEB FOLDER PAGES WARM_UP CONNECTIONS``."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import uvloop

from benchmarks.meter import Meter
from benchmarks.web import ROBOTS, RenderedWeb
from honeyguide.crawl.session import Session
from honeyguide.fetch.base import Failure, Request, Response


class MemoryFetcher:
    """Answers from memory at once: leaves both cores to the crawler."""

    def __init__(self, web: RenderedWeb) -> None:
        self._pages = web.pages

    async def fetch(self, request: Request) -> Response | Failure:
        """As `Fetcher.fetch`."""
        url = request.url
        body, kind = (ROBOTS, "plain") if url.endswith("/robots.txt") else (self._pages[url], "html")
        headers = (
            ("Server", "pages"),
            ("Content-Type", f"text/{kind}; charset=utf-8"),
            ("Content-Length", str(len(body))),
        )
        return Response(url, 200, "OK", headers, body, body, (("User-Agent", "benchmark"),), started=time.time())

    async def close(self) -> None:
        """As `Fetcher.close`."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("web", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("pages", type=int)
    parser.add_argument("warm_up", type=int)
    parser.add_argument("connections", type=int)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--in-memory", action="store_true", help="no server: the pages are in this process")
    options = parser.parse_args()
    web = RenderedWeb.load(options.web)
    topic = web.topic(options.pages, options.connections)
    meter = Meter(options.pages, options.warm_up)
    fetcher = (lambda: MemoryFetcher(web)) if options.in_memory else None
    session = Session(topic, options.folder, workers=options.workers, fetcher=fetcher, on_page=lambda _: meter.page())
    outcome = uvloop.run(session.run())
    assert not outcome.tally.errors, outcome.tally.errors
    meter.report(options.folder)


if __name__ == "__main__":
    main()
