"""Crawls of a virtual web: the same loop, frontier and strategies as in a live crawl, on a virtual clock."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from typing_extensions import override

from honeyguide.crawl.budget import StopReason
from honeyguide.crawl.crawler import Crawler
from honeyguide.crawl.frontier_for import frontier_for
from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.crawl.readers import InProcessReaders, reader_config
from honeyguide.crawl.robots import RobotsCache
from honeyguide.crawl.session import gc_tuned
from honeyguide.fetch.archive import ArchiveFetcher
from honeyguide.frontier import Limit, Politeness
from honeyguide.lab.clock import VirtualClock
from honeyguide.lab.lessons import Classroom, SimulatedLessons
from honeyguide.lab.memory_recorder import MemoryRecorder, PageFetch
from honeyguide.lab.visits import RequestTiming, VirtualVisits
from honeyguide.page.url import UrlRules
from honeyguide.relevance.base import Relevance
from honeyguide.store.tally import Tally
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.topic import Topic

if TYPE_CHECKING:
    from honeyguide.lab.web import VirtualWeb

_AT_ONCE = Limit(1_000_000, 0.0)


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of a replayed crawl."""

    steps: list[PageFetch]
    """The pages, in the order in which they were fetched."""
    stop: StopReason
    tally: Tally
    model: Relevance
    """The model at the end, which differs from the initial one if it has learnt from the crawl's pages."""


def replay(
    topic: Topic,
    model: Relevance,
    web: VirtualWeb,
    timing: RequestTiming = RequestTiming(),  # noqa: B008 (frozen)
    lessons: SimulatedLessons | None = None,
) -> ReplayResult:
    """Crawl a virtual web. The same arguments give the same result, step for step.

    With ``fetch.connections = 1``, pages are fetched strictly by priority, and each request waits until its host may be
    contacted. With more connections, the best URLs of the hosts that may be contacted are fetched, as in a live crawl.
    robots.txt is not fetched: whatever was recorded was allowed. Links that lead out of the web are ignored.

    Args:
        topic: What is crawled, with its strategy, seeds and budget.
        model: The relevance model that steers.
        web: The recorded web.
        timing: How long requests take on the virtual clock.
        lessons: A teacher who answers questions during the crawl.

    Raises:
        PluginError: The strategy or the model fails.
    """
    with gc_tuned():
        return asyncio.run(_replay(topic, model, web, timing, lessons))


async def _replay(
    topic: Topic, model: Relevance, web: VirtualWeb, timing: RequestTiming, lessons: SimulatedLessons | None
) -> ReplayResult:
    topic = topic.with_settings(fetch={"robots": False})
    is_strict = topic.fetch.connections == 1
    clock = VirtualClock()
    unlimited = Politeness(_AT_ONCE, _AT_ONCE, _AT_ONCE, topic.scope.pages_per_host, probation=topic.scope.probation)
    queue = CheckedQueue(topic.strategy.name)
    frontier = frontier_for(topic, queue, unlimited if is_strict else None)
    schedule = ModelSchedule(reader_config(topic, model))
    readers = InProcessReaders(schedule.config, within=web)
    if not is_strict:
        timing = RequestTiming(timing.latency, timing.bytes_per_second, 0.0)  # the frontier makes hosts wait instead
    visits = VirtualVisits(ArchiveFetcher(web), readers, clock, timing)
    recorder = MemoryRecorder(frontier, clock.now)
    if lessons is not None:
        recorder.on_page = lessons.begin(Classroom(frontier, queue, visits, schedule, web))
    robots = RecordedRobots(web, UrlRules(topic.urls))
    crawler = Crawler(topic, frontier, queue, robots, recorder, visits, schedule, clock)
    stop = await crawler.run()
    return ReplayResult(recorder.steps, stop, recorder.tally, schedule.config.model)


class RecordedRobots(RobotsCache):
    """The sitemaps in the robots.txt files of a recorded web, which are not fetched themselves."""

    def __init__(self, web: VirtualWeb, rules: UrlRules) -> None:
        super().__init__("", rules)
        self._sitemaps = getattr(web, "sitemaps", None)

    @override
    def sitemaps(self, origin: str) -> Sequence[str]:
        return self._sitemaps(origin) if self._sitemaps is not None else ()
