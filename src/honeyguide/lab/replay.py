"""A crawl of a virtual web: the same loop, frontier and strategies as on the live one, on a clock of its own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from honeyguide.crawl.budget import StopReason
from honeyguide.crawl.crawler import Crawler
from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.crawl.readers import InProcessReaders, reader_config
from honeyguide.crawl.robots import RobotsCache
from honeyguide.crawl.session import gc_tuned, politeness
from honeyguide.fetch.archive import ArchiveFetcher
from honeyguide.frontier import Frontier, Limit, Politeness
from honeyguide.lab.clock import VirtualClock
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
    """What a crawl came to."""

    steps: list[PageFetch]
    """Its pages, in the order they were fetched."""
    stop: StopReason
    tally: Tally


def replay(topic: Topic, model: Relevance, web: VirtualWeb, timing: RequestTiming = RequestTiming()) -> ReplayResult:  # noqa: B008 (frozen)
    """Crawl a virtual web. The same arguments give the same replay, step for step.

    With ``fetch.connections = 1`` the order is strictly that of the priorities, and each request waits for its host's
    turn. With more, the frontier gives out the best URLs among the hosts whose turn it is, as in a live crawl.
    robots.txt is not asked for: what is in the web was allowed to be fetched once. Links that lead out of the web are
    as if they were not there.
    """
    with gc_tuned():
        return asyncio.run(_replay(topic, model, web, timing))


async def _replay(topic: Topic, model: Relevance, web: VirtualWeb, timing: RequestTiming) -> ReplayResult:
    topic = topic.with_settings(fetch={"robots": False})
    is_strict = topic.fetch.connections == 1
    clock = VirtualClock()
    waits = Politeness(_AT_ONCE, _AT_ONCE, _AT_ONCE, topic.scope.pages_per_host)
    queue = CheckedQueue(topic.strategy.name)
    frontier = Frontier(waits if is_strict else politeness(topic.fetch, topic.scope), queue.merge)
    schedule = ModelSchedule(reader_config(topic, model))
    readers = InProcessReaders(schedule.config, within=web)
    if not is_strict:
        timing = RequestTiming(timing.latency, timing.bytes_per_second, 0.0)  # the frontier sees to it
    visits = VirtualVisits(ArchiveFetcher(web), readers, clock, timing)
    recorder = MemoryRecorder(frontier, clock.now)
    crawler = Crawler(topic, frontier, queue, RobotsCache("", UrlRules(topic.urls)), recorder, visits, schedule, clock)
    stop = await crawler.run()
    return ReplayResult(recorder.steps, stop, recorder.tally)
