"""What the frontier costs: a million URLs offered, changed, taken, restored; and a page when it is small or large.

    taskset -c 1 python benchmarks/frontier.py --out results/frontier.md

Every figure comes from a child process of its own. The rounds are interleaved, and the best of each figure counts:
other work on the machine can only make it worse. Nothing is set up inside the clock, URLs neither.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import shlex
import sqlite3
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from time import process_time

import psutil

from honeyguide.frontier import Frontier, Row, State
from honeyguide.page.url import host_of

HOSTS = 5_000
ADDRESSES = 2_000
IN_FLIGHT = 64
LINKS, NEW_LINKS = 60, 15
SMALL, LARGE = 20_000, 2_000_000
WINDOW, TURNS = 300, 8  # pages timed at a stretch and how often, to see what growth costs
MENU = 40  # pages of a site that its pages link to
SECTIONS = ("articles", "news/archive", "research/papers", "forum/threads", "products", "people", "events/past", "wiki")

Values = dict[str, float]
"""Figures by name, in the unit of the table."""
Choose = Callable[[Random, Sequence[str], Sequence[str]], str]
"""Picks the target of a link to a known page: from those of the page's own site, or from all."""


# ---- a web to walk ----


def host_for(number: int) -> int:
    """Which host has a URL: a tenth of them have a third of all URLs. A page's new links come together, at one host."""
    share = (number // NEW_LINKS * 0x9E3779B97F4A7C15 & 0xFFFFFFFF) / 2**32
    return int(HOSTS * share * share)


def url_at(number: int, host: int) -> str:
    """A URL of about 60 characters. Every registered domain has two or three hosts."""
    domain = host * 2 // 5
    name = f"{('www', 'blog', 'shop')[host % 3]}.site-{domain:04d}.{('com', 'org', 'co.uk')[domain % 3]}"
    return f"https://{name}/{SECTIONS[number % 8]}/{number % 97:02d}/topic-{number:07d}-page.html"


def parent_of(number: int) -> int:
    """The page that a URL was found on, with a few others; -1 for the first few, which are seeds."""
    return number // NEW_LINKS - 1


def urls(size: int) -> Iterator[str]:
    return (url_at(number, host_for(number)) for number in range(size))


def filled(size: int) -> Frontier:
    """So many URLs waiting, at hosts whose addresses are known."""
    frontier, random = Frontier(), Random(7)
    for number in range(HOSTS):
        host = frontier.host_number(host_of(url_at(0, number)))
        frontier.set_address(host, f"address-{number % ADDRESSES}")
    for number, url in enumerate(urls(size)):
        frontier.offer(url, random.random(), parent_of(number), 1)
    return frontier


# ---- what is measured ----


def offers(size: int) -> Values:
    """New URLs offered in a second."""
    links, random, frontier = list(urls(size)), Random(7), Frontier()
    priorities = [random.random() for _ in links]
    parents = [parent_of(number) for number in range(size)]
    start = process_time()
    for url, priority, parent in zip(links, priorities, parents, strict=True):
        frontier.offer(url, priority, parent, 1)
    return {"offers": size / (process_time() - start)}


def changes(size: int) -> Values:
    """Priorities of waiting URLs changed in a second, up or down, anywhere."""
    frontier, random = filled(size), Random(8)
    numbers = [random.randrange(size) for _ in range(size)]
    priorities = [random.random() for _ in numbers]
    start = process_time()
    for number, priority in zip(numbers, priorities, strict=True):
        frontier.change(number, priority)
    return {"changes": size / (process_time() - start)}


def takes(size: int) -> Values:
    """URLs taken and settled per second, 64 in flight, politely, with 1,000 pages per second of virtual time."""
    frontier, pages, now = filled(size), size // 5, 0.0
    under_way: deque[int] = deque()
    start = process_time()
    for _ in range(pages):
        now += 0.001
        under_way += frontier.take(now)
        if len(under_way) == IN_FLIGHT:
            frontier.settle(under_way.popleft(), State.DONE, now)
    seconds = process_time() - start
    done = frontier.count(State.DONE)
    assert done > 0.95 * pages, f"only {done} of {pages} could be taken"
    return {"take + settle": done / seconds}


def memory(size: int) -> Values:
    """Bytes a URL: growth of the resident set, the URL itself and its share of the hosts included."""
    Frontier().offer("https://example.org/", 0.0)  # loads what is loaded once
    random, process = Random(7), psutil.Process()
    gc.collect()
    before = process.memory_info().rss
    frontier = Frontier()
    for number, url in enumerate(urls(size)):
        frontier.offer(url, random.random(), parent_of(number), 1)
    after = process.memory_info().rss
    assert len(frontier) == size
    return {"memory per URL": float(after - before) / size}


def restore(size: int) -> Values:
    """Seconds to fill a frontier from an SQLite table."""
    with tempfile.TemporaryDirectory() as folder, closing(sqlite3.connect(Path(folder) / "crawl.sqlite")) as database:
        database.execute(
            "CREATE TABLE urls (number INTEGER PRIMARY KEY, url TEXT, priority REAL, state INTEGER, parent INTEGER,"
            " depth INTEGER, attempts INTEGER)"
        )
        database.executemany("INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?)", numbered_rows(size))
        database.commit()
        frontier = Frontier()
        start = process_time()
        frontier.restore(
            database.execute("SELECT url, priority, state, parent, depth, attempts FROM urls ORDER BY number")
        )
        seconds = process_time() - start
    assert len(frontier) == size
    return {"restore": seconds}


def numbered_rows(size: int) -> Iterator[tuple[int, *Row]]:
    """A crawl in its midst: nine in ten wait."""
    random = Random(7)
    for number, url in enumerate(urls(size)):
        state = State.WAITING if random.random() < 0.9 else State.DONE
        yield number, url, random.random(), int(state), parent_of(number), number % 9, 0


def collection(size: int) -> Values:
    """Seconds of one full garbage collection, and of one after `gc.freeze`, with the frontier in memory."""
    frontier = filled(size)
    start = process_time()
    gc.collect()
    seconds = process_time() - start
    gc.freeze()
    start = process_time()
    gc.collect()
    assert len(frontier) == size
    return {"full collection": 1e3 * seconds, "after gc.freeze": 1e3 * (process_time() - start)}


def growth(_: int) -> Values:
    """How much more a page costs with 2 M URLs waiting than with 20 k, if its links lead where links lead.

    Three known links of four lead around their own site. The others lead to any known URL, the one that was met n-th
    with a chance of about 1/n: the power law of in-links (Broder et al. 2000, exponent 2.1).
    """
    small, large = compared(
        lambda random, site, known: random.choice(site) if random.random() < 0.75 else popular(random, known)
    )
    return {"a page, 20 k waiting": 1e6 * small, "a page, 2 M waiting": 1e6 * large, "growth": large / small}


def growth_at_worst(_: int) -> Values:
    """The same if every known link leads anywhere, so that hardly any is in a cache: the price of memory itself."""
    small, large = compared(lambda random, _, known: random.choice(known))
    return {"growth, links anywhere": large / small}


def popular(random: Random, known: Sequence[str]) -> str:
    return known[int(len(known) ** random.random()) - 1]


def compared(choose: Choose) -> tuple[float, float]:
    """Seconds a page in a small frontier and in a large one, in turns, the best turn of each."""
    walk = Walk(LARGE, choose)
    small, large = [], []
    for _ in range(TURNS):
        small.append(Walk(SMALL, choose).seconds(WINDOW))
        large.append(walk.seconds(WINDOW))
    return min(small) / WINDOW, min(large) / WINDOW


class Walk:
    """A crawl in its midst. A page is: take a URL, settle it, offer 60 links, of which 15 are new."""

    def __init__(self, size: int, choose: Choose) -> None:
        self._frontier = filled(size)
        self._choose = choose
        self._random = Random(9)
        self._now = 0.0
        self._sites: dict[int, list[str]] = {}  # what all pages of a host link to
        view = self._frontier.urls
        self._known = [view.url(number) for number in range(size)]
        for number, url in enumerate(self._known):
            if len(site := self._sites.setdefault(view.host(number), [])) < MENU:
                site.append(url)

    def seconds(self, pages: int) -> float:
        """How long a number of pages take, finding their links left out."""
        return sum(self._page() for _ in range(pages))

    def _page(self) -> float:
        frontier = self._frontier
        self._now += 0.01
        start = process_time()
        (number,) = frontier.take(self._now)
        frontier.settle(number, State.DONE, self._now)
        seconds = process_time() - start
        links = self._links(frontier.urls.host(number))
        start = process_time()
        for url, priority in links:
            frontier.offer(url, priority, number, 1)
        return seconds + process_time() - start

    def _links(self, host: int) -> list[tuple[str, float]]:
        random, known = self._random, self._known
        found = [url_at(number, host) for number in range(len(known), len(known) + NEW_LINKS)]
        for _ in range(LINKS - NEW_LINKS):
            url = self._choose(random, self._sites[host], known)
            found.append(f"{url} "[:-1])  # a string of its own, as if it came from a page
        known += found[:NEW_LINKS]
        return [(url, random.random()) for url in found]


# ---- the table ----

NOTES = """\
URLs of about 60 characters, 15 found per page, at 5,000 hosts of 2,000 domains on 2,000 addresses, with the default
politeness. Every figure comes from its own child process, in interleaved rounds; seconds are CPU seconds. The garbage
collector has Python's default settings: it tracks hardly anything that the frontier stores per URL, so it costs little
while the frontier fills. But a full collection traverses the frontier's lists; `gc.freeze()` after restoring a crawl
excludes them for good.

One page means: take a URL, settle it, and offer 60 links, of which 45 are known. In the large frontier this is about a
tenth more work, counted in function calls with cProfile. The rest of the growth is most likely memory latency: 20,000
URLs fit in the processor's caches and two million do not. With "links anywhere", no two known links are near each
other. Fetching, parsing and scoring are not included.
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table. `reach` is what the best round has to reach; None where the row only explains another."""

    unit: str
    reach: float | None = None
    more_is_better: bool = False

    def row(self, name: str, values: Sequence[float]) -> str:
        """The best and the worst round, and whether the best is good enough."""
        best, worst = (max(values), min(values)) if self.more_is_better else (min(values), max(values))
        cells = [name, f"{shown(best)} {self.unit}", f"{shown(worst)} {self.unit}", "", ""]
        if self.reach is not None:
            is_reached = best >= self.reach if self.more_is_better else best <= self.reach
            cells[3:] = [f"{'≥' if self.more_is_better else '≤'} {shown(self.reach)}", "yes" if is_reached else "NO"]
        return f"| {' | '.join(cells)} |"


def shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


MEASURES = (offers, changes, takes, memory, restore, collection, growth, growth_at_worst)
FIGURES = {
    "offers": Figure("/s", 150_000, more_is_better=True),
    "changes": Figure("/s", 100_000, more_is_better=True),
    "take + settle": Figure("/s", 40_000, more_is_better=True),
    "memory per URL": Figure("B", 320),
    "restore": Figure("s", 6),
    "full collection": Figure("ms"),
    "after gc.freeze": Figure("ms"),
    "a page, 20 k waiting": Figure("µs"),
    "a page, 2 M waiting": Figure("µs"),
    "growth": Figure("times", 1.3),
    "growth, links anywhere": Figure("times"),
}


def table(rounds: Sequence[Values]) -> str:
    head = ["| frontier | best | worst | goal | met |", "|---|---|---|---|---|"]
    return "\n".join(head + [figure.row(name, [one[name] for one in rounds]) for name, figure in FIGURES.items()])


def in_a_child(measure: Callable[[int], Values], size: int) -> Values:
    command = [sys.executable, __file__, "--urls", str(size), "--measure", measure.__name__]
    values: Values = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return values


def machine() -> str:
    info = Path("/proc/cpuinfo")
    models = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    cores = "core " + ", ".join(map(str, sorted(os.sched_getaffinity(0))))
    return f"{models[0]}, {len(models)} cores, pinned to {cores}; Python {platform.python_version()}"


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(description="Measure the frontier.")
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="write the table as markdown, too")
    parser.add_argument("--measure", choices=[one.__name__ for one in MEASURES], help="print one measurement as JSON")
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps({one.__name__: one for one in MEASURES}[options.measure](options.urls)))
        return 0
    rounds: list[Values] = []
    for number in range(options.rounds):
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
        rounds.append({name: value for one in MEASURES for name, value in in_a_child(one, options.urls).items()})
    print(table(rounds))
    if options.out:
        command = shlex.join(["python", "benchmarks/frontier.py", *arguments])
        today = datetime.now(UTC).date()
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(f"# Frontier\n\n`{command}` on {today}\n\n{machine()}\n\n{table(rounds)}\n\n{NOTES}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
