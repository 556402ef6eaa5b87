"""Pages a second: honeyguide beside Scrapy, its overhead, its share of the limit, its second core.

    python -m benchmarks.throughput [--quick] [--out results/throughput.md]

Every crawler is a process on one core, one after the other, in rounds; the page server has the other core. All crawl
the same pages with the same politeness and write the same records and rows. What counts is the median over the rounds,
of the time from the end of a warm-up to the last page. CPU time is told beside it: other work on the machine changes it
least. For the second core the crawl has both, and shares one with the server, which needs a few hundredths of it.
"""

from __future__ import annotations

import argparse
import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import psutil

from benchmarks import machine
from benchmarks.meter import Run
from benchmarks.processes import CRAWLER_CORE, SERVER_CORE, cpu_seconds, page_server, run
from benchmarks.web import HOSTS, render

HONEYGUIDE, TUNED, IDIOMATIC = "honeyguide", "Scrapy, tuned", "Scrapy, idiomatic"
NO_WORKER, WORKER = "honeyguide, both cores", "honeyguide, both cores, a worker"
_CRAWLERS: dict[str, tuple[str, tuple[object, ...], tuple[int, ...]]] = {
    HONEYGUIDE: ("crawl_honeyguide", (), (CRAWLER_CORE,)),
    TUNED: ("crawl_scrapy_tuned", (), (CRAWLER_CORE,)),
    IDIOMATIC: ("crawl_scrapy_idiomatic", (), (CRAWLER_CORE,)),
    NO_WORKER: ("crawl_honeyguide", ("--workers", 0), (CRAWLER_CORE, SERVER_CORE)),
    WORKER: ("crawl_honeyguide", ("--workers", 1), (CRAWLER_CORE, SERVER_CORE)),
}
"""By name: the module, what it is told besides, and its cores."""
_PARTS = ("fetch", "read", "frontier", "write")
_CONNECTIONS = 64
_PACKAGES = ("aiohttp", "uvloop", "selectolax", "fastwarc", "numpy", "scrapy", "twisted", "scikit-learn")


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured."""

    web: int
    pages: int
    warm_up: int
    rounds: int


FULL = Scale(web=8000, pages=2000, warm_up=200, rounds=5)
QUICK = Scale(web=2000, pages=400, warm_up=100, rounds=1)


class Rounds:
    """What came of all rounds."""

    def __init__(self) -> None:
        self.runs: defaultdict[str, list[Run]] = defaultdict(list)
        self.server_share: defaultdict[str, list[float]] = defaultdict(list)
        self.parts: list[dict[str, Any]] = []

    def seconds(self, name: str) -> float:
        """A page, by the clock."""
        return float(median(run.seconds / run.pages for run in self.runs[name]))

    def cpu(self, name: str) -> float:
        """A page, of the process's CPU time."""
        return float(median(run.cpu / run.pages for run in self.runs[name]))

    def part(self, name: str, kind: str = "cpu") -> float:
        """A page, of a part alone."""
        return float(median(parts[kind][name] for parts in self.parts))

    def workers_cpu(self, name: str) -> float:
        """A page, of its workers' CPU time."""
        return float(median(run.workers_cpu / run.pages for run in self.runs[name]))

    def about(self, name: str) -> float:
        """What the pages are like: bytes, bytes sent, links, words."""
        return float(median(parts[name] for parts in self.parts))


def measure(scale: Scale, work: Path) -> Rounds:
    """Run everything. Leaves the last crawl of each crawler in the folder `work`."""
    web = work / f"web-{scale.web}.pickle"
    if not web.exists():
        render(scale.web).save(web)
    rounds = Rounds()
    with page_server(web) as server:
        for _ in range(scale.rounds):
            for name in _CRAWLERS:
                _crawl(rounds, name, scale, web, work, server)
            commits = max(round(rounds.runs[HONEYGUIDE][-1].seconds), 1)
            rounds.parts.append(run("parts", web, work / HONEYGUIDE, _CONNECTIONS, commits))
            _check_outputs(rounds, scale)
    return rounds


