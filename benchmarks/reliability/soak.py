"""A week of crawling with all faults, in virtual time: does memory grow by more than the URLs that are known?

    python -m benchmarks.reliability.soak --pages 150000 --days 7

The demo web answers as slowly as the web does, and with all of its faults: hosts that hang, drip or break off, errors,
redirects, robots.txt that cannot be had, traps. The crawl has the default politeness, and one connection, so that the
pages last for the days. It ends and goes on every day, in the same process; all time is that of the crawl's clock.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import gc
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path
from zlib import crc32

from typing_extensions import override

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.reliability.aftermath import check_tables
from benchmarks.reliability.memory import Memory, Sample
from benchmarks.reliability.virtual_time import LoopClock, run_virtually
from honeyguide.crawl import crawler
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Failure, Fetcher, Request, Response
from honeyguide.fetch.settings import FetchSettings
from honeyguide.topic import Topic

_DAY = 86_400.0
_SUBJECT = "beekeeping"
_COMMIT_EVERY = 20.0  # virtual seconds: a commit a second would take longer than the crawl
_SAMPLES = 100


class SlowFetcher(Fetcher):
    """The demo web, with the time that answers take, and that timeouts need to run out.

    The web is in a process of its own, so that what it remembers is not counted. It is waited for without the event
    loop, whose time jumps.
    """

    def __init__(self, web: DemoWeb, topic: Topic, seconds: float) -> None:
        """`seconds` are how long an answer takes on average."""
        self._timeout = topic.fetch.read_timeout
        self._mean = seconds
        self._line, other = Pipe()
        Process(target=_serve, args=(web, topic.fetch, other), daemon=True).start()
        self.requests: Counter[str] = Counter()

    @override
    async def fetch(self, request: Request) -> Response | Failure:
        request.sent()
        self._line.send(Request(request.url, request.any_type, request.listing, request.patient))  # all but `sent`
        result: Response | Failure = self._line.recv()
        timed_out = isinstance(result, Failure) and result.kind == "timeout"
        spread = crc32(request.url.encode()) % 1000 / 500  # 0 to 2: the mean is 1
        elapsed = self._timeout if timed_out else self._mean * spread
        await asyncio.sleep(elapsed)
        self.requests[result.kind if isinstance(result, Failure) else str(result.status)] += 1
        return replace(result, elapsed=elapsed)

    @override
    async def close(self) -> None:
        """The web stays for the next run."""


def _serve(web: DemoWeb, settings: FetchSettings, line: Connection) -> None:
    """Answer requests until this process is ended."""

    async def serve() -> None:
        fetcher = DemoFetcher(web, settings)
        while True:
            line.send(await fetcher.fetch(line.recv()))

    with suppress(EOFError):
        asyncio.run(serve())


def _topic(web: DemoWeb, strategy: str) -> Topic:
    return Topic.make(
        name="soak",
        seeds=[*web.seeds(_SUBJECT), web.faulty_seed],
        keywords=web.keywords(_SUBJECT),
        strategy={"name": strategy},
        budget={"pages": 0},
        fetch={"connections": 1, "contact": "mailto:benchmark@example.org"},
    )


def soak(
    work: Path, pages: int, days: float, strategy: str
) -> tuple[list[Sample], Counter[str], list[CrawlResult], float]:
    """Crawl; returns the memory, the answers, the end of each run, and the days that passed."""
    crawler.COMMIT_EVERY = _COMMIT_EVERY
    web = DemoWeb(pages=round(pages * 1.3), page_kb=1.0, faults=True)
    topic = _topic(web, strategy)
    # Somewhat shorter than would be enough: some answers are no pages, and hosts have to be waited for.
    fetcher = SlowFetcher(web, topic, topic.fetch.connections * days * _DAY / (pages * 1.15))
    memory, clock = Memory(max(1, pages // _SAMPLES), sys.stderr), LoopClock(time.time())
    runs: list[CrawlResult] = []
    while clock.ahead < days * _DAY:
        runs.append(run_virtually(_one_day(topic, work / "crawl", fetcher, clock, memory)))
        _give_back()
    check_tables(work / "crawl")
    return memory.samples, fetcher.requests, runs, clock.ahead / _DAY


def _give_back() -> None:
    """Return the memory of a run that has ended: outside this benchmark its process would end with it."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


async def _one_day(topic: Topic, folder: Path, fetcher: SlowFetcher, clock: LoopClock, memory: Memory) -> CrawlResult:
    """Crawl for a day, or until all hosts rest. Then it is another day, or an hour later."""
    loop = asyncio.get_running_loop()
    session = Session(
        topic, folder, fetcher=lambda: fetcher, workers=0, clock=clock, on_page=lambda _: memory.page(session)
    )
    loop.call_later(_DAY, session.request_stop)
    result = await session.run()
    clock.ahead += loop.time() + (0.0 if loop.time() >= _DAY else 3600.0)
    return result


def main() -> int:
    """Crawl, print and write down."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=150_000)
    parser.add_argument("--days", type=float, default=7.0)
    parser.add_argument("--strategy", default="guide")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        samples, answers, runs, days = soak(Path(work), options.pages, options.days, options.strategy)
    summary = (
        f"{runs[-1].tally.pages:,} pages in {days:.1f} days of virtual time "
        f"({(time.monotonic() - began) / 60:.0f} minutes), in {len(runs)} runs with the strategy {options.strategy}, "
        "read in process."
    )
    lines = [
        "# Soak",
        "",
        summary,
        "",
        "Answers: " + ", ".join(f"{count:,} × {kind}" for kind, count in sorted(answers.items())) + ".",
        "",
        *Memory.table(samples),
        "",
        machine.described("selectolax", "numpy"),
    ]
    return written("\n".join(lines), options.out)


if __name__ == "__main__":
    raise SystemExit(main())
