"""One crawl of `benchmarks.scrapy_order`: reads what to do as JSON, and writes the URLs of the pages as they come."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor


class EverySpider(scrapy.Spider):
    """Follows every link."""

    name = "every"

    def __init__(self, urls: Sequence[str]) -> None:
        super().__init__()
        self.start_urls = list(urls)
        self._links = LinkExtractor()

    def parse(self, response: Any) -> Iterator[scrapy.Request]:
        """Say that there is a page, and ask for what it links to."""
        print(response.url, flush=True)
        for link in self._links.extract_links(response):
            yield response.follow(link)


def main() -> None:
    asked = json.load(sys.stdin)
    common = {
        "CONCURRENT_REQUESTS": 8,
        "CLOSESPIDER_PAGECOUNT": asked["pages"],
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
    }
    process = CrawlerProcess({**common, **asked["settings"]})
    process.crawl(EverySpider, urls=asked["urls"])
    process.start()


if __name__ == "__main__":
    main()
