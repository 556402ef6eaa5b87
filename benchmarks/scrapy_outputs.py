"""What Scrapy writes in the benchmarks: the same WARC records and rows as honeyguide, by the same code."""

from __future__ import annotations

import gzip
import time
from pathlib import Path
from typing import Any

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware

from honeyguide.crawl.crawler import COMMIT_EVERY
from honeyguide.crawl.recorder import Recorder
from honeyguide.crawl.robots import RobotsCache
from honeyguide.fetch.base import Response
from honeyguide.frontier import NO_PARENT, Frontier, State
from honeyguide.page.url import UrlRules
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.reading import Reading
from honeyguide.topic import Topic


def settings_for(topic: Topic) -> dict[str, Any]:
    """What any Scrapy crawl of a topic needs: identity and politeness."""
    fetch = topic.fetch
    return {
        "USER_AGENT": f"{fetch.agent} (+{fetch.contact})",
        "ROBOTSTXT_OBEY": True,
        "ROBOTSTXT_USER_AGENT": fetch.agent,
        "CONCURRENT_REQUESTS": fetch.connections,
        "CONCURRENT_REQUESTS_PER_DOMAIN": fetch.per_host,
        "DOWNLOAD_DELAY": fetch.delay,
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "DEFAULT_REQUEST_HEADERS": {
            "User-Agent": f"{fetch.agent} (+{fetch.contact})",
            "Accept": ", ".join((*fetch.types, "*/*;q=0.1")),
            "Accept-Encoding": "gzip, deflate",
        },
    }


class UrlList(Frontier):
    """A frontier that only lists URLs, as the recorder needs it. Scrapy has queues of its own."""

    def add(self, url: str, priority: float, parent: int = NO_PARENT, depth: int = 0) -> int:
        """A URL that was met for the first time. Returns its number."""
        return self._record.add(url, priority, State.WAITING, 0, parent, depth)

    def finish(self, number: int) -> None:
        """A URL was fetched."""
        self._record.set_state(number, State.DONE)


class Outputs:
    """A crawl's folder, written through honeyguide's recorder."""

    def __init__(self, topic: Topic, folder: Path, now: float) -> None:
        folder.mkdir(parents=True)
        self.topic = topic
        self.list = UrlList()
        self._recorder = Recorder(
            folder, self.list, RobotsCache(topic.fetch.agent, UrlRules(topic.urls)), 0, now, PlainQueue()
        )
        self._next_commit = now + COMMIT_EVERY

    def answer(self, response: Any) -> Response:
        """Scrapy's response as honeyguide's; decompressed here if no middleware did it."""
        request, raw = response.request, response.body
        body = gzip.decompress(raw) if response.headers.get("Content-Encoding") == b"gzip" else raw
        latency: float = request.meta.get("download_latency", 0.0)
        return Response(
            response.url,
            response.status,
            "OK",
            _headers(response.headers),
            body,
            raw,
            _headers(request.headers),
            str(response.ip_address),
            time.time() - latency,
            latency,
        )

    def page(self, number: int, answer: Response, reading: Reading) -> None:
        """Write a page, and commit when it is time."""
        self._recorder.page(number, answer, reading)
        self.list.finish(number)
        now = time.time()
        if now >= self._next_commit:
            self._recorder.commit(now)
            self._next_commit = now + COMMIT_EVERY

    def robots(self, response: Any) -> None:
        """Write an answer for robots.txt."""
        now = time.time()
        answer = self.answer(response)
        origin = answer.url.removesuffix("/robots.txt")
        self._recorder.answer(answer)
        self._recorder.robots(origin, now, answer.status, answer.body)
        self._recorder.event(now, "robots", None, origin=origin, status=answer.status)

    def close(self) -> None:
        """Write down what is left."""
        now = time.time()
        self._recorder.event(now, "start")
        self._recorder.event(now, "stop")
        self._recorder.commit(now)
        self._recorder.close()


class RecordedRobots(RobotsTxtMiddleware):
    """Scrapy's own middleware, whose answers are written down as honeyguide writes them."""

    async def _parse_robots(self, response: Any, netloc: str, request: Any) -> None:
        spider: Any = self.crawler.spider
        spider.outputs.robots(response)
        await super()._parse_robots(response, netloc, request)


def _headers(headers: Any) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode(), value.decode()) for name, values in headers.items() for value in values)
