"""Pages per second of CPU time: two shards against one process, on pages that another process serves on loopback.

The shards are tasks of one process, which shows the cost of sharding, or processes of Ray, which adds the cost of its
messages. Two independent crawls side by side show the effect of two busy cores alone. Pages, server, politeness and
warm-up are those of `benchmarks.throughput`: the start-up of a process is not counted. Each crawl runs in a separate
process: ``python -m benchmarks.cluster.throughput KIND WEB FOLDER PAGES``.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import uvloop

from benchmarks.cluster.fetchers import MeasuredFetcher
from benchmarks.cluster.local import LocalCluster
from benchmarks.processes import page_server
from benchmarks.web import RenderedWeb, render
from honeyguide.cluster.drive import ClusterSession, Place
from honeyguide.crawl.session import Session
from honeyguide.store.tally import Tally
from honeyguide.topic import Topic

ALONE, SIDE_BY_SIDE, IN_PROCESS, ON_RAY = KINDS = ("alone", "side-by-side", "in-process", "ray")
SHARDS = 2
_WEB = 20_000
_CONNECTIONS = 64  # of the whole crawl
_WARM_UP = 200  # pages of the whole crawl that are not counted
_TICKS = os.sysconf("SC_CLK_TCK")


def measure(kind: str, pages: str, budget: int, work: Path) -> dict[str, Any]:
    """Crawl `budget` of the pages "34-KB" or "demo"."""
    web = work / f"web-{pages}-{_WEB}.pickle"
    if not web.exists():
        render(_WEB, plain=pages == "demo").save(web)
    folder = work / "throughput"
    shutil.rmtree(folder, ignore_errors=True)
    crawls = SHARDS if kind == SIDE_BY_SIDE else 1
    with page_server(web):
        running = [_start(kind, web, folder / str(number), budget // crawls) for number in range(crawls)]
        found = [json.loads(process.communicate()[0].splitlines()[-1]) for process in running]
    shutil.rmtree(folder)
    return {**{name: sum(one[name] for one in found) for name in found[0]}, "load": os.getloadavg()[0]}


def _start(kind: str, web: Path, folder: Path, budget: int) -> subprocess.Popen[str]:
    """Start a crawl in a process of its own, which prints its figures."""
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "benchmarks.cluster.throughput", kind, str(web), str(folder), str(budget)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _crawl(kind: str, web: Path, folder: Path, budget: int) -> dict[str, Any]:
    shards = 1 if kind in (ALONE, SIDE_BY_SIDE) else SHARDS
    topic = _topic(RenderedWeb.load(web), budget, _CONNECTIONS // shards)
    fetcher = partial(MeasuredFetcher, topic.fetch, folder, _WARM_UP // shards)
    crawl, coordinator = folder / "crawl", 0.0
    if kind == ON_RAY:
        tally, coordinator = asyncio.run(_on_ray(topic, crawl, fetcher))
    elif kind == IN_PROCESS:
        tally = uvloop.run(LocalCluster(topic, crawl, fetcher, SHARDS).run())
    else:
        tally = uvloop.run(Session(topic, crawl, fetcher=fetcher, workers=0).run()).tally
    cpu = _cpu(folder) + coordinator
    return {"pages": tally.pages - _WARM_UP, "relevant": tally.relevant, "cpu": cpu, "coordinator": coordinator}


def _topic(web: RenderedWeb, budget: int, connections: int) -> Topic:
    """The topic, with the same model for all kinds: by default, clusters and single machines use different ones."""
    return web.topic(budget, connections, "guide").with_settings(relevance={"model": "vsm"})


def _cpu(folder: Path) -> float:
    """The CPU seconds of all processes, each from the creation of its first fetcher until its last one is closed."""
    parts = [json.loads(file.read_text(encoding="utf-8")) for file in folder.glob("cpu-*.json")]
    by_process: defaultdict[int, list[dict[str, float]]] = defaultdict(list)
    for part in parts:
        by_process[part["process"]].append(part)
    return sum(
        max(one["ended"] for one in several) - min(one["began"] for one in several) for several in by_process.values()
    )


async def _on_ray(topic: Topic, crawl: Path, fetcher: Callable[[], MeasuredFetcher]) -> tuple[Tally, float]:
    """Crawl. Also returns the CPU seconds of the coordinator after the warm-up."""
    session = ClusterSession(topic, crawl, Place("", SHARDS), workers=0, fetcher=fetcher)
    used: list[float] = []
    running = asyncio.create_task(session.run())
    while not running.done():
        await asyncio.wait([running], timeout=1.0)
        if session.tally.pages >= _WARM_UP:
            used.append(_cpu_of(crawl / ".lock"))
    await running
    return session.tally, max(used, default=0.0) - min(filter(None, used), default=0.0)


def _cpu_of(lock: Path) -> float:
    """The CPU seconds so far of the process that holds a lock; 0 if there is none."""
    try:
        holder = int(lock.read_text())
        if holder == os.getpid():  # the driver, which has prepared the folder: the coordinator has not started yet
            return 0.0
        fields = Path(f"/proc/{holder}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except (OSError, ValueError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


if __name__ == "__main__":
    _kind, _web, _folder, _budget = sys.argv[1:]
    print(json.dumps(_crawl(_kind, Path(_web), Path(_folder), int(_budget))))
