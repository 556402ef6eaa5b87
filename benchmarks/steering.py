"""What steering costs: what guide does with a page that was read, when few URLs wait and when many do.

    taskset -c 1 python -m benchmarks.steering --out results/steering.md

Every number of waiting URLs has a child process of its own. The rounds are interleaved, and the best of each figure
counts: other work on the machine can only make it worse. Nothing but `GuideQueue.page` is inside the clock.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from time import process_time
from zlib import crc32

import numpy as np

from benchmarks.frontier import ADDRESSES, HOSTS, MENU, Figure, Values, host_for, popular, url_at
from benchmarks.machine import described
from honeyguide.frontier import Frontier, State
from honeyguide.page.url import host_of
from honeyguide.strategy.guide.evidence import evidence_table
from honeyguide.strategy.guide.texts import TEXT_FEATURES
from honeyguide.strategy.reading import Reading
from honeyguide.strategy.registry import strategy_named

WAITING = (10_000, 100_000, 1_000_000)
LINKS = (20, 60)  # of a page
KNOWN = 0.75  # of the links of a page
OWN_SITE = 0.75  # of the known links lead around their own site; the others anywhere, as links do
GOOD = 5  # every fifth host is good: most of its pages are relevant, and the texts of links to them score higher
WINDOW, TURNS = 20, 25  # pages timed at a stretch, and how often
SEEDS = 20
REACH = {(60, 10_000): 0.25, (60, 1_000_000): 0.4}
"""What a page may cost at most, in milliseconds, by its links and the URLs that wait."""


class Crawl:
    """A crawl by guide that fetches nothing: its pages and links are made up."""

    def __init__(self, waiting: int) -> None:
        """Go on until so many URLs wait; on the way there all links of a page are new."""
        self._queue = strategy_named("guide").queue()
        self._frontier = Frontier(merge=self._queue.merge)
        self._random = Random(7)
        self._columns = np.random.default_rng(7)
        self._texts = self._columns.random((5_000, len(TEXT_FEATURES)), np.float32)
        self._now = 0.0
        self._met = 0  # URLs that were made up
        self._known: list[str] = []
        self._sites: dict[int, list[str]] = {}  # what all pages of a host link to
        for number in range(HOSTS):
            host = self._frontier.host_number(host_of(url_at(0, number)))
            self._frontier.set_address(host, f"address-{number % ADDRESSES}")
        seeds = [self._frontier.offer(url, 1.0) for url in self._new(SEEDS)]
        self._queue.begin(self._frontier, seeds)
        while self._frontier.count(State.WAITING) < waiting:
            self._page(lambda _: self._new(max(LINKS)))

    def seconds(self, pages: int, links: int) -> float:
        """How long guide works on a number of pages with so many links."""
        return sum(self._page(lambda host: self._links(host, links)) for _ in range(pages))

    def _page(self, links_on: Callable[[int], list[str]]) -> float:
        frontier = self._frontier
        self._now += 0.01
        (number,) = frontier.take(self._now)
        frontier.settle(number, State.DONE, self._now)
        host = frontier.urls.host(number)
        page = self._reading(host, links_on(host))
        start = process_time()
        self._queue.page(frontier, number, page, 0)
        return process_time() - start

    def _links(self, host: int, count: int) -> list[str]:
        """Distinct URLs: new ones, others of the same site, others anywhere."""
        random, site = self._random, self._sites[host]
        found = dict.fromkeys(self._new(count - round(count * KNOWN), host))
        while len(found) < count:
            url = random.choice(site) if random.random() < OWN_SITE else popular(random, self._known)
            found[f"{url} "[:-1]] = None  # a string of its own, as if it came from a page
        return list(found)

    def _new(self, count: int, host: int | None = None) -> list[str]:
        """URLs that nobody has met, at a host or anywhere."""
        made = []
        for number in range(self._met, self._met + count):
            own = host_for(number) if host is None else host
            made.append(url_at(number, own))
            if len(site := self._sites.setdefault(own, [])) < MENU:
                site.append(made[-1])
        self._met += count
        self._known += made
        return made

    def _reading(self, host: int, urls: list[str]) -> Reading:
        columns, count = self._columns, len(urls)
        # What links to one URL say is much the same everywhere.
        own = self._texts[[crc32(url.encode()) % len(self._texts) for url in urls]]
        texts = 0.8 * own + 0.2 * columns.random(own.shape, np.float32)
        is_good = [self._frontier.host_number(host_of(url)) % GOOD == 0 for url in urls]
        texts[is_good] += 0.3
        table = evidence_table(
            urls, texts, region=columns.integers(0, 4, count), section=np.sort(columns.integers(0, 6, count))
        )
        is_relevant = self._random.random() < (0.05 if host % GOOD else 0.8)
        return Reading("", "", 0, b"", 0.9 if is_relevant else 0.1, is_relevant, False, table)


def measured(waiting: int) -> Values:
    """Milliseconds a page, with few links and with many, in turns, the best turn of each."""
    crawl = Crawl(waiting)
    turns = [{links: crawl.seconds(WINDOW, links) for links in LINKS} for _ in range(TURNS)]
    return {name_of(links, waiting): 1e3 * min(turn[links] for turn in turns) / WINDOW for links in LINKS}


def name_of(links: int, waiting: int) -> str:
    return f"{links} links, {waiting:,} waiting"


def in_a_child(waiting: int) -> Values:
    command = [sys.executable, "-m", "benchmarks.steering", "--measure", str(waiting)]
    values: Values = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return values


def table(rounds: Sequence[Values], waiting: Iterable[int]) -> str:
    head = ["| a page with | best | worst | goal | met |", "|---|---|---|---|---|"]
    rows = [
        Figure("ms", REACH.get((links, size))).row(name_of(links, size), [one[name_of(links, size)] for one in rounds])
        for links in LINKS
        for size in waiting
    ]
    return "\n".join(head + rows)


NOTES = """\
What guide's queue does with a page that was read: it learns from it, offers its links with their promise, and rescores
its known links, its siblings and forty others. Three of four links are known; three of four of these lead to the page's
own site, the others anywhere, more often to popular pages. Links are in six sections and four regions. On every fifth
host most pages are relevant, and the texts of links to them score higher. Reading the page and taking it from the
frontier are not included. Milliseconds are CPU time; the weights are refitted every tenth page.
"""


def main() -> int:
    """Measure in interleaved rounds. 1 if a figure is not reached."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.steering")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="leave out the largest frontier")
    parser.add_argument("--out", type=Path, help="also write the table to this Markdown file")
    parser.add_argument("--measure", type=int, metavar="WAITING", help="print one measurement as JSON")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(options.measure)))
        return 0
    waiting = WAITING[:-1] if options.quick else WAITING
    rounds: list[Values] = []
    for number in range(options.rounds):
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        rounds.append({name: value for size in waiting for name, value in in_a_child(size).items()})
    shown = table(rounds, waiting)
    print(shown)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(f"# Steering\n\n{shown}\n\n{NOTES}\n{described('numpy')}", encoding="utf-8")
    return int("NO" in shown)


if __name__ == "__main__":
    raise SystemExit(main())
