"""A web on paper that changes, and a clock that a test sets."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha1
from pathlib import Path
from time import monotonic
from typing import Any

from honeyguide.crawl.again.revisits import RevisitOptions
from honeyguide.crawl.clock import Clock
from honeyguide.crawl.session import CrawlResult
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.topic import Topic

from .kit import HTML, about, run, topic

HOST = "http://a.example"
DAY = 86_400.0
BEGIN = 1.7e9


class SetClock(Clock):
    """Goes on like any other, and jumps when a test lets it."""

    def __init__(self) -> None:
        self._ahead = BEGIN - monotonic()

    @property
    def time(self) -> float:
        return self._ahead + monotonic()

    @time.setter
    def time(self, time: float) -> None:
        self._ahead = time - monotonic()

    def now(self) -> float:
        return self.time


class Killed(BaseException):
    """Ends a run at once, and lets it save nothing."""


class LivingWeb:
    """A fetcher whose pages can be replaced, and which answers conditional requests by their ETags."""

    def __init__(self, pages: dict[str, str], clock: SetClock, *, validators: bool = True) -> None:
        self.pages = pages
        self.clock = clock
        self.validators = validators
        self.statuses: dict[str, int] = {}
        self.headers: dict[str, tuple[tuple[str, str], ...]] = {}
        self.asked: list[Request] = []
        self.failing: set[str] = set()
        self.dies_at = 0

    @property
    def asked_pages(self) -> list[str]:
        return [one.url for one in self.asked if not one.url.endswith("/robots.txt")]

    async def fetch(self, request: Request) -> Response | Failure:
        self.asked.append(request)
        if len(self.asked) == self.dies_at:
            raise Killed
        url = request.url
        if url in self.failing:
            return Failure(url, "connect", "refused", transient=False, started=self.clock.time)
        body = self.pages.get(url, "").encode()
        status = self.statuses.get(url, 200 if url in self.pages else 404)
        etag = f'"{sha1(body).hexdigest()[:8]}"'
        headers = (*HTML, *self.headers.get(url, ()))
        if self.validators and status == 200:
            headers += (("ETag", etag),)
            if request.etag == etag:
                status, body = 304, b""
        return Response(url, status, "", headers, body, body, (), started=self.clock.time)

    async def close(self) -> None:
        pass


def pages() -> dict[str, str]:
    """A front page, a hub and some articles, which all are about honey."""
    return {
        f"{HOST}/": about("honey bee front", "/hub", "/1", "/2"),
        f"{HOST}/hub": about("honey bee hub", "/3", "/4", "/5"),
        **{f"{HOST}/{number}": about(f"honey bee article {number}") for number in range(1, 6)},
    }


def wanted(**tables: Any) -> Topic:
    return topic([f"{HOST}/"], **{"revisit": {"chance": 0.0}, **tables})


class Living:
    """A crawl of a living web."""

    def __init__(self, folder: Path, web: LivingWeb, make: Callable[..., Topic] = wanted) -> None:
        self.folder = folder
        self.web = web
        self.make = make

    def crawl(self, **options: Any) -> CrawlResult:
        tables = options.pop("tables", {})
        return run(self.make(**tables), self.folder, lambda: self.web, clock=self.web.clock, **options)

    def again(self, days: float = 30.0, **options: Any) -> CrawlResult:
        """Visit pages again, so many days later."""
        self.web.clock.time += days * DAY
        self.web.asked.clear()
        return self.crawl(again=RevisitOptions(), **options)
