"""The requests of a page while a browser renders it: as polite as all requests of a crawl, and subject to robots.txt.

A rendered page is one visit. It holds one slot of each host that it requests from until it is done, and sends one
request at a time to each; afterwards, the host rests for its delay once per request. So the mean rate of requests to a
host is no higher than without a browser. Scripts and style sheets are requested once per run.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from honeyguide.crawl.blocking import Blocking
from honeyguide.crawl.clock import Clock
from honeyguide.crawl.neighbours import Neighbours
from honeyguide.crawl.pacing import Pacing
from honeyguide.crawl.recorder_protocol import RecorderProtocol
from honeyguide.crawl.robots import RobotsCache
from honeyguide.fetch.base import Failure, Fetcher, Locator, Request, Response
from honeyguide.fetch.ip import counted_as
from honeyguide.fetch.robots import Rules
from honeyguide.frontier import Frontier, HostSlot
from honeyguide.page.scope import DOMAIN, Scope
from honeyguide.page.url import UrlRules, host_of, origin_of

_KEPT = frozenset({"script", "stylesheet"})
_MAX_CACHE = 32_000_000  # bytes
_MOST_REDIRECTS = 3
_WAIT = 5.0  # seconds that a page waits for another host
_LOOK_AGAIN = 0.05


class AnswerCache:
    """A cache of recently fetched scripts and style sheets, which the pages of a site share."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Response] = OrderedDict()
        self._size = 0

    def get(self, url: str) -> Response | None:
        """The cached response of a URL; None if there is none."""
        found = self._kept.get(url)
        if found is not None:
            self._kept.move_to_end(url)
        return found

    def add(self, url: str, response: Response) -> None:
        """Cache a response; drops older ones if necessary."""
        if url not in self._kept and len(response.body) <= _MAX_CACHE:
            self._kept[url] = response
            self._size += len(response.body)
            while self._size > _MAX_CACHE:
                self._size -= len(self._kept.popitem(last=False)[1].body)


@dataclass(frozen=True, slots=True)
class RequestParts:
    """Everything that is needed to send requests for pages that are being rendered."""

    fetcher: Fetcher
    frontier: Frontier
    robots: RobotsCache
    pacing: Pacing
    journal: RecorderProtocol
    blocking: Blocking
    neighbours: Neighbours
    clock: Clock
    denied: Scope
    """Refuses the domains that the topic denies."""
    urls: UrlRules
    obeys_robots: bool
    cache: AnswerCache = field(default_factory=AnswerCache)


class PageRequests:
    """The requests of one page that is being rendered; the page already holds a slot of its own host."""

    def __init__(self, parts: RequestParts, url: str, allows: Callable[[str], bool]) -> None:
        """`allows` decides whether pages of the site may request a URL; it is also called for redirects."""
        self._parts = parts
        self._host = host_of(url)
        self._allows = allows
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._slots: dict[str, HostSlot] = {}
        self._tasks: set[asyncio.Task[Response | str]] = set()
        self.sent: Counter[str] = Counter()
        """Requests that were sent, by host."""
        self.size = 0
        """Bytes received."""
        self._is_finished = False

    async def fetch(self, url: str, kind: str) -> Response | str:
        """Fetch a resource for the page. Returns the reason if it may not or cannot be fetched."""
        if self._is_finished:
            return "late"
        task = asyncio.create_task(self._fetch(url, kind))
        self._tasks.add(task)
        await asyncio.wait({task})
        self._tasks.discard(task)
        return "late" if task.cancelled() else task.result()

    async def _fetch(self, url: str, kind: str) -> Response | str:
        known = self._parts.cache.get(url) if kind in _KEPT else None
        if known is not None:
            return known
        target: str | None = self._parts.urls.canonical(url) or None
        for _ in range(1 + _MOST_REDIRECTS):
            if target is None or not self._allows(target):
                return "site"
            answer = await self._politely(target)
            if isinstance(answer, str):
                return answer
            location = answer.header("location") if 300 <= answer.status < 400 else ""
            if not location:
                if kind in _KEPT and answer.status == 200:
                    self._parts.cache.add(url, answer)
                return answer
            target = self._parts.urls.join(target, location)
        return "redirects"

    async def finish(self) -> None:
        """Release the hosts when the page is done, and let them rest for the requests that they got."""
        self._is_finished = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        parts, now = self._parts, self._parts.clock.now()
        for slot in self._slots.values():
            parts.frontier.give_back(slot, now)
        self._slots.clear()
        for name, count in self.sent.items():
            # The slot of its own host is released later, with the page, whose request counts, too.
            parts.pacing.requested(parts.frontier.host_number(name), count + (name == self._host), now)
        parts.journal.tally.answers += self.sent.total()
        parts.journal.tally.size += self.size

    async def _politely(self, url: str) -> Response | str:
        parts, host = self._parts, host_of(url)
        if parts.blocking.blocks(url) or parts.denied.refusal(url) == DOMAIN:
            return "blocked"
        async with self._locks[host]:  # one at a time on a host
            if host != self._host and host not in self._slots and (why := await self._borrow(host, url)):
                return why
            if parts.obeys_robots:
                rules = await self._rules(origin_of(url))
                if rules is None or not rules.allowed(url):
                    return "robots"
            result = await self._send(url)
        return result.kind if isinstance(result, Failure) else result

    async def _send(self, url: str) -> Response | Failure:
        result = await self._parts.fetcher.fetch(Request(url, any_type=True))
        if not isinstance(result, Failure) or result.kind not in {"address", "dns"}:
            self.sent[host_of(url)] += 1
        if isinstance(result, Response):
            self.size += len(result.raw)
        return result

    async def _borrow(self, host: str, url: str) -> str:
        """Borrow a slot of another host until the page is done. Returns the reason if there is none, else ""."""
        parts = self._parts
        number = parts.frontier.host_number(host)
        if isinstance(parts.fetcher, Locator):
            address = parts.fetcher.known_address(url)
            if address is None:
                found = await parts.fetcher.find_address(url)
                if isinstance(found, Failure):
                    return found.kind
                address = found
            if address:
                parts.neighbours.locate(parts.frontier, number, counted_as(address))
        until = parts.clock.now() + _WAIT
        while (slot := parts.frontier.borrow(number, now := parts.clock.now())) is None:
            if max(now, parts.frontier.hosts.next_time(number)) >= until:
                return "busy"
            await asyncio.sleep(_LOOK_AGAIN)
        self._slots[host] = slot
        return ""

    async def _rules(self, origin: str) -> Rules | None:
        """The rules of an origin; None if they are unavailable now."""
        parts, robots = self._parts, self._parts.robots
        rules = robots.rules(origin, parts.clock.now())
        if rules is not None or robots.is_asking(origin):
            return rules
        robots.ask(origin)
        try:
            for _ in range(_MOST_REDIRECTS):
                address = robots.address(origin)
                if host_of(address) != host_of(origin + "/"):
                    break
                now = parts.clock.now()
                fetched = robots.learn(origin, await self._send(address), now)
                if fetched.rules is not None:
                    if fetched.rules.retry:
                        break
                    parts.journal.robots(origin, now, fetched.status, fetched.body)
                    parts.pacing.robots_known(origin, fetched.rules.crawl_delay)
                    return fetched.rules
                robots.ask(origin)
        finally:
            robots.give_up(origin)
        return None
