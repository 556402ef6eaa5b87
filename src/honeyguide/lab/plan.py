"""The plan of a comparison: everything that determines its results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from honeyguide.crawl.fetch_pages import ExamplePage
from honeyguide.errors import InputError
from honeyguide.lab.cases import Case, Split, make_case, shuffled
from honeyguide.lab.code import own_code, plugin_code
from honeyguide.lab.judges import Judge, JudgedCase, judge_case, scored
from honeyguide.lab.labels import Labels, known_labels, read_labels
from honeyguide.lab.lessons import LessonPlan
from honeyguide.lab.reduced_web import taken_out
from honeyguide.lab.trial import ORACLE, Contender
from honeyguide.lab.visits import RequestTiming
from honeyguide.lab.web import open_web
from honeyguide.lab.web_fixture import WebFixture
from honeyguide.lab.web_graph import read_graph
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance.material import Material
from honeyguide.relevance.registry import check_model_name, model_module, model_named
from honeyguide.settings import ALWAYS, AUTO, NEVER
from honeyguide.strategy.registry import recipes, strategy_module
from honeyguide.teaching.questions import OURS, chooser_named
from honeyguide.topic import Topic
from honeyguide.topic.examples import read_examples
from honeyguide.topic.material import material_of

ALL = "all"
_NO_STRATEGY = ("seeds-only", "mix")


@dataclass(frozen=True, slots=True)
class Plan:
    """A comparison. It is small, since it is sent to the processes that run it."""

    webs: tuple[str, ...]
    labels: str
    topics: tuple[str, ...]
    strategies: tuple[str, ...]
    split: Split = field(default_factory=Split)
    repeats: int = 1
    model: str = "fields"
    """The steering model of strategies that do not specify one."""
    judge: str = "labels"
    connections: int = 1
    haste: float = 0.5
    """As ``budget.haste``; has no effect with one connection."""
    start_at_examples: str = AUTO
    """As ``strategy.start_at_examples``."""
    timing: RequestTiming = field(default_factory=RequestTiming)
    points: tuple[int, ...] = ()
    """Numbers of pages after which recall is also compared."""
    answers: tuple[int, ...] = ()
    """Numbers of questions answered by a teacher during a crawl: each strategy runs once with each number."""
    questions: tuple[str, ...] = (OURS,)
    """How the questions are chosen: each strategy runs once with each method."""
    wrong: float = 0.0
    """The share of the answers that are wrong."""

    def contenders(self) -> list[Contender]:
        """The strategies, each once; "all" means every strategy and the oracle."""
        names = dict.fromkeys(name for spec in self.strategies for name in (_every() if spec == ALL else [spec]))
        named = [Contender.named(name, self.model) for name in names]
        return [taught for one in named for taught in self._taught(one)]

    def _taught(self, contender: Contender) -> list[Contender]:
        """A contender with each number of answers and each method of choosing questions."""
        if contender.strategy == ORACLE:
            return [contender]
        lessons = dict.fromkeys(
            LessonPlan(answers, questions, self.wrong) if answers else LessonPlan()
            for answers in self.answers or (0,)
            for questions in self.questions
        )
        return [contender.taught(plan) for plan in lessons]

    def cells(self) -> Iterator[tuple[str, int, Contender]]:
        """Topic, repeat and contender of every trial, in the order of the results."""
        for topic in self.topics:
            for repeat in range(self.repeats):
                for contender in self.contenders():
                    yield topic, repeat, contender

    def code(self, contender: Contender) -> list[str]:
        """Digests of the code behind the results of a contender: ours, and that of strategy, model and judge."""
        judge = Judge.named(self.judge)
        strategy = strategy_module(contender.strategy)
        modules = (strategy, model_module(contender.model), model_module(judge.kind) if judge.is_model else "")
        return [own_code(), *map(plugin_code, modules)]


@dataclass(frozen=True, slots=True)
class OpenPlan:
    """A plan with its web and its labels."""

    plan: Plan
    fixture: WebFixture
    labels: Labels | None

    def key(self, topic: str, repeat: int, contender: Contender, code: Sequence[str]) -> str:
        """A key made of everything that determines the result of a trial. `code` is the plan's for the contender."""
        plan = self.plan
        decisive = {
            "web": self.fixture.web.digest,
            "labels": _digest(plan.labels),
            "split": asdict(plan.split),
            "judge": plan.judge,
            "connections": plan.connections,
            "haste": plan.haste,
            "start_at_examples": plan.start_at_examples,
            "timing": asdict(plan.timing),
            "topic": [topic, _digest(topic) if is_file(topic) else ""],
            "repeat": repeat,
            "strategy": contender.strategy,
            "model": contender.model,
            "lessons": asdict(contender.lessons),
            "code": list(code),
        }
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:24]

    def case(self, topic: str, repeat: int) -> Case:
        """The case of a label in a repeat."""
        if self.labels is None:
            raise InputError("--labels", f"nothing says which pages are about {topic}", "give a file of labels")
        pages = self.labels.pages(topic)
        inside = frozenset(pages)
        others = [url for url in self.labels.of_page if url not in inside] or self.fixture.others(inside)
        return self._with_unlabelled(make_case(topic, pages, others, self.plan.split, repeat))

    def _with_unlabelled(self, case: Case) -> Case:
        """The case with unlabelled pages, if the plan has any: a random selection, removed from the web."""
        split, graph = self.plan.split, self.fixture.graph
        if not split.unlabelled:
            return case
        order = shuffled(list(graph.urls), split.seed, case.topic, case.repeat, "unlabelled")
        found = taken_out(graph, order, case.seeds, {*case.given, *case.others}, split.unlabelled)
        return replace(case, unlabelled=tuple(found), targets=case.targets - set(found))

    def judged_case(self, topic: str, repeat: int) -> JudgedCase:
        """The case of a topic (a label or a file) in a repeat, with the pages that the judge considers relevant."""
        judge = Judge.named(self.plan.judge)
        if is_file(topic):
            return self._of_file(Topic.load(topic), judge, repeat)
        case = self.case(topic, repeat)
        return judge_case(case, judge, self.fixture.without(case.unlabelled))

    def _of_file(self, topic: Topic, judge: Judge, repeat: int) -> JudgedCase:
        """The case of a topic file, with its seeds; a judge made from the file decides which pages are relevant."""
        if not judge.is_model:
            raise InputError("--judge", f"{judge.kind} cannot judge a topic file", "name a model, as vsm:0.2")
        model = model_named(judge.kind)
        made = model.fit(self._material(topic), judge.threshold or model.threshold)
        relevant, scores = scored(made, judge.kind, self.fixture)
        split = replace(
            self.plan.split, seed_urls=self.plan.split.seed_urls or _in_web(topic.seeds, "seeds", self.fixture)
        )
        others = self.fixture.others(relevant)
        keywords = (*topic.keywords, *([topic.description] if topic.description else []))
        case = make_case(topic.name, relevant, others, split, repeat, keywords)
        # The case's examples may be those of the file.
        return JudgedCase(self._with_unlabelled(case), scores, trained_apart=False)

    def _material(self, topic: Topic) -> Material:
        """The examples of a topic file. Those with an address are taken from the virtual web."""

        def fetch(urls: Sequence[str]) -> dict[str, ExamplePage]:
            answers = {url: self.fixture.web.response(self.fixture.graph.landing(url) or url) for url in urls}
            return {
                url: ExamplePage(answer.url, answer.body, answer.header("content-type"))
                for url, answer in answers.items()
                if answer is not None
            }

        given = topic.examples
        kinds = (given.positive, given.negative, given.unlabelled)
        read = (read_examples(names, UrlRules(self.fixture.urls), fetch) for names in kinds)
        return material_of(topic, *([example.text for example in examples] for examples in read))


