"""What a replay costs beside reading its pages, what guide costs beside breadth-first, what a second process brings.

    taskset -c 1 python -m benchmarks.replay --web W.warc.gz --labels L.tsv --topic LABEL [--out results/replay.md]

The bare loop reads the pages of the replay in the same order: decode, parse, score, as the crawl does it; once with
responses in memory, and once with responses from the web. The rounds alternate, and the best one counts. For `--jobs 2`
the wall-clock time of the whole command is measured, so do not pin it to one core: omit `taskset`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks import machine
from benchmarks.texts import best_of
from honeyguide.crawl.readers import reader_config
from honeyguide.lab.cases import Split
from honeyguide.lab.comparison import run_comparison
from honeyguide.lab.plan import OpenPlan, Plan, open_plan
from honeyguide.lab.replay import replay
from honeyguide.lab.web import VirtualWeb
from honeyguide.relevance.models import make_model
from honeyguide.strategy.reading import Document, Reader
from honeyguide.topic.material import material_of

REACH_SPEED, REACH_JOBS, REACH_GUIDE = 0.7, 1.7, 1.5


def plan(asked: argparse.Namespace, *strategies: str, repeats: int = 1) -> Plan:
    """The comparison that is timed."""
    split = Split(seeds=5, examples=30, pages=str(asked.pages), seed=7)
    return Plan(tuple(asked.web), asked.labels, tuple(asked.topic), strategies, split, repeats)


def against_a_bare_loop(opened: OpenPlan, topic: str, rounds: int) -> str:
    """A replay beside reading alone."""
    fixture, case = opened.fixture, opened.case(topic, 0)
    wanted = fixture.topic(case, model="svm")
    texts = ([fixture.text(url) for url in urls] for urls in (case.examples, case.others))
    model = make_model(material_of(wanted, *texts))
    order = [step.url for step in replay(wanted, model, fixture.web).steps]
    documents = [_document(fixture.web, url) for url in order]
    reader = Reader(reader_config(wanted, model), within=fixture.web)
    works: dict[str, Callable[[], object]] = {
        "replay": partial(replay, wanted, model, fixture.web),
        "reading, responses in memory": lambda: [reader.read(document) for document in documents],
        "reading, responses from the web": lambda: [reader.read(_document(fixture.web, url)) for url in order],
    }
    seconds = best_of(works, rounds)
    ratio = seconds["reading, responses in memory"] / seconds["replay"]
    reached = "yes" if ratio >= REACH_SPEED else "**no**"
    rows = "".join(f"| {name} | {value / len(order) * 1e6:,.0f} |\n" for name, value in seconds.items())
    return (
        f"## {topic}: {len(order):,} pages of {fixture.web.name}\n\n| one core | µs per page |\n|---|---|\n{rows}\n"
        f"A replay runs at {ratio:.2f} × the speed of reading with responses in memory "
        f"(goal: ≥ {REACH_SPEED}: {reached}), and "
        f"{seconds['reading, responses from the web'] / seconds['replay']:.2f} × with responses from the web.\n\n"
    )


def against_breadth_first(opened: OpenPlan, topic: str, rounds: int) -> str:
    """A replay with guide beside one with breadth-first, of as many pages."""
    fixture, case = opened.fixture, opened.case(topic, 0)
    works: dict[str, Callable[[], object]] = {}
    for name in ("guide", "breadth-first"):
        wanted = fixture.topic(case, model="fields", strategy=name)
        texts = ([fixture.text(url) for url in urls] for urls in (case.examples, case.others))
        works[name] = partial(replay, wanted, make_model(material_of(wanted, *texts)), fixture.web)
    seconds = best_of(works, rounds)
    ratio = seconds["guide"] / seconds["breadth-first"]
    reached = "yes" if ratio <= REACH_GUIDE else "**no**"
    rows = "".join(f"| {name} | {value / case.downloads * 1e6:,.0f} |\n" for name, value in seconds.items())
    return (
        f"| replay with | µs per page |\n|---|---|\n{rows}\n"
        f"guide takes {ratio:.2f} × the CPU time of breadth-first (goal: ≤ {REACH_GUIDE}: {reached}).\n\n"
    )


def _document(web: VirtualWeb, url: str) -> Document:
    response = web.response(url)
    assert response is not None
    return Document(response.url, response.body, response.header("content-type"))


def with_jobs(asked: argparse.Namespace) -> str:
    """A whole comparison with one process and with several."""
    wanted = plan(asked, "breadth-first", "best-first", repeats=asked.repeats)
    open_plan(wanted)  # the web is read once, for both
    seconds = {}
    for jobs in (1, asked.jobs):
        with TemporaryDirectory() as folder:
            began = perf_counter()
            run_comparison(wanted, Path(folder), command="", jobs=jobs)
            seconds[jobs] = perf_counter() - began
    ratio = seconds[1] / seconds[asked.jobs]
    cells = 2 * asked.repeats * len(asked.topic)
    reached = "yes" if ratio >= REACH_JOBS else "**no**"
    return (
        f"## {asked.jobs} jobs\n\n{cells} trials: {seconds[1]:.1f} s with one process, "
        f"{seconds[asked.jobs]:.1f} s with {asked.jobs}: {ratio:.2f} × (goal: ≥ {REACH_JOBS}: {reached}).\n\n"
    )


def main() -> int:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.replay")
    parser.add_argument("--web", action="append", required=True, help="as for honeyguide compare")
    parser.add_argument("--labels", required=True, help="file of URL, tab, label")
    parser.add_argument("--topic", action="append", required=True, help="a label")
    parser.add_argument("--pages", default="1000", help="budget (default: 1000)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=0, help="also time this many processes against one")
    parser.add_argument("--repeats", type=int, default=4, help="of each trial, with --jobs (default: 4)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    asked = parser.parse_args()
    opened = open_plan(plan(asked, "best-first"))
    parts = [
        compared(opened, topic, asked.rounds)
        for topic in asked.topic
        for compared in (against_a_bare_loop, against_breadth_first)
    ]
    if asked.jobs:
        parts.append(with_jobs(asked))
    text = "# Replay\n\n" + "".join(parts) + machine.described("numpy", "selectolax", "scikit-learn")
    print(text)
    if asked.out:
        asked.out.write_text(text, encoding="utf-8")
    return int("**no**" in text)


if __name__ == "__main__":
    sys.exit(main())
