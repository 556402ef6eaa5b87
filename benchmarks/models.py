"""How well models rank the pages of a web by a topic, from a few dozen examples.

    python -m benchmarks.models --web WARC --labels TSV --topic LABEL ... --out results/models.md

For each topic 30 pages of it (at most half) and twice as many others are the examples, as `honeyguide compare` deals
them; all other pages are ranked by what the model gives them. What counts is average precision: 1 if all pages of the
topic come first.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import numpy as np
from sklearn.metrics import average_precision_score

from benchmarks import machine
from benchmarks.arguments import written
from honeyguide.lab.cases import Split
from honeyguide.lab.plan import Plan, open_plan
from honeyguide.relevance.base import whole
from honeyguide.relevance.models import make_model
from honeyguide.topic.material import material_of

COMPARED = ("fields", "svm", "bayes", "mlp", "votes", "wvc", "vsm")


def _precisions(plan: Plan) -> Iterator[tuple[str, str, float]]:
    """Topic, model and average precision of every case."""
    opened = open_plan(plan)
    fixture = opened.fixture
    texts = {url: fixture.text(url) for url in fixture.graph.urls}
    for topic in plan.topics:
        for repeat in range(plan.repeats):
            case = opened.case(topic, repeat)
            examples, others = ([texts[url] for url in urls] for urls in (case.examples, case.others))
            known = {*case.examples, *case.others, *case.seeds}
            left = [url for url in fixture.graph.urls if url not in known]
            is_relevant = np.array([url in case.relevant for url in left])
            for name in COMPARED:
                model = make_model(material_of(fixture.topic(case, model=name), examples, others))
                scores = [float(model.score(texts[url], whole(texts[url]))[0]) for url in left]
                yield topic, name, float(average_precision_score(is_relevant, scores))
            print(f"{topic}, choice {repeat + 1}", file=sys.stderr, flush=True)


def main() -> int:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.models")
    parser.add_argument("--web", required=True, help="a WARC file")
    parser.add_argument("--labels", required=True, help="its labels")
    parser.add_argument("--topic", action="append", required=True, help="a label")
    parser.add_argument("--repeats", type=int, default=3, help="choices of examples (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="Markdown file to add to")
    asked = parser.parse_args()
    split = Split(seeds=5, examples=30, pages="x2", seed=7)
    plan = Plan((asked.web,), asked.labels, tuple(asked.topic), ("oracle",), split, asked.repeats)
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for topic, name, precision in _precisions(plan):
        found[topic][name].append(precision)
        found["mean"][name].append(precision)
    lines = [
        f"| {topic} | {' | '.join(f'{fmean(of[name]):.3f}' for name in COMPARED)} |\n" for topic, of in found.items()
        if topic != "mean"
    ]  # fmt: skip
    means = " | ".join(f"**{fmean(found['mean'][name]):.3f}**" for name in COMPARED)
    text = (
        f"# How well models rank the pages of {Path(asked.web).name}\n\n"
        f"Average precision, mean of {asked.repeats} choices of examples (30 pages of the topic, at most half; 60"
        f" others).\n\n| | {' | '.join(COMPARED)} |\n"
        f"|---|{'---|' * len(COMPARED)}\n{''.join(lines)}| mean | {means} |\n\n{machine.described('scikit-learn')}"
    )
    return written(text, asked.out)


if __name__ == "__main__":
    raise SystemExit(main())
