"""Crawls to read back: one of the demo web for all tests, and small ones of webs that a test writes itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from honeyguide.crawl.session import Session
from honeyguide.demo import DemoFetcher, DemoWeb
from honeyguide.fetch.base import Failure, Fetcher, Request, Response
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic

SUBJECT = "beekeeping"
IMPOLITE = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "backoff": 0.0, "patience": 0.0, "connections": 1}


def run(topic: Topic, folder: Path, fetcher: Callable[[], Fetcher], **more: Any) -> Path:
    asyncio.run(Session(topic, folder, fetcher=fetcher, **more).run())
    return folder


@pytest.fixture(scope="session")
def web() -> DemoWeb:
    return DemoWeb(pages=300)


@pytest.fixture(scope="session")
def demo_folder(web: DemoWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A best-first crawl of a hundred pages that also met the web's bad sides. Not to be changed."""
    topic = Topic.make(
        name="bees",
        seeds=(*web.seeds(SUBJECT), web.faulty_seed),
        keywords=web.keywords(SUBJECT),
        budget={"pages": 100},
        fetch=IMPOLITE,
    )
    return run(topic, tmp_path_factory.mktemp("crawls") / "bees", lambda: DemoFetcher(web))


@pytest.fixture
def demo_crawl(demo_folder: Path) -> Iterator[Crawl]:
    with Crawl.open(demo_folder) as crawl:
        yield crawl


class ScriptedWeb:
    """A `Fetcher` that answers from a table: URL to body, or to body and header. Everything else is 404."""

    def __init__(self, pages: Mapping[str, str | tuple[str, str]]) -> None:
        self._pages = pages

    async def fetch(self, request: Request) -> Response | Failure:
        page = self._pages.get(request.url)
        body, header = (page, "") if isinstance(page, str) else page or ("", "")
        headers = [("Content-Type", "text/html; charset=utf-8")]
        if header:
            name, _, value = header.partition(": ")
            headers.append((name, value))
        return Response(
            url=request.url,
            status=404 if page is None else 200,
            reason="Not Found" if page is None else "OK",
            headers=tuple(headers),
            body=body.encode(),
            raw=body.encode(),
            request_headers=(("User-Agent", "test"),),
            started=time.time(),
        )

    async def close(self) -> None:
        pass


Scripted = Callable[..., Crawl]


@pytest.fixture
def scripted(tmp_path: Path) -> Iterator[Scripted]:
    """Crawls the pages that a test gives, from the first one on, and opens the crawl."""
    opened: list[Crawl] = []

    def crawl(pages: Mapping[str, str | tuple[str, str]], **settings: Any) -> Crawl:
        given = {"keywords": ["honey", "bee"], "fetch": IMPOLITE, **settings}
        topic = Topic.make(name="small", seeds=[next(iter(pages))], **given)
        folder = run(topic, tmp_path / "crawls" / f"small-{len(opened)}", lambda: ScriptedWeb(pages))
        opened.append(Crawl.open(folder))
        return opened[-1]

    yield crawl
    for one in opened:
        one.close()
