"""Strategies as people write them."""

from __future__ import annotations

import pytest

from honeyguide.errors import InputError
from honeyguide.relevance.models import choose
from honeyguide.settings import Parameter, PartSpec, read_values
from honeyguide.strategy.registry import recipes, strategy_named
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

PARAMETERS = {
    "beta": Parameter(0.25, "share", minimum=0, maximum=1),
    "window": Parameter(20, "words", minimum=0),
    "tags": Parameter("paper", "tags", choices=("paper", "modern")),
    "deep": Parameter(False, "depth"),
}


@pytest.mark.parametrize(
    ("text", "name", "given"),
    [
        ("btw", "btw", {}),
        (" page+btw ( window = 40,beta=.5 ) ", "page+btw", {"window": "40", "beta": ".5"}),
        ("fs-2()", "fs-2", {}),
        ("x(a=1,)", "x", {"a": "1"}),
        ("x(a=1,\n  b=2\n)", "x", {"a": "1", "b": "2"}),
    ],
)
def test_a_name_and_its_brackets(text: str, name: str, given: dict[str, str]) -> None:
    assert PartSpec.parse(text, "strategy", "") == PartSpec(name, given)


@pytest.mark.parametrize("text", ["", "(a=1)", "x(a=1", "x)", "a b"])
def test_what_is_no_strategy(text: str) -> None:
    with pytest.raises(InputError) as caught:
        PartSpec.parse(text, "strategy", "compare")
    assert (
        str(caught.value) == f"compare: {text!r} is not the name of a strategy; write it as name(parameter=value, ...)"
    )


@pytest.mark.parametrize("text", ["a", "=1", "a=", "b=1, b=2"])
def test_what_is_no_parameter(text: str) -> None:
    with pytest.raises(InputError) as caught:
        PartSpec.parse(f"x({text})", "strategy", "strategy.name")
    wrong = text.rpartition(", ")[2]
    assert (
        str(caught.value) == f"strategy.name: {wrong!r} is not a parameter of x; write it as name(parameter=value, ...)"
    )


def test_values_are_read_and_the_rest_is_as_usual() -> None:
    values = read_values(PartSpec.parse("x(window=40, tags=modern, deep=True)", "strategy", ""), PARAMETERS, "")
    assert values == {"beta": 0.25, "window": 40, "tags": "modern", "deep": True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x(size=1)", "x has no parameter size; it takes beta=0.25, window=20, tags=paper, deep=False"),
        ("x(window=many)", 'window must be a whole number, not "many"; write window=20'),
        ("x(window=1.5)", 'window must be a whole number, not "1.5"; write window=20'),
        ("x(window=-1)", "window must be at least 0, not -1; the default is 20"),
        ("x(beta=2)", "beta must be at most 1, not 2.0; the default is 0.25"),
        ("x(beta=nan)", "beta must be a finite number, not nan; the default is 0.25"),
        ("x(tags=html5)", 'tags cannot be "html5"; choose "paper" or "modern"'),
        ("x(deep=yes)", 'deep must be true or false, not "yes"; write deep=false'),
    ],
)
def test_wrong_values_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_values(PartSpec.parse(text, "strategy", ""), PARAMETERS, "compare")
    assert str(caught.value).startswith(f"compare: {message}")


def test_every_recipe_says_what_it_is_and_can_be_made() -> None:
    for recipe in recipes().values():
        strategy = strategy_named(recipe.name)
        assert recipe.summary
        assert recipe.source
        assert recipe.parts
        assert callable(strategy.rule())
        assert strategy.queue().merge is not None
        assert all(one.help for one in recipe.parameters.values())


def test_a_strategy_may_bring_its_model() -> None:
    topic = Topic.make(name="t", seeds=["http://a.example/"], keywords="honey", strategy={"name": "ssvsm"})
    assert choose(material_of(topic)).model.name == "ssvsm"
    other = topic.with_settings(relevance={"model": "vsm"})
    assert choose(material_of(other)).model.name == "vsm"


@pytest.mark.parametrize(
    ("strategy", "given", "idf"),
    [
        *((name, "auto", "crawl") for name in ("vsm", "ssrm", "ssvsm")),
        ("vsm", "one", "one"),
        ("best-first", "auto", "one"),
        ("best-first", "known", "known"),
    ],
)
def test_a_strategy_may_bring_its_weight_of_rare_words(strategy: str, given: str, idf: str) -> None:
    topic = Topic.make(
        name="t", seeds=["http://a.example/"], keywords="honey", strategy={"name": strategy}, relevance={"idf": given}
    )
    assert material_of(topic).idf == idf
