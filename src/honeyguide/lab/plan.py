"""What is to be compared: everything that decides the results, and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from honeyguide.errors import InputError
from honeyguide.lab.cases import Case, Split, make_case
from honeyguide.lab.ground import Ground
from honeyguide.lab.judges import Judge
from honeyguide.lab.labels import Labels, read_labels
from honeyguide.lab.survey import survey
from honeyguide.lab.trial import ORACLE, Contender
from honeyguide.lab.visits import Pace
from honeyguide.lab.web import open_web
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance.models import MODELS
from honeyguide.strategy.recipes import RECIPES
from honeyguide.version import VERSION

ALL = "all"
_NO_STRATEGY = ("seeds-only",)


@dataclass(frozen=True, slots=True)
class Plan:
    """A comparison. Small: it is sent to the processes that run it."""

    webs: tuple[str, ...]
    labels: str
    topics: tuple[str, ...]
    strategies: tuple[str, ...]
    split: Split = field(default_factory=Split)
    repeats: int = 1
    model: str = "svm"
    """The model that steers, for strategies that name none."""
    judge: str = "labels"
    connections: int = 1
    pace: Pace = field(default_factory=Pace)
    points: tuple[int, ...] = ()
    """Numbers of pages after which strategies are compared too."""

    def contenders(self) -> list[Contender]:
        """The strategies, each once; "all" stands for every one there is, and for the oracle."""
        every = [name for name in RECIPES if name not in _NO_STRATEGY] + [ORACLE]
        names = dict.fromkeys(name for asked in self.strategies for name in (every if asked == ALL else [asked]))
        return [Contender.named(name, self.model) for name in names]

    def cells(self) -> Iterator[tuple[str, int, Contender]]:
        """Every trial, in the order of the results."""
        for topic in self.topics:
            for repeat in range(self.repeats):
                for contender in self.contenders():
                    yield topic, repeat, contender

    def key(self, ground: Ground, topic: str, repeat: int, contender: Contender) -> str:
        """Names a trial by all that decides what it comes to."""
        decisive = {
            **{
                name: value
                for name, value in asdict(self).items()
                if name not in {"webs", "labels", "topics", "points"}
            },
            "strategies": None,
            "repeats": None,
            "model": contender.model,
            "web": ground.web.digest,
            "labels": hashlib.sha256(Path(self.labels).read_bytes()).hexdigest(),
            "cell": [topic, repeat, contender.strategy],
            "version": VERSION,
        }
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Opened:
    """A plan with its web at hand."""

    plan: Plan
    ground: Ground
    labels: Labels

    def case(self, topic: str, repeat: int) -> Case:
        """The case of a topic in a repeat."""
        pages = self.labels.pages(topic)
        inside = frozenset(pages)
        others = [url for url in self.labels.of_page if url not in inside]
        return make_case(topic, pages, others, self.plan.split, repeat)


def open_plan(plan: Plan, progress: Any = lambda _what, _done, _all: None) -> Opened:
    """Open the web and read the labels. Raises `InputError` for whatever is wrong with the plan."""
    if plan.model not in MODELS:
        raise InputError("--model", f"there is no model {plan.model!r}", f"use one of {', '.join(MODELS)}")
    for contender in plan.contenders():
        Judge.named(plan.judge).refuse_to_steer(contender.model)
    urls = UrlSettings()
    rules = UrlRules(urls)
    web = open_web(plan.webs, rules, progress=lambda done, every: progress("indexing the web", done, every))
    found = survey(web, urls, lambda done, every: progress("reading the web", done, every))
    ground = Ground(web, found, urls, plan.connections)
    labels = read_labels(Path(plan.labels), found.number, rules, found.leads_to)
    opened = Opened(_with_canonical_seeds(plan, ground), ground, labels)
    for topic in plan.topics:
        for repeat in range(plan.repeats):
            opened.case(topic, repeat)
    return opened


def _with_canonical_seeds(plan: Plan, ground: Ground) -> Plan:
    """Seeds as the pages of the web that they are."""
    seeds = []
    for given in plan.split.seed_urls:
        page = ground.page(given)
        if page is None:
            raise InputError("--seed-urls", f"{given} is not in the web", "name pages that were recorded")
        seeds.append(ground.survey.urls[page])
    return replace(plan, split=replace(plan.split, seed_urls=tuple(dict.fromkeys(seeds))))
