"""Equation 4 of 001 (OTIE) with and without length 1: how well its SVM tells pages apart, and where it leads OTIE."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.papers import crawls as shared
from benchmarks.papers.crawls import HARVEST, RECALL, Crawls, Options, Web
from benchmarks.papers.replays import Judged, Stage, crawled, once, page_auc, staged, together
from honeyguide.lab.cases import Split, make_case
from honeyguide.relevance.models import make_model
from honeyguide.topic.material import material_of

NAME = "cash-weights"
STRATEGY = "otie(n=1)"
UNIT, FREE = "length 1, as usual here", "as Eq. 4 has it"
AUC = "page_auc"
OTHERS = 500
"""Pages of other topics that page AUC sets against the targets."""

NOTES = f"""\
## Equation 4: weights as they are

The paper weights words by f · ln(|E|/df) and says nothing of the length of vectors. Here they have length 1, so that a
long page and the few words around a link are on the same scale; with `svm(unit=false)` they are left as they are.
Page AUC is the chance that the SVM gives a target more than one of {OTHERS} pages of other topics. The crawls are
{STRATEGY}, with the line in which pages of wikispeedia name their subjects cut out.

"""


def trials(stage: Stage, topic: str, repeat: int, pages: str) -> Iterator[dict[str, Any]]:
    """Both on one topic."""
    fixture = stage.fixture
    labelled = stage.labels.pages(topic)
    case = make_case(topic, labelled, fixture.others(labelled), Split(seeds=10, examples=75, pages=pages), repeat)
    examples = [[fixture.text(url) for url in urls] for urls in (case.examples, case.others)]
    unseen = fixture.others([*labelled, *case.others])
    some = unseen[:: max(1, len(unseen) // OTHERS)][:OTHERS]
    sides = [[fixture.text(url) for url in urls] for urls in (sorted(case.targets), some)]
    judged = Judged(fixture, case)
    for name, spec in ((UNIT, "svm"), (FREE, "svm(unit=false)")):
        model = make_model(material_of(fixture.topic(case, model=spec), *examples))
        steps = crawled(fixture, case, STRATEGY, model)
        yield judged.cell(name, [step.url for step in steps]) | {AUC: page_auc(model, *sides)}


def crawls_of(web: Web, asked: Options) -> Crawls:
    """All topics of a web."""
    stage = staged(web)
    cells: list[dict[str, Any]] = []
    for topic in web.topics:
        for repeat in range(asked.repeats):
            key = (NAME, stage.fixture.web.digest, topic, repeat, asked.pages)
            cells += once(asked.kept, key, partial(trials, stage, topic, repeat, asked.pages))
            print(f"{web.name}: {topic} {repeat + 1}, both weights", file=sys.stderr)
    return together(stage, cells)


def section(asked: Options) -> str:
    """A table for each web."""
    figures = {AUC: "page AUC", HARVEST: "harvest", RECALL: "target recall", "auc_recall": "area under target recall"}
    text = NOTES
    for web in asked.webs:
        text += f"{web.name}:\n\n{shared.table(crawls_of(web, asked), {UNIT: UNIT, FREE: FREE}, figures)}\n"
    return text
