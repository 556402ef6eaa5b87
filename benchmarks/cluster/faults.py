"""Kills parts of real Ray clusters: nodes, coordinators, drivers. Every crawl must end as if it was not interrupted."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.cluster.fetchers import LoggedFetcher, read_log
from benchmarks.reliability.aftermath import check_archive, rows
from honeyguide.cluster.drive import ClusterSession, Place
from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.store.folder import is_running
from honeyguide.store.shards import read_layout, shard_folder
from honeyguide.topic import Topic

KINDS = ("node", "coordinator", "driver")
SHARDS = 3
_PATIENCE = 120.0  # timeout in seconds for events that should happen soon
_PAGES = "SELECT url, fetched FROM pages JOIN urls USING (id)"


def whole_topic(web: DemoWeb) -> Topic:
    """A topic whose crawl ends when the whole web has been fetched."""
    subject = web.subjects[0]
    return Topic.make(
        name="cluster",
        seeds=web.seeds(subject),
        keywords=web.keywords(subject),
        budget={"pages": 0},
        cluster={"shards": SHARDS},
        fetch={"connections": 4, "delay": 0.05, "domain_delay": 0.0, "ip_delay": 0.0},
    )


def kill_one(kind: str, seed: int, web_pages: int, folder: Path, show: Callable[[str], None]) -> dict[str, Any]:
    """One crawl with one kill at a random moment. Raises `AssertionError` if anything is not as it should be."""
    web = DemoWeb(seed, web_pages)
    topic = whole_topic(web)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    alone = folder / "alone"
    asyncio.run(Session(topic, alone, fetcher=lambda: DemoFetcher(web, topic.fetch), workers=0).run())
    expected = sorted(url for (url,) in rows(alone, "SELECT url FROM pages JOIN urls USING (id)"))
    moment = Random(f"{kind} {seed}").randrange(1, max(len(expected) - 1, 2))
    show(f"{kind} {seed}: {len(expected)} pages; killed after {moment}")
    began = time.monotonic()
    {"node": _kill_node, "coordinator": _kill_coordinator, "driver": _kill_driver}[kind](web, topic, folder, moment)
    seconds = time.monotonic() - began
    _check(folder, expected)
    shutil.rmtree(folder)
    return {"pages": len(expected), "killed after": moment, "seconds": seconds}


def _session(web: DemoWeb, topic: Topic, folder: Path, place: Place) -> ClusterSession:
    fetcher = partial(LoggedFetcher, web, topic.fetch, folder / "requests.log")
    return ClusterSession(topic, folder / "crawl", place, workers=0, fetcher=fetcher)


async def _run(session: ClusterSession, moment: int, kill: Callable[[], None]) -> None:
    """Run a session, and call `kill` when it has `moment` pages."""

    async def watch() -> None:
        while session.tally.pages < moment:  # noqa: ASYNC110 (in another process)
            await asyncio.sleep(0.05)
        kill()

    killer = asyncio.create_task(watch())
    try:
        await session.run()
    finally:
        killer.cancel()
        with suppress(asyncio.CancelledError):
            await killer


def _kill_coordinator(web: DemoWeb, topic: Topic, folder: Path, moment: int) -> None:
    session = _session(web, topic, folder, Place("", SHARDS))

    def kill() -> None:
        os.kill(int((folder / "crawl" / ".lock").read_text()), signal.SIGKILL)

    asyncio.run(_run(session, moment, kill))


def _kill_node(web: DemoWeb, topic: Topic, folder: Path, moment: int) -> None:
    import ray  # type: ignore[import-not-found, unused-ignore]
    from ray.cluster_utils import Cluster  # type: ignore[import-not-found, unused-ignore]

    node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100_000_000, "include_dashboard": False}
    head = {**node, "_system_config": {"worker_niceness": 0, "health_check_period_ms": 500}}
    cluster: Any = Cluster(initialize_head=True, head_node_args=head)
    try:
        doomed = cluster.add_node(**node)
        session = _session(web, topic, folder, Place(cluster.address))

        def kill() -> None:
            cluster.remove_node(doomed, allow_graceful=False)
            cluster.add_node(**node)

        asyncio.run(_run(session, moment, kill))
    finally:
        ray.shutdown()
        cluster.shutdown()


def _kill_driver(web: DemoWeb, topic: Topic, folder: Path, moment: int) -> None:
    command = [sys.executable, "-m", "benchmarks.cluster.faults", str(web.seed), str(web.pages), str(folder)]
    log = folder / "requests.log"
    with subprocess.Popen(command) as driver:
        until = time.monotonic() + _PATIENCE
        while driver.poll() is None and time.monotonic() < until and _count(log) < moment:
            time.sleep(0.05)
        driver.kill()
    crawl = folder / "crawl"
    shards = [shard_folder(crawl, name) for name in read_layout(crawl).shards] if crawl.exists() else []
    until = time.monotonic() + _PATIENCE
    while any(is_running(place) for place in (crawl, *shards) if place.exists()) and time.monotonic() < until:
        time.sleep(0.1)  # Ray ends the shards
    asyncio.run(_session(web, topic, folder, Place("", SHARDS)).run())


def _count(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0


def _check(folder: Path, expected: list[str]) -> None:
    """Check for the same pages, without losses, duplicates or refetches of pages with rows, and for intact archives."""
    crawl = folder / "crawl"
    found: dict[str, float] = {}
    count = 0
    for name in read_layout(crawl).shards:
        place = shard_folder(crawl, name)
        assert rows(place, "PRAGMA integrity_check") == [("ok",)]
        check_archive(place)
        pages = rows(place, _PAGES)
        count += len(pages)
        found.update(pages)
    assert count == len(found), "a page is in two shards"
    assert sorted(found) == expected, "not the same pages as on one machine"
    again = [url for started, url in read_log(folder / "requests.log") if url in found and started > found[url] + 1e-3]
    assert not again, f"fetched again though it had a row: {again[:3]}"


if __name__ == "__main__":
    _web = DemoWeb(int(sys.argv[1]), int(sys.argv[2]))
    asyncio.run(_session(_web, whole_topic(_web), Path(sys.argv[3]), Place("", SHARDS)).run())
