"""Fetching single pages: a separate crawl that follows no links, as polite as any other and stored in the same way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvloop

from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.errors import InputError
from honeyguide.fetch.base import Fetcher
from honeyguide.fetch.settings import FetchSettings
from honeyguide.page.settings import UrlSettings
from honeyguide.relevance.base import AcceptAll
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic


@dataclass(frozen=True, slots=True)
class ExamplePage:
    """A page that was requested."""

    url: str
    """Its URL after redirects."""
    body: bytes
    content_type: str


def fetch_pages(
    urls: Sequence[str],
    folder: Path,
    rules: UrlSettings,
    fetch: FetchSettings,
    *,
    fetcher: Callable[[], Fetcher] | None = None,
    run: Callable[[Session], CrawlResult] | None = None,
) -> dict[str, ExamplePage]:
    """Fetch the pages at some canonical URLs. Returns them by URL, without those that cannot be fetched.

    Pages are stored in `folder`; those that it already contains are not fetched again. `run` runs the session; by
    default, it is run without showing progress.
    """
    wanted = Topic.make(
        name=folder.name,
        seeds=urls,
        keywords="examples",
        strategy={"name": "seeds-only"},
        budget={"pages": 0},
        urls=rules,
        fetch=fetch,
    )
    session = Session(wanted, folder, model=AcceptAll(), fetcher=fetcher)
    try:
        (run or _run)(session)
    except InputError as error:
        if error.place != "seeds":
            raise
        raise InputError("examples", error.problem.replace("seeds", "examples"), error.remedy) from None
    with Crawl.open(folder) as crawl:
        pages = {url: crawl.reached(url) for url in urls}
        return {
            url: ExamplePage(page.url, page.stored.body, page.row.content_type)
            for url, page in pages.items()
            if page is not None
        }


def _run(session: Session) -> CrawlResult:
    return uvloop.run(session.run())
