"""What is to be compared: everything that decides the results, and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from honeyguide.crawl.gather import Gathered
from honeyguide.errors import InputError
from honeyguide.lab.cases import Case, Split, make_case
from honeyguide.lab.ground import Ground
from honeyguide.lab.judges import Judge, Verdict, judged, scored
from honeyguide.lab.labels import Labels, read_labels
from honeyguide.lab.survey import survey
from honeyguide.lab.trial import ORACLE, Contender, Outcome
from honeyguide.lab.visits import Pace
from honeyguide.lab.web import open_web
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance.material import Material
from honeyguide.relevance.registry import model_named
from honeyguide.strategy.registry import recipes
from honeyguide.topic import Topic
from honeyguide.topic.examples import read_examples
from honeyguide.topic.material import material_of
from honeyguide.version import VERSION

ALL = "all"
_NO_STRATEGY = ("seeds-only", "mix")


@dataclass(frozen=True, slots=True)
class Plan:
    """A comparison. Small: it is sent to the processes that run it."""

    webs: tuple[str, ...]
    labels: str
    topics: tuple[str, ...]
    strategies: tuple[str, ...]
    split: Split = field(default_factory=Split)
    repeats: int = 1
    model: str = "fields"
    """The model that steers, for strategies that name none."""
    judge: str = "labels"
    connections: int = 1
    pace: Pace = field(default_factory=Pace)
    points: tuple[int, ...] = ()
    """Numbers of pages after which strategies are compared too."""

    def contenders(self) -> list[Contender]:
        """The strategies, each once; "all" stands for every one there is, and for the oracle."""
        names = dict.fromkeys(name for asked in self.strategies for name in (_every() if asked == ALL else [asked]))
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
            "labels": _digest(self.labels),
            "cell": [topic, _digest(topic) if is_file(topic) else "", repeat, contender.strategy],
            "version": VERSION,
            # What a kept trial holds: one from before it held all of it is run again.
            "kept": [part.name for part in fields(Outcome)],
        }
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Opened:
    """A plan with its web at hand."""

    plan: Plan
    ground: Ground
    labels: Labels | None

    def case(self, topic: str, repeat: int) -> Case:
        """The case of a label in a repeat."""
        if self.labels is None:
            raise InputError("--labels", f"nothing says which pages are about {topic}", "give a file of labels")
        pages = self.labels.pages(topic)
        inside = frozenset(pages)
        others = [url for url in self.labels.of_page if url not in inside] or self.ground.others(inside)
        return make_case(topic, pages, others, self.plan.split, repeat)

    def verdict(self, topic: str, repeat: int) -> Verdict:
        """The case of a topic, a label or a file, as its judge sees it."""
        judge = Judge.named(self.plan.judge)
        if is_file(topic):
            return self._of_file(Topic.load(topic), judge, repeat)
        return judged(self.case(topic, repeat), judge, self.ground)

    def _of_file(self, topic: Topic, judge: Judge, repeat: int) -> Verdict:
        """The judge, made from what the file says, decides which pages the topic has; the file says where to start."""
        if not judge.is_model:
            raise InputError("--judge", f"{judge.kind} cannot judge a topic file", "name a model, as vsm:0.2")
        model = model_named(judge.kind)
        made = model.make(self._material(topic), judge.threshold or model.threshold)
        relevant, scores = scored(made, self.ground)
        split = replace(
            self.plan.split, seed_urls=self.plan.split.seed_urls or _in_web(topic.seeds, "seeds", self.ground)
        )
        others = self.ground.others(relevant)
        keywords = (*topic.keywords, *([topic.description] if topic.description else []))
        return Verdict(make_case(topic.name, relevant, others, split, repeat, keywords), scores)

    def _material(self, topic: Topic) -> Material:
        """What a topic file gives to learn from. Examples on the web are taken from the virtual one."""

        def fetch(urls: Sequence[str]) -> dict[str, Gathered]:
            answers = {url: self.ground.web.response(self.ground.survey.leads_to.get(url, url)) for url in urls}
            return {
                url: Gathered(answer.url, answer.body, answer.header("content-type"))
                for url, answer in answers.items()
                if answer is not None
            }

        given = topic.examples
        kinds = (given.positive, given.negative, given.unlabelled)
        read = (read_examples(names, UrlRules(self.ground.urls), fetch) for names in kinds)
        return material_of(topic, *([example.text for example in examples] for examples in read))


def open_plan(plan: Plan, progress: Any = lambda _what, _done, _all: None) -> Opened:
    """Open the web and read the labels. Raises `InputError` for whatever is wrong with the plan."""
    model_named(plan.model, "--model")
    for contender in plan.contenders():
        Judge.named(plan.judge).refuse_to_steer(contender.model)
    urls = UrlSettings()
    rules = UrlRules(urls)
    web = open_web(plan.webs, rules, progress=lambda done, every: progress("indexing the web", done, every))
    found = survey(web, urls, lambda done, every: progress("reading the web", done, every))
    ground = Ground(web, found, urls, plan.connections)
    labels = read_labels(Path(plan.labels), found.number, rules, found.leads_to) if plan.labels else None
    seeds = _in_web(plan.split.seed_urls, "--seed-urls", ground)
    opened = Opened(replace(plan, split=replace(plan.split, seed_urls=seeds)), ground, labels)
    for topic in plan.topics:
        if is_file(topic):
            Topic.load(topic)
        else:
            opened.case(topic, 0)
    return opened


def _every() -> list[str]:
    return [*(name for name in recipes() if name not in _NO_STRATEGY), ORACLE]


def is_file(topic: str) -> bool:
    """Whether a topic is a topic file, and not a label."""
    return topic.endswith(".toml")


def _digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest() if path else ""


def _in_web(urls: Sequence[str], place: str, ground: Ground) -> tuple[str, ...]:
    """URLs as the pages of the web that they are, each once. Raises `InputError` for one that is none."""
    seeds = []
    for given in urls:
        page = ground.page(given)
        if page is None:
            raise InputError(place, f"{given} is not in the web", "name pages that were recorded")
        seeds.append(ground.survey.urls[page])
    return tuple(dict.fromkeys(seeds))
