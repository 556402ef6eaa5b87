"""A trial of a strategy on a case, and its result."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from time import perf_counter
from types import MappingProxyType
from typing import Any

import numpy as np

from honeyguide.errors import InputError
from honeyguide.lab.judges import Judge, JudgedCase
from honeyguide.lab.lessons import LessonPlan, SimulatedLessons
from honeyguide.lab.memory_recorder import PageFetch
from honeyguide.lab.metrics import Order, area, count_once, curve, f1, figures, recall, sites_of
from honeyguide.lab.model_quality import ModelQuality, ModelTest
from honeyguide.lab.model_quality import figures as model_figures
from honeyguide.lab.oracle import oracle
from honeyguide.lab.replay import ReplayResult, replay
from honeyguide.lab.visits import RequestTiming
from honeyguide.lab.web_fixture import WebFixture
from honeyguide.lab.web_graph import WebGraph
from honeyguide.page.url import host_of
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.checked import checked_model
from honeyguide.relevance.learning import MILESTONES
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import make_model
from honeyguide.relevance.registry import AUTO, model_named, models
from honeyguide.relevance.text import Text
from honeyguide.settings import part_name, split_at_colons
from honeyguide.strategy.registry import recipes, strategy_named
from honeyguide.strategy.rules import BY_ANCHOR, BY_BLOCK, BY_CONTEXT
from honeyguide.teaching.refit import refit
from honeyguide.teaching.teacher import LabelTeacher
from honeyguide.topic.material import material_of

ORACLE = "oracle"

_PARTS = (BY_BLOCK, BY_ANCHOR, BY_CONTEXT)  # the three counters of 000, for strategies that count them


@dataclass(frozen=True, slots=True)
class Contender:
    """A strategy, and the model that steers it.

    Written as ``best-first``, ``best-first:vsm``, ``page+btw(window=40):mlp(terms=300)``, ``oracle``. Either may be a
    path: ``best-first:package.module:Model``, ``package.module:RECIPE:svm``.
    """

    name: str
    strategy: str
    model: str
    lessons: LessonPlan = field(default_factory=LessonPlan)

    def taught(self, lessons: LessonPlan) -> Contender:
        """This contender, with a teacher who answers questions during the crawl."""
        return replace(self, name=f"{self.name}{lessons.title}", lessons=lessons)

    @classmethod
    def named(cls, text: str, model: str) -> Contender:
        """Parse the name or path of a strategy, optionally followed by that of a model."""
        strategy, own = _split(text)
        if own:
            model_named(own, "--strategy")
        recipe = strategy_named(strategy, "--strategy").recipe if strategy != ORACLE else None
        return cls(text, strategy, own or (recipe.model if recipe else "") or model)


def _split(text: str) -> tuple[str, str]:
    """Split a text into strategy and model, "" for no model. A colon separates them, but also occurs in paths."""
    first, *rest = split_at_colons(text)
    if rest and not _ends_there(first, rest[0]):
        first = f"{first}:{rest.pop(0)}"
    after = first[first.rfind(")") + 1 :].strip() if ")" in first else ""
    if after:
        raise InputError("--strategy", f"{after!r} follows the brackets", "write NAME(parameter=value):MODEL")
    return first, ":".join(rest)


def _ends_there(first: str, then: str) -> bool:
    """Whether the text before a colon is a strategy, and not the module of one."""
    return "(" in first or first == ORACLE or first in recipes() or ("." not in first and part_name(then) in models())


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The result of a trial."""

    cell: dict[str, Any]
    """The figures of the trial, and its curve."""
    found: list[str]
    """The targets that were fetched."""
    order: list[str]
    """The fetched pages in order, including seeds and examples, up to the last one that counts."""
    hops: list[int]
    """The number of links from a seed to each relevant page, in the same order; its sums are target lengths (000,
    equation 10)."""


