"""The promises of links, by a topic's reader and strategy, from the pages that a spider downloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.crawl.model_store import ModelPaths, kept_model, read_material
from honeyguide.crawl.readers import ReadResult, read_or_error, reader_config
from honeyguide.errors import InputError
from honeyguide.frontier import NO_PARENT, Frontier, Limit, Politeness, Row, State
from honeyguide.page.settings import ScopeSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.models import make_model
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.queues.host_bandit import HostBanditQueue
from honeyguide.strategy.reading import Document, Reader, Reading
from honeyguide.strategy.registry import strategy_named
from honeyguide.topic import Topic
from honeyguide.topic.material import has_examples, material_of

NO_URL: Final = -1
"""Stands for the number of a URL that honeyguide cannot crawl, such as ``data:``."""

_START, _UNKNOWN = 1.0, 0.0  # promises of start requests, and of requests about which nothing is known
_NO_LIMIT = Limit(1_000_000_000, 0.0)


class ChangedUrls(NamedTuple):
    """URLs to be written, and URLs with new priorities."""

    new: list[tuple[int, *Row]]
    """The number of each, and its row."""
    changed: list[tuple[float, int, int, int]]
    """Promise, state, attempts, and the number of the URL."""

    def promises(self) -> Iterator[tuple[int, float]]:
        """The numbers and the promises of all links."""
        yield from ((number, promise) for number, _, promise, *_ in self.new)
        yield from ((number, promise) for promise, _, _, number in self.changed)


class ReadPage(NamedTuple):
    """The stored data of a page."""

    url: int
    relevance: float
    sample: bytes
    """Its tokens, for a model that learns from the first pages; else empty."""


class LinkScorer:
    """Knows the promises of all links on the pages read so far.

    It keeps the links in a frontier, from which nothing is ever taken: the spider decides which of them are requested,
    and Scrapy when. A URL waits in it until it is requested and handed out.
    """

    def __init__(self, topic: Topic, model: Relevance) -> None:
        """Raises `InputError` if the topic's strategy cannot be used here."""
        name = topic.strategy.name
        if isinstance(strategy_named(name).queue(), HostBanditQueue):
            raise InputError("strategy", f"{name} chooses between hosts, which Scrapy's slots do", "use another one")
        # The spider decides which links are followed: the scope, nofollow and noindex are ignored.
        config = replace(reader_config(topic, model), scope=ScopeSettings(), obeys_robots=False)
        self._rules = UrlRules(topic.urls)
        self._queue = CheckedQueue(name)
        self._frontier = Frontier(
            Politeness(_NO_LIMIT, _NO_LIMIT, _NO_LIMIT, slow=_NO_LIMIT), self._queue.merge, self._queue.rank
        )
        self._config = config
        self._use(ModelSchedule(config))
        self._relevance: dict[int, float] = {}  # of the pages read so far
        self._new_pages: list[ReadPage] = []

    def _use(self, schedule: ModelSchedule) -> None:
        self._schedule = schedule
        self._reader = Reader(schedule.config)

    # ---- requests ----

    def __len__(self) -> int:
        return len(self._frontier)

    def find(self, url: str) -> int | None:
        """The number of a URL; None if it is unknown or cannot be crawled."""
        canonical = self._rules.canonical(url)
        return None if canonical is None else self._frontier.urls.find(canonical)

    def promise(self, number: int) -> float:
        """The promise of a URL."""
        return self._frontier.urls.priority(number)

    def requested(self, url: str, *, redirected_from: str = "", referrer: str = "", is_start: bool = False) -> int:
        """The number of a requested URL; `NO_URL` if it cannot be crawled.

        One that was found as a link of a page promises what the strategy expects of it. Of others, a start request
        promises most, a redirect what its source promised, and anything else what the page is worth that it comes from.
        """
        canonical = self._rules.canonical(url)
        if canonical is None:
            return NO_URL
        urls, frontier = self._frontier.urls, self._frontier
        number = urls.find(canonical)
        if number is not None:
            if urls.state(number) is State.REFUSED:
                frontier.reopen(number)
            return number
        source = self.find(redirected_from) if redirected_from else None
        if source is not None:
            number = frontier.offer(canonical, urls.priority(source), source, urls.depth(source))
            self._queue.on_redirect(frontier, source, number)
            return number
        if is_start:
            number = frontier.offer(canonical, _START)
            self._queue.begin(frontier, [number])
            return number
        page = self.find(referrer) if referrer else None
        # At depth 0, like a seed: strategies have no evidence for it, and must not change its promise.
        return frontier.offer(canonical, _UNKNOWN if page is None else self._relevance.get(page, _UNKNOWN), NO_PARENT)

    def handed_out(self, number: int) -> None:
        """Record that a URL is about to be fetched, so that its promise no longer changes."""
        self._frontier.drop(number)

    # ---- pages ----

    def page(self, number: int, document: Document) -> ReadResult:
        """Read a page, and update the promises of its links and of others. Errors are returned, not raised."""
        result = read_or_error(self._reader, document)
        if isinstance(result, Reading):
            if number not in self._relevance:
                self._relevance[number] = result.relevance
                self._new_pages.append(ReadPage(number, result.relevance, result.sample))
                self._queue.page(self._frontier, number, result, 0)
                if self._schedule.add(result.sample):
                    self._use(self._schedule)
        else:
            self.failed(number)
        return result

    def failed(self, number: int) -> None:
        """Record that a URL gave no readable page."""
        if number not in self._relevance:
            self._queue.on_failed(self._frontier, number)

    # ---- changes and state ----

    def changed_urls(self) -> ChangedUrls:
        """The new URLs, and the changes of others, since the last call."""
        rows = self._frontier.dirty_rows()
        return ChangedUrls(list(rows.new), list(rows.changed))

    def new_pages(self) -> list[ReadPage]:
        """The pages that were read since the last call, in their order."""
        pages, self._new_pages = self._new_pages, []
        return pages

    def dirty_state(self) -> list[tuple[str, bytes]]:
        """The changes of the strategy's state since the last call, in named pieces."""
        return self._queue.dirty_state()

    def restore(self, rows: Iterable[Row], pages: Iterable[ReadPage], state: Mapping[str, bytes]) -> None:
        """Restore the state of an earlier run. Raises `HoneyguideError` if that is not possible.

        Args:
            rows: All URLs, in the order of their numbers.
            pages: All pages, in the order in which they were read.
            state: All pieces of what the strategy has learnt, each as last saved.
        """
        self._frontier.restore(rows)
        self._queue.restore(self._frontier, state)
        samples = []
        for page in pages:
            self._relevance[page.url] = page.relevance
            if page.sample:
                samples.append(np.frombuffer(page.sample, np.uint32))
        self._use(ModelSchedule(self._config, samples))


def model_for(topic: Topic, path: Path) -> Relevance:
    """The model of a topic that was read from a file: the one that was trained for it, or one that is fitted now.

    Raises `InputError` if its examples would have to be fetched: no page is downloaded beside the spider's.
    """
    places = ModelPaths.beside(path)
    model = kept_model(topic, places.model)
    if model is not None:
        return model
    if not has_examples(topic):
        return make_model(material_of(topic))
    examples = topic.examples
    if any("://" in name for name in (*examples.positive, *examples.negative, *examples.unlabelled)):
        raise InputError(str(path), "its examples are pages on the web", f"run `honeyguide train {path}` first")
    from honeyguide.relevance.training import train  # noqa: PLC0415 (scikit-learn takes a second)

    return train(read_material(topic, places.examples).material).model
