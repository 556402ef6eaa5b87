"""The parts of a crawl, each run alone on the pages of a crawl that was made before.

``python -m benchmarks.parts WEB FOLDER CONNECTIONS COMMITS STRATEGY`` prints seconds and CPU seconds a page, as JSON.
FOLDER is the crawl's: its pages, in its order, are what every part works on.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import uvloop

from benchmarks.web import RenderedWeb
from honeyguide.crawl.frontier_for import politeness
from honeyguide.crawl.readers import reader_config
from honeyguide.crawl.recorder import Recorder
from honeyguide.crawl.robots import RobotsCache
from honeyguide.fetch.base import Request, Response
from honeyguide.fetch.http import HttpFetcher
from honeyguide.frontier import Frontier, State
from honeyguide.page.decode import decode
from honeyguide.page.parse import parse
from honeyguide.page.url import UrlRules
from honeyguide.relevance.models import make_model
from honeyguide.store.crawl import Crawl
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.reading import Document, Reader, Reading
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of
from honeyguide.version import VERSION

_WARM_UP = 100


class Stopwatch:
    """Adds up what is spent inside `running`."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.cpu = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Spend."""
        seconds, cpu = time.perf_counter(), time.process_time()
        yield
        self.cpu += time.process_time() - cpu
        self.seconds += time.perf_counter() - seconds


async def fetch_all(topic: Topic, urls: list[str]) -> tuple[Stopwatch, list[Response]]:
    """Fetch alone: as many at once as in the crawl, in the crawl's order."""
    fetcher = HttpFetcher(topic.fetch, VERSION)
    responses: dict[str, Response] = {}
    waiting = iter(urls)

    async def visit() -> None:
        for url in waiting:
            result = await fetcher.fetch(Request(url))
            assert isinstance(result, Response)
            responses[url] = result

    async def visit_all() -> None:
        await asyncio.gather(*(visit() for _ in range(topic.fetch.connections)))

    waiting = iter(urls[:_WARM_UP])
    await visit_all()
    waiting = iter(urls)
    watch = Stopwatch()
    with watch.running():
        await visit_all()
    await fetcher.close()
    return watch, [responses[url] for url in urls]


def read_all(topic: Topic, responses: list[Response]) -> tuple[Stopwatch, list[Reading]]:
    """Read alone: decode, parse, score, scope, fingerprint."""
    reader = Reader(reader_config(topic, make_model(material_of(topic))))
    documents = [Document(response.url, response.body, response.header("content-type")) for response in responses]
    for document in documents[:_WARM_UP]:
        reader.read(document)
    watch = Stopwatch()
    with watch.running():
        readings = [reader.read(document) for document in documents]
    return watch, readings


def parse_all(topic: Topic, responses: list[Response]) -> Stopwatch:
    """Decode and parse alone: a part of `read_all`."""
    rules = UrlRules(topic.urls)
    watch = Stopwatch()
    with watch.running():
        for response in responses:
            parse(decode(response.body, response.header("content-type")), response.url, rules)
    return watch


def steer_all(topic: Topic, responses: list[Response], readings: list[Reading]) -> Stopwatch:
    """Frontier and queue alone: the crawl's offers, takes and settlings, as many under way at once.

    It takes in its own order, which need not be the crawl's; the readings come in the crawl's.
    """
    queue = CheckedQueue(topic.strategy.name)
    frontier = Frontier(politeness(topic.fetch, topic.scope), queue.merge, queue.rank)
    seeds = [frontier.offer(url, 1.0) for url in topic.seeds]
    queue.begin(frontier, seeds)
    under_way: deque[int] = deque()
    watch = Stopwatch()
    with watch.running():
        for number, (response, reading) in enumerate(zip(responses, readings, strict=True)):
            now = float(number)
            under_way.extend(frontier.take(now, topic.fetch.connections - len(under_way)))
            page = under_way.popleft()
            frontier.set_address(frontier.urls.host(page), response.ip)
            frontier.settle(page, State.DONE, now)
            queue.page(frontier, page, reading, 0)
    assert len(seeds) == len(topic.seeds)
    return watch


def write_all(topic: Topic, responses: list[Response], readings: list[Reading], commits: int) -> Stopwatch:
    """Writing alone: WARC records, rows, and as many commits as the crawl made."""
    watch = Stopwatch()
    with TemporaryDirectory() as folder:
        frontier = Frontier()
        recorder = Recorder(Path(folder), frontier, RobotsCache("", UrlRules(topic.urls)), 0, 0.0, PlainQueue())
        every = max(len(responses) // commits, 1)
        for seq, (response, reading) in enumerate(zip(responses, readings, strict=True)):
            number = frontier.offer(response.url, 1.0)
            for url in reading.links.urls:
                frontier.offer(url, 0.5, number, 1)
            now = 100.0 * seq  # by which its host has rested
            assert frontier.take(now) == [number]
            frontier.settle(number, State.DONE, now)
            with watch.running():
                recorder.page(number, response, reading)
                if seq % every == every - 1:
                    recorder.commit(float(seq))
        recorder.close()
    return watch


def main() -> None:
    web, folder, connections, commits = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    topic = RenderedWeb.load(web).topic(1, connections, sys.argv[5])
    with Crawl.open(folder) as crawl:
        urls = [url for (url,) in crawl.query("SELECT url FROM pages JOIN urls USING (id) ORDER BY seq")]
    gc.freeze()
    gc.set_threshold(50_000, 20, 1000)  # as in a crawl
    fetching, responses = uvloop.run(fetch_all(topic, urls))
    reading, readings = read_all(topic, responses)
    watches = {
        "fetch": fetching,
        "read": reading,
        "parse": parse_all(topic, responses),
        "frontier": steer_all(topic, responses, readings),
        "write": write_all(topic, responses, readings, commits),
    }
    count = len(urls)
    print(
        json.dumps(
            {
                "seconds": {name: watch.seconds / count for name, watch in watches.items()},
                "cpu": {name: watch.cpu / count for name, watch in watches.items()},
                "bytes": sum(len(response.body) for response in responses) / count,
                "sent": sum(len(response.raw) for response in responses) / count,
                "links": sum(len(reading.links) for reading in readings) / count,
                "words": sum(reading.words for reading in readings) / count,
            }
        )
    )


if __name__ == "__main__":
    main()
