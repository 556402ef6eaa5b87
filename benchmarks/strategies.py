"""What strategies cost: steering a page with many URLs waiting, memory a waiting URL, and a whole crawl.

    taskset -c 1 python -m benchmarks.strategies --web WARC --labels TSV --topic LABEL --out results/strategies.md

Steering is what a queue does with a reading: 60 links, 15 of them new, as in `benchmarks.frontier`, with a million URLs
waiting that it was shown in the same way. Memory is what a million URLs add to the process. Both in a process of their
own for each strategy. Crawls are replays with one model for all, interleaved; what counts is seconds a page, as a
multiple of breadth-first's.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
import psutil

import honeyguide
from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.frontier import LINKS, NEW_LINKS, host_for, url_at
from honeyguide.frontier import Frontier, State
from honeyguide.strategy.guide.evidence import evidence_table
from honeyguide.strategy.guide.texts import TEXT_FEATURES
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.link_words import FIELDS, MOST, WORDS
from honeyguide.strategy.queues.link_bandit import ARMS, FIELD_WORDS, GUESSES
from honeyguide.strategy.queues.tres import ACTION
from honeyguide.strategy.reading import Reading
from honeyguide.strategy.registry import recipes, strategy_named

STEERING, MEMORY, CRAWL = 0.5, 1.4, 2.5
"""The goals: ms per page, × the memory of the plain frontier, × the time of breadth-first."""

PLAIN, SLOWEST = "best-first", "breadth-first"
_SECTIONS = 6  # of a page, that links stand in
_TIMED = 2000
_NEEDS_MORE = ("ssvsm", "ssrm", "genre", "genre-svm", "seeds-only")  # another model, or no links at all


def _reading(links: Sequence[str], random: np.random.Generator) -> Reading:
    """A page that says something of everything that a queue may ask for."""
    size, relevance = len(links), float(random.random())
    texts = random.random((size, len(TEXT_FEATURES)), np.float32)
    scores = random.random(size)
    sections = np.sort(random.integers(0, _SECTIONS, size))
    evidence = evidence_table(list(links), texts, section=sections)
    words = random.integers(1, 2**16, (size, MOST)).astype(np.uint16)
    return Reading(
        title="",
        language="",
        words=800,
        signature=b"",
        relevance=relevance,
        relevant=relevance >= 0.5,
        noindex=False,
        links=LinkTable(
            list(links),
            scores,
            {
                **evidence.columns,
                WORDS: words,
                FIELD_WORDS: words.reshape(size, FIELDS, -1),
                GUESSES: random.random((size, len(ARMS))),
                ACTION: random.random((size, 4)),
            },
        ),
    )


class _Walk:
    """A crawl without fetching and reading: pages are taken, and their readings handed to a queue."""

    def __init__(self, strategy: str) -> None:
        self._queue = strategy_named(strategy).queue()
        self._frontier = Frontier(merge=self._queue.merge, rank=self._queue.rank)
        self._random = np.random.default_rng(7)
        self._known = 0
        self._now = 0.0
        seed = self._frontier.offer("https://www.seed.example/", 1.0)
        self._queue.begin(self._frontier, [seed])

    def page(self, new: int, old: int) -> float:
        """One page with so many links to new URLs and to known ones. Returns the CPU seconds that steering took."""
        self._now += 1e4  # long enough that every host has had its rest
        (number,) = self._frontier.take(self._now)
        self._frontier.settle(number, State.DONE, self._now)
        met = [url_at(one, host_for(one)) for one in range(self._known, self._known + new)]
        if self._known:
            again = self._random.integers(0, self._known, old).tolist()
            met += dict.fromkeys(url_at(one, host_for(one)) for one in again)
        self._known += new
        reading = _reading(met, self._random)
        began = process_time()
        self._queue.page(self._frontier, number, reading, 0)
        return process_time() - began


def _alone(strategy: str, waiting: int) -> dict[str, float]:
    """Of one strategy, in this process: median and mean ms of steering a page, bytes a waiting URL."""
    process = psutil.Process()
    walk = _Walk(strategy)
    for _ in range(20):
        walk.page(LINKS, 0)
    gc.collect()
    before = process.memory_info().rss
    for _ in range(waiting // LINKS):
        walk.page(LINKS, 0)
    gc.collect()
    memory = (process.memory_info().rss - before) / waiting
    gc.disable()
    times = [walk.page(NEW_LINKS, LINKS - NEW_LINKS) * 1e3 for _ in range(_TIMED)]
    return {"median": median(times), "mean": fmean(times), "bytes": memory}


def _child(strategy: str, waiting: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.strategies", "--alone", strategy, "--waiting", str(waiting)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _crawls(asked: argparse.Namespace, names: Sequence[str]) -> dict[str, float]:
    """Seconds a page of each strategy, median over topics and rounds."""
    costs: dict[str, list[float]] = {name: [] for name in names}
    for round_ in range(asked.rounds):
        with TemporaryDirectory() as folder:
            found = honeyguide.compare(
                web=asked.web, labels=asked.labels, topics=asked.topic, strategies=names, pages=str(asked.pages),
                seed=round_, model=asked.model, out=Path(folder) / "out",
            )  # fmt: skip
        for cell in found.results["cells"]:
            costs[cell["strategy"]].append(cell["seconds"] / cell["pages"])
    return {name: median(each) for name, each in costs.items()}


def _line(name: str, alone: dict[str, float], plain: float, crawl: float | None, slowest: float) -> str:
    grown = alone["bytes"] / plain
    reaches = alone["median"] <= STEERING and grown <= MEMORY and (crawl is None or crawl / slowest <= CRAWL)
    times = f"{crawl / slowest:.2f}" if crawl else "-"
    figures = f"{alone['median']:.2f} | {alone['mean']:.2f} | {alone['bytes']:.0f} | {grown:.2f} | {times}"
    return f"| {name} | {figures} | {'yes' if reaches else '**no**'} |\n"


def main() -> int:
    """Measure, print and write down. 1 when a figure is not reached."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.strategies")
    parser.add_argument("--strategy", action="append", help="only these")
    parser.add_argument("--waiting", type=int, default=1_000_000, help="URLs (default: %(default)s)")
    parser.add_argument("--web", action="append", default=[], help="a WARC file to crawl")
    parser.add_argument("--labels", help="its labels")
    parser.add_argument("--topic", action="append", default=[], help="a label")
    parser.add_argument("--pages", type=int, default=300, help="of a crawl (default: %(default)s)")
    parser.add_argument("--model", default="fields", help="(default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="of crawls (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.alone:
        print(json.dumps(_alone(asked.alone, asked.waiting)))
        return 0
    names = asked.strategy or [name for name in recipes() if name not in (*_NEEDS_MORE, "mix")]
    alone = {}
    for name in dict.fromkeys((PLAIN, *names)):
        alone[name] = _child(name, asked.waiting)
        print(f"{name}: {alone[name]}", file=sys.stderr, flush=True)
    crawls = _crawls(asked, list(dict.fromkeys((SLOWEST, *names)))) if asked.web else {}
    lines = [
        _line(name, alone[name], alone[PLAIN]["bytes"], crawls.get(name), crawls.get(SLOWEST, 1.0)) for name in names
    ]
    text = (
        "# The cost of strategies\n\n"
        f"With {asked.waiting:,} URLs waiting. Goals: {STEERING} ms (median), {MEMORY} × the memory of {PLAIN},"
        f" {CRAWL} × a crawl of {SLOWEST}.\n\n"
        "| | steering a page of 60 links, ms (median) | (mean) | bytes per URL | × | a crawl, × | met |\n"
        f"|---|---|---|---|---|---|---|\n{''.join(lines)}\n"
        f"Crawls: {', '.join(asked.topic) or 'none'} of {', '.join(Path(web).name for web in asked.web) or 'no web'},"
        f" {asked.pages} pages, model {asked.model}, median of {asked.rounds} rounds.\n\n"
        f"{machine.described('numpy')}"
    )
    return written(text, asked.out)


if __name__ == "__main__":
    raise SystemExit(main())
