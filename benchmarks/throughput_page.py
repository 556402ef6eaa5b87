"""What the rounds of ``benchmarks.throughput`` come to: the figures with their goals, and the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks import machine
from benchmarks.meter import Run
from benchmarks.web import HOSTS

GUIDE, BEST_FIRST, TUNED, IDIOMATIC = "guide", "best-first", "Scrapy, tuned", "Scrapy as usual"
GUIDE_PLAIN = "guide, without the compiled kernel"
GUIDE_WORKER = "guide, a worker on the second core"
BEST_FIRST_WORKER = "best-first, a worker on the second core"
_PARTS = ("fetch", "read", "frontier", "write")
_WORKERS = (1, 2, 4, 8)
_PACKAGES = ("aiohttp", "uvloop", "selectolax", "fastwarc", "numpy", "scrapy", "twisted", "scikit-learn")

Statistic = Callable[[Iterable[float]], float]
"""How the rounds are summed up: `min` for the best one, `median`, or one of them (`_only`)."""


def _only(number: int) -> Statistic:
    """The round of this number alone."""
    return lambda values: list(values)[number]


class Rounds:
    """What came of all rounds on one kind of pages. All times are seconds a page."""

    def __init__(self) -> None:
        self.runs: defaultdict[str, list[Run]] = defaultdict(list)
        self.server_share: defaultdict[str, list[float]] = defaultdict(list)
        self.parts: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)

    def seconds(self, name: str, of: Statistic = min) -> float:
        """By the clock."""
        return of(run.seconds / run.pages for run in self.runs[name])

    def cpu(self, name: str, of: Statistic = min) -> float:
        """CPU time of the process."""
        return of(run.cpu / run.pages for run in self.runs[name])

    def workers_cpu(self, name: str, of: Statistic = min) -> float:
        """CPU time of its workers."""
        return of(run.workers_cpu / run.pages for run in self.runs[name])

    def part(self, crawler: str, name: str, kind: str = "cpu", of: Statistic = min) -> float:
        """A part of a crawl alone, by the clock ("seconds") or CPU time ("cpu")."""
        return of(parts[kind][name] for parts in self.parts[crawler])

    def about(self, name: str) -> float:
        """What the pages are like: bytes, bytes sent, links, words."""
        return float(median(parts[name] for parts in self.parts[GUIDE]))


@dataclass(frozen=True, slots=True)
class Measured:
    """The rounds on one kind of pages."""

    kind: str
    about: str
    rounds: Rounds


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure, perhaps with a goal."""

    name: str
    value: Callable[[Statistic], float]
    rounds: int
    at_least: float | None = None
    at_most: float | None = None

    @property
    def reached(self) -> bool:
        """Whether the best rounds are good enough, and the median round too."""
        values = (self.value(min), median(self._each()))
        low, high = self.at_least, self.at_most
        return (low is None or min(values) >= low) and (high is None or max(values) <= high)

    def row(self) -> str:
        """As a row of the table."""
        each = self._each()
        spread = f"{min(each):.2f} to {max(each):.2f}"
        goal = f"≥ {self.at_least:g}" if self.at_least is not None else ""
        goal = f"≤ {self.at_most:g}" if self.at_most is not None else goal
        reached = ("yes" if self.reached else "**no**") if goal else ""
        return f"| {self.name} | {self.value(min):.2f} | {median(each):.2f} | {spread} | {goal} | {reached} |"

    def _each(self) -> list[float]:
        """The figure from each round alone: what is compared was measured within a minute or two."""
        return [self.value(_only(number)) for number in range(self.rounds)]


def once_a_round(name: str, values: list[float], *, at_most: float) -> Figure:
    """A figure of which each round has a value of its own."""
    return Figure(name, lambda of: of(values), len(values), at_most=at_most)


