"""What judging pages perfectly is worth to guide: the most that any number of answers about fetched pages could be.

    python -m benchmarks.perfect_judge --web WARC LABELS SEEDS TOPIC TOPIC ... --out results/perfect-judge.md

The crawls are those of `benchmarks.teaching` without answers. From the first page on every page is judged by its label:
alone, or together with the model that was trained on the examples (the mean of their log odds, as for answers). Links
are scored by that model in either case.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.teaching import NONE, Web
from honeyguide.lab.cases import Split
from honeyguide.lab.judges import Judge
from honeyguide.lab.plan import Plan, open_plan
from honeyguide.lab.replay import replay
from honeyguide.lab.trial import CaseRunner
from honeyguide.lab.visits import RequestTiming
from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Relevance, Scores
from honeyguide.relevance.models import make_model
from honeyguide.relevance.taught import Taught
from honeyguide.relevance.text import Text
from honeyguide.topic.material import material_of

MODEL = "fields"
WEIGHTS = {"by the examples": 0.0, "by both": 0.5, "by the labels": 1.0}
"""Of the labels, beside the model."""


@dataclass(eq=False)
class Labelled:
    """Knows which pages are relevant."""

    urls: frozenset[str]
    threshold: float = 0.5

    def score(self, text: Text, spans: Spans) -> Scores:
        """Nearly 1 for a relevant page, and nearly 0 for another."""
        return np.full(len(spans), 0.99 if text.url in self.urls else 0.01)


def shares(web: Web, repeats: int) -> Iterator[tuple[str, str, float]]:
    """The topic, how pages were judged, and the share of the oracle's area."""
    seeds = () if web.seeds == "-" else tuple(Path(web.seeds).read_text(encoding="utf-8").split())
    split = Split(seed_urls=seeds, pages="x2", seed=7)
    opened = open_plan(Plan((web.warc,), web.labels, web.topics, (NONE,), split, repeats))
    fixture, timing = opened.fixture, RequestTiming()
    for topic in web.topics:
        for repeat in range(repeats):
            judged = opened.judged_case(topic, repeat)
            case, runner = judged.case, CaseRunner(judged, Judge.named("labels"), fixture, timing)
            wanted = fixture.topic(case, model=MODEL, strategy=NONE)
            examples, others = ([fixture.text(url) for url in urls] for urls in (case.examples, case.others))
            first: Relevance = make_model(material_of(wanted, examples, others))
            for name, weight in WEIGHTS.items():
                model = Taught(first, Labelled(case.relevant), weight, first.threshold) if weight else first
                steps = replay(wanted, model, fixture.web, timing).steps
                cell = runner.judge(name, [step.url for step in steps]).cell
                print(web.name, topic, repeat, name, cell["share_of_oracle"], file=sys.stderr, flush=True)
                yield topic, name, float(cell["share_of_oracle"])


def main() -> int:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.perfect_judge")
    parser.add_argument(
        "--web", nargs="+", action="append", required=True, metavar=("WARC", "LABELS"),
        help="a WARC file, its labels, a file of seeds or -, and the labels that are the topics",
    )  # fmt: skip
    parser.add_argument("--repeats", type=int, default=1, help="samples of seeds and examples (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    asked = parser.parse_args()
    about = (
        "Area relative to the oracle, as in teaching.md without answers. Every page is judged by the model of 30"
        " examples, by its label, or by both. Links are always scored by the model.\n"
    )
    heads = f"| web | topic | {' | '.join(WEIGHTS)} |\n|---|---|{'---|' * len(WEIGHTS)}"
    lines = ["# The value of a perfect judge\n", about, heads]
    for warc, labels, seeds, *topics in asked.web:
        web = Web(warc, labels, seeds, tuple(topics))
        found: dict[str, dict[str, list[float]]] = {}
        for topic, name, share in shares(web, asked.repeats):
            found.setdefault(topic, {}).setdefault(name, []).append(share)
        for topic, of in found.items():
            lines.append(f"| {web.name} | {topic} | {' | '.join(f'{fmean(of[name]):.3f}' for name in WEIGHTS)} |")
        means = {name: fmean(fmean(of[name]) for of in found.values()) for name in WEIGHTS}
        lines.append(f"| {web.name} | mean | {' | '.join(f'**{mean:.3f}**' for mean in means.values())} |")
    return written("\n".join(lines) + f"\n\n{machine.described('numpy')}", asked.out)


if __name__ == "__main__":
    raise SystemExit(main())
