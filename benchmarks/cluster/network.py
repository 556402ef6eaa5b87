"""A whole cluster in one process, on a clock that jumps: shards as objects, and a network that delays and loses.

Everything but Ray is the real thing: sessions with their databases and archives, the coordinator with its file.
"""

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

from benchmarks.reliability.virtual_time import LoopClock
from honeyguide.cluster import items
from honeyguide.cluster.head import ClusterHead
from honeyguide.cluster.mail import Parcel, Receipt
from honeyguide.cluster.messages import Orders, ShardReport
from honeyguide.cluster.move import prepare
from honeyguide.cluster.ring import Ring
from honeyguide.cluster.runner import ShardNetwork, ShardRunner, UnreachableError
from honeyguide.crawl.session import Session
from honeyguide.fetch.base import Failure, Fetcher, Request, Response
from honeyguide.relevance import saved
from honeyguide.relevance.models import choose, make_model
from honeyguide.topic import Topic, dump
from honeyguide.topic.material import material_of

_SAMPLED = 16  # one in so many reports is measured: to pack it costs more than to handle it
_TIMEOUT = 2.0  # seconds after which a message that was lost is known to be


@dataclass(slots=True)
class Volume:
    """What went over the network."""

    parcels: int = 0
    parcel_bytes: int = 0
    links: int = 0
    url_bytes: int = 0
    """Those of the parcels that are URLs, before compression."""
    reports: int = 0
    report_bytes: float = 0.0
    """Estimated from a sample: reports and what they were answered, as Ray packs them."""
    lost: int = 0
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Weather:
    """How bad the network is."""

    delay: float = 0.02
    """Seconds that a message takes, on average: half of that at least."""
    lost: float = 0.0
    """The part of messages that are lost, and of answers."""
    seed: int = 0


class SimulatedNetwork(ShardNetwork):
    """Carries messages between objects."""

    def __init__(self, head: ClusterHead, weather: Weather) -> None:
        self.head = head
        self.runners: dict[str, ShardRunner] = {}
        self.volume = Volume()
        self._weather = weather
        self._random = Random(weather.seed)

    async def _travel(self) -> None:
        if self._random.random() < self._weather.lost:
            self.volume.lost += 1
            await asyncio.sleep(_TIMEOUT)
            raise UnreachableError("lost")
        await asyncio.sleep(self._weather.delay * (0.5 + self._random.expovariate(2.0)))

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Send a parcel to its receiver."""
        volume = self.volume
        volume.parcels += 1
        volume.parcel_bytes += len(parcel.content)
        volume.pairs[parcel.sender, parcel.receiver] += 1
        await self._travel()
        runner = self.runners.get(parcel.receiver)
        if runner is None:
            raise UnreachableError("dead")
        receipt = await runner.receive(parcel)
        await self._travel()
        for content in parcel.items():
            for item in items.unpack(content):
                if isinstance(item, items.PageLinks):
                    volume.links += len(item.reading.links)
                    volume.url_bytes += sum(map(len, item.reading.links.urls))
        return receipt

    async def report(self, report: ShardReport) -> Orders:
        """Send a report to the coordinator."""
        volume = self.volume
        volume.reports += 1
        await self._travel()
        orders = self.head.report(report)
        if volume.reports % _SAMPLED == 1:
            volume.report_bytes += _SAMPLED * (len(pickle.dumps(report)) + len(pickle.dumps(orders)))
        await self._travel()
        return orders


class SlowFetcher(Fetcher):
    """Another fetcher, whose answers take a while on the clock of the loop."""

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
        """Close the other one."""
        await self._inner.close()


@dataclass(slots=True)
class Outcome:
    """How a simulated crawl ended."""

    pages: int
    relevant: int
    seconds: float
    """On the virtual clock."""
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
    """The crawl on several machines, one of which dies now and then."""

    def __init__(
        self, topic: Topic, folder: Path, fetcher: Callable[[], Fetcher], shards: int, weather: Weather
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._topic = topic
        self._folder = folder
        self._fetcher = fetcher
        layout = prepare(folder, topic, shards)
        (folder / "topic.toml").write_text(dump(topic), encoding="utf-8")
        if not (folder / saved.FOLDER).exists():
            material = material_of(topic)
            saved.save(make_model(material, choose(material, one_machine=False).model), folder / saved.FOLDER)
        self._shards = layout.shards
        self._ring = Ring(layout.shards)
        self._weather = weather
        self._sessions: dict[str, Session] = {}
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._deaths = 0

    async def run(self, *, death_every: float = 0.0, away: float = 10.0, step: Callable[[int], None]) -> Outcome:
        """Crawl. Every `death_every` seconds a shard dies, unless that is 0, and is back after `away` seconds.

        `step` is told the number of pages about once a second.
        """
        loop = asyncio.get_running_loop()
        began = loop.time()
        head = ClusterHead(self._folder, self._topic, LoopClock())
        self._network = SimulatedNetwork(head, self._weather)
        for name in self._shards:
            self._start(name)
        killer = asyncio.create_task(self._kill(death_every, away)) if death_every else None
        try:
            while not head.coordinator.has_ended:
                await asyncio.sleep(1.0)
                step(head.coordinator.tally.pages)
                for run in [one for one in self._runs.values() if one.done() and not one.cancelled()]:
                    run.result()
            seconds = loop.time() - began
        finally:
            if killer is not None:
                killer.cancel()
            for run in self._runs.values():
                run.cancel()
            await asyncio.gather(*self._runs.values(), return_exceptions=True)
            head.close()
        tally, reports = head.coordinator.tally, head.coordinator.reports
        pages = {name: report.tally.pages for name, report in reports.items()}
        return Outcome(tally.pages, tally.relevant, seconds, pages, self._deaths, self._network.volume)

    def _start(self, name: str) -> None:
        def make(**more: object) -> Session:
            session = Session(
                self._topic,
                self._folder / "shards" / name,
                fetcher=self._fetcher,
                workers=0,
                clock=LoopClock(),
                **more,  # type: ignore[arg-type]
            )
            self._sessions[name] = session
            return session

        runner = ShardRunner(name, self._ring, self._network, make)
        self._network.runners[name] = runner
        self._runs[name] = asyncio.create_task(_run(runner))

    async def _kill(self, every: float, away: float) -> None:
        chance = Random(self._weather.seed + 1)
        while True:
            await asyncio.sleep(every)
            name = chance.choice(self._shards)
            crawler = self._sessions[name].crawler
            run = self._runs[name]
            if crawler is None or run.done():
                continue
            # What was not committed is lost, as when a process is killed.
            crawler.journal.commit = _never  # type: ignore[method-assign]
            del self._network.runners[name]
            run.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(run, return_exceptions=True)
            self._deaths += 1
            asyncio.get_running_loop().call_later(away, partial(self._start, name))


async def _run(runner: ShardRunner) -> None:
    await runner.run()


def _never(*_: object, **__: object) -> bool:
    return False
