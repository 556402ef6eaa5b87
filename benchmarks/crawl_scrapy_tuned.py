"""Scrapy as fast as its settings make it, with honeyguide's own reading and writing.

``python -m benchmarks.crawl_scrapy_tuned WEB FOLDER PAGES WARM_UP CONNECTIONS``. No part of Scrapy runs that the crawl
does not need: the robots.txt middleware, the one for default headers, the downloader, the scheduler with the
downloader-aware queue. The table of URLs, which has to be written anyway, takes the place of the duplicate filter.
"""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import CloseSpider

from benchmarks.meter import Meter
from benchmarks.scrapy_outputs import Outputs, RecordedRobots, settings_for
from benchmarks.web import RenderedWeb
from honeyguide.crawl.readers import reader_config
from honeyguide.relevance.models import make_model
from honeyguide.strategy.reading import Document, Reader
from honeyguide.topic.material import material_of

_STEPS = 100  # Scrapy keeps a queue for each priority of each slot: few of them are faster than many


class TunedSpider(scrapy.Spider):
    """Reads, writes, and asks for what is new."""

    name = "tuned"

    def __init__(self, outputs: Outputs, meter: Meter, reader: Reader) -> None:
        super().__init__()
        self.outputs = outputs
        self._meter = meter
        self._reader = reader

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """The seeds."""
        for url in self.outputs.topic.seeds:
            number = self.outputs.list.add(url, 1.0)
            yield scrapy.Request(url, self.parse, priority=_STEPS, dont_filter=True, cb_kwargs={"number": number})

    def parse(self, response: Any, number: int = 0) -> Iterator[scrapy.Request]:
        """Write a page, unless there are enough, and ask for what it leads to."""
        if self._meter.full:
            return
        answer = self.outputs.answer(response)
        reading = self._reader.read(Document(answer.url, answer.body, answer.header("content-type")))
        self.outputs.page(number, answer, reading)
        self._meter.page()
        if self._meter.full:
            raise CloseSpider("enough")
        met, parse = self.outputs.list, self.parse
        find, depth = met.urls.find, met.urls.depth(number) + 1
        for url, score in reading.links.rows():
            if find(url) is None:
                new = met.add(url, score, number, depth)
                priority = int(score * _STEPS)
                yield scrapy.Request(url, parse, priority=priority, dont_filter=True, cb_kwargs={"number": new})


def main() -> None:
    folder, (pages, warm_up, connections) = Path(sys.argv[2]), map(int, sys.argv[3:6])
    web = RenderedWeb.load(Path(sys.argv[1]))
    topic = web.topic(pages, connections)
    outputs = Outputs(topic, folder, time.time())
    meter = Meter(pages, warm_up)
    settings = settings_for(topic) | {
        "CONCURRENT_ITEMS": 1,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
        "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
        "STATS_CLASS": "scrapy.statscollectors.DummyStatsCollector",
        "EXTENSIONS_BASE": {},
        "SPIDER_MIDDLEWARES_BASE": {},
        "DOWNLOADER_MIDDLEWARES_BASE": {
            RecordedRobots: 100,
            "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware": 400,
        },
        "LOG_ENABLED": False,
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
    }
    process = CrawlerProcess(settings)
    process.crawl(
        TunedSpider, outputs=outputs, meter=meter, reader=Reader(reader_config(topic, make_model(material_of(topic))))
    )
    process.start()
    outputs.close()
    meter.report(folder)


if __name__ == "__main__":
    main()
