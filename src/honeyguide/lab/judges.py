"""Judges, which decide which pages of a web are relevant in a comparison. The steering model is never the judge.

A model may judge crawls that are steered by a model of the same kind if both learn only from examples, and from
different ones (003: conductor and evaluator are perceptrons that were trained separately).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from honeyguide.errors import InputError
from honeyguide.lab.cases import NEGATIVES_PER_POSITIVE, Case
from honeyguide.lab.web_fixture import WebFixture
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.checked import checked_model
from honeyguide.relevance.registry import AUTO, model_named, models
from honeyguide.settings import part_name, split_at_colons
from honeyguide.topic.material import material_of

LABELS, CLOSURE = "labels", "closure"
DEPTH = 5
"""Default depth of the closure, in links from the seeds."""

_HOW = "use labels, closure, closure:DEPTH, or a model with or without a threshold: vote, vsm:0.2, package.module:Model"


@dataclass(frozen=True, slots=True)
class Judge:
    """The spec of a judge.

    ``labels``: according to the labels. ``closure`` (000): the same, limited to pages within some links of the seeds.
    The name of a model (001: vote, 003: mlp; 002 and 004: any model with a threshold): that model, trained on pages of
    the topic that the steering model does not learn from.
    """

    kind: str
    depth: int = 0
    threshold: float = 0.0

    @classmethod
    def named(cls, text: str) -> Judge:
        """From ``labels``, ``closure:3``, ``vote``, ``vsm:0.2``, ``mlp(terms=300)``, ``package.module:Model:0.2``."""
        kind, number = _apart(text)
        name = part_name(kind)
        try:
            value = float(number) if number else 0.0
        except ValueError:
            raise InputError("--judge", f"{number!r} is not a number", _HOW) from None
        if kind == LABELS and not number:
            return cls(LABELS)
        if kind == CLOSURE and (value == int(value) and value > 0 if number else True):
            return cls(CLOSURE, depth=int(value) or DEPTH)
        if (name in models() or ":" in name) and (0 < value <= 1 if number else True):
            model_named(kind, "--judge")
            return cls(kind, threshold=value)
        raise InputError("--judge", f"there is no judge {text!r}", _HOW)

    @property
    def is_model(self) -> bool:
        """Whether it scores pages."""
        return self.kind not in {LABELS, CLOSURE}

    def refuse_to_steer(self, model: str, *, trained_apart: bool) -> None:
        """Refuse to judge a crawl that is steered by the same model.

        Args:
            model: The model that steers.
            trained_apart: Whether the judge learns from other examples than the model that steers.

        Raises:
            InputError: It is the same model, or one that was made from the same words or examples.
        """
        if not self.is_model:
            return
        if model == AUTO:
            raise InputError("--model", f"auto may be the model that judges, {self.kind}", "name a model")
        judge, steering = model_named(self.kind), model_named(model)
        if judge.make == steering.make and not (trained_apart and judge.learns):
            problem = f"the model {model} would judge the crawls that it steers"
            raise InputError("--judge", problem, "choose another judge, or steer with another --model")


def _apart(text: str) -> tuple[str, str]:
    """Split a spec into kind and number, "" for no number. Paths contain colons, too."""
    kind, *rest = split_at_colons(text)
    if rest and kind not in {LABELS, CLOSURE} and part_name(kind) not in models():
        kind = f"{kind}:{rest.pop(0)}"
    return kind, ":".join(rest)


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A case with the pages that its judge considers relevant."""

    case: Case
    similarity: NDArray[np.float64] | None
    """The judge's score of every page of the web, by number; None for a judge that gives no scores."""
    trained_apart: bool = True
    """Whether the judge was trained on other examples than those of the case."""


def judge_case(case: Case, judge: Judge, fixture: WebFixture) -> JudgedCase:
    """The case, with the pages that the judge considers relevant in place of those with the label."""
    if judge.kind == LABELS:
        return JudgedCase(case, None)
    number, urls = fixture.graph.number, fixture.graph.urls
    if judge.kind == CLOSURE:
        near = fixture.graph.closure((number[seed] for seed in case.seeds), judge.depth)
        inside = frozenset(urls[page] for page in near)
        return JudgedCase(_with(case, case.relevant & inside), None)
    relevant, scores = scored(trained_judge(case, judge, fixture), judge.kind, fixture)
    return JudgedCase(_with(case, frozenset(relevant)), scores)


def scored(model: Relevance, name: str, fixture: WebFixture) -> tuple[list[str], NDArray[np.float64]]:
    """The pages of a web that a model considers relevant, and the score of every page, by number.

    Raises `PluginError` when the model, of this name, fails on one of them.
    """
    urls = fixture.graph.urls
    judge = checked_model(model, name)
    scores = np.array([judge.relevance(fixture.text(url)) for url in urls])
    return [url for url, score in zip(urls, scores.tolist(), strict=True) if score >= model.threshold], scores


def _with(case: Case, relevant: frozenset[str]) -> Case:
    targets = relevant - case.given - set(case.unlabelled)
    if not targets:
        raise InputError(case.topic, "the judge finds nothing relevant but seeds and examples", "choose another judge")
    return replace(case, relevant=relevant, targets=targets)


def trained_judge(case: Case, judge: Judge, fixture: WebFixture) -> Relevance:
    """The judging model, trained on pages that the steering model has not learnt from."""
    positive = sorted(case.targets)
    seen = {*case.others, *case.unlabelled}
    unseen = [url for url in fixture.others(case.relevant) if url not in seen]
    negative = unseen[: NEGATIVES_PER_POSITIVE * len(positive)]
    topic = fixture.topic(case, model=judge.kind)
    material = material_of(topic, [fixture.text(url) for url in positive], [fixture.text(url) for url in negative])
    model = model_named(judge.kind)
    return model.fit(material, judge.threshold or model.threshold)
