"""From a label to another order of what waits, in a running crawl: how long it takes, and whether the loop notices.

    python -m benchmarks.relearning --pages 20000 --waiting 100000 --out results/relearning.md

A crawl of made-up pages is stored first. Then it is continued, with a web that answers slowly, and told which of its
pages are relevant. Measured are the time from the last label to the new model, to the first changed priorities, until
all URLs that wait have been looked at once, and until all stored pages have been judged again; and how late a timer of
the loop ever was, against a run without labels. Half of the pages are about one subject, half about another.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks import machine
from benchmarks.arguments import written
from honeyguide.crawl.session import Session
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.store.commands import Command
from honeyguide.store.crawl import Crawl
from honeyguide.store.inbox import send
from honeyguide.topic import Topic

WORDS = {
    "a": "honey hive queen nectar pollen swarm brood keeper smoker comb".split(),
    "b": "honey sett claws nocturnal mammal burrow stripe weasel clan dig".split(),
}
LENGTH = 400  # words of a page
LABELS = 10  # of each kind
SLOW = 0.05  # seconds until an answer, while the crawl learns
TICK = 0.002  # seconds between two looks at the clock
REACH, HELD_UP = 5.0, 0.05  # seconds
PATIENCE = 90.0  # seconds, after which nothing more is waited for


class Web:
    """A fetcher of made-up pages, each with as many new links as it takes."""

    def __init__(self, links: int, seconds: float) -> None:
        self._links = links
        self._seconds = seconds

    async def fetch(self, request: Request) -> Response | Failure:
        """The page of a number, after a while."""
        if self._seconds:
            await asyncio.sleep(self._seconds)
        number = int(request.url.rpartition("/")[2] or 0)
        random = Random(number)
        kind = "ab"[number % 2]
        words = " ".join(random.choice(WORDS[kind] if random.random() < 0.2 else _FILLER) for _ in range(LENGTH))
        first = number * self._links
        anchors = "".join(
            f'<p>{random.choice(WORDS[kind])} <a href="/{place}">page {place}</a> {random.choice(_FILLER)}</p>'
            for place in range(first + 1, first + self._links + 1)
        )
        body = f"<title>{kind} {number}</title><p>{words}</p>{anchors}".encode()
        headers = (("Content-Type", "text/html"),)
        return Response(request.url, 200, "OK", headers, body, body, (), started=time.time())

    async def close(self) -> None:
        """There is nothing to close."""


_FILLER = [f"filler{number}" for number in range(3000)]


@dataclass(slots=True)
class Measured:
    """Seconds since the last label was sent."""

    model: float = 0.0
    first: float = 0.0
    ordered: float = 0.0
    judged: float = 0.0
    lateness: list[float] = field(default_factory=list)
    """How late the timer was, each time: the loop was held up, or the machine was busy with something else."""
    busy: list[float] = field(default_factory=list)
    """The CPU time of the loop meanwhile: what it would have been late for on a machine of its own."""


def topic(pages: int) -> Topic:
    """A topic of one keyword, without delays."""
    fetch = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "robots": False, "connections": 4,
             "per_host": 4, "per_domain": 4, "per_ip": 4}  # fmt: skip
    return Topic.make(
        name="made-up", seeds=["http://a.example/1"], keywords="honey", budget={"pages": pages}, fetch=fetch,
        relevance={"threshold": 0.02},
    )  # fmt: skip


async def store(folder: Path, pages: int, links: int) -> None:
    """Crawl so many pages."""
    await Session(topic(pages), folder, fetcher=lambda: Web(links, 0.0)).run()


async def learn(folder: Path, pages: int, links: int, *, labels: bool) -> Measured:
    """Go on with the crawl, give it labels, and look on until it has learnt; without labels, for some seconds."""
    session = Session(topic(pages + 1_000_000), folder, fetcher=lambda: Web(links, SLOW))
    measured = Measured()
    run = asyncio.create_task(session.run())
    await session.begun.wait()
    await asyncio.sleep(2.0)
    watch = asyncio.create_task(_watch(measured))
    if labels:
        await _teach(session, folder, measured)
    else:
        await asyncio.sleep(10.0)
    watch.cancel()
    session.request_stop()
    session.request_stop()
    await run
    return measured


async def _teach(session: Session, folder: Path, measured: Measured) -> None:
    crawler = session.crawler
    assert crawler is not None
    assert crawler.lessons is not None
    with Crawl.open(folder) as crawl:
        urls = [url for (url,) in crawl.query("SELECT url FROM urls WHERE state = 2 LIMIT 1000")]
    for kind, answer in ((1, "yes"), (0, "no")):
        for url in [url for url in urls if int(url.rpartition("/")[2]) % 2 == kind][:LABELS]:
            send(folder, Command("label", (url, answer)), by="benchmark")
    view, sample = crawler.frontier.urls, np.arange(0, len(crawler.frontier), 50)
    before, model = view.priorities(sample), session.model
    began = time.perf_counter()

    async def until(happened: Callable[[], bool]) -> float:
        while not happened() and time.perf_counter() < began + PATIENCE:  # noqa: ASYNC110 (there is nobody to tell us)
            await asyncio.sleep(TICK)
        return time.perf_counter() - began

    schedule = crawler.lessons._schedule  # type: ignore[attr-defined]  # noqa: SLF001 (what else could tell)
    measured.model = await until(lambda: schedule.config.model is not model)
    measured.first = await until(lambda: bool((view.priorities(sample) != before).sum() > len(sample) // 100))
    lessons: Any = crawler.lessons
    measured.ordered = await until(lambda: lessons._next is None)  # noqa: SLF001 (between two commits it rests)
    measured.judged = await until(lambda: not crawler.journal.lesson_open)  # type: ignore[attr-defined]


async def _watch(measured: Measured) -> None:
    """How late this is, again and again: somebody else has held up the loop."""
    while True:
        began, busy = time.perf_counter(), time.thread_time()
        await asyncio.sleep(TICK)
        measured.busy.append(time.thread_time() - busy)
        measured.lateness.append(time.perf_counter() - began - TICK)


def main() -> int:
    """Measure, print and write down. 1 when it takes too long."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.relearning")
    parser.add_argument("--pages", type=int, default=20_000, help="stored pages (default: %(default)s)")
    parser.add_argument("--waiting", type=int, default=100_000, help="URLs that wait (default: %(default)s)")
    parser.add_argument("--stored", type=Path, help="folder for the stored crawl, which is used if it is there")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    asked = parser.parse_args()
    links = -(-(asked.pages + asked.waiting) // asked.pages)
    with TemporaryDirectory() as place:
        folder = Path(asked.stored or place) / "made-up"
        if not folder.exists():
            asyncio.run(store(folder, asked.pages, links))
        without = asyncio.run(learn(folder, asked.pages, links, labels=False))
        found = asyncio.run(learn(folder, asked.pages, links, labels=True))
    is_soon = found.ordered <= REACH
    text = (
        f"# From a label to another order of what waits\n\n{asked.pages:,} stored pages, {asked.waiting:,} URLs"
        f" waiting, {2 * LABELS} labels, one worker; the crawl goes on meanwhile. Seconds since the last label was"
        " sent.\n\n"
        "| | seconds |\n|---|---|\n"
        f"| the new model is in use | {found.model:.2f} |\n"
        f"| the first priorities have changed | {found.first:.2f} |\n"
        f"| all that waits has been looked at (reach: {REACH:g}) | {found.ordered:.2f} |\n"
        f"| all stored pages are judged again (looked on for {PATIENCE:g} s) | {found.judged:.2f} |\n\n"
        "| milliseconds | without labels | while it learns |\n|---|---|---|\n"
        f"| CPU time of the loop at a stretch, at most (reach: {1000 * HELD_UP:g}) |"
        f" {1000 * max(without.busy):.0f} | {1000 * max(found.busy):.0f} |\n"
        f"| the same, 99.9 % | {_quantile(without.busy):.1f} | {_quantile(found.busy):.1f} |\n"
        f"| lateness of a timer, 99.9 % | {_quantile(without.lateness):.1f} | {_quantile(found.lateness):.1f} |\n\n"
        f"{machine.described('numpy')}"
    )
    written(text, asked.out)
    return 0 if is_soon else 1


def _quantile(seconds: list[float]) -> float:
    return float(1000 * np.quantile(seconds, 0.999))


if __name__ == "__main__":
    raise SystemExit(main())
