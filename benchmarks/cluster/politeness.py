"""Many requests from several shards to a server that checks the limits of hosts, domains and shared IP addresses."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.reliability.politeness import Loopback
from benchmarks.reliability.strict_server import HOSTS, host_name
from honeyguide.cluster.drive import ClusterSession, Place
from honeyguide.fetch.base import Fetcher
from honeyguide.fetch.http import HttpFetcher
from honeyguide.topic import Topic
from honeyguide.version import VERSION


def measure(requests: int, shards: int, folder: Path, show: Callable[[str], None]) -> dict[str, Any]:
    """Crawl the strict web until it has received `requests` requests. Returns its report."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    report = asyncio.run(_measure(requests, shards, folder, show))
    shutil.rmtree(folder)
    return report


def _fetcher(topic: Topic, port: int) -> Fetcher:
    return HttpFetcher(topic.fetch, VERSION, resolver=Loopback(port))


async def _measure(requests: int, shards: int, folder: Path, show: Callable[[str], None]) -> dict[str, Any]:
    pipe = asyncio.subprocess.PIPE
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.reliability.strict_server", stdout=pipe, limit=1 << 20
    )
    assert server.stdout is not None
    port = int(await server.stdout.readline())
    topic = Topic.make(
        name="polite",
        seeds=[f"http://{host_name(number)}/0" for number in range(0, HOSTS, 7)],
        keywords=["honey", "bee", "hive"],
        strategy={"name": "best-first"},
        budget={"pages": 0},
        fetch={
            "connections": 256 // shards,
            "allow_networks": ["127.0.0.0/8"],
            "contact": "mailto:benchmark@example.org",
        },
    )
    session = ClusterSession(topic, folder / "crawl", Place("", shards), fetcher=partial(_fetcher, topic, port))
    began = time.monotonic()
    crawl = asyncio.create_task(session.run())
    report: dict[str, Any] = {}
    try:
        while not crawl.done() and (line := await server.stdout.readline()):
            report = json.loads(line)
            show(f"{report['requests']:,} of {requests:,} requests, violations: {report['violations'] or 'none'}")
            if report["requests"] >= requests:
                session.request_stop()
                break
        await crawl
    finally:
        seconds = time.monotonic() - began
        server.terminate()
        rest = await server.stdout.read()
        await server.wait()
    report = json.loads(rest.splitlines()[-1]) if rest.strip() else report
    return {**report, "shards": shards, "seconds": seconds, "load": os.getloadavg()[0]}
