"""A model that breaks a rule is told which."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from honeyguide.errors import InputError
from honeyguide.testing import check_model
from honeyguide.testing.texts import BEES, TRAINS, bees, texts


@pytest.fixture(autouse=True)
def some_models(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Models as another package would have them, so that other processes find them too."""
    monkeypatch.syspath_prepend(Path(__file__).parent / "packages")
    yield
    sys.modules.pop("some_models", None)


@pytest.mark.parametrize("name", ["Share", "SPEC", "Learning"])
def test_a_model_that_keeps_the_rules(name: str) -> None:
    check_model(f"some_models:{name}")


def test_other_material() -> None:
    given = replace(bees(), relevance=replace(bees().relevance, threshold=0.2))
    check_model("some_models:Share", material=given, about=texts(BEES, 9, 1), others=texts(TRAINS, 9, 1))
    with pytest.raises(AssertionError, match="it distinguishes texts about the topic from others"):
        check_model("some_models:Share", material=given, about=texts(TRAINS, 9, 1), others=texts(BEES, 9, 1))
    check_model("some_models:Ignorant", material=given)  # nothing to tell apart


def test_what_is_missing_is_no_broken_rule() -> None:
    with pytest.raises(InputError, match="at least 2 negative examples"):
        check_model("svm", material=replace(bees(), negative=()))
    with pytest.raises(InputError, match="no model 'nothing'"):
        check_model("nothing")


SCORES = "there is one score per span, from 0 to 1: "
SAYS = "a model has a summary and a threshold: "
KEPT = "it is the same after it was saved and loaded: "


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NAMELESS", f"{SAYS}it has no summary"),
        ("ALWAYS", f"{SAYS}its threshold is 0.0"),
        ("Deaf", "the threshold is the one that is requested: the topic requests 0.625, but it is 0.5"),
        ("OutOfRange", f"{SCORES}some are out of range"),
        ("Unsure", f"{SCORES}some are out of range"),
        ("TooMany", f"{SCORES}for 11 spans the scores have the shape (12,)"),
        ("Lazy", f"{SCORES}for 0 spans the scores have the shape (1,)"),
        ("Listed", f"{SCORES}a list is not an array"),
        ("Whole", f"{SCORES}they are int64, not floats"),
        ("Fragile", f"{SCORES}it raised ZeroDivisionError: "),
        ("Relative", "the score of a span does not depend on the other spans: "),
        ("Careless", "scoring does not change the text: its words have changed"),
        ("Generous", "a text of stop words only scores 0: '' scores 0.1"),
        ("Moody", "the same material gives the same model: "),
        ("Forgetful", KEPT),
        ("Unkept", f"{KEPT}it raised InputError: Unkept.seen: a value of type set cannot be saved"),
        ("Unsent", "it is the same after it was sent to another process: it raised TypeError: cannot pickle this"),
        ("Hashing", "it gives the same scores in another process: "),
        (
            "Ignorant",
            "it distinguishes texts about the topic from others: a text about the topic scores higher with a",
        ),
        ("Shifting", "the model that it learns has the same threshold: it is 0.9, but was 0.1"),
        ("Guessing", "it learns the same from the same pages: "),
        ("Unravelling", f"{SCORES}some are out of range"),
    ],
)
def test_a_broken_rule(name: str, message: str) -> None:
    with pytest.raises(AssertionError) as broken:
        check_model(f"some_models:{name}")
    assert str(broken.value).startswith(message)
