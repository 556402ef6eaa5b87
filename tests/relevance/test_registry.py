"""Models by name, by path, as classes and as specs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from honeyguide.errors import InputError
from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Scores
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import choose, make_model
from honeyguide.relevance.registry import as_spec, model_named, models
from honeyguide.relevance.settings import RelevanceSettings
from honeyguide.relevance.spec import ModelSpec, read_specs
from honeyguide.relevance.text import Text
from honeyguide.settings import Parameter
from honeyguide.topic import template


@dataclass(eq=False)
class Share:
    """The share of the topic's words.

    And more that nobody needs to read.
    """

    words: list[str]
    threshold: float = 0.25

    @classmethod
    def fit(cls, material: Material, threshold: float) -> Share:
        return cls(list(material.words().words), threshold)

    def score(self, text: Text, spans: Spans) -> Scores:
        return np.zeros(len(spans))


class Bare:
    @staticmethod
    def fit(material: Material, threshold: float) -> Share:
        return Share([], threshold)


@dataclass(slots=True)
class Slotted:
    """With slots."""

    threshold: float = 0.75

    @classmethod
    def fit(cls, material: Material, threshold: float) -> Slotted:
        return cls(threshold)


class Estimator:
    def fit(self, x: Any, y: Any) -> Estimator:
        return self


SPEC = ModelSpec("share", "the share of the topic's words", 0.4, Share.fit)


def test_a_class_that_can_fit_itself_is_a_model() -> None:
    spec = as_spec(Share)
    assert (spec.summary, spec.threshold, spec.tuned) == ("The share of the topic's words.", 0.25, True)
    assert as_spec(Bare).threshold == 0.5
    assert as_spec(Slotted).threshold == 0.75
    model = make_model(Material(["honey bee"], relevance=RelevanceSettings(model="svm")), spec)
    assert isinstance(model, Share)
    assert (model.words, model.threshold) == (["honey", "bee"], 0.25)


def test_what_stands_for_a_model() -> None:
    assert as_spec(SPEC) is SPEC
    assert as_spec("vsm") is models()["vsm"]
    assert read_specs([SPEC, SPEC], "x") == (SPEC, SPEC)
    assert read_specs(Share, "mine")[0].name == "mine"
    for nothing in ([SPEC, 3], Estimator, Estimator(), "text", 3, None, {"share": SPEC}):
        assert read_specs(nothing, "x") == ()


@pytest.mark.parametrize("wrong", [Estimator, int])
def test_what_is_no_model(wrong: type) -> None:
    with pytest.raises(
        InputError, match=r"^model: .* is not a model; give a ModelSpec, or a class with a class method"
    ):
        as_spec(wrong)


def test_a_path_is_as_good_as_a_name() -> None:
    for name, threshold in (("Share", 0.25), ("SPEC", 0.4)):
        path = f"{__name__}:{name}"
        material = Material(["honey"], relevance=RelevanceSettings(model=path))
        assert choose(material).reason == "the topic specifies it"
        assert choose(material).model == model_named(path)
        assert make_model(material).threshold == threshold
    assert make_model(Material(["honey"], preferred=f"{__name__}:Share")).threshold == 0.25


def test_what_a_topic_asks_for_counts_more_than_what_its_strategy_prefers() -> None:
    asked = Material(["honey"], relevance=RelevanceSettings(model="vsm"), preferred="ssvsm")
    assert choose(asked).model.name == "vsm"
    assert choose(Material(["honey"], preferred="ssvsm")).model.name == "ssvsm"


def test_a_new_topic_file_lists_our_models() -> None:
    lines = " ".join(template("x").replace("\n# ", " ").split())
    assert f"one of auto, {', '.join(models())} (auto: " in lines


# ---- parameters ----


def measured(material: Material, threshold: float, **values: object) -> Share:
    return Share([str(values), *material.keywords], threshold)


SIZED = ModelSpec("sized", "", 0.5, measured, parameters={"size": Parameter(3, "a size", minimum=1)})


def test_parameters_are_given_by_name() -> None:
    model = model_named(f"{__name__}:SIZED(size=5)")
    assert model.name == f"{__name__}:SIZED(size=5)"
    assert make_model(Material(keywords=["bee"]), model).words == ["{'size': 5}", "bee"]  # type: ignore[attr-defined]
    assert make_model(Material(), model_named(f"{__name__}:SIZED")).words == ["{}"]  # type: ignore[attr-defined]
    for wrong, problem in (
        ("size=0", "size must be at least 1"),
        ("length=2", "has no parameter length; it takes size=3"),
    ):
        with pytest.raises(InputError, match=problem):
            model_named(f"{__name__}:SIZED({wrong})")
