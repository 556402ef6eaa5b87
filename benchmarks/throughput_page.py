"""Summarises the rounds of ``benchmarks.throughput``: the figures with their goals, and the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks import machine
from benchmarks.meter import Run
from benchmarks.web import HOSTS

GUIDE, BEST_FIRST, TUNED, IDIOMATIC = "guide", "best-first", "Scrapy, tuned", "Scrapy, idiomatic"
GUIDE_PLAIN = "guide, without the compiled kernel"
GUIDE_WORKER = "guide, one worker on the second core"
BEST_FIRST_WORKER = "best-first, one worker on the second core"
_PARTS = ("fetch", "read", "frontier", "write")
_WORKERS = (1, 2, 4, 8)
_PACKAGES = ("aiohttp", "uvloop", "selectolax", "fastwarc", "numpy", "scrapy", "twisted", "scikit-learn")

Statistic = Callable[[Iterable[float]], float]
"""How the rounds are aggregated: `min` for the best round, `median`, or a single round (`_only`)."""


def _only(number: int) -> Statistic:
    """The round with this number only."""
    return lambda values: list(values)[number]


class Rounds:
    """The results of all rounds on one kind of page. All times are in seconds per page."""

    def __init__(self) -> None:
        self.runs: defaultdict[str, list[Run]] = defaultdict(list)
        self.server_share: defaultdict[str, list[float]] = defaultdict(list)
        self.parts: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)

    def seconds(self, name: str, of: Statistic = min) -> float:
        """Wall-clock time."""
        return of(run.seconds / run.pages for run in self.runs[name])

    def cpu(self, name: str, of: Statistic = min) -> float:
        """CPU time of the process."""
        return of(run.cpu / run.pages for run in self.runs[name])

    def workers_cpu(self, name: str, of: Statistic = min) -> float:
        """CPU time of its workers."""
        return of(run.workers_cpu / run.pages for run in self.runs[name])

    def part(self, crawler: str, name: str, kind: str = "cpu", of: Statistic = min) -> float:
        """One part of a crawl in isolation: wall-clock time ("seconds") or CPU time ("cpu")."""
        return of(parts[kind][name] for parts in self.parts[crawler])

    def about(self, name: str) -> float:
        """A property of the pages: bytes, bytes sent, links, words."""
        return float(median(parts[name] for parts in self.parts[GUIDE]))


@dataclass(frozen=True, slots=True)
class Measured:
    """The rounds on one kind of page."""

    kind: str
    about: str
    rounds: Rounds


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure, optionally with a goal."""

    name: str
    value: Callable[[Statistic], float]
    rounds: int
    at_least: float | None = None
    at_most: float | None = None

    @property
    def reached(self) -> bool:
        """Whether both the best rounds and the median round meet the goal."""
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
        """The figure for each round separately: the values compared were measured within a minute or two."""
        return [self.value(_only(number)) for number in range(self.rounds)]


def once_a_round(name: str, values: list[float], *, at_most: float) -> Figure:
    """A figure with one value per round."""
    return Figure(name, lambda of: of(values), len(values), at_most=at_most)


def figures(measured: Measured) -> list[Figure]:
    """The figures for a kind of page, as ratios. Overhead is CPU time excluding reading and writing."""
    rounds = measured.rounds
    seconds, cpu, part = rounds.seconds, rounds.cpu, rounds.part
    every = len(rounds.runs[GUIDE])
    strict = measured.kind == "34-KB"  # the goals apply to these; guide against best-first applies to all kinds

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

    same = "same, by CPU time"
    as_usual = [
        Figure("guide: throughput / idiomatic Scrapy", times(IDIOMATIC, GUIDE, seconds), every, goal(8)),
        Figure(same, times(IDIOMATIC, GUIDE, cpu), every, goal(8)),
        Figure("best-first: throughput / idiomatic Scrapy", times(IDIOMATIC, BEST_FIRST, seconds), every, goal(10)),
    ]
    as_usual = as_usual if IDIOMATIC in rounds.runs else []
    return [
        Figure("guide: CPU per page / best-first", times(GUIDE, BEST_FIRST, cpu), every, at_most=1.5),
        Figure("guide: throughput / tuned Scrapy", times(TUNED, GUIDE, seconds), every, goal(1.3)),
        Figure(same, times(TUNED, GUIDE, cpu), every, goal(1.3)),
        *as_usual,
        Figure(
            "guide: throughput, one worker on the second core / none",
            times(GUIDE, GUIDE_WORKER, seconds),
            every,
            goal(1.7),
        ),
        Figure(
            "same, by CPU time of the busier process",
            lambda of: cpu(GUIDE, of) / busier(GUIDE_WORKER, of),
            every,
            goal(1.7),
        ),
        Figure(
            "guide: CPU per page without the compiled kernel / with it",
            times(GUIDE_PLAIN, GUIDE, cpu),
            every,
            goal(1.3),
        ),
        Figure("guide: efficiency (CPU of the parts / CPU of the crawl)", limit(GUIDE), every),
        Figure("best-first: throughput / tuned Scrapy", times(TUNED, BEST_FIRST, seconds), every, goal(2.2)),
        Figure(same, times(TUNED, BEST_FIRST, cpu), every, goal(2.2)),
        Figure(
            "best-first: overhead / tuned Scrapy",
            lambda of: overhead(BEST_FIRST, of) / overhead(TUNED, of),
            every,
            at_most=goal(0.4),
        ),
        Figure("best-first: efficiency (CPU of the parts / CPU of the crawl)", limit(BEST_FIRST), every, goal(0.75)),
        Figure(
            "best-first: throughput, one worker on the second core / none",
            times(BEST_FIRST, BEST_FIRST_WORKER, seconds),
            every,
        ),
        Figure(
            "same, by CPU time of the busier process",
            lambda of: cpu(BEST_FIRST, of) / busier(BEST_FIRST_WORKER, of),
            every,
        ),
    ]


