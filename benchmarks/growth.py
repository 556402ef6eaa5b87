"""Growth: what a page of the whole crawl costs with few and with many URLs waiting.

    python -m benchmarks.growth [--quick] [--out results/growth.md]

A crawl is made that has so many URLs waiting, of low priority, on 5,000 hosts; then it goes on: pages out of memory are
fetched, read, scored and recorded, and their links offered, as in any crawl. Each run is a process of its own on one
core, in interleaved rounds; what counts is its CPU time a page, from the end of a warm-up to the last page.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import uvloop

from benchmarks import machine
from benchmarks.processes import CRAWLER_CORE
from benchmarks.web import ROBOTS, RenderedWeb, render
from honeyguide.crawl.fetched_page import FetchedPage
from honeyguide.crawl.frontier_for import politeness
from honeyguide.crawl.recorder import Recorder
from honeyguide.crawl.robots import RobotsCache
from honeyguide.crawl.session import Session
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.frontier import Frontier
from honeyguide.page.url import UrlRules
from honeyguide.store.folder import CrawlFolder
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.topic import Topic

FEW, MANY = 20_000, 2_000_000
REACH = 1.3
_HOSTS = 5_000
_WARM_UP = 200


class Memory:
    """A fetcher that has every page already."""

    def __init__(self, web: RenderedWeb) -> None:
        self._pages = web.pages

    async def fetch(self, request: Request) -> Response | Failure:
        """As `Fetcher.fetch`."""
        is_robots = request.url.endswith("/robots.txt")
        body = ROBOTS if is_robots else self._pages[request.url]
        headers = (("Content-Type", "text/plain" if is_robots else "text/html; charset=utf-8"),)
        return Response(request.url, 200, "OK", headers, body, body, (), started=time.time())

    async def close(self) -> None:
        """As `Fetcher.close`."""


def prepare(folder: Path, topic: Topic, waiting: int) -> None:
    """Leave a crawl behind that has not begun, with so many URLs waiting beside its seeds."""
    home = CrawlFolder(folder, topic)
    home.settle_in()
    frontier = Frontier(politeness(topic.fetch, topic.scope))
    recorder = Recorder(folder, frontier, RobotsCache("honeyguide", UrlRules(topic.urls)), 0, time.time(), PlainQueue())
    for number in range(waiting):
        frontier.offer(f"http://host-{number % _HOSTS}.example/articles/{number:09}/some-page-of-it.html", -1.0)
    recorder.commit(time.time())
    recorder.close()
    home.leave()


def measure(web: RenderedWeb, waiting: int, pages: int) -> float:
    """CPU seconds a page of a crawl that goes on with so many URLs waiting."""
    topic = web.topic(pages + _WARM_UP, connections=1)  # so that a good URL is always ready, and no other is taken
    marks: list[float] = []

    def count(_page: FetchedPage) -> None:
        marks.append(time.process_time())

    with TemporaryDirectory() as folder:
        prepare(Path(folder) / "crawl", topic, waiting)
        uvloop.run(Session(topic, Path(folder) / "crawl", fetcher=lambda: Memory(web), on_page=count).run())
    return (marks[-1] - marks[_WARM_UP - 1]) / (len(marks) - _WARM_UP)


def _child(web: Path, waiting: int, pages: int) -> float:
    command = [sys.executable, "-m", "benchmarks.growth", "--web", str(web), "--waiting", str(waiting)]
    done = subprocess.run([*command, "--pages", str(pages)], check=True, capture_output=True, text=True)
    return float(done.stdout)


def main() -> int:
    """Measure, print and write down. 1 when the figure is not reached."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth")
    parser.add_argument("--quick", action="store_true", help="one round, a tenth of the URLs")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    parser.add_argument("--pages", type=int, default=800, help=argparse.SUPPRESS)
    parser.add_argument("--web", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--waiting", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.web:
        os.sched_setaffinity(0, {CRAWLER_CORE})
        print(measure(RenderedWeb.load(options.web), options.waiting, options.pages))
        return 0
    many, rounds = (MANY // 10, 1) if options.quick else (MANY, 3)
    runs: dict[int, list[float]] = {FEW: [], many: []}
    with TemporaryDirectory() as folder:
        web = Path(folder) / "web.pickle"
        render(2000, plain=False).save(web)
        for number in range(rounds):
            for waiting, costs in runs.items():
                costs.append(_child(web, waiting, options.pages))
                print(f"round {number + 1}: {waiting:,} waiting, {costs[-1] * 1e6:,.0f} µs per page", flush=True)
    ratio = median(runs[many]) / median(runs[FEW])
    rows = "".join(
        f"| CPU time per page, {waiting:,} URLs waiting | {median(costs) * 1e6:,.0f} µs |\n"
        for waiting, costs in runs.items()
    )
    text = (
        f"# Growth\n\n| | median of {rounds} |\n|---|---|\n{rows}| growth (goal: ≤ {REACH}) | {ratio:.2f} × |\n\n"
        "A page is fetched from memory, read, scored, archived and recorded, and its 60 links are offered.\n\n"
        f"{machine.described('selectolax', 'fastwarc', 'numpy')}"
    )
    print(text)
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    return int(ratio > REACH)


if __name__ == "__main__":
    raise SystemExit(main())
