"""Crawls of webs on paper in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.reliability.virtual_time import BEGAN, JumpingLoop, LoopClock, run_virtually

from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.topic import Topic

from .kit import PaperWeb

__all__ = ["BEGAN", "JumpingLoop", "LoopClock", "TimedWeb", "run_jumping"]


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
    return run_virtually(session.run())
