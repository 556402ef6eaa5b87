"""Progress of a running crawl: a live panel in a terminal, plain lines elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.table import Table

from honeyguide.cli.output import say
from honeyguide.crawl.crawler import Crawler
from honeyguide.crawl.session import Session
from honeyguide.frontier import HostState, State
from honeyguide.store.reasons import describe

_REFRESH = 0.5
_LINE_EVERY = 10.0
_SPEED_OVER = 10.0
_CENSUS_SHARE = 0.01


class _Speed:
    """Pages per second, over the last seconds."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()

    def now(self, pages: int) -> float:
        moment = time.monotonic()
        self._marks.append((moment, pages))
        while len(self._marks) > 2 and moment - self._marks[0][0] > _SPEED_OVER:
            self._marks.popleft()
        since, before = self._marks[0]
        return (pages - before) / (moment - since) if moment > since else 0.0


class _Census:
    """How many hosts are in each state. Counting looks at every host, so it is given 1 % of the time at most."""

    def __init__(self) -> None:
        self._counts: Counter[HostState] = Counter()
        self._next = 0.0

    def of(self, crawler: Crawler) -> Counter[HostState]:
        began = time.monotonic()
        if began >= self._next:
            self._counts = crawler.frontier.host_states()
            self._next = began + (time.monotonic() - began) / _CENSUS_SHARE
        return self._counts


async def show(session: Session, stream: TextIO) -> None:
    """Show a session until cancelled."""
    console = Console(file=stream)
    if console.is_terminal:
        await _show_live(session, console)
    else:
        await _show_lines(session, stream)


async def _show_live(session: Session, console: Console) -> None:
    speed, census = _Speed(), _Census()
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while True:
            await asyncio.sleep(_REFRESH)
            crawler = session.crawler
            if crawler is not None:
                live.update(_panel(crawler, speed.now(crawler.tally.pages), census.of(crawler)), refresh=True)


async def _show_lines(session: Session, stream: TextIO) -> None:
    speed = _Speed()
    while True:
        await asyncio.sleep(_LINE_EVERY)
        if session.crawler is not None:
            say(line(session.crawler, speed.now(session.crawler.tally.pages)), file=stream, flush=True)


def line(crawler: Crawler, pages_per_second: float) -> str:
    """The progress of a crawl in one line."""
    tally = crawler.tally
    errors = f", errors: {describe(tally.errors)}" if tally.errors else ""
    waiting = crawler.frontier.count(State.WAITING)
    return (
        f"{tally.pages:,} pages, {tally.relevant:,} relevant, "
        f"harvest rate {tally.harvest:.1%} (now {tally.harvest_now:.1%}), "
        f"{pages_per_second:.1f} pages/s, {waiting:,} URLs waiting{errors}"
    )


def _panel(crawler: Crawler, pages_per_second: float, census: Counter[HostState]) -> Table:
    tally, frontier, budget = crawler.tally, crawler.frontier, crawler.topic.budget
    panel = Table.grid(padding=(0, 2))
    panel.add_column(style="dim", justify="right")
    panel.add_column()
    of_budget = f" of {budget.pages:,}" if budget.pages else ""
    panel.add_row("crawl", f"[bold]{crawler.topic.name}[/bold]   {_duration(tally.seconds)}   Ctrl-C saves and exits")
    panel.add_row("pages", f"{tally.pages:,}{of_budget}   {pages_per_second:.1f}/s   {tally.size / 1e6:,.1f} MB")
    panel.add_row("relevant", f"[bold]{tally.relevant:,}[/bold]   {tally.duplicates:,} duplicates not counted")
    panel.add_row("harvest rate", f"now {tally.harvest_now:.1%}   overall {tally.harvest:.1%}")
    panel.add_row(
        "frontier", f"{frontier.count(State.WAITING):,} waiting   {frontier.count(State.IN_FLIGHT):,} in flight"
    )
    hosts = ((HostState.READY, "ready"), (HostState.BUSY, "busy"), (HostState.RESTING, "resting"))
    panel.add_row("hosts", "   ".join(f"{census[state]:,} {word}" for state, word in hosts))
    panel.add_row("errors", describe(tally.errors) or "none")
    return panel


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
