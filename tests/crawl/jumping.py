"""Crawls in no time: an event loop whose clock jumps to the next timer instead of waiting for it.

A crawl writes down what it has once a second, so that minutes of waiting are quick and hours are not: for these there
is `LoopClock.ahead`, or another run that begins later.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from pathlib import Path
from typing import Any

from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.topic import Topic

from .kit import PaperWeb

BEGAN = 1.7e9


class _Selector(selectors.DefaultSelector):
    """Waits for nothing, and counts the seconds that it should have waited."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0 if timeout is not None else None)
        self.passed += 0.0 if ready else timeout or 0.0
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop on which time passes only while everybody waits."""

    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.passed


class LoopClock:
    """The wall clock of such a loop."""

    def __init__(self, began: float = BEGAN) -> None:
        self.began = began
        self.ahead = 0.0
        """Seconds by which it was set forward."""

    def now(self) -> float:
        return self.began + self.ahead + asyncio.get_running_loop().time()


class TimedWeb(PaperWeb):
    """A web on paper that notes when it was asked, in seconds since the run began, and takes its time to answer."""

    def __init__(self, pages: Any, takes: Callable[[str], float] = lambda _: 0.0) -> None:
        super().__init__(pages)
        self.times: list[float] = []
        self._takes = takes

    async def fetch(self, request: Request) -> Response | Failure:
        self.times.append(asyncio.get_running_loop().time())
        answer = await super().fetch(request)
        await asyncio.sleep(self._takes(request.url))
        return answer

    def asked_at(self, part: str) -> list[float]:
        """When URLs that have a part were asked for."""
        return [time for time, url in zip(self.times, self.asked, strict=True) if part in url]


def run_jumping(
    wanted: Topic, folder: Path, web: PaperWeb, began: float = BEGAN, clock: LoopClock | None = None
) -> CrawlResult:
    """Crawl, with time that jumps."""
    session = Session(wanted, folder, fetcher=lambda: web, workers=0, clock=clock or LoopClock(began))
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(session.run())
