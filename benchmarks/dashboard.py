"""The dashboard: how long every view takes with a million pages, and what five viewers cost a crawl.

    python -m benchmarks.dashboard [--pages 1000000] [--folder FOLDER] [--rounds 3] [--out results/dashboard.md]

The crawl is made by `benchmarks.big_crawl`, in a temporary folder unless one is given, whose crawl and index are then
used again. Each view is requested over HTTP on loopback; the first request of each counts, too. A crawl of pages out of
memory runs with five viewers of its events and without, in turns.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import aiohttp

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.big_crawl import make
from honeyguide.dashboard.index import WatchIndex
from honeyguide.dashboard.serve import serve

REACH = 300.0  # ms
LEAST_SPEED = 0.95  # of that without viewers
VIEWS = (
    "/",
    "/pages",
    "/pages?after=0.5,500000",
    "/pages?show=relevant",
    "/pages?show=duplicates",
    "/pages?show=relevant&order=best",
    "/pages?order=best&after=0.3,500000",
    "/pages?q=honey",
    "/pages?q=common",
    "/pages?q=common+honey&show=other",
    "/pages?q=common+honey&show=duplicates",
    "/pages?q=common&order=best&show=relevant",
    "/pages?q=babee*",
    "/pages?q=nowhere",
    "/pages?host=h0.site0.example&order=best",
    "/pages?site=site0.example",
    "/pages?site=site0.example&order=best",
    "/hosts",
    "/hosts?order=waiting",
    "/hosts?order=failed&after=5,5,5",
    "/host/1",
    "/waiting",
    "/seeds",
    "/map",
    "/page/0",
    "/page/500000",
    "/page/999999",
)


async def measure_views(folder: Path, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each request, by view."""
    stop, ready = asyncio.Event(), asyncio.get_running_loop().create_future()
    server = asyncio.create_task(serve(folder, stop, ready.set_result))
    url = await ready
    base, times = url.partition("/?")[0], dict[str, list[float]]()
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        async with session.get(url) as answer:
            await answer.read()
        while True:  # until everything has been counted, and the process that reads pages is warm
            async with session.get(f"{base}/seeds") as answer:
                if "being counted" not in await answer.text():
                    break
            await asyncio.sleep(1)
        for _ in range(rounds):
            for view in VIEWS:
                began = time.perf_counter()
                async with session.get(base + view) as answer:
                    await answer.read()
                    assert answer.status == 200, (view, answer.status)
                times.setdefault(view, []).append(1000 * (time.perf_counter() - began))
    stop.set()
    await server
    return times


def report(folder: Path, pages: int, rounds: int) -> str:
    """The result as Markdown."""
    began = time.perf_counter()
    with WatchIndex(folder) as index:
        index.catch_up()
        indexed = time.perf_counter() - began
        ((urls,),) = index.query("SELECT count(*) FROM crawl.urls")
        size = index.path.stat().st_size
    times = asyncio.run(measure_views(folder, rounds))
    rows = "".join(
        f"| `{view}` | {each[0]:,.0f} | {median(each):,.0f} | {max(each):,.0f} |\n" for view, each in times.items()
    )
    worst = max(max(each) for each in times.values())
    return (
        f"# The dashboard with {pages:,} pages and {urls:,} URLs\n\n{machine.described('honeyguide', 'aiohttp')}\n"
        f"Reading the crawl into the index: {f'{indexed:.0f} s' if indexed > 5 else 'done earlier'}. The index has "
        f"{size / 1e6:,.0f} MB, the database {(folder / 'crawl.sqlite').stat().st_size / 1e6:,.0f} MB. URLs are "
        "counted in the background, for at most a twentieth of the time.\n\n"
        f"| view | first, ms | median, ms | slowest, ms |\n|---|---|---|---|\n{rows}\n"
        f"Every view within {REACH:.0f} ms: **{'yes' if worst <= REACH else 'no'}**\n"
    )


# ---- what viewers cost ----


