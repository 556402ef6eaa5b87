"""A whole cluster in one process, on a virtual clock, with a network that delays and loses messages."""

from __future__ import annotations

import asyncio
import pickle
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from typing_extensions import override

from benchmarks.cluster.local import LocalCluster, LocalNetwork
from benchmarks.reliability.virtual_time import LoopClock
from honeyguide.cluster import items
from honeyguide.cluster.head import ClusterHead
from honeyguide.cluster.mail import Parcel, Receipt
from honeyguide.cluster.messages import Orders, ShardReport
from honeyguide.cluster.runner import UnreachableError
from honeyguide.crawl.session import Session
from honeyguide.fetch.base import Failure, Fetcher, Request, Response
from honeyguide.topic import Topic

_SAMPLED = 16  # one in this many reports is measured, since packing a report costs more than handling it
_TIMEOUT = 2.0  # seconds after which a lost message is detected


@dataclass(slots=True)
class Volume:
    """The network traffic."""

    parcels: int = 0
    parcel_bytes: int = 0
    links: int = 0
    url_bytes: int = 0
    """Bytes of URLs in the parcels, before compression."""
    reports: int = 0
    report_bytes: float = 0.0
    """Estimated from a sample: bytes of reports and orders, as packed by Ray."""
    lost: int = 0
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Weather:
    """The conditions on the network."""

    delay: float = 0.02
    """Mean seconds that a message takes; the minimum is half of that."""
    lost: float = 0.0
    """The fraction of messages and of answers that are lost."""
    seed: int = 0


class SimulatedNetwork(LocalNetwork):
    """Carries messages between objects, with delays and losses, and counts them."""

    def __init__(self, weather: Weather, head: ClusterHead) -> None:
        super().__init__(head)
        self.volume = Volume()
        self._weather = weather
        self._random = Random(weather.seed)

    async def _travel(self) -> None:
        if self._random.random() < self._weather.lost:
            self.volume.lost += 1
            await asyncio.sleep(_TIMEOUT)
            raise UnreachableError("lost")
        await asyncio.sleep(self._weather.delay * (0.5 + self._random.expovariate(2.0)))

    @override
    async def deliver(self, parcel: Parcel) -> Receipt:
        volume = self.volume
        volume.parcels += 1
        volume.parcel_bytes += sum(map(len, parcel.items))
        volume.pairs[parcel.sender, parcel.receiver] += 1
        await self._travel()
        receipt = await super().deliver(parcel)
        await self._travel()
        for content in parcel.items:
            for item in items.unpack(content):
                if isinstance(item, items.PageLinks):
                    volume.links += len(item.reading.links)
                    volume.url_bytes += sum(map(len, item.reading.links.urls))
        return receipt

    @override
    async def report(self, report: ShardReport) -> Orders:
        volume = self.volume
        volume.reports += 1
        await self._travel()
        orders = await super().report(report)
        if volume.reports % _SAMPLED == 1:
            volume.report_bytes += _SAMPLED * (len(pickle.dumps(report)) + len(pickle.dumps(orders)))
        await self._travel()
        return orders


class SlowFetcher(Fetcher):
    """Delays the responses of another fetcher, by the clock of the loop."""

    def __init__(self, inner: Fetcher, latency: float) -> None:
        self._inner = inner
        self._latency = latency
        self._clock = LoopClock()

    async def fetch(self, request: Request) -> Response | Failure:
        """Fetch a URL."""
        started = self._clock.now()
        await asyncio.sleep(self._latency)
        result = await self._inner.fetch(request)
        if isinstance(result, Response):
            result.started = started
        return result

    async def close(self) -> None:
        """Close the other fetcher."""
        await self._inner.close()


@dataclass(slots=True)
class Outcome:
    """The outcome of a simulated crawl."""

    pages: int
    relevant: int
    seconds: float
    """Seconds by the virtual clock."""
    by_shard: dict[str, int] = field(default_factory=dict)
    """Pages of each shard."""
    deaths: int = 0
    volume: Volume = field(default_factory=Volume)


async def alone(topic: Topic, folder: Path, fetcher: Callable[[], Fetcher]) -> Outcome:
    """The crawl on one machine."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    result = await Session(topic, folder, fetcher=fetcher, workers=0, clock=LoopClock()).run()
    return Outcome(result.tally.pages, result.tally.relevant, loop.time() - began)


class SimulatedCluster:
    """The crawl on several machines, which die now and then."""

    def __init__(
        self, topic: Topic, folder: Path, fetcher: Callable[[], Fetcher], shards: int, weather: Weather
    ) -> None:
        self._about = (topic, folder, fetcher, shards)
        self._weather = weather
        self._deaths = 0

    async def run(self, *, death_every: float = 0.0, away: float = 10.0, step: Callable[[int], None]) -> Outcome:
        """Crawl. Every `death_every` seconds, unless that is 0, a shard dies and is restarted after `away` seconds.

        `step` is called with the number of pages about once a second.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        cluster = LocalCluster(*self._about, clock=LoopClock, network=partial(SimulatedNetwork, self._weather))
        assert isinstance(cluster.network, SimulatedNetwork)
        killer = asyncio.create_task(self._kill(cluster, death_every, away)) if death_every else None
        try:
            tally = await cluster.run(step)
        finally:
            if killer is not None:
                killer.cancel()
        seconds = loop.time() - began
        return Outcome(tally.pages, tally.relevant, seconds, cluster.pages(), self._deaths, cluster.network.volume)

    async def _kill(self, cluster: LocalCluster, every: float, away: float) -> None:
        chance = Random(self._weather.seed + 1)
        while True:
            await asyncio.sleep(every)
            name = chance.choice(cluster.shards)
            crawler = cluster.sessions[name].crawler
            run = cluster.runs[name]
            if crawler is None or run.done():
                continue
            # Uncommitted data is lost, as when a process is killed.
            crawler.journal.commit = _never  # type: ignore[method-assign]
            del cluster.network.runners[name]
            run.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(run, return_exceptions=True)
            self._deaths += 1
            asyncio.get_running_loop().call_later(away, partial(cluster.start, name))


def _never(*_: object, **__: object) -> bool:
    return False