def _crawl(rounds: Rounds, name: str, scale: Scale, web: Path, work: Path, server: psutil.Process) -> None:
    module, more, cores = _CRAWLERS[name]
    before = cpu_seconds(server)
    folder = _fresh(work / name.replace(", ", "-"))
    told = Run(**run(module, web, folder, scale.pages, scale.warm_up, _CONNECTIONS, *more, cores=cores))
    rounds.runs[name].append(told)
    # The server answered a little more than the measured part.
    seconds = told.seconds * scale.pages / told.pages
    rounds.server_share[name].append((cpu_seconds(server) - before) / seconds)
    print(
        f"{name}: {told.pages / told.seconds:.0f} pages/s, {told.cpu / told.pages * 1e3:.2f} ms of CPU a page",
        flush=True,
    )


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _check_outputs(rounds: Rounds, scale: Scale) -> None:
    """All wrote as much. Which URLs are met and which payloads are repeated depends a little on the order of pages."""
    for name in _CRAWLERS:
        told = rounds.runs[name][-1]
        answers = told.records["response"] + told.records.get("revisit", 0)
        assert told.rows["pages"] == scale.pages, name
        assert answers == told.records["request"] == scale.pages + told.rows["robots"], name
        assert told.rows["events"] == scale.pages + told.rows["robots"] + 2, name
        assert 0.9 < told.rows["urls"] / rounds.runs[HONEYGUIDE][-1].rows["urls"] < 1.1, name


# ---- what it comes to ----


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure to reach."""

    name: str
    value: float
    reach: float
    at_most: bool = False

    @property
    def reached(self) -> bool:
        """Whether it is good enough."""
        return self.value <= self.reach if self.at_most else self.value >= self.reach

    def row(self) -> str:
        """As a row of the table."""
        sign = "≤" if self.at_most else "≥"
        return f"| {self.name} | {self.value:.2f} | {sign} {self.reach:g} | {'yes' if self.reached else '**no**'} |"


def figures(rounds: Rounds) -> list[Figure]:
    """The figures of the issue, as ratios. Overhead is CPU: what is left when reading and writing are taken away."""
    alone = rounds.part("read") + rounds.part("write")
    parts = {kind: sum(rounds.part(name, kind) for name in _PARTS) for kind in ("seconds", "cpu")}
    busier = max(rounds.cpu(WORKER), rounds.workers_cpu(WORKER))
    return [
        Figure("throughput, one core, times tuned Scrapy", rounds.seconds(TUNED) / rounds.seconds(HONEYGUIDE), 1.7),
        Figure("the same in CPU time", rounds.cpu(TUNED) / rounds.cpu(HONEYGUIDE), 1.7),
        Figure(
            "throughput, one core, times idiomatic Scrapy", rounds.seconds(IDIOMATIC) / rounds.seconds(HONEYGUIDE), 10
        ),
        Figure("the same in CPU time", rounds.cpu(IDIOMATIC) / rounds.cpu(HONEYGUIDE), 10),
        Figure(
            "overhead, times that of tuned Scrapy",
            (rounds.cpu(HONEYGUIDE) - alone) / (rounds.cpu(TUNED) - alone),
            0.4,
            at_most=True,
        ),
        Figure("share of the limit: its parts alone / the crawl", parts["seconds"] / rounds.seconds(HONEYGUIDE), 0.75),
        Figure("the same in CPU time", parts["cpu"] / rounds.cpu(HONEYGUIDE), 0.75),
        Figure("second core: one worker, times none", rounds.seconds(NO_WORKER) / rounds.seconds(WORKER), 1.5),
        Figure("the same by the CPU time of the busier process", rounds.cpu(NO_WORKER) / busier, 1.5),
    ]


def report(rounds: Rounds, scale: Scale) -> str:
    """The whole page."""
    lines = ["# Throughput", "", "| figure | measured | reach | reached |", "|---|---|---|---|"]
    lines += [figure.row() for figure in figures(rounds)]
    lines += [
        "",
        "| | pages/s | ms a page | CPU ms a page | of workers | server's CPU | MB |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [_speeds(rounds, name) for name in _CRAWLERS]
    lines += ["", *_split(rounds), "", _terms(rounds, scale) + machine.described(*_PACKAGES)]
    return "\n".join(lines)


def _speeds(rounds: Rounds, name: str) -> str:
    seconds, runs = rounds.seconds(name), rounds.runs[name]
    workers = rounds.workers_cpu(name)
    memory = median(run.memory for run in runs)
    return (
        f"| {name} | {1 / seconds:.0f} | {seconds * 1e3:.2f} | {rounds.cpu(name) * 1e3:.2f} | {workers * 1e3:.2f} "
        f"| {median(rounds.server_share[name]):.0%} | {memory / 1e6:.0f} |"
    )


def _split(rounds: Rounds) -> list[str]:
    """Where honeyguide's time goes."""
    parts = {name: rounds.part(name) for name in ("fetch", "parse", "read", "frontier", "write")}
    whole = rounds.cpu(HONEYGUIDE)
    rows = {
        "fetch: HTTP, headers, bodies": parts["fetch"],
        "decode and parse": parts["parse"],
        "words to tokens, score, signature, scope": parts["read"] - parts["parse"],
        "frontier: offers, take, settle": parts["frontier"],
        "WARC records, rows, commits": parts["write"],
    }
    rows["the rest: loop, tasks, robots.txt, caches gone cold"] = whole - sum(rows.values())
    lines = ["| honeyguide, CPU µs a page, each part alone | | |", "|---|---|---|"]
    return lines + [f"| {name} | {value * 1e6:.0f} | {value / whole:.0%} |" for name, value in rows.items()]


