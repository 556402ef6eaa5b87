"""A whole cluster in one process: shards as tasks of one event loop, and a network that can be told to misbehave."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
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
from honeyguide.crawl.clock import WallClock
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.relevance import saved
from honeyguide.relevance.models import choose, make_model
from honeyguide.topic import Topic, dump
from honeyguide.topic.material import material_of

QUICK = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "backoff": 0.0}


def topic_of(seeds: Sequence[str], keywords: str = "honey, bee", **tables: Any) -> Topic:
    """A topic without delays."""
    fetch = {**QUICK, "connections": 4, **tables.pop("fetch", {})}
    return Topic.make(name="test", seeds=seeds, keywords=keywords, fetch=fetch, **tables)


def run_alone(topic: Topic, folder: Path, fetcher: Callable[[], Any]) -> CrawlResult:
    """The same crawl on one machine."""
    return asyncio.run(Session(topic, folder, fetcher=fetcher, workers=0).run())


class LocalNetwork:
    """Carries messages between objects. A part of them, or of their answers, is lost, and some arrive twice."""

    def __init__(self, coordinator: Coordinator, seed: int = 0, lost: float = 0.0) -> None:
        self.coordinator = coordinator
        self.runners: dict[str, ShardRunner] = {}
        self.parcels = 0
        self.reports = 0
        self.bytes = 0
        self._random = Random(seed)
        self._lost = lost
        self._clock = WallClock()

    def _lose(self) -> None:
        if self._random.random() < self._lost:
            raise UnreachableError("lost")

    async def deliver(self, parcel: Parcel) -> Receipt:
        self.parcels += 1
        self.bytes += len(parcel.content)
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
        orders = self.coordinator.report(report, self._clock.now())
        self._lose()
        return orders


def names(count: int) -> list[str]:
    return [f"{number:02}" for number in range(count)]


def settled_in(topic: Topic, folder: Path, count: int) -> ClusterHead:
    """The coordinator of a crawl, new or not, that is divided into so many shards."""
    folder.mkdir(parents=True, exist_ok=True)
    prepare(folder, topic, count)
    (folder / "topic.toml").write_text(dump(topic))
    if not (folder / "model").exists():
        material = material_of(topic)
        saved.save(make_model(material, choose(material, one_machine=False).model), folder / "model")
    return ClusterHead(folder, topic)


async def run_cluster(
    topic: Topic, folder: Path, fetcher: Callable[[], Any], count: int, *, lost: float = 0.0, seed: int = 0
) -> tuple[Coordinator, LocalNetwork, list[CrawlResult]]:
    head = settled_in(topic, folder, count)
    shards = head.coordinator.shards
    coordinator = head.coordinator
    network = LocalNetwork(coordinator, seed, lost)
    ring = Ring(shards)
    for shard in shards:
        make = partial(Session, topic, folder / "shards" / shard, fetcher=fetcher, workers=0)
        network.runners[shard] = ShardRunner(shard, ring, network, make)
    try:
        results = await asyncio.gather(*(runner.run() for runner in network.runners.values()))
    finally:
        head.close()
    return coordinator, network, list(results)


def pages_of(folders: Sequence[Path]) -> list[str]:
    """The URLs of all pages, with repetitions if there are any."""
    found: list[str] = []
    for folder in folders:
        with closing(sqlite3.connect(folder / "crawl.sqlite")) as connection:
            found += [url for (url,) in connection.execute("SELECT url FROM pages JOIN urls USING (id)")]
    return sorted(found)
