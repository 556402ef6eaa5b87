"""Crawls of the lab with models that a script makes itself, on webs that do not say their own labels.

The lab's comparison makes its models from a label's name and example pages. Genre terms (002), and topics in words that
several models share (004), are more than that: here a script makes the model, and the lab does the rest.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.papers.crawls import NEVER_WAITS, Crawls, Web, demo_labels
from honeyguide.atomic_write import atomic_write
from honeyguide.errors import InputError
from honeyguide.fetch.base import Response
from honeyguide.lab.cases import Case
from honeyguide.lab.code import own_code
from honeyguide.lab.judges import Judge, JudgedCase
from honeyguide.lab.labels import Labels
from honeyguide.lab.memory_recorder import PageFetch
from honeyguide.lab.plan import Plan, open_plan
from honeyguide.lab.replay import replay
from honeyguide.lab.trial import CaseRunner
from honeyguide.lab.visits import RequestTiming
from honeyguide.lab.web import VirtualWeb
from honeyguide.lab.web_fixture import WebFixture
from honeyguide.page.decode import decode
from honeyguide.page.parse import parse
from honeyguide.page.url import UrlRules
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.text import Text
from honeyguide.topic.examples import Example

_SUBJECT_LINE = re.compile(rb'<h3 id="siteSub">.*?</h3>', re.DOTALL)
"""Wikipedia for Schools says on every page, below its title, of which subjects it is: the labels of this web."""


class BareWeb:
    """A web without the line in which its pages say their labels: models would find the label, not the topic.

    That line links only to lists of pages that the web does not have, so which page links to which stays as it is.
    Answers are kept, as a web is crawled many times here.
    """

    def __init__(self, web: VirtualWeb) -> None:
        self._web = web
        self.name = web.name
        self.digest = f"{web.digest} bare"
        self.notes = web.notes
        self._answers: dict[str, Response] = {}

    def __len__(self) -> int:
        return len(self._web)

    def __contains__(self, url: str) -> bool:
        return url in self._web

    def urls(self) -> Iterator[str]:
        """As `VirtualWeb.urls`."""
        return self._web.urls()

    def response(self, url: str) -> Response | None:
        """As `VirtualWeb.response`."""
        if url not in self._answers:
            response = self._web.response(url)
            if response is None:
                return None
            self._answers[url] = _without_subjects(response)
        return replace(self._answers[url])  # a fetcher writes into what it is given


def _without_subjects(response: Response) -> Response:
    body = _SUBJECT_LINE.sub(b"", response.body)
    return replace(response, body=body, raw=body if response.raw == response.body else response.raw)


@dataclass(frozen=True, slots=True)
class Stage:
    """A web made ready, with its labels."""

    name: str
    fixture: WebFixture
    labels: Labels

    def example(self, url: str) -> Example:
        """A page of the web, as terms are generated from it."""
        response = self.fixture.web.response(url)
        assert response is not None, f"{url} is not in the web"
        page = parse(decode(response.body, response.header("content-type")), url, UrlRules(self.fixture.urls))
        return Example.of(url, page, url)


def staged(web: Web, labels: str = "") -> Stage:
    """Open a web, its labels as they are in its file, or those given. Ends the program when the lab refuses it."""
    with TemporaryDirectory() as folder:
        path = Path(web.labels)
        if labels or not web.labels:
            path = Path(folder, "labels.tsv")
            path.write_text(labels or demo_labels(web.source), encoding="utf-8")
        try:
            opened = open_plan(Plan((web.source,), str(path), (), ("breadth-first",)))
        except InputError as error:
            sys.exit(str(error))
    assert opened.labels is not None
    fixture = replace(opened.fixture, web=BareWeb(opened.fixture.web), haste=NEVER_WAITS)
    return Stage(web.name, fixture, opened.labels)


def crawled(
    fixture: WebFixture, case: Case, strategy: str, model: Relevance, connections: int = 1
) -> Sequence[PageFetch]:
    """The pages that a strategy fetches, in order, steered by a model; as in a live crawl with several connections."""
    topic = fixture.topic(case, model="vsm", strategy=strategy)  # a model must be named there; the one given steers
    return replay(topic.with_settings(fetch={"connections": connections}), model, fixture.web).steps


class Judged:
    """The judge's view of the crawls of one case, by its labels."""

    def __init__(self, fixture: WebFixture, case: Case) -> None:
        self._trials = CaseRunner(JudgedCase(case, None), Judge.named("labels"), fixture, RequestTiming())

    def cell(self, name: str, order: Sequence[str]) -> dict[str, Any]:
        """The row of a crawl, as the lab has it, by the pages it fetched."""
        return self._trials.judge(name, order).cell


def together(stage: Stage, cells: Sequence[dict[str, Any]]) -> Crawls:
    """Crawls that were run one by one, as tables, claims and pictures take them."""
    results = {"settings": {"web": {"pages": len(stage.fixture.graph.urls)}}, "cells": list(cells)}
    return Crawls(stage.name, results, [], [])


Cells = list[dict[str, Any]]


def once(folder: Path | None, key: Sequence[object], make: Callable[[], Iterable[dict[str, Any]]]) -> Cells:
    """The cells that were made with that key before and are kept in the folder; else they are made, and kept there."""
    if folder is None:
        return list(make())
    path = folder / f"{hashlib.sha256(repr((own_code(), *key)).encode()).hexdigest()[:24]}.json"
    if path.exists():
        found: Cells = json.loads(path.read_text(encoding="utf-8"))
        return found
    made = list(make())
    with atomic_write(path, parents=True) as file:
        file.write(json.dumps(made).encode())
    return made


def mean(values: Iterable[float | None]) -> float | None:
    """Of those that are numbers; None when there is none."""
    known = [value for value in values if value is not None and np.isfinite(value)]
    return float(np.mean(known)) if known else None


def page_auc(model: Relevance, targets: Sequence[Text], others: Sequence[Text]) -> float:
    """The chance that a target scores higher than another page; half where both score the same."""
    scores = [float(model.score(text, whole(text))[0]) for text in (*targets, *others)]
    return float(roc_auc_score([*[1] * len(targets), *[0] * len(others)], scores))
