"""What the scripts that repeat the papers' crawls share: webs and topics, running and reading trials, findings.

A script reads its `options`, runs strategies on each web with `crawl` (the lab's comparison, with its cases and its
figures), makes a `table` of them, tests the paper's claims (`findings`), draws `curves` and `bars` into a `picture`
(`benchmarks.papers.pictures`), and `write`s all that down.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.papers import claims, report
from benchmarks.papers.claims import Finding
from benchmarks.papers.tables import markdown_table
from honeyguide.demo import DemoWeb, ListWeb
from honeyguide.errors import InputError
from honeyguide.lab.api import compare
from honeyguide.lab.metrics import at
from honeyguide.lab.report.curves import CurveSet, curve_sets
from honeyguide.lab.report.model_table import model_summaries
from honeyguide.lab.statistics import (
    Summary,
    Values,
    summary,
    values_of,
)

HARVEST, RECALL = "harvest_rate", "target_recall"

SMALLEST, LARGEST = 40, 300
"""Pages of a topic that is chosen: enough to leave some to find, and few enough that a crawl can miss them."""

LISTS = "demo-lists:"
_DEMOS = ("demo:", LISTS)
SIZE = 0
"""In place of a number of pages: as many as the topic has targets."""

EARLY = {25: "25", 50: "50", 100: "100", SIZE: "as many as targets"}
"""After how many pages crawls are compared: later, small topics are exhausted and all crawls look the same."""

NEVER_WAITS = 1.0
"""The haste of the papers' crawlers: with several connections they take the best of the hosts that are free."""

_PLACE = {HARVEST: 0, RECALL: 1}  # in a point of a curve, after its number of pages


# ---- what a script is told ----


@dataclass(frozen=True, slots=True)
class Web:
    """A web to crawl, and the topics to crawl it for."""

    source: str
    labels: str
    topics: tuple[str, ...]

    @property
    def name(self) -> str:
        """For people: without the folder it lies in."""
        return Path(self.source).name


@dataclass(frozen=True, slots=True)
class Options:
    """What a script is told."""

    webs: tuple[Web, ...]
    repeats: int
    pages: str
    out: Path
    kept: Path | None
    """Folder in which finished trials are kept, so that a script that was stopped goes on."""


