"""Strategies, models and judges as they are written for a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from honeyguide.errors import InputError
from honeyguide.lab.judges import Judge
from honeyguide.lab.trial import Contender
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import inherited


@dataclass
class Model:
    """A model."""

    threshold: float = 0.5

    @classmethod
    def fit(cls, material: Any, threshold: float) -> Model:
        return cls(threshold)


RECIPE = Recipe("mine", "me", "my own", lambda _: inherited, parts="mine")
HERE = __name__


@pytest.mark.parametrize(
    ("text", "strategy", "model"),
    [
        ("best-first", "best-first", "usual"),
        ("best-first:vsm", "best-first", "vsm"),
        ("genre", "genre", "genre"),
        ("genre:svm", "genre", "svm"),
        ("oracle", "oracle", "usual"),
        ("page+btw(window=40, beta=0.5)", "page+btw(window=40, beta=0.5)", "usual"),
        ("page+btw(window=40):one-class", "page+btw(window=40)", "one-class"),
        ("best-first:mlp(terms=300)", "best-first", "mlp(terms=300)"),
        (
            "page+btw(window=40):mlp(terms=300, normalise=false)",
            "page+btw(window=40)",
            "mlp(terms=300, normalise=false)",
        ),
        (f"best-first:{HERE}:Model", "best-first", f"{HERE}:Model"),
        (f"page+btw(window=40):{HERE}:Model", "page+btw(window=40)", f"{HERE}:Model"),
        (f"{HERE}:RECIPE", f"{HERE}:RECIPE", "usual"),
        (f"{HERE}:RECIPE:svm", f"{HERE}:RECIPE", "svm"),
        (f"{HERE}:RECIPE():svm", f"{HERE}:RECIPE()", "svm"),
        (f"{HERE}:RECIPE:{HERE}:Model", f"{HERE}:RECIPE", f"{HERE}:Model"),
    ],
)
def test_a_strategy_and_its_model(text: str, strategy: str, model: str) -> None:
    assert Contender.named(text, "usual") == Contender(text, strategy, model)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("best", "no strategy 'best'"),
        ("best:svm", "no strategy 'best'"),
        ("best-first:svmm", "no model 'svmm'; did you mean svm?"),
        ("best-first:mlp(words=3)", "mlp has no parameter words; it takes terms=500, normalise=True"),
        ("best-first:mlp(terms=0)", "terms must be at least 1, not 0"),
        ("best-first:svm(terms=3)", "svm has no parameter terms; it takes unit=True"),
        ("btw(window=40)svm", "'svm' follows the brackets; write NAME(parameter=value):MODEL"),
        (f"{HERE}:Model", f"{HERE}:Model is not a valid strategy"),
        (f"best-first:{HERE}:RECIPE", f"{HERE}:RECIPE is not a valid model"),
        ("no.such:RECIPE:svm", "there is no module no (for no.such:RECIPE)"),
    ],
)
def test_what_is_none(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        Contender.named(text, "svm")
    assert str(refused.value).startswith(f"--strategy: {message}")


@pytest.mark.parametrize(
    ("text", "judge"),
    [
        ("labels", Judge("labels")),
        ("closure", Judge("closure", depth=5)),
        ("closure:3", Judge("closure", depth=3)),
        ("vote", Judge("vote")),
        ("vsm:0.2", Judge("vsm", threshold=0.2)),
        ("mlp(terms=300)", Judge("mlp(terms=300)")),
        ("mlp(terms=300):0.4", Judge("mlp(terms=300)", threshold=0.4)),
        (f"{HERE}:Model", Judge(f"{HERE}:Model")),
        (f"{HERE}:Model:0.2", Judge(f"{HERE}:Model", threshold=0.2)),
    ],
)
def test_a_judge(text: str, judge: Judge) -> None:
    assert Judge.named(text) == judge
    assert judge.is_model == (text[:6] not in {"labels", "closur"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", "there is no judge 'nobody'; use labels, closure"),
        ("labels:3", "there is no judge 'labels:3'"),
        ("closure:0", "there is no judge 'closure:0'"),
        ("closure:far", "'far' is not a number"),
        ("vsm:high", "'high' is not a number"),
        ("vsm:2", "there is no judge 'vsm:2'"),
        (f"{HERE}:Model:high", "'high' is not a number"),
        (f"{HERE}:RECIPE", f"{HERE}:RECIPE is not a valid model"),
        ("no.such:Model:0.2", "there is no module no (for no.such:Model)"),
    ],
)
def test_what_is_no_judge(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        Judge.named(text)
    assert str(refused.value).startswith(f"--judge: {message}")


def test_nobody_judges_the_crawls_that_they_steer() -> None:
    judge = Judge.named(f"{HERE}:Model:0.2")
    with pytest.raises(InputError, match=f"the model {HERE}:Model would judge the crawls that it steers"):
        judge.refuse_to_steer(f"{HERE}:Model", trained_apart=True)
    judge.refuse_to_steer("vsm", trained_apart=False)
    Judge.named("labels").refuse_to_steer("vsm", trained_apart=False)


def test_perceptrons_that_were_trained_apart_may_judge_each_other() -> None:
    judge = Judge.named("mlp:0.4")
    judge.refuse_to_steer("mlp(terms=300)", trained_apart=True)
    with pytest.raises(InputError, match=r"the model mlp\(terms=300\) would judge the crawls that it steers"):
        judge.refuse_to_steer("mlp(terms=300)", trained_apart=False)
    with pytest.raises(InputError, match="would judge"):  # both would be made from the topic's words
        Judge.named("vsm").refuse_to_steer("vsm", trained_apart=True)
