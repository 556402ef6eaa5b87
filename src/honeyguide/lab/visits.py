"""Visits on a virtual clock: answers are there at once, and are held back until they would have arrived."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Coroutine
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from honeyguide.crawl.readers import PageReaders
from honeyguide.crawl.visits import AddressVisit, BrokenVisit, Visit, Visits, is_page
from honeyguide.fetch.base import Fetcher, Response
from honeyguide.lab.clock import VirtualClock
from honeyguide.page.domains import registered_domain
from honeyguide.page.url import host_of


@dataclass(frozen=True, slots=True)
class RequestTiming:
    """How long requests take on a virtual web."""

    latency: float = 0.2
    """Seconds from a request to the first byte of its response."""
    bytes_per_second: float = 1e6
    delay: float = 1.0
    """Seconds between two requests to one host, if the visits wait for that and not the frontier."""
    domain_delay: float = 0.0
    """The same for one registered domain."""


class VirtualVisits(Visits):
    """The visits in progress. Each ends at a time that is the same in every run.

    A response takes its latency and the time for its bytes. A visit to a recently contacted host begins when the delays
    of the host and of its domain are over, so that a crawl whose frontier does not pace hosts still pays for contacting
    a host too often. All visits in progress are read before any of them ends, so the result does not depend on the
    readers and their speed.
    """

    def __init__(self, fetcher: Fetcher, readers: PageReaders, clock: VirtualClock, timing: RequestTiming) -> None:
        super().__init__(fetcher, readers)
        self._clock = clock
        self._timing = timing
        self._began: dict[asyncio.Task[Visit], float] = {}
        self._free: defaultdict[str, float] = defaultdict(float)  # by host, when it may be contacted again
        self._free_domains: defaultdict[str, float] = defaultdict(float)
        self._ending: list[tuple[float, int, Visit]] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._began) + len(self._ending)

    def late(self) -> int:
        """Always 0: recorded responses always arrive."""
        return 0

    def _start(self, visit: Coroutine[Any, Any, Visit], url: str, kind: str) -> None:  # noqa: ARG002
        task = asyncio.get_running_loop().create_task(visit)
        self._began[task] = self._clock.now()

    async def ended(self, within: float) -> list[Visit]:
        """The visits that end next, all at the same virtual time; none if that is more than `within` seconds away."""
        await self._read_all()
        latest = self._clock.now() + max(within, 0.0)
        if not self._ending or self._ending[0][0] > latest:
            self._clock.wait_until(latest)
            return []
        time = self._ending[0][0]
        self._clock.wait_until(time)
        ended = []
        while self._ending and self._ending[0][0] <= time:
            ended.append(heappop(self._ending)[2])
        self.pages -= sum(is_page(visit) for visit in ended)
        return ended

    async def cancel(self) -> None:
        """Cancel the visits in progress."""
        for task in self._began:
            task.cancel()
        await asyncio.gather(*self._began, return_exceptions=True)
        self._began.clear()
        self._ending.clear()

    async def _read_all(self) -> None:
        """Wait for all responses and readings, and schedule the end of each visit, in the order of their starts."""
        for task, began in self._began.items():
            visit = await task
            if isinstance(visit, BrokenVisit):
                raise visit.error
            assert not isinstance(visit, AddressVisit)  # virtual webs have no addresses
            size = len(visit.result.raw) if isinstance(visit.result, Response) else 0
            host, timing = host_of(visit.result.url), self._timing
            domain = registered_domain(host)
            begins = max(began, self._free[host], self._free_domains[domain])
            ends = begins + timing.latency + size / timing.bytes_per_second
            self._free[host] = ends + timing.delay
            self._free_domains[domain] = ends + timing.domain_delay
            heappush(self._ending, (ends, self._count, visit))
            self._count += 1
        self._began.clear()
