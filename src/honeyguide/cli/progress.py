"""Progress of a running crawl: a live panel in a terminal, plain lines elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from typing import TextIO

from rich.console import Console
from rich.live import Live

from honeyguide.cli.output import say
from honeyguide.cli.panel import CrawlProgress, HarvestCurve, duration, panel, rate
from honeyguide.crawl.budget import LimitState, nearest_limit
from honeyguide.crawl.crawler import Crawler
from honeyguide.crawl.session import Session
from honeyguide.crawl.visits import VisitStart
from honeyguide.frontier import HostState, State
from honeyguide.page.readable import readable, readable_host
from honeyguide.page.url import host_of
from honeyguide.store.reasons import describe

_REFRESH = 0.5
_LINE_EVERY = 10.0
_SPEED_OVER = 10.0
_CENSUS_SHARE = 0.01
_SHOWN_IN_PROGRESS = 3


class _Speed:
    """How fast a number grows per second, over the last seconds; None at first."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, float]] = deque()

    def now(self, number: float) -> float | None:
        moment = asyncio.get_running_loop().time()
        self._marks.append((moment, number))
        while len(self._marks) > 2 and moment - self._marks[0][0] > _SPEED_OVER:
            self._marks.popleft()
        since, before = self._marks[0]
        return (number - before) / (moment - since) if moment > since else None


class _Census:
    """How many hosts are in each state. Counting looks at every host, so it is given 1 % of the time at most."""

    def __init__(self) -> None:
        self._counts: Counter[HostState] = Counter()
        self._next = 0.0

    def of(self, crawler: Crawler) -> Counter[HostState]:
        began = time.monotonic()
        if began >= self._next:
            self._counts = crawler.frontier.hosts.states()
            self._next = began + (time.monotonic() - began) / _CENSUS_SHARE
        return self._counts


class _Observer:
    """Takes snapshots of a crawl, and derives its speed and its history from earlier ones."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._census = _Census()
        self._pages = _Speed()
        self._towards = {kind: _Speed() for kind in ("pages", "relevant", "bytes", "minutes")}
        self._curve = HarvestCurve()
        self.look()

    def look(self) -> CrawlProgress:
        crawler, tally = self._crawler, self._crawler.tally
        limit = nearest_limit(crawler.topic.budget, tally)
        self._curve.add(tally.pages, tally.relevant)
        moment = asyncio.get_running_loop().time()
        visits = sorted(crawler.in_progress(), key=lambda visit: visit.kind == "address")[:_SHOWN_IN_PROGRESS]
        return CrawlProgress(
            name=crawler.topic.name,
            tally=tally,
            pages_per_second=self._pages.now(tally.pages),
            limit=limit,
            seconds_left=self._seconds_left(limit),
            curve=self._curve,
            waiting=crawler.frontier.count(State.WAITING),
            in_flight=crawler.frontier.count(State.IN_FLIGHT),
            hosts=self._census.of(crawler),
            awaited=crawler.frontier.hosts_awaited(),
            paused=crawler.is_held,
            last_command=crawler.last_command,
            visits=[(_shown(visit), moment - visit.began) for visit in visits],
        )

    def _seconds_left(self, limit: LimitState | None) -> float | None:
        if limit is None:
            return None
        speed = self._towards[limit.kind].now(limit.done)
        return (limit.most - limit.done) / speed if speed else None


async def show(session: Session, stream: TextIO) -> None:
    """Show a session until cancelled."""
    console = Console(file=stream)
    if console.is_terminal:
        await show_live(session, console)
    else:
        await _show_lines(session, stream)


async def show_live(session: Session, console: Console) -> None:
    """Show a panel at the bottom of a terminal, and remove it when cancelled."""
    observer = await _observer(session)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while True:
            live.update(panel(observer.look(), console.width, console.height), refresh=True)
            await asyncio.sleep(_REFRESH)


async def _show_lines(session: Session, stream: TextIO) -> None:
    observer = await _observer(session)
    while True:
        await asyncio.sleep(_LINE_EVERY)
        say(line(observer.look()), file=stream, flush=True)


async def _observer(session: Session) -> _Observer:
    """Take the first snapshot of a session, as soon as it has started."""
    while session.crawler is None:  # noqa: ASYNC110 (a fraction of a second; a session need not know of displays)
        await asyncio.sleep(_REFRESH / 10)
    return _Observer(session.crawler)


def _shown(visit: VisitStart) -> str:
    return f"looking up {readable_host(host_of(visit.url))}" if visit.kind == "address" else readable(visit.url)


def line(now: CrawlProgress) -> str:
    """The progress of a crawl in one line."""
    tally = now.tally
    limit = f" of {now.limit.most:,.0f}" if now.limit is not None and now.limit.kind == "pages" else ""
    left = f", about {duration(now.seconds_left)} left" if now.seconds_left is not None else ""
    errors = f", errors: {describe(tally.errors)}" if tally.errors else ""
    speed = f"{rate(now.pages_per_second)}, " if now.pages_per_second is not None else ""
    paused = "paused, " if now.paused else ""
    return (
        f"{paused}{tally.pages:,}{limit} pages, {tally.relevant:,} relevant, "
        f"harvest rate {tally.harvest:.1%} (now {tally.harvest_now:.1%}), "
        f"{speed}{now.waiting:,} URLs waiting{left}{errors}"
    )