def open_plan(plan: Plan, progress: Any = lambda _what, _done, _all: None) -> OpenPlan:
    """Open the web and read the labels. Raises `InputError` for whatever is wrong with the plan."""
    check_model_name(plan.model, "--model")
    for questions in plan.questions:
        chooser_named(questions)
    if plan.start_at_examples not in (choices := (AUTO, ALWAYS, NEVER)):
        raise InputError(
            "--start-at-examples", f"{plan.start_at_examples} is not a choice", f"write {' or '.join(choices)}"
        )
    for contender in plan.contenders():
        trained_apart = not any(is_file(topic) for topic in plan.topics)
        Judge.named(plan.judge).refuse_to_steer(contender.model, trained_apart=trained_apart)
    urls = UrlSettings()
    rules = UrlRules(urls)
    web = open_web(plan.webs, rules, progress=lambda done, every: progress("indexing the web", done, every))
    found = read_graph(web, urls, lambda done, every: progress("reading the web", done, every))
    fixture = WebFixture(web, found, urls, plan.connections, plan.haste, plan.start_at_examples)
    labels = read_labels(Path(plan.labels), rules, found.landing) if plan.labels else known_labels(web)
    seeds = _in_web(plan.split.seed_urls, "--seed-urls", fixture)
    opened = OpenPlan(replace(plan, split=replace(plan.split, seed_urls=seeds)), fixture, labels)
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


def _in_web(urls: Sequence[str], place: str, fixture: WebFixture) -> tuple[str, ...]:
    """The pages of the web that URLs lead to, without repeats. Raises `InputError` for a URL that is not in the web."""
    seeds = []
    for given in urls:
        page = fixture.page(given)
        if page is None:
            raise InputError(place, f"{given} is not in the web", "name pages that were recorded")
        seeds.append(fixture.graph.urls[page])
    return tuple(dict.fromkeys(seeds))
