"""What answers are worth: crawls in which a teacher, who knows the labels, answers questions, against crawls without.

    python -m benchmarks.teaching --web WARC LABELS SEEDS TOPIC TOPIC ... --web ... --out results/teaching.md

SEEDS is a file of URLs to start from, or "-" to start from five pages of the topic. For each web the crawls without
answers, with 30 examples, are compared with those of a teacher, by the area under target recall as a share of the
oracle's, and by F1 of what is judged relevant on pages that nobody was asked about: of those that the crawl chose, and
of the whole web (a sample that is weighted back). Crawls from keywords alone are compared with the same.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import honeyguide
from benchmarks import machine
from benchmarks.arguments import written
from honeyguide.lab.statistics import t_test

FIGURES = {"share_of_oracle": "share of oracle", "kept_f1": "F1, crawl", "model_f1": "F1, web"}
NONE = "guide"
WAYS = ("ours", "uncertain", "random")

Cells = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Web:
    """A web, its labels, where to start, and the topics."""

    warc: str
    labels: str
    seeds: str
    topics: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the file without its endings."""
        return Path(self.warc).name.partition(".")[0]

    def compare(self, asked: argparse.Namespace, **settings: Any) -> Cells:
        """The cells of a comparison on this web."""
        seeds = [] if self.seeds == "-" else Path(self.seeds).read_text(encoding="utf-8").split()
        compared = honeyguide.compare(
            web=self.warc, labels=self.labels, topics=self.topics, strategies=NONE, pages="x2", seed=7,
            seed_urls=seeds, repeats=asked.repeats, out=asked.kept,
            progress=lambda what, done, whole: print(self.name, what, done, whole, file=sys.stderr, flush=True),
            **settings,
        )  # fmt: skip
        cells: Cells = compared.results["cells"]
        return cells


def means(cells: Cells, strategy: str, figure: str) -> list[float]:
    """The mean of a figure over repeats, for each topic in order."""
    topics = list(dict.fromkeys(cell["topic"] for cell in cells))
    found = [
        _mean(cell[figure] for cell in cells if (cell["topic"], cell["strategy"]) == (topic, strategy))
        for topic in topics
    ]
    return [value for value in found if value is not None]


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def row(title: str, cells: Cells, strategy: str, base: Cells) -> str:
    """One line of a table: each figure, its difference to the crawl without answers, and how likely that is luck."""
    parts = []
    for figure in FIGURES:
        ours, none = means(cells, strategy, figure), means(base, NONE, figure)
        difference = fmean(ours) - fmean(none)
        tested = (
            t_test([one - other for one, other in zip(ours, none, strict=True)]) if len(ours) == len(none) else None
        )
        chance = f", p {tested[1]:.2f}" if tested and strategy != NONE else ""
        parts.append(
            f"{fmean(ours):.3f}" + (f" ({difference:+.3f}{chance})" if strategy != NONE or cells is not base else "")
        )
    return f"| {title} | {' | '.join(parts)} |"


def page(web: Web, asked: argparse.Namespace) -> list[str]:
    """What was found on a web."""
    taught = web.compare(asked, answers=(0, *asked.answers), questions=("ours",))
    ways = web.compare(asked, answers=(asked.number,), questions=asked.ways)
    wrong = web.compare(asked, answers=(asked.number,), wrong=asked.wrong) if asked.wrong else ()
    words = web.compare(asked, answers=(0, asked.words), examples=0, model="auto") if asked.words else ()
    name = f"{NONE} + {asked.number}"
    lines = [
        f"## {web.name}: {', '.join(web.topics)}\n",
        f"| | {' | '.join(FIGURES.values())} |\n|---|{'---|' * len(FIGURES)}",
        row("30 examples, no answers", taught, NONE, taught),
        *(row(f"{number} answers", taught, f"{NONE} + {number} answers", taught) for number in asked.answers),
        *(row(f"{asked.number} answers, chosen: {way}", ways, _named(name, way), taught) for way in asked.ways),
        *(row(f"{asked.number} answers, {asked.wrong:.0%} wrong", wrong, f"{name} answers", taught) for _ in wrong[:1]),
        *(row("keywords alone, no answers", words, NONE, taught) for _ in words[:1]),
        *(
            row(f"keywords alone, {asked.words} answers", words, f"{NONE} + {asked.words} answers", taught)
            for _ in words[:1]
        ),
    ]  # fmt: skip
    return [*lines, ""]


def _named(name: str, way: str) -> str:
    return f"{name} answers" if way == "ours" else f"{name} {way} answers"


def main() -> int:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.teaching")
    parser.add_argument(
        "--web", nargs="+", action="append", required=True, metavar=("WARC", "LABELS"),
        help="a WARC file, its labels, a file of seeds or -, and the labels that are the topics",
    )  # fmt: skip
    parser.add_argument("--repeats", type=int, default=1, help="samples of seeds and examples (default: %(default)s)")
    parser.add_argument("--answers", type=int, nargs="+", default=[25, 50, 100], help="numbers of answers")
    parser.add_argument("--number", type=int, default=50, help="of answers, to compare ways of choosing (default: 50)")
    parser.add_argument("--ways", nargs="+", default=WAYS, help="to choose questions (default: all)")
    parser.add_argument("--wrong", type=float, default=0.1, help="share of wrong answers; 0: not tried (default: 0.1)")
    parser.add_argument("--words", type=int, default=25, help="answers for crawls from keywords; 0: none (default: 25)")
    parser.add_argument("--kept", type=Path, help="folder of finished trials, to resume from")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    asked = parser.parse_args()
    webs = [Web(warc, labels, seeds, tuple(topics)) for warc, labels, seeds, *topics in asked.web]
    about = (
        "# The value of answers\n\nguide, model fields, strict order, budget twice the topic's size,"
        f" {asked.repeats} sample(s) of seeds and examples. Means over topics; in brackets the difference from 30"
        " examples without answers, and its p (one-tailed t-test over topics). F1 is measured"
        " on pages that were not labelled.\n"
    )
    lines = [line for web in webs for line in page(web, asked)]
    return written("\n".join([about, *lines]) + f"\n{machine.described('scikit-learn')}", asked.out)


if __name__ == "__main__":
    raise SystemExit(main())