def figures(measured: Measured) -> list[Figure]:
    """The figures of a kind of pages, as ratios. Overhead is CPU: what is left without reading and writing."""
    rounds = measured.rounds
    seconds, cpu, part = rounds.seconds, rounds.cpu, rounds.part
    every = len(rounds.runs[GUIDE])
    strict = measured.kind == "34-KB"  # for which the goals are set; how guide compares with best-first counts on all

    def goal(value: float) -> float | None:
        return value if strict else None

    def times(more: str, less: str, measure: Callable[[str, Statistic], float]) -> Callable[[Statistic], float]:
        return lambda of: measure(more, of) / measure(less, of)

    def overhead(name: str, of: Statistic) -> float:
        return cpu(name, of) - part(BEST_FIRST, "read", "cpu", of) - part(BEST_FIRST, "write", "cpu", of)

    def limit(name: str) -> Callable[[Statistic], float]:
        return lambda of: sum(part(name, each, "cpu", of) for each in _PARTS) / cpu(name, of)

    def busier(name: str, of: Statistic) -> float:
        return max(cpu(name, of), rounds.workers_cpu(name, of))

    same = "the same in CPU time"
    as_usual = [
        Figure("guide, times Scrapy as usual", times(IDIOMATIC, GUIDE, seconds), every, goal(8)),
        Figure(same, times(IDIOMATIC, GUIDE, cpu), every, goal(8)),
        Figure("best-first, times Scrapy as usual", times(IDIOMATIC, BEST_FIRST, seconds), every, goal(10)),
    ]
    as_usual = as_usual if IDIOMATIC in rounds.runs else []
    return [
        Figure("guide, CPU a page, times best-first's", times(GUIDE, BEST_FIRST, cpu), every, at_most=1.5),
        Figure("guide, throughput, times tuned Scrapy's", times(TUNED, GUIDE, seconds), every, goal(1.3)),
        Figure(same, times(TUNED, GUIDE, cpu), every, goal(1.3)),
        *as_usual,
        Figure(
            "guide, one worker on the second core, times none", times(GUIDE, GUIDE_WORKER, seconds), every, goal(1.7)
        ),
        Figure(
            "the same, CPU time of the busier process",
            lambda of: cpu(GUIDE, of) / busier(GUIDE_WORKER, of),
            every,
            goal(1.7),
        ),
        Figure(
            "guide, CPU a page without the compiled kernel, times with it",
            times(GUIDE_PLAIN, GUIDE, cpu),
            every,
            goal(1.3),
        ),
        Figure("guide, share of the limit: its parts / the crawl, CPU", limit(GUIDE), every),
        Figure("best-first, throughput, times tuned Scrapy's", times(TUNED, BEST_FIRST, seconds), every, goal(2.2)),
        Figure(same, times(TUNED, BEST_FIRST, cpu), every, goal(2.2)),
        Figure(
            "best-first, overhead, times tuned Scrapy's",
            lambda of: overhead(BEST_FIRST, of) / overhead(TUNED, of),
            every,
            at_most=goal(0.4),
        ),
        Figure("best-first, share of the limit, CPU", limit(BEST_FIRST), every, goal(0.75)),
        Figure("best-first, one worker, times none", times(BEST_FIRST, BEST_FIRST_WORKER, seconds), every),
        Figure(
            "the same, CPU time of the busier process",
            lambda of: cpu(BEST_FIRST, of) / busier(BEST_FIRST_WORKER, of),
            every,
        ),
    ]


def report(found: list[Measured], others: list[Figure], terms: str) -> str:
    """The whole page: each kind of pages, where the bound is, and the figures that are not of a crawl."""
    lines = ["# Throughput", ""]
    for measured in found:
        lines += [f"## {measured.kind} pages", "", *figure_table(figures(measured)), ""]
        lines += [*_speed_table(measured.rounds), "", *_split(measured.rounds), "", _about(measured), ""]
    lines += ["## More workers: where the bound is", "", *_bounds(found), ""]
    lines += ["## Besides", "", *figure_table(others), "", "## Terms", ""]
    return "\n".join(lines) + "\n" + terms + _TERMS + machine.described(*_PACKAGES)


def figure_table(rows: list[Figure]) -> list[str]:
    """The figures, one a row, as lines of Markdown."""
    return [
        "| figure | of the best rounds | of the median round | of all rounds | goal | reached |",
        "|---|---|---|---|---|---|",
        *(figure.row() for figure in rows),
    ]


def _speed_table(rounds: Rounds) -> list[str]:
    return [
        "| | pages/s, best | median | CPU ms a page, best | median | of workers | server's CPU | MB |",
        "|---|---|---|---|---|---|---|---|",
        *(_speeds(rounds, name) for name in rounds.runs),
    ]


