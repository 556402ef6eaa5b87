"""Runs one shard: its session, and its messages to and from the others, over any network."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, Protocol

from honeyguide.cluster.leases import LeaseRequest
from honeyguide.cluster.mail import Parcel, Receipt
from honeyguide.cluster.messages import Orders, ShardReport
from honeyguide.cluster.ring import Ring
from honeyguide.cluster.shard import Shard
from honeyguide.crawl.budget import StopReason
from honeyguide.crawl.recorder import Recorder
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.errors import HoneyguideError, one_line
from honeyguide.frontier import Frontier
from honeyguide.store.inbox import deliver
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.topic import Topic

_log = logging.getLogger("honeyguide.cluster")

TALK_EVERY: Final = 1.0
"""Seconds between two reports of an idle shard, and the maximum for any shard."""
_BUSY_INTERVAL: Final = 1 / 64  # seconds per shard of the crawl, between two reports of a busy shard ...
_MIN_INTERVAL: Final = 0.2  # ... and at least
_FILL: Final = 1 / 32  # seconds per shard of the crawl, at most 2 in total, for which a parcel waits to be filled
_MIN_WAIT: Final = 0.1  # seconds between two reports, even if the shard needs pages
RETRY = 1.0
"""Seconds until the next attempt to send to a shard that could not be reached."""
_ANSWER_WITHIN: Final = 30.0


def _time() -> float:
    return asyncio.get_running_loop().time()


class UnreachableError(Exception):
    """A message could not be delivered or was not answered, and has to be sent again."""


class ShardNetwork(Protocol):
    """Carries messages. Each call may raise `UnreachableError`, even though the message may have arrived."""

    async def deliver(self, parcel: Parcel) -> Receipt:
        """Send a parcel to its receiver."""
        ...

    async def report(self, report: ShardReport) -> Orders:
        """Send a report to the coordinator."""
        ...


class ShardRunner:
    """Runs a shard, which crawls and exchanges messages until the coordinator ends the run."""

    def __init__(self, name: str, ring: Ring, network: ShardNetwork, make_session: Callable[..., Session]) -> None:
        """`make_session` makes the session of the shard; it is called with the keyword argument `shard`."""
        self.name = name
        self._ring = ring
        self._network = network
        self._shard: Shard | None = None
        self._session = make_session(shard=self._make)
        self._has_begun = asyncio.Event()
        self._changed = asyncio.Event()
        self._sending: dict[str, asyncio.Task[None]] = {}
        self._retry_at: dict[str, float] = {}
        self._filling_since: dict[str, float] = {}  # by receiver, since when there is something to send
        self._leases: dict[str, LeaseRequest] = {}

    def _make(self, topic: Topic, frontier: Frontier, queue: CheckedQueue, recorder: Recorder) -> Shard:
        session = self._session
        self._shard = Shard(self.name, self._ring, topic, frontier, queue, recorder, session.clock.now)
        self._shard.on_commit = self._on_commit
        return self._shard

    def _on_commit(self) -> None:
        self._has_begun.set()
        self._changed.set()

    # ---- messages from other shards ----

    async def receive(self, parcel: Parcel) -> Receipt:
        """Take a parcel from another shard. Returns once its items are committed."""
        if self._shard is None or not self._shard.has_begun:
            raise UnreachableError(f"shard {self.name} has not begun")
        answer, receipt = self._shard.receive(parcel)
        return Receipt(await receipt, answer)

    # ---- the run ----

    async def run(self) -> CrawlResult:
        """Crawl until the coordinator ends the run. Raises whatever the session raises."""
        crawl = asyncio.create_task(self._session.run())
        talk = asyncio.create_task(self._communicate())
        talk.add_done_callback(lambda _: self.request_stop())  # if it has failed, nobody else would end the crawl
        try:
            try:
                result = await crawl
                if talk.done():
                    talk.result()
            except HoneyguideError as error:
                if self._shard is not None:
                    self._shard.has_ended(StopReason("failed", one_line(error)))
                    await self._report_end(talk)
                raise
            assert self._shard is not None
            self._shard.has_ended(result.stop)
            await self._report_end(talk)
            return result
        finally:
            for task in (crawl, talk, *self._sending.values()):
                task.cancel()
            await asyncio.gather(crawl, talk, *self._sending.values(), return_exceptions=True)

    def request_stop(self) -> None:
        """Stop without waiting for the coordinator."""
        self._session.request_stop()

    async def _report_end(self, talk: asyncio.Task[None]) -> None:
        """Report to the coordinator how the run ended; try a few times."""
        talk.cancel()
        await asyncio.gather(talk, return_exceptions=True)
        for attempt in range(5):
            if await self._report():
                return
            await asyncio.sleep(0.2 * 2**attempt)

    async def _communicate(self) -> None:
        await self._has_begun.wait()
        shard = self._shard
        assert shard is not None
        reported = leases_checked = -TALK_EVERY
        while True:
            now = _time()
            busy = min(max(_BUSY_INTERVAL * len(self._ring.shards), _MIN_INTERVAL), TALK_EVERY)
            interval = TALK_EVERY if shard.is_quiet else busy
            if now - reported >= interval or (shard.needs_pages and now - reported >= _MIN_WAIT):
                reported = now
                await self._report()
            if now - leases_checked >= TALK_EVERY:
                leases_checked = now
                for owner, request in shard.lease_requests().items():
                    self._leases[owner] = request
            self._send()
            is_soon = shard.needs_pages or self._filling_since
            wait = _MIN_WAIT if is_soon else max(interval - (_time() - reported), _MIN_WAIT)
            self._changed.clear()
            timer = asyncio.get_running_loop().call_later(wait, self._changed.set)
            try:
                await self._changed.wait()
            finally:
                timer.cancel()

    async def _report(self) -> bool:
        shard = self._shard
        assert shard is not None
        if shard.lessons is not None:
            await shard.lessons.refresh()
        report = shard.report()
        try:
            orders = await self._network.report(report)
        except UnreachableError as error:
            _log.warning("shard %s: the coordinator cannot be reached: %s", self.name, error)
            return False
        shard.take_orders(report, orders, self._in_progress())
        for message in shard.take_commands():
            deliver(self._session.folder.path, message)
        return True

    def _in_progress(self) -> int:
        crawler = self._session.crawler
        return 0 if crawler is None else crawler.pages_in_progress

    def _send(self) -> None:
        """Start to send whatever is due, one parcel at a time per receiver."""
        shard, now = self._shard, _time()
        assert shard is not None
        fill = min(_FILL * len(self._ring.shards), 2.0)
        for receiver in {*shard.receivers(), *self._leases}:
            task = self._sending.get(receiver)
            is_filled = receiver in self._leases or now >= self._filling_since.setdefault(receiver, now) + fill
            if (task is None or task.done()) and is_filled and now >= self._retry_at.get(receiver, 0.0):
                self._filling_since.pop(receiver, None)
                self._sending[receiver] = asyncio.create_task(self._deliver(receiver))

    async def _deliver(self, receiver: str) -> None:
        shard = self._shard
        assert shard is not None
        leases = self._leases.pop(receiver, LeaseRequest())
        asked_at = self._session.clock.now()
        parcel = shard.parcel(receiver, leases)
        try:
            receipt = await asyncio.wait_for(self._network.deliver(parcel), _ANSWER_WITHIN)
        except (UnreachableError, TimeoutError) as error:
            _log.info("shard %s: shard %s cannot be reached: %s", self.name, receiver, one_line(error))
            self._retry_at[receiver] = _time() + RETRY
            return
        shard.acknowledged(receiver, asked_at, receipt)
        if parcel.items and receipt.received < parcel.first:  # it is about to end and accepts nothing more
            self._retry_at[receiver] = _time() + RETRY
        else:
            self._changed.set()
