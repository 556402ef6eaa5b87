"""A long crawl over HTTP with the default politeness, watched by the servers: is any host, domain or address hurried?

    python -m benchmarks.reliability.politeness --requests 1000000

The web is that of `strict_server`, in a process of its own. The crawl reads its pages in one worker, as by default. Its
memory is told, too: it must not grow by more than the URLs that it knows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import uvloop
from aiohttp.abc import AbstractResolver, ResolveResult

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.reliability.memory import Memory, Sample
from benchmarks.reliability.strict_server import HOSTS, address_of, host_name, host_number
from honeyguide.crawl.session import Session
from honeyguide.fetch.http import HttpFetcher
from honeyguide.topic import Topic
from honeyguide.version import VERSION

_SAMPLE_EVERY = 10_000  # pages
_GRACE = 120.0  # seconds for the crawl to save itself


class Loopback(AbstractResolver):
    """Says that each host is at its loopback address, and at the port of the server."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def resolve(self, host: str, *_: object, **__: object) -> list[ResolveResult]:
        """The only address of a host."""
        address = address_of(host_number(host))
        return [ResolveResult(hostname=host, host=address, port=self._port, family=socket.AF_INET, proto=0, flags=0)]

    async def close(self) -> None:
        """Nothing to close."""


def _crawl(folder: Path, port: int) -> None:
    """Be the crawler, until a SIGTERM."""
    topic = Topic.make(
        name="polite",
        seeds=[f"http://{host_name(number)}/0" for number in range(0, HOSTS, 7)],
        keywords=["honey", "bee", "hive"],
        strategy={"name": "best-first"},
        budget={"pages": 0},
        fetch={"connections": 256, "allow_networks": ["127.0.0.0/8"], "contact": "mailto:benchmark@example.org"},
    )
    memory = Memory(_SAMPLE_EVERY, sys.stdout)
    session = Session(
        topic,
        folder,
        fetcher=lambda: HttpFetcher(topic.fetch, VERSION, resolver=Loopback(port)),
        on_page=lambda _: memory.page(session),
    )

    async def run() -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, session.request_stop)
        await session.run()

    uvloop.run(run())


def measure(requests: int, work: Path) -> tuple[dict[str, Any], list[Sample], float]:
    """The server's report, the memory of the crawl, and its seconds."""
    server = [sys.executable, "-m", "benchmarks.reliability.strict_server"]
    with subprocess.Popen(server, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout is not None
        port = serving.stdout.readline().strip()
        crawler = [sys.executable, "-m", "benchmarks.reliability.politeness", "--crawl", str(work / "crawl"), port]
        samples, began = work / "samples", time.monotonic()
        with samples.open("w") as out, subprocess.Popen(crawler, stdout=out) as crawling:
            try:
                report = _watch(serving, crawling, requests)
            finally:
                crawling.terminate()
                crawling.wait(_GRACE)
                serving.terminate()
        seconds = time.monotonic() - began
        last = serving.stdout.read().splitlines()
        report = json.loads(last[-1]) if last else report
    return report, [Sample(**json.loads(line)) for line in samples.read_text().splitlines()], seconds


def _watch(serving: subprocess.Popen[str], crawling: subprocess.Popen[bytes], requests: int) -> dict[str, Any]:
    report: dict[str, Any] = {}
    told = 0
    assert serving.stdout is not None
    for line in serving.stdout:
        report = json.loads(line)
        print(f"{report['requests']:,} requests, violations: {report['violations'] or 'none'}", flush=True)
        for example in report["examples"][told:]:
            print(f"  {example}", flush=True)
        told = len(report["examples"])
        if report["requests"] >= requests:
            break
        if crawling.poll() is not None:
            raise SystemExit(f"the crawl ended with exit code {crawling.returncode}")
    return report


def main() -> int:
    """Crawl, print and write down. 1 when there was a violation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    parser.add_argument("--crawl", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.crawl:
        _crawl(Path(options.crawl[0]), int(options.crawl[1]))
        return 0
    with tempfile.TemporaryDirectory() as work:
        report, samples, seconds = measure(options.requests, Path(work))
    violations = report["violations"] or "none"
    summary = (
        f"{report['requests']:,} requests to {report['hosts']:,} hosts of {report['domains']:,} domains at "
        f"{report['addresses']:,} addresses in {seconds:,.0f} s, with the default limits. Violations of the limits of "
        f"hosts, domains or addresses, of Retry-After, Crawl-delay and robots.txt: **{violations}**. The server itself "
        f"stalled for {report['longest stall']:.2f} s at most, which is taken into account."
    )
    lines = [
        "# Politeness",
        "",
        summary,
        "",
        "Answers: " + ", ".join(f"{count:,} × {kind}" for kind, count in sorted(report["answers"].items())) + ".",
        "",
        *(f"- {example}" for example in report["examples"]),
        *Memory.table(samples),
        "",
        machine.described("aiohttp", "uvloop"),
    ]
    written("\n".join(lines), options.out)
    return int(bool(report["violations"]))


if __name__ == "__main__":
    raise SystemExit(main())