_CRAWL = """
import asyncio, sys, time
from pathlib import Path
import uvloop
from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.topic import Topic
web = DemoWeb(pages=8000)
topic = Topic.make(name="bees", seeds=web.seeds("beekeeping"), keywords=web.keywords("beekeeping"),
    budget={"pages": 2000}, fetch={"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "connections": 8})
session = Session(topic, Path(sys.argv[1]), fetcher=lambda: DemoFetcher(web, topic.fetch), workers=int(sys.argv[2]))
async def main():
    task = asyncio.create_task(session.run())
    await session.begun.wait()
    print("begun", flush=True)
    began, cpu = time.perf_counter(), time.process_time()
    result = await task
    pages, cpu = result.tally.pages, time.process_time() - cpu
    print(pages / (time.perf_counter() - began), 1000 * cpu / pages, flush=True)
uvloop.run(main())
"""


@dataclass(frozen=True, slots=True)
class Rate:
    """How quickly a crawl went."""

    pages: float
    """Per second."""
    cpu: float
    """Milliseconds of CPU time of the crawl's process per page, which the load of the machine hardly changes."""


async def _crawl(folder: Path, viewers: int, workers: int) -> Rate:
    """The rate of a crawl that is watched by so many."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _CRAWL, str(folder), str(workers), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    watching = await _watched(folder, viewers) if viewers else None
    try:
        pages, cpu = (await process.stdout.readline()).split()
        return Rate(float(pages), float(cpu))
    finally:
        await process.wait()
        if watching is not None:
            watching.terminate()
            await watching.wait()


async def _watched(folder: Path, viewers: int) -> asyncio.subprocess.Process:
    command = [sys.executable, "-m", "honeyguide", "watch", str(folder)]
    process = await asyncio.create_subprocess_exec("nice", "-n", "5", *command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    url = (await process.stdout.readline()).decode().split()[2]
    for _ in range(viewers):
        asyncio.get_running_loop().create_task(_view(url))
    return process


async def _view(url: str) -> None:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        try:
            async with session.get(url) as answer:
                await answer.read()
            async with session.get(f"{url.partition('/?')[0]}/events", timeout=aiohttp.ClientTimeout(600)) as answer:
                async for _ in answer.content:
                    pass
        except aiohttp.ClientError:
            pass


async def compare_viewers(rounds: int, workers: int = 0, viewers: int = 5) -> str:
    """Pages per second with and without viewers, in turns."""
    rates: dict[int, list[Rate]] = {0: [], viewers: []}
    for _ in range(rounds):
        for count, measured in rates.items():
            with TemporaryDirectory() as place:
                measured.append(await _crawl(Path(place, "bees"), count, workers))
    pairs = list(zip(rates[0], rates[viewers], strict=True))
    speed = sorted(watched.pages / alone.pages for alone, watched in pairs)
    work = sorted(watched.cpu / alone.cpu for alone, watched in pairs)
    cores = len(os.sched_getaffinity(0))
    rows = "".join(
        f"| {count} viewers"
        f" | {median(one.pages for one in each):,.0f} | {', '.join(f'{one.pages:,.0f}' for one in each)}"
        f" | {median(one.cpu for one in each):.2f} | {', '.join(f'{one.cpu:.2f}' for one in each)} |\n"
        for count, each in rates.items()
    )
    if speed[0] >= LEAST_SPEED:
        verdict = "yes"
    elif speed[-1] < LEAST_SPEED:
        verdict = "no"
    else:
        verdict = "inconclusive: the rounds differ by more than that"
    return (
        f"\n## The cost of viewers for a crawl\n\n"
        f"The demo web in memory, 2,000 pages, `--workers {workers}`, in turns; the dashboard in its own process"
        f" (`nice 5`) with {viewers} open views, all of it on {'one core' if cores == 1 else f'{cores} cores'}.\n\n"
        "| | pages/s, median | each | CPU ms per page, median | each |\n|---|---|---|---|---|\n"
        f"{rows}\nWatched / alone, median of the ratios of all rounds (lowest to highest): pages/s {_spread(speed)},"
        f" CPU time of the crawl {_spread(work)}. At most 5 %"
        f" fewer pages/s: **{verdict}**\n"
    )


def _spread(ratios: list[float]) -> str:
    return f"{median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dashboard")
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="a folder for the crawl, or with it")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    asked = parser.parse_args()
    with TemporaryDirectory() as place:
        folder = asked.folder or Path(place, "big")
        if not folder.exists():
            make(folder, asked.pages)
        text = report(folder, asked.pages, asked.rounds)
    written(text, asked.out)  # before the rest, which takes minutes
    return written(text + asyncio.run(compare_viewers(asked.rounds)), asked.out)


if __name__ == "__main__":
    raise SystemExit(main())
