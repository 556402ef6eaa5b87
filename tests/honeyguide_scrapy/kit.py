"""A scheduler without an engine: what Scrapy's engine and downloader do with it is done by hand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from honeyguide.scrapy import Scheduler

TOPIC = 'name = "bees"\nkeywords = ["honey", "bee", "hive", "nectar"]\n'
HONEY = "honey bee hive nectar queen swarm comb wax pollen " * 20
TRAINS = "wagon rail station engine timetable bridge tunnel sleeper " * 20


class ASpider(Spider):
    name = "a"

    def parse(self, response: Response) -> None:
        pass


class Downloads:
    """What the scheduler looks at of a downloader."""

    def __init__(self) -> None:
        self.active: set[Request] = set()
        self.slots: dict[str, Any] = {}

    def get_slot_key(self, request: Request) -> str:
        host: str = request.meta.get("download_slot") or request.url.split("/")[2]
        return host


class Crawl:
    """One run: a scheduler that is open, and the downloader that it hands requests to."""

    def __init__(self, folder: Path, topic: str = TOPIC, **settings: Any) -> None:
        path = folder / "bees.toml"
        path.write_text(topic)
        self.crawler = get_crawler(ASpider, {"HONEYGUIDE_TOPIC": str(path), **settings})
        self.downloads = Downloads()
        self.crawler.engine = cast("Any", SimpleNamespace(downloader=self.downloads))
        self.spider = ASpider.from_crawler(self.crawler)
        self.scheduler = Scheduler.from_crawler(self.crawler)
        OPEN.append(self)
        self.scheduler.open(self.spider)

    def start(self, *urls: str) -> None:
        for url in urls:
            assert self.enqueue(url, meta={"is_start_request": True})

    def enqueue(self, url: str, **arguments: Any) -> bool:
        accepted: bool = self.scheduler.enqueue_request(Request(url, **arguments))
        return accepted

    def next(self) -> Request | None:
        """As the engine does: what is handed out is active in the downloader."""
        request: Request | None = self.scheduler.next_request()
        if request is not None:
            self.downloads.active.add(request)
        return request

    def done(self, request: Request, response: Response | None = None) -> None:
        """A request has left the downloader, with a response or without."""
        self.downloads.active.remove(request)
        send = self.crawler.signals.send_catch_log
        send(signals.request_left_downloader, request=request, spider=self.spider)
        if response is not None:
            response.request = request
            send(signals.response_received, response=response, request=request, spider=self.spider)

    def fetch(self, body: str = "", links: dict[str, str] | None = None, status: int = 200) -> Request:
        """Take the next request, and answer it with a page of some words and links with anchors."""
        request = self.next()
        assert request is not None
        anchors = "".join(f'<li><a href="{url}">{anchor}</a></li>' for url, anchor in (links or {}).items())
        html = f"<html><title>a page</title><p>{body}</p><ul>{anchors}</ul>".encode()
        headers = {"Content-Type": "text/html; charset=utf-8"}
        self.done(request, HtmlResponse(request.url, status=status, headers=headers, body=html))
        return request

    def rest(self) -> list[str]:
        """The URLs of all requests that wait, in the order in which they are handed out."""
        urls = []
        while (request := self.next()) is not None:
            urls.append(request.url)
            self.done(request)
        return urls

    def close(self) -> None:
        if self in OPEN:
            OPEN.remove(self)
            self.scheduler.close("finished")

    def is_given_up(self) -> bool:
        """Whether the scheduler asks to close the spider, and takes no requests."""
        send = self.crawler.signals.send_catch_log
        results = send(signals.spider_opened, spider=self.spider, dont_log=CloseSpider)
        asked = any(isinstance(getattr(result, "value", None), CloseSpider) for _, result in results)
        return asked and not self.enqueue("http://a.example/") and not self.scheduler.has_pending_requests()

    def kill(self) -> None:
        """End as if the process was killed now: what is committed stays, the rest is lost."""
        OPEN.remove(self)
        store = self.scheduler._store
        assert store is not None
        store._connection.rollback()
        store._connection.close()
        self.scheduler._duplicates.close("killed")


OPEN: list[Crawl] = []
"""Crawls that were not closed: conftest.py does it, as Scrapy's engine does also after an error."""