def options(name: str, about: str, *, pages: str = "500", repeats: int = 2, topics: str = "12") -> Options:
    """From the command line, with a script's own defaults. Ends the program when a file is not there."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.papers.{name}", description=about)
    parser.add_argument(
        "--web", action="append", required=True, help="a WARC file, demo:2000 or demo-lists:2000; repeatable"
    )
    parser.add_argument("--labels", action="append", default=[], help="its labels (a demo web has its own); repeatable")
    parser.add_argument("--topics", default=topics, help="so many of each web, or labels with commas (%(default)s)")
    parser.add_argument("--repeats", type=int, default=repeats, help="samples of seeds and examples (%(default)s)")
    parser.add_argument("--pages", default=pages, help="pages of a crawl, or x2: twice the topic's (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("results/papers"), help="(default: %(default)s)")
    parser.add_argument("--kept", type=Path, help="folder to keep finished trials in, to go on with them")
    asked = parser.parse_args()
    recorded = [web for web in asked.web if not web.startswith(_DEMOS)]
    if len(recorded) != len(asked.labels):
        sys.exit(f"{len(recorded)} recorded webs and {len(asked.labels)} files of labels; give one for each, in order")
    for path in (*recorded, *asked.labels):
        if not Path(path).is_file():
            sys.exit(f"{path}: no such file; name a WARC file with --web and its labels with --labels")
    if asked.repeats < 1:
        sys.exit("--repeats: there is nothing to do; write 1 or more")
    labels = iter(asked.labels)
    webs = tuple(_web(source, "" if source.startswith(_DEMOS) else next(labels), asked.topics) for source in asked.web)
    return Options(webs, asked.repeats, asked.pages, asked.out, asked.kept)


def _web(source: str, labels: str, topics: str) -> Web:
    if not topics.isdecimal():
        return Web(source, labels, tuple(topics.split(",")))
    text = Path(labels).read_text(encoding="utf-8") if labels else demo_labels(source)
    sizes = Counter(line.rpartition("\t")[2] for line in text.splitlines())
    found = chosen(sizes, int(topics))
    if not found:
        sys.exit(f"{source}: no label has {SMALLEST} to {LARGEST} pages; name the topics with --topics")
    return Web(source, labels, tuple(found))


def demo_labels(source: str) -> str:
    """The labels of a demo web, lines of URL, tab and label: the subject of each page; on a web of lists more."""
    kind, _, numbers = source.partition(":")
    try:
        pages, seed = (int(number) for number in f"{numbers}:{DemoWeb.seed}".split(":")[:2])
        if source.startswith(LISTS):
            return "".join(f"{url}\t{label}\n" for url, label in ListWeb(pages=pages, seed=seed).labels())
        web = DemoWeb(pages=pages, seed=seed)
    except ValueError as error:
        sys.exit(f"{source}: is no demo web ({error}); write {kind}:2000")
    subjects = ((url, web.subject_of(url)) for url in web.page_urls())
    return "".join(f"{url}\tsubject.{subject.replace(' ', '_')}\n" for url, subject in subjects if subject)


def chosen(sizes: Mapping[str, int], number: int) -> list[str]:
    """At most so many of the labels of a good size, spread evenly over their names, so that neighbours are rare.

    Labels that others are part of (``subject.Science`` of ``subject.Science.Biology``) are left out: their topics would
    overlap.
    """
    names = sorted(sizes)
    narrow = [
        name
        for name in names
        if SMALLEST <= sizes[name] <= LARGEST and not any(other.startswith(f"{name}.") for other in names)
    ]
    places = np.linspace(0, len(narrow) - 1, min(number, len(narrow))).round().astype(int)
    return [narrow[place] for place in places]


# ---- trials ----


@dataclass(frozen=True, slots=True)
class Crawls:
    """All trials on one web."""

    web: str
    results: dict[str, Any]
    """As the lab's comparison has them."""
    orders: list[list[str]] = field(default_factory=list)
    """Of each cell, the pages in the order they were fetched."""
    hops: list[list[int]] = field(default_factory=list)
    """Of each cell, the links from a seed to each relevant page, in the same order."""

    @property
    def cells(self) -> list[dict[str, Any]]:
        """One a topic, repeat and strategy."""
        found: list[dict[str, Any]] = self.results["cells"]
        return found

    @property
    def topics(self) -> list[str]:
        """The topics, in order."""
        return list(dict.fromkeys(cell["topic"] for cell in self.cells))

    def values(self, strategy: str, figure: str, pages: int | None = None) -> Values:
        """A figure of a strategy, by topic and repeat; harvest and target recall also after so many pages.

        `SIZE` stands for as many pages as there are targets.
        """
        if pages is None:
            return values_of(self.cells, strategy, figure)
        place = _PLACE[figure]
        return {
            (cell["topic"], cell["repeat"]): at(cell["curve"], cell["targets"] if pages == SIZE else pages)[place]
            for cell in self.cells
            if cell["strategy"] == strategy
        }

    @property
    def is_generated(self) -> bool:
        """Whether the web was generated, not recorded."""
        return self.web.startswith(("demo", *_DEMOS))

    def models(self) -> str:
        """How the models that steer do, in one line of Markdown each, with the cases in which they are degenerate."""
        text = ""
        for one in model_summaries(self.cells):
            true, false, precision = one.rates
            flagged = f"**degenerate in {len(one.degenerate)} of {one.cases} cases** ({'; '.join(one.degenerate)})"
            text += (
                f"{one.model}: says yes to {100 * true:.0f} % of the relevant and to {100 * false:.0f} % of the other "
                f"pages, average precision {precision:.3f}; "
                f"{flagged if one.degenerate else f'degenerate in none of {one.cases} cases'}\n"
            )
        return text

    def mean(self, strategy: str, figure: str, pages: int | None = None) -> Summary:
        """Its mean over topics, repeats averaged first, and the standard error over topics."""
        return summary(self.values(strategy, figure, pages))

    def curves(self, strategies: Sequence[str]) -> CurveSet:
        """Harvest and target recall along the crawl, averaged in the same way; lines in the order of the strategies."""
        return curve_sets(self.results, strategies)[0]

    def described(self) -> str:
        """The web, how many topics of it, and their names."""
        pages = self.results["settings"]["web"]["pages"]
        names = ", ".join(topic.rpartition(".")[2].replace("_", " ") for topic in self.topics)
        return f"{self.web}: {pages:,} pages, {len(self.topics)} topics ({names})"


def crawl(asked: Options, web: Web, strategies: Sequence[str], **settings: Any) -> Crawls:
    """Run strategies on all topics of a web; `settings` are those of `honeyguide.compare`: model, judge, seeds, ...

    Seeds, examples and targets are dealt out by the lab, the same for all strategies. Says on the error stream how far
    it is. Ends the program when the lab refuses what was asked for. If `unlabelled` pages are asked for and the web is
    too small to take them out, models learn from the crawl's own pages instead.
    """

    def progress(what: str, done: int, every: int) -> None:
        if what == "trials":
            print(f"\r{web.name}: {done} of {every} trials", end="\n" if done == every else "", file=sys.stderr)

    with TemporaryDirectory() as folder:
        labels = Path(web.labels)
        if not web.labels:
            labels = Path(folder, "labels.tsv")
            labels.write_text(demo_labels(web.source), encoding="utf-8")
        try:
            found = compare(
                web=web.source,
                labels=labels,
                topics=web.topics,
                strategies=strategies,
                pages=asked.pages,
                repeats=asked.repeats,
                haste=NEVER_WAITS,
                out=asked.kept,
                progress=progress,
                **settings,
            )
        except InputError as error:
            if error.place == "--unlabelled":
                return crawl(asked, web, strategies, **(settings | {"unlabelled": 0}))
            sys.exit(str(error))
    return Crawls(web.name, found.results, found.orders, found.hops)