def report(found: list[Measured], others: list[Figure], terms: str) -> str:
    """The whole page: each kind of page, the scaling limits, and the figures that do not come from a crawl."""
    lines = ["# Throughput", ""]
    for measured in found:
        lines += [f"## {measured.kind} pages", "", *figure_table(figures(measured)), ""]
        lines += [*_speed_table(measured.rounds), "", *_split(measured.rounds), "", _about(measured), ""]
    lines += ["## Scaling with more workers", "", *_bounds(found), ""]
    lines += ["## Other figures", "", *figure_table(others), "", "## Setup", ""]
    return "\n".join(lines) + "\n" + terms + _TERMS + machine.described(*_PACKAGES)


def figure_table(rows: list[Figure]) -> list[str]:
    """The figures, one per row, as lines of Markdown."""
    return [
        "| figure | best rounds | median round | range | goal | met |",
        "|---|---|---|---|---|---|",
        *(figure.row() for figure in rows),
    ]


def _speed_table(rounds: Rounds) -> list[str]:
    return [
        "| | pages/s, best | median | CPU ms per page, best | median | workers' CPU | server's CPU | memory, MB |",
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
    """How the CPU time is spent."""
    columns = [_parts(rounds, name) for name in (GUIDE, BEST_FIRST)]
    lines = [f"| CPU µs per page, each part in isolation | {GUIDE} | | {BEST_FIRST} | |", "|---|---|---|---|---|"]
    for name in columns[0]:
        cells = (f"{column[name] * 1e6:.0f} | {column[name] / sum(column.values()):.0%}" for column in columns)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _parts(rounds: Rounds, name: str) -> dict[str, float]:
    parts = {part: rounds.part(name, part) for part in ("parse", *_PARTS)}
    rows = {
        "fetch: HTTP, headers, bodies": parts["fetch"],
        "decode and parse": parts["parse"],
        "tokens, page and link scores, signature, scope": parts["read"] - parts["parse"],
        "frontier and queue: offers, updates, take, settle": parts["frontier"],
        "WARC records, rows, commits": parts["write"],
    }
    rest = rounds.cpu(name) - sum(rows.values())
    return {**rows, "other: event loop, tasks, robots.txt, queue state, cold caches": rest}


def _about(measured: Measured) -> str:
    about = measured.rounds.about
    return (
        f"An average page has {about('bytes') / 1000:.1f} KB ({about('sent') / 1000:.1f} KB transferred), "
        f"{about('words'):,.0f} words and {about('links'):.0f} distinct links in scope. The pages are {measured.about}."
    )


def _bounds(found: list[Measured]) -> list[str]:
    """Pages per second possible with n workers on a core each, given the CPU time per page with one worker."""
    lines = [
        "Computed from the CPU time per page with one worker (best round). The main process runs the event loop: it",
        "fetches, schedules and writes every page; the workers share the reading. Each process has its own core, and",
        "the slower side limits throughput.",
        "",
        "| pages | strategy | main process, ms | reading, ms | "
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
    return f"{1 / max(loop, reading):.0f} pages/s ({'main process' if loop >= reading else 'reading'})"


_TERMS = f"""\
- Each web has {HOSTS} hosts, each with its own loopback address.
- Ratios of throughput are speed-ups (higher is better); ratios of CPU per page and overhead are costs.
- Tuned Scrapy: best-first; CONCURRENT_ITEMS=1, DownloaderAwarePriorityQueue, uvloop, no statistics, no extensions, and
  no middlewares except robots.txt and default headers. It uses honeyguide's reader and recorder, and the URL table,
  which is written anyway, replaces the duplicate filter. Its queue rotates through hosts and cannot raise a priority.
- Idiomatic Scrapy: LinkExtractor, text by CSS selectors, TfidfVectorizer and cosine similarity per page, an item
  pipeline.
- Overhead is the CPU time that remains after subtracting reading and writing, each measured in isolation. Wall-clock
  times are only meaningful on an idle machine; the load is given below.
- Start: CPU time of `honeyguide crawl` with keywords, including its worker, until the first request arrives.
- Listing: one page with 10,000 links, compared with pages of 2,000 words and 64 links, read by guide in a new process.
"""
