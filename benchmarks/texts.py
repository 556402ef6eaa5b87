"""Texts to score, all of the same length, and how long something takes with them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import chain
from time import process_time

import numpy as np

from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Request, Response
from honeyguide.fetch.settings import FetchSettings
from honeyguide.page.decode import decode
from honeyguide.page.parse import parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.spans import Spans
from honeyguide.page.url import UrlRules
from honeyguide.relevance.text import Text
from honeyguide.topic.examples import Example

WORDS = 1_800
CONTEXT = 20
RULES = UrlRules(UrlSettings())


def contexts() -> Spans:
    """Link contexts of a page: windows that overlap by half."""
    starts = np.arange(0, WORDS - CONTEXT, CONTEXT // 2, dtype=np.int32)
    return np.stack((starts, starts + CONTEXT), axis=1)


def from_demo(pages: int) -> list[Example]:
    """Pages of the demo web."""
    web = DemoWeb(pages=pages)

    async def fetch() -> list[Example]:
        fetcher = DemoFetcher(web, FetchSettings())
        found = []
        for url in web.page_urls():
            answer = await fetcher.fetch(Request(url))
            if isinstance(answer, Response) and answer.status == 200:
                found.append(Example.of(url, parse(decode(answer.body), url, RULES), url))
        return found

    return asyncio.run(fetch())


def cut(examples: list[Example], most: int) -> list[Text]:
    """Texts of equal length with the words of the pages, and with their addresses."""
    words = list(chain.from_iterable(example.text.words for example in examples))
    number = min(len(words) // WORDS, most)
    urls = [example.text.url for example in examples]
    return [Text(words[i * WORDS : (i + 1) * WORDS], urls[i % len(urls)]) for i in range(number)]


def best_of(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds of each, the best of some alternating rounds."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            start = process_time()
            work()
            best[name] = min(best[name], process_time() - start)
    return best