# ---- findings ----


def findings(columns: Mapping[str, Crawls], tested: Sequence[claims.Claim], pair: Any = None) -> list[claims.Finding]:
    """Test each claim on each column; `pair` gives the values of a claim's two strategies if cells do not have them."""

    def values(crawls: Crawls, claim: claims.Claim) -> Sequence[Values]:
        if pair is not None:
            found: Sequence[Values] = pair(crawls, claim)
            return found
        names = filter(None, (claim.first, claim.second))  # a bound has no second
        return [crawls.values(name, claim.figure, claim.pages) for name in names]

    return [
        claims.check(claim, data, *values(crawls, claim), generated=crawls.is_generated)
        for claim in tested
        for data, crawls in columns.items()
    ]


def by_source(cells: Sequence[dict[str, Any]]) -> dict[str, Crawls]:
    """Cells of several webs, those of recorded and of generated ones apart; each cell has the name of its "web"."""
    sides: dict[str, list[dict[str, Any]]] = {}
    for cell in cells:
        sides.setdefault("demo web" if cell["web"].startswith(_DEMOS) else "recorded webs", []).append(cell)
    return {name: Crawls(name, {"cells": of_side}) for name, of_side in sorted(sides.items(), reverse=True)}


def early_table(crawls: Crawls, strategies: Mapping[str, str], figure: str) -> str:
    """A figure after 25, 50, 100 and as many pages as targets, as Markdown."""
    rows = [[name, *(shown(crawls.mean(one, figure, pages)) for pages in EARLY)] for one, name in strategies.items()]
    return markdown_table(["", *EARLY.values()], rows)


def models_section(columns: Mapping[str, Crawls]) -> str:
    """How the models that steer do."""
    lines = "".join(f"- {data}, {line}\n" for data, crawls in columns.items() for line in crawls.models().splitlines())
    return f"## Steering models\n\n{MODELS_NOTE}\n{lines}\n"


MODELS_NOTE = """\
On at most 100 relevant and 400 other pages that the model has not learnt from, for each topic and repeat. Degenerate:
the two rates differ by less than .1, so that it answers the same whatever the page is. Crawls that such a model steers
say nothing about the strategies.
"""


# ---- tables ----


def _digits(value: float) -> int:
    """After the point: what a difference between two such values may be about."""
    return 3 if abs(value) < 10 else 1 if abs(value) < 1000 else 0


def _number(value: float) -> str:
    return f"{value:,.{_digits(value)}f}"


def shown(value: Summary) -> str:
    """A mean and its standard error; an empty place where there is none."""
    if value.mean is None:
        return ""
    error = value.standard_error
    return _number(value.mean) + ("" if error is None else f" ± {error:,.{_digits(value.mean)}f}")


def table(crawls: Crawls, strategies: Mapping[str, str], figures: Mapping[str, str]) -> str:
    """Strategies down, figures across, as Markdown; both by the lab's names, each with the name it is shown by."""
    rows = [
        [name, *(shown(crawls.mean(strategy, figure)) for figure in figures)] for strategy, name in strategies.items()
    ]
    return markdown_table(["", *figures.values()], rows)


def ranked(columns: Mapping[str, Crawls], strategies: Mapping[str, str], figures: Mapping[str, str]) -> str:
    """A line of Markdown a web and figure: the strategies from the highest mean to the lowest."""
    text = ""
    for web, crawls in columns.items():
        for figure, name in figures.items():
            means = {strategy: crawls.mean(strategy, figure).mean or 0.0 for strategy in strategies}
            order = sorted(means, key=means.__getitem__, reverse=True)
            text += f"- {web}, {name}: {', '.join(f'{strategies[one]} {_number(means[one])}' for one in order)}\n"
    return text


# ---- the page ----


def write(asked: Options, name: str, text: str, figure: Figure | None, findings: Sequence[Finding] = ()) -> None:
    """Write the report of a script."""
    paths = [path for web in asked.webs for path in (web.source, web.labels)]
    report.write(asked.out, name, text, figure, findings, [*paths, asked.out, *filter(None, [asked.kept])])
