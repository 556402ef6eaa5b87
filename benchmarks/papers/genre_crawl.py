"""The experiments of "A genre-aware approach to focused crawling" (002): figures 4 to 10, tables 3 to 5, 7, 8, 15, 16.

    python -m benchmarks.papers.genre_crawl --web FILE.warc.gz --labels FILE.tsv [--web demo:4000]
        [--web demo-lists:4000] [--topics GENRE+CONTENT,...] [--repeats 1] [--pages 100000] [--out results]

How well term lists tell the pages of a topic, against an SVM and with fewer terms; how soon crawls find them, by five
queues, by which of equal scores goes first, with hosts that rest, and with other readings of what the paper leaves
open; on the given webs, and apart from them on a web made by the paper's premise (``demo-lists``).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # one core, also for matrix products: read when numpy is imported

import numpy as np

from benchmarks.papers import crawls
from benchmarks.papers.crawls import LISTS, Crawls, Options, Web
from benchmarks.papers.genre_order import FIRST, LAST, POLICIES, Links, Ties, fcrawl
from benchmarks.papers.genre_report import (
    AS_SHIPPED,
    EVERY,
    LAST_IN,
    OF_LISTS,
    POLITE,
    RANDOM,
    STRICT,
    SVM_FS,
    SVM_PS,
    page,
    picture,
)
from benchmarks.papers.genre_scores import OURS, SVM, Floats, Shelf, Told, genre_model, svm_model, told
from benchmarks.papers.genre_terms import dealt, labels_of, with_titles
from benchmarks.papers.replays import Judged, Stage, crawled, once, staged
from honeyguide.errors import InputError
from honeyguide.lab.cases import Case
from honeyguide.page.url import host_of
from honeyguide.relevance.base import Relevance

NAME = "genre-crawl"
TOPICS = (
    "course+title.systems",
    "course+title.programming",
    "subject.People+subject.People.Writers_and_critics",
    "subject.People+subject.People.Artists",
    "subject.Countries+subject.Geography.African_Geography.African_Countries",
    "subject.Countries+subject.Geography.European_Geography.European_Countries",
    "kind.course+subject.chess",
    "kind.job+subject.railways",
    "kind.product+subject.photography",
    "item.course+subject.astronomy",
    "item.course+subject.photography",
    "item.course+subject.birdwatching",
    "item.course+subject.beekeeping",
)
CONNECTIONS = 8
DRAWS = 3
"""How often ties are drawn at random."""

_TOP = 20
_SIXTH = 6  # P@20 is after 10,000 pages of the 60,000 that syllabi were sought among


# ---- one crawl ----


def progress(order: Sequence[str], case: Case, told_relevant: set[str]) -> dict[str, float | None]:
    """What a crawl came to along the way, by the targets it could reach.

    `told_relevant`: the pages that its model takes to be relevant. The paper does not say how it counts pages visited
    for each relevant one; its numbers fit the pages up to the last relevant one that was told, by their number.
    """
    places = [place for place, url in enumerate(order, start=1) if url in case.targets]
    retrieved = [place for place in places if order[place - 1] in told_relevant]
    most = int(np.ceil(0.9 * len(places)))
    shares = {f"recall_at_{percent}": percent * len(order) / 100 for percent in (5, 15, 30)}
    return {
        **{name: sum(place <= pages for place in places) / len(case.targets) for name, pages in shares.items()},
        "visited_for_90_percent": places[most - 1] / len(order) if places else None,
        "pages_per_relevant": retrieved[-1] / len(retrieved) if retrieved else None,
    }


def precision_of_best(order: Sequence[str], case: Case, score_of: dict[str, float]) -> float:
    """The share of targets among the best 20 of the pages fetched first, or as many as there are targets."""
    fetched = [url for url in order[: len(order) // _SIXTH] if url in score_of]
    best = sorted(fetched, key=lambda url: -score_of[url])[: min(_TOP, len(case.targets))]
    return sum(url in case.targets for url in best) / min(_TOP, len(case.targets))


class Course:
    """The crawls of one topic in one repeat."""

    def __init__(self, stage: Stage, found: Told) -> None:
        self._stage = stage
        self._found = found
        self._case = found.hand.case
        self._judged = Judged(stage.fixture, self._case)
        graph = stage.fixture.graph
        self._urls = graph.urls
        self._links = Links(graph.indptr, graph.indices)
        self._seeds = [graph.number[url] for url in self._case.seeds]
        self._pool = frozenset(found.hand.pool)

    def cells(self) -> Iterator[dict[str, Any]]:
        """Of all crawls, with the way they were run."""
        yield from self._in_lab(STRICT, 1)
        if len({host_of(url) for url in self._urls}) > 1:
            yield from self._in_lab(POLITE, CONNECTIONS)
        yield from self._in_lab(AS_SHIPPED, 1, ties="random")
        for repeat in range(DRAWS):
            for name, order in self._simulated(np.random.default_rng([repeat, 2])):
                yield self._cell(RANDOM, name, order) | {"repeat": self._case.repeat * DRAWS + repeat}
        for name, order in self._simulated(LAST):
            yield self._cell(LAST_IN, name, order)
        for name, order in self._simulated(FIRST, every_parent=True):
            yield self._cell(EVERY, name, order)

    def _in_lab(self, way: str, connections: int, ties: str = FIRST) -> Iterator[dict[str, Any]]:
        lists = self._found.lists._replace(url=())
        ours, svm = genre_model(lists), svm_model(self._found.hand, self._stage)
        runs: dict[str, tuple[str, Relevance]] = {
            name: (f"genre(queue={name.lower()}, ties={ties})", ours) for name in POLICIES
        }
        runs |= {
            name: (f"genre-svm(queue={queue}, ties={ties})", svm) for name, queue in ((SVM_PS, "ps"), (SVM_FS, "fs-2"))
        }
        for name, (strategy, model) in runs.items():
            steps = crawled(self._stage.fixture, self._case, strategy, model, connections)
            yield self._cell(way, name, [step.url for step in steps])

    def _simulated(self, ties: Ties, *, every_parent: bool = False) -> Iterator[tuple[str, list[str]]]:
        runs = {name: (policy, self._found.scores[OURS]) for name, policy in POLICIES.items()}
        runs |= {name: (POLICIES[queue], self._found.scores[SVM]) for name, queue in ((SVM_PS, "PS"), (SVM_FS, "FS-2"))}
        for name, (policy, scores) in runs.items():
            order = fcrawl(self._links, scores, self._seeds, policy, ties=ties, every_parent=every_parent)
            yield name, [self._urls[place] for place in order]

    def _cell(self, way: str, name: str, fetched: list[str]) -> dict[str, Any]:
        order = [url for url in fetched if url not in self._case.given]
        model = SVM if name in {SVM_PS, SVM_FS} else OURS
        score_of = self._scores_of(self._found.scores[model])
        taken = {url for url, score in score_of.items() if score >= self._found.thresholds[model]}
        return (
            self._judged.cell(name, fetched)
            | progress(order, self._case, taken)
            | {"way": way, "precision_at_20": precision_of_best(order, self._case, score_of)}
        )

    def _scores_of(self, scores: Floats) -> dict[str, float]:
        return {url: score for url, score in zip(self._urls, scores.tolist(), strict=True) if url in self._pool}


# ---- all of it ----


def run(web: Web, asked: Options) -> Iterator[tuple[Told, list[dict[str, Any]]]]:
    """Each topic that a web has, in each repeat: how well its pages were told, and its crawls."""
    stage = with_titles(staged(web, labels_of(web)))
    shelf = Shelf(stage)
    for topic in web.topics:
        for repeat in range(asked.repeats):
            hand = dealt(stage, topic, repeat, asked.pages)
            if hand is None:
                continue
            found = told(stage, hand, shelf)
            print(f"{web.name}: {topic} {repeat + 1}: F1 {max(found.curves[OURS]):.3f}", file=sys.stderr)
            key = (NAME, AS_SHIPPED, LAST_IN, stage.fixture.web.digest, topic, repeat, asked.pages)
            yield found, once(asked.kept, key, Course(stage, found).cells)


def main() -> int:
    """Measure, print and write down."""
    about = "Genre-aware crawling (002): term lists, thresholds and queues."
    asked = crawls.options("genre_crawl", about, pages="100000", repeats=1, topics=",".join(TOPICS))
    all_told: dict[str, list[Told]] = {}
    cells: list[dict[str, Any]] = []
    try:
        for web in asked.webs:
            of_lists = web.source.startswith(LISTS)
            for found, crawled_cells in run(web, asked):
                if of_lists:  # made by the paper's premise: it counts in no other figure
                    cells += [cell | {"way": f"{OF_LISTS}, {cell['way']}", "web": web.name} for cell in crawled_cells]
                else:
                    all_told.setdefault(web.name, []).append(found)
                    cells += [cell | {"web": web.name} for cell in crawled_cells]
    except InputError as error:
        sys.exit(str(error))
    if not cells:
        sys.exit(f"none of the webs has pages of {', '.join(asked.webs[0].topics)}; name topics with --topics")
    ways = {
        way: Crawls(way, {"cells": [cell for cell in cells if cell["way"] == way]}, [], [])
        for way in dict.fromkeys(cell["way"] for cell in cells)
    }
    text, findings = page(all_told, ways)
    crawls.write(asked, NAME, text, picture(all_told, ways), findings)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
