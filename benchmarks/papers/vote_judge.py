"""Relevance as 001 has it: two of three classifiers judge what a crawl has fetched, while its targets are given.

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

VOTE = Judge.named("vote")
PAGES = 100
"""So many pages of each crawl are judged."""

NAMES = ("SVM", "naive Bayes", "neural net")


@dataclass(frozen=True, slots=True)
class VotedCrawls:
    """Crawls with the pages that the vote calls relevant, and how the classifiers do that steer and vote."""

    crawls: Crawls
    relevant: dict[Cell, frozenset[str]]
    """By topic and repeat."""
    given: dict[Cell, frozenset[str]]
    """Seeds and examples, which are not counted."""
    qualities: dict[str, dict[Cell, ModelQuality]]
    """Of each classifier, trained as the one that steers, by topic and repeat."""

    def harvest(self, strategy: str, pages: int = PAGES) -> Values:
        """The share of the pages fetched that the vote calls relevant."""
        found: dict[Cell, float | None] = {}
        for cell, order in zip(self.crawls.cells, self.crawls.orders, strict=True):
            if cell["strategy"] == strategy:
                key = cell["topic"], cell["repeat"]
                first = chosen(order, self.given[key], pages)
                found[key] = sum(url in self.relevant[key] for url in first) / len(first) if first else 0.0
        return found

    def table(self) -> str:
        """How the classifiers do, as Markdown; accuracy for twice as many negative pages as positive ones."""
        rows = []
        for name, by_cell in self.qualities.items():
            figures = {
                "accuracy": [
                    (one.true_positive_rate + 2 * (1 - one.false_positive_rate)) / 3 for one in by_cell.values()
                ],
                "yes": [one.true_positive_rate for one in by_cell.values()],
                "no": [one.false_positive_rate for one in by_cell.values()],
                "precision": [one.average_precision for one in by_cell.values()],
            }
            means = [summary(dict(zip(by_cell, values, strict=True))).mean or 0.0 for values in figures.values()]
            rows.append([name, *(f"{value:.3f}" for value in means)])
        head = ["", "accuracy", "yes to relevant pages", "yes to other pages", "average precision"]
        return markdown_table(head, rows)


def chosen(order: Sequence[str], given: frozenset[str], pages: int) -> list[str]:
    """The first pages that a crawl chose."""
    return [url for url in order if url not in given][:pages]


def voted(crawls: Crawls, web: Web, split: Split, strategies: Sequence[str]) -> VotedCrawls:
    """Let the vote judge what the crawls of some strategies on a web have fetched."""
    opened = _opened(web, split)
    fetched: dict[Cell, set[str]] = {}
    given: dict[Cell, frozenset[str]] = {}
    for cell, order in zip(crawls.cells, crawls.orders, strict=True):
        if cell["strategy"] not in strategies:
            continue
        key = cell["topic"], cell["repeat"]
        given[key] = opened.case(*key).given
        fetched.setdefault(key, set()).update(chosen(order, given[key], PAGES))
    relevant: dict[Cell, frozenset[str]] = {}
    qualities: dict[str, dict[Cell, ModelQuality]] = {}
    for done, (key, urls) in enumerate(fetched.items(), start=1):
        case = opened.case(*key)
        judge = checked_model(trained_judge(case, VOTE, opened.fixture), "vote")
        texts = {url: opened.fixture.text(url) for url in sorted(urls)}
        relevant[key] = frozenset(url for url, text in texts.items() if judge.relevance(text) >= judge.threshold)
        for name, quality in _qualities(case, opened).items():
            qualities.setdefault(name, {})[key] = quality
        print(f"\r{web.name}: {done} of {len(fetched)} cases voted", end="", file=sys.stderr)
    print(file=sys.stderr)
    return VotedCrawls(crawls, relevant, given, qualities)


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
