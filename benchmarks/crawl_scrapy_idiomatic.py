"""Scrapy as its documentation and tutorials teach it, for the same task.

``python -m benchmarks.crawl_scrapy_idiomatic WEB FOLDER PAGES WARM_UP CONNECTIONS``. A link extractor, the text by a
CSS selector, TF-IDF and cosine of scikit-learn a page, an item pipeline that writes; all other settings as they come.
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
from scrapy.linkextractors import LinkExtractor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from benchmarks.meter import Meter
from benchmarks.scrapy_outputs import Outputs, RecordedRobots, settings_for
from benchmarks.web import RenderedWeb
from honeyguide.relevance.fingerprint import NO_SIGNATURE
from honeyguide.strategy.link_table import link_table
from honeyguide.strategy.reading import Reading


class IdiomaticSpider(scrapy.Spider):
    """Follows every link, the pages nearest to the topic first."""

    name = "idiomatic"

    def __init__(self, outputs: Outputs, meter: Meter) -> None:
        super().__init__()
        self.outputs = outputs
        self.meter = meter
        self._extractor = LinkExtractor()
        self._topic = " ".join(outputs.topic.keywords)

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """The seeds."""
        for url in self.outputs.topic.seeds:
            self.outputs.list.add(url, 1.0)
            yield scrapy.Request(url, self.parse, priority=100)

    def parse(self, response: Any) -> Iterator[Any]:
        """A page as an item, and its links as requests."""
        if self.meter.full:
            raise CloseSpider("enough")
        text = " ".join(response.css("body ::text").getall())
        vectors = TfidfVectorizer(stop_words="english").fit_transform([self._topic, text])
        relevance = float(cosine_similarity(vectors[0], vectors[1])[0, 0])
        links = [link.url for link in self._extractor.extract_links(response)]
        reading = Reading(
            title=response.css("title::text").get(""),
            language=response.css("html::attr(lang)").get(""),
            words=len(text.split()),
            signature=NO_SIGNATURE,
            relevance=relevance,
            relevant=relevance >= self.outputs.topic.relevance.threshold,
            noindex=False,
            links=link_table(dict.fromkeys(links, relevance)),
        )
        yield {"response": response, "reading": reading}
        for url in links:
            yield response.follow(url, self.parse, priority=int(relevance * 100))


class WritingPipeline:
    """Writes pages as items come."""

    def __init__(self, spider: IdiomaticSpider) -> None:
        self._outputs = spider.outputs
        self._meter = spider.meter

    @classmethod
    def from_crawler(cls, crawler: Any) -> WritingPipeline:
        """As Scrapy makes it."""
        return cls(crawler.spider)

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        """Write a page, unless there are enough."""
        if not self._meter.full:
            response, reading, outputs = item["response"], item["reading"], self._outputs
            met, number = outputs.list, outputs.list.urls.find(response.url)
            assert number is not None
            outputs.page(number, outputs.answer(response), reading)
            depth = met.urls.depth(number) + 1
            for url, score in reading.links.rows():
                if met.urls.find(url) is None:
                    met.add(url, score, number, depth)
            self._meter.page()
        return item


def main() -> None:
    folder, (pages, warm_up, connections) = Path(sys.argv[2]), map(int, sys.argv[3:6])
    topic = RenderedWeb.load(Path(sys.argv[1])).topic(pages, connections)
    outputs = Outputs(topic, folder, time.time())
    meter = Meter(pages, warm_up)
    settings = settings_for(topic) | {
        "ITEM_PIPELINES": {WritingPipeline: 300},
        "DOWNLOADER_MIDDLEWARES": {
            "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
            RecordedRobots: 100,
        },
        "LOG_LEVEL": "INFO",
        "LOG_FILE": str(folder.with_suffix(".log")),
    }
    process = CrawlerProcess(settings)
    process.crawl(IdiomaticSpider, outputs=outputs, meter=meter)
    process.start()
    outputs.close()
    meter.report(folder)


if __name__ == "__main__":
    main()
