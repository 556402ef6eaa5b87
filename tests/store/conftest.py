"""Crawls to read back: one of the demo web for all tests, and small ones of webs that a test writes itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb, faults
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic

BAD_SIDES = ("status-404", "status-410", "redirect-chain", "robots-disallow-refused", "meta-nofollow", "encoding-gzip")
IMPOLITE = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "backoff": 0.0, "patience": 0.0, "connections": 1}


@pytest.fixture(scope="session")
def web() -> DemoWeb:
    return DemoWeb(pages=300)


@pytest.fixture(scope="session")
def subject() -> str:
    return "beekeeping"


@pytest.fixture(scope="session")
def crawl_demo(web: DemoWeb, subject: str) -> Callable[..., Path]:
    """Crawls the demo web for the subject into a folder: `fetch` and other settings as a topic takes them."""

    def crawl(
        folder: Path, pages: int, *, run: Mapping[str, Any] | None = None, fetch: Any = None, **more: Any
    ) -> Path:
        settings = {"seeds": web.seeds(subject), "keywords": web.keywords(subject), **more}
        topic = Topic.make(name="bees", budget={"pages": pages}, fetch={**IMPOLITE, **(fetch or {})}, **settings)
        session = Session(topic, folder, fetcher=lambda: DemoFetcher(web, topic.fetch), workers=0, **(run or {}))
        asyncio.run(session.run())
        return folder

    return crawl


@pytest.fixture(scope="session")
def demo_folder(
    crawl_demo: Callable[..., Path], web: DemoWeb, subject: str, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A crawl of a hundred pages that also met some of the web's bad sides. Not to be changed."""
    bad = [fault.url for fault in faults() if fault.name in BAD_SIDES]
    return crawl_demo(tmp_path_factory.mktemp("crawls") / "bees", 100, seeds=(*web.seeds(subject), *bad))


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


@pytest.fixture
def scripted(tmp_path: Path) -> Iterator[Callable[..., Crawl]]:
    """Crawls the pages that a test gives, from the first one on unless it names seeds, and opens the crawl."""
    opened: list[Crawl] = []

    def crawl(pages: Mapping[str, str | tuple[str, str]], **settings: Any) -> Crawl:
        given = {"keywords": ["honey", "bee"], "fetch": IMPOLITE, "seeds": list(pages)[:1], **settings}
        folder = tmp_path / "crawls" / f"small-{len(opened)}"
        asyncio.run(
            Session(Topic.make(name="small", **given), folder, fetcher=lambda: ScriptedWeb(pages), workers=0).run()
        )
        opened.append(Crawl.open(folder))
        return opened[-1]

    yield crawl
    for one in opened:
        one.close()
