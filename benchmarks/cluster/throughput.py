"""Pages per second of CPU time: two shards on Ray against one process. Making the demo web's pages is not counted."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.cluster.fetchers import MeasuredFetcher
from honeyguide.cluster.drive import ClusterSession, Place
from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb
from honeyguide.topic import Topic

_TICKS = os.sysconf("SC_CLK_TCK")


def quick_topic(web: DemoWeb, budget: int) -> Topic:
    """A topic of the demo web without delays: there is always something to do."""
    subject = web.subjects[0]
    return Topic.make(
        name="cluster",
        seeds=web.seeds(subject),
        keywords=web.keywords(subject),
        budget={"pages": budget},
        fetch={"connections": 16, "delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0},
    )


def measure(shards: int, budget: int, folder: Path, show: Callable[[str], None]) -> dict[str, Any]:
    """Crawl so many pages with so many shards on Ray; 0 for one process without a cluster."""
    web = DemoWeb(11, 50_000)
    topic = quick_topic(web, budget)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    fetcher = partial(MeasuredFetcher, web, topic.fetch, folder)
    crawl = folder / "crawl"
    used: list[float] = []  # by the coordinator, so far
    if shards:
        session = ClusterSession(topic, crawl, Place("", shards), workers=0, fetcher=fetcher)

        async def run() -> None:
            running = asyncio.create_task(session.run())
            while not running.done():
                await asyncio.wait([running], timeout=1.0)
                used.append(_cpu_of(crawl / ".lock"))
                show(f"{shards} shards: {session.tally.pages:,} of {budget:,} pages")
            await running

        asyncio.run(run())
        pages, relevant = session.tally.pages, session.tally.relevant
    else:
        show(f"one process: {budget:,} pages")
        result = asyncio.run(Session(topic, crawl, fetcher=fetcher, workers=0).run())
        pages, relevant = result.tally.pages, result.tally.relevant
    parts = [json.loads(file.read_text(encoding="utf-8")) for file in folder.glob("cpu-*.json")]
    shutil.rmtree(folder)
    coordinator = max(used, default=0.0) - min(filter(None, used), default=0.0)  # without its start
    cpu = sum(part["cpu"] - part["web"] for part in parts) + coordinator
    figures = {"pages": pages, "relevant": relevant, "cpu": cpu, "coordinator": coordinator}
    return {**figures, "pages per CPU second": pages / cpu, "load": os.getloadavg()[0]}


def _cpu_of(lock: Path) -> float:
    """The CPU seconds of the process that holds a lock, so far; 0 if there is none."""
    try:
        holder = int(lock.read_text())
        if holder == os.getpid():  # the driver, which has prepared the folder: the coordinator is not there yet
            return 0.0
        fields = Path(f"/proc/{holder}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except (OSError, ValueError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS
