"""Relevance as 001 and 003 have it: a model judges what a crawl has fetched, while its targets are given.

The lab judges a whole web. Here the pages that some crawl has fetched are enough, which is quicker, and the crawls need
not be run again.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.papers.crawls import Crawls, Web, demo_labels
from benchmarks.papers.tables import markdown_table
from honeyguide.lab.cases import Case, Split
from honeyguide.lab.judges import Judge, trained_judge
from honeyguide.lab.model_quality import ModelQuality, ModelTest
from honeyguide.lab.plan import OpenPlan, Plan, open_plan
from honeyguide.lab.statistics import Cell, Values, summary
from honeyguide.relevance.checked import checked_model
from honeyguide.relevance.models import make_model
from honeyguide.topic.material import material_of

PAGES = 100
"""So many pages of each crawl are judged."""

NAMES = ("SVM", "naive Bayes", "neural net")


@dataclass(frozen=True, slots=True)
class JudgedCrawls:
    """Crawls with the pages that a model calls relevant."""

    crawls: Crawls
    relevant: dict[Cell, frozenset[str]]
    """By topic and repeat."""
    given: dict[Cell, frozenset[str]]
    """Seeds and examples, which are not counted."""

    def harvest(self, strategy: str, pages: int = PAGES) -> Values:
        """The share of the pages chosen that the model calls relevant."""
        found: dict[Cell, float | None] = {}
        for cell, order in zip(self.crawls.cells, self.crawls.orders, strict=True):
            if cell["strategy"] == strategy:
                key = cell["topic"], cell["repeat"]
                first = chosen(order, self.given[key], pages)
                found[key] = sum(url in self.relevant[key] for url in first) / len(first) if first else 0.0
        return found


def chosen(order: Sequence[str], given: frozenset[str], pages: int) -> list[str]:
    """The first pages that a crawl chose."""
    return [url for url in order if url not in given][:pages]


def judged_by(model: str, crawls: Crawls, web: Web, split: Split, strategies: Sequence[str]) -> JudgedCrawls:
    """Let a model judge what the crawls of some strategies on a web have fetched."""
    opened = _opened(web, split)
    cases = {(cell["topic"], cell["repeat"]): opened.case(cell["topic"], cell["repeat"]) for cell in crawls.cells}
    fetched: dict[Cell, set[str]] = {key: set() for key in cases}
    for cell, order in zip(crawls.cells, crawls.orders, strict=True):
        key = cell["topic"], cell["repeat"]
        if cell["strategy"] in strategies:
            fetched[key].update(chosen(order, cases[key].given, PAGES))
    relevant: dict[Cell, frozenset[str]] = {}
    for done, (key, urls) in enumerate(fetched.items(), start=1):
        judge = checked_model(trained_judge(cases[key], Judge.named(model), opened.fixture), model)
        texts = {url: opened.fixture.text(url) for url in sorted(urls)}
        relevant[key] = frozenset(url for url, text in texts.items() if judge.relevance(text) >= judge.threshold)
        print(f"\r{web.name}: {done} of {len(fetched)} cases judged by {model}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return JudgedCrawls(crawls, relevant, {key: case.given for key, case in cases.items()})


def accuracies(crawls: Crawls, web: Web, split: Split) -> str:
    """How the classifiers of 001 do, trained as the one that steers, as Markdown.

    Accuracy is for twice as many negative pages as positive ones.
    """
    opened = _opened(web, split)
    qualities: dict[str, dict[Cell, ModelQuality]] = {}
    for key in dict.fromkeys((cell["topic"], cell["repeat"]) for cell in crawls.cells):
        for name, quality in _qualities(opened.case(*key), opened).items():
            qualities.setdefault(name, {})[key] = quality
    rows = []
    for name, by_cell in qualities.items():
        columns = zip(*map(_figures, by_cell.values()), strict=True)
        means = [summary(dict(zip(by_cell, column, strict=True))).mean or 0.0 for column in columns]
        rows.append([name, *(f"{value:.3f}" for value in means)])
    return markdown_table(["", "accuracy", "yes to relevant pages", "yes to other pages", "average precision"], rows)


def _figures(quality: ModelQuality) -> tuple[float, float, float, float]:
    yes, no = quality.true_positive_rate, quality.false_positive_rate
    return (yes + 2 * (1 - no)) / 3, yes, no, quality.average_precision


def _qualities(case: Case, opened: OpenPlan) -> dict[str, ModelQuality]:
    text = opened.fixture.text
    topic = opened.fixture.topic(case, model="vote")
    sides: Sequence[list[object]] = [[text(url) for url in urls] for urls in (case.examples, case.others)]
    vote = make_model(material_of(topic, *sides))  # type: ignore[arg-type]
    test = ModelTest(case, opened.fixture)
    members = dict(zip(NAMES, vote.models, strict=True)) | {"two of three": vote}  # type: ignore[attr-defined]
    found = {name: test.quality(checked_model(model, name)) for name, model in members.items()}
    return {name: quality for name, quality in found.items() if quality is not None}


def _opened(web: Web, split: Split) -> OpenPlan:
    with TemporaryDirectory() as folder:
        path = Path(web.labels)
        if not web.labels:
            path = Path(folder, "labels.tsv")
            path.write_text(demo_labels(web.source), encoding="utf-8")
        return open_plan(Plan((web.source,), str(path), web.topics, ("breadth-first",), split))
