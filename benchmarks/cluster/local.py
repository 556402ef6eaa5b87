"""A whole cluster in one process: shards as tasks of one event loop, and calls instead of messages.

Everything except Ray is real: sessions with their databases and archives, the coordinator with its file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from honeyguide.cluster.head import ClusterHead
from honeyguide.cluster.mail import Parcel, Receipt
from honeyguide.cluster.messages import Orders, ShardReport
from honeyguide.cluster.move import prepare
from honeyguide.cluster.ring import Ring
from honeyguide.cluster.runner import ShardNetwork, ShardRunner, UnreachableError
from honeyguide.crawl.clock import Clock, WallClock
from honeyguide.crawl.session import Session
from honeyguide.fetch.base import Fetcher
from honeyguide.relevance import saved
from honeyguide.relevance.models import make_model
from honeyguide.store.tally import Tally
from honeyguide.topic import Topic, dump
from honeyguide.topic.material import material_of


class LocalNetwork(ShardNetwork):
    """Carries messages between objects, immediately."""

    def __init__(self, head: ClusterHead) -> None:
        self.head = head
        self.runners: dict[str, ShardRunner] = {}

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Send a parcel to its receiver."""
        runner = self.runners.get(parcel.receiver)
        if runner is None:
            raise UnreachableError("dead")
        return await runner.receive(parcel)

    async def report(self, report: ShardReport) -> Orders:
        """Send a report to the coordinator."""
        return self.head.report(report)


class LocalCluster:
    """The crawl on several shards."""

    def __init__(
        self,
        topic: Topic,
        folder: Path,
        fetcher: Callable[[], Fetcher],
        shards: int,
        *,
        clock: Callable[[], Clock] = WallClock,
        network: Callable[[ClusterHead], LocalNetwork] = LocalNetwork,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        layout = prepare(folder, topic, shards)
        (folder / "topic.toml").write_text(dump(topic), encoding="utf-8")
        if not (folder / saved.FOLDER).exists():
            saved.save(make_model(material_of(topic)), folder / saved.FOLDER)
        self.shards = layout.shards
        self.sessions: dict[str, Session] = {}
        self.runs: dict[str, asyncio.Task[None]] = {}
        self._topic = topic
        self._folder = folder
        self._fetcher = fetcher
        self._clock = clock
        self._ring = Ring(layout.shards)
        self.head = ClusterHead(folder, topic, clock())
        self.network = network(self.head)

    async def run(self, step: Callable[[int], None] = lambda _: None) -> Tally:
        """Crawl until the end. `step` is called with the number of pages about once a second."""
        for name in self.shards:
            self.start(name)
        try:
            while not self.head.coordinator.has_ended:
                await asyncio.sleep(1.0)
                step(self.head.coordinator.tally.pages)
                for run in [one for one in self.runs.values() if one.done() and not one.cancelled()]:
                    run.result()
        finally:
            for run in self.runs.values():
                run.cancel()
            await asyncio.gather(*self.runs.values(), return_exceptions=True)
            self.head.close()
        return self.head.coordinator.tally

    def pages(self) -> dict[str, int]:
        """The number of pages of each shard."""
        return {name: report.tally.pages for name, report in self.head.coordinator.reports.items()}

    def start(self, name: str) -> None:
        """Start a shard, for the first time or again."""

        def make(**more: object) -> Session:
            folder = self._folder / "shards" / name
            session = Session(
                self._topic,
                folder,
                fetcher=self._fetcher,
                workers=0,
                clock=self._clock(),
                **more,  # type: ignore[arg-type]
            )
            self.sessions[name] = session
            return session

        runner = ShardRunner(name, self._ring, self.network, make)
        self.network.runners[name] = runner
        self.runs[name] = asyncio.create_task(_run(runner))


async def _run(runner: ShardRunner) -> None:
    await runner.run()
