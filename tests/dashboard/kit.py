"""What tests of the dashboard share: crawls, a dashboard that runs in a thread, and a browser that can lie."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from selectolax.lexbor import LexborHTMLParser

from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.dashboard.index import WatchIndex
from honeyguide.dashboard.serve import serve
from honeyguide.dashboard.source import CrawlSource
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.topic import Topic

QUICK = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "backoff": 0.0, "patience": 0.0, "connections": 1}
SUBJECT = "beekeeping"


def demo_topic(web: DemoWeb, pages: int, seeds: Sequence[str] = (), **tables: Any) -> Topic:
    fetch = {**QUICK, **tables.pop("fetch", {})}
    return Topic.make(
        name="bees",
        seeds=(*web.seeds(SUBJECT), *seeds),
        keywords=web.keywords(SUBJECT),
        budget={"pages": pages},
        fetch=fetch,
        **tables,
    )


def crawl_demo(web: DemoWeb, folder: Path, topic: Topic) -> CrawlResult:
    """Crawl, in a thread: Playwright may run an event loop in this one."""
    session = Session(topic, folder, fetcher=lambda: DemoFetcher(web, topic.fetch), workers=0)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(session.run())).result()


@contextmanager
def opened(folder: Path) -> Iterator[CrawlSource]:
    """A crawl as views see it, with an index that is complete."""
    with WatchIndex(folder) as index:
        index.catch_up()
        with CrawlSource(folder, index.path) as source:
            yield source


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def tree(self) -> LexborHTMLParser:
        return LexborHTMLParser(self.text)

    @property
    def words(self) -> str:
        """The visible text, with white space folded."""
        body = self.tree.body
        return " ".join(body.text(separator=" ").split()) if body else ""


class Browser:
    """Sends requests to a dashboard, with the cookie unless it is told otherwise."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.url = url
        self.host = parts.netloc
        self.token = parts.query.removeprefix("token=")
        self.cookie = ""
        first = self.get(f"/?token={self.token}")
        self.cookie = first.headers["Set-Cookie"].partition(";")[0]

    def get(self, path: str, **headers: str) -> Answer:
        return self.send("GET", path, headers)

    def post(self, path: str, form: Mapping[str, str], **headers: str) -> Answer:
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.send("POST", path, {**kind, **headers}, urlencode(form))

    def send(self, method: str, path: str, headers: Mapping[str, str], body: str | None = None) -> Answer:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookie:
            sent.setdefault("Cookie", self.cookie)
        connection = HTTPConnection(self.host, timeout=30)
        try:
            connection.putrequest(method, path, skip_host="Host" in sent)
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(body or "")))
            connection.endheaders((body or "").encode())
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
            return Answer(response.status, dict(response.getheaders()), text)
        finally:
            connection.close()

    @property
    def form_token(self) -> str:
        field = self.get("/").tree.css_first("input[name=form_token]")
        assert field is not None
        return field.attributes["value"] or ""


@contextmanager
def dashboard(folder: Path, targets: Sequence[str] = ()) -> Iterator[Browser]:
    """A dashboard in a thread of its own, and a browser that is admitted to it."""
    ready, problem = threading.Event(), []
    stop: list[Any] = []
    urls: list[str] = []

    async def run() -> None:
        event = asyncio.Event()
        stop.append((asyncio.get_running_loop(), event))
        await serve(folder, event, announce, targets=targets)

    def announce(url: str) -> None:
        urls.append(url)
        ready.set()

    def main() -> None:
        try:
            asyncio.run(run())
        except BaseException as error:  # noqa: BLE001 (the test shows it)
            problem.append(error)
        finally:
            ready.set()

    thread = threading.Thread(target=main)
    thread.start()
    try:
        assert ready.wait(60)
        if problem:
            raise problem[0]
        browser = Browser(urls[0])
        deadline = time.monotonic() + 30
        while "Reading the crawl" in browser.get("/").text:
            assert time.monotonic() < deadline
        yield browser
    finally:
        if stop and not problem:
            loop, event = stop[0]
            loop.call_soon_threadsafe(event.set)
        thread.join()
    if problem:
        raise problem[0]


class Gate(DemoFetcher):
    """Lets requests through as it is told to."""

    allowed = 0
    asked: list[str]

    async def fetch(self, request: Request) -> Response | Failure:
        if not request.url.endswith("/robots.txt"):
            while self.allowed <= 0:  # noqa: ASYNC110 (set by another thread)
                await asyncio.sleep(0.01)
            self.allowed -= 1
            self.asked.append(request.url)
        return await super().fetch(request)


class Running:
    """A crawl in a thread."""

    def __init__(self, web: DemoWeb, folder: Path, pages: int) -> None:
        self.topic = demo_topic(web, pages)
        self.gate = Gate(web, self.topic.fetch)
        self.gate.asked = []
        self.session = Session(self.topic, folder, fetcher=lambda: self.gate, workers=0)
        self.result: CrawlResult | None = None
        self.thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        self.result = asyncio.run(self._crawl())

    async def _crawl(self) -> CrawlResult:
        self.loop = asyncio.get_running_loop()
        return await self.session.run()

    def stop(self) -> None:
        self.gate.allowed = 10_000
        if self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.session.request_stop)
        self.thread.join(30)
        assert not self.thread.is_alive()


def until(what: Callable[[], Any], seconds: float = 20) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline
        time.sleep(0.005)  # leaves the processor to what is waited for
    return found


class Tab:
    """A page in the browser, and what went wrong in it."""

    def __init__(self, context: Any, dashboard: Browser) -> None:
        self.page = context.new_page()
        self.origin = f"http://{dashboard.host}"
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(dashboard.url)

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def open(self, path: str) -> None:
        self.page.goto(self.origin + path)

    def check(self) -> None:
        assert not self.errors
        assert {urlsplit(url).netloc for url in self.requests if not url.startswith("data:")} == {
            urlsplit(self.origin).netloc
        }
