"""Strategies as people write them."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from honeyguide.errors import InputError
from honeyguide.relevance.models import Material, choose
from honeyguide.strategy import registry
from honeyguide.strategy.asked import Asked, Parameter, read_values
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.registry import recipes, strategy_named
from honeyguide.strategy.rules import inherited
from honeyguide.topic import Topic

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
    assert Asked.parse(text) == Asked(name, given)


@pytest.mark.parametrize("text", ["", "(a=1)", "x(a=1", "x)", "a b"])
def test_what_is_no_strategy(text: str) -> None:
    with pytest.raises(InputError) as caught:
        Asked.parse(text, "compare")
    assert str(caught.value) == f"compare: {text!r} names no strategy; write it as name(parameter=value, ...)"


@pytest.mark.parametrize("text", ["a", "=1", "a=", "b=1, b=2"])
def test_what_is_no_parameter(text: str) -> None:
    with pytest.raises(InputError) as caught:
        Asked.parse(f"x({text})")
    wrong = text.rpartition(", ")[2]
    assert str(caught.value) == f"strategy.name: {wrong!r} is no parameter of x; write it as name(parameter=value, ...)"


def test_values_are_read_and_the_rest_is_as_usual() -> None:
    values = read_values(Asked.parse("x(window=40, tags=modern, deep=True)"), PARAMETERS)
    assert values == {"beta": 0.25, "window": 40, "tags": "modern", "deep": True}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x(size=1)", "x has no parameter size; it takes beta=0.25, window=20, tags=paper, deep=False"),
        ("x(window=many)", "window is 'many'; write window as a whole number, as window=20"),
        ("x(window=1.5)", "window is '1.5'; write window as a whole number"),
        ("x(window=-1)", "window is -1; use at least 0"),
        ("x(beta=2)", "beta is 2; use 0 to 1"),
        ("x(beta=nan)", "beta is 'nan'; write beta as a number"),
        ("x(tags=html5)", "tags is 'html5'; use one of paper, modern"),
        ("x(deep=yes)", "deep is 'yes'; write deep as true or false"),
    ],
)
def test_wrong_values_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_values(Asked.parse(text), PARAMETERS, "compare")
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


def test_another_package_can_bring_one(monkeypatch: pytest.MonkeyPatch) -> None:
    brought = Recipe("mine", "me", "my own", lambda _: inherited, parts="mine")
    entry = EntryPoint("mine", "mine.module:recipe", registry.GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda _: brought)
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry] if group == registry.GROUP else [])
    recipes.cache_clear()
    try:
        assert strategy_named("mine").recipe is brought
        monkeypatch.setattr(EntryPoint, "load", lambda _: "no recipe")
        recipes.cache_clear()
        with pytest.raises(InputError, match=r"mine\.module:recipe: is no strategy"):
            recipes()
    finally:
        recipes.cache_clear()


def test_a_strategy_may_bring_its_model() -> None:
    topic = Topic.make(name="t", seeds=["http://a.example/"], keywords="honey", strategy={"name": "ssvsm"})
    assert choose(Material(topic)).model.name == "ssvsm"
    other = topic.with_settings(relevance={"model": "vsm"})
    assert choose(Material(other)).model.name == "vsm"
