"""A whole cluster in one process: shards as tasks of one event loop, and a network that can be told to misbehave."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from honeyguide.cluster.coordinator import Coordinator
from honeyguide.cluster.head import ClusterHead
from honeyguide.cluster.mail import Parcel, Receipt
from honeyguide.cluster.messages import Orders, ShardReport
from honeyguide.cluster.move import prepare
from honeyguide.cluster.ring import Ring
from honeyguide.cluster.runner import ShardRunner, UnreachableError
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.relevance import saved
from honeyguide.relevance.models import make_model
from honeyguide.topic import Topic, dump
from honeyguide.topic.material import material_of

QUICK = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "backoff": 0.0}


def topic_of(seeds: Sequence[str], keywords: str = "honey, bee", **tables: Any) -> Topic:
    """A topic without delays, with a model that scores a page alike in every order of pages."""
    fetch = {**QUICK, "connections": 4, **tables.pop("fetch", {})}
    relevance = {"model": "vsm", **tables.pop("relevance", {})}
    return Topic.make(name="test", seeds=seeds, keywords=keywords, fetch=fetch, relevance=relevance, **tables)


def run_alone(topic: Topic, folder: Path, fetcher: Callable[[], Any], **options: Any) -> CrawlResult:
    """The same crawl on one machine."""
    return asyncio.run(Session(topic, folder, fetcher=fetcher, workers=0, **options).run())


class LocalNetwork:
    """Carries messages between objects. A part of them, or of their answers, is lost, and some arrive twice."""

    def __init__(self, head: ClusterHead, seed: int = 0, lost: float = 0.0) -> None:
        self.head = head
        self.runners: dict[str, ShardRunner] = {}
        self.parcels = 0
        self.reports = 0
        self.bytes = 0
        self._random = Random(seed)
        self._lost = lost

    def _lose(self) -> None:
        if self._random.random() < self._lost:
            raise UnreachableError("lost")

    async def deliver(self, parcel: Parcel) -> Receipt:
        self.parcels += 1
        self.bytes += sum(map(len, parcel.items))
        self._lose()
        runner = self.runners.get(parcel.receiver)
        if runner is None:
            raise UnreachableError("not there")
        receipt = await runner.receive(parcel)
        if self._random.random() < self._lost:
            receipt = await runner.receive(parcel)
        self._lose()
        return receipt

    async def report(self, report: ShardReport) -> Orders:
        self.reports += 1
        self._lose()
        orders = self.head.report(report)
        self._lose()
        return orders


async def until(is_so: Callable[[], object], every: float = 0.01) -> None:
    """Wait for what happens in files, or in other processes."""
    while not is_so():  # noqa: ASYNC110 (nobody could set an event)
        await asyncio.sleep(every)


def names(count: int) -> list[str]:
    return [f"{number:02}" for number in range(count)]


def settled_in(topic: Topic, folder: Path, count: int, **options: Any) -> ClusterHead:
    """The coordinator of a crawl, new or not, that is divided into so many shards."""
    folder.mkdir(parents=True, exist_ok=True)
    prepare(folder, topic, count)
    (folder / "topic.toml").write_text(dump(topic))
    if not (folder / "model").exists():
        saved.save(make_model(material_of(topic)), folder / "model", {saved.KEYWORDS: list(topic.keywords)})
    return ClusterHead(folder, topic, **options)


class LocalCluster:
    """The shards of a crawl as tasks; any of them, or the coordinator, can be killed and started again."""

    def __init__(
        self,
        topic: Topic,
        folder: Path,
        fetcher: Callable[[], Any],
        count: int,
        lost: float,
        seed: int,
        **options: Any,
    ) -> None:
        """`options` are for the sessions, and for the coordinator, too."""
        self._topic, self._folder, self._fetcher, self._options = topic, folder, fetcher, options
        self.network = LocalNetwork(settled_in(topic, folder, count, **options), seed, lost)
        self.shards = self.network.head.coordinator.shards
        self._sessions: dict[str, Session] = {}
        self._runs: dict[str, asyncio.Task[CrawlResult]] = {}

    def start(self, shard: str) -> None:
        def make(**more: Any) -> Session:
            place, options = self._folder / "shards" / shard, {**self._options, **more}
            session = Session(self._topic, place, fetcher=self._fetcher, workers=0, **options)
            self._sessions[shard] = session
            return session

        runner = self.network.runners[shard] = ShardRunner(shard, Ring(self.shards), self.network, make)
        self._runs[shard] = asyncio.create_task(runner.run())

    async def kill(self, shard: str) -> None:
        """End a shard as by SIGKILL: nothing is committed any more."""
        crawler = self._sessions[shard].crawler
        if crawler is not None:
            crawler.journal.commit = lambda *_, **__: False  # type: ignore[method-assign]
        del self.network.runners[shard]
        self._runs[shard].cancel()
        await asyncio.gather(self._runs[shard], return_exceptions=True)

    async def replace_coordinator(self) -> None:
        await self.close()
        self.network.head = ClusterHead(self._folder, self._topic, **self._options)

    async def close(self) -> None:
        await self.network.head.lessons.close()
        self.network.head.close()

    async def run(self) -> list[CrawlResult]:
        """Until all shards have ended."""
        for shard in self.shards:
            self.start(shard)
        try:
            while not all(run.done() and not run.cancelled() for run in self._runs.values()):
                self.network.head.poll()
                await asyncio.sleep(0.02)
                for run in self._runs.values():
                    if run.done() and not run.cancelled():
                        run.result()
            return [run.result() for run in self._runs.values()]
        finally:
            for run in self._runs.values():
                run.cancel()
            await asyncio.gather(*self._runs.values(), return_exceptions=True)
            await self.close()


async def run_cluster(
    topic: Topic,
    folder: Path,
    fetcher: Callable[[], Any],
    count: int,
    *,
    lost: float = 0.0,
    seed: int = 0,
    meanwhile: Callable[[LocalCluster], Coroutine[Any, Any, None]] | None = None,
    **options: Any,
) -> tuple[Coordinator, LocalNetwork, list[CrawlResult]]:
    cluster = LocalCluster(topic, folder, fetcher, count, lost, seed, **options)
    other = asyncio.create_task(meanwhile(cluster)) if meanwhile is not None else None
    try:
        results = await cluster.run()
        if other is not None:
            await other
    finally:
        if other is not None:
            other.cancel()
    return cluster.network.head.coordinator, cluster.network, results


def pages_of(folders: Sequence[Path]) -> list[str]:
    """The URLs of all pages, with repetitions if there are any."""
    found: list[str] = []
    for folder in folders:
        with closing(sqlite3.connect(folder / "crawl.sqlite")) as connection:
            found += [url for (url,) in connection.execute("SELECT url FROM pages JOIN urls USING (id)")]
    return sorted(found)