def _terms(rounds: Rounds, scale: Scale) -> str:
    return f"""\
- {scale.pages:,} pages a run, of a web of {scale.web:,} on {HOSTS} hosts (a loopback address each); the first
  {scale.warm_up} are warm-up. Medians of {scale.rounds} interleaved rounds.
- A page has {rounds.about("bytes") / 1000:.1f} KB ({rounds.about("sent") / 1000:.1f} KB as it is sent, with gzip),
  {rounds.about("words"):,.0f} words and {rounds.about("links"):.0f} different links in scope.
- {_CONNECTIONS} requests at once, one a host, no delays, robots.txt obeyed.
- Tuned Scrapy: CONCURRENT_ITEMS=1, DownloaderAwarePriorityQueue, uvloop, no statistics, no extensions, no middlewares
  but robots.txt and default headers; honeyguide's reader and recorder; the table of URLs, which is written anyway,
  instead of the duplicate filter. Its queue takes hosts in turn and cannot raise a priority.
- Idiomatic Scrapy: LinkExtractor, CSS text, TfidfVectorizer and cosine a page, an item pipeline.
- Overhead is what is left of the CPU time when reading and writing alone are taken away. Times by the clock mean
  something on an idle machine only; the load is told below.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and write the page if asked. 1 when a figure is not reached."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.throughput")
    parser.add_argument("--quick", action="store_true", help="one small round: to see that it works")
    parser.add_argument("--out", type=Path, help="write the page here too")
    parser.add_argument("--work", type=Path, help="keep the rendered web and the crawls in this folder")
    options = parser.parse_args(argv)
    scale = QUICK if options.quick else FULL
    with TemporaryDirectory() as folder:
        work: Path = options.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        rounds = measure(scale, work)
    page = report(rounds, scale)
    print(page)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(page, encoding="utf-8")
    return 0 if all(figure.reached for figure in figures(rounds)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