class CaseRunner:
    """Runs the trials of one case, which share the models and the oracle's crawl."""

    def __init__(self, judged: JudgedCase, judge: Judge, fixture: WebFixture, timing: RequestTiming) -> None:
        self._whole_fixture = fixture
        self._fixture = fixture.without(judged.case.unlabelled)
        self._timing = timing
        self._judged = judged
        self._judge = judge
        self._models: dict[tuple[str, str], Any] = {}
        self._qualities: dict[tuple[str, str], ModelQuality | None] = {}
        case = self._judged.case
        graph = self._fixture.graph
        pages = {url: graph.number[url] for url in (*case.relevant, *case.given)}
        # Copies of seeds and examples do not count; of several copies of a target, one counts.
        known = {int(graph.copies[pages[url]]) for url in case.given}
        self._targets = {int(graph.copies[pages[url]]) for url in case.targets} - known
        self._relevant = {int(graph.copies[pages[url]]) for url in case.relevant} - known
        self._by_in_links = _thirds(graph, self._targets)
        every_copy = np.flatnonzero(np.isin(graph.copies, list(self._targets))).tolist()
        self._sites = len(set(sites_of(graph.urls[page] for page in every_copy)))  # with a target
        if not self._targets:
            raise InputError(case.topic, "all targets are copies of seeds or examples", "choose another topic")
        began = perf_counter()
        self._oracle = self._oracle_steps()
        self._oracle_area = area(recall(self._order(self._oracle), len(self._targets)), case.budget)
        self._oracle_seconds = perf_counter() - began

    def run(self, contender: Contender, timing: RequestTiming | None = None, **settings: Any) -> TrialResult:
        """Run one trial. The result is the same each time, apart from the seconds that it takes.

        `timing` and `settings` of the topic (``budget={"haste": 1.0}``) override the defaults. Raises `PluginError`
        when the strategy or the model fails.
        """
        if contender.strategy == ORACLE:
            return self._result(contender, self._oracle, self._oracle_seconds)
        self._judge.refuse_to_steer(contender.model, trained_apart=self._judged.trained_apart)
        case = self._judged.case
        topic = self._fixture.topic(case, model=contender.model, strategy=contender.strategy)
        model = self._model(contender)
        lessons = self._lessons(contender)
        began = perf_counter()
        found = replay(topic.with_settings(**settings), model, self._fixture.web, timing or self._timing, lessons)
        seconds = perf_counter() - began
        asked = frozenset(lessons.answers) if lessons else frozenset()
        quality = self._quality(contender, found, asked)
        kept = self._kept(found.steps, lessons.final(found.steps) if lessons else {}, asked)
        result = self._result(contender, found.steps, seconds, found.tally.accepted, quality)
        taught = {"answers": len(asked), "kept_f1": kept}
        return replace(result, cell={**result.cell, **taught})

    def _lessons(self, contender: Contender) -> SimulatedLessons | None:
        """The simulated teacher of a trial; None if there is none."""
        plan, case = contender.lessons, self._judged.case
        if not plan.answers:
            return None
        first, text = self._model(contender), lru_cache(maxsize=None)(self._fixture.text)
        material = self._material(contender)

        def learn(answers: Mapping[str, bool]) -> Relevance | None:
            sides = ([text(url) for url, answer in answers.items() if answer is side] for side in (True, False))
            relevant, others = sides
            return refit(material, relevant, others, first)

        seed = f"{case.topic} {case.repeat}"
        teacher = LabelTeacher(case.relevant, plan.wrong, case.repeat)
        known = frozenset((*case.given, *case.others))
        return SimulatedLessons(plan, teacher, learn, case.budget, known, seed)

    def _kept(self, steps: Sequence[PageFetch], judged: Mapping[str, bool], asked: Collection[str]) -> float | None:
        """The F1 of the crawl's final judgements of the pages that it chose, without those in questions.

        None if none of them is relevant. `judged` has the pages that were judged again.
        """
        case = self._judged.case
        left_out = {*asked, *case.given, *case.others}
        pages = [step for step in steps if step.url not in left_out]
        kept = {step.url for step in pages if judged.get(step.url, step.relevant)}
        relevant = {step.url for step in pages if step.url in case.relevant}
        if not relevant:
            return None
        hits = len(kept & relevant)
        return f1(hits / len(kept) if kept else 0.0, hits / len(relevant))

    def _quality(self, contender: Contender, crawl: ReplayResult, asked: Collection[str]) -> ModelQuality | None:
        """The quality of the steering model; at the end and without the crawl's pages, if it learnt from them."""
        key, model = _model_key(contender), checked_model(crawl.model, contender.model)
        if asked:
            return self._model_test.quality(model, asked)
        if crawl.model is not self._models[key]:
            return self._model_test.quality(model, {step.url for step in crawl.steps[: MILESTONES[-1]]})
        if key not in self._qualities:
            self._qualities[key] = self._model_test.quality(model)
        return self._qualities[key]

    @cached_property
    def _model_test(self) -> ModelTest:
        return ModelTest(self._judged.case, self._fixture)

    def judge(self, name: str, urls: Sequence[str]) -> TrialResult:
        """Judge another crawler by the URLs it fetched, in order. Repeats, and URLs not in the web, are skipped."""
        graph = self._fixture.graph
        numbers = map(self._fixture.page, urls)
        pages = list(dict.fromkeys(number for number in numbers if number is not None))
        seeds = [graph.number[url] for url in self._judged.case.seeds]
        return self._result(Contender(name, "", ""), self._walked(pages, seeds), 0.0)

    def _model(self, contender: Contender) -> Any:
        """The steering model, trained on the examples; shared by strategies with the same idf."""
        key = _model_key(contender)
        if key not in self._models:
            self._models[key] = make_model(self._material(contender))
        return self._models[key]

    def _material(self, contender: Contender) -> Material:
        """The material that the steering model is trained on."""
        case, text = self._judged.case, self._fixture.text
        topic = self._fixture.topic(case, model=contender.model, strategy=contender.strategy)
        examples = [text(url) for url in case.examples]
        if contender.model != AUTO and model_named(contender.model).positive_only:
            return material_of(topic, examples, (), self._unlabelled)
        return material_of(topic, examples, [text(url) for url in case.others])

    @cached_property
    def _unlabelled(self) -> list[Text]:
        return [self._whole_fixture.text(url) for url in self._judged.case.unlabelled]

    # ---- orders ----

    def _order(self, steps: Sequence[PageFetch]) -> Order:
        """The pages that a crawl chose, with the judge's decisions; given pages are left out."""
        graph, given = self._fixture.graph, self._judged.case.given
        steps = [step for step in steps if step.url not in given]
        numbers = [graph.number[step.url] for step in steps]
        copies = graph.copies[numbers].tolist() if numbers else []
        relevant = count_once(np.array([copy in self._relevant for copy in copies], np.bool_), copies)
        target = count_once(np.array([copy in self._targets for copy in copies], np.bool_), copies)
        scores = self._judged.similarity
        return Order(
            urls=[step.url for step in steps],
            relevant=relevant,
            target=target,
            bytes=np.array([step.size for step in steps], np.int64),
            seconds=np.array([step.seconds for step in steps], np.float64),
            hops=np.array([step.hops for step in steps], np.int64),
            similarity=scores[numbers] if scores is not None and numbers else np.full(len(steps), np.nan),
            predicted=np.array([step.promised for step in steps], np.float64),
        )

    def _oracle_steps(self) -> list[PageFetch]:
        """The oracle's crawl. It starts at all given pages, since some strategies also start at examples."""
        graph, case = self._fixture.graph, self._judged.case
        # Any copy of a target is as good as the target itself, until one of them has been fetched.
        targets = {int(page) for page in np.flatnonzero(np.isin(graph.copies, list(self._targets)))}
        seeds = [graph.number[url] for url in dict.fromkeys((*case.seeds, *case.examples))]
        pages = oracle(graph.indptr, graph.indices, seeds, sorted(targets), case.downloads)
        return self._walked(pages, seeds)

    def _walked(self, pages: Sequence[int], seeds: Sequence[int]) -> list[PageFetch]:
        """Pages fetched in sequence, with the times of a crawl with one connection."""
        graph, timing = self._fixture.graph, self._timing
        hops = dict.fromkeys(seeds, 0)
        free: dict[str, float] = {}
        now = 0.0
        steps = []
        for page in pages:
            for link in graph.indices[graph.indptr[page] : graph.indptr[page + 1]].tolist():
                hops.setdefault(link, hops.setdefault(page, 0) + 1)
            url = graph.urls[page]
            response = self._fixture.web.response(url)
            size = len(response.raw) if response is not None else 0
            now = max(now, free.get(host_of(url), 0.0)) + timing.latency + size / timing.bytes_per_second
            free[host_of(url)] = now + timing.delay
            steps.append(PageFetch(url, size, now, hops.setdefault(page, 0), 0.0, False, float("nan"), False))
        return steps

    # ---- results ----

    def _result(
        self,
        contender: Contender,
        steps: Sequence[PageFetch],
        seconds: float,
        accepted: Mapping[str, int] = MappingProxyType({}),
        quality: ModelQuality | None = None,
    ) -> TrialResult:
        case, targets = self._judged.case, len(self._targets)
        order = self._order(steps)
        within = order.first(case.budget)
        cell = {
            "topic": case.topic,
            "strategy": contender.name,
            "model": contender.model or None,
            "repeat": case.repeat,
            "budget": case.budget,
            **figures(order, targets, case.budget, self._oracle_area, self._sites),
            **self._recall_by_in_links(within),
            **{f"accepted_by_{part}": accepted.get(part, 0) if accepted else None for part in _PARTS},
            **model_figures(quality),
            "seconds": round(seconds, 3),
            "order_digest": hashlib.sha256("\n".join(within.urls).encode()).hexdigest()[:32],
            "curve": curve(order, targets, case.budget, sites=self._sites),
        }
        found = [url for url, is_target in zip(within.urls, within.target.tolist(), strict=True) if is_target]
        urls = [step.url for step in steps]
        fetched = urls[: urls.index(within.urls[-1]) + 1] if len(within) else urls
        return TrialResult(cell, found, fetched, within.hops[within.relevant].tolist())

    def _recall_by_in_links(self, order: Order) -> dict[str, float | None]:
        """Recall of targets with few and with many in-links: 001 favours the latter."""
        graph = self._fixture.graph
        found = {int(graph.copies[graph.number[url]]) for url in order.urls}
        return {
            f"recall_{name}_linked": len(found & third) / len(third) if third else None
            for name, third in zip(_LINKED, self._by_in_links, strict=True)
        }


def _model_key(contender: Contender) -> tuple[str, str]:
    """Contenders with the same key share their model."""
    return contender.model, strategy_named(contender.strategy).recipe.idf


_LINKED = ("least", "medium", "most")


def _thirds(graph: WebGraph, targets: set[int]) -> list[set[int]]:
    """The targets in three parts of equal size, by the number of pages that link to them or to a copy of them."""
    in_links = np.bincount(graph.copies[graph.indices], minlength=len(graph.places))
    ordered = sorted(targets, key=lambda page: (in_links[page], page))
    return [set(map(int, part)) for part in np.array_split(ordered, len(_LINKED))]
