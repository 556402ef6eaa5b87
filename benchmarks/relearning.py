"""From a label to another order of what waits, in a running crawl: how long it takes, and whether the loop notices.

    python -m benchmarks.relearning --pages 20000 --waiting 100000 --out results/relearning.md

A crawl of made-up pages is stored first. Then it is continued, with a web that answers slowly, and told which of its
pages are relevant: first twenty pages, which starts the process that fits the model, then one more, for which it is
there already. Measured are the time from the last label to the new model, and until all URLs that wait have been given
the priority that they have by it for the first time; and the CPU time of the loop between two turns of a timer, against
a run without labels. Half of the pages are about one subject, half about another.
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
from honeyguide.frontier import Frontier, State
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
BEST = 100  # waiting URLs


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
    """Until the new model is in use."""
    ordered: float = 0.0
    """Until all that waits has been looked at with it."""
    moved: float = 0.0
    """The share of the hundred best waiting URLs that were not among them before."""
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


async def learn(folder: Path, pages: int, links: int, *, labels: bool) -> list[Measured]:
    """Go on with the crawl, give it labels, and look on until it has learnt; without labels, for some seconds."""
    session = Session(topic(pages + 1_000_000), folder, fetcher=lambda: Web(links, SLOW))
    run = asyncio.create_task(session.run())
    await asyncio.wait((run, asyncio.create_task(session.begun.wait())), return_when=asyncio.FIRST_COMPLETED)
    await asyncio.sleep(2.0)
    if run.done():
        await run  # raises what is wrong
    with Crawl.open(folder) as crawl:
        urls = [url for (url,) in crawl.query("SELECT url FROM urls WHERE state = 2 LIMIT 1000")]
    kinds = {number: [url for url in urls if int(url.rpartition("/")[2]) % 2 == number] for number in (1, 0)}
    many = [(url, answer) for kind, answer in ((1, "yes"), (0, "no")) for url in kinds[kind][:LABELS]]
    found = []
    for lesson in (many, [(kinds[0][LABELS], "no")]) if labels else ([],):
        measured = Measured()
        found.append(measured)
        watch = asyncio.create_task(_watch(measured))
        if lesson:
            await _teach(session, folder, lesson, measured)
        else:
            await asyncio.sleep(10.0)
        watch.cancel()
    session.request_stop()
    session.request_stop()
    await run
    return found


async def _teach(session: Session, folder: Path, labels: list[tuple[str, str]], measured: Measured) -> None:
    crawler = session.crawler
    assert crawler is not None
    lessons: Any = crawler.lessons
    schedule = lessons._schedule  # noqa: SLF001 (what else could tell)
    before, model = _best(crawler.frontier), schedule.config.model
    for url, answer in labels:
        send(folder, Command("label", (url, answer)), by="benchmark")
    began = time.perf_counter()

    async def until(happened: Callable[[], bool]) -> float:
        while not happened() and time.perf_counter() < began + PATIENCE:  # noqa: ASYNC110 (there is nobody to tell us)
            await asyncio.sleep(TICK)
        return time.perf_counter() - began

    measured.model = await until(lambda: schedule.config.model is not model)
    rounds = lessons.rescoring.rounds
    measured.ordered = await until(lambda: lessons.rescoring.rounds > rounds)
    measured.moved = len(_best(crawler.frontier) - before) / BEST


def _best(frontier: Frontier) -> set[int]:
    """The most promising of the URLs that wait."""
    numbers = np.arange(len(frontier))
    waiting = numbers[frontier.urls.states(numbers) == int(State.WAITING)]
    return set(waiting[np.argsort(-frontier.urls.priorities(waiting), kind="stable")[:BEST]].tolist())


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
        (without,) = asyncio.run(learn(folder, asked.pages, links, labels=False))
        cold, warm = asyncio.run(learn(folder, asked.pages, links, labels=True))
    is_soon = max(cold.ordered, warm.ordered) <= REACH
    columns = (without, cold, warm)
    busiest, usual = ([f"{1000 * of(one.busy):.0f}" for one in columns] for of in (max, _quantile))
    late = [f"{1000 * _quantile(one.lateness):.0f}" for one in columns]
    text = (
        f"# From a label to another order of what waits\n\n{asked.pages:,} stored pages, {asked.waiting:,} URLs"
        f" waiting, one worker; the crawl goes on meanwhile. {2 * LABELS} labels at once, for which the process that"
        " fits models has to be started; then one more, while stored pages are still being judged again.\n\n"
        f"| seconds since the last label was sent | {2 * LABELS} labels | one more |\n|---|---|---|\n"
        f"| the new model is in use | {cold.model:.2f} | {warm.model:.2f} |\n"
        f"| all that waits has been looked at with it (reach: {REACH:g}) | {cold.ordered:.2f} | {warm.ordered:.2f} |\n"
        f"| of the {BEST} best waiting URLs, others than before | {cold.moved:.0%} | {warm.moved:.0%} |\n\n"
        f"| milliseconds | without labels | {2 * LABELS} labels | one more |\n|---|---|---|---|\n"
        f"| CPU time of the loop at a stretch, at most (reach: {1000 * HELD_UP:g}) | {' | '.join(busiest)} |\n"
        f"| the same, 99.9 % | {' | '.join(usual)} |\n"
        f"| lateness of a timer, 99.9 % | {' | '.join(late)} |\n\n"
        f"{machine.described('numpy')}"
    )
    written(text, asked.out)
    return 0 if is_soon else 1


def _quantile(seconds: list[float]) -> float:
    return float(np.quantile(seconds, 0.999))


if __name__ == "__main__":
    raise SystemExit(main())