def _speeds(rounds: Rounds, name: str) -> str:
    seconds, cpu, workers = rounds.seconds(name), rounds.cpu(name), rounds.workers_cpu(name)
    memory = median(run.memory for run in rounds.runs[name])
    return (
        f"| {name} | {1 / seconds:.0f} | {1 / rounds.seconds(name, median):.0f} | {cpu * 1e3:.2f} "
        f"| {rounds.cpu(name, median) * 1e3:.2f} | {workers * 1e3:.2f} | {median(rounds.server_share[name]):.0%} "
        f"| {memory / 1e6:.0f} |"
    )


def _split(rounds: Rounds) -> list[str]:
    """Where the time goes."""
    columns = [_parts(rounds, name) for name in (GUIDE, BEST_FIRST)]
    lines = [f"| CPU µs a page, each part alone | {GUIDE} | | {BEST_FIRST} | |", "|---|---|---|---|---|"]
    for name in columns[0]:
        cells = (f"{column[name] * 1e6:.0f} | {column[name] / sum(column.values()):.0%}" for column in columns)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _parts(rounds: Rounds, name: str) -> dict[str, float]:
    parts = {part: rounds.part(name, part) for part in ("parse", *_PARTS)}
    rows = {
        "fetch: HTTP, headers, bodies": parts["fetch"],
        "decode and parse": parts["parse"],
        "words to tokens, scores of the page and its links, signature, scope": parts["read"] - parts["parse"],
        "frontier and queue: offers, changes, take, settle": parts["frontier"],
        "WARC records, rows, commits": parts["write"],
    }
    rest = rounds.cpu(name) - sum(rows.values())
    return {**rows, "the rest: loop, tasks, robots.txt, what the queue saves, caches gone cold": rest}


def _about(measured: Measured) -> str:
    about = measured.rounds.about
    return (
        f"A page has {about('bytes') / 1000:.1f} KB, {about('words'):,.0f} words and {about('links'):.0f} different "
        f"links in scope; {about('sent') / 1000:.1f} KB are sent for it: {measured.about}."
    )


def _bounds(found: list[Measured]) -> list[str]:
    """How many pages a second n workers allow, each on a core of its own, by what a page costs with one worker."""
    lines = [
        "From what a page costs with one worker (best round): the process of the loop fetches, steers and writes every",
        "page, the workers share the reading. The slower of the two is the bound; each process has a core of its own.",
        "",
        "| pages | strategy | loop, ms | reading, ms | "
        + " | ".join(f"{n} worker{'s' * (n > 1)}" for n in _WORKERS)
        + " |",
        "|---" * (4 + len(_WORKERS)) + "|",
    ]
    for measured in found:
        for name, strategy in ((GUIDE_WORKER, GUIDE), (BEST_FIRST_WORKER, BEST_FIRST)):
            loop, reading = measured.rounds.cpu(name), measured.rounds.workers_cpu(name)
            cells = " | ".join(_bound(loop, reading / number) for number in _WORKERS)
            lines.append(f"| {measured.kind} | {strategy} | {loop * 1e3:.2f} | {reading * 1e3:.2f} | {cells} |")
    return lines


def _bound(loop: float, reading: float) -> str:
    return f"{1 / max(loop, reading):.0f} pages/s: {'the loop' if loop >= reading else 'reading'}"


_TERMS = f"""\
- The webs have {HOSTS} hosts, a loopback address each.
- Tuned Scrapy: best-first; CONCURRENT_ITEMS=1, DownloaderAwarePriorityQueue, uvloop, no statistics, no extensions, no
  middlewares but robots.txt and default headers; honeyguide's reader and recorder; the table of URLs, which is written
  anyway, instead of the duplicate filter. Its queue takes hosts in turn and cannot raise a priority.
- Scrapy as usual: LinkExtractor, CSS text, TfidfVectorizer and cosine a page, an item pipeline.
- Overhead is what is left of the CPU time when reading and writing alone are taken away. Times by the clock mean
  something on an idle machine only; the load is told below.
- Start: CPU time of `honeyguide crawl` with keywords, and of its worker so far, until its first request arrives.
- Listing: one page of 10,000 links, beside a page of 2,000 words with 64 links; read by guide, each in a new process.
"""
