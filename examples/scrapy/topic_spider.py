"""A spider that follows every link, the most promising first, and keeps the pages about a topic.

scrapy runspider topic_spider.py -a start=https://example.org/ -s HONEYGUIDE_TOPIC=bees.toml -o pages.jsonl
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor


class TopicSpider(scrapy.Spider):
    """Only the two settings, and the condition for keeping a page, depend on honeyguide."""

    name = "topic"
    custom_settings = {  # noqa: RUF012 (as Scrapy's documentation writes it)
        "SCHEDULER": "honeyguide.scrapy.Scheduler",
        "HONEYGUIDE_TOPIC": "topic.toml",
        "CLOSESPIDER_PAGECOUNT": 500,
    }

    def __init__(self, start: str, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.start_urls = start.split(",")
        self._links = LinkExtractor()

    def parse(self, response: Response) -> Iterator[Any]:
        """Keep the page if it is relevant, and follow all of its links."""
        if not isinstance(response, HtmlResponse):
            return
        if response.meta.get("honeyguide_relevant"):
            yield {
                "url": response.url,
                "title": response.css("title::text").get(),
                "relevance": response.meta["honeyguide_relevance"],
            }
        for link in self._links.extract_links(response):
            yield response.follow(link)
